"""Molecules of MoleculeReader have the alpha complexes of GUDHI's CGAL."""

import gudhi
import numpy as np
import pytest

import separatrix as sx
from separatrix.options import MoleculeReaderOptions
from separatrix_vtk.io.molecules.reading import read_molecule_file
from separatrix_vtk.io.molecules.selection import chosen_atoms

pytest.importorskip("gemmi")
ALPHAS = (0.0, 1.4, 3.0)
MOLECULES = (
    "1GRM.crd.gz", "1CRN.cif.gz", "1BLU.pdb.gz", "3O5R_altloc.cif.gz", "2BUK.pdb.gz",
    "1U71.pdb.gz", "4GXY.cif.gz", "1TIM.pdb.gz", "4HHB.pdb.gz", "1F2N_biomt60.cif.gz",
)  # fmt: skip
"""Shared files that take a second each, without hetero atoms, and with one unit per capsid."""


@pytest.mark.parametrize("name", MOLECULES)
def test_every_simplex_at_every_alpha_is_that_of_the_peer(shared_molecules, name):
    molecule = read_molecule_file(shared_molecules / name)
    atoms, radii, _ = chosen_atoms(molecule, molecule.models[0], MoleculeReaderOptions(), {})
    resolution = 1e-3
    tree = gudhi.AlphaComplex(
        points=np.rint(atoms.positions / resolution),
        weights=np.rint(radii / resolution) ** 2,
        precision="exact",
    ).create_simplex_tree(max_alpha_square=ALPHAS[-1] * 1e6)
    found = [[], [], [], []]
    for simplex, value in tree.get_simplices():
        found[len(simplex) - 1].append((*sorted(simplex), value))
    peer = [np.array(sorted(rows)) for rows in found]
    largest = sx.alpha_complex(atoms.positions, radii, ALPHAS, device="cpu")
    for alpha in ALPHAS:
        complex = largest.at(alpha)
        tables = (complex.vertices, complex.edges, complex.triangles, complex.tets)
        for rows, table in zip(peer, tables, strict=True):
            own = rows[rows[:, -1] <= alpha * 1e6]
            assert np.array_equal(table.simplices, own[:, :-1])
            np.testing.assert_allclose(table.alpha_value, own[:, -1] / 1e6, rtol=1e-14, atol=1e-14)
