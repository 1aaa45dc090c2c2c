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
from separatrix_vtk.io.problems import NO_ROOM, FileProblem, NoRoom, plain
from separatrix_vtk.io.tables import as_polydata, columns_of, write_columns
from separatrix_vtk.io.vtk_files import vtk_messages

SUFFIX_OF = {
    "vtkImageData": ".vti", "vtkPolyData": ".vtp", "vtkUnstructuredGrid": ".vtu", "vtkTable": ".csv"
}  # fmt: skip
WRITER_OF = {
    ".vti": "vtkXMLImageDataWriter",
    ".vtp": "vtkXMLPolyDataWriter",
    ".vtu": "vtkXMLUnstructuredGridWriter",
}
SUFFIXES = (*WRITER_OF, ".csv", ".vtm", ".npz")
TEMPORARY = ".separatrix-"  # begins the name of the folder that is written to
REPLACED = "replaced"  # in it: where old pieces of a .vtm wait
HELD = {".vti": "images", ".vtp": "points, lines and surfaces", ".vtu": "meshes"}
BLOCKS = """<?xml version="1.0"?>
<VTKFile type="vtkMultiBlockDataSet" version="1.0" byte_order="LittleEndian">
  <vtkMultiBlockDataSet>
{}  </vtkMultiBlockDataSet>
</VTKFile>
"""


def check_writable(path: Path, source: Path | None = None) -> None:
    """Raise FileProblem if an output cannot be written or is the input."""
    check_lengths(path)
    if source is not None and path.exists() and source.exists() and os.path.samefile(path, source):
        raise FileProblem("is the input. Choose another name for the output.", path)
    folder = path.absolute().parent
    if not folder.is_dir():
        raise FileProblem(f"the folder {folder} does not exist.", path)
    if not os.access(folder, os.W_OK):
        raise FileProblem(f"the folder {folder} is not writable.", path)
    if path.is_dir():
        raise FileProblem("is a folder.", path)
    if path.suffix.lower() == ".vtm":
        check_pieces(path)


def check_lengths(path: Path) -> None:
    """Raise FileProblem if the name or the path is longer than the file system allows."""
    folder, names = path.absolute().parent, [path.name]
    if path.suffix.lower() == ".vtm":
        names.append(f"{path.stem}_99.vtp")
    try:
        longest_name, longest_path = (os.pathconf(folder, f"PC_{n}_MAX") for n in ("NAME", "PATH"))
    except (AttributeError, OSError, ValueError):  # no such folder, or a system that says nothing
        return
    length = max(len(os.fsencode(name)) for name in names)
    if 0 < longest_name < length:
        raise FileProblem(
            f"its name has {length} bytes; the maximum in {folder} is {longest_name}. Choose a "
            "shorter name.",
            path,
        )
    around = len(os.fsencode(folder)) + len(f"/{TEMPORARY}01234567/{REPLACED}/")
    if 0 < longest_path <= around + length:
        raise FileProblem(
            f"its path with the temporary folder has {around + length} bytes; the maximum is "
            f"{longest_path}. Write it to a folder with a shorter path.",
            path,
        )


def check_pieces(path: Path) -> None:
    """Raise FileProblem if a file or a link has the name of the folder for a .vtm file's pieces."""
    pieces = path.with_suffix("")
    is_link = pieces.is_symlink()
    if is_link or (pieces.exists() and not pieces.is_dir()):
        what = "link" if is_link else "file"
        raise FileProblem(
            f"is a {what}; expected a folder for the pieces of {path.name}. Remove it.", pieces
        )


def write_dataset(path: Path, dataset: Any) -> None:
    """A .vtp, .vti, .vtu or .csv file, as the suffix says."""
    with _temporary_folder(path) as folder:
        _write(dataset, folder / path.name)
        with last_step():
            os.replace(folder / path.name, path)


def write_blocks(path: Path, names_and_datasets: list[tuple[str, Any]]) -> None:
    """A .vtm file with a named block a dataset, and the folder of pieces that belongs to it.

    VTK's own writer of .vtm does not tell when a piece could not be written. A table is no block:
    it lies in the folder as .csv, if it has rows. Pieces that a longer result has left are removed.
    """
    pieces, lines, made = path.with_suffix(""), [], set()
    check_pieces(path)
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


class NotPutBack(Exception):
    """Old pieces of a .vtm are not in their folder, but still in the temporary one."""

    def __init__(self, n_pieces: int, target: Path, reason: BaseException):
        super().__init__()
        self.n_pieces, self.target, self.reason = n_pieces, target, reason


@contextmanager
def _all_or_none(target: Path, replaced: Path) -> Iterator[Callable[[Path], None]]:
    """A function that moves a file into the folder `target`; after an error nothing was moved.

    Files that are replaced wait in the new folder `replaced` until all is well. Raises NotPutBack
    after an error where some of them must stay there.
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
    except BaseException as error:
        for place in moved:
            with suppress(OSError):
                place.unlink(missing_ok=True)
        for old in (waiting := sorted(replaced.iterdir())):
            with suppress(OSError, KeyboardInterrupt):  # the others can be put back all the same
                os.replace(old, target / old.name)
        if is_new:
            with suppress(OSError):
                target.rmdir()
        if left := sum(os.path.lexists(old) for old in waiting):
            raise NotPutBack(left, target, error) from error
        raise


def suffix_of(dataset: Any) -> str:
    """The kind of file that holds a dataset."""
    return next(suffix for kind, suffix in SUFFIX_OF.items() if dataset.IsA(kind))


def write_arrays(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """A .npz file, for those who have no VTK.

    numpy.savez would take an array called `file` for the file, and a name with slashes for a path.
    """
    with _temporary_folder(path) as folder:
        with zipfile.ZipFile(folder / "arrays.npz", "w") as archive:
            for name, values in zip(_members(arrays), arrays.values(), strict=True):
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    file = _Stoppable(member)
                    np.lib.format.write_array(file, np.asanyarray(values), allow_pickle=False)
        with last_step():
            os.replace(folder / "arrays.npz", path)


class _Stoppable:
    """A file for NumPy, which writes some MB at a time, that raises where a signal has come."""

    def __init__(self, file: Any):
        self.file = file

    def write(self, data: bytes) -> int:
        stop_if_wanted()
        return int(self.file.write(data))


def _members(names: Iterable[str]) -> list[str]:
    """The names as those of an archive's members: no path, and no two the same."""
    members: list[str] = []
    for name in names:
        plain = re.sub(r"[/\\:]|[^ -~\w]", "_", name) or "unnamed"
        while plain in members:
            plain += "_"
        members.append(plain)
    return members


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
            f"{suffix} files contain {HELD[suffix]}; got {dataset.GetClassName()}. Write "
            f"{suffix_of(dataset)}.",
            Path(path.name),
        )
    writer = getattr(xml, WRITER_OF[suffix])()
    writer.SetInputData(dataset)
    writer.SetDataModeToAppended()
    writer.EncodeAppendedDataOff()
    writer.SetCompressorTypeToLZ4()
    _write_by(writer, path)


def write_picture(path: Path, writer: Any) -> None:
    """A file by VTK's writer of pictures, which has its input."""
    with _temporary_folder(path) as folder:
        _write_by(writer, folder / path.name)
        with last_step():
            os.replace(folder / path.name, path)


def _write_by(writer: Any, path: Path) -> None:
    def stop(*_: object) -> None:
        if stop_wanted():
            _take_away(path)

    writer.SetFileName(str(path))
    stop_if_wanted()
    # VTK would end the process after a KeyboardInterrupt in an observer, so no signal raises here.
    with signals_held(), vtk_messages():
        observer = writer.AddObserver("ProgressEvent", stop)
        # Writers of pictures return nothing, and say nothing of a file that was cut short.
        failed = writer.Write() == 0 or writer.GetErrorCode() or not path.is_file()
        writer.RemoveObserver(observer)
    stop_if_wanted()
    if failed:
        raise NoRoom("could not be written. Is the disk full?", Path(path.name))


def _take_away(path: Path) -> None:
    """Have all further writing to an open file fail: VTK's writers look at no AbortExecute."""
    with suppress(OSError):
        wanted = path.stat()
        for name in os.listdir("/dev/fd"):
            with suppress(OSError):
                if os.path.samestat(os.fstat(int(name)), wanted):
                    null = os.open(os.devnull, os.O_RDONLY)
                    os.dup2(null, int(name), inheritable=False)
                    os.close(null)


@contextmanager
def _temporary_folder(path: Path) -> Iterator[Path]:
    """A hidden folder of the user's alone beside `path`, removed at the end."""
    folder, is_kept = None, False
    with signals_noted():
        try:
            stop_if_wanted()
            folder = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=path.absolute().parent))
            yield folder
        except OSError as error:
            raise _problem(path, error) from None
        except NotPutBack as error:
            is_kept = True
            assert folder is not None
            told = (
                f" {error.n_pieces} of the old pieces could not be restored into {error.target} "
                f"and are kept in {folder / REPLACED}."
            )
            raise _problem(path, error.reason, told) from None
        finally:
            with signals_held():
                if folder is not None and is_kept:
                    for file in folder.glob("*.*"):  # the new ones
                        with suppress(OSError):
                            file.unlink()
                elif folder is not None:
                    shutil.rmtree(folder, ignore_errors=True)


def _problem(path: Path, error: BaseException, more: str = "") -> FileProblem:
    kind = NoRoom if isinstance(error, OSError) and error.errno in NO_ROOM else FileProblem
    reason = getattr(error, "strerror", None) or str(error) or "stopped"
    return kind(f"cannot be written ({plain(reason)}).{more}", path)
