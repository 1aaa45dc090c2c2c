"""The report about a ParaView: CuPy, plugins, and the variables to set.

CuPy must be importable by ParaView's own Python, and be built for the same Python version X.Y.
NumPy keeps the version of ParaView, because the modules of ParaView were compiled for it.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from separatrix_vtk.paraview.inspection import Inspection

COMMAND = "separatrix paraview-setup"
CUDA_12 = 12000


def gpu_verdict(inspection: Inspection) -> str:
    """Whether this ParaView computes on a GPU, or why not."""
    facts = inspection.facts
    gpus = [report for report in facts["devices"] if report["name"].startswith("cuda")]
    usable = [report for report in gpus if report["usable"]]
    if usable:
        names = ", ".join(f"{report['name']} ({report['description']})" for report in usable)
        return f"CuPy {facts['cupy']} computes on {names}"
    if not facts["cuda_driver"]:
        return "no NVIDIA driver was found on this machine, so the CPU is used"
    if not facts["cupy"]:
        return "CuPy is not installed for this ParaView's Python, so the CPU is used"
    if facts["cupy"].startswith("!"):
        return f"CuPy cannot be imported: {facts['cupy'][1:]}. The CPU is used"
    reason = "; ".join(report["reason"] for report in gpus) or "it sees no GPU"
    return f"CuPy {facts['cupy']} cannot be used: {reason}"


def gpu_steps(inspection: Inspection, *, for_another_machine: bool = False) -> list[str]:
    """Commands that install CuPy for this ParaView; none if it works.

    Without a driver none either, unless they are for another machine, of which CUDA 12 is expected.
    """
    facts = inspection.facts
    usable = any(r["usable"] for r in facts["devices"] if r["name"].startswith("cuda"))
    driver = facts["cuda_driver"] or (CUDA_12 if for_another_machine else 0)
    if usable or not driver:
        return []
    if facts["cupy"] and not facts["cupy"].startswith("!"):
        if "nvrtc" in str(facts["devices"]).lower():
            return [
                "install the CUDA toolkit for your driver, or have LD_LIBRARY_PATH name the folder "
                "of libnvrtc.so"
            ]
        return []
    wheel = cupy_wheel(driver)
    if not wheel:
        return ["install an NVIDIA driver for CUDA 12 or newer: this one is too old for CuPy"]
    return [*_install(inspection, f'{wheel} "numpy=={facts["numpy"]}"')]


def gpu_rows(inspection: Inspection, *, for_another_machine: bool = False) -> list[tuple[str, str]]:
    """Whether this ParaView computes on a GPU, and what to install if it does not."""
    steps = gpu_steps(inspection, for_another_machine=for_another_machine)
    return [("GPU", gpu_verdict(inspection)), *(("", step) for step in steps)]


def cupy_wheel(driver: int) -> str:
    """The wheel for the newest CUDA that the driver supports; 12040 is CUDA 12.4."""
    for major in (13, 12):
        if driver >= 1000 * major:
            return f"cupy-cuda{major}x"
    return ""


def _install(inspection: Inspection, what: str) -> list[str]:
    facts, paraview = inspection.facts, inspection.paraview
    version = _minor(facts["python"])
    own = Path(facts["prefix"], "bin", f"python{version}")
    if own.is_file():  # a distribution's: ParaView shares its Python
        make = f"{own} -m venv --system-site-packages ~/paraview-python"
    elif facts["pip"]:
        return [f"{paraview.pvpython} -m pip install {what}"]
    else:
        make = f"python{version} -m venv ~/paraview-python"
    return [
        make,
        f"~/paraview-python/bin/pip install {what}",
        f"{COMMAND} {paraview.programs} --venv ~/paraview-python",
    ]


def rows_for(inspection: Inspection, plugin: Path, linked: str) -> list[tuple[str, str]]:
    """The report about one ParaView, as names and texts."""
    version = inspection.version or "of unknown version"
    rows = [(f"ParaView {version}", str(inspection.paraview.programs))]
    facts: Mapping[str, Any] = inspection.facts
    if facts:
        numpy = "no NumPy" if facts["numpy"].startswith("!") else f"NumPy {facts['numpy']}"
        rows.append(("Python", f"{facts['python']} with {numpy}"))
    if inspection.problem:
        return [*rows, ("cannot be used", inspection.problem)]
    loads = "can be loaded"
    if not inspection.loads_python_plugins:
        loads = f"cannot be loaded, XML can ({facts['plugins']})"
    effect = "has no effect, because ParaView's own VTK is found first"
    if inspection.vtk_wheel_crashes:
        effect = "crashes ParaView, because it is a second VTK in the process"
    rows += [(".py plugins", loads), ("a vtk wheel", f"on PYTHONPATH {effect}")]
    if inspection.has_venv_option:
        needed, own = _minor(facts["python"]), _minor(platform.python_version())
        fits = "" if own == needed else f"; the present one is of {own}"
        text = f"paraview --venv FOLDER accepts environments of Python {needed} without vtk{fits}"
        rows.append(("--venv", text))
    rows += gpu_rows(inspection)
    if inspection.linked:
        rows.append(("linked", f"{', '.join(inspection.linked)}, which this ParaView lacks"))
    if linked:
        rows.append(("links", f"are used, because {linked}"))
    rows += [("set", f"{name}={value}") for name, value in inspection.variables.items()]
    if inspection.loads_python_plugins:
        rows.append(("or load", f"Tools > Manage Plugins > Load New > {plugin}"))
    return rows


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])
