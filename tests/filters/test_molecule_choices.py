"""Atoms that are read: records, water, hydrogens, locations, assemblies, radii."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import separatrix_vtk
from filters.point_sets import column, places
from oracles.molecule_files import PEPTIDE, Atom, mmcif_text, pdb_text, pqr_text, write
from separatrix_vtk import MoleculeReader, read_molecule

MIXED = [
    *PEPTIDE[:2],
    Atom("HA", "H", 2.8, 2.5, 3.9),
    Atom("ZN", "ZN", 5.0, 5.0, 5.0, "ZN", record="HETATM", residue=101),
    Atom("O", "O", 8.0, 8.0, 8.0, "HOH", record="HETATM", residue=201),
    Atom("O", "O", 9.0, 8.0, 8.0, "WAT", residue=202),
    Atom("Q1", "X", 9.0, 9.0, 9.0, "DUM", record="HETATM", residue=301),
]


@pytest.fixture
def mixed(tmp_path):
    return write(tmp_path / "mixed.pdb", pdb_text(MIXED))


CHOICES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["N", "CA", "HA"]),
    ({"hydrogens": False}, ["N", "CA"]),
    ({"hetatm": True}, ["N", "CA", "HA", "ZN"]),
    ({"water": True}, ["N", "CA", "HA", "O", "O"]),
    ({"dummies": True, "radii": "X=1"}, ["N", "CA", "HA", "Q1"]),
    ({"hetatm": True, "water": True}, ["N", "CA", "HA", "ZN", "O", "O"]),
]


@pytest.mark.parametrize(("settings", "names"), CHOICES, ids=str)
def test_each_switch_governs_its_own_kind_of_atom(mixed, settings, names):
    reader = MoleculeReader(file_name=mixed, **settings)
    (atoms,) = reader.run()
    assert column(atoms, "atom_types") == names
    assert sum(reader.report["omitted"].values()) == len(MIXED) - len(names)


def test_excluded_atoms_are_counted_by_reason(mixed):
    reader = MoleculeReader(file_name=mixed, hydrogens=False)
    reader.run()
    expected = {"hetatm": 1, "water": 2, "dummies": 1, "hydrogens": 1, "altloc": 0}
    assert reader.report["omitted"] == expected


def test_an_empty_selection_is_rejected(tmp_path):
    path = write(tmp_path / "water.pdb", pdb_text(MIXED[3:6]))
    with pytest.raises(separatrix_vtk.FilterError) as reported:
        read_molecule(path)
    assert str(reported.value) == (
        f"{path}: all 3 atoms are excluded (1 HETATM records, 2 atoms of water). Include at least "
        "one of these."
    )


# === alternate locations


def located(name: str, label: str, occupancy: float, x: float, residue: str = "SER") -> Atom:
    return Atom(name, "C", x, 0.0, 0.0, residue, altloc=label, occupancy=occupancy, residue=7)


LOCATIONS = [
    located("CA", "", 1.0, 0.0),
    located("CB", "A", 0.4, 1.0), located("CB", "B", 0.6, 2.0),  # the fullest is the second
    located("CG", "A", 0.5, 3.0), located("CG", "B", 0.5, 4.0),  # a tie
    located("CD", "B", 0.3, 5.0),  # one alone
    located("CE", "", 0.5, 6.0), located("CE", "B", 0.4, 7.0),  # one without a label
]  # fmt: skip


@pytest.mark.parametrize("text_of", [pdb_text, mmcif_text])
def test_one_location_of_each_atom_is_used(tmp_path, text_of):
    suffix = ".pdb" if text_of is pdb_text else ".cif"
    path = write(tmp_path / f"altloc{suffix}", text_of(LOCATIONS))

    def taken(**settings):
        return sorted(places(read_molecule(path, **settings))[:, 0].tolist())

    assert taken() == [0.0, 2.0, 3.0, 5.0, 6.0]
    assert taken(altloc="first") == [0.0, 1.0, 3.0, 5.0, 6.0]
    assert taken(altloc="all") == [float(x) for x in range(8)]
    assert taken(altloc="label", altloc_label="B") == [0.0, 2.0, 4.0, 5.0, 6.0, 7.0]
    assert taken(altloc="label", altloc_label="A") == [0.0, 1.0, 3.0, 6.0]
    with pytest.raises(separatrix_vtk.FilterError, match=r"of the file \(A, B\); got 'C'"):
        taken(altloc="label", altloc_label="C")


def test_one_of_two_alternate_residues_is_read(tmp_path):
    both = [
        located("CA", "A", 0.3, 0.0, "PRO"), located("CG", "A", 0.3, 1.0, "PRO"),
        located("CA", "B", 0.7, 2.0, "SER"), located("OG", "B", 0.7, 3.0, "SER"),
    ]  # fmt: skip
    path = write(tmp_path / "mixed.pdb", pdb_text(both))
    assert column(read_molecule(path), "residue_names") == ["SER", "SER"]
    assert column(read_molecule(path, altloc="first"), "residue_names") == ["PRO", "PRO"]


def test_alternate_locations_of_a_real_file_are_distinguished(shared_molecules):
    path = shared_molecules / "3O5R_altloc.cif.gz"
    altlocs = np.array(column(read_molecule(path, altloc="all"), "altloc"))
    assert len(altlocs) == 1115
    assert set(altlocs) == {0, ord("A"), ord("B")}
    assert read_molecule(path).GetNumberOfPoints() == 982


# === assemblies


BIOMT = """\
REMARK 350 BIOMOLECULE: 1
REMARK 350 APPLY THE FOLLOWING TO CHAINS: A
REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000
REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000
REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000
REMARK 350   BIOMT1   2  0.000000 -1.000000  0.000000        0.33333
REMARK 350   BIOMT2   2  1.000000  0.000000  0.000000       10.00000
REMARK 350   BIOMT3   2  0.000000  0.000000  1.000000        0.00000
REMARK 350 BIOMOLECULE: 2
REMARK 350 APPLY THE FOLLOWING TO CHAINS: B
REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000
REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000
REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000
"""
MMCIF_ASSEMBLY = """\
loop_
_pdbx_struct_assembly.id
_pdbx_struct_assembly.details
_pdbx_struct_assembly.method_details
_pdbx_struct_assembly.oligomeric_details
_pdbx_struct_assembly.oligomeric_count
1 author_defined_assembly ? dimeric 2
#
loop_
_pdbx_struct_assembly_gen.assembly_id
_pdbx_struct_assembly_gen.oper_expression
_pdbx_struct_assembly_gen.asym_id_list
1 1,2 A
#
loop_
_pdbx_struct_oper_list.id
_pdbx_struct_oper_list.type
_pdbx_struct_oper_list.name
_pdbx_struct_oper_list.symmetry_operation
_pdbx_struct_oper_list.matrix[1][1]
_pdbx_struct_oper_list.matrix[1][2]
_pdbx_struct_oper_list.matrix[1][3]
_pdbx_struct_oper_list.vector[1]
_pdbx_struct_oper_list.matrix[2][1]
_pdbx_struct_oper_list.matrix[2][2]
_pdbx_struct_oper_list.matrix[2][3]
_pdbx_struct_oper_list.vector[2]
_pdbx_struct_oper_list.matrix[3][1]
_pdbx_struct_oper_list.matrix[3][2]
_pdbx_struct_oper_list.matrix[3][3]
_pdbx_struct_oper_list.vector[3]
1 'identity operation' 1_555 x,y,z 1 0 0 0 0 1 0 0 0 0 1 0
2 'point symmetry operation' ? ? 0 -1 0 0.33333 1 0 0 10 0 0 1 0
#
"""


@pytest.mark.parametrize("suffix", [".pdb", ".cif"])
def test_an_assembly_is_copies_on_the_grid_of_thousandths(tmp_path, suffix):
    pdb = suffix == ".pdb"
    text = pdb_text(PEPTIDE, head=BIOMT) if pdb else mmcif_text(PEPTIDE, more=MMCIF_ASSEMBLY)
    path = write(tmp_path / f"dimer{suffix}", text)
    atoms = read_molecule(path, assembly="1")
    one = np.array([[a.x, a.y, a.z] for a in PEPTIDE[:4]])
    turned = np.stack([0.333 - one[:, 1], 10.0 + one[:, 0], one[:, 2]], axis=1)
    np.testing.assert_allclose(places(atoms), np.concatenate([one, turned]), rtol=0, atol=1e-12)
    assert column(atoms, "assembly_copy") == [1] * 4 + [2] * 4
    assert column(atoms, "radius") == 2 * column(read_molecule(path), "radius")[:4]
    assert read_molecule(path).GetNumberOfPoints() == 5


def test_an_unknown_assembly_is_rejected(tmp_path):
    path = write(tmp_path / "dimer.pdb", pdb_text(PEPTIDE, head=BIOMT))
    with pytest.raises(separatrix_vtk.FilterError, match=r"of the file \(1, 2\); got '7'"):
        read_molecule(path, assembly="7")
    path = write(tmp_path / "alone.pdb", pdb_text(PEPTIDE))
    with pytest.raises(separatrix_vtk.FilterError, match=r"of the file \(none\); got '1'"):
        read_molecule(path, assembly="1")
    path = write(tmp_path / "other.pdb", pdb_text(PEPTIDE[:4], head=BIOMT))
    with pytest.raises(
        separatrix_vtk.FilterError, match=r"assembly '2' contains none of the selected atoms."
    ):
        read_molecule(path, assembly="2")


# === radii


def test_radii_of_a_table_win_over_those_of_the_file_and_by_element(tmp_path):
    pqr = write(tmp_path / "p.pqr", pqr_text(PEPTIDE))
    assert column(read_molecule(pqr, radii="C=1.5"), "radius") == [1.824, 1.5, 1.5, 1.661, 2.0]
    by_element = read_molecule(pqr, file_radii=False)
    assert column(by_element, "radius") == [1.55, 1.7, 1.7, 1.52, 1.8]
    pdb = write(tmp_path / "p.pdb", pdb_text(PEPTIDE))
    assert column(read_molecule(pdb, radii="C=1.5, S 2"), "radius") == [1.55, 1.5, 1.5, 1.52, 2.0]
    with pytest.raises(ValueError, match=r"radii must be .* 'Qq' is not an element"):
        read_molecule(pdb, radii="Qq=1")


def test_hydrogens_without_a_radius_are_handled_as_suggested(tmp_path):
    atoms = [*PEPTIDE, replace(PEPTIDE[0], name="HN", element="H", radius=0.0)]
    path = write(tmp_path / "p.pqr", pqr_text(atoms))
    with pytest.raises(
        separatrix_vtk.FilterError,
        match="Specify a radius for H, exclude these atoms, or set file_radii=False",
    ):
        read_molecule(path)
    assert column(read_molecule(path, radii="H=1.2"), "radius")[-1] == 1.2
    assert read_molecule(path, hydrogens=False).GetNumberOfPoints() == 5
    assert column(read_molecule(path, file_radii=False), "radius")[-1] == 1.2


def test_an_unknown_element_has_the_given_radius(tmp_path):
    path = write(tmp_path / "x.pdb", pdb_text([*PEPTIDE, Atom("X1", "X", 9.0, 9.0, 9.0)]))
    assert column(read_molecule(path, radii="X=1.7"), "radius")[-1] == 1.7


def test_chains_with_several_letters_have_distinct_numbers(tmp_path):
    atoms = [replace(PEPTIDE[0], chain=chain) for chain in ("A", "AA", "AB", "BA")]
    read = read_molecule(write(tmp_path / "c.cif", mmcif_text(atoms)))
    assert column(read, "chain_names") == ["A", "AA", "AB", "BA"]
    assert column(read, "chain") == [65, 65 * 256 + 65, 65 * 256 + 66, 66 * 256 + 65]


def test_atoms_are_in_the_order_of_the_file(tmp_path):
    order = [PEPTIDE[4], PEPTIDE[0], replace(PEPTIDE[4], name="CA", element="C"), PEPTIDE[1]]
    for suffix, text_of in ((".pdb", pdb_text), (".cif", mmcif_text)):
        atoms = read_molecule(write(tmp_path / f"order{suffix}", text_of(order)))
        assert column(atoms, "atom_types") == ["SG", "N", "CA", "CA"]
