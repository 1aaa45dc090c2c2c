"""Meshes of other programs by meshio, which writes them as a .vtu file that VTK reads."""

from __future__ import annotations

import tempfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from separatrix_vtk.io.problems import FileProblem, damaged, plain
from separatrix_vtk.io.stored_arrays import library
from separatrix_vtk.io.vtk_files import printed_text, read_with_vtk


def read_with_meshio(path: Path) -> Any:
    """The mesh of a file, an unstructured grid."""
    meshio = library("meshio", path)
    with (
        tempfile.TemporaryDirectory() as folder,
        redirect_stdout(StringIO()),
        printed_text() as printed,
    ):
        file = Path(folder) / "mesh.vtu"
        try:
            mesh = meshio.read(path)
            n_points = len(mesh.points)
            if not any(len(block.data) for block in mesh.cells):
                raise FileProblem("contains no cells.")
            if any(block.data.max(initial=-1) >= n_points for block in mesh.cells):
                raise damaged("its cells have points that it does not contain")
            mesh.cell_sets, mesh.point_sets = {}, {}
            mesh.write(file)
        except ModuleNotFoundError as error:
            raise FileProblem(
                f"reading {path.suffix} files requires {error.name}, which is not installed. Run "
                f"`pip install {error.name}`."
            ) from None
        except (FileProblem, MemoryError):
            raise
        except (Exception, SystemExit) as error:  # meshio ends the program if no reader works
            reason = plain(error) if isinstance(error, Exception) else plain(printed())
            raise damaged(reason or type(error).__name__) from None
        return read_with_vtk(file, "mesh")
