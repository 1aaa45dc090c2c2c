"""Completion of options by the Tab key: choices, devices, and the arrays of the input.

Array names are read from the beginning of the file as text, which takes milliseconds and no VTK.
"""

from __future__ import annotations

import gzip
import os
import re
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from separatrix.options import Option

Complete = Callable[[str], list[str]]

READ_BYTES = 1 << 18
DATA_ARRAY = re.compile(rb"<DataArray\b[^>]*?\bName=\"([^\"]+)\"")
COORDINATES = re.compile(rb"<Points>.*?</Points>", re.DOTALL)
CELLS = re.compile(rb"<(Cells|Verts|Lines|Strips|Polys)>.*?</\1>", re.DOTALL)
LEGACY = re.compile(rb"^(?:SCALARS|VECTORS|NORMALS|TENSORS)\s+(\S+)", re.MULTILINE)
OF_MOLECULES = ("atom_type", "radius", "occupancy", "b_factor", "residue", "chain")


def completion_of(option: Option) -> Complete | None:
    """The completion function of an option's value; None if there is nothing to offer."""
    if option.array_of:
        return arrays_in
    if not option.choices:
        return None
    # Finding out which GPUs exist takes a second; `separatrix devices` lists them.
    numbered = [option.accepts.replace("N", "0")] if option.accepts else []
    return starting_with([*option.words, *numbered])


def starting_with(words: Iterable[str]) -> Complete:
    """A completion function that offers the words that begin with the typed text."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def arrays_in(incomplete: str) -> list[str]:
    """Names of the arrays of INPUT that begin with the typed text."""
    path = first_file(typed_words())
    return [] if path is None else starting_with(names_of_arrays(path))(incomplete)


def typed_words() -> list[str]:
    """The command line as typed; an option without its value prevents its parsing."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        return shlex.split(line)
    except ValueError:  # an unclosed quotation mark
        return line.split()


def first_file(words: list[str]) -> Path | None:
    """The first word that is a file, after the names of program and command."""
    paths = (Path(word).expanduser() for word in words[2:])
    return next((path for path in paths if path.is_file()), None)


def names_of_arrays(path: Path) -> list[str]:
    """Names of the arrays in the first bytes of a file; none if it is not readable."""
    try:
        with path.open("rb") as file:
            head = file.read(READ_BYTES)
        if head[:2] == b"\x1f\x8b":
            with gzip.open(path) as file:
                head = file.read(READ_BYTES)
    except (OSError, EOFError):
        return []
    suffixes = "".join(path.suffixes).lower()
    if re.search(r"\.vt[iup]$", suffixes):
        return _texts(DATA_ARRAY.findall(CELLS.sub(b"", COORDINATES.sub(b"", head))))
    if suffixes.endswith(".vtk"):
        return [*_texts(LEGACY.findall(head)), "x", "y", "z"]
    if re.search(r"\.(stl|ply|obj)$", suffixes):
        return ["x", "y", "z"]
    if suffixes.endswith(".csv"):
        first = head.partition(b"\n")[0].decode("utf-8-sig", "replace")
        return [name.strip().strip('"') for name in re.split("[,;\t]", first)]
    if re.search(r"\.(pdb|ent|cif|mmcif|pqr|xyz|crd)(\.gz)?$", suffixes):
        return [*OF_MOLECULES, *(["charge"] if ".pqr" in suffixes else [])]
    return []


def _texts(names: Any) -> list[str]:
    return list(dict.fromkeys(name.decode("utf-8", "replace") for name in names))
