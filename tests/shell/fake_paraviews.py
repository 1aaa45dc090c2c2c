"""Folders like those of Kitware's archives, whose pvpython is a shell script."""

import json
import shlex
from pathlib import Path
from typing import Any

from separatrix_vtk.paraview.packages import Packages

CLEAN = {"PATH": "/usr/bin:/bin"}
TREE = Packages((Path("/p one/engine"), Path("/p one/plugins")), Path("/p one/xml"), Path("/f.py"))
FACTS: dict[str, Any] = {
    "python": "3.12.7",
    "prefix": "/nowhere",
    "paraview": "6.0.1",
    "numpy": "1.26.4",
    "modules": ["gemmi", "cupy", "numpy"],
    "pip": False,
    "plugins": "",
    "cuda_driver": 0,
    "vtk": "/nowhere/lib",
    "reads_pythonpath": True,
    "pythonpath_first": True,
    "cupy": "",
    "packages": "",
    "devices": [
        {"name": "cpu", "usable": True, "reason": "", "description": "x86", "memory": 1},
        {"name": "cuda:0", "usable": False, "reason": "no CuPy", "description": "", "memory": 0},
    ],
}


def program(path: Path, text: str) -> Path:
    """A script that can be run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def paraview(place: Path, version: str, body: str | None = None, **facts: Any) -> Path:
    """A folder of this version; `body` is what its pvpython does instead of printing `facts`."""
    tree = place / f"ParaView-{version}-MPI-Linux-Python3.12-x86_64"
    answer = "SEPARATRIX " + json.dumps({**FACTS, "paraview": version, **facts})
    reported = f"[ \"$1\" = --version ] && echo 'paraview version {version}' && exit 0\n"
    program(tree / "bin" / "pvpython", reported + (body or f"echo {shlex.quote(answer)}"))
    program(tree / "bin" / "paraview", 'echo paraview "$@"; echo "$PYTHONPATH"')
    return tree
