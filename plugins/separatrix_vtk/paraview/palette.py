"""Lookup tables of VTK with the palette of Separatrix.

Pass `lookup_table(critical_categories(3))` and `label_lookup_table(n_labels)` to VTK and PyVista.
"""

from __future__ import annotations

from typing import Any

from separatrix.plotting.palette import GRAY, Category, label_colors


def lookup_table(categories: list[Category]) -> Any:
    """A vtkLookupTable of categories with annotations; other values are gray."""
    from vtkmodules.vtkCommonCore import vtkLookupTable

    table = vtkLookupTable()
    table.SetNumberOfTableValues(len(categories))
    table.SetTableRange(categories[0].value, categories[-1].value)
    for row, category in enumerate(categories):
        table.SetTableValue(row, *category.color, 1.0)
        table.SetAnnotation(category.value, category.name)
    table.SetNanColor(*GRAY, 1.0)
    table.IndexedLookupOn()
    return table


def label_lookup_table(n_labels: int) -> Any:
    """A vtkLookupTable for the labels 0 to n_labels - 1 of a segmentation; -1 (outside) is gray."""
    from vtkmodules.vtkCommonCore import vtkLookupTable

    table = vtkLookupTable()
    table.SetNumberOfTableValues(n_labels + 1)
    table.SetTableRange(-1.5, n_labels - 0.5)
    for row, color in enumerate([GRAY, *label_colors(n_labels)]):
        table.SetTableValue(row, *color, 1.0)
    return table
