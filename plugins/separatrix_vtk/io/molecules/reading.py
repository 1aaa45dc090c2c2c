"""Molecules from files, by suffix, also compressed with gzip.

.pdb .ent         columns of wwPDB, by gemmi       .pqr   records of PDB2PQR, with radii
.cif .mmcif       mmCIF, by gemmi                  .xyz   symbol x y z, in one or several frames
                                                   .crd   a count, then x y z radius per line

All lengths are in Angstrom. Errors are instances of FileProblem, which begin with the path.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path

import numpy as np

import separatrix as sx
from separatrix_vtk.io.compressed import content_of
from separatrix_vtk.io.molecules.atoms import Molecule
from separatrix_vtk.io.molecules.structures import read_mmcif, read_pdb
from separatrix_vtk.io.molecules.text_formats import read_crd, read_pqr, read_xyz
from separatrix_vtk.io.problems import FileProblem, plain

READER_OF: dict[str, Callable[[bytes], Molecule]] = {
    ".pdb": read_pdb,
    ".ent": read_pdb,
    ".cif": read_mmcif,
    ".mmcif": read_mmcif,
    ".pqr": read_pqr,
    ".xyz": read_xyz,
    ".crd": read_crd,
}
SUFFIXES = tuple(READER_OF)


def suffix_of(path: Path) -> str:
    """Return the suffix of the format: ".pdb" for a.pdb, A.PDB, and a.pdb.gz; "" if unknown."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    return suffixes[-1] if suffixes and suffixes[-1] in READER_OF else ""


def read_molecule_file(path: Path) -> Molecule:
    """Read all atoms of a file, with all models, records, and alternate locations."""
    suffix = suffix_of(path)
    if not suffix:
        raise FileProblem(
            f"unsupported file type '{path.suffix or path.name}'; expected a molecule in one of "
            f"{', '.join(SUFFIXES)}, also with .gz.",
            path,
        )
    content = content_of(path).removeprefix(BOM_UTF8)
    try:
        molecule = READER_OF[suffix](content)
    except sx.InputError as error:
        raise FileProblem(f"{plain(error)}.", path) from None
    atoms = molecule.atoms
    if not len(atoms):
        raise FileProblem("contains no atoms.", path)
    if (lost := np.flatnonzero(~np.isfinite(atoms.positions).all(axis=1))).size:
        place = " ".join(f"{x:g}" for x in atoms.positions[lost[0]])
        raise FileProblem(
            f"positions must be finite; got {place} for {atoms.called(lost[0])} "
            f"({lost.size} such atoms).",
            path,
        )
    return molecule
