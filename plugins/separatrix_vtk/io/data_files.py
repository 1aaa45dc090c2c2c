"""The file of numbers that a header names, as .nhdr and .mhd do: a name is not trusted."""

from __future__ import annotations

import re
from pathlib import Path


class WrongDataFile(ValueError):
    """The name leads elsewhere, or to nothing; the text says so without the header's name."""


def beside(header: Path, name: str) -> Path:
    """The regular file of that name, in the header's folder or below it.

    A header from elsewhere may name any file of its reader's: one outside of the folder is not
    opened. A link in the folder is the user's own doing and is followed.
    """
    parts = re.split(r"[/\\]", name)
    if ".." in parts or Path(name).is_absolute() or re.match(r"[A-Za-z]:|[/\\~]", name):
        raise WrongDataFile(
            f"its data file {shown(name)} lies outside of its folder; put it beside the header"
        )
    path = header.parent / name
    try:
        is_there = path.is_file()
    except (OSError, ValueError):  # a name that is too long, or holds a zero
        is_there = False
    if not is_there:
        raise WrongDataFile(f"its data file {shown(name)} is not there")
    return path


def shown(name: str) -> str:
    """A name from a file, short and printable."""
    short = name if len(name) <= 80 else f"{name[:80]}..."
    return short if short.isprintable() else repr(short)
