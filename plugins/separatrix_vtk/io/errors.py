"""Errors and warnings about files, and the checks before a file is read or written."""

from __future__ import annotations

import errno
import functools
import importlib
import os
import re
import site
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar, cast

import separatrix as sx

Reader = TypeVar("Reader", bound=Callable[..., Any])

TEMPORARY = ".separatrix-"  # begins the name of the folder that is written to
REPLACED = "replaced"  # the folder in it for old pieces of a .vtm file
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class FileWarning(UserWarning):
    """A file was read, but part of it was ignored or guessed; the message says which."""


class FileError(sx.InputError):
    """A file cannot be read or written; the sentence begins with its path.

    It has a message, or the parameter, expected, got, ... of other errors of the engine.
    """

    is_of_machine = False

    def __init__(self, message: str = "", path: Path | None = None, **about: Any) -> None:
        self.path = path
        super().__init__(**about, message=message)

    def of(self, path: Path) -> FileError:
        """Return the same error about another file."""
        names = ("parameter", "expected", "got", "remedy", "where", "count")
        return FileError(self.message, path, **{name: getattr(self, name) for name in names})

    def render(self, *spell: Callable[[str, str], str]) -> str:
        """Return the path and the sentence, with parameters as a front end spells them."""
        sentence = super().render(*spell)
        return sentence if self.path is None else f"{self.path}: {sentence}"


class NoRoom(FileError):
    """A file cannot be written because the disk is full."""

    is_of_machine = True


def reader(read: Reader) -> Reader:
    """Decorate a reader: its errors about the content begin with the path, its first argument."""

    @functools.wraps(read)
    def reading(path: Path, *arguments: Any, **keywords: Any) -> Any:
        try:
            return read(path, *arguments, **keywords)
        except FileError as error:
            if error.path is not None:
                raise
            raise error.of(path) from None

    return cast(Reader, reading)


def require_file(path: Path) -> None:
    """Raise FileError unless there is a regular file of that name."""
    if not path.is_file():
        raise FileError("not a regular file." if path.exists() else "file not found.", path)


def unwritable(output: Path, suffixes: Iterable[str]) -> FileError:
    """The error about an output whose suffix is none of these."""
    known = ", ".join(suffixes)
    found = f"cannot write '{output.suffix}' files" if output.suffix else "has no suffix"
    return FileError(f"{found}; expected one of {known}.", output)


def wrong_line(number: int, expected: str, got: str) -> FileError:
    """The error about a line of a file, by its number from 1."""
    return FileError(parameter=f"line {number}", expected=expected, got=got)


def damaged(reason: object) -> FileError:
    """The error about a file that is cut off or damaged."""
    return FileError(f"truncated or damaged ({plain(reason)}).")


def plain(reason: object) -> str:
    """A text from a file or a library, in one line and without a period at its end."""
    return " ".join(str(reason).split()).rstrip(". ")


def shown(name: str) -> str:
    """A name from a file, short and printable."""
    short = name if len(name) <= 80 else f"{name[:80]}..."
    return short if short.isprintable() else repr(short)


def library(name: str, path: Path) -> Any:
    """A module of the extra `files`. Raises FileError with the command that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        is_in_paraview = "separatrix_vtk.paraview" in sys.modules
        command = install_command(name) if is_in_paraview else "pip install 'separatrix[files]'"
        raise FileError(
            f"reading {path.suffix} files requires {name}, which is not installed. Run "
            f"`{command}`{' and start again' * is_in_paraview}."
        ) from None
    except Exception as error:  # such as a wheel of h5py, with an HDF5 of its own, in ParaView
        raise FileError(
            f"{name} cannot be used in this program ({plain(error)}). Read the file in Python, and "
            "write it as .vti: `io.write('volume.vti', io.read('FILE'))` of separatrix_vtk."
        ) from None


def install_command(name: str) -> str:
    """Return the command that installs a package for this Python.

    Python in ParaView and in Debian has no pip. Outside a virtual environment, a target folder is
    given, because Debian's pip requires one. Debian's ParaView requires Debian's h5py: a wheel
    contains another HDF5.
    """
    if name == "h5py" and sys.prefix == "/usr":
        return "sudo apt-get install python3-h5py"
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    if sys.prefix != sys.base_prefix:
        return f"{sys.prefix}/bin/python -m pip install --upgrade {name}"
    return f"{python} -m pip install --upgrade --target {site.getusersitepackages()} {name}"


def data_file(header: Path, name: str) -> Path:
    """The file of data that a header (.nhdr, .mhd) names: in the folder of the header or below it.

    A header from elsewhere may name any file that its reader can open, so a file outside of the
    folder is not opened. A link in the folder is followed, because the user has created it.

    Raises
    ------
    ValueError : with a text that does not contain the name of the header
    """
    parts = re.split(r"[/\\]", name)
    if ".." in parts or Path(name).is_absolute() or re.match(r"[A-Za-z]:|[/\\~]", name):
        raise ValueError(
            f"its data file {shown(name)} is outside of its folder; move it next to the header"
        )
    path = header.parent / name
    try:
        exists = path.is_file()
    except (OSError, ValueError):  # a name that is too long or contains a null character
        exists = False
    if not exists:
        raise ValueError(f"its data file {shown(name)} was not found")
    return path


# === before a file is written


def check_writable(path: Path, source: Path | None = None) -> None:
    """Raise FileError if an output cannot be written or is the input."""
    _check_lengths(path)
    if source is not None and path.exists() and source.exists() and os.path.samefile(path, source):
        raise FileError("is the input. Choose another name for the output.", path)
    folder = path.absolute().parent
    if not folder.is_dir():
        raise FileError(f"the folder {folder} does not exist.", path)
    if not os.access(folder, os.W_OK):
        raise FileError(f"the folder {folder} is not writable.", path)
    if path.is_dir():
        raise FileError("is a folder.", path)
    if path.suffix.lower() == ".vtm":
        check_pieces(path)


def _check_lengths(path: Path) -> None:
    folder, names = path.absolute().parent, [path.name]
    if path.suffix.lower() == ".vtm":
        names.append(f"{path.stem}_99.vtp")
    try:
        longest_name, longest_path = (os.pathconf(folder, f"PC_{n}_MAX") for n in ("NAME", "PATH"))
    except (AttributeError, OSError, ValueError):  # no such folder, or an unknown limit
        return
    length = max(len(os.fsencode(name)) for name in names)
    if 0 < longest_name < length:
        raise FileError(
            f"its name has {length} bytes; the maximum in {folder} is {longest_name}. Choose a "
            "shorter name.",
            path,
        )
    around = len(os.fsencode(folder)) + len(f"/{TEMPORARY}01234567/{REPLACED}/")
    if 0 < longest_path <= around + length:
        raise FileError(
            f"its path with the temporary folder has {around + length} bytes; the maximum is "
            f"{longest_path}. Write it to a folder with a shorter path.",
            path,
        )


def check_pieces(path: Path) -> None:
    """Raise FileError if a file or a link has the name of the folder for a .vtm file's pieces."""
    pieces = path.with_suffix("")
    is_link = pieces.is_symlink()
    if is_link or (pieces.exists() and not pieces.is_dir()):
        what = "link" if is_link else "file"
        raise FileError(
            f"is a {what}; expected a folder for the pieces of {path.name}. Remove it.", pieces
        )
