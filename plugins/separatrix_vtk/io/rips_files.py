"""Points and distances from files for `separatrix rips`: Ripser's formats, .npy and .csv.

    point-cloud     a point a line, blanks or commas between coordinates
    distance        a full matrix, a row a line; its lower triangle counts, as in Ripser
    lower-distance  the lower triangle without the diagonal, row after row; lines do not matter
    upper-distance  the upper triangle without the diagonal, row after row
    sparse          i j d a line, vertices from 0; other pairs are no edges
    dipha           binary: int64 8067171840, 7, n, then n x n float64
    binary          float32 of the lower triangle, little-endian
    npy, csv        an array: a matrix if it is square with a diagonal of zeros, else points

Of .vtp, .vtu and files of molecules the points are taken. Text may be compressed with gzip.
Whatever is wrong with a file comes out as a FileProblem: one sentence with the path in it.
"""

from __future__ import annotations

import csv
import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.io.inflating import GZIP_MARK, TooLarge, inflated
from separatrix_vtk.io.molecule_files import other_models
from separatrix_vtk.io.molecules.reading import SUFFIXES as OF_MOLECULES
from separatrix_vtk.io.molecules.reading import suffix_of
from separatrix_vtk.io.numerals import is_number
from separatrix_vtk.io.point_files import VTK_READERS, read_points, split_rows
from separatrix_vtk.io.volumes import SUFFIXES as OF_FIELDS
from separatrix_vtk.io.volumes import FileProblem, load_npy

DIPHA_MARK, DIPHA_MATRIX = 8067171840, 7
FIELD_SUFFIXES = frozenset(OF_FIELDS) - {".npy", *VTK_READERS}
AS_POINTS, AS_DISTANCES = "points", "distances"


@dataclass(frozen=True)
class RipsFile:
    """`given`: what goes to separatrix.rips_barcodes, by keyword. warning: "" or a sentence."""

    given: dict[str, Any]
    warning: str = ""

    @property
    def described(self) -> str:
        """What it is, in Ripser's words."""
        if "points" in self.given:
            n, k = self.given["points"].shape
            return f"point cloud with {n} points in dimension {k}"
        if "distances" in self.given:
            return f"distance matrix with {len(self.given['distances'])} points"
        i, j, _ = self.given["sparse"]
        n = int(max(i.max(initial=-1), j.max(initial=-1))) + 1
        return f"sparse distance matrix with {n} points and {len(i)}/{n * (n - 1) // 2} entries"


def read_rips(path: Path, format: str = "auto", means: str = "") -> RipsFile:
    """The points or distances in a file. means: what a .npy or .csv file holds, or ""."""
    if format not in (*READERS, "auto"):
        raise FileProblem(f"--format {format}: it is one of auto, {', '.join(READERS)}")
    if not path.is_file():
        raise FileProblem(
            f"{path}: {'is not a file' if path.exists() else 'there is no such file'}"
        )
    if format == "auto" and is_dataset(path):
        return _dataset(path)
    format = format_of(path) if format == "auto" else format
    if means and format not in ("npy", "csv"):
        raise FileProblem(f"--{means} is for .npy and .csv files; --format {format} says it too")
    if format == "npy":
        return _array(path, load_npy(path), means)
    if format == "csv":
        return _of_csv(path, means)
    return READERS[format](path)


def is_dataset(path: Path) -> bool:
    """Whether it is a file of VTK's or of a molecule, whose points are taken."""
    return path.suffix.lower() in VTK_READERS or suffix_of(path) in OF_MOLECULES


def _dataset(path: Path) -> RipsFile:
    from separatrix_vtk.filters.points.point_set import point_set_of

    dataset, _ = read_points(path)
    points = point_set_of(dataset).positions.astype(np.float64)
    n_models = other_models(dataset)
    told = f"{path}: has {n_models} models, the points are the atoms of one" if n_models else ""
    return RipsFile({"points": points}, told)


def format_of(path: Path) -> str:
    """The format by the name of a file, as in celegans.distance_matrix.gz."""
    name = path.name.lower().replace("-", "_")
    for part, format in IN_NAMES.items():
        if part in name:
            return format
    if path.suffix.lower() in FIELD_SUFFIXES:
        raise FileProblem(
            f"{path}: {path.suffix} files hold images and meshes, rips takes points or distances; "
            "separatrix persistence-diagram is for the fields on those"
        )
    raise FileProblem(
        f"{path}: its name does not tell its format: give --format {', '.join(READERS)}"
    )


# === text


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        return inflated(content) if content[:2] == GZIP_MARK else content
    except TooLarge as error:
        raise FileProblem(f"{path}: {error}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise FileProblem(f"{path}: truncated or damaged ({error})") from None


def _rows(path: Path) -> list[np.ndarray]:
    """The numbers of each line that has some, float64."""
    try:
        lines = _content(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise FileProblem(f"{path}: is no text; binary formats are dipha, binary, npy") from None
    rows = []
    for number, line in enumerate(lines, start=1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        if "," in line and ";" in line:
            raise FileProblem(
                f"{path}: line {number} has commas and semicolons; write 1.5 where 1,5 is meant, "
                "or one of the two between numbers"
            )
        try:
            if "_" in line or not line.isascii():  # numbers to Python only
                raise ValueError
            rows.append(np.array(words, dtype=np.float64))
        except ValueError:
            bad = next((word for word in words if not is_number(word)), line.strip())
            raise FileProblem(
                f"{path}: line {number} has {bad!r} where a number was expected"
            ) from None
    return rows


def _table(path: Path, what: str) -> np.ndarray:
    """Rows of equal length as (rows, columns)."""
    rows = _rows(path)
    if not rows:
        raise FileProblem(f"{path}: is empty")
    width = len(rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            ascends = all(len(r) == len(rows[0]) + i for i, r in enumerate(rows))
            hint = "; is it lower-distance?" if ascends else ""
            raise FileProblem(
                f"{path}: row {number} has {len(row)} numbers, row 1 has {width}; {what} has rows "
                f"of equal length{hint}"
            )
    return np.stack(rows)


def _point_cloud(path: Path) -> RipsFile:
    return RipsFile({"points": _table(path, "a point cloud")})


def _distance(path: Path) -> RipsFile:
    matrix = _table(path, "a distance matrix")
    if matrix.shape[0] != matrix.shape[1]:
        n_rows, n_columns = matrix.shape
        raise FileProblem(
            f"{path}: has {n_rows} rows of {n_columns} numbers, a distance matrix has as many rows "
            "as columns; is it truncated, or a point-cloud?"
        )
    return _lower_of(path, matrix)


def _lower_of(path: Path, matrix: np.ndarray) -> RipsFile:
    """The matrix with its lower triangle on both sides, as Ripser reads it."""
    differ = (matrix != matrix.T) & ~(np.isnan(matrix) & np.isnan(matrix.T))
    if not differ.any():
        return RipsFile({"distances": matrix})
    i, j = (int(k[0]) for k in np.nonzero(np.triu(differ)))
    warning = (
        f"{path}: is not symmetric: entry ({i}, {j}) is {float(matrix[i, j])!r}, ({j}, {i}) is "
        f"{float(matrix[j, i])!r} ({int(differ.sum()) // 2:,} such pairs); its lower triangle is "
        "taken, as Ripser does"
    )
    lower = np.tril(matrix, -1)
    return RipsFile({"distances": lower + lower.T + np.diag(matrix.diagonal())}, warning)


def _lower_distance(path: Path) -> RipsFile:
    rows = _rows(path)
    told = _other_triangle(path, rows, -1, "shorter", "upper-distance")
    return RipsFile({"distances": _lower(path, _entries(rows))}, told)


def _upper_distance(path: Path) -> RipsFile:
    rows = _rows(path)
    entries = _entries(rows)
    n = _side(path, len(entries))
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = entries
    told = _other_triangle(path, rows, 1, "longer", "lower-distance")
    return RipsFile({"distances": matrix + matrix.T}, told)


def _other_triangle(path: Path, rows: list[np.ndarray], by: int, how: str, format: str) -> str:
    """A warning where lines look like those of the other triangle; Ripser, too, reads any lines."""
    lengths = [len(row) for row in rows][::by]
    if len(rows) < 2 or lengths != list(range(1, len(rows) + 1)):
        return ""
    return f"{path}: its lines get {how} by one, is it {format}? It is read as --format says"


def _entries(rows: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(rows) if rows else np.empty(0)


def _sparse(path: Path) -> RipsFile:
    rows = _rows(path)
    for number, row in enumerate(rows, start=1):
        if len(row) != 3 or not is_vertex(row[:2]).all():
            told = " ".join(f"{v:g}" for v in row[:4])
            raise FileProblem(
                f"{path}: row {number} is '{told}'; a sparse row is i j d, two vertices from 0 and "
                "their distance"
            )
    if not rows:
        raise FileProblem(f"{path}: is empty")
    table = np.stack(rows)
    return RipsFile({"sparse": (*table[:, :2].T.astype(np.int64), table[:, 2].copy())})


def is_vertex(numbers: np.ndarray) -> np.ndarray:
    """Whether numbers are whole and from 0 on, and exact as float64."""
    return (numbers >= 0) & (numbers < 2.0**53) & (np.floor(numbers) == numbers)


def _of_csv(path: Path, means: str = "") -> RipsFile:
    names, table = _csv(path)
    file = _array(path, table, means)
    counts = np.arange(len(table))
    counting = [
        name
        for name, column in zip(names, table.T, strict=False)
        if "points" in file.given
        and len(table) > 2
        and len(names) > 1
        and np.array_equal(column - column[0], counts)
    ]
    if not counting:
        return file
    return replace(
        file,
        warning=f"{path}: the column {counting[0]!r} counts the rows and is taken "
        "as a coordinate, as every column is; if it is none, take it out of the file",
    )


def _csv(path: Path) -> tuple[list[str], np.ndarray]:
    """The names of the columns, or none, and their numbers (rows, columns)."""
    try:
        rows = split_rows(_content(path).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise FileProblem(f"{path}: is no text") from None
    except csv.Error as error:
        raise FileProblem(f"{path}: not a readable .csv file ({error})") from None
    names = rows[0] if rows and not all(map(is_number, rows[0])) else []
    if names:
        rows = rows[1:]
    if not rows:
        raise FileProblem(f"{path}: is empty")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise FileProblem(
                f"{path}: row {number} has {len(row)} columns, row 1 has {len(rows[0])}"
            )
        for i, word in enumerate(row):
            if not is_number(word):
                column = f" in the column '{names[i]}'" if i < len(names) else ""
                raise FileProblem(
                    f"{path}: row {number} has {word!r}{column}, which is no number; every column "
                    "is a coordinate or a distance, so take others out of the file"
                )
    if names and len(names) != len(rows[0]):
        raise FileProblem(
            f"{path}: row 1 has {len(rows[0])} columns, the line of names has {len(names)}"
        )
    return names, np.array(rows, dtype=np.float64)


# === arrays and binary


def _array(path: Path, array: np.ndarray, means: str) -> RipsFile:
    if array.dtype.kind not in "iuf" or array.ndim not in (1, 2):
        raise FileProblem(
            f"{path}: holds {array.dtype} of shape {array.shape}; points are numbers (n, k), "
            "distances (n, n) or condensed (n (n - 1) / 2,)"
        )
    if array.ndim == 1:
        n = _side(path, array.size)
        matrix = np.zeros((n, n))
        matrix[np.triu_indices(n, 1)] = array
        return RipsFile({"distances": matrix + matrix.T})
    is_square = array.shape[0] == array.shape[1]
    if not means and is_square and array.diagonal().any() and (array == array.T).all():
        raise FileProblem(
            f"{path}: is square and symmetric, but its diagonal is not zero: are these --points or "
            "--distances?"
        )
    if means == AS_POINTS or (not means and not (is_square and not array.diagonal().any())):
        return RipsFile({"points": array})
    if not is_square:
        raise FileProblem(f"{path}: has shape {array.shape}, a distance matrix is square")
    return RipsFile({"distances": array.astype(np.float64)})


def _dipha(path: Path) -> RipsFile:
    content = _content(path)
    head = np.frombuffer(content[:24], "<i8") if len(content) >= 24 else np.zeros(3, np.int64)
    mark, kind, n = (int(number) for number in head)
    if mark != DIPHA_MARK:
        raise FileProblem(f"{path}: is no DIPHA file; these begin with the int64 {DIPHA_MARK}")
    if kind != DIPHA_MATRIX:
        raise FileProblem(
            f"{path}: holds DIPHA's file type {kind}, a distance matrix is {DIPHA_MATRIX}"
        )
    needed = 24 + 8 * n * n
    if n < 0 or len(content) != needed:
        raise FileProblem(
            f"{path}: has {len(content):,} bytes where a matrix of {n:,} points needs {needed:,}; "
            "it is truncated or damaged"
        )
    return _lower_of(path, np.frombuffer(content[24:], "<f8").reshape(n, n).astype(np.float64))


def _binary(path: Path) -> RipsFile:
    content = _content(path)
    if len(content) % 4:
        raise FileProblem(
            f"{path}: has {len(content):,} bytes, no whole number of float32; it is truncated"
        )
    entries = np.frombuffer(content, "<f4").astype(np.float64)
    return RipsFile({"distances": _lower(path, entries)})


def _lower(path: Path, entries: np.ndarray) -> np.ndarray:
    n = _side(path, len(entries))
    matrix = np.zeros((n, n))
    matrix[np.tril_indices(n, -1)] = entries
    return np.asarray(matrix + matrix.T)


def _side(path: Path, m: int) -> int:
    """How many points a triangle of m distances has."""
    n = (1 + math.isqrt(1 + 8 * m)) // 2
    if m == 0:
        raise FileProblem(f"{path}: is empty")
    if n * (n - 1) // 2 != m:
        raise FileProblem(
            f"{path}: has {m:,} distances; a triangle has n (n - 1) / 2: {n * (n - 1) // 2:,} for "
            f"{n:,} points, {n * (n + 1) // 2:,} for {n + 1:,}; it is truncated, or another format"
        )
    return n


READERS: dict[str, Callable[[Path], RipsFile]] = {
    "point-cloud": _point_cloud,
    "distance": _distance,
    "lower-distance": _lower_distance,
    "upper-distance": _upper_distance,
    "sparse": _sparse,
    "dipha": _dipha,
    "binary": _binary,
    "npy": lambda path: _array(path, load_npy(path), ""),
    "csv": _of_csv,
}
IN_NAMES = {  # the first that a name contains
    "lower_distance": "lower-distance",
    "upper_distance": "upper-distance",
    "point_cloud": "point-cloud",
    "sparse": "sparse",
    "distance": "distance",
    ".dipha": "dipha",
    ".bin": "binary",
    ".npy": "npy",
    ".csv": "csv",
}
