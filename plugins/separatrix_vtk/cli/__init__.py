"""The `separatrix` command. It requires Typer (extra `cli`); commands that compute require VTK."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from separatrix_vtk.cli.exit_codes import INTERRUPTED


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit code, as `separatrix --help` lists them."""
    open_missing_streams()
    try:
        from separatrix_vtk.cli.app import run_command
    except KeyboardInterrupt:
        print("separatrix: stopped", file=sys.stderr)
        return INTERRUPTED
    return run_command(list(sys.argv[1:] if arguments is None else arguments))


def open_missing_streams() -> None:
    """Open the standard streams that the caller closed, on the null device.

    Otherwise the next file that is opened would become standard output.
    """
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is not None:
            continue
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, number)  # also for child processes
            if null != number:
                os.close(null)
            os.set_inheritable(number, True)
        setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
