"""The commands, by type of input, in the order of the help page."""

from __future__ import annotations

from importlib import import_module

from separatrix_vtk.cli.command import COMMANDS

__all__ = ["COMMANDS"]

for _module in (
    "morse_smale", "scalar_fields", "relations", "points", "rips", "alpha", "paraview_setup",
    "about",
):  # fmt: skip
    import_module(f"{__name__}.{_module}")
