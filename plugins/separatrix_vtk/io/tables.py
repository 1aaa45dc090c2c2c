"""Tables of words and numbers: reading text and .npy files, and writing datasets as columns."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData

from separatrix_vtk.base.arrays import arrays_in, fill_polydata, from_vtk
from separatrix_vtk.base.signals import stop_if_wanted
from separatrix_vtk.io.errors import FileError, FileWarning, plain
from separatrix_vtk.io.numbers import is_number
from separatrix_vtk.io.streams import text_of

COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))+")
ROWS = 20_000  # written between two checks for signals
COLUMN_OF = {  # names of the arrays of the ends of pairs, after Birth or Death
    "ttkVertexScalarField": "VertexId",
    "CoordinatesX": "PositionX",
    "CoordinatesY": "PositionY",
    "CoordinatesZ": "PositionZ",
}


def read_rows(path: Path) -> list[np.ndarray]:
    """The numbers of each line that is not empty or a comment, as float64 arrays."""
    rows = []
    for number, line in enumerate(text_of(path).splitlines(), start=1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        if "," in line and ";" in line:
            raise FileError(
                f"line {number} contains commas and semicolons. Use a decimal point, and one of "
                "the two between numbers."
            )
        try:
            if "_" in line or not line.isascii():  # numbers to Python only
                raise ValueError
            rows.append(np.array(words, dtype=np.float64))
        except ValueError:
            bad = next((word for word in words if not is_number(word)), line.strip())
            raise FileError(f"line {number} contains {bad!r}; expected a number.") from None
    if not rows:
        raise FileError("contains no numbers.")
    return rows


def read_table(path: Path) -> tuple[list[str], list[list[str]]]:
    """The names of the columns of a .csv file ([] without a line of names), and its rows of words.

    There is at least one row, and each has the same number of words, as many as there are names.
    """
    try:
        rows = split_rows(text_of(path))
    except csv.Error as error:
        raise FileError(f"not a readable .csv file ({error}).") from None
    if _are_counted(rows):
        text = f"the first row, 0 to {len(rows[0]) - 1}, numbers the columns and is omitted."
        warnings.warn(f"{path}: {text}", FileWarning, stacklevel=5)
        rows = rows[1:]
    names = [] if not rows or all(map(is_number, rows[0])) else [name.strip() for name in rows[0]]
    rows = rows[bool(names) :]
    if not rows:
        raise FileError("contains no numbers.")
    n_columns = len(names or rows[0])
    for number, row in enumerate(rows, start=1):
        if len(row) != n_columns:
            n = len(row)
            raise FileError(f"row {number} has {n} column{'s' * (n != 1)}; expected {n_columns}.")
    return names, rows


def _are_counted(rows: list[list[str]]) -> bool:
    """Whether the first row is 0, 1, 2, ..., which pandas writes as the names of columns.

    It is not if another row consists of integers: points may have such coordinates.
    """
    if len(rows) < 2 or len(rows[0]) < 3 or rows[0] != [str(i) for i in range(len(rows[0]))]:
        return False
    return not any(all(word.strip().isdecimal() for word in row) for row in rows[1:])


def columns_at(names: Sequence[str], n_columns: int, chosen: Sequence[str]) -> list[int]:
    """The places of columns that are chosen by their names, or by their numbers from 1."""
    places = []
    for column in chosen:
        if column in names:
            places.append(names.index(column))
        elif column.isdecimal() and 1 <= int(column) <= n_columns:
            places.append(int(column) - 1)
        else:
            known = f"some of {', '.join(names)}, or " if names else ""
            expected = f"{known}numbers from 1 to {n_columns}"
            raise FileError(parameter="columns", expected=expected, got=column)
    return places


def split_rows(text: str) -> list[list[str]]:
    """Rows of words, separated by the first of ; tab , and blanks that occurs in the first line.

    Leading lines that begin with # are comments. The last of them contains the names of the columns
    if it has as many words as the first row of numbers: numpy.savetxt(header="x,y,z") writes that.
    """
    begin = COMMENTS.match(text)
    if begin is None or "#" not in begin[0]:
        return _split(text)
    rows = _split(text[begin.end() :])
    last = begin[0].split("#")[-1].strip()
    names = next(iter(_split(last)), [])
    is_named = bool(rows) and len(names) == len(rows[0]) and any(map(is_number, rows[0]))
    return [names, *rows] if is_named and not any(map(is_number, names)) else rows


def _split(text: str) -> list[list[str]]:
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    bare = re.sub('"[^"]*"', "", first)  # quoted names may contain any character
    for delimiter in ";\t,":
        if delimiter in bare:
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            return [row for row in rows if row]
    if '"' in first:
        return [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    return [line.split() for line in lines if line.strip()]


def columns_of(dataset: Any) -> dict[str, np.ndarray]:
    """Columns (n,) of a table, of the points of polydata, or of the pairs of a diagram."""
    if dataset.IsA("vtkTable"):
        return _columns(dataset.GetRowData())
    if dataset.GetNumberOfPoints() == 0:
        return {}
    if dataset.IsA("vtkPolyData") or not is_diagram(dataset):
        places = _components("Position", from_vtk(dataset.GetPoints().GetData()))
        return {**places, **_columns(dataset.GetPointData())}
    columns = _columns(dataset.GetCellData())
    ends = _columns(dataset.GetPointData())
    for side, name in enumerate(("Birth", "Death")):
        columns.update(
            {f"{name}{COLUMN_OF.get(key, key)}": values[side::2] for key, values in ends.items()}
        )
    is_pair = columns["PairIdentifier"] >= 0  # not the diagonal
    return {name: values[is_pair] for name, values in columns.items()}


def write_columns(path: Path, columns: dict[str, np.ndarray]) -> None:
    """Write a .csv file with a line of names. Numbers are exact when they are read again."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        while some := list(islice(rows, ROWS)):
            stop_if_wanted()
            writer.writerows(some)


def is_diagram(dataset: Any) -> bool:
    """Whether a grid contains the lines of a persistence diagram."""
    return bool(dataset.GetCellData().HasArray("PairIdentifier"))


def as_polydata(dataset: Any) -> Any:
    """The lines of a diagram, or the points of another grid, as polydata; polydata as they are."""
    if dataset.IsA("vtkPolyData"):
        return dataset
    data = vtkPolyData()
    if is_diagram(dataset):
        data.SetPoints(dataset.GetPoints())
        data.SetLines(dataset.GetCells())
        data.GetCellData().ShallowCopy(dataset.GetCellData())
    else:
        fill_polydata(data, from_vtk(dataset.GetPoints().GetData()), vertices=True)
    data.GetPointData().ShallowCopy(dataset.GetPointData())
    return data


def _columns(attributes: Any) -> dict[str, np.ndarray]:
    columns: dict[str, np.ndarray] = {}
    for array in arrays_in(attributes):
        if array.IsA("vtkDataArray"):
            columns.update(_components(array.GetName(), from_vtk(array)))
        else:  # a text per row
            texts = [array.GetValue(row) for row in range(array.GetNumberOfValues())]
            columns[array.GetName()] = np.array(texts, dtype=object)
    return columns


def _components(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    if values.ndim == 1:
        return {name: values}
    n = values.shape[1]
    ends = "XYZ"[:n] if n <= 3 else [f"_{i}" for i in range(n)]
    return {f"{name}{end}": values[:, i] for i, end in enumerate(ends)}


def load_npy(path: Path, is_mapped: bool = False) -> np.ndarray:
    """The array of a .npy file, whose header is not trusted before the file is as long.

    is_mapped: whether the file stays mapped, for writing to a copy of its pages
    """
    try:
        with path.open("rb") as file:
            if file.read(6) != b"\x93NUMPY":
                raise ValueError("it does not begin with the signature of NumPy files")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about headers that look like Python's own text
            mapped = np.load(path, mmap_mode="c", allow_pickle=False)
    except Exception as error:  # NumPy parses headers as Python, which raises many errors
        reason = plain(error) if isinstance(error, (OSError, ValueError)) else "damaged header"
        raise FileError(f"not a readable .npy file ({reason}).") from None
    return mapped if is_mapped else np.array(mapped)
