"""Commands on files of molecules: selection of atoms, and errors."""

import json

import numpy as np
import pytest

import separatrix as sx
from oracles.molecule_files import PEPTIDE, TEXT_OF, Atom, pdb_text, write
from separatrix_vtk.io.errors import FileError
from separatrix_vtk.io.point_files import read_points, reader_settings
from shell.command import read, separatrix

ZINC = Atom("ZN", "ZN", 5.0, 5.0, 5.0, "ZN", record="HETATM", residue=101)
WATER = Atom("O", "O", 8.0, 8.0, 8.0, "HOH", record="HETATM", residue=201)


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "a.pdb", pdb_text([*PEPTIDE, ZINC, WATER]))
    return tmp_path


@pytest.mark.parametrize("suffix", [".cif", ".pqr", ".xyz.gz", ".crd", ".ent.gz"])
def test_density_reads_every_molecule_format(folder, suffix):
    write(folder / f"m{suffix}", TEXT_OF[suffix.removesuffix(".gz")](PEPTIDE))
    options = ("--sigma", "1", "--weights", "radius", "--json")
    done = separatrix("density", f"m{suffix}", *options, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    reported = json.loads(done.stdout)
    assert reported["points"] == 5
    has_radii = suffix in (".pqr", ".crd")
    expected = sum(a.radius for a in PEPTIDE) if has_radii else 1.7 * 2 + 1.55 + 1.52 + 1.8
    assert reported["sum_of_weights"] == pytest.approx(expected, rel=1e-12)


def test_the_option_atoms_selects_atoms(folder):
    for words, n in (("", 5), ("hetatm", 6), ("hetatm,water", 7), ("water", 6)):
        done = separatrix("density", "a.pdb", "--atoms", words, "--json", folder=folder)
        assert json.loads(done.stdout)["points"] == n, words


def test_neighbors_writes_the_names_of_atoms(folder):
    done = separatrix("neighbors", "a.pdb", "n.csv", "-k", "2", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split(",") for line in (folder / "n.csv").read_text().splitlines()]
    at = rows[0].index("atom_types")
    assert [row[at] for row in rows[1:]] == [a.name for a in PEPTIDE]
    done = separatrix("neighbors", "a.pdb", "n.vtp", "-k", "2", folder=folder)
    assert (
        read(folder / "n.vtp").GetPointData().GetAbstractArray("residue_names").GetValue(4) == "CYS"
    )
    done = separatrix("neighbors", "a.pdb", "n.npz", "-k", "2", folder=folder)
    with np.load(folder / "n.npz") as arrays:
        assert arrays["radius"].tolist() == [1.55, 1.7, 1.7, 1.52, 1.8]


def test_the_text_of_atoms_becomes_options_of_the_reader():
    assert reader_settings("") == {}
    assert reader_settings("hetatm, no-hydrogens,model=3,altloc=first") == {
        "hetatm": True, "hydrogens": False, "model": 3, "altloc": "first",
    }  # fmt: skip
    assert reader_settings("model=all,altloc=B,assembly=1,table-radii,Fe=2.05,X=1.7") == {
        "model": -1, "altloc": "label", "altloc_label": "B", "assembly": "1", "file_radii": False,
        "radii": "Fe=2.05, X=1.7",
    }  # fmt: skip
    for words in ("ligands", "model=", "model=-2", "altloc", "assembly", "hetatm=1", "Iron=2"):
        with pytest.raises(FileError, match="atoms must be a list of hetatm, water, no-hyd"):
            reader_settings(words)


@pytest.mark.parametrize("cut", [2, 9, 25, 30])
def test_an_mmcif_file_truncated_within_an_atom_is_rejected(tmp_path, cut):
    text = TEXT_OF[".cif"](PEPTIDE).rstrip().removesuffix("#").rstrip() + "\n"
    (tmp_path / "a.cif").write_text(text)
    assert read_points(tmp_path / "a.cif")[0].GetNumberOfPoints() == len(PEPTIDE)
    shorter = text[:-cut].rsplit(maxsplit=1)[0]  # without the word that was cut
    (tmp_path / "a.cif").write_text(shorter)
    with pytest.raises(sx.InputError, match=r"a\.cif: not a readable mmCIF file, or truncated"):
        read_points(tmp_path / "a.cif")
