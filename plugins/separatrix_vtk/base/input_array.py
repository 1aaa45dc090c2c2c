"""Which array of its input a filter works on, and the sentence when there is no such array.

The choice made by `SetInputArrayToProcess` comes first. Where none was made (ParaView leaves the
property empty in scripts whose source was never updated) the active scalars are taken, points
before cells, and then the only array there is, if there is only one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vtkmodules.vtkCommonCore import vtkDataArray, vtkUnsignedCharArray
from vtkmodules.vtkCommonDataModel import (
    vtkCompositeDataSet,
    vtkDataObject,
    vtkDataSet,
    vtkDataSetAttributes,
    vtkGraph,
    vtkTable,
)

from separatrix_vtk.base.arrays import names_of
from separatrix_vtk.base.datasets import leaves_of
from separatrix_vtk.base.errors import FilterError

POINTS, CELLS = vtkDataObject.FIELD_ASSOCIATION_POINTS, vtkDataObject.FIELD_ASSOCIATION_CELLS
POINTS_THEN_CELLS = vtkDataObject.FIELD_ASSOCIATION_POINTS_THEN_CELLS
KIND = {POINTS: "point", CELLS: "cell"}


@dataclass(frozen=True)
class InputArray:
    """An array of numbers, one a tuple, with its name and where it lives (POINTS or CELLS)."""

    array: vtkDataArray
    name: str
    association: int


def find_input_array(dataset: vtkDataSet, name: str, association: int | None) -> InputArray:
    """The array of that name ("" for none chosen), or a FilterError that says what there is.

    association: POINTS, CELLS, POINTS_THEN_CELLS, or None where nothing was chosen.
    """
    places = [place for place in (POINTS, CELLS) if association in (place, POINTS_THEN_CELLS, None)]
    if not places:
        raise FilterError(
            f"an array of points or cells is needed, '{name}' was chosen among other data; "
            + _what_there_is(dataset)
        )
    if name:
        for place in places:
            array = _attributes(dataset, place).GetAbstractArray(name)
            if array is not None:
                return _checked(dataset, array, place)
        kinds = " or ".join(KIND[place] for place in places)
        raise FilterError(f"there is no {kinds} array called '{name}'; {_what_there_is(dataset)}")
    for place in places:
        array = _attributes(dataset, place).GetScalars()
        if array is not None:
            return _checked(dataset, array, place)
    for place in places:
        if _attributes(dataset, place).GetNumberOfArrays() == 1:
            return _checked(dataset, _attributes(dataset, place).GetAbstractArray(0), place)
    kinds = " and no ".join(f"active {KIND[place]} scalars" for place in places)
    raise FilterError(
        f"the input has no {kinds}; {_what_there_is(dataset)}: choose one as the scalar field"
        if names_of(dataset.GetPointData()) or names_of(dataset.GetCellData())
        else f"the input has no {kinds} and no other array: give it a scalar field first"
    )


def check_arrays(dataset: Any) -> None:
    """Complain about arrays of another length than their data set, at which VTK itself crashes,
    and about marks of ghosts that are no marks.
    """
    if isinstance(dataset, vtkCompositeDataSet):
        for leaf in leaves_of(dataset):
            check_arrays(leaf)
    tables: list[tuple[Any, int, str]] = []
    if isinstance(dataset, vtkDataSet):
        tables = [
            (dataset.GetPointData(), dataset.GetNumberOfPoints(), "point"),
            (dataset.GetCellData(), dataset.GetNumberOfCells(), "cell"),
        ]
    elif isinstance(dataset, vtkTable):
        tables = [(dataset.GetRowData(), dataset.GetNumberOfRows(), "row")]
    elif isinstance(dataset, vtkGraph):
        tables = [(dataset.GetVertexData(), dataset.GetNumberOfVertices(), "vertex")]
    for attributes, n, kind in tables:
        ghosts = attributes.GetArray(vtkDataSetAttributes.GhostArrayName())
        if isinstance(ghosts, vtkUnsignedCharArray) and ghosts.GetNumberOfComponents() != 1:
            raise FilterError(
                f"the {kind} array '{ghosts.GetName()}' has {ghosts.GetNumberOfComponents()} "
                "components, marks of ghosts have one: make it anew or remove it"
            )
        for i in range(attributes.GetNumberOfArrays()):
            array = attributes.GetAbstractArray(i)
            if array.GetNumberOfTuples() != max(n, 0):
                raise FilterError(
                    f"the {kind} array '{array.GetName() or ''}' has {array.GetNumberOfTuples()} "
                    f"values, the other {kind} data have {max(n, 0)}: make it anew or remove it"
                )


def chosen_array(information: Any) -> tuple[str, int | None]:
    """The name and association that SetInputArrayToProcess stored; ("", None) if it never was."""
    if not information.Has(vtkDataObject.FIELD_ASSOCIATION()):
        return "", None
    association = information.Get(vtkDataObject.FIELD_ASSOCIATION())
    name = ""
    if information.Has(vtkDataObject.FIELD_NAME()):
        name = information.Get(vtkDataObject.FIELD_NAME()) or ""
    # ParaView names the association before any array is known: no name, then, is no choice at all,
    # unless the active scalars were asked for by their attribute type.
    chosen = name or information.Has(vtkDataObject.FIELD_ATTRIBUTE_TYPE())
    return name, association if chosen else None


def _checked(dataset: vtkDataSet, array: Any, association: int) -> InputArray:
    name = array.GetName() or ""
    called = f"the {KIND[association]} array '{name}'"
    if not isinstance(array, vtkDataArray):
        raise FilterError(
            f"{called} holds text ({array.GetClassName()}), a scalar field is made of numbers; "
            + _what_there_is(dataset)
        )
    if array.GetNumberOfComponents() != 1:
        others = ", ".join(map(repr, _scalars_of(dataset)))
        choice = f"there is {others}, choose that as {{array}}, or "
        raise FilterError(
            f"{called} has {array.GetNumberOfComponents()} components, a scalar field has one: "
            f"{choice if others else ''}make one of them first with the Calculator filter "
            f"(in VTK vtkArrayCalculator), for example mag({name or 'array'})"
        )
    return InputArray(array, name or "Scalars", association)


def _attributes(dataset: vtkDataSet, association: int) -> Any:
    return dataset.GetPointData() if association == POINTS else dataset.GetCellData()


def _scalars_of(dataset: vtkDataSet) -> list[str]:
    """The arrays of one number a point or cell."""
    return [
        name
        for attributes in (dataset.GetPointData(), dataset.GetCellData())
        for name in names_of(attributes)
        if (array := attributes.GetArray(name)) and array.GetNumberOfComponents() == 1
    ]


def _what_there_is(dataset: vtkDataSet) -> str:
    points, cells = names_of(dataset.GetPointData()), names_of(dataset.GetCellData())
    return f"point arrays: {', '.join(points) or 'none'}; cell arrays: {', '.join(cells) or 'none'}"
