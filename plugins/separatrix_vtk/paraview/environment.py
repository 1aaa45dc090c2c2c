"""The environment variables with which a ParaView finds Separatrix."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from separatrix_vtk.paraview.packages import Packages, vtk_in
from separatrix_vtk.paraview.paraviews import SetupProblem

VARIABLES = ("PYTHONPATH", "PV_PLUGIN_PATH")


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


def venv_packages(venv: Path, python: str) -> Path:
    """The site-packages of a virtual environment that ParaView's Python `python` may use too.

    It must be of the same version X.Y, for what is compiled, and hold no VTK.
    """
    try:
        text = (venv / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        raise SetupProblem(f"{venv} is not a virtual environment: it has no pyvenv.cfg") from None
    found = re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", text, re.MULTILINE)
    wanted = ".".join(python.split(".")[:2])
    if found is None or found[1] != wanted:
        raise SetupProblem(
            f"{venv} is of Python {found[1] if found else 'unknown'}, this ParaView has {wanted}; "
            f"make one of the same version: python{wanted} -m venv FOLDER"
        )
    folder = venv.absolute() / "lib" / f"python{wanted}" / "site-packages"
    if ":" in str(folder):
        raise SetupProblem(f"{folder} has a colon in its name, which PYTHONPATH cannot contain")
    if vtk_in(folder):
        raise SetupProblem(
            f"{folder} contains another VTK, which crashes ParaView; create another environment "
            "for ParaView, without vtk"
        )
    return folder
