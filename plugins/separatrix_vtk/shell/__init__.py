"""The `separatrix` command. Needs typer and rich (extra `cli`), and VTK for VTK's files only."""

from __future__ import annotations

import sys
from collections.abc import Sequence

EXTRA_OF = {"typer": "cli", "click": "cli", "rich": "cli", "vtkmodules": "vtk", "vtk": "vtk"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit status: 0, 2 for a user's error, 130 after Ctrl-C."""
    try:
        from separatrix_vtk.shell.commands import run_command
    except ModuleNotFoundError as error:
        print(f"separatrix: {what_to_install(error)}", file=sys.stderr)
        return 2
    return run_command(list(sys.argv[1:] if arguments is None else arguments))


def what_to_install(error: ModuleNotFoundError) -> str:
    """The sentence about an extra that is not installed."""
    package = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(package)
    if extra is None:
        raise error
    purpose = "the shell command" if extra == "cli" else "reading and writing VTK's files"
    name = "vtk" if extra == "vtk" else package
    return f"{name} is not installed, {purpose} needs it: pip install 'separatrix[{extra}]'"
