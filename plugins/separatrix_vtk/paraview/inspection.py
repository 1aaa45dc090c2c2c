"""The facts of one ParaView, and whether and how Separatrix works in it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from separatrix_vtk.paraview.missing_packages import link_missing, offers_of
from separatrix_vtk.paraview.packages import (
    Packages,
    folders_with_vtk,
    variables_for,
)
from separatrix_vtk.paraview.paraviews import ParaView, SetupError
from separatrix_vtk.paraview.running import ask, version_of

OLDEST = {"ParaView": (5, 11), "Python": (3, 10), "NumPy": (1, 23)}
VENV_SINCE = (5, 13)


@dataclass(frozen=True)
class Inspection:
    """Facts of one ParaView and the variables to set. problem: why Separatrix cannot work in it."""

    paraview: ParaView
    version: str
    facts: dict[str, Any]
    problem: str
    variables: dict[str, str] = field(default_factory=dict)
    extra: tuple[Path, ...] = ()
    linked: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def loads_python_plugins(self) -> bool:
        """Whether SeparatrixPlugin.py can be loaded; XML always can."""
        return bool(self.facts) and not self.facts["plugins"]

    @property
    def has_venv_option(self) -> bool:
        return numbers(self.version) >= VENV_SINCE

    @property
    def vtk_wheel_crashes(self) -> bool | None:
        """Whether a `vtk` wheel on PYTHONPATH would be loaded in addition to ParaView's VTK."""
        return self.facts["pythonpath_first"] if self.facts else None

    def as_json(self, packages: Packages) -> dict[str, Any]:
        kept = ("python", "numpy", "cupy", "cuda_driver", "devices")
        return {
            **{name: _text(value) for name, value in asdict(self.paraview).items()},
            "version": self.version,
            **{name: self.facts.get(name) for name in kept},
            "problem": self.problem,
            "linked": list(self.linked),
            "warnings": list(self.warnings),
            "loads_python_plugins": self.loads_python_plugins if self.facts else None,
            "vtk_wheel_crashes": self.vtk_wheel_crashes,
            "has_venv_option": self.has_venv_option,
            "packages": [*map(str, packages.folders)],
            "packages_linked": packages.linked,
            "plugin_file": str(packages.plugin),
            "variables": self.variables,
        }


def inspect(
    paraview: ParaView,
    packages: Packages,
    environment: Mapping[str, str] = os.environ,
    venv: Path | None = None,
) -> Inspection:
    """Inspect a ParaView by its own Python. Raises SetupError if `venv` does not fit it."""
    if paraview.pvpython is None:
        return Inspection(
            paraview,
            "",
            {},
            f"{paraview.programs} has paraview but no pvpython, so no filter in Python can run; "
            "on Debian and Ubuntu: apt-get install python3-paraview",
        )
    # The variables to be set, except the plugins: a VTK of the caller would be reported instead.
    variables = variables_for(packages, environment)
    asked = {name: text for name, text in environment.items() if name != "PV_PLUGIN_PATH"}
    asked["PYTHONPATH"] = variables["PYTHONPATH"]
    version = version_of(paraview.pvpython, asked)
    offers = offers_of(venv)
    modules = ",".join(sorted({module for offer in offers for module in offer.modules}))
    answer = ask(paraview.pvpython, "probe.py", [modules, *packages.folders], asked)
    extra: tuple[Path, ...] = ()
    linked: tuple[str, ...] = ()
    warnings = warnings_for(environment)
    if answer.facts:
        present, python = answer.facts["modules"], answer.facts["python"]
        try:
            extra, linked = link_missing(offers, present, python, venv, environment)
        except SetupError as problem:
            if venv is not None:
                raise
            warnings += (str(problem),)
    if extra:
        variables = variables_for(packages, environment, extra)
        asked["PYTHONPATH"] = variables["PYTHONPATH"]
        answer = ask(paraview.pvpython, "probe.py", [modules, *packages.folders], asked)
    facts = answer.facts
    if not version and facts and numbers(facts["paraview"]):
        version = facts["paraview"]
    why = answer.problem or why_not_here(version, facts)
    return Inspection(paraview, version, facts, why, variables, extra, linked, warnings)


def why_not_here(version: str, facts: Mapping[str, Any]) -> str:
    """The reason why Separatrix cannot work in a ParaView with these facts; empty if it can."""
    found = {"ParaView": version, "Python": facts["python"], "NumPy": facts["numpy"]}
    for module in ("paraview", "numpy"):
        if facts[module].startswith("!"):
            why = facts[module][1:]
            return f"its Python cannot import {module}: {why}"
    for name, oldest in OLDEST.items():
        if () < numbers(found[name]) < oldest:
            wanted = ".".join(map(str, oldest))
            advice = "" if name == "ParaView" else "; use a newer ParaView"
            return f"its {name} is {found[name]}, Separatrix requires {wanted} or newer{advice}"
    if not facts["reads_pythonpath"]:
        return "its Python does not read PYTHONPATH"
    if facts["packages"]:
        return f"its Python cannot import separatrix: {facts['packages']}"
    return ""


def warnings_for(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Problems of the present environment."""
    return tuple(
        f"PYTHONPATH contains a VTK, which crashes ParaView: {folder}; it is omitted below"
        for folder in folders_with_vtk(environment)
    )


def check(
    inspection: Inspection, packages: Packages, environment: Mapping[str, str] = os.environ
) -> tuple[str, list[str], str]:
    """Load the filters in this ParaView, run one of each family, and open files.

    Returns the problem, or "", notes about files that cannot be read, and the GPU that computed.
    """
    pvpython = inspection.paraview.pvpython
    if inspection.problem or pvpython is None:
        return inspection.problem, [], ""
    files = sorted(packages.xml.glob("*.xml"))
    answer = ask(pvpython, "trial.py", files, {**environment, **inspection.variables}, screen=True)
    problem = answer.problem or str(answer.facts["problem"])
    notes, gpu = list(answer.facts.get("notes", ())), str(answer.facts.get("gpu", ""))
    if "PV_PLUGIN_PATH was not read" in problem or not problem:
        return problem, notes, gpu
    found = re.search(r"^(?:ERROR|Error)[:\s].*|^.*Error: .*", answer.text, re.MULTILINE)
    if found and found[0] not in problem:
        problem = f"{problem} ({found[0].strip()[:300]})"
    return problem, notes, gpu


def numbers(version: str) -> tuple[int, ...]:
    """5.13.2-RC1 as (5, 13, 2), for comparing."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()


def _text(value: object) -> str | None:
    return None if value is None else str(value)
