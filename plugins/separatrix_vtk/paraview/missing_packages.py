"""Packages that ParaView's Python can use but does not have: gemmi and CuPy, or an environment's.

Only distributions of which ParaView has no module are linked, so nothing of ParaView is replaced.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from separatrix_vtk.paraview.packages import linked
from separatrix_vtk.paraview.paraviews import SetupError

WANTED = ("gemmi", "cupy-cuda12x", "cupy-cuda13x")  # of the extras, with what they require
INSTALLERS = ("pip", "setuptools", "wheel")


@dataclass(frozen=True)
class Offer:
    """A distribution: the modules that it provides, and what it consists of in site-packages."""

    name: str
    modules: frozenset[str]
    entries: tuple[Path, ...]


def offers_of(venv: Path | None) -> list[Offer]:
    """The distributions of a virtual environment, or the installed ones of our extras.

    Raises SetupError if `venv` is not a virtual environment.
    """
    if venv is not None:
        python_of(venv)
        sites = [str(path) for path in venv.absolute().glob("lib/python3*/site-packages")]
        return [_offer(found) for found in metadata.distributions(path=sites)]
    offers: dict[str, Offer] = {}
    names = list(WANTED)
    for name in names:  # grows
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        offers[name] = _offer(found)
        needed = [
            re.split(r"[^\w.-]", need)[0] for need in found.requires or () if "extra" not in need
        ]
        names += [need for need in needed if need not in names]
    return list(offers.values())


def _offer(distribution: metadata.Distribution) -> Offer:
    names = {path.parts[0] for path in distribution.files or ()}
    names = {name for name in names if not name.startswith(("..", "__pycache__"))}
    modules = {name.partition(".")[0] for name in names if re.fullmatch(r"\w+(\.(py|.*so))?", name)}
    entries = tuple(Path(str(distribution.locate_file(name))) for name in sorted(names))
    return Offer(str(distribution.metadata["Name"]), frozenset(modules), entries)


def python_of(venv: Path | None) -> str:
    """The version X.Y of Python for which the offered packages were compiled."""
    if venv is None:
        return ".".join(platform.python_version_tuple()[:2])
    try:
        text = (venv / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        raise SetupError(f"{venv} is not a virtual environment: it has no pyvenv.cfg") from None
    found = re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", text, re.MULTILINE)
    return found[1] if found else "unknown"


def link_missing(
    offers: list[Offer],
    present: Collection[str],
    python: str,
    venv: Path | None,
    environment: Mapping[str, str],
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Link the offers of which ParaView, of Python `python`, has none of the modules.

    Returns the folder of the links, if any, and the names of the distributions. Raises SetupError
    if the offers are for another version X.Y of Python.
    """
    missing = [o for o in offers if o.modules and not o.modules & {*present, *INSTALLERS}]
    names = tuple(sorted(offer.name for offer in missing))
    own, wanted = python_of(venv), ".".join(python.split(".")[:2])
    if own != wanted and (venv is not None or names):
        why = "" if venv else f"{', '.join(names)} cannot be linked into ParaView: "
        raise SetupError(
            f"{why}{venv or sys.prefix} contains Python {own}, but this ParaView has {wanted}; "
            f"create one of that version: python{wanted} -m venv FOLDER"
        )
    targets = {entry.name: entry for offer in missing for entry in offer.entries}
    if not targets:
        return (), ()
    return (linked(targets, "\n".join(map(str, targets.values())), environment),), names
