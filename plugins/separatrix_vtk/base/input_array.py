"""The input array of a filter.

The choice made by `SetInputArrayToProcess` comes first. Without one (ParaView leaves the property
empty in scripts whose source was never updated) the active scalars are used, points before cells,
and then the only array, if there is only one. Marks of hidden points and cells are not a field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vtkmodules.vtkCommonCore import vtkDataArray, vtkUnsignedCharArray
from vtkmodules.vtkCommonDataModel import (
    vtkDataObject,
    vtkDataSet,
    vtkDataSetAttributes,
)

from separatrix_vtk.base.arrays import arrays_in, names_of
from separatrix_vtk.base.datasets import leaves_of
from separatrix_vtk.base.errors import FilterError

POINTS, CELLS = vtkDataObject.FIELD_ASSOCIATION_POINTS, vtkDataObject.FIELD_ASSOCIATION_CELLS
POINTS_THEN_CELLS = vtkDataObject.FIELD_ASSOCIATION_POINTS_THEN_CELLS
GHOSTS = vtkDataSetAttributes.GhostArrayName()
KIND = {POINTS: "point", CELLS: "cell"}
ELEMENTS = {
    vtkDataObject.POINT: "point",
    vtkDataObject.CELL: "cell",
    vtkDataObject.ROW: "row",
    vtkDataObject.VERTEX: "vertex",
}


@dataclass(frozen=True)
class InputArray:
    """An array of numbers with one component, its name, and its association (POINTS or CELLS)."""

    array: vtkDataArray
    name: str
    association: int


def find_input_array(dataset: vtkDataSet, name: str, association: int | None) -> InputArray:
    """The array of that name ("" if none was chosen), or a FilterError with the available arrays.

    association: POINTS, CELLS, POINTS_THEN_CELLS, or None if nothing was chosen.
    """
    places = [place for place in (POINTS, CELLS) if association in (place, POINTS_THEN_CELLS, None)]
    if not places:
        raise FilterError(f"The array '{name}' must be point or cell data; {_available(dataset)}.")
    if name:
        for place in places:
            array = _attributes(dataset, place).GetAbstractArray(name)
            if array is not None:
                return _checked(dataset, array, place)
        kinds = " or ".join(KIND[place] for place in places)
        raise FilterError(f"The {kinds} array '{name}' was not found; {_available(dataset)}.")
    for place in places:
        array = _attributes(dataset, place).GetScalars()
        if array is not None:
            return _checked(dataset, array, place)
    for place in places:
        if len(arrays := _fields(_attributes(dataset, place))) == 1:
            return _checked(dataset, arrays[0], place)
    kinds = " and no ".join(f"active {KIND[place]} scalars" for place in places)
    raise FilterError(
        f"The input has no {kinds}; {_available(dataset)}. Choose one as {{array}}."
        if _fields(dataset.GetPointData()) or _fields(dataset.GetCellData())
        else f"The input has no {kinds} and no other array. Add a scalar field."
    )


def check_arrays(dataset: Any) -> None:
    """Reject arrays of another length than their dataset, on which VTK crashes, and ghost arrays
    of several components.
    """
    for leaf in () if dataset is None else leaves_of(dataset):
        for place, kind in ELEMENTS.items():
            if (attributes := leaf.GetAttributesAsFieldData(place)) is not None:
                _check_lengths(attributes, leaf.GetNumberOfElements(place), kind)


def _check_lengths(attributes: Any, n: int, kind: str) -> None:
    ghosts = attributes.GetArray(GHOSTS)
    if isinstance(ghosts, vtkUnsignedCharArray) and ghosts.GetNumberOfComponents() != 1:
        raise FilterError(
            f"The {kind} array '{ghosts.GetName()}' must have one component; got "
            f"{ghosts.GetNumberOfComponents()}. Recreate or remove it."
        )
    for array in arrays_in(attributes):
        if array.GetNumberOfTuples() != max(n, 0):
            raise FilterError(
                f"The {kind} array '{array.GetName() or ''}' has {array.GetNumberOfTuples()} "
                f"values; the other {kind} data have {max(n, 0)}. Recreate or remove it."
            )


def chosen_array(information: Any) -> tuple[str, int | None]:
    """The name and association that SetInputArrayToProcess stored; ("", None) if it never was."""
    if not information.Has(vtkDataObject.FIELD_ASSOCIATION()):
        return "", None
    association = information.Get(vtkDataObject.FIELD_ASSOCIATION())
    name = ""
    if information.Has(vtkDataObject.FIELD_NAME()):
        name = information.Get(vtkDataObject.FIELD_NAME()) or ""
    # ParaView sets the association before any array is known. Without a name, this is not a choice,
    # unless the active scalars were requested by their attribute type.
    chosen = name or information.Has(vtkDataObject.FIELD_ATTRIBUTE_TYPE())
    return name, association if chosen else None


def _checked(dataset: vtkDataSet, array: Any, association: int) -> InputArray:
    name = array.GetName() or ""
    called = f"The {KIND[association]} array '{name}'"
    if not isinstance(array, vtkDataArray):
        raise FilterError(
            f"{called} contains text ({array.GetClassName()}), not numbers; {_available(dataset)}."
        )
    if array.GetNumberOfComponents() != 1:
        others = ", ".join(map(repr, _scalars_of(dataset)))
        remedy = f"Choose {others} as {{array}}, or reduce" if others else "Reduce"
        raise FilterError(
            f"{called} must have one component; got {array.GetNumberOfComponents()}. {remedy} it "
            "with the Calculator filter (in VTK vtkArrayCalculator), for example "
            f"mag({name or 'array'})."
        )
    return InputArray(array, name or "Scalars", association)


def _attributes(dataset: vtkDataSet, association: int) -> Any:
    return dataset.GetPointData() if association == POINTS else dataset.GetCellData()


def _fields(attributes: Any) -> list[Any]:
    return [array for array in arrays_in(attributes) if array.GetName() != GHOSTS]


def _scalars_of(dataset: vtkDataSet) -> list[str]:
    return [
        name
        for attributes in (dataset.GetPointData(), dataset.GetCellData())
        for name in names_of(attributes)
        if (array := attributes.GetArray(name)) and array.GetNumberOfComponents() == 1
    ]


def _available(dataset: vtkDataSet) -> str:
    data = (_fields(one) for one in (dataset.GetPointData(), dataset.GetCellData()))
    texts = (", ".join(filter(None, (a.GetName() for a in one))) or "none" for one in data)
    return "available: point arrays {}; cell arrays {}".format(*texts)
