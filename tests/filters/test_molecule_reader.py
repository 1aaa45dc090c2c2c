"""MoleculeReader: the atoms of every format, models as time steps, and errors."""

import pickle
import sys
from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkDataObject
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOChemistry import vtkPDBReader

import separatrix as sx
import separatrix_vtk
from filters.images import message_window
from filters.point_sets import column, places
from oracles.molecule_files import PEPTIDE, TEXT_OF, Atom, mmcif_text, pdb_text, write, xyz_text
from oracles.molecules import read_pdb
from separatrix_vtk import MoleculeReader, read_molecule

STEPS = vtkStreamingDemandDrivenPipeline.TIME_STEPS()
NUMBERS = {"C": 6, "N": 7, "O": 8, "S": 16}
BONDI = {"C": 1.7, "N": 1.55, "O": 1.52, "S": 1.8}
ELSEWHERE = [Atom(a.name, a.element, a.x + 9.0, a.y, a.z) for a in PEPTIDE[:4]]


def field(atoms: Any, name: str) -> int:
    return int(atoms.GetFieldData().GetArray(name).GetValue(0))


@pytest.mark.parametrize("gz", ["", ".gz"])
@pytest.mark.parametrize("suffix", TEXT_OF)
def test_every_format_gives_its_atoms_in_order(tmp_path, suffix, gz):
    path = write(tmp_path / f"peptide{suffix}{gz}", TEXT_OF[suffix](PEPTIDE))
    atoms = read_molecule(path)
    assert places(atoms).dtype == np.float64
    np.testing.assert_array_equal(places(atoms), [[a.x, a.y, a.z] for a in PEPTIDE])
    assert atoms.GetNumberOfVerts() == len(PEPTIDE)
    has_radii = suffix in (".pqr", ".crd")
    radii = [a.radius if has_radii else BONDI[a.element] for a in PEPTIDE]
    assert column(atoms, "radius") == radii
    assert atoms.GetPointData().GetArray("radius").GetNumberOfComponents() == 1
    if suffix != ".crd":
        assert column(atoms, "atom_type") == [NUMBERS[a.element] for a in PEPTIDE]
    if suffix not in (".crd", ".xyz"):
        assert column(atoms, "atom_types") == [a.name for a in PEPTIDE]
        assert column(atoms, "residue_names") == [a.residue_name for a in PEPTIDE]
        assert column(atoms, "chain_names") == [a.chain for a in PEPTIDE]
        assert column(atoms, "chain") == [ord(a.chain) for a in PEPTIDE]
        assert column(atoms, "residue") == [a.residue for a in PEPTIDE]
    if suffix in (".pdb", ".cif"):
        np.testing.assert_allclose(column(atoms, "occupancy"), [a.occupancy for a in PEPTIDE])
        np.testing.assert_allclose(column(atoms, "b_factor"), [a.b_factor for a in PEPTIDE])
    if suffix == ".pqr":
        assert column(atoms, "charge") == [a.charge for a in PEPTIDE]


def test_the_arrays_of_vtks_own_reader_have_its_names_and_values(sample_data):
    reader = vtkPDBReader()
    reader.SetFileName(str(sample_data / "1crn.pdb"))
    reader.Update()
    vtks, ours = reader.GetOutput(), read_molecule(sample_data / "1crn.pdb")
    for name in ("atom_type", "atom_types", "residue", "chain", "model", "ishetatm"):
        assert column(ours, name) == column(vtks, name), name
    np.testing.assert_array_equal(places(ours).astype(np.float32), places(vtks))
    assert ours.GetPointData().GetScalars().GetName() == "atom_type"


def test_coordinates_are_exact_thousandths_as_the_columns_have_them(shared_molecules):
    for name in ("1U71", "4HHB", "3SY7_opm", "1L2Y_38models", "1BLU"):
        path = shared_molecules / f"{name}.pdb.gz"
        centers, radii = read_pdb(path)
        atoms = read_molecule(path)
        np.testing.assert_array_equal(places(atoms), centers)
        np.testing.assert_array_equal(column(atoms, "radius"), radii)
        assert (np.rint(places(atoms) * 1000) / 1000 == places(atoms)).all()


COUNTS = {  # file -> atoms taken by default, and all of its first model
    "1CRN.cif": (327, 327), "1BLU.pdb": (611, 712), "3O5R_altloc.cif": (982, 1470),
    "1U71.pdb": (1505, 1607), "3SY7_opm.pdb": (2969, 5075), "4GXY.cif": (3455, 3685),
    "1K4C.pdb": (4017, 4534), "1F2N_biomt60.cif": (4528, 4730), "1IGY.cif": (12324, 12750),
    "1GRM.crd": (260, 260), "1K4C_tetramer.crd": (16068, 16068), "1AON.pdb": (58674, 58870),
    "1XNR.cif": (43833, 43833),
}  # fmt: skip


@pytest.mark.parametrize("cell", [(10.0, 12.0, 14.5, 80.0, 95.0, 107.0), None])
def test_the_cell_of_a_crystal_is_in_the_field_data(tmp_path, sample_data, cell):
    record = "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n"
    lines = (sample_data / "1crn.pdb").read_text().splitlines(keepends=True)
    lines = [line for line in lines if not line.startswith("CRYST1")]
    lines.insert(0, record % (cell or (1, 1, 1, 90, 90, 90)))  # 1: not a crystal
    path = tmp_path / "crystal.pdb"
    path.write_text("".join(lines))
    array = read_molecule(path).GetFieldData().GetArray("Cell")
    assert (array and array.GetTuple(0)) == cell


@pytest.mark.parametrize("name", COUNTS)
def test_real_files_have_their_atoms(shared_molecules, name):
    path = shared_molecules / f"{name}.gz"
    few = MoleculeReader(file_name=path, names=False)
    (atoms,) = few.run()
    everything = {"hetatm": True, "water": True, "dummies": True, "altloc": "all"}
    all_atoms = read_molecule(path, names=False, **everything)
    counts = atoms.GetNumberOfPoints(), all_atoms.GetNumberOfPoints()
    assert counts == COUNTS[name]
    assert sum(few.report["omitted"].values()) == counts[1] - counts[0]
    assert field(atoms, "OmittedAtoms") == counts[1] - counts[0]


def test_the_capsid_has_sixty_copies_on_the_grid(shared_molecules):
    atoms = read_molecule(shared_molecules / "1F2N_biomt60.cif.gz", assembly="1", names=False)
    x = places(atoms)
    assert len(x) == 60 * 4528
    assert (np.rint(x * 1000) / 1000 == x).all()
    assert set(column(atoms, "assembly_copy")) == set(range(1, 61))
    copies = x.reshape(60, -1, 3)
    far = np.linalg.norm(copies[:, 1:] - copies[:, :1], axis=2)  # copies are moved as a whole
    np.testing.assert_allclose(far, far[:1].repeat(60, axis=0), rtol=0, atol=0.003)
    assert len(np.unique(x, axis=0)) == len(x)


# === models


@pytest.fixture
def trajectory(tmp_path):
    return write(tmp_path / "two.pdb", pdb_text(PEPTIDE, ELSEWHERE))


def test_models_are_time_steps(trajectory):
    reader = MoleculeReader(file_name=trajectory)
    reader.UpdateInformation()
    assert reader.GetOutputInformation(0).Get(STEPS) == (1.0, 2.0)
    seen = {}
    for time in (0.0, 1.0, 1.5, 2.0, 9.0):
        reader.UpdateTimeStep(time)
        output = reader.GetOutput()
        seen[time] = (field(output, "Model"), output.GetNumberOfPoints())
        assert output.GetInformation().Get(vtkDataObject.DATA_TIME_STEP()) == seen[time][0]
    first, second = (1, 5), (2, 4)
    assert seen == {0.0: first, 1.0: first, 1.5: first, 2.0: second, 9.0: second}


@pytest.mark.parametrize("suffix", [".cif", ".xyz", ".pqr"])
def test_every_format_with_models_has_time_steps(tmp_path, suffix):
    if suffix == ".pqr":
        one = TEXT_OF[".pqr"](PEPTIDE)
        text = f"MODEL 1\n{one}ENDMDL\nMODEL 2\n{one}ENDMDL\n"
    else:
        text = {".cif": mmcif_text, ".xyz": xyz_text}[suffix](PEPTIDE, PEPTIDE)
    reader = MoleculeReader(file_name=write(tmp_path / f"two{suffix}", text))
    reader.UpdateInformation()
    assert reader.GetOutputInformation(0).Get(STEPS) == (1.0, 2.0)


@pytest.mark.parametrize("form", ["{cell}{begin}{atoms}{end}", "{begin}{cell}{atoms}{end}"])
@pytest.mark.parametrize("end", ["ENDMDL\n", "END\n"])
def test_models_of_a_trajectory_have_their_own_cells(tmp_path, form, end):
    records = [line for line in pdb_text(PEPTIDE).splitlines() if line.startswith("ATOM")]
    cell = "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n"
    begin = "MODEL        {}\n" if end == "ENDMDL\n" else ""
    text, sides = "", {1: 40.0, 2: 40.5, 3: 42.0}
    for model, side in sides.items():
        parts = {"begin": begin.format(model), "atoms": "\n".join(records) + "\n", "end": end}
        text += form.format(cell=cell % (side, 30, 20, 90, 90, 80), **parts)
    reader = MoleculeReader(file_name=write(tmp_path / "frames.pdb", text))
    for model, side in sides.items():
        reader.UpdateInformation()
        reader.UpdateTimeStep(float(model))
        cell_of = reader.GetOutput().GetFieldData().GetArray("Cell")
        assert cell_of.GetTuple(0) == (side, 30, 20, 90, 90, 80)


@pytest.mark.parametrize("side", [0.0, 1.0])
def test_a_model_without_a_cell_has_none_of_another_model(tmp_path, side):
    records = [line for line in pdb_text(PEPTIDE).splitlines() if line.startswith("ATOM")]
    cell = "CRYST1%9.3f%9.3f%9.3f  90.00  90.00  90.00 P 1           1\n"
    parts = [
        cell % ((a,) * 3) + f"MODEL        {model}\n" + "\n".join(records) + "\nENDMDL\n"
        for model, a in ((1, side), (2, 40.0), (3, side))
    ]
    reader = MoleculeReader(file_name=write(tmp_path / "frames.pdb", "".join(parts)))
    for model in (1, 2, 3):
        reader.UpdateInformation()
        reader.UpdateTimeStep(float(model))
        assert reader.GetOutput().GetFieldData().HasArray("Cell") == (model == 2)


@pytest.mark.parametrize("begin", ["", "MODEL        {}\n"])
def test_frames_separated_by_end_records_are_models(tmp_path, begin):
    records = [line for line in pdb_text(PEPTIDE).splitlines() if line.startswith("ATOM")]
    frame = "\n".join(records) + "\n" + "ENDMDL\n" * bool(begin) + "END\n"
    cell = "CRYST1   40.000   40.000   40.000  90.00  90.00  90.00 P 1           1\n"
    text = cell + "".join(begin.format(k) + frame for k in (1, 2, 3))  # as VMD writes them
    reader = MoleculeReader(file_name=write(tmp_path / "frames.pdb", text))
    reader.UpdateInformation()
    assert reader.GetOutputInformation(0).Get(STEPS) == (1.0, 2.0, 3.0)
    reader.UpdateTimeStep(3.0)
    assert reader.GetOutput().GetNumberOfPoints() == len(records)
    assert field(reader.GetOutput(), "Model") == 3


def test_one_model_or_all_models_together_have_no_time_steps(trajectory):
    reader = MoleculeReader(file_name=trajectory)
    for model, n_atoms in ((2, 4), (1, 5), (-1, 9)):
        reader.model = model
        reader.Update()
        assert not reader.GetOutputInformation(0).Has(STEPS)
        assert reader.GetOutput().GetNumberOfPoints() == n_atoms
    assert column(reader.GetOutput(), "model") == [1] * 5 + [2] * 4


def test_a_time_step_does_not_read_the_file_again(trajectory, monkeypatch):
    from separatrix_vtk.filters.molecules import molecule_reader

    calls = []
    read = molecule_reader.read_molecule_file
    monkeypatch.setattr(
        molecule_reader, "read_molecule_file", lambda path: (calls.append(path), read(path))[1]
    )
    reader = MoleculeReader(file_name=trajectory)
    for time in (1.0, 2.0, 1.0):
        reader.UpdateTimeStep(time)
    reader.water = True
    reader.Update()
    assert len(calls) == 1
    write(trajectory, pdb_text(ELSEWHERE))
    reader.Modified()
    reader.Update()
    assert len(calls) == 2
    assert reader.GetOutput().GetNumberOfPoints() == 4


def test_real_models_are_steps(shared_molecules):
    reader = MoleculeReader(file_name=shared_molecules / "1L2Y_38models.pdb.gz")
    reader.UpdateInformation()
    assert len(reader.GetOutputInformation(0).Get(STEPS)) == 38
    reader.UpdateTimeStep(38.0)
    assert reader.report["model"] == 38
    assert reader.report["n_atoms"] == 304


# === rejected input


NAN_ROW = pdb_text(PEPTIDE).replace("   2.458", "     nan")
REFUSED = {
    "missing.pdb": (None, "missing.pdb: file not found"),
    "a.mol2": ("x", "a.mol2: unsupported file type '.mol2'; expected a molecule in one of"),
    "a.pdb.gz": ("x", "a.pdb.gz: truncated or damaged"),
    "a.cif.gz": (None, "file not found"),
    "empty.pdb": ("HEADER    NOTHING\nEND\n", "empty.pdb: contains no atoms"),
    "short.pdb": ("ATOM  \n", "short.pdb: truncated: line 1 ends within an atom, at column 4"),
    "bad.pdb": (pdb_text(PEPTIDE).replace("   2.458", "  2.4x8 "),
                "bad.pdb: line 2 must be an atom with a number for x in columns 31 to 38; got "
                "'2.4x8'."),
    "nan.pdb": (NAN_ROW, "positions must be finite; got nan 2 3 for atom 1 (CA of ALA 1, chain A)"),
    "cut.pdb": (pdb_text(PEPTIDE)[: 4 * 81 + 55], "cut.pdb: truncated: line 5 ends within an atom"),
    "model.pdb": (pdb_text(PEPTIDE, PEPTIDE)[: -(3 * 81 + 11)],
                  "truncated: it ends within its model 2, after 2 of 5 atoms"),
    "element.pdb": (pdb_text([*PEPTIDE, Atom("X1", "X", 9.0, 9.0, 9.0)]),
                    "element.pdb: the element of atom 5 (X1 of ALA 1, chain A) is unknown (1 such"),
    "words.cif": ("<html>", "words.cif: not a readable mmCIF file, or truncated (1:0(0): expec"),
    "empty.cif": ("", "empty.cif: contains no atoms"),
    "other.cif": ("data_x\n_cell.length_a 3\n", "contains no atoms (no _atom_site.Cartn_x)"),
    "cut.cif": (mmcif_text(PEPTIDE)[:-40], "cut.cif: not a readable mmCIF file, or truncated ("),
    "hole.cif": (mmcif_text(PEPTIDE).replace("2.458", "?"), "must be finite; got nan 2 3 for"),
    "few.pqr": ("ATOM 1 N ALA 1 2.0 3.0\n", "line 1 must be the 10 or 11 words of an atom, of"),
    "word.pqr": ("ATOM 1 N ALA A 1 1 2 3 0 big\n", "must be an atom with numbers; got 'big'."),
    "zero.pqr": ("ATOM 1 HN ALA A 1 1 2 3 0.3 0.0\n",
                 "zero.pqr: radii must be positive and finite; got 0 for atom 0 (HN of ALA 1, "
                 "chain A) (1 such atoms). Specify a radius for H"),
    "count.xyz": ("five\n\nC 0 0 0\n", "line 1 must be the number of atoms; got 'five'"),
    "cut.xyz": ("2\n\nC 0 0 0\n", "cut.xyz: truncated: frame 1 has 1 of 2 atoms"),
    "short.xyz": ("1\n\nC 0 0\n", "line 3 must be a symbol, x, y, and z; got 'C 0 0'"),
    "unknown.xyz": ("1\n\nQq 0 0 0\n", "the element of atom 0 (Qq) is unknown"),
    "far.xyz": ("1\n\nC inf 0 0\n", "positions must be finite; got inf 0 0 for atom 0 (C)"),
    "minus.crd": ("1\n1 2 3 -0.5\n", "radii must be positive and finite; got -0.5 for atom 0"),
    "cut.crd": ("3\n1 2 3 1\n", "cut.crd: truncated: it has 1 of 3 atoms"),
    "row.crd": ("1\n1 2 3\n", "line 2 must be x y z radius; got '1 2 3'"),
    "charmm.crd": ("* TITLE\n*\n 1\n", "is a CHARMM coordinate file, which has no radii"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_an_invalid_file_is_rejected_with_one_sentence(tmp_path, name):
    text, sentence = REFUSED[name]
    if text is not None:
        content = text.encode()
        (tmp_path / name).write_bytes(b"\x1f\x8b" + content if name.endswith("gz") else content)
    with pytest.raises((sx.InputError, separatrix_vtk.FilterError)) as reported:
        read_molecule(tmp_path / name)
    assert sentence in str(reported.value)
    assert str(tmp_path / name) in str(reported.value)
    assert "\n" not in str(reported.value)


def test_a_truncated_compressed_file_is_rejected(tmp_path):
    for suffix, text_of in TEXT_OF.items():
        path = write(tmp_path / f"whole{suffix}.gz", text_of(PEPTIDE * 50))
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(sx.InputError, match="truncated or damaged"):
            read_molecule(path)
    (tmp_path / "plain.pdb.gz").write_text(pdb_text(PEPTIDE))
    with pytest.raises(sx.InputError, match="not compressed with gzip"):
        read_molecule(tmp_path / "plain.pdb.gz")


def test_a_pipeline_gets_one_message_and_an_empty_output(tmp_path):
    reader = MoleculeReader(file_name=tmp_path / "missing.pdb")
    with message_window() as window:
        reader.Update()
        reader.Update()
    assert window.GetOutput().count("file not found") == 1
    assert window.GetOutput().count("ERROR") == 1
    assert reader.GetOutput().GetNumberOfPoints() == 0
    assert reader.last_error.endswith("missing.pdb: file not found.")


def test_a_missing_path_a_folder_and_an_unknown_model_are_rejected(tmp_path, trajectory):
    for settings, sentence in (
        ({}, "file_name must be the path of a file; got ''."),
        ({"file_name": tmp_path / "f.pdb"}, "f.pdb: not a regular file"),
        (
            {"file_name": trajectory, "model": 7},
            "two.pdb: model must be a model of the file (1, 2); got 7.",
        ),
    ):
        (tmp_path / "f.pdb").mkdir(exist_ok=True)
        with pytest.raises((sx.InputError, separatrix_vtk.FilterError)) as reported:
            MoleculeReader(**settings).run()
        assert sentence in str(reported.value)
    with pytest.raises(sx.InputError, match="model must be an integer of at least -1; got -2"):
        MoleculeReader(model=-2)


def test_without_gemmi_the_error_contains_the_command_to_install_it(trajectory, monkeypatch):
    monkeypatch.setitem(sys.modules, "gemmi", None)
    with pytest.raises(
        sx.InputError, match=r"requires gemmi, .*\. Run `\S*python\S* -m pip install"
    ):
        read_molecule(trajectory)
    atoms = read_molecule(write(trajectory.with_suffix(".xyz"), xyz_text(PEPTIDE)))
    assert atoms.GetNumberOfPoints() == 5  # which needs none


def test_an_old_gemmi_is_rejected(trajectory, monkeypatch):
    import gemmi

    monkeypatch.delattr(gemmi, "FlatStructure")
    with pytest.raises(sx.InputError, match=r"requires gemmi 0\.7\.5 or newer; got"):
        read_molecule(trajectory)


def test_a_reader_is_pickled_with_its_settings(trajectory):
    reader = MoleculeReader(file_name=trajectory, model=2, radii="C=1.5")
    again = pickle.loads(pickle.dumps(reader))
    again.Update()
    assert again.GetOutput().GetNumberOfPoints() == 4
    assert (again.GetFileName(), again.GetRadii()) == (str(trajectory), "C=1.5")


def test_a_null_string_of_vtk_is_an_empty_option(sample_data):
    reader = MoleculeReader(file_name=sample_data / "1crn.pdb")
    for name in ("Radii", "Assembly", "AltlocLabel"):
        getattr(reader, f"Set{name}")(None)  # as ParaView hands over an empty field
        assert getattr(reader, f"Get{name}")() == ""
    reader.Update()
    assert reader.last_error == ""
