"""Where ParaView's Python is to find the packages, without anything else beside them.

A folder such as a virtual environment's site-packages cannot go on ParaView's PYTHONPATH: a `vtk`
wheel in it would be a second VTK in ParaView's process, which crashes, and its NumPy would take the
place of ParaView's. Then a folder of links to the two packages alone does it, kept for this user.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import separatrix_vtk
from separatrix_vtk.paraview.paraviews import SetupProblem

NAMES = ("separatrix", "separatrix_vtk")
OURS = {*NAMES, "SeparatrixPlugin.py", "build_kernels.py", "__pycache__", "bin"}


@dataclass(frozen=True)
class Packages:
    """Folders for PYTHONPATH, that of XML for PV_PLUGIN_PATH, and why there are links if so."""

    folders: tuple[Path, ...]
    xml: Path
    plugin: Path
    linked: str = ""


def find_packages(environment: Mapping[str, str] = os.environ) -> Packages:
    """The packages that run now: a source tree's own folders, or links to installed packages."""
    import separatrix  # not before the command runs: help is quick without it

    files = (separatrix.__file__, separatrix_vtk.__file__)
    homes = [Path(str(file)).resolve().parent for file in files]
    return packages_for(homes, separatrix_vtk.xml_directory(), environment)


def packages_for(homes: list[Path], xml: Path, environment: Mapping[str, str]) -> Packages:
    """What ParaView is told of the packages whose folders are `homes`."""
    plugin = separatrix_vtk.plugin_path()
    parents = tuple(dict.fromkeys(home.parent for home in homes))
    why = next(filter(None, map(_why_not_as_it_is, parents)), "")
    if not why and ":" in str(xml):
        why = f"{xml} has a colon in its name"
    if not why:
        return Packages(parents, xml, plugin)
    links = data_directory(environment) / _key(homes)
    for name, target in [*zip(NAMES, homes, strict=True), ("xml", xml)]:
        _link(links / name, target)
    return Packages((links,), links / "xml", plugin, why)


def data_directory(environment: Mapping[str, str]) -> Path:
    """This user's folder for links, private to them."""
    base = environment.get("XDG_DATA_HOME", "")
    home = Path(environment.get("HOME") or "/")
    # The specification of XDG ignores a relative path.
    folder = Path(base) if os.path.isabs(base) else home / ".local" / "share"
    if ":" in str(folder):
        raise SetupProblem(
            f"{folder} has a colon in its name, which separates the folders of PYTHONPATH; "
            "set XDG_DATA_HOME to another folder"
        )
    return folder / "separatrix" / "paraview"


def _why_not_as_it_is(folder: Path) -> str:
    """Why a folder cannot go on ParaView's PYTHONPATH; empty if it can."""
    if ":" in str(folder):
        return f"{folder} has a colon in its name"
    if vtk_in(folder):
        return f"{folder} holds a VTK of its own, which crashes ParaView"
    if (folder / "numpy").exists():
        return f"{folder} holds a NumPy of its own, which would take the place of ParaView's"
    others = sorted(path.name for path in folder.iterdir() if not _is_ours(path.name))
    return f"{folder} holds other packages: {', '.join(others[:3])}" if others else ""


def vtk_in(folder: Path) -> bool:
    """Whether Python would find a VTK in a folder."""
    return (folder / "vtkmodules").exists() or (folder / "vtk.py").exists()


def _is_ours(name: str) -> bool:
    return name in OURS or name.startswith(".") or name.endswith((".dist-info", ".egg-info"))


def _key(homes: list[Path]) -> str:
    """A folder's name for each installation, so that several can be used side by side."""
    return hashlib.sha256("\n".join(map(str, homes)).encode()).hexdigest()[:12]


def _link(link: Path, target: Path) -> None:
    """Make or renew a symbolic link, in one step."""
    if link.is_symlink() and os.readlink(link) == str(target):
        return
    try:
        link.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryDirectory(dir=link.parent, prefix=".new-") as scratch:
            fresh = Path(scratch, link.name)
            fresh.symlink_to(target)
            os.replace(fresh, link)
    except OSError as error:
        raise SetupProblem(
            f"{link} cannot be made a symbolic link: {error.strerror}; "
            "set XDG_DATA_HOME to a folder that may be written"
        ) from error
