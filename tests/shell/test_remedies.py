"""What a sentence advises can be done as it stands, and what nobody asked for is no reason."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkPolyData

from examples.demo.__main__ import main as demo
from separatrix_vtk.base.arrays import fill_polydata, to_vtk
from separatrix_vtk.cli import main
from separatrix_vtk.io.writers import write_dataset
from shell.command import assert_refused

POINTS = np.random.default_rng(6).random((20, 3))
DISTANCES = np.linalg.norm(POINTS[:, None] - POINTS, axis=2)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    np.save(tmp_path / "few.npy", POINTS[:5])
    np.save(tmp_path / "one.npy", POINTS[:1])
    np.save(tmp_path / "picture.npy", np.arange(42, dtype=np.int32).reshape(6, 7))
    np.save(tmp_path / "colors.npy", np.arange(270, dtype=np.uint8).reshape(9, 10, 3))
    np.savetxt(tmp_path / "distances.csv", DISTANCES, delimiter=",")
    np.savetxt(tmp_path / "balls.csv", np.c_[POINTS, np.full(20, 0.3)], delimiter=",")
    (tmp_path / "named.csv").write_text("x,y,z,name\n1,2,3,a\n4,5,6,b\n")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    (tmp_path / "points.csv.gz").write_bytes(b"")
    (tmp_path / "unknown.pdb").write_text(
        "ATOM      1  Q   UNK A   1       1.000   2.000   3.000  1.00  0.00           X\n"
    )
    image, atoms = vtkImageData(), vtkPolyData()
    image.SetDimensions(3, 3, 3)
    image.GetPointData().SetScalars(to_vtk(np.ones((27, 3)), "rgb"))
    image.GetPointData().AddArray(to_vtk(np.arange(27.0), "grau wert"))
    write_dataset(tmp_path / "image.vti", image)
    fill_polydata(atoms, 20 * POINTS, vertices=True)
    atoms.GetPointData().AddArray(to_vtk(np.zeros(20, np.int32), "atom_type"))
    write_dataset(tmp_path / "unknown.vtp", atoms)
    monkeypatch.chdir(tmp_path)
    return tmp_path


REFUSED = {
    "neighbors distances.csv": "20 columns without names. Add a first line with the names of the "
    "columns, of which x, y, and z are the coordinates.",
    "neighbors other.csv": "available: a, b. Rename",
    "neighbors points.csv.gz": "unsupported file type '.gz'; expected points in one of .vtp, .vtu, "
    ".csv, .npy, or molecules in one of .pdb",
    "neighbors few.npy -k 8": "--neighbors must be at most 4, the number of other points; got 8.",
    "neighbors one.npy": "one.npy contains a single point, which has no neighbors",
    "rips named.csv": "'a' is not a number in row 1 of column 'name'; every column must be a ",
    "rips image.vti": "contains an image or a mesh; expected points or distances. "
    "For persistence of a field, use persistence-diagram.",
    "persistence-diagram picture.npy --dimensions 2": "--dimensions must be at most 1 for an image",
    "persistence-diagram picture.npy d.csv --dimensions 2": "--dimensions must be at most 1 for an",
    "critical-points image.vti": "Choose 'grau wert' as --array, or reduce it with the Calculator",
    "alpha unknown.pdb": "Exclude these atoms or set --atoms X=1.7 to assign a radius.",
    "alpha unknown.vtp": "Remove these atoms or set --radius-overrides X=1.7 to assign",
}
DONE = (
    "rips distances.csv",
    "neighbors balls.csv",
    "neighbors few.npy",
    "neighbors few.npy -k 4",
    "persistence-diagram picture.npy d.csv --dimensions 1",
    "persistence-diagram picture.npy d.csv --dimensions 1,2",
    "alpha unknown.pdb --atoms X=1.7",
    "alpha unknown.vtp --constant-radius 0.1",
    "alpha balls.csv --radii a3",
    "critical-points picture.npy points.vtm",
)


@pytest.mark.parametrize("line", REFUSED)
def test_a_refusal_names_the_remedy(line: str, folder: Path) -> None:
    assert_refused(line, REFUSED[line], folder)


@pytest.mark.parametrize("line", DONE)
def test_the_remedies_work(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 0
    assert capsys.readouterr().err == ""


def test_the_array_that_a_refusal_names_is_taken(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["critical-points", "image.vti", "--array", "grau wert"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("output", [[], ["c.npz"], ["c.vtp"]])
def test_a_picture_of_colors_is_told_once(
    folder: Path, capsys: pytest.CaptureFixture[str], output: list[str]
) -> None:
    assert main(["critical-points", "colors.npy", *output, "--json"]) == 0
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert "colors.npy: integers of shape (9, 10, 3) look like an image with 3 colors" in said.err
    assert len(json.loads(said.out)["warnings"]) == 1


@pytest.mark.parametrize("shape", [(9, 10, 5), (8, 10, 3), (9, 30)])
def test_what_does_not_look_like_colors_is_not(
    folder: Path, capsys: pytest.CaptureFixture[str], shape: tuple[int, ...]
) -> None:
    values = np.arange(np.prod(shape), dtype=np.uint16).reshape(shape)
    np.save("volume.npy", values)
    np.save("floats.npy", np.zeros((9, 10, 3), np.float32))
    for name in ("volume.npy", "floats.npy"):
        assert main(["critical-points", name]) == 0
        assert capsys.readouterr().err == ""


def test_simplices_of_a_forecast_are_whole(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rips", "distances.csv", "--max-dimension", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert isinstance(told["forecast"]["simplices"], int)
    assert told["forecast"]["simplices"] == told["edges"]


def test_a_file_is_no_folder_for_the_demo(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        demo(["few.npy"])
    said = capsys.readouterr().err.splitlines()
    assert said[-1].endswith("error: OUTPUT_DIR must be a folder; got few.npy")
