"""Support for ParaView besides the filters: color maps, views, inputs, and `paraview-setup`.

The server-manager XML names the filters of this module, so that ParaView has the color maps of
their arrays before it shows the first output.
"""

from __future__ import annotations

from typing import Any

DRAWN_INSIDE = ("CriticalPoints", "DiscreteGradient", "MorseSmaleComplex")


def __getattr__(name: str) -> Any:
    import separatrix_vtk

    if name not in separatrix_vtk.MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from separatrix_vtk.paraview.color_maps import add_color_maps
    from separatrix_vtk.paraview.failed_slices import with_hidden_failures
    from separatrix_vtk.paraview.legends import with_short_legends
    from separatrix_vtk.paraview.session import activate_render_view
    from separatrix_vtk.paraview.translucent import with_translucent_input

    made: Any = getattr(separatrix_vtk, name)
    if not add_color_maps():
        return made

    def create() -> Any:
        activate_render_view()
        filter = with_hidden_failures(with_short_legends(made()))
        return with_translucent_input(filter) if name in DRAWN_INSIDE else filter

    return create
