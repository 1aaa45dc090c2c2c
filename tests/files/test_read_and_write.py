"""The public readers and writers: every format survives a round trip."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy

import separatrix as sx
import separatrix_vtk
from separatrix_vtk import io

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


def points_of(dataset: Any) -> np.ndarray:
    return vtk_to_numpy(dataset.GetPoints().GetData())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("terrain.vti", "vtkImageData"),
        ("ring.vtu", "vtkUnstructuredGrid"),
        ("torus.csv", "vtkTable"),
    ],
)
def test_a_dataset_is_written_and_read_again(tmp_path, name, kind):
    dataset = io.read(SAMPLES / name)
    assert dataset.IsA(kind)
    copy = str(tmp_path / name)  # a string is a path, too
    io.write(copy, dataset)
    again = io.read(copy)
    assert again.GetNumberOfElements(0) == dataset.GetNumberOfElements(0)
    if kind == "vtkTable":
        assert [again.GetColumnName(i) for i in range(3)] == ["x", "y", "z"]
        assert again.GetValue(7, 2) == dataset.GetValue(7, 2)
    else:
        arrays = [d.GetPointData().GetArray(0) for d in (dataset, again)]
        assert arrays[0].GetName() == arrays[1].GetName()
        np.testing.assert_array_equal(*map(vtk_to_numpy, arrays))


def test_an_npy_file_is_an_image_or_points(tmp_path):
    values = np.arange(12.0).reshape(4, 3)
    np.save(tmp_path / "a.npy", values)
    image = io.read(tmp_path / "a.npy", spacing=(1.0, 2.0))
    assert (image.GetDimensions(), image.GetSpacing()) == ((3, 4, 1), (1.0, 2.0, 1.0))
    np.testing.assert_array_equal(points_of(io.read(tmp_path / "a.npy", points=True)), values)


def test_a_molecule_is_read_as_atoms():
    pytest.importorskip("gemmi")
    assert io.read(SAMPLES / "1crn.pdb").GetNumberOfPoints() == 327
    atoms = io.read(SAMPLES / "1crn.pdb", atoms="no-hydrogens,C=1.5")
    radii = vtk_to_numpy(atoms.GetPointData().GetArray("radius"))
    assert 1.5 in radii


def test_the_outputs_of_a_function_become_blocks(tmp_path):
    outputs = separatrix_vtk.critical_points(io.read(SAMPLES / "terrain.vti"), device="cpu")
    io.write(tmp_path / "points.vtp", outputs)
    assert io.read(tmp_path / "points.vtp").GetNumberOfPoints() == outputs.GetNumberOfPoints()
    found = separatrix_vtk.persistence_diagram(io.read(SAMPLES / "terrain.vti"), device="cpu")
    io.write(tmp_path / "diagram.vtm", found)
    text = (tmp_path / "diagram.vtm").read_text()
    assert 'name="diagram" file="diagram/diagram_0.vtu"' in text
    io.write(tmp_path / "named.vtm", {"Some Points": outputs})
    assert 'name="Some Points"' in (tmp_path / "named.vtm").read_text()


def test_arrays_become_an_npz_file(tmp_path):
    io.write(tmp_path / "a.npz", {"values": np.arange(3), "file": np.eye(2)})
    with np.load(tmp_path / "a.npz") as found:
        np.testing.assert_array_equal(found["values"], np.arange(3))
        np.testing.assert_array_equal(found["file"], np.eye(2))


def test_distances_are_those_of_the_engine(tmp_path):
    assert list(io.read_distances(SAMPLES / "torus.csv")) == ["points"]
    (tmp_path / "a.lower_distance").write_text("1\n2 3\n")
    given = io.read_distances(tmp_path / "a.lower_distance")
    np.testing.assert_array_equal(given["distances"], [[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    assert len(sx.rips_barcodes(**given, max_dimension=0, device="cpu")) == 3
    np.save(tmp_path / "a.npy", np.zeros((2, 2)))
    assert list(io.read_distances(tmp_path / "a.npy")) == ["distances"]
    assert list(io.read_distances(tmp_path / "a.npy", contains="points")) == ["points"]


def test_a_likely_mistake_is_a_warning(tmp_path):
    (tmp_path / "index.csv").write_text("n,x\n0,1.5\n1,3\n2,4\n")
    with pytest.warns(UserWarning, match="the column 'n' counts the rows"):
        io.read_distances(tmp_path / "index.csv")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: io.read("a.what"), "a.what: unsupported file type '.what'; expected one of .vti"),
        (lambda: io.read("nothing.vtu"), "nothing.vtu: file not found."),
        (lambda: io.read_distances("nothing.csv"), "nothing.csv: file not found."),
        (lambda: io.write("a.stl", None), "a.stl: cannot write '.stl' files; expected one of .vti"),
        (lambda: io.write("a", None), "a: has no suffix; expected one of .vti"),
        (lambda: io.write("a.npz", 1), "a.npz: .npz files contain a dictionary; got int."),
        (lambda: io.write("a.vti", {}), "a.vti: .vti files contain one dataset; got dict."),
        (lambda: io.write("no/where/a.npz", {}), "no/where/a.npz: the folder "),
    ],
)
def test_an_error_is_an_input_error_that_begins_with_the_path(
    call, sentence, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sx.InputError) as error:
        call()
    assert str(error.value).startswith(sentence)
