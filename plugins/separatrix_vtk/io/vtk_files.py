"""Files that VTK's own readers read, some of which do not notice or survive a damaged file.

A file of a few MB is read twice: first in a forked process with bounded memory and time, whose exit
shows whether the file can be read at all, then here. Larger files would take too long. Readers
report errors in VTK's output window or, like MetaIO, on stderr; both are captured.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from separatrix_vtk.base.arrays import from_vtk, to_vtk
from separatrix_vtk.base.signals import STOPPING
from separatrix_vtk.io.errors import (
    FileError,
    damaged,
    data_file,
    library,
    plain,
    reader,
    require_file,
)
from separatrix_vtk.io.formats import OF_MESHES, OF_MESHIO, READERS, suffix_of, unsupported
from separatrix_vtk.io.streams import takes_streams

SMALL = 64 << 20  # bytes of a file that is tried first
MEMORY, TIMES = 1 << 30, 1100  # bytes for the reader, and for each byte of the file: deflate's most
CPU_SECONDS, SECONDS_PER_MEBIBYTE = 8, 2
PATIENCE = 120.0  # seconds to wait for a trial
HEADER_BYTES = 1 << 16  # far more than any header has
Prepare = Callable[[Any], object]  # takes the reader, after its file is set


def problem_of(files: Iterable[Path], read: Callable[[], str]) -> str:
    """The problem of files: that which `read` returns, or how its process ended; "" if none.

    read: reads the files and returns a sentence, or "".
    """
    n_bytes = sum(file.stat().st_size for file in files)
    if not hasattr(os, "fork") or n_bytes > SMALL:
        return ""
    context = multiprocessing.get_context("fork")
    answer, sender = context.Pipe(duplex=False)
    child = context.Process(target=_run_trial, args=(n_bytes, read, sender))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about threads, which the child does not use
        child.start()
    sender.close()
    try:
        return str(answer.recv()) if answer.poll(PATIENCE) else ""
    except EOFError:
        child.join()
    finally:
        answer.close()
        child.kill()
        child.join()
    code = child.exitcode
    if not code:  # unknown if SIGCHLD is ignored
        return "damaged: VTK's reader crashes on it."
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "damaged: VTK's reader does not finish reading it."
    name = signal.Signals(-code).name if code < 0 else f"status {code}"
    return f"damaged: VTK's reader crashes on it ({name})."


def _run_trial(n_bytes: int, read: Callable[[], str], sender: Connection) -> None:
    """Read, send the result, and exit without the finalization of Python."""
    status = 1
    try:
        for number in STOPPING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        _bound(n_bytes)
        silence = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(silence, stream)
        sender.send(read()[:4000])
        status = 0
    except MemoryError:
        sender.send("damaged: reading it requires more memory than plausible.")
        status = 0
    finally:
        os._exit(status)


def _bound(n_bytes: int) -> None:
    import resource

    seconds = CPU_SECONDS + SECONDS_PER_MEBIBYTE * (n_bytes >> 20)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        room = pages * resource.getpagesize() + MEMORY + TIMES * n_bytes
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard == resource.RLIM_INFINITY or room < hard:
            resource.setrlimit(resource.RLIMIT_AS, (room, hard))


def data_files_of(path: Path) -> list[Path]:
    """The files that a MetaImage, or the index of pieces, names. Lists are left to the reader.

    Raises FileError if one of them is missing, or is outside of the folder.
    """
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES).decode("latin-1")
    if path.suffix.lower() in (".mhd", ".mha"):
        found = re.search(r"^\s*ElementDataFile\s*=([^\r\n]*)", header, re.MULTILINE)
        name = found[1].strip() if found else "LOCAL"
        names = [] if name.upper() == "LOCAL" or name.startswith("LIST") or "%" in name else [name]
    else:
        names = re.findall(r"<Piece\b[^>]*?\bSource=[\"']([^\"']*)", header)
    try:
        return [data_file(path, name) for name in names]
    except ValueError as error:
        raise damaged(error) from None


def read_with_vtk(
    path: Path, what: str, prepare: Prepare = bool, files: Sequence[Path] = ()
) -> Any:
    """Read a file first in a process that a damaged file may end, and then in this one.

    what: "image", "mesh" or "point", for the error about a file without any; files: all those that
    are read, if there are others
    """
    suffix = suffix_of(path)
    if suffix in (".mhd", ".mha") or suffix.startswith(".pvt"):
        files = data_files_of(path)
    return read_several([path], what, prepare, files)[0][1]


def read_several(
    paths: Sequence[Path],
    what: str,
    prepare: Prepare = bool,
    files: Sequence[Path] = (),
    suffix: str = "",
) -> list[tuple[Any, Any]]:
    """The reader and the dataset of each of several files of one format; see `read_with_vtk`.

    suffix: the format, by default that of the first name
    """
    module, name = READERS[suffix or suffix_of(paths[0])].split(".")
    new_reader = getattr(importlib.import_module(f"vtkmodules.{module}"), name)

    def read_all(kept: list[tuple[Any, Any]]) -> str:
        for path in paths:
            reader = new_reader()
            dataset, trouble = _read(path, reader, prepare)
            if not trouble and (dataset is None or dataset.GetNumberOfPoints() == 0):
                trouble = f"contains no {what}."
            if trouble:
                return trouble
            kept.append((reader, dataset))
        return ""

    found: list[tuple[Any, Any]] = []
    if trouble := problem_of({*paths, *files}, lambda: read_all([])) or read_all(found):
        raise FileError(trouble)
    return found


@takes_streams
@reader
def read_mesh(path: Path, array: str | None = None) -> Any:
    """The mesh in a file; a .vtk file may contain an image as well.

    array: x, y or z makes that coordinate a point array, unless there is one of that name
    """
    suffix = suffix_of(path)
    if suffix not in OF_MESHES:
        raise unsupported(path, f"one of {', '.join(OF_MESHES)}")
    require_file(path)
    if suffix in OF_MESHIO:
        mesh = read_with_meshio(path)
    else:
        mesh = read_with_vtk(path, "mesh")
    if suffix == ".obj":  # the reader's own numbers of groups, not a field of the file
        mesh.GetCellData().RemoveArray("GroupIds")
    is_coordinate = array in ("x", "y", "z") and mesh.IsA("vtkPointSet")
    if is_coordinate and not mesh.GetPointData().HasArray(array):
        points = from_vtk(mesh.GetPoints().GetData())
        mesh.GetPointData().AddArray(to_vtk(points[:, "xyz".index(str(array))], str(array)))
    return mesh


def read_with_meshio(path: Path) -> Any:
    """The mesh of a file of another program: meshio writes it as a .vtu file, which VTK reads."""
    meshio = library("meshio", path)
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()),
        printed_text() as printed,
    ):
        file = Path(folder) / "mesh.vtu"
        try:
            mesh = meshio.read(path)
            n_points = len(mesh.points)
            if not any(len(block.data) for block in mesh.cells):
                raise FileError("contains no cells.")
            if any(block.data.max(initial=-1) >= n_points for block in mesh.cells):
                raise damaged("its cells have points that it does not contain")
            mesh.cell_sets, mesh.point_sets = {}, {}
            try:
                mesh.write(file)
            except KeyError as error:
                raise FileError(
                    f"contains cells of type {error.args[0]}, which cannot be converted to VTK. "
                    "Save the mesh with linear or quadratic cells."
                ) from None
        except ModuleNotFoundError as error:
            raise FileError(
                f"reading {path.suffix} files requires {error.name}, which is not installed. Run "
                f"`pip install {error.name}`."
            ) from None
        except (FileError, MemoryError):
            raise
        except (Exception, SystemExit) as error:  # meshio ends the program if no reader works
            reason = plain(error) if isinstance(error, Exception) else plain(printed())
            raise damaged(reason or type(error).__name__) from None
        return read_with_vtk(file, "mesh")


def _read(path: Path, reader: Any, prepare: Prepare) -> tuple[Any, str]:
    """The output of a reader, and what is wrong with the file, or ""."""
    with vtk_messages() as messages, printed_text() as printed:
        if hasattr(reader, "CanReadFile") and not reader.CanReadFile(str(path)):
            return None, f"not a {path.suffix} file, or damaged."
        reader.SetFileName(str(path))
        try:
            prepare(reader)
        except FileError as error:
            return None, str(error)
        reader.Update()
        dataset = reader.GetOutputDataObject(0)
        text = messages()
        is_meta = reader.IsA("vtkMetaImageReader")
        if reader.GetErrorCode() or "ERROR:" in text or (is_meta and printed()):
            reason = _first_message(text) if "ERROR:" in text else plain(printed())
            return dataset, f"truncated or damaged ({reason or 'VTK gives no reason'})."
    return dataset, ""


def _first_message(messages: str) -> str:
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
