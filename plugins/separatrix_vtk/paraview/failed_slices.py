"""The slice of an output is hidden while its filter fails: VTK cannot draw one without arrays.

VTK would print an error of its own about a texture below the sentence of the filter. If no other
output is visible, nothing happens, because nothing would run the filter again to show it.
"""

from __future__ import annotations

from typing import Any

from separatrix_vtk.paraview.session import proxies


def with_hidden_failures(filter: Any) -> Any:
    """A filter whose slices are hidden by a failed run, and shown again by the next good one."""
    hidden: list[Any] = []

    def after_run(caller: Any, _event: str) -> None:
        if caller.last_error:
            visible = _visible_outputs(caller)
            slices = [shown for shown in visible if _value(shown, "Representation") == "Slice"]
            hidden.extend(slices if len(slices) < len(visible) else ())
        for shown in hidden:
            shown.GetProperty("Visibility").SetElement(0, int(not caller.last_error))
            shown.UpdateVTKObjects()
        if not caller.last_error:
            hidden.clear()

    filter.AddObserver("EndEvent", after_run)
    return filter


def _visible_outputs(filter: Any) -> list[Any]:
    own = next((p for p in proxies("sources") if p.GetClientSideObject() is filter), None)
    return [
        shown
        for shown in (proxies("representations") if own else ())
        if (given := shown.GetProperty("Input"))
        and given.GetProxy(0) is own
        and _value(shown, "Visibility")
    ]


def _value(proxy: Any, name: str) -> Any:
    found = proxy.GetProperty(name)
    return found.GetElement(0) if found else None
