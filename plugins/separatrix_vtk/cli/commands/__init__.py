"""The commands, one module each, in the order of the help page."""

from __future__ import annotations

from importlib import import_module

from separatrix_vtk.cli.command import COMMANDS

__all__ = ["COMMANDS"]

for _module in (
    "morse_smale", "persistence_diagram", "critical_points", "discrete_gradient", "relations",
    "density", "neighbors", "rips", "alpha", "devices", "paraview_setup", "cite", "help",
):  # fmt: skip
    import_module(f"{__name__}.{_module}")
