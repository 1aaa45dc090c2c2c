"""Files that VTK's own readers read, some of which do not notice or survive a damaged file.

Readers report errors in VTK's output window or, like MetaIO, on stderr; both are captured here.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from separatrix_vtk.io.metaimage import missing_data
from separatrix_vtk.io.problems import FileProblem, damaged, plain, require_file, unsupported
from separatrix_vtk.io.trial import trouble_of

IMAGES = {
    ".vti": ("vtkIOXML", "vtkXMLImageDataReader"),
    ".mhd": ("vtkIOImage", "vtkMetaImageReader"),
    ".mha": ("vtkIOImage", "vtkMetaImageReader"),
}
MESHES = {
    ".vtu": ("vtkIOXML", "vtkXMLUnstructuredGridReader"),
    ".vtp": ("vtkIOXML", "vtkXMLPolyDataReader"),
    ".vtk": ("vtkIOLegacy", "vtkDataSetReader"),
    ".stl": ("vtkIOGeometry", "vtkSTLReader"),
    ".ply": ("vtkIOPLY", "vtkPLYReader"),
    ".obj": ("vtkIOGeometry", "vtkOBJReader"),
}
POINTS = (".vtp", ".vtu")
READERS = {**IMAGES, **MESHES}


def read_with_vtk(path: Path, what: str) -> Any:
    """Read a file first in a process that a damaged file may end, and then in this one.

    what: "image", "mesh" or "point", for the error about a file without any
    """
    suffix = path.suffix.lower()
    if suffix in (".mhd", ".mha") and (missing := missing_data(path)):
        raise damaged(path, missing)
    module, name = READERS[suffix]
    new_reader = getattr(importlib.import_module(f"vtkmodules.{module}"), name)
    trouble = trouble_of(path, lambda: _read(path, new_reader())[1])
    dataset = None
    if not trouble:
        dataset, trouble = _read(path, new_reader())
    if trouble:
        raise FileProblem(trouble, path)
    if dataset is None or dataset.GetNumberOfPoints() == 0:
        raise FileProblem(f"contains no {what}.", path)
    return dataset


def read_mesh(path: Path, array: str | None = None) -> Any:
    """The mesh in a file; a .vtk file may contain an image as well.

    array: x, y or z makes that coordinate a point array, unless there is one of that name
    """
    if path.suffix.lower() not in MESHES:
        raise unsupported(path, MESHES)
    require_file(path)
    mesh = read_with_vtk(path, "mesh")
    if path.suffix.lower() == ".obj":  # the reader's own numbers of groups, not a field of the file
        mesh.GetCellData().RemoveArray("GroupIds")
    is_coordinate = array in ("x", "y", "z") and mesh.IsA("vtkPointSet")
    if is_coordinate and not mesh.GetPointData().HasArray(array):
        from separatrix_vtk.base.arrays import from_vtk, to_vtk

        points = from_vtk(mesh.GetPoints().GetData())
        mesh.GetPointData().AddArray(to_vtk(points[:, "xyz".index(str(array))], str(array)))
    return mesh


def _read(path: Path, reader: Any) -> tuple[Any, str]:
    """The output of a reader, and what is wrong with the file, or ""."""
    with vtk_messages() as messages, printed_text() as printed:
        if hasattr(reader, "CanReadFile") and not reader.CanReadFile(str(path)):
            return None, f"not a {path.suffix} file, or damaged."
        reader.SetFileName(str(path))
        reader.Update()
        dataset = reader.GetOutputDataObject(0)
        text = messages()
        is_meta = reader.IsA("vtkMetaImageReader")
        if reader.GetErrorCode() or "ERROR:" in text or (is_meta and printed()):
            reason = _first_message(text) if "ERROR:" in text else plain(printed())
            return dataset, f"truncated or damaged ({reason or 'VTK gives no reason'})."
    return dataset, ""


def _first_message(messages: str) -> str:
    """The text of the first error in VTK's output window, without class and address."""
    found = re.search(r"\(0x[0-9a-f]+\): (.+)", messages)
    return plain(found[1] if found else messages)


@contextlib.contextmanager
def vtk_messages() -> Iterator[Callable[[], str]]:
    """Silence VTK; the function that is yielded returns the text of its output window."""
    from vtkmodules.vtkCommonCore import vtkLogger, vtkOutputWindow, vtkStringOutputWindow

    window, messages = vtkOutputWindow.GetInstance(), vtkStringOutputWindow()
    vtkOutputWindow.SetInstance(messages)
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)  # which would repeat all of it
    try:
        yield lambda: str(messages.GetOutput())
    finally:
        vtkOutputWindow.SetInstance(window)


@contextlib.contextmanager
def printed_text() -> Iterator[Callable[[], str]]:
    """Capture stderr; the function that is yielded returns what a library has printed there."""
    sys.stderr.flush()
    try:
        before = os.dup(2)
    except OSError:  # stderr is closed
        yield lambda: ""
        return
    with tempfile.TemporaryFile() as kept:
        os.dup2(kept.fileno(), 2)
        try:
            yield lambda: os.pread(kept.fileno(), 4000, 0).decode("utf-8", "replace")
        finally:
            os.dup2(before, 2)
            os.close(before)
