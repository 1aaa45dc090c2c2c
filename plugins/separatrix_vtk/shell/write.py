"""Results into files, so that a file with the final name is always a whole one.

Everything is written under a temporary name in the folder of the output and renamed at the end. A
.vtm has its pieces in a folder of its own name beside it: these are moved there first, the .vtm
last.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from separatrix_vtk.shell.columns import as_polydata, columns_of, write_columns
from separatrix_vtk.shell.read import FileProblem
from separatrix_vtk.shell.vtk_messages import what_vtk_says

SUFFIX_OF = {
    "vtkImageData": ".vti", "vtkPolyData": ".vtp", "vtkUnstructuredGrid": ".vtu", "vtkTable": ".csv"
}  # fmt: skip
WRITER_OF = {
    ".vti": "vtkXMLImageDataWriter",
    ".vtp": "vtkXMLPolyDataWriter",
    ".vtu": "vtkXMLUnstructuredGridWriter",
}
HELD = {".vti": "images", ".vtp": "points, lines and surfaces", ".vtu": "meshes"}
BLOCKS = """<?xml version="1.0"?>
<VTKFile type="vtkMultiBlockDataSet" version="1.0" byte_order="LittleEndian">
  <vtkMultiBlockDataSet>
{}  </vtkMultiBlockDataSet>
</VTKFile>
"""


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
    """A .vtp, .vti, .vtu or .csv file, as the suffix says."""
    with _temporary_folder(path) as folder:
        _write(dataset, folder / path.name)
        os.replace(folder / path.name, path)


def write_blocks(path: Path, names_and_datasets: list[tuple[str, Any]]) -> None:
    """A .vtm file with a named block a dataset, and the folder of pieces that belongs to it.

    VTK's own writer of .vtm does not tell when a piece could not be written. A table is no block:
    it lies in the folder as .csv, if it has rows. Pieces that a longer result has left are removed.
    """
    pieces, lines, made = path.with_suffix(""), [], set()
    with _temporary_folder(path) as folder:
        for i, (name, dataset) in enumerate(names_and_datasets):
            if dataset.IsA("vtkTable") and not dataset.GetNumberOfRows():
                continue
            file = f"{pieces.name}_{i}{suffix_of(dataset)}"
            _write(dataset, folder / file)
            made.add(file)
            if not dataset.IsA("vtkTable"):
                of_block = f"name={quoteattr(name)} file={quoteattr(f'{pieces.name}/{file}')}"
                lines.append(f'    <DataSet index="{i}" {of_block}/>\n')
        (folder / path.name).write_text(BLOCKS.format("".join(lines)), encoding="utf-8")
        pieces.mkdir(exist_ok=True)
        for file in made:
            os.replace(folder / file, pieces / file)
        os.replace(folder / path.name, path)
        own = re.compile(rf"{re.escape(pieces.name)}_\d+\.(vtp|vti|vtu|csv)")
        for old in pieces.iterdir():
            if own.fullmatch(old.name) and old.name not in made:
                old.unlink()


def suffix_of(dataset: Any) -> str:
    """The kind of file that holds a dataset."""
    return next(suffix for kind, suffix in SUFFIX_OF.items() if dataset.IsA(kind))


def write_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """A .npz file, for those who have no VTK."""
    with _temporary_folder(path) as folder:
        save: Any = np.savez  # its stubs take the names of arrays for flags
        save(folder / "arrays.npz", **arrays)
        os.replace(folder / "arrays.npz", path)


def _write(dataset: Any, path: Path) -> None:
    if path.suffix.lower() == ".csv":
        write_columns(path, columns_of(dataset))
        return
    import vtkmodules.vtkIOXML as xml  # noqa: N813

    if path.suffix.lower() == ".vtp":
        dataset = as_polydata(dataset)
    suffix = path.suffix.lower()
    if suffix != suffix_of(dataset):
        raise FileProblem(
            f"{path.name}: {suffix} files hold {HELD[suffix]}, and what is to be written is none; "
            f"write {suffix_of(dataset)}"
        )
    writer = getattr(xml, WRITER_OF[suffix])()
    writer.SetFileName(str(path))
    writer.SetInputData(dataset)
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOff()
    writer.SetCompressorTypeToLZ4()
    with what_vtk_says():
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
