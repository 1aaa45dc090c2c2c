"""Shared by the commands on points: reading points and atoms, datasets for each kind of file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.options import Options, option
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.cli.runner import Run
from separatrix_vtk.cli.summary import Rows, print_rows, rows_of_run
from separatrix_vtk.io.molecules.words import WORDS
from separatrix_vtk.io.problems import FileProblem

INPUT = (
    "Points (.vtp, .vtu, .csv with columns x, y, z, or .npy of shape (n, 3)) or a molecule (.pdb, "
    ".cif, .pqr, .xyz, .crd, also .gz)."
)


class AtomOptions(Options):
    """How molecule files are read."""

    atoms: str = option(
        default="",
        group="Input",
        summary=f"What to read of a molecule file, separated by commas: {WORDS}. By default the "
        "ATOM records except water.",
    )


def as_dataset_of(output: Path | None, points: Any) -> Any:
    """The points as the kind of dataset that the file contains."""
    suffix = "" if output is None else output.suffix.lower()
    if suffix == ".vtu" and not points.IsA("vtkUnstructuredGrid"):
        raise FileProblem(f"{output}: .vtu files contain the points of a .vtu input. Use .vtp.")
    if suffix in ("", ".vtu", ".npz") or points.IsA("vtkPolyData"):
        return points
    from vtkmodules.vtkCommonDataModel import vtkPolyData

    from separatrix_vtk.base.arrays import fill_polydata, from_vtk

    made = vtkPolyData()
    fill_polydata(made, from_vtk(points.GetPoints().GetData()), vertices=True)
    made.GetPointData().ShallowCopy(points.GetPointData())
    return made


def report(run: Run, found: Any, rows: Rows) -> None:
    """Print the summary of a run: rows for people, the report of the filter for programs."""
    summary = run.summary(found)
    reporter.result(summary, lambda: print_rows([*rows, *rows_of_run(summary)]))
