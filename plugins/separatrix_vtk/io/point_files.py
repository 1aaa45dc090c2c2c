"""Point sets from files: .vtp and .vtu by VTK's readers, .csv and .npy by NumPy, and molecules.

Whatever is wrong with a file comes out as a FileProblem: one sentence with the path in it.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.io.molecule_files import reader_settings
from separatrix_vtk.io.molecules.reading import SUFFIXES as OF_MOLECULES
from separatrix_vtk.io.molecules.reading import suffix_of
from separatrix_vtk.io.numerals import is_number
from separatrix_vtk.io.volumes import FileProblem, load_npy, read_with_vtk

VTK_READERS = {
    ".vtp": ("vtkmodules.vtkIOXML", "vtkXMLPolyDataReader"),
    ".vtu": ("vtkmodules.vtkIOXML", "vtkXMLUnstructuredGridReader"),
}
SUFFIXES = (*VTK_READERS, ".csv", ".npy", *OF_MOLECULES)


def read_points(path: Path, atoms: str = "") -> tuple[Any, bool]:
    """The points in a file as a VTK dataset, and whether they have no z.

    atoms: what of a molecule's file is taken, as the option --atoms has it.
    """
    settings = reader_settings(atoms)
    suffix = suffix_of(path) or path.suffix.lower()
    if suffix not in SUFFIXES:
        known = [s for s in SUFFIXES if s not in OF_MOLECULES]
        raise FileProblem(
            f"{path}: cannot read points from '{suffix or path.name}', only {', '.join(known)}, "
            f"and molecules from {', '.join(OF_MOLECULES)}, these also as .gz"
        )
    if not path.is_file():
        raise FileProblem(
            f"{path}: {'is not a file' if path.exists() else 'there is no such file'}"
        )
    if suffix in OF_MOLECULES:
        from separatrix_vtk.filters.molecules.molecule_reader import read_molecule

        return read_molecule(path, **settings), False
    if atoms:
        raise FileProblem(f"{path}: --atoms {atoms} is for files of molecules")
    if suffix in VTK_READERS:
        return read_with_vtk(path, *VTK_READERS[suffix], what="point"), False
    if suffix == ".csv":
        from separatrix_vtk.filters.points.point_set import coordinate_columns

        columns = _read_csv(path)
        return _table(columns), len(coordinate_columns(list(columns))) == 2
    return _read_npy(path)


def _read_npy(path: Path) -> tuple[Any, bool]:
    points = load_npy(path)
    if points.ndim != 2 or points.shape[1] not in (2, 3) or points.dtype.kind not in "iuf":
        raise FileProblem(
            f"{path}: holds {points.dtype} of shape {points.shape}; points are numbers of shape "
            "(n, 3), or (n, 2) in the plane"
        )
    is_flat = points.shape[1] == 2
    dtype = np.float32 if points.dtype == np.float32 else np.float64
    filled = np.zeros((len(points), 3), dtype)
    filled[:, : points.shape[1]] = points
    return _polydata(filled), is_flat


def _read_csv(path: Path) -> dict[str, np.ndarray]:
    """The columns of numbers; without a line of names they are x, y, z and a3."""
    from separatrix_vtk.filters.points.point_set import coordinate_columns

    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = split_rows(file.read())
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise FileProblem(f"{path}: not a readable .csv file ({error})") from None
    if not rows:
        raise FileProblem(f"{path}: is empty")
    names = [name.strip() for name in rows[0]]
    if all(is_number(name) for name in names):
        if len(names) > 4:
            raise FileProblem(
                f"{path}: has {len(names)} columns and no line of names; name them in the first "
                "line, those of the coordinates x, y and z (distances are for separatrix rips)"
            )
        names = [*"xyz"[: len(names)], *["a3"][: len(names) - 3]]
    else:
        rows = rows[1:]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise FileProblem(
                f"{path}: row {number} has {len(row)} columns, {len(names)} were expected"
            )
    if twice := next((name for i, name in enumerate(names) if name in names[:i]), None):
        raise FileProblem(f"{path}: two columns are called {twice!r}; give them names of their own")
    texts = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    for name in coordinate_columns(names):
        for number, text in enumerate(texts[name], start=1):
            if not is_number(text):
                raise FileProblem(
                    f"{path}: row {number} has {text!r} in the column '{name}', a coordinate is a "
                    "number, as 1.5"
                )
    return {
        name: np.array(column, dtype=np.float64)
        for name, column in texts.items()
        if all(is_number(text) for text in column)
    }


COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))+")


def split_rows(text: str) -> list[list[str]]:
    """Rows of texts between the first of ; tab , and spaces that the first line has.

    First lines that begin with # are comments. The last of these has the names where it has as
    many words as the numbers below, as in what numpy.savetxt(header="x,y,z") writes.
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
    bare = re.sub('"[^"]*"', "", first)  # names in quotes may hold anything
    for delimiter in ";\t,":
        if delimiter in bare:
            rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            return [row for row in rows if row]
    if '"' in first:
        return [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    return [line.split() for line in lines if line.strip()]


def _table(columns: dict[str, np.ndarray]) -> Any:
    from vtkmodules.vtkCommonDataModel import vtkTable

    from separatrix_vtk.base.arrays import to_vtk

    table = vtkTable()
    for name, values in columns.items():
        table.AddColumn(to_vtk(values, name))
    return table


def _polydata(positions: np.ndarray) -> Any:
    from vtkmodules.vtkCommonDataModel import vtkPolyData

    from separatrix_vtk.base.arrays import fill_polydata

    points = vtkPolyData()
    fill_polydata(points, positions, vertices=True)
    return points
