"""The array that a filter selects, and errors if it cannot use it."""

from typing import Any

import numpy as np
import pytest
from vtkmodules import vtkCommonCore
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkBitArray, vtkStringArray
from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkImageData

import separatrix_vtk
from filters.images import array_names, failed, image_with, message_window, noise, point_array

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


def empty() -> vtkImageData:
    image = vtkImageData()
    image.SetDimensions(3, 3, 3)
    return image


def with_array(array: Any, name: str, image: vtkImageData | None = None) -> vtkImageData:
    """An image with one more point array."""
    image = image or empty()
    array.SetName(name)
    image.GetPointData().AddArray(array)
    return image


def none_active() -> vtkImageData:
    image = two_fields()
    image.GetPointData().SetActiveScalars(None)
    image.GetCellData().Initialize()
    return image


def unnamed() -> vtkImageData:
    image = empty()
    image.GetPointData().SetScalars(numpy_to_vtk(np.arange(27.0), deep=1))
    return image


def bits() -> vtkImageData:
    array = vtkBitArray()
    for i in range(27):
        array.InsertNextValue(i % 2)
    return with_array(array, "bits", image_with(noise(3, 3, 3)))


def hidden_cells() -> vtkImageData:
    image = image_with(noise(3, 3, 3), active=False)
    image.AllocateCellGhostArray()
    return image


def texts() -> vtkImageData:
    array = vtkStringArray()
    array.SetNumberOfValues(27)
    return with_array(array, "names", image_with(noise(3, 3, 3)))


def run(image: Any, *choice: Any) -> Any:
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    if choice:
        filter.SetInputArrayToProcess(0, 0, 0, *choice)
    said = failed(filter, image)
    assert (filter.last_error == "") == ("ERROR" not in said)
    return filter


def taken(filter: Any) -> str:
    assert filter.last_error == ""
    return filter.GetOutput().GetPointData().GetArrayName(0)


SCALARS = 0  # the active scalars, as an attribute type
EMPTY = ""  # no choice, as ParaView sets it


@pytest.mark.parametrize(
    ("make", "choice", "name"),
    [
        (two_fields, (POINTS, "other"), "other"),
        (two_fields, (CELLS, "of_cells"), "of_cells"),
        (two_fields, (POINTS_THEN_CELLS, "of_cells"), "of_cells"),
        (two_fields, (), "field"),
        (two_fields, (POINTS, EMPTY), "field"),
        (two_fields, (POINTS, SCALARS), "field"),
        (lambda: image_with(noise(3, 3, 3), cells=True), (), "field"),
        (lambda: image_with(noise(3, 3, 3), cells=True), (POINTS, EMPTY), "field"),
        (lambda: image_with(noise(3, 3, 3), active=False), (), "field"),  # the only array
        (hidden_cells, (), "field"),  # whose marks are not a field
        (unnamed, (), "Scalars"),
        (bits, (POINTS, "bits"), "bits"),
    ],
)
def test_the_chosen_array_or_else_the_active_scalars_are_used(make, choice, name):
    assert taken(run(make(), *choice)) == name


def test_values_of_bit_arrays_are_read():
    output = run(bits(), POINTS, "bits").GetOutput()
    owners = point_array(output, "ttkVertexScalarField")
    np.testing.assert_array_equal(point_array(output, "bits"), owners % 2)


AVAILABLE = "available: point arrays field, other; cell arrays of_cells."


@pytest.mark.parametrize(
    ("make", "choice", "sentence"),
    [
        (two_fields, (POINTS, "density"), f"The point array 'density' was not found; {AVAILABLE}"),
        (two_fields, (CELLS, "field"), f"The cell array 'field' was not found; {AVAILABLE}"),
        (
            two_fields,
            (vtkDataObject.FIELD_ASSOCIATION_ROWS, "field"),
            f"The array 'field' must be point or cell data; {AVAILABLE}",
        ),
        (
            empty,
            (),
            "The input has no active point scalars and no active cell scalars and no other array. "
            "Add a scalar field.",
        ),
        (
            none_active,
            (),
            "The input has no active point scalars and no active cell scalars; available: "
            "point arrays field, other; cell arrays none. Choose one as array.",
        ),
        (
            lambda: with_array(numpy_to_vtk(np.zeros((27, 3)), deep=1), "velocity"),
            (POINTS, "velocity"),
            "The point array 'velocity' must have one component; got 3. Reduce it with the "
            "Calculator filter (in VTK vtkArrayCalculator), for example mag(velocity).",
        ),
        (
            texts,
            (POINTS, "names"),
            "The point array 'names' contains text (vtkStringArray), not numbers; "
            "available: point arrays field, names; cell arrays none.",
        ),
        *(
            (
                lambda n=n: with_array(numpy_to_vtk(np.arange(float(n)), deep=1), "short"),
                (POINTS, "short"),
                f"The point array 'short' has {n} values; the other point data have 27. "
                "Recreate or remove it.",
            )
            for n in (26, 28)
        ),
    ],
)
def test_an_array_that_cannot_be_used_raises_an_error_that_names_it(make, choice, sentence):
    assert run(make(), *choice).last_error == sentence


@pytest.mark.parametrize(
    "kind", [separatrix_vtk.MorseSmaleComplex, separatrix_vtk.CriticalPoints,
             separatrix_vtk.DiscreteGradient],
)  # fmt: skip
def test_a_field_named_like_an_output_array_issues_a_warning(kind):
    def warned(name):
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


@pytest.mark.parametrize("kind", ["Constant", "Affine"])
@pytest.mark.parametrize("number", ["Float64", "Int32", "UInt8"])
def test_an_array_that_vtk_computes_is_accepted(kind, number):
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
