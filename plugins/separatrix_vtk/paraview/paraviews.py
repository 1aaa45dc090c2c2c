"""Find installed ParaViews: in a given folder, on PATH, and in the usual places."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("pvpython", "paraview")
PLACES = ("/opt", "/usr/local", "~", "~/opt", "~/.local", "~/.local/opt", "~/Downloads")
"""Folders in which people unpack Kitware's binaries, each into its own folder."""


class SetupError(ValueError):
    """The setup of a ParaView failed; the message says why and what to do."""


@dataclass(frozen=True)
class ParaView:
    """One ParaView, by the folder of its programs. `pvpython` is None where it has no Python."""

    programs: Path
    pvpython: Path | None


def find_paraviews(
    named: Path | None,
    environment: Mapping[str, str] = os.environ,
    places: Iterable[str] = PLACES,
) -> list[ParaView]:
    """The ParaViews in a given folder, or those on PATH and then in the usual places.

    Each occurs once, even if several links lead to it. Raises SetupError if there is none.
    """
    if named is not None:
        folders = _at(named)
        if not folders:
            raise SetupError(_why_nothing_at(named))
        return _each_once(folders)
    path = environment.get("PATH", os.defpath)
    folders = [Path(found).parent for name in PROGRAMS if (found := shutil.which(name, path=path))]
    home = environment.get("HOME") or "/"
    for place in places:
        folders += _unpacked_in(Path(place.replace("~", home, 1)))
    paraviews = _each_once(folders)
    if not paraviews:
        raise SetupError(
            "no ParaView was found on PATH or in the usual places; name its folder: "
            "separatrix paraview-setup /path/to/ParaView"
        )
    return paraviews


def _at(named: Path) -> list[Path]:
    """Folders of programs at a path: the program's, the one above, or a place with ParaViews."""
    if named.is_file():
        return [named.parent] if named.name in PROGRAMS else []
    own = [folder for folder in (named / "bin", named) if _holds_programs(folder)]
    return own[:1] or _unpacked_in(named)


def _unpacked_in(place: Path) -> list[Path]:
    """Folders such as ParaView-5.13.2-.../bin, newest name first."""
    try:
        inside = [path for path in place.iterdir() if path.name.lower().startswith("paraview")]
    except OSError:
        return []
    inside.sort(key=lambda path: path.name, reverse=True)
    return [path / "bin" for path in inside if _holds_programs(path / "bin")]


def _holds_programs(folder: Path) -> bool:
    return any(is_program(folder / name) for name in PROGRAMS)


def is_program(path: Path) -> bool:
    """Whether a path is something that can be run."""
    return path.is_file() and os.access(path, os.X_OK)


def _each_once(folders: Iterable[Path]) -> list[ParaView]:
    found: dict[Path, ParaView] = {}
    for folder in map(Path.absolute, folders):
        pvpython = folder / "pvpython" if is_program(folder / "pvpython") else None
        # The path as found: a program may look for its libraries next to the link that started it.
        found.setdefault((pvpython or folder / "paraview").resolve(), ParaView(folder, pvpython))
    return list(found.values())


def _why_nothing_at(named: Path) -> str:
    if not named.exists():
        return f"{named} does not exist; name ParaView's folder, its bin, or its pvpython"
    for folder in (named.parent, named, named / "bin"):
        for name in PROGRAMS:
            if (folder / name).is_file():
                return f"{folder / name} is not executable; run chmod +x on it"
    return f"{named} contains no ParaView: neither it nor its bin contains pvpython or paraview"
