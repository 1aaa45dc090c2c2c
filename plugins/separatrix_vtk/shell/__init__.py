"""The `separatrix` command. Needs typer and rich (extra `cli`), and VTK for VTK's files only."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

EXTRA_OF = {"typer": "cli", "click": "cli", "rich": "cli", "vtkmodules": "vtk", "vtk": "vtk"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit status, as `separatrix --help` lists them."""
    open_missing_streams()
    try:
        from separatrix_vtk.shell.commands import run_command
    except ModuleNotFoundError as error:
        given = list(sys.argv[1:] if arguments is None else arguments)
        if given in (["--plugin-path"], ["--version"]):
            return tell_of_itself(given[0])
        print(f"separatrix: {what_to_install(error)}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("separatrix: stopped", file=sys.stderr)
        return 130
    return run_command(list(sys.argv[1:] if arguments is None else arguments))


def open_missing_streams() -> None:
    """Open the standard streams that the caller has closed on a device that takes everything.

    Else the next file that is opened would be standard output, to whoever writes there.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is not None:
            continue
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, number)  # programs that are started have it too
            if null != number:
                os.close(null)
            os.set_inheritable(number, True)
        setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def tell_of_itself(wish: str) -> int:
    """Print what somebody asks who has installed no extra, for ParaView alone, say."""
    import separatrix_vtk

    if wish == "--version":
        print(f"separatrix {separatrix_vtk.__version__}")
        return 0
    try:
        print(separatrix_vtk.plugin_path())
    except FileNotFoundError as error:
        print(f"separatrix: {error}", file=sys.stderr)
        return 2
    return 0


def what_to_install(error: ModuleNotFoundError) -> str:
    """The sentence about an extra that is not installed."""
    package = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(package)
    if extra is None:
        raise error
    if extra == "vtk":
        return (
            "vtk is not installed; alpha, density and neighbors need it, and of other commands all "
            "but arrays in and .npz out: pip install 'separatrix[vtk]', in an environment that is "
            "not ParaView's"
        )
    return f"{package} is not installed, the shell command needs it: pip install 'separatrix[cli]'"
