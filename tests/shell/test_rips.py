"""`separatrix rips`: input, printed output, files, and errors."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from oracles.rips import projective_plane
from separatrix_vtk.cli import main
from separatrix_vtk.io.errors import FileError, FileWarning
from separatrix_vtk.io.rips_files import format_of, read_rips
from shell.command import RUN, refused, separatrix

POINTS = np.random.default_rng(8).random((20, 3)).round(3)
MATRIX = np.linalg.norm(POINTS[:, None] - POINTS, axis=2).astype(np.float32).astype(float)
LOWER, UPPER = MATRIX[np.tril_indices(20, -1)], MATRIX[np.triu_indices(20, 1)]


def text_of(array: np.ndarray, separator: str = " ") -> str:
    return "".join(separator.join(map(repr, row)) + "\n" for row in array.tolist())


def triangle(entries: np.ndarray, lengths: range, end: str) -> str:
    values, text = iter(entries.tolist()), ""
    for n in lengths:
        text += ",".join(repr(next(values)) for _ in range(n)) + end
    return text


def labeled(matrix: np.ndarray) -> str:
    """A matrix as pandas writes a data frame: labels above the columns and before the rows."""
    rows = [["", *range(len(matrix))], *([i, *row] for i, row in enumerate(matrix.tolist()))]
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def dipha(matrix: np.ndarray, mark: int = 8067171840, kind: int = 7) -> bytes:
    return np.array([mark, kind, len(matrix)], "<i8").tobytes() + matrix.astype("<f8").tobytes()


SPARSE = "".join(f"{i} {j} {float(MATRIX[i, j])!r}\n" for i in range(20) for j in range(i))
CONTENT: dict[str, bytes] = {
    "a.point_cloud": text_of(POINTS).encode(),
    "commas.point_cloud": text_of(POINTS, ", ").encode(),
    "a.distance_matrix": text_of(MATRIX).encode(),
    "a.distance_matrix.gz": gzip.compress(text_of(MATRIX).encode()),
    "a.lower_distance_matrix": triangle(LOWER, range(20), ",\n").encode(),
    "no_first_row.lower_distance_matrix": triangle(LOWER, range(1, 20), "\n").encode(),
    "one_line.lower-distance": " ".join(map(repr, LOWER.tolist())).encode(),
    "a.upper_distance_matrix": triangle(UPPER, range(19, 0, -1), "\n").encode(),
    "a.sparse": SPARSE.encode(),
    "twice.sparse": (SPARSE + SPARSE[:200].rpartition("\n")[0] + "\n").encode(),
    "a.dipha": dipha(MATRIX),
    "a.bin": LOWER.astype("<f4").tobytes(),
    "a.csv": text_of(POINTS, ",").encode(),
    "names.csv": b"x;y;z\n" + text_of(POINTS, ";").encode(),
    "matrix.csv": text_of(MATRIX, ",").encode(),
    "labels.csv": labeled(MATRIX).encode(),
    "labels.distance_matrix.csv": labeled(MATRIX).encode(),
}


@pytest.fixture
def folder(tmp_path):
    for name, content in CONTENT.items():
        (tmp_path / name).write_bytes(content)
    np.save(tmp_path / "points.npy", POINTS)
    np.save(tmp_path / "matrix.npy", MATRIX)
    np.save(tmp_path / "distances.npy", MATRIX)
    np.save(tmp_path / "condensed.npy", UPPER)
    return tmp_path


FILES = [*CONTENT, "points.npy", "matrix.npy", "distances.npy", "condensed.npy"]


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_bars(folder, name):
    given, warning = read_rips(folder / name)
    assert warning == ""
    found = sx.rips_barcodes(**given, device="cpu")
    expected = sx.rips_barcodes(distances=MATRIX, device="cpu")
    np.testing.assert_array_equal(found.dimension, expected.dimension)
    np.testing.assert_allclose(found.birth, expected.birth, atol=1e-6)
    np.testing.assert_allclose(found.death, expected.death, atol=1e-6)


def test_the_output_format_is_that_of_ripser(folder):
    (folder / "square.point_cloud").write_text("0 0\n1 0\n1 1\n0 1\n")
    done = separatrix("rips", "square.point_cloud", "--device", "cpu", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "point cloud with 4 points in dimension 2",
        "threshold: 1.41421 (enclosing radius)",
        "persistence intervals in dim 0:",
        *[" [0,1)"] * 3,
        " [0, )",
        "persistence intervals in dim 1:",
        " [1,1.41421)",
    ]
    options = ("--threshold", "1.2", "--digits", "17", "--max-dimension", "1")
    done = separatrix("rips", "square.point_cloud", *options, folder=folder)
    assert done.stdout.splitlines()[1] == "threshold: 1.2"
    assert done.stdout.splitlines()[-1] == " [1, )"


@pytest.mark.parametrize("name", ["a.point_cloud", "a.distance_matrix.gz", "a.dipha", "matrix.npy"])
def test_a_dash_is_standard_input(folder, name):
    format = format_of(Path(name))
    done = subprocess.run(
        [sys.executable, "-c", RUN, "rips", "-", "--format", format],
        input=(folder / name).read_bytes(),
        capture_output=True,
        timeout=100,
    )
    of_the_file = separatrix("rips", name, folder=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == of_the_file.stdout


@pytest.mark.parametrize(
    ("format", "content", "reported"),
    [
        ("point-cloud", "1 2\n3 nan\n", "-: coordinates must be finite; got nan in row 2."),
        ("lower-distance", "1\n1 -2\n", "input must be non-negative, with inf for missing edges; "),
    ],
)
def test_an_invalid_number_is_one_of_the_input(format, content, reported):
    done = subprocess.run(
        [sys.executable, "-c", RUN, "rips", "-", "--format", format],
        input=content,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert refused(done).startswith(reported)


def test_a_ratio_filters_printed_bars_but_not_written_ones(folder):
    options = ("--format", "distance", "--sparse", "--ratio", "1.1", "--digits", "17")
    done = separatrix("rips", "a.distance_matrix", "b.csv", *options, folder=folder)
    loops = sx.rips_barcodes(distances=MATRIX, device="cpu").of_dimension(1)
    kept = loops[loops[:, 1] > 1.1 * loops[:, 0]]
    assert 0 < len(kept) < len(loops)
    printed = done.stdout.partition("persistence intervals in dim 1:\n")[2].splitlines()
    assert printed == [f" [{birth:.17g},{death:.17g})" for birth, death in kept]
    assert len((folder / "b.csv").read_text().splitlines()) == 1 + 20 + len(loops)


def test_cycles_of_distances_are_lists_of_simplices(folder):
    assert separatrix("rips", "matrix.npy", "b.npz", "-q", folder=folder).returncode == 0
    expected = sx.rips_barcodes(distances=MATRIX, representatives=10, device="cpu")
    with np.load(folder / "b.npz") as arrays:
        for cycle in expected.representatives:
            found = arrays[f"representatives.Cycle{cycle.bar}"]
            np.testing.assert_array_equal(found.reshape(cycle.simplices.shape), cycle.simplices)


def test_json_contains_counts_and_the_radius(folder):
    done = separatrix("rips", "a.dipha", "--max-dimension", "2", "--json", folder=folder)
    reported = json.loads(done.stdout)
    expected = sx.rips_barcodes(distances=MATRIX, max_dimension=2, device="cpu")
    assert reported["enclosing_radius"] == expected.enclosing_radius == reported["threshold"]
    assert reported["bars"] == [len(expected.of_dimension(d)) for d in range(3)]
    assert reported["essential_bars"] == [1, 0, 0]
    assert reported["forecast"] == expected.statistics["forecast"]
    assert isinstance(reported["forecast"]["simplices"], int)
    assert [d["simplices"] for d in reported["statistics"]] == [
        d["simplices"] for d in expected.statistics["dimensions"]
    ]


def test_a_long_run_issues_a_warning_before_it_starts(folder, monkeypatch, capsys):
    monkeypatch.setattr("separatrix.rips.forecast.LONG", 1e-9)
    about = "about 2 seconds on 1 CPU thread, because it has up to 6e+02 simplices (dimension 2)"
    line = ["rips", str(folder / "a.csv"), "--max-dimension", "2", "-d", "cpu", "-t", "1"]
    assert main([*line, "--collapse", "off", "--json"]) == 0
    said = capsys.readouterr()
    (warning,) = json.loads(said.out)["warnings"]
    assert said.err == f"separatrix: warning: {warning}\n"
    assert about in warning
    assert "lower --max-dimension or --threshold, or use" in warning
    assert warning.endswith("use fewer points. Ctrl-C stops it.")
    monkeypatch.undo()
    assert main([*line, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["warnings"] == []


def test_the_bars_of_a_projective_plane_depend_on_the_field(folder):
    (folder / "plane.distance_matrix").write_text(text_of(projective_plane()))
    by_field = {
        p: separatrix(
            "rips", "plane.distance_matrix", "--max-dimension", "2", "--modulus", p, folder=folder
        ).stdout
        for p in ("2", "3")
    }
    assert by_field["2"].count(" [1,2)") == 2
    assert by_field["3"].count(" [1,2)") == 0


def test_an_asymmetric_matrix_is_read_as_in_ripser_with_a_warning(folder):
    matrix = MATRIX.copy()
    matrix[3, 7] += 1.0
    (folder / "b.distance_matrix").write_text(text_of(matrix))
    done = separatrix("rips", "b.distance_matrix", "--json", folder=folder)
    assert done.returncode == 0
    assert done.stderr == (
        "separatrix: warning: b.distance_matrix: the matrix is not symmetric: entry (3, 7) is "
        f"{float(matrix[3, 7])!r}, (7, 3) is {float(matrix[7, 3])!r} (1 such pair). Its lower "
        "triangle is used, as in Ripser.\n"
    )
    assert np.array_equal(read_rips(folder / "b.distance_matrix")[0]["distances"], MATRIX)
    np.save(folder / "b.npy", matrix)
    reported = refused(separatrix("rips", "b.npy", folder=folder))
    assert "symmetric" in reported
    assert "got input[3, 7] = " in reported


BROKEN: dict[str, tuple[bytes, str]] = {
    "ragged.distance_matrix": (b"0 1 2\n1 0\n2 1 0\n", "row 2 has 2 numbers; expected 3"),
    "lower.distance_matrix": (b"1\n1 2\n1 2 2\n", "Is it lower-distance?"),
    "cut.distance_matrix": (b"0 1 2\n1 0 1\n", "contains a table of 2 x 3 numbers"),
    "ragged.point_cloud": (b"0 1\n1 0 2\n", "row 2 has 3 numbers; expected 2, as"),
    "word.point_cloud": (b"0 1\n1 one\n", "line 2 contains 'one'; expected a number."),
    "empty.point_cloud": (b"", "contains no numbers."),
    "one.point_cloud": (b"0 1\n", "must contain at least 2 points; got 1"),
    "nan.point_cloud": (b"0 1\n0 nan\n", "finite"),
    "cut.lower_distance_matrix": (
        b"1\n1 2\n1 2\n",
        "contains 5 distances; expected n (n - 1) / 2",
    ),
    "negative.lower_distance_matrix": (b"1\n1 -2\n", "non-negative, with inf for missing edges"),
    "nan.lower_distance_matrix": (b"1\n1 nan\n", "non-negative, with inf for missing edges"),
    "diagonal.distance_matrix": (b"1 1\n1 1\n", "must be 0 on the diagonal"),
    "real.sparse": (b"0 1 2\n0.5 1 1\n", "row 2 is '0.5 1 1'; expected two vertices"),
    "huge.sparse": (b"0 1e30 1\n", "row 1 is '0 1e+30 1'; expected two vertices"),
    "inf.sparse": (b"0 inf 1\n", "row 1 is '0 inf 1'; expected two vertices"),
    "diagonal.csv": (b"1,2\n2,1\n", "Specify points or distances."),
    "cut.sparse": (b"0 1 2\n0 2\n", "row 2 is '0 2'"),
    "differ.sparse": (b"0 1 2\n1 0 3\n", "must be symmetric"),
    "cut.dipha": (dipha(MATRIX)[:-4], "It is truncated or damaged."),
    "mark.dipha": (dipha(MATRIX, mark=1), "not a DIPHA file"),
    "kind.dipha": (
        dipha(MATRIX, kind=2),
        "contains DIPHA's file type 2; expected a distance",
    ),
    "short.dipha": (b"1234", "not a DIPHA file"),
    "cut.bin": (b"12345", "expected a multiple of 4, for float32"),
    "odd.bin": (bytes(16), "contains 4 distances; expected"),
    "cut.distance_matrix.gz": (CONTENT["a.distance_matrix.gz"][:-20], "truncated or damaged"),
    "binary.point_cloud": (b"\xff\xfe\x00", "not a text file in UTF-8"),
    "names.csv": (b"x,y,z\n1,2\n4,5\n", "row 1 has 2 columns; expected 3."),
    "ragged.csv": (b"1,2,3\n4,5\n", "row 2 has 2 columns; expected 3."),
    "word.csv": (b"x,y\n1,2\n3,four\n", "'four' is not a number in row 2 of column 'y'"),
    "a.npy": (b"no array", "not a readable .npy file"),
    "brain.nii.gz": (b"", "contains an image or a mesh; expected points or distances."),
    "unknown.txt": (
        b"0 1\n",
        "the format is not clear from the name. Set format to one of",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_damaged_file_is_rejected_with_one_sentence(tmp_path, name):
    content, reported = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises((FileError, sx.InputError), match=re.escape(reported)):
        sx.rips_barcodes(**read_rips(tmp_path / name)[0], device="cpu")


MISTAKEN = {
    "l.upper_distance_matrix": (
        triangle(LOWER, range(20), "\n"),
        "longer by one than the next",
    ),
    "u.lower_distance_matrix": (
        triangle(UPPER, range(19, 0, -1), "\n"),
        "shorter by one than the next",
    ),
    "index.csv": (",x,y\n0,1.5,2\n1,3,5\n2,4,4\n", "column '' counts the rows and is read as a"),
    "id.csv": ("x,id\n1.5,7\n3,8\n4,9\n", "column 'id' counts the rows and is read as a"),
    "two.xyz": ("1\n\nC 0 0 0\n1\n\nC 1 0 0\n", "only one of its 2 models is read."),
}


@pytest.mark.parametrize("name", MISTAKEN)
def test_a_likely_mistake_issues_a_warning(tmp_path, name):
    content, reported = MISTAKEN[name]
    (tmp_path / name).write_text(content)
    assert reported in read_rips(tmp_path / name)[1]


def test_the_numbers_that_pandas_writes_above_columns_are_not_a_row(tmp_path):
    for k, rows in enumerate((MATRIX, POINTS)):
        path = tmp_path / f"{k}.csv"
        path.write_text(",".join(map(str, range(rows.shape[1]))) + "\n" + text_of(rows, ","))
        with pytest.warns(FileWarning, match="numbers the columns and is omitted"):
            (found,) = read_rips(path)[0].values()
        np.testing.assert_array_equal(found, rows)
    path.write_text("0,1,2\n3,4,5\n0.5,1,2\n")  # integers occur among the points
    assert len(read_rips(path)[0]["points"]) == 3


def test_a_matrix_of_points_is_used_without_a_warning(tmp_path):
    matrix = np.array([[0.0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])
    np.save(tmp_path / "matrix.npy", matrix)
    done = separatrix("rips", "matrix.npy", "--points", "--device", "cpu", folder=tmp_path)
    assert "point cloud with 4 points in dimension 4" in done.stdout
    assert done.stderr == ""


def test_molecule_files_are_read_as_points(folder, sample_data):
    given, _ = read_rips(sample_data / "1crn.pdb")
    assert given["points"].shape == (327, 3)
