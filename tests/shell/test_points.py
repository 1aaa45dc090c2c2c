"""`separatrix density` and `separatrix neighbors`: files, printed output, and errors."""

import json
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from separatrix_vtk.io.point_files import read_points
from separatrix_vtk.io.rips_files import read_rips
from shell.command import array_of, read, rows_in, separatrix

POINTS = np.random.default_rng(5).random((30, 3)) * 6.0


@pytest.fixture
def folder(tmp_path):
    np.save(tmp_path / "points.npy", POINTS)
    return tmp_path


@pytest.fixture(scope="module")
def crambin():
    return Path(__file__).resolve().parents[2] / "sample_data" / "1crn.pdb"


def test_the_table_contains_points_and_weights(folder, crambin):
    options = ("--sigma", "1.2", "--spacing", "0.6", "--weights", "atom_type")
    done = separatrix("density", crambin, *options, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    rows = rows_in(done.stdout)
    assert rows["sum of weights"] == "2205, in the image 2205"
    assert rows["points"] == f"327 of {crambin}"


def test_density_then_morse_smale_is_a_pipeline_of_two_commands(folder, crambin):
    options = ("--sigma", "1.5", "--dimensions", "40x36x40")
    assert separatrix("density", crambin, "d.vti", *options, folder=folder).returncode == 0
    done = separatrix("morse-smale", "d.vti", "--persistence", "3%", "--json", folder=folder)
    reported = json.loads(done.stdout)
    assert reported["dimensions"] == [40, 36, 40]
    assert sum((-1) ** i * n for i, n in enumerate(reported["critical_cells"])) == 1
    done = separatrix(
        "morse-smale", "d.vti", "p.vtp", "-p", "critical-points", "--persistence", "3%",
        folder=folder,
    )  # fmt: skip
    options = ("--critical-points-file", "p.vtp", "--kind", "maxima")
    done = separatrix("neighbors", crambin, "n.vtp", *options, folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    points = read(folder / "n.vtp")
    assert set(array_of(points, "NearestCriticalType")) == {3}


@pytest.mark.parametrize("suffix", ["npy", "csv", "headless.csv", "vtp"])
def test_every_kind_of_point_file_is_read(folder, suffix):
    if suffix == "csv":
        np.savetxt(folder / "p.csv", POINTS, delimiter=",", header="x,y,z", comments="")
    if suffix == "headless.csv":
        np.savetxt(folder / "p.headless.csv", POINTS, delimiter=",")
    if suffix == "vtp":
        separatrix("neighbors", "points.npy", "p.vtp", folder=folder)
    name = "points.npy" if suffix == "npy" else f"p.{suffix}"
    done = separatrix("density", name, "d.npz", "--sigma", "1", "--double", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    expected = sx.density(POINTS, sigma=1.0, dtype=np.float64)
    with np.load(folder / "d.npz") as arrays:
        np.testing.assert_allclose(arrays["Density"], expected.values, atol=1e-12)
        np.testing.assert_allclose(arrays["spacing"], expected.spacing)
        np.testing.assert_allclose(arrays["origin"], expected.origin)


@pytest.mark.parametrize(
    "begin",
    ["# x,y,z,label\n", "#made by hand\n\n# x;y;z;label\n", "# of 2026\nx,y,z,label\n", "# x\n#\n"],
)
def test_comments_before_a_table_are_ignored(tmp_path, begin):
    (tmp_path / "p.csv").write_text(f"{begin}1,2,3,4\n5,6,7,8\n")
    points, is_flat = read_points(tmp_path / "p.csv")
    columns = [points.GetColumn(i) for i in range(4)]
    assert [column.GetName() for column in columns][:3] == ["x", "y", "z"]
    assert columns[3].GetName() == ("label" if "label" in begin else "a3")
    assert [[column.GetValue(i) for column in columns] for i in (0, 1)] == [
        [1, 2, 3, 4],
        [5, 6, 7, 8],
    ]
    assert not is_flat
    np.testing.assert_array_equal(read_rips(tmp_path / "p.csv")[0]["points"][:, 0], [1, 5])


def test_points_without_z_make_a_flat_image(folder):
    np.save(folder / "plane.npy", POINTS[:, :2])
    np.savetxt(folder / "plane.csv", POINTS[:, :2], delimiter=",", header="X,Y", comments="")
    for name in ("plane.npy", "plane.csv"):
        done = separatrix("density", name, "--sigma", "1", "--json", folder=folder)
        reported = json.loads(done.stdout)
        assert reported["dimensions"][2] == 1
        assert reported["mass"] == pytest.approx(30, rel=1e-4)


NAMES = {
    "spreadsheet": (",", '"Weight","Points:0","Points:1","Points:2"'),
    "underscores": (",", "Weight,Points_0,Points_1,Points_2"),
    "semicolons": (";", "Weight;x;y;z"),
    "spaces": ("  ", " Weight  x  y  z"),
    "tabs": ("\t", '"Weight, kg"\tx\ty\tz'),
}


@pytest.mark.parametrize("kind", NAMES)
def test_tables_with_three_coordinates_are_not_flat(folder, kind):
    delimiter, header = NAMES[kind]
    table = np.column_stack([np.ones(30), POINTS])
    np.savetxt(folder / "p.csv", table, delimiter=delimiter, header=header, comments="")
    done = separatrix("density", "p.csv", "d.npz", "--sigma", "1", "--double", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    with np.load(folder / "d.npz") as arrays:
        expected = sx.density(POINTS, sigma=1.0, dtype=np.float64).values
        np.testing.assert_allclose(arrays["Density"], expected, atol=1e-12)


def test_a_column_whose_name_ends_in_z_is_not_a_coordinate(folder):
    table = np.column_stack([POINTS[:, :2], np.full(30, 440.0)])
    np.savetxt(folder / "p.csv", table, delimiter=",", header="x,y,freq_hz", comments="")
    options = ("--sigma", "1", "--spacing", "1", "--json")
    done = separatrix("density", "p.csv", *options, folder=folder)
    assert json.loads(done.stdout)["dimensions"][2] == 1
    done = separatrix("density", "p.csv", *options, "--no-flat", folder=folder)
    assert json.loads(done.stdout)["dimensions"][2] > 1
