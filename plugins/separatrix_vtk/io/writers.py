"""Writers that never leave a partial file under the name of the output.

Everything is written under a temporary name in the folder of the output and renamed at the end. The
pieces of a .vtm file are in a folder of its own name next to it: they are moved there first, the
.vtm last, and if one cannot be moved the old ones are restored. A signal interrupts the writing and
not the renaming (see base/signals.py).
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from separatrix_vtk.base.signals import (
    last_step,
    signals_held,
    signals_noted,
    stop_if_wanted,
    stop_wanted,
)
from separatrix_vtk.io.errors import (
    NO_ROOM,
    REPLACED,
    TEMPORARY,
    FileError,
    NoRoom,
    check_pieces,
    plain,
)
from separatrix_vtk.io.tables import as_polydata, columns_of, write_columns
from separatrix_vtk.io.vtk_files import vtk_messages

VTK_FILES = {  # class of the dataset, its writer, and what files contain
    ".vti": ("vtkImageData", "vtkXMLImageDataWriter", "images"),
    ".vtp": ("vtkPolyData", "vtkXMLPolyDataWriter", "points, lines and surfaces"),
    ".vtu": ("vtkUnstructuredGrid", "vtkXMLUnstructuredGridWriter", "meshes"),
}
SUFFIXES = (*VTK_FILES, ".csv", ".vtm", ".npz")
BLOCKS = """<?xml version="1.0"?>
<VTKFile type="vtkMultiBlockDataSet" version="1.0" byte_order="LittleEndian">
  <vtkMultiBlockDataSet>
{}  </vtkMultiBlockDataSet>
</VTKFile>
"""


def write_dataset(path: Path, dataset: Any) -> None:
    """Write a .vtp, .vti, .vtu, or .csv file, by its suffix."""
    with new_file(path) as file:
        _write(dataset, file, path)


def write_blocks(path: Path, names_and_datasets: list[tuple[str, Any]]) -> None:
    """Write a .vtm file with one named block per dataset, and the folder of its pieces.

    VTK's writer of .vtm files does not report errors of pieces. A table with rows is written to the
    folder as .csv, but is not a block. Pieces of an earlier, longer result are removed.
    """
    pieces, lines, made = path.with_suffix(""), [], set()
    check_pieces(path)
    with _temporary_folder(path) as folder:
        for i, (name, dataset) in enumerate(names_and_datasets):
            if dataset.IsA("vtkTable") and not dataset.GetNumberOfRows():
                continue
            file = f"{pieces.name}_{i}{suffix_of(dataset)}"
            _write(dataset, folder / file, path)
            made.add(file)
            if not dataset.IsA("vtkTable"):
                of_block = f"name={quoteattr(name)} file={quoteattr(f'{pieces.name}/{file}')}"
                lines.append(f'    <DataSet index="{i}" {of_block}/>\n')
        (folder / path.name).write_text(BLOCKS.format("".join(lines)), encoding="utf-8")
        with last_step():
            with _all_or_none(pieces, folder / REPLACED) as move:
                for file in sorted(made):
                    move(folder / file)
                os.replace(folder / path.name, path)
            own = re.compile(rf"{re.escape(pieces.name)}_\d+\.(vtp|vti|vtu|csv)")
            with suppress(OSError):  # the .vtm does not name them
                for old in pieces.iterdir():
                    if own.fullmatch(old.name) and old.name not in made:
                        old.unlink()


@contextmanager
def _all_or_none(target: Path, replaced: Path) -> Iterator[Callable[[Path], None]]:
    """A function that moves a file into the folder `target`; after an error nothing was moved.

    Files that are replaced are kept in the new folder `replaced` until all are moved.
    """
    moved = []

    def move(file: Path) -> None:
        place = target / file.name
        if place.exists():
            os.replace(place, replaced / file.name)
        moved.append(place)
        os.replace(file, place)

    is_new = not target.exists()
    target.mkdir(exist_ok=True)
    replaced.mkdir()
    try:
        yield move
    except BaseException:
        for place in moved:
            with suppress(OSError):
                place.unlink(missing_ok=True)
        for old in sorted(replaced.iterdir()):
            with suppress(OSError, KeyboardInterrupt):  # the others can be put back all the same
                os.replace(old, target / old.name)
        if is_new:
            with suppress(OSError):
                target.rmdir()
        raise


def suffix_of(dataset: Any) -> str:
    """The suffix of the files for a dataset."""
    return next((s for s, (kind, *_) in VTK_FILES.items() if dataset.IsA(kind)), ".csv")


def write_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write a .npz file.

    numpy.savez would use an array named `file` as the file, and a name with slashes as a path.
    """
    with new_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name, values in zip(_members(arrays), arrays.values(), strict=True):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                stoppable = _Stoppable(member)
                np.lib.format.write_array(stoppable, np.asanyarray(values), allow_pickle=False)


class _Stoppable:
    """A file for NumPy, which writes some MB at a time, that raises an error after a signal."""

    def __init__(self, file: Any):
        self.file = file

    def write(self, data: bytes) -> int:
        stop_if_wanted()
        return int(self.file.write(data))


def _members(names: Iterable[str]) -> list[str]:
    """Distinct names of the members of an archive, which are not paths."""
    members: list[str] = []
    for name in names:
        plain = re.sub(r"[/\\:]|[^ -~\w]", "_", name) or "unnamed"
        while plain in members:
            plain += "_"
        members.append(plain)
    return members


def _write(dataset: Any, file: Path, path: Path) -> None:
    """Write a file in the temporary folder; `path` is the output that errors name."""
    suffix = file.suffix.lower()
    if suffix == ".csv":
        write_columns(file, columns_of(dataset))
        return
    import vtkmodules.vtkIOXML as xml  # noqa: N813

    if suffix == ".vtp":
        dataset = as_polydata(dataset)
    kind, writer_name, contents = VTK_FILES[suffix]
    if not dataset.IsA(kind):
        raise FileError(
            f"{suffix} files contain {contents}; got {dataset.GetClassName()}. Write "
            f"{suffix_of(dataset)}.",
            path,
        )
    writer = getattr(xml, writer_name)()
    writer.SetInputData(dataset)
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOff()
    writer.SetCompressorTypeToLZ4()
    _write_by(writer, file, path)


def write_picture(path: Path, writer: Any) -> None:
    """Write a file with a writer of VTK for pictures, whose input is set."""
    with new_file(path) as file:
        _write_by(writer, file, path)


def _write_by(writer: Any, file: Path, path: Path) -> None:
    def stop(*_: object) -> None:
        if stop_wanted():
            _block_writes(file)

    writer.SetFileName(str(file))
    stop_if_wanted()
    # VTK would end the process after a KeyboardInterrupt in an observer, so signals are held.
    with signals_held(), vtk_messages():
        observer = writer.AddObserver("ProgressEvent", stop)
        # Writers of pictures return nothing, and do not report truncated files.
        failed = writer.Write() == 0 or writer.GetErrorCode() or not file.is_file()
        writer.RemoveObserver(observer)
    stop_if_wanted()
    if failed:
        raise NoRoom("could not be written. Is the disk full?", path)


def _block_writes(path: Path) -> None:
    """Make further writes to an open file fail, because VTK's writers ignore AbortExecute."""
    with suppress(OSError):
        wanted = path.stat()
        for name in os.listdir("/dev/fd"):
            with suppress(OSError):
                if os.path.samestat(os.fstat(int(name)), wanted):
                    null = os.open(os.devnull, os.O_RDONLY)
                    os.dup2(null, int(name), inheritable=False)
                    os.close(null)


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A temporary file to write to, which replaces `path` at the end."""
    with _temporary_folder(path) as folder:
        yield folder / path.name
        with last_step():
            os.replace(folder / path.name, path)


@contextmanager
def _temporary_folder(path: Path) -> Iterator[Path]:
    """A hidden folder next to `path`, accessible to the user only, and removed at the end.

    After an error it is kept if it contains old pieces that could not be restored.
    """
    folder, kept = None, []
    with signals_noted():
        try:
            stop_if_wanted()
            folder = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=path.absolute().parent))
            yield folder
        except BaseException as error:
            kept = list((folder / REPLACED).glob("*")) if folder is not None else []
            if not kept and not isinstance(error, OSError):
                raise
            kind = FileError
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                kind = NoRoom
            reason = getattr(error, "strerror", None) or str(error) or "stopped"
            text = f"cannot be written ({plain(reason)})."
            if kept:
                text += (
                    f" {len(kept)} of the old pieces could not be restored into "
                    f"{path.with_suffix('')} and are kept in {folder}/{REPLACED}."
                )
            raise kind(text, path) from None
        finally:
            with signals_held():
                if folder is not None and kept:
                    for file in folder.glob("*.*"):  # the new ones
                        with suppress(OSError):
                            file.unlink()
                elif folder is not None:
                    shutil.rmtree(folder, ignore_errors=True)
