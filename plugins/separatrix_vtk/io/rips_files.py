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

The rows and columns of a matrix in a .csv file may have labels, as pandas writes them.
Of .vtp, .vtu and molecule files the points are read. Text may be compressed with gzip. The path -
is standard input. Errors are FileError: one sentence that begins with the path.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import separatrix as sx
from separatrix_vtk.filters.points.point_set import point_set_of
from separatrix_vtk.io.errors import FileError, reader, require_file
from separatrix_vtk.io.formats import OF_FIELDS, OF_MOLECULES, suffix_of
from separatrix_vtk.io.numbers import real_in
from separatrix_vtk.io.point_files import other_models, read_points
from separatrix_vtk.io.streams import STANDARD_INPUT, content_of, named_file
from separatrix_vtk.io.tables import columns_at, load_npy, read_rows, read_table

DIPHA_MARK, DIPHA_MATRIX = 8067171840, 7
VTK_SUFFIXES = (".vtp", ".vtu")
FIELD_SUFFIXES = frozenset(OF_FIELDS) - {".npy", *VTK_SUFFIXES}
Found = tuple[dict[str, Any], str]  # keywords of separatrix.rips_barcodes, and a warning or ""


@reader
def read_rips(
    path: Path, format: str = "auto", contains: str = "", columns: Sequence[str] = ()
) -> Found:
    """The points or distances in a file, and a warning; see `io.read_distances`."""
    if format not in (*READERS, "auto"):
        raise sx.InputError("format", f"auto or one of {', '.join(READERS)}", format)
    if path != STANDARD_INPUT:
        require_file(path)
    is_dataset = path.suffix.lower() in VTK_SUFFIXES or suffix_of(path) in OF_MOLECULES
    if format == "auto" and is_dataset:
        given, warning = _dataset(path)
    else:
        format = format_of(path) if format == "auto" else format
        if contains and format not in ("npy", "csv"):
            raise sx.InputError(
                f"{{{contains}}} is for .npy and .csv files. Omit it for this format."
            )
        if columns and format != "csv":
            raise sx.InputError("{columns} is for .csv files only. Omit it for this format.")
        more = {"contains": contains, "columns": columns}
        given, warning = READERS[format](path, **{k: value for k, value in more.items() if value})
    if "points" in given:
        _check_finite(given["points"])
    return given, warning and f"{path}: {warning}"


def _check_finite(points: np.ndarray) -> None:
    finite = np.isfinite(points)
    if not finite.all():
        row, column = np.argwhere(~finite)[0].tolist()
        got = sx.errors.Words(f"{float(points[row, column])!r} in row {row + 1}")
        raise FileError(parameter="coordinates", expected="finite", got=got)


@reader
def format_of(path: Path) -> str:
    """The format by the name of a file, as in celegans.distance_matrix.gz."""
    name = path.name.lower().replace("-", "_")
    if path.suffix.lower() == ".npy":
        return "npy"
    for part, format in IN_NAMES.items():
        if part in name:
            return format
    if suffix_of(path) in FIELD_SUFFIXES:
        raise FileError(
            "contains an image or a mesh; expected points or distances. For persistence of a "
            "field, use persistence-diagram."
        )
    raise FileError(
        f"the format is not clear from the name. Set {{format}} to one of {', '.join(READERS)}."
    )


def _dataset(path: Path) -> Found:
    dataset, _ = read_points(path)
    n_models = other_models(dataset)
    warning = f"only one of its {n_models} models is read." if n_models else ""
    return {"points": point_set_of(dataset).positions.astype(np.float64)}, warning


# === text


def _table(path: Path, what: str) -> np.ndarray:
    rows = read_rows(path)
    width = len(rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            ascends = all(len(r) == width + i for i, r in enumerate(rows))
            hint = " Is it lower-distance?" if ascends else ""
            raise FileError(
                f"row {number} has {len(row)} number{'s' * (len(row) != 1)}; expected {width}, as "
                f"in row 1 of {what}."
                f"{hint}"
            )
    return np.stack(rows)


def _distance(path: Path) -> Found:
    is_csv = ".csv" in path.suffixes  # which may have names
    matrix = _csv_table(path)[1] if is_csv else _table(path, "a distance matrix")
    n_rows, n_columns = matrix.shape
    if n_rows != n_columns:
        raise FileError(
            f"contains a table of {n_rows} x {n_columns} numbers; expected a square distance "
            "matrix. Is it truncated, or a point-cloud?"
        )
    return _lower_of(matrix)


def _lower_of(matrix: np.ndarray) -> Found:
    """The matrix with its lower triangle on both sides, as Ripser reads it."""
    differ = (matrix != matrix.T) & ~(np.isnan(matrix) & np.isnan(matrix.T))
    if not differ.any():
        return {"distances": matrix}, ""
    i, j = (int(k[0]) for k in np.nonzero(np.triu(differ)))
    n_pairs = int(differ.sum()) // 2
    lower = np.tril(matrix, -1)
    return {"distances": lower + lower.T + np.diag(matrix.diagonal())}, (
        f"the matrix is not symmetric: entry ({i}, {j}) is {float(matrix[i, j])!r}, "
        f"({j}, {i}) is {float(matrix[j, i])!r} ({n_pairs:,} such pair{'s' * (n_pairs != 1)}). Its "
        "lower triangle is used, as in Ripser."
    )


def _triangle_of_lines(path: Path, is_lower: bool) -> Found:
    """A triangle without its diagonal; lines do not matter, but may suggest the other triangle."""
    rows = read_rows(path)
    lengths, warning = [len(row) for row in rows], ""
    if len(rows) > 1 and lengths[:: -1 if is_lower else 1] == list(range(1, len(rows) + 1)):
        how, other = ("shorter", "upper") if is_lower else ("longer", "lower")
        warning = f"each line is {how} by one than the next. Is the format {other}-distance?"
    return {"distances": _matrix(np.concatenate(rows), is_lower)}, warning


def _sparse(path: Path) -> Found:
    rows = read_rows(path)
    for number, row in enumerate(rows, start=1):
        ends = row[:2]
        is_vertex = (ends >= 0) & (ends < 2.0**53) & (np.floor(ends) == ends)
        if len(row) != 3 or not is_vertex.all():
            words = " ".join(f"{v:g}" for v in row[:4])
            raise FileError(
                f"row {number} is '{words}'; expected two vertices from 0 and their distance."
            )
    table = np.stack(rows)
    return {"sparse": (*table[:, :2].T.astype(np.int64), table[:, 2].copy())}, ""


def _csv_table(path: Path, columns: Sequence[str] = ()) -> tuple[list[str], np.ndarray]:
    """The names of columns, or [], and their numbers; without labels of the rows of a matrix."""
    names, rows = read_table(path)
    if [row[0] for row in rows] == names[1:] and not columns:
        names, rows = names[1:], [row[1:] for row in rows]
    elif columns:
        places = columns_at(names, len(rows[0]), columns)
        rows = [[row[i] for i in places] for row in rows]
        names = [names[i] for i in places] if names else []
    table = np.empty((len(rows), len(rows[0])))
    for i, row in enumerate(rows):
        for j, word in enumerate(row):
            try:
                table[i, j] = real_in(word)
            except ValueError as error:
                column = f" of column '{names[j]}'" if names else ""
                raise FileError(
                    f"{error} in row {i + 1}{column}; every column must be a coordinate or a "
                    "distance. Choose columns with {columns}."
                ) from None
    return names, table


def _csv(path: Path, contains: str = "", columns: Sequence[str] = ()) -> Found:
    names, table = _csv_table(path, columns)
    given, warning = _array(table, contains)
    if "points" in given and len(table) > 2 and len(names) > 1:
        counts = np.arange(len(table))
        for name, numbers in zip(names, table.T, strict=True):
            if np.array_equal(numbers - numbers[0], counts):
                return given, (
                    f"the column {name!r} counts the rows and is read as a coordinate, as "
                    "every column is. If it is not a coordinate, remove it from the file."
                )
    return given, warning


# === arrays and binary


def _npy(path: Path) -> np.ndarray:
    with named_file(path) as file:
        return load_npy(file)


def _array(array: np.ndarray, contains: str) -> Found:
    if array.dtype.kind not in "iuf" or array.ndim not in (1, 2):
        raise FileError(
            f"contains {array.dtype} of shape {array.shape}; expected points (n, k), or distances "
            "(n, n) or (n (n - 1) / 2,)."
        )
    if array.ndim == 1:
        return {"distances": _matrix(array, is_lower=False)}, ""
    is_square = array.shape[0] == array.shape[1]
    has_diagonal = is_square and array.diagonal().any()
    if not contains and has_diagonal and (array == array.T).all():
        raise FileError(
            "contains a square symmetric array whose diagonal is not zero. Specify {points} or "
            "{distances}."
        )
    if contains == "points" or (not contains and (has_diagonal or not is_square)):
        return {"points": array}, ""
    if not is_square:
        raise FileError(f"contains shape {array.shape}; expected a square matrix.")
    return {"distances": array.astype(np.float64)}, ""


def _dipha(path: Path) -> Found:
    content = content_of(path)
    head = np.frombuffer(content[:24], "<i8") if len(content) >= 24 else np.zeros(3, np.int64)
    mark, kind, n = (int(number) for number in head)
    if mark != DIPHA_MARK:
        raise FileError(f"not a DIPHA file, which begins with the int64 {DIPHA_MARK}.")
    if kind != DIPHA_MATRIX:
        raise FileError(
            f"contains DIPHA's file type {kind}; expected a distance matrix, {DIPHA_MATRIX}."
        )
    needed = 24 + 8 * n * n
    if n < 0 or len(content) != needed:
        raise FileError(
            f"file size is {len(content):,} bytes; expected {needed:,} for {n:,} points. It is "
            "truncated or damaged."
        )
    return _lower_of(np.frombuffer(content[24:], "<f8").reshape(n, n).astype(np.float64))


def _binary(path: Path) -> Found:
    content = content_of(path)
    if len(content) % 4:
        raise FileError(
            f"file size is {len(content):,} bytes; expected a multiple of 4, for float32. It is "
            "truncated."
        )
    entries = np.frombuffer(content, "<f4").astype(np.float64)
    return {"distances": _matrix(entries, is_lower=True)}, ""


def _matrix(entries: np.ndarray, is_lower: bool) -> np.ndarray:
    """The symmetric matrix of which a triangle, without its diagonal, is given row by row."""
    m = len(entries)
    n = (1 + math.isqrt(1 + 8 * m)) // 2
    if m == 0:
        raise FileError("contains no numbers.")
    if n * (n - 1) // 2 != m:
        raise FileError(
            f"contains {m:,} distances; expected n (n - 1) / 2: {n * (n - 1) // 2:,} for {n:,} "
            f"points, {n * (n + 1) // 2:,} for {n + 1:,}. It is truncated, or has another format."
        )
    matrix = np.zeros((n, n))
    matrix[np.tril_indices(n, -1) if is_lower else np.triu_indices(n, 1)] = entries
    return np.asarray(matrix + matrix.T)


READERS: dict[str, Callable[..., Found]] = {
    "point-cloud": lambda path: ({"points": _table(path, "a point cloud")}, ""),
    "distance": _distance,
    "lower-distance": partial(_triangle_of_lines, is_lower=True),
    "upper-distance": partial(_triangle_of_lines, is_lower=False),
    "sparse": _sparse,
    "dipha": _dipha,
    "binary": _binary,
    "npy": lambda path, contains="": _array(_npy(path), contains),
    "csv": _csv,
}
NAMED = ("lower-distance", "upper-distance", "point-cloud", "sparse", "distance")
IN_NAMES = {format.replace("-", "_"): format for format in NAMED} | {
    ".dipha": "dipha", ".bin": "binary", ".csv": "csv",
}  # fmt: skip
"""Part of a name -> format; the first that a name contains."""
