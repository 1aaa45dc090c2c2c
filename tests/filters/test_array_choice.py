"""Which array a filter takes, and the sentence when it cannot take it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from vtkmodules import vtkCommonCore
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkStringArray
from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkImageData

import separatrix_vtk
from filters.images import array_names, image_with, message_window, noise, point_array

POINTS = vtkDataObject.FIELD_ASSOCIATION_POINTS
CELLS = vtkDataObject.FIELD_ASSOCIATION_CELLS
POINTS_THEN_CELLS = vtkDataObject.FIELD_ASSOCIATION_POINTS_THEN_CELLS


def two_fields() -> vtkImageData:
    """Active point scalars `field`, another point array `other`, a cell array `of_cells`."""
    image = image_with(noise(4, 4, 4))
    for attributes, name, size in (
        (image.GetPointData(), "other", 64),
        (image.GetCellData(), "of_cells", 27),
    ):
        array = numpy_to_vtk(np.arange(float(size)), deep=1)
        array.SetName(name)
        attributes.AddArray(array)
    return image


def run(image: Any, *choice: Any) -> Any:
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    if choice:
        filter.SetInputArrayToProcess(0, 0, 0, *choice)
    filter.SetInputDataObject(image)
    with message_window() as window:
        filter.Update()
    assert (filter.last_error == "") == ("ERROR" not in window.GetOutput())
    return filter


def taken(filter: Any) -> str:
    assert filter.last_error == ""
    return filter.GetOutput().GetPointData().GetArrayName(0)


def test_the_chosen_array_is_taken():
    assert taken(run(two_fields(), POINTS, "other")) == "other"
    assert taken(run(two_fields(), CELLS, "of_cells")) == "of_cells"
    assert taken(run(two_fields(), POINTS_THEN_CELLS, "of_cells")) == "of_cells"


def test_without_a_choice_the_active_scalars_are_taken():
    assert taken(run(two_fields())) == "field"


def test_an_empty_name_such_as_paraview_sets_is_no_choice():
    assert taken(run(two_fields(), POINTS, "")) == "field"
    image = image_with(noise(3, 3, 3), cells=True)
    assert taken(run(image, POINTS, "")) == "field"


def test_the_active_scalars_may_be_asked_for_by_attribute_type():
    scalars = 0
    assert taken(run(two_fields(), POINTS, scalars)) == "field"


def test_active_cell_scalars_are_taken_where_points_have_none():
    assert taken(run(image_with(noise(3, 3, 3), cells=True))) == "field"


def test_the_only_array_is_taken_if_no_scalars_are_active():
    assert taken(run(image_with(noise(3, 3, 3), active=False))) == "field"


def test_an_array_without_a_name_is_called_scalars():
    image = vtkImageData()
    image.SetDimensions(3, 3, 3)
    image.GetPointData().SetScalars(numpy_to_vtk(np.arange(27.0), deep=1))
    assert taken(run(image)) == "Scalars"


def test_implicit_and_bit_arrays_are_read_too():
    image = image_with(noise(3, 3, 3))
    bits = np.arange(27) % 2
    from vtkmodules.vtkCommonCore import vtkBitArray

    array = vtkBitArray()
    array.SetName("bits")
    for bit in bits:
        array.InsertNextValue(int(bit))
    image.GetPointData().AddArray(array)
    filter = run(image, POINTS, "bits")
    assert filter.last_error == ""
    owners = point_array(filter.GetOutput(), "ttkVertexScalarField")
    np.testing.assert_array_equal(point_array(filter.GetOutput(), "bits"), bits[owners])


def test_an_unknown_name_is_told_with_the_names_that_there_are():
    assert run(two_fields(), POINTS, "density").last_error == (
        "The point array 'density' was not found; "
        "available: point arrays field, other; cell arrays of_cells."
    )
    assert run(two_fields(), CELLS, "field").last_error == (
        "The cell array 'field' was not found; available: point arrays field, other; cell arrays "
        "of_cells."
    )


def test_no_scalars_at_all_is_told():
    image = vtkImageData()
    image.SetDimensions(3, 3, 3)
    assert run(image).last_error == (
        "The input has no active point scalars and no active cell scalars and no other array. "
        "Add a scalar field."
    )


def test_several_arrays_and_none_active_asks_for_a_choice():
    image = two_fields()
    image.GetPointData().SetActiveScalars(None)
    image.GetPointData().RemoveArray("of_cells")
    image.GetCellData().Initialize()
    assert run(image).last_error == (
        "The input has no active point scalars and no active cell scalars; available: "
        "point arrays field, other; cell arrays none. Choose one as the scalar field."
    )


def test_an_array_of_other_data_is_refused_though_points_have_one_of_its_name():
    rows = vtkDataObject.FIELD_ASSOCIATION_ROWS
    assert run(two_fields(), rows, "field").last_error == (
        "The array 'field' must be point or cell data; "
        "available: point arrays field, other; cell arrays of_cells."
    )


@pytest.mark.parametrize(
    "kind", [separatrix_vtk.MorseSmaleComplex, separatrix_vtk.CriticalPoints,
             separatrix_vtk.DiscreteGradient],
)  # fmt: skip
def test_a_field_called_as_an_array_of_the_outputs_is_told_of(kind: Any):
    def warned(name: str) -> tuple[bool, Any]:
        filter = kind(device="cpu")
        filter.SetInputDataObject(image_with(noise(3, 3, 3), name=name))
        with message_window() as window:
            filter.Update()
        assert filter.last_error == ""
        return (
            f"do not contain the values of the scalar field '{name}'" in window.GetOutput(),
            filter,
        )

    is_warned, filter = warned("field")
    assert not is_warned
    made = array_names(filter.GetOutput().GetPointData())
    if kind is separatrix_vtk.MorseSmaleComplex:
        made += array_names(filter.GetOutput(3).GetPointData())
    assert {*made} - {"field"} <= {*kind.MADE_ARRAYS}
    assert all(warned(name)[0] for name in ("CriticalType", "CellId"))


def test_vectors_are_refused_with_what_to_apply():
    image = vtkImageData()
    image.SetDimensions(3, 3, 3)
    vectors = numpy_to_vtk(np.zeros((27, 3)), deep=1)
    vectors.SetName("velocity")
    image.GetPointData().AddArray(vectors)
    assert run(image, POINTS, "velocity").last_error == (
        "The point array 'velocity' must have one component; got 3. Reduce it with the Calculator "
        "filter (in VTK vtkArrayCalculator), for example mag(velocity)."
    )


def test_text_is_refused():
    image = image_with(noise(3, 3, 3))
    names = vtkStringArray()
    names.SetName("names")
    names.SetNumberOfValues(27)
    image.GetPointData().AddArray(names)
    assert run(image, POINTS, "names").last_error == (
        "The point array 'names' contains text (vtkStringArray), not numbers; "
        "available: point arrays field, names; cell arrays none."
    )


@pytest.mark.parametrize("n_values", [26, 28])
def test_an_array_that_does_not_fit_the_image_is_told_with_both_sizes(n_values: int):
    image = vtkImageData()
    image.SetDimensions(3, 3, 3)
    array = numpy_to_vtk(np.arange(float(n_values)), deep=1)
    array.SetName("short")
    image.GetPointData().AddArray(array)
    assert run(image, POINTS, "short").last_error == (
        f"The point array 'short' has {n_values} values; the other point data have 27. "
        "Recreate or remove it."
    )


@pytest.mark.parametrize("kind", ["Constant", "Affine"])
@pytest.mark.parametrize("number", ["Float64", "Int32", "UInt8"])
def test_an_array_that_vtk_computes_is_taken(kind: str, number: str):
    made = getattr(vtkCommonCore, f"vtk{kind}Type{number}Array", None)
    if made is None:
        pytest.skip("this VTK has no such array")
    array = made()
    array.ConstructBackend(*(5,) if kind == "Constant" else (1, 5))
    array.SetNumberOfComponents(1)
    array.SetNumberOfTuples(64)
    array.SetName("implicit")
    image = two_fields()
    image.GetPointData().AddArray(array)
    assert taken(run(image, POINTS, "implicit")) == "implicit"
