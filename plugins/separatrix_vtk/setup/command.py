"""The command `separatrix paraview-setup`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from separatrix_vtk.setup.advice import rows_for
from separatrix_vtk.setup.environment import as_sh
from separatrix_vtk.setup.inspection import Inspection, check, inspect
from separatrix_vtk.setup.launcher import launcher_text, write_launcher
from separatrix_vtk.setup.packages import Packages, find_packages
from separatrix_vtk.setup.paraviews import SetupProblem, find_paraviews
from separatrix_vtk.shell.capabilities.json_keys import WARNINGS
from separatrix_vtk.shell.ends import tell_warning
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import Telling
from separatrix_vtk.shell.summary import print_rows

JSON = {
    "paraviews": "an object for each ParaView found, with its programs and what to set",
    "launcher": "the script written, or null",
    "checked": "whether the filters were loaded and run",
    **WARNINGS,
}


@capability(json=JSON, see="docs/paraview.md")
def paraview_setup(
    path: Annotated[
        Path | None,
        typer.Argument(
            metavar="PATH",
            help="ParaView's folder, its bin, or its pvpython. Default: those on PATH, in /opt, "
            "/usr/local and the home folder.",
        ),
    ] = None,
    print_: Annotated[
        bool, typer.Option("--print", help="Print the variables to set, for eval in sh.")
    ] = False,
    launcher: Annotated[
        Path | None,
        typer.Option(
            "--launcher",
            metavar="FILE",
            help="Write a script that starts ParaView with the filters.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="--launcher may overwrite any file.")
    ] = False,
    check_: Annotated[
        bool, typer.Option("--check", help="Load the filters in ParaView and run one.")
    ] = False,
    venv: Annotated[
        Path | None,
        typer.Option(
            "--venv",
            metavar="FOLDER",
            help="A virtual environment of ParaView's Python version whose packages it may use "
            "too: CuPy, gemmi.",
        ),
    ] = None,
    *,
    telling: Telling,
) -> None:
    """How ParaView finds the filters: what to set, a launcher, a check, and CuPy inside ParaView.

    Examples:

        separatrix paraview-setup --check

        eval "$(separatrix paraview-setup --print)"

        separatrix paraview-setup ~/ParaView-6.0.1 --launcher ~/bin/paraview-separatrix
    """
    if print_ and telling.json:
        raise SetupProblem("--print and --json print two things; leave one out")
    packages = find_packages()
    found = find_paraviews(path)
    choosing = print_ or check_ or launcher is not None or venv is not None
    # What is done, is done for one: the first that can be used, if there is any.
    inspections: list[Inspection] = []
    for paraview in found:
        inspections.append(inspect(paraview, packages, venv=venv))
        if choosing and not inspections[-1].problem:
            inspections = inspections[-1:]
            break
    for warning in dict.fromkeys(w for each in inspections for w in each.warnings):
        tell_warning(warning)
    if choosing:
        inspections = inspections[:1]
        if inspections[0].problem:
            raise SetupProblem(f"{inspections[0].paraview.programs}: {inspections[0].problem}")
        _do(inspections[0], packages, launcher, force, check_)

    def show() -> None:
        if print_:
            sys.stdout.write(as_sh(inspections[0].variables))
        else:
            _tell(inspections, packages, launcher, check_)

    telling.tell(_summary(inspections, packages, launcher, check_), show)


def _do(
    inspection: Inspection, packages: Packages, launcher: Path | None, force: bool, wanted: bool
) -> None:
    if wanted and (problem := check(inspection, packages)):
        raise SetupProblem(f"{inspection.paraview.programs}: {problem}")
    if launcher is not None:
        file = launcher.expanduser()
        text = launcher_text(inspection.paraview.programs, packages, inspection.extra, file.name)
        write_launcher(file, text, force=force)


def _summary(
    inspections: list[Inspection], packages: Packages, launcher: Path | None, checked: bool
) -> dict[str, object]:
    return {
        "paraviews": [each.as_json(packages) for each in inspections],
        "launcher": None if launcher is None else os.path.abspath(launcher.expanduser()),
        "checked": checked,
    }


def _tell(
    inspections: list[Inspection], packages: Packages, launcher: Path | None, checked: bool
) -> None:
    for number, each in enumerate(inspections):
        if number:
            print()
        rows = rows_for(each, packages.plugin, packages.linked)
        if checked:
            rows.append(("checked", "the filters load, and one has computed"))
        if launcher is not None:
            rows.append(("written", str(launcher)))
        print_rows(rows)
