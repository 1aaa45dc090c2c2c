"""Errors and warnings about files, and the checks with which reading a file begins."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import separatrix as sx

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class FileWarning(UserWarning):
    """A file was read, but part of it was ignored or guessed; the message says which."""


class FileProblem(sx.InputError):
    """A file cannot be read or written; the message begins with its path.

    In the message, `{dtype}` is the parameter of that name, as in other errors of the engine.
    """

    is_of_machine = False

    def __init__(self, message: str, path: Path | None = None) -> None:
        self.path = path
        super().__init__(message=message)

    def render(self, *spell: Callable[[str, str], str]) -> str:
        """Return the path and the sentence, with parameters as a front end spells them."""
        sentence = super().render(*spell)
        return sentence if self.path is None else f"{self.path}: {sentence}"


class NoRoom(FileProblem):
    """A file cannot be written because the disk is full."""

    is_of_machine = True


def require_file(path: Path) -> None:
    """Raise FileProblem unless there is a regular file of that name."""
    if not path.is_file():
        raise FileProblem("not a regular file." if path.exists() else "file not found.", path)


def unsupported(path: Path, suffixes: Iterable[str]) -> FileProblem:
    """The error about an input whose suffix is none of these."""
    known = ", ".join(suffixes)
    return FileProblem(
        f"unsupported file type '{path.suffix or path.name}'; expected one of {known}.", path
    )


def unwritable(output: Path, suffixes: Iterable[str]) -> FileProblem:
    """The error about an output whose suffix is none of these."""
    known = ", ".join(suffixes)
    found = f"cannot write '{output.suffix}' files" if output.suffix else "has no suffix"
    return FileProblem(f"{found}; expected one of {known}.", output)


def damaged(path: Path, reason: object) -> FileProblem:
    """The error about a file that is cut off or damaged."""
    return FileProblem(f"truncated or damaged ({plain(reason)}).", path)


def plain(reason: object) -> str:
    """A text from a file or a library, in one line and without a period at its end."""
    return " ".join(str(reason).split()).rstrip(". ")


def shown(name: str) -> str:
    """A name from a file, short and printable."""
    short = name if len(name) <= 80 else f"{name[:80]}..."
    return short if short.isprintable() else repr(short)


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
