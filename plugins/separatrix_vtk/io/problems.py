"""What is wrong with a file, as one sentence with its path."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from pathlib import Path

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class FileWarning(UserWarning):
    """A file was read, but part of it was ignored or guessed; the message says which."""


class FileProblem(ValueError):
    """A file cannot be read or written; the text says which and why."""

    is_of_machine = False


class NoRoom(FileProblem):
    """A file cannot be written since the disk is full."""

    is_of_machine = True


def unwritable(output: Path, suffixes: Iterable[str]) -> FileProblem:
    """What is wrong with the name of an output that ends in none of these."""
    known = ", ".join(suffixes)
    if output.suffix:
        return FileProblem(f"{output}: cannot write '{output.suffix}', only {known}")
    return FileProblem(f"{output}: the name's ending tells what to write, one of {known}")
