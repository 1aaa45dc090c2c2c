"""The name - is standard input, judged by its content, and standard output."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from separatrix_vtk import io
from separatrix_vtk.io.errors import FileError
from shell.command import RUN, separatrix

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
FOREIGN = Path(__file__).resolve().parents[1] / "files" / "foreign"


def piped(content: bytes, *arguments: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run the command with this standard input."""
    return subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        input=content, cwd=folder, capture_output=True, timeout=100,
    )  # fmt: skip


def test_commands_can_be_connected_by_pipes(tmp_path):
    image = (SAMPLES / "noisy_field.vti").read_bytes()
    simple = piped(image, "simplify", "-", "-", "--persistence", "5%", folder=tmp_path)
    assert simple.stdout.startswith(b"<VTKFile")
    assert b"minima left" in simple.stderr
    order = ("--order", "array")
    table = piped(simple.stdout, "critical-points", "-", "-", "--json", *order, folder=tmp_path)
    n_points = len(table.stdout.splitlines()) - 1
    summary = json.loads(table.stderr)
    assert (summary["input"], summary["output"]) == ("-", "-")
    assert n_points == sum(summary["critical_cells"])
    (tmp_path / "simple.vti").write_bytes(simple.stdout)
    done = separatrix("critical-points", "simple.vti", *order, "--json", folder=tmp_path)
    assert json.loads(done.stdout)["critical_cells"] == summary["critical_cells"]
    mesh = (SAMPLES / "ring.vtu").read_bytes()
    assert b'type="UnstructuredGrid"' in piped(mesh, "simplify", "-", "-", folder=tmp_path).stdout


def test_points_and_molecules_are_recognized(tmp_path):
    pytest.importorskip("gemmi")
    atoms = (SAMPLES / "1crn.pdb").read_bytes()
    for content in (atoms, gzip.compress(atoms)):
        assert b"327 of -" in piped(content, "neighbors", "-", folder=tmp_path).stdout
    (tmp_path / "unnamed.gz").write_bytes(gzip.compress(atoms))
    assert io.read(tmp_path / "unnamed.gz").GetNumberOfPoints() == 327


@pytest.mark.parametrize(
    "name",
    ["plain.nii.gz", "scaled.nii", "plain.mrc", "imagej.tif", "plain.nc", "scales.h5", "two.msh",
     "dicom/0.dcm", "png/slice8.png"],
)  # fmt: skip
def test_a_format_is_recognized_by_its_content(tmp_path, name):
    expected, path = io.read(FOREIGN / name), tmp_path / "unnamed.gz"
    content = (FOREIGN / name).read_bytes()
    path.write_bytes(content if name.endswith(".gz") else gzip.compress(content))
    found = io.read(path)
    assert found.GetClassName() == expected.GetClassName()
    assert found.GetBounds() == expected.GetBounds()


def test_an_unknown_format_is_rejected_with_one_sentence(tmp_path):
    done = piped(bytes(range(256)), "critical-points", "-", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"separatrix: -: the format is not recognized. Write it to a file whose name "
        b"ends with a suffix.\n"
    )
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"<VTKFile type='ImageData'"))
    with pytest.raises(FileError, match=r"a\.gz: "):
        io.read(tmp_path / "a.gz")


def test_columns_of_a_csv_file_are_chosen_by_name_or_number(tmp_path):
    (tmp_path / "a.csv").write_text("id,lon,lat,x\n7,0,1,9\n8,2,3,9\n9,4,6,9\n")
    table = io.read(tmp_path / "a.csv", columns=["lat", "2"])
    names = [table.GetColumnName(i) for i in range(table.GetNumberOfColumns())]
    assert names == ["x", "y", "id"]
    assert [table.GetValue(2, i).ToDouble() for i in range(3)] == [6, 4, 9]
    (tmp_path / "b.csv").write_text("7 0 1 9 1\n8 2 3 9 1\n9 4 6 9 1\n")
    assert io.read(tmp_path / "b.csv", columns=["3", "2"]).GetValue(2, 0).ToDouble() == 6
    given = io.read_distances(tmp_path / "a.csv", columns=["lat", "lon"])
    np.testing.assert_array_equal(given["points"], [[1, 0], [3, 2], [6, 4]])
    command = ("neighbors", "a.csv", "-", "-k", "1", "--columns", "lon,lat")
    done = separatrix(*command, folder=tmp_path)
    assert done.stdout.splitlines()[1].startswith("0.0,1.0,0.0,")


def test_an_empty_standard_input_is_rejected_with_one_sentence(tmp_path):
    done = piped(b"", "morse-smale", "-", folder=tmp_path)
    assert (done.returncode, done.stderr) == (2, b"separatrix: -: standard input is empty.\n")
