"""Results into files, so that a file with the final name is always a whole one.

Everything is written under a temporary name in the folder of the output and renamed at the end. A
.vtm has its pieces in a folder of its own name beside it: these are moved there first, the .vtm
last.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.shell.read import FileProblem


def check_writable(path: Path, source: Path) -> None:
    """Complain before hours of work, not after them; never write over the data themselves."""
    if path.exists() and source.exists() and os.path.samefile(path, source):
        raise FileProblem(f"{path}: is the input; name another output")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise FileProblem(f"{path}: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise FileProblem(f"{path}: the folder {folder} cannot be written to")
    if path.is_dir():
        raise FileProblem(f"{path}: is a folder")


def write_dataset(path: Path, dataset: Any) -> None:
    """A .vtp or .vti file."""
    from vtkmodules.vtkIOXML import vtkXMLImageDataWriter, vtkXMLPolyDataWriter

    writer = vtkXMLImageDataWriter() if dataset.IsA("vtkImageData") else vtkXMLPolyDataWriter()
    with _temporary_folder(path) as folder:
        _write(writer, dataset, folder / path.name)
        os.replace(folder / path.name, path)


def write_blocks(path: Path, names_and_datasets: list[tuple[str, Any]]) -> None:
    """A .vtm file with a named block a dataset, and the folder of pieces that belongs to it."""
    from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet, vtkMultiBlockDataSet
    from vtkmodules.vtkIOXML import vtkXMLMultiBlockDataWriter

    blocks = vtkMultiBlockDataSet()
    for i, (name, dataset) in enumerate(names_and_datasets):
        blocks.SetBlock(i, dataset)
        blocks.GetMetaData(i).Set(vtkCompositeDataSet.NAME(), name)
    with _temporary_folder(path) as folder:
        _write(vtkXMLMultiBlockDataWriter(), blocks, folder / path.name)
        pieces = path.with_suffix("")
        pieces.mkdir(exist_ok=True)
        for piece in (folder / pieces.name).iterdir():
            os.replace(piece, pieces / piece.name)
        os.replace(folder / path.name, path)


def write_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """A .npz file, for those who have no VTK."""
    with _temporary_folder(path) as folder:
        save: Any = np.savez  # its stubs take the names of arrays for flags
        save(folder / "arrays.npz", **arrays)
        os.replace(folder / "arrays.npz", path)


def _write(writer: Any, dataset: Any, path: Path) -> None:
    writer.SetFileName(str(path))
    writer.SetInputData(dataset)
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOff()
    writer.SetCompressorTypeToLZ4()
    if not writer.Write() or writer.GetErrorCode():
        raise FileProblem(f"{path.name}: could not be written; is the disk full?")


@contextmanager
def _temporary_folder(path: Path) -> Iterator[Path]:
    try:
        folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.absolute().parent))
    except OSError as error:
        raise FileProblem(f"{path}: cannot be written ({error.strerror})") from None
    try:
        yield folder
    except OSError as error:
        raise FileProblem(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
