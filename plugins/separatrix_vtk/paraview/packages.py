"""Folders and variables with which ParaView's Python finds only the packages of Separatrix.

The site-packages of a virtual environment cannot be on ParaView's PYTHONPATH: a `vtk` wheel in it
would be a second VTK in the process, which crashes, and its NumPy would replace that of ParaView.
In that case a private folder of the user contains links to the two packages. Another one has links
to the packages that ParaView lacks, such as gemmi.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import separatrix_vtk
from separatrix_vtk.paraview.paraviews import SetupError

VARIABLES = ("PYTHONPATH", "PV_PLUGIN_PATH")
NAMES = ("separatrix", "separatrix_vtk")
SCRIPTS = {"build_cuda.py", "build_kernels.py", "index_page.py"}
OURS = {*NAMES, *SCRIPTS, "SeparatrixPlugin.py", "__pycache__", "bin"}


@dataclass(frozen=True)
class Packages:
    """Folders for PYTHONPATH and PV_PLUGIN_PATH. linked: why links are used, if they are."""

    folders: tuple[Path, ...]
    xml: Path
    plugin: Path
    linked: str = ""


def find_packages(environment: Mapping[str, str] = os.environ) -> Packages:
    """The packages that run now: a source tree's own folders, or links to installed packages."""
    import separatrix

    files = (separatrix.__file__, separatrix_vtk.__file__)
    homes = [Path(str(file)).resolve().parent for file in files]
    return packages_for(homes, separatrix_vtk.xml_directory(), environment)


def packages_for(homes: list[Path], xml: Path, environment: Mapping[str, str]) -> Packages:
    """The folders for ParaView of the packages whose own folders are `homes`."""
    plugin = separatrix_vtk.plugin_path()
    parents = tuple(dict.fromkeys(home.parent for home in homes))
    why = next(filter(None, map(_why_not_as_it_is, parents)), "")
    if not why and ":" in str(xml):
        why = f"{xml} has a colon in its name"
    if not why:
        return Packages(parents, xml, plugin)
    targets = dict(zip((*NAMES, "xml"), (*homes, xml), strict=True))
    links = linked(targets, "\n".join(map(str, homes)), environment)
    return Packages((links,), links / "xml", plugin, why)


def data_directory(environment: Mapping[str, str]) -> Path:
    """The private folder of this user for links."""
    base = environment.get("XDG_DATA_HOME", "")
    home = Path(environment.get("HOME") or "/")
    # The specification of XDG ignores a relative path.
    folder = Path(base) if os.path.isabs(base) else home / ".local" / "share"
    if ":" in str(folder):
        raise SetupError(
            f"{folder} has a colon in its name, which separates the folders of PYTHONPATH; "
            "set XDG_DATA_HOME to another folder"
        )
    return folder / "separatrix" / "paraview"


def _why_not_as_it_is(folder: Path) -> str:
    """The reason why a folder cannot be on ParaView's PYTHONPATH; "" if it can."""
    if ":" in str(folder):
        return f"{folder} has a colon in its name"
    if vtk_in(folder):
        return f"{folder} contains another VTK, which crashes ParaView"
    if (folder / "numpy").exists():
        return f"{folder} contains another NumPy, which would replace that of ParaView"
    others = sorted(path.name for path in folder.iterdir() if not _is_own(path.name))
    return f"{folder} contains other packages: {', '.join(others[:3])}" if others else ""


def vtk_in(folder: Path) -> bool:
    """Whether Python would find a VTK in a folder."""
    return (folder / "vtkmodules").exists() or (folder / "vtk.py").exists()


def _is_own(name: str) -> bool:
    return name in OURS or name.startswith(".") or name.endswith((".dist-info", ".egg-info"))


def linked(targets: Mapping[str, Path], key: str, environment: Mapping[str, str]) -> Path:
    """A private folder, one per key, that contains links of these names and nothing else."""
    folder = data_directory(environment) / hashlib.sha256(key.encode()).hexdigest()[:12]
    for name, target in targets.items():
        _link(folder / name, target)
    for old in folder.iterdir():
        if old.name not in targets and old.is_symlink():
            old.unlink()
    return folder


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
        raise SetupError(
            f"{link} cannot be created as a symbolic link: {error.strerror}; "
            "set XDG_DATA_HOME to a writable folder"
        ) from error


# === the environment


def variables_for(
    packages: Packages, environment: Mapping[str, str], extra: Iterable[Path] = ()
) -> dict[str, str]:
    """PYTHONPATH and PV_PLUGIN_PATH: our folders, then the present ones except those with a VTK."""
    before = {name: folders_of(environment.get(name, "")) for name in VARIABLES}
    before["PYTHONPATH"] = [path for path in before["PYTHONPATH"] if not vtk_in(Path(path))]
    ours = {"PYTHONPATH": [*packages.folders, *extra], "PV_PLUGIN_PATH": [packages.xml]}
    return {
        name: os.pathsep.join(dict.fromkeys([*map(str, ours[name]), *before[name]]))
        for name in VARIABLES
    }


def folders_of(text: str) -> list[str]:
    """The folders of a variable, without empty ones, which would mean the current folder."""
    return [path for path in text.split(os.pathsep) if path]


def folders_with_vtk(environment: Mapping[str, str]) -> list[str]:
    """Folders of the present PYTHONPATH that hold a VTK."""
    return [path for path in folders_of(environment.get("PYTHONPATH", "")) if vtk_in(Path(path))]


def as_sh(variables: Mapping[str, str]) -> str:
    """Lines for `eval`: nothing in a value is code."""
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
