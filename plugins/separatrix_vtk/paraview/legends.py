"""Legends list the categories that outputs of this session contain, and no others.

Color maps of ParaView belong to names of arrays, so two outputs with an array of the same name have
one legend. Nothing happens to annotations that the user changed.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataSet

from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.base.datasets import leaves_of
from separatrix_vtk.paraview.color_maps import ARRAYS, PRIORITY, table_of_categories
from separatrix_vtk.paraview.session import color_maps_of

LISTS = ("Annotations", "IndexedColors", "IndexedOpacities")
STEP = 1e-6  # of priority: newer settings replace older ones
_present: dict[str, set[int]] = {}  # array -> its values in all outputs so far
_n_changes = 0


def with_short_legends(filter: Any) -> Any:
    """A filter after each run of which legends list what it has found."""

    def after_run(caller: Any, _event: str) -> None:
        ports = range(caller.GetNumberOfOutputPorts())
        list_categories([caller.GetOutputDataObject(port) for port in ports])

    filter.AddObserver("EndEvent", after_run)
    return filter


def list_categories(datasets: list[Any]) -> None:
    """Add the categories of datasets to those of legends, which at first list all."""
    leaves = [leaf for one in datasets for leaf in leaves_of(one) if isinstance(leaf, vtkDataSet)]
    changed = {}
    for name, (title, _) in ARRAYS.items():
        before = _present.get(name, set())
        found = before.union(*(values_of(leaf, name) for leaf in leaves))
        if found == before:
            continue
        _present[name] = found
        old, new = _table(name, before), _table(name, found)
        changed[name] = {"Title": title, "PVLookupTable": new}
        for color_map in color_maps_of(name):
            texts = color_map.GetProperty("Annotations")
            shown = [texts.GetElement(i) for i in range(texts.GetNumberOfElements())]
            if shown == old["Annotations"]:
                for key in LISTS:
                    values = color_map.GetProperty(key)
                    values.SetNumberOfElements(len(new[key]))
                    for i, value in enumerate(new[key]):
                        values.SetElement(i, value)
                color_map.UpdateVTKObjects()
    if changed:
        _remember(changed)


def values_of(dataset: Any, name: str) -> set[int]:
    """The values of an array of points or cells."""
    data = [part() for part in (dataset.GetPointData, dataset.GetCellData)]
    arrays = [one.GetArray(name) for one in data if one.HasArray(name)]
    return {int(value) for array in arrays for value in np.unique(from_vtk(array))}


def _table(name: str, values: set[int]) -> dict[str, Any]:
    categories = ARRAYS[name][1]
    return table_of_categories([c for c in categories if not values or c.value in values])


def _remember(tables: dict[str, Any]) -> None:
    """Use these for color maps to come."""
    global _n_changes
    from paraview.modules.vtkRemotingServerManager import vtkSMSettings

    _n_changes += 1
    text = json.dumps({"array_lookup_tables": tables})
    vtkSMSettings.GetInstance().AddCollectionFromString(text, PRIORITY + STEP * _n_changes)
