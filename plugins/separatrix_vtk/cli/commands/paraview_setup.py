"""The command `paraview-setup`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from separatrix.options import Options, option
from separatrix_vtk.cli.command import Argument, Command, Given
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.cli.summary import print_rows

if TYPE_CHECKING:
    from separatrix_vtk.paraview.inspection import Inspection
    from separatrix_vtk.paraview.packages import Packages

PATH = Argument(
    "The folder of a ParaView, its bin, or its pvpython. By default the ParaViews on PATH, in "
    "/opt, in /usr/local, and in the home folder.",
    name="PATH",
    is_required=False,
)
JSON = {
    "paraviews": "one object per ParaView found, with its programs and the variables to set",
    "launcher": "the script that was written, or null",
    "checked": "whether filters of each family were run and files opened",
    "gpu": "the GPU on which a filter was checked, or null",
}


class SetupOptions(Options):
    """Setup of ParaView."""

    print: bool = option(
        default=False, group="Setup", summary="Print the variables to set, for eval in sh."
    )
    launcher: str = option(
        default="", group="Setup", summary="Write a script that starts ParaView with the filters."
    )
    force: bool = option(default=False, group="Setup", summary="Let {launcher} overwrite any file.")
    check: bool = option(
        default=False,
        group="Setup",
        summary="Load the filters in ParaView, run one of each family, also on a GPU if there is "
        "one, and open files.",
    )
    cuda: bool = option(
        default=False,
        group="Setup",
        summary="Print only what to install for a GPU, also on a machine without one.",
    )
    venv: str = option(
        default="",
        group="Setup",
        summary="A virtual environment of ParaView's Python version, from which to use the "
        "packages that ParaView lacks. By default, gemmi and CuPy come from this one.",
    )


@Command("paraview-setup", (SetupOptions,), input=PATH, json=JSON, see="docs/paraview.md")
def paraview_setup(input: Path | None, given: Given) -> None:
    """Set up ParaView for the filters: variables, a launcher, a check, and CuPy in ParaView.

    Examples:
        separatrix paraview-setup --check
        separatrix paraview-setup --cuda
        eval "$(separatrix paraview-setup --print)"
        separatrix paraview-setup ~/ParaView-6.0.1 --launcher ~/bin/paraview-separatrix
    """
    from separatrix_vtk.paraview.inspection import check, inspect
    from separatrix_vtk.paraview.launcher import launcher_text, write_launcher
    from separatrix_vtk.paraview.packages import as_sh, find_packages
    from separatrix_vtk.paraview.paraviews import SetupError, find_paraviews

    options = given.of(SetupOptions)
    if options.print and reporter.json:
        raise SetupError("--print and --json cannot be combined. Omit one of them.")
    packages = find_packages()
    venv = Path(options.venv) if options.venv else None
    is_for_one = bool(options.print or options.check or options.cuda or options.launcher or venv)
    inspections: list[Inspection] = []
    for paraview in find_paraviews(input):
        inspections.append(inspect(paraview, packages, venv=venv))
        if is_for_one and not inspections[-1].problem:
            inspections = inspections[-1:]  # the first that can be used
            break
    for warning in dict.fromkeys(w for each in inspections for w in each.warnings):
        reporter.warning(warning)
    gpu = ""
    launcher = Path(options.launcher).expanduser() if options.launcher else None
    if is_for_one:
        inspections = inspections[:1]
        programs, problem = inspections[0].paraview.programs, inspections[0].problem
        if options.check:
            problem, notes, gpu = check(inspections[0], packages)
            for note in notes:
                reporter.warning(note)
        if problem:
            raise SetupError(f"{programs}: {problem}")
        if launcher is not None:
            text = launcher_text(programs, packages, inspections[0].extra, launcher.name)
            write_launcher(launcher, text, force=options.force)
    summary = {
        "paraviews": [each.as_json(packages) for each in inspections],
        "launcher": None if launcher is None else os.path.abspath(launcher),
        "checked": options.check,
        "gpu": gpu or None,
    }

    def show() -> None:
        if options.print:
            sys.stdout.write(as_sh(inspections[0].variables))
        else:
            print_table(inspections, packages, options, gpu)

    reporter.result(summary, show)


def print_table(
    inspections: list[Inspection], packages: Packages, options: SetupOptions, gpu: str
) -> None:
    """Print what is known of each ParaView, and what was done, also on the GPU."""
    from separatrix_vtk.paraview.advice import gpu_rows, rows_for

    for number, each in enumerate(inspections):
        if number:
            print()
        if options.cuda:
            rows = gpu_rows(each, for_another_machine=True)
        else:
            rows = rows_for(each, packages.plugin, packages.linked)
        if options.check:
            done = "the filters load, one of each family has computed, and files open"
            on_gpu = (
                f"a filter has computed on {gpu}" if gpu else "no GPU can be used, so the CPU was"
            )
            rows += [("checked", done), ("", on_gpu)]
        if options.launcher:
            rows.append(("written", options.launcher))
        print_rows(rows)
