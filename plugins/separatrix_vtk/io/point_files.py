"""Points from files: .vtp and .vtu by VTK, .csv and .npy by NumPy, and molecules.

Errors are FileError, which begin with the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData, vtkTable

from separatrix_vtk.base.arrays import fill_polydata, to_vtk
from separatrix_vtk.filters.points.point_set import coordinate_columns
from separatrix_vtk.io.errors import FileError, reader, require_file
from separatrix_vtk.io.formats import OF_MOLECULES, OF_POINTS, suffix_of, unsupported
from separatrix_vtk.io.molecules.words import reader_settings
from separatrix_vtk.io.numbers import is_number
from separatrix_vtk.io.streams import takes_streams
from separatrix_vtk.io.tables import columns_at, load_npy, read_table
from separatrix_vtk.io.vtk_files import read_with_vtk

AXES = ("x", "y", "z")


def omitted_rows(points: Any) -> list[tuple[str, Any]]:
    """Rows of a summary about the parts of a molecule file that were not read."""
    rows: list[tuple[str, Any]] = []
    if n_atoms := _number(points, "OmittedAtoms"):
        reasons = "HETATM, water, alternate locations, or by --atoms"
        rows.append(("omitted", f"{n_atoms} atoms: {reasons}"))
    if n_models := other_models(points):
        model = _number(points, "Model")
        rows.append(("model", f"{model}, one of {n_models}; --atoms model=N selects another"))
    return rows


def other_models(points: Any) -> int:
    """The number of models in a file of which one was read; 0 if it has no other."""
    n_models = _number(points, "NumberOfModels")
    return n_models if n_models > 1 and _number(points, "Model") >= 0 else 0


def _number(points: Any, name: str) -> int:
    array = points.GetFieldData().GetArray(name)
    return int(array.GetTuple1(0)) if array else 0


@takes_streams
@reader
def read_points(path: Path, atoms: str = "", columns: Sequence[str] = ()) -> tuple[Any, bool]:
    """The points in a file as a VTK dataset, and whether they have no z.

    atoms: what to read of a molecule file, such as "hetatm,model=2"; see `reader_settings`.
    columns: those of a .csv file for x, y, and possibly z, by their names or numbers from 1
    """
    settings = reader_settings(atoms)
    suffix = suffix_of(path)
    if suffix not in OF_POINTS:
        known = ", ".join(s for s in OF_POINTS if s not in OF_MOLECULES)
        molecules = ", ".join(OF_MOLECULES)
        raise unsupported(
            path, f"points in one of {known}, or molecules in one of {molecules}, also .gz"
        )
    require_file(path)
    if suffix in OF_MOLECULES:
        from separatrix_vtk.functions import read_molecule

        return read_molecule(path, **settings), False
    if atoms:
        raise FileError(f"{{atoms={atoms}}} is for molecule files only.")
    if columns and suffix != ".csv":
        raise FileError("{columns} is for .csv files only.")
    if suffix in (".vtp", ".vtu"):
        return read_with_vtk(path, "point"), False
    return _read_csv(path, columns) if suffix == ".csv" else _read_npy(path)


def _read_npy(path: Path) -> tuple[Any, bool]:
    points = load_npy(path)
    if points.ndim != 2 or points.shape[1] not in (2, 3) or points.dtype.kind not in "iuf":
        raise FileError(
            f"contains {points.dtype} of shape {points.shape}; expected real numbers of shape "
            "(n, 3), or (n, 2) in the plane."
        )
    positions = np.zeros((len(points), 3), np.float32 if points.dtype == np.float32 else np.float64)
    positions[:, : points.shape[1]] = points
    dataset = vtkPolyData()
    fill_polydata(dataset, positions, vertices=True)
    return dataset, points.shape[1] == 2


def _read_csv(path: Path, chosen: Sequence[str]) -> tuple[Any, bool]:
    """The columns of numbers as a table; without a line of names they are x, y, z and a3.

    Columns that are chosen as coordinates become x, y, and z, and others of these names are left
    out.
    """
    names, rows = read_table(path)
    n_columns = len(rows[0])
    if chosen:
        places = columns_at(names, n_columns, chosen)
        if not 2 <= len(set(places)) == len(places) <= 3:
            raise FileError(parameter="columns", expected="two or three columns", got=[*chosen])
        others = [i for i, name in enumerate(names) if i not in places and name.lower() not in AXES]
        rows = [[row[i] for i in (*places, *others)] for row in rows]
        names = [*AXES[: len(places)], *(names[i] for i in others)]
    elif not names and n_columns > 4:
        raise FileError(
            f"{n_columns} columns without names. Add a first line with the names of the columns, "
            "of which x, y, and z are the coordinates, or set {columns}."
        )
    names = names or ["x", "y", "z", "a3"][:n_columns]
    if twice := next((name for i, name in enumerate(names) if name in names[:i]), None):
        raise FileError(f"two columns are named {twice!r}. Rename one of them.")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    coordinates = coordinate_columns(names)
    table = vtkTable()
    for name, words in columns.items():
        wrong = next((i for i, word in enumerate(words) if not is_number(word)), None)
        if wrong is None:
            table.AddColumn(to_vtk(np.array(words, dtype=np.float64), name))
        elif name in coordinates:
            raise FileError(
                f"coordinates must be numbers; got {words[wrong]!r} in row {wrong + 1} of column "
                f"'{name}'."
            )
    return table, len(coordinates) == 2
