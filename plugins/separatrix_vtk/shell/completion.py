"""What the shell offers behind an option at the Tab key: arrays of the input, devices.

Arrays are read off the beginning of the file as text, so that it takes milliseconds and no VTK.
"""

from __future__ import annotations

import gzip
import os
import re
import shlex
from pathlib import Path
from typing import Any

READ_BYTES = 1 << 18
DATA_ARRAY = re.compile(rb"<DataArray\b[^>]*?\bName=\"([^\"]+)\"")
COORDINATES = re.compile(rb"<Points>.*?</Points>", re.DOTALL)
CELLS = re.compile(rb"<(Cells|Verts|Lines|Strips|Polys)>.*?</\1>", re.DOTALL)
LEGACY = re.compile(rb"^(?:SCALARS|VECTORS|NORMALS|TENSORS)\s+(\S+)", re.MULTILINE)
OF_MOLECULES = ("atom_type", "radius", "occupancy", "b_factor", "residue", "chain")


def arrays_in(incomplete: str) -> list[str]:
    """Names of the arrays of INPUT that begin as what was typed."""
    path = first_file(words_of_the_line())
    names = [] if path is None else names_of_arrays(path)
    return [name for name in names if name.startswith(incomplete)]


def words_of_the_line() -> list[str]:
    """The line as the shell gives it; an option without its value keeps it from being parsed."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    try:
        return shlex.split(line)
    except ValueError:  # a quotation that has not ended
        return line.split()


def first_file(words: list[str]) -> Path | None:
    """The first word that is a file, behind the names of program and command."""
    paths = (Path(word).expanduser() for word in words[2:])
    return next((path for path in paths if path.is_file()), None)


def devices_that_may_be(incomplete: str) -> list[str]:
    """Devices to compute on; which there are takes a second to find out, `devices` tells."""
    return [name for name in ("auto", "cpu", "cuda", "cuda:0") if name.startswith(incomplete)]


def names_of_arrays(path: Path) -> list[str]:
    """Names of arrays as they stand in the first bytes of a file; of one not readable none."""
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
