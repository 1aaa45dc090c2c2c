"""Points and distances for barcodes: Ripser's formats, .npy and .csv.

| format | content |
| --- | --- |
| point-cloud | one point per line, blanks or commas between coordinates |
| distance | a full matrix, one row per line; its lower triangle counts, as in Ripser |
| lower-distance | the lower triangle without the diagonal, row by row; lines do not matter |
| upper-distance | the upper triangle without the diagonal, row by row |
| sparse | i j d per line, vertices from 0; other pairs are not edges |
| dipha | binary: int64 8067171840, 7, n, then n x n float64 |
| binary | float32 of the lower triangle, little-endian |
| npy, csv | an array: a matrix if it is square with a diagonal of zeros, otherwise points |

Of .vtp, .vtu and molecule files the points are read. Text may be compressed with gzip. Errors are
FileProblem: one sentence that begins with the path.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.io.compressed import content_of, text_of
from separatrix_vtk.io.molecules.reading import SUFFIXES as OF_MOLECULES
from separatrix_vtk.io.molecules.reading import suffix_of
from separatrix_vtk.io.point_files import other_models, read_points
from separatrix_vtk.io.problems import FileProblem, require_file
from separatrix_vtk.io.tables import is_number, read_table, real_in
from separatrix_vtk.io.volumes import SUFFIXES as OF_FIELDS
from separatrix_vtk.io.volumes import load_npy
from separatrix_vtk.io.vtk_files import POINTS as VTK_SUFFIXES

DIPHA_MARK, DIPHA_MATRIX = 8067171840, 7
FIELD_SUFFIXES = frozenset(OF_FIELDS) - {".npy", *VTK_SUFFIXES}
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
    """The points or distances in a file. means: what a .npy or .csv file contains, or ""."""
    if format not in (*READERS, "auto"):
        known = ", ".join(READERS)
        raise FileProblem(f"{{format}} must be auto or one of {known}; got {format!r}.")
    require_file(path)
    if format == "auto" and is_dataset(path):
        return _dataset(path)
    format = format_of(path) if format == "auto" else format
    if means and format not in ("npy", "csv"):
        raise FileProblem(f"{{{means}}} is for .npy and .csv files. Omit it for this format.")
    if format == "npy":
        return _array(path, load_npy(path), means)
    if format == "csv":
        return _of_csv(path, means)
    return READERS[format](path)


def is_dataset(path: Path) -> bool:
    """Whether it is a file of VTK or of a molecule, of which the points are read."""
    return path.suffix.lower() in VTK_SUFFIXES or suffix_of(path) in OF_MOLECULES


def _dataset(path: Path) -> RipsFile:
    from separatrix_vtk.filters.points.point_set import point_set_of

    dataset, _ = read_points(path)
    points = point_set_of(dataset).positions.astype(np.float64)
    n_models = other_models(dataset)
    warning = f"{path}: only one of its {n_models} models is read." if n_models else ""
    return RipsFile({"points": points}, warning)


def format_of(path: Path) -> str:
    """The format by the name of a file, as in celegans.distance_matrix.gz."""
    name = path.name.lower().replace("-", "_")
    for part, format in IN_NAMES.items():
        if part in name:
            return format
    if path.suffix.lower() in FIELD_SUFFIXES:
        raise FileProblem(
            "contains an image or a mesh; expected points or distances. For persistence of a "
            "field, use persistence-diagram.",
            path,
        )
    raise FileProblem(
        f"the format is not clear from the name. Set {{format}} to one of {', '.join(READERS)}.",
        path,
    )


# === text


def _rows(path: Path) -> list[np.ndarray]:
    """The numbers of each line that is not empty or a comment, float64."""
    rows = []
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        if "," in line and ";" in line:
            raise FileProblem(
                f"line {number} contains commas and semicolons. Use a decimal point, and one of "
                "the two between numbers.",
                path,
            )
        try:
            if "_" in line or not line.isascii():  # numbers to Python only
                raise ValueError
            rows.append(np.array(words, dtype=np.float64))
        except ValueError:
            bad = next((word for word in words if not is_number(word)), line.strip())
            raise FileProblem(f"line {number} contains {bad!r}; expected a number.", path) from None
    if not rows:
        raise FileProblem("contains no numbers.", path)
    return rows


def _table(path: Path, what: str) -> np.ndarray:
    """Rows of equal length as (rows, columns)."""
    rows = _rows(path)
    width = len(rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            ascends = all(len(r) == width + i for i, r in enumerate(rows))
            hint = " Is it lower-distance?" if ascends else ""
            raise FileProblem(
                f"row {number} has {len(row)} numbers; expected {width}, as in row 1 of {what}."
                f"{hint}",
                path,
            )
    return np.stack(rows)


def _point_cloud(path: Path) -> RipsFile:
    return RipsFile({"points": _table(path, "a point cloud")})


def _distance(path: Path) -> RipsFile:
    matrix = _table(path, "a distance matrix")
    if matrix.shape[0] != matrix.shape[1]:
        n_rows, n_columns = matrix.shape
        raise FileProblem(
            f"contains {n_rows} rows of {n_columns} numbers; expected a square distance matrix. Is "
            "it truncated, or a point-cloud?",
            path,
        )
    return _lower_of(path, matrix)


def _lower_of(path: Path, matrix: np.ndarray) -> RipsFile:
    """The matrix with its lower triangle on both sides, as Ripser reads it."""
    differ = (matrix != matrix.T) & ~(np.isnan(matrix) & np.isnan(matrix.T))
    if not differ.any():
        return RipsFile({"distances": matrix})
    i, j = (int(k[0]) for k in np.nonzero(np.triu(differ)))
    warning = (
        f"{path}: the matrix is not symmetric: entry ({i}, {j}) is {float(matrix[i, j])!r}, "
        f"({j}, {i}) is {float(matrix[j, i])!r} ({int(differ.sum()) // 2:,} such pairs). Its lower "
        "triangle is used, as in Ripser."
    )
    lower = np.tril(matrix, -1)
    return RipsFile({"distances": lower + lower.T + np.diag(matrix.diagonal())}, warning)


def _lower_distance(path: Path) -> RipsFile:
    rows = _rows(path)
    warning = _other_triangle(path, rows, -1, "shorter", "upper-distance")
    return RipsFile({"distances": _lower(path, np.concatenate(rows))}, warning)


def _upper_distance(path: Path) -> RipsFile:
    rows = _rows(path)
    entries = np.concatenate(rows)
    n = _side(path, len(entries))
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = entries
    warning = _other_triangle(path, rows, 1, "longer", "lower-distance")
    return RipsFile({"distances": matrix + matrix.T}, warning)


def _other_triangle(path: Path, rows: list[np.ndarray], by: int, how: str, format: str) -> str:
    """A warning if lines look like those of the other triangle; Ripser, too, reads any lines."""
    lengths = [len(row) for row in rows][::by]
    if len(rows) < 2 or lengths != list(range(1, len(rows) + 1)):
        return ""
    return f"{path}: each line is {how} by one than the next. Is the format {format}?"


def _sparse(path: Path) -> RipsFile:
    rows = _rows(path)
    for number, row in enumerate(rows, start=1):
        if len(row) != 3 or not is_vertex(row[:2]).all():
            words = " ".join(f"{v:g}" for v in row[:4])
            raise FileProblem(
                f"row {number} is '{words}'; expected two vertices from 0 and their distance.",
                path,
            )
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
        warning=f"{path}: the column {counting[0]!r} counts the rows and is read as a coordinate, "
        "as every column is. If it is not a coordinate, remove it from the file.",
    )


def _csv(path: Path) -> tuple[list[str], np.ndarray]:
    """The names of the columns, or none, and their numbers (rows, columns)."""
    names, rows = read_table(path)
    try:
        return names, np.array([[real_in(word) for word in row] for row in rows])
    except ValueError as error:
        number, i = next(
            (number, i)
            for number, row in enumerate(rows, start=1)
            for i, word in enumerate(row)
            if not is_number(word)
        )
        column = f" of column '{names[i]}'" if names else ""
        raise FileProblem(
            f"{error} in row {number}{column}; every column must be a coordinate or a distance. "
            "Remove other columns from the file.",
            path,
        ) from None


# === arrays and binary


def _array(path: Path, array: np.ndarray, means: str) -> RipsFile:
    if array.dtype.kind not in "iuf" or array.ndim not in (1, 2):
        raise FileProblem(
            f"contains {array.dtype} of shape {array.shape}; expected points (n, k), or distances "
            "(n, n) or (n (n - 1) / 2,).",
            path,
        )
    if array.ndim == 1:
        n = _side(path, array.size)
        matrix = np.zeros((n, n))
        matrix[np.triu_indices(n, 1)] = array
        return RipsFile({"distances": matrix + matrix.T})
    is_square = array.shape[0] == array.shape[1]
    if not means and is_square and array.diagonal().any() and (array == array.T).all():
        raise FileProblem(
            "contains a square symmetric array whose diagonal is not zero. Specify {points} or "
            "{distances}.",
            path,
        )
    if means == AS_POINTS or (not means and not (is_square and not array.diagonal().any())):
        return RipsFile({"points": array})
    if not is_square:
        raise FileProblem(f"contains shape {array.shape}; expected a square matrix.", path)
    return RipsFile({"distances": array.astype(np.float64)})


def _dipha(path: Path) -> RipsFile:
    content = content_of(path)
    head = np.frombuffer(content[:24], "<i8") if len(content) >= 24 else np.zeros(3, np.int64)
    mark, kind, n = (int(number) for number in head)
    if mark != DIPHA_MARK:
        raise FileProblem(f"not a DIPHA file, which begins with the int64 {DIPHA_MARK}.", path)
    if kind != DIPHA_MATRIX:
        raise FileProblem(
            f"contains DIPHA's file type {kind}; expected a distance matrix, {DIPHA_MATRIX}.", path
        )
    needed = 24 + 8 * n * n
    if n < 0 or len(content) != needed:
        raise FileProblem(
            f"file size is {len(content):,} bytes; expected {needed:,} for {n:,} points. It is "
            "truncated or damaged.",
            path,
        )
    return _lower_of(path, np.frombuffer(content[24:], "<f8").reshape(n, n).astype(np.float64))


def _binary(path: Path) -> RipsFile:
    content = content_of(path)
    if len(content) % 4:
        raise FileProblem(
            f"file size is {len(content):,} bytes; expected a multiple of 4, for float32. It is "
            "truncated.",
            path,
        )
    entries = np.frombuffer(content, "<f4").astype(np.float64)
    return RipsFile({"distances": _lower(path, entries)})


def _lower(path: Path, entries: np.ndarray) -> np.ndarray:
    n = _side(path, len(entries))
    matrix = np.zeros((n, n))
    matrix[np.tril_indices(n, -1)] = entries
    return np.asarray(matrix + matrix.T)


def _side(path: Path, m: int) -> int:
    """The number of points of which a triangle of m distances consists."""
    n = (1 + math.isqrt(1 + 8 * m)) // 2
    if m == 0:
        raise FileProblem("contains no numbers.", path)
    if n * (n - 1) // 2 != m:
        raise FileProblem(
            f"contains {m:,} distances; expected n (n - 1) / 2: {n * (n - 1) // 2:,} for {n:,} "
            f"points, {n * (n + 1) // 2:,} for {n + 1:,}. It is truncated, or has another format.",
            path,
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
