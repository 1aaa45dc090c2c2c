"""The surface of a mesh becomes translucent at the first run of a filter that draws inside it.

ParaView would hide an opaque surface instead, and no hint in XML asks for another opacity. Nothing
happens where ParaView's client and server are two processes, or if the surface is not opaque.
"""

from __future__ import annotations

from typing import Any

from separatrix_vtk.paraview.session import proxies

OPACITY = 0.3


def with_translucent_input(filter: Any) -> Any:
    """A filter that makes the surface of its input translucent at its first run."""

    def at_first_run(caller: Any, _event: str) -> None:
        caller.RemoveObserver(tag)
        _make_input_translucent(caller)

    tag = filter.AddObserver("StartEvent", at_first_run)
    return filter


def _make_input_translucent(filter: Any) -> None:
    own = next((p for p in proxies("sources") if p.GetClientSideObject() is filter), None)
    source = own and own.GetProperty("Input").GetProxy(0)
    for shown in proxies("representations") if source else ():
        values = {name: shown.GetProperty(name) for name in ("Input", "Representation", "Opacity")}
        if (
            all(values.values())
            and values["Input"].GetProxy(0) is source
            and values["Representation"].GetElement(0) == "Surface"
            and values["Opacity"].GetElement(0) == 1.0
        ):
            values["Opacity"].SetElement(0, OPACITY)
            shown.UpdateVTKObjects()
