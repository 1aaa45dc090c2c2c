"""Access to the session of a ParaView client, which other processes do not have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def activate_render_view() -> None:
    """Make a 3D view active if a spreadsheet is, as after opening a table.

    ParaView would show the output of a filter in the spreadsheet, or in a further 3D view, and
    leave the first one empty.
    """
    manager = _manager()
    model = manager and manager.GetSelectionModel("ActiveView")
    active = model and model.GetCurrentProxy()
    if active is None or active.GetXMLName() != "SpreadSheetView":
        return
    for view in proxies("views"):
        if view.GetXMLName() == "RenderView":
            model.SetCurrentProxy(view, model.CLEAR_AND_SELECT)
            return


def color_maps_of(array: str) -> Iterator[Any]:
    """The color maps of an array name, also separate ones."""
    for color_map in proxies("lookup_tables"):
        name = _manager().GetProxyName("lookup_tables", color_map).partition(".")[0]
        if name == array or name.endswith(f"_{array}"):
            yield color_map


def proxies(group: str) -> Iterator[Any]:
    """The proxies of a group, such as "sources"."""
    from paraview.modules.vtkRemotingServerManager import vtkSMProxyIterator

    manager = _manager()
    if manager is None:
        return
    iterator = vtkSMProxyIterator()
    iterator.SetSessionProxyManager(manager)
    iterator.SetModeToOneGroup()
    iterator.Begin(group)
    while not iterator.IsAtEnd():
        yield iterator.GetProxy()
        iterator.Next()


def _manager() -> Any:
    """The manager of all proxies; None on a server."""
    from paraview.modules.vtkRemotingServerManager import vtkSMProxyManager

    return vtkSMProxyManager.GetProxyManager().GetActiveSessionProxyManager()
