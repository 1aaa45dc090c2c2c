"""Run by a ParaView's own pvpython: facts about its Python, printed as one line of JSON.

`pvpython probe.py MODULE,MODULE... FOLDER...`: modules to look for; the folders contain the
packages of Separatrix. The script also runs in older versions of Python, and imports the packages
of Separatrix last.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from typing import Any


def main(modules: str, folders: list[str]) -> None:
    """Print the facts. `sys.path[0]`, the folder of this file, is nothing to import from."""
    sys.path[:] = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]
    facts = {
        "python": ".".join(map(str, sys.version_info[:3])),
        "prefix": sys.base_prefix,
        "paraview": version_of("paraview"),
        "numpy": version_of("numpy"),
        "modules": [name for name in modules.split(",") if name and is_found(name)],
        "pip": is_found("pip"),
        "plugins": why_not("paraview.detail.pythonalgorithm"),
        "cuda_driver": cuda_driver(),
        **which_vtk_wins(folders),
    }
    for folder in folders:  # where PYTHONPATH is not read
        if folder not in sys.path:
            sys.path.append(folder)
    facts.update(devices())
    print("\nSEPARATRIX " + json.dumps(facts), flush=True)


def is_found(name: str) -> bool:
    """Whether a module can be found."""
    return importlib.util.find_spec(name) is not None


def version_of(name: str) -> str:
    """The version of a module, or why it cannot be imported after a '!'."""
    try:
        return str(getattr(importlib.import_module(name), "__version__", "?"))
    except Exception as error:
        return "!" + sentence(error)


def why_not(name: str) -> str:
    """The reason why a module cannot be imported; empty if it can."""
    try:
        importlib.import_module(name)
    except Exception as error:
        return sentence(error)
    return ""


def sentence(error: BaseException) -> str:
    """The text of an exception in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def which_vtk_wins(folders: list[str]) -> dict[str, Any]:
    """Location of ParaView's VTK, and whether a folder of PYTHONPATH precedes it."""
    spec = importlib.util.find_spec("vtkmodules")
    origin = spec.origin if spec else None
    home = os.path.dirname(os.path.dirname(origin)) if origin else ""
    places = [os.path.abspath(path or os.getcwd()) for path in sys.path]
    given = [places.index(folder) for folder in folders if folder in places]
    first = bool(given) and (home not in places or min(given) < places.index(home))
    return {"vtk": home, "reads_pythonpath": bool(given), "pythonpath_first": first}


def cuda_driver() -> int:
    """The newest CUDA that the NVIDIA driver knows, as 12040 for 12.4; 0 without a driver."""
    import ctypes

    try:
        version = ctypes.c_int(0)
        ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(version))
        return version.value
    except (OSError, AttributeError):
        return 0


def devices() -> dict[str, Any]:
    """Whether the packages can be imported here, and what they can compute on."""
    facts: dict[str, Any] = {"cupy": "", "packages": "", "devices": []}
    if is_found("cupy"):
        facts["cupy"] = version_of("cupy")
    try:
        import separatrix

        facts["devices"] = [vars(report) for report in separatrix.devices(probe=True)]
    except BaseException as error:  # a SyntaxError of an old Python too
        facts["packages"] = sentence(error)
    return facts


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
