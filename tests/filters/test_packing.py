"""Packing of datasets for other processes, without loss."""

import pickle
from typing import Any

import numpy as np
import pytest

pytest.importorskip("vtkmodules")

from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import (
    vtkBitArray,
    vtkFloatArray,
    vtkIdTypeArray,
    vtkPoints,
    vtkSignedCharArray,
    vtkStringArray,
    vtkUnsignedCharArray,
)
from vtkmodules.vtkCommonDataModel import (
    vtkCellArray,
    vtkDataObject,
    vtkDataSet,
    vtkHyperTreeGrid,
    vtkImageData,
    vtkPolyData,
    vtkRectilinearGrid,
    vtkStructuredGrid,
    vtkTable,
    vtkUniformGrid,
    vtkUnstructuredGrid,
)

from separatrix_vtk.base.arrays import rows_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.join import joined
from separatrix_vtk.base.packing import packed, unpacked

PLACES = (vtkDataObject.POINT, vtkDataObject.CELL, vtkDataObject.ROW, vtkDataObject.FIELD)
KINDS = ("Verts", "Lines", "Polys", "Strips")
N = 4


def sent(dataset: Any) -> Any:
    """The copy that another process receives, in arrays of its own."""
    return unpacked(pickle.loads(pickle.dumps(packed(dataset))))


def reported(dataset: Any) -> list[Any]:
    """All that there is to be reported of a dataset."""
    found: list[Any] = []
    if isinstance(dataset, vtkDataSet):
        cells = range(dataset.GetNumberOfCells())
        found += [dataset.GetPoint(i) for i in range(dataset.GetNumberOfPoints())]
        found += [(dataset.GetCellType(i), dataset.GetCellSize(i)) for i in cells]
    for place in PLACES:
        attributes = dataset.GetAttributesAsFieldData(place)
        for i in range(0 if attributes is None else attributes.GetNumberOfArrays()):
            array = attributes.GetAbstractArray(i)
            found.append((place, *told_of(array)))
            if hasattr(attributes, "IsArrayAnAttribute"):
                found.append(attributes.IsArrayAnAttribute(i))
    return found


def told_of(array: Any) -> tuple[Any, ...]:
    n = array.GetNumberOfComponents()
    names = [array.GetComponentName(i) for i in range(n)]
    values = [array.GetVariantValue(i).ToString() for i in range(array.GetNumberOfValues())]
    return array.GetName(), array.GetDataType(), n, array.GetNumberOfTuples(), names, values


def points(n: int) -> vtkPoints:
    made = vtkPoints()
    made.SetData(numpy_to_vtk(np.arange(3.0 * n).reshape(n, 3), deep=1))
    return made


def cells(*sizes: int) -> vtkCellArray:
    made = vtkCellArray()
    for size in sizes:
        made.InsertNextCell(size, list(range(size)))
    return made


def filled(array: Any, name: str | None, values: Any) -> Any:
    array.SetName(name)
    for value in values:
        array.InsertNextValue(value)
    return array


def arrays_of_every_kind(n: int) -> list[Any]:
    """Texts, vectors, arrays without a name, ghosts, bits, ids."""
    texts = vtkStringArray()
    texts.SetNumberOfComponents(2)
    vectors = numpy_to_vtk(np.arange(3.0 * n).reshape(n, 3), deep=1)
    vectors.SetName("vectors")
    vectors.SetComponentName(1, "across")
    return [
        filled(texts, "texts", [f"\u03b1{i}\n" for i in range(2 * n)]),
        filled(vtkStringArray(), "no text", [b"\xff\xfe"] * n),
        vectors,
        numpy_to_vtk(np.arange(n), deep=1),
        numpy_to_vtk(np.arange(n) + 1, deep=1),
        filled(vtkUnsignedCharArray(), "vtkGhostType", [i % 2 for i in range(n)]),
        filled(vtkBitArray(), "bits", [i % 2 for i in range(n)]),
        filled(vtkSignedCharArray(), "small", [-i for i in range(n)]),
        filled(vtkIdTypeArray(), "ids", range(n)),
    ]


def with_arrays(dataset: Any, n: int, *places: int) -> Any:
    for place in places:
        attributes = dataset.GetAttributesAsFieldData(place)
        for array in arrays_of_every_kind(n):
            attributes.AddArray(array)
        if place in (vtkDataObject.POINT, vtkDataObject.CELL):
            attributes.SetActiveVectors("vectors")
            attributes.SetGlobalIds(attributes.GetArray("ids"))
    return dataset


def vertices(n: int) -> vtkPolyData:
    dataset = vtkPolyData()
    dataset.SetPoints(points(n))
    dataset.SetVerts(vtkCellArray())
    for i in range(n):
        dataset.GetVerts().InsertNextCell(1, [i])
    return dataset


def line_image(n: int) -> vtkImageData:
    image = vtkImageData()
    image.SetDimensions(n, 1, 1)
    return image


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [(0,), (0, 0), (0, 3), (3, 0), (0, 1, 2, 0)])
def test_polygons_may_have_cells_without_points(kind, sizes):
    dataset = vtkPolyData()
    dataset.SetPoints(points(3))
    getattr(dataset, f"Set{kind}")(cells(*sizes))
    found = getattr(sent(dataset), f"Get{kind}")()
    assert [found.GetCellSize(i) for i in range(found.GetNumberOfCells())] == list(sizes)
    assert reported(sent(dataset)) == reported(dataset)


@pytest.mark.parametrize("sizes", [(0,), (0, 0), (0, 4), (4, 0)])
def test_a_grid_may_have_cells_without_points(sizes):
    grid = vtkUnstructuredGrid()
    grid.SetPoints(points(4))
    types = filled(vtkUnsignedCharArray(), None, [10 if size else 0 for size in sizes])
    grid.SetCells(types, cells(*sizes))
    assert reported(sent(grid)) == reported(grid)
    assert sent(grid).GetNumberOfCells() == len(sizes)


@pytest.mark.parametrize(
    "kind", [vtkImageData, vtkPolyData, vtkTable, vtkUniformGrid, vtkUnstructuredGrid]
)
def test_empty_parts_remain_empty(kind):
    assert reported(sent(kind())) == []
    assert kind().IsA(sent(kind()).GetClassName())


@pytest.mark.parametrize("kind", [vtkRectilinearGrid, vtkStructuredGrid])
def test_other_grids_arrive_as_unstructured_ones(kind):
    made = sent(kind())
    assert made.GetClassName() == "vtkUnstructuredGrid"
    assert reported(made) == []


def test_data_that_cannot_be_sent_are_rejected():
    with pytest.raises(FilterError, match="A vtkHyperTreeGrid of one process cannot be gathered"):
        packed(vtkHyperTreeGrid())


@pytest.mark.parametrize("kind", [vtkPolyData, vtkUnstructuredGrid])
def test_points_need_no_cells(kind):
    dataset = kind()
    dataset.SetPoints(points(N))
    with_arrays(dataset, N, vtkDataObject.POINT)
    assert reported(sent(dataset)) == reported(dataset)


@pytest.mark.parametrize("n", [0, N])
def test_arrays_of_every_kind_arrive_as_they_were(n):
    point, cell, row, field = PLACES
    for dataset in (
        with_arrays(vertices(n), n, point, cell, field),
        with_arrays(vtkTable(), n, row),
        with_arrays(line_image(n), n, point),
    ):
        assert reported(sent(dataset)) == reported(dataset)


def test_an_array_may_be_without_tuples_and_active():
    dataset = vertices(N)
    empty = vtkFloatArray()
    empty.SetNumberOfComponents(3)
    empty.SetName("empty")
    dataset.GetFieldData().AddArray(empty)
    dataset.GetFieldData().AddArray(filled(vtkStringArray(), "no text", []))
    assert reported(sent(dataset)) == reported(dataset)


def test_rows_of_bits_and_of_named_components_are_these_rows():
    picked = np.array([3, 1, 1])
    for array in arrays_of_every_kind(N):
        name, kind, n, _, names, values = told_of(array)
        wanted = [values[n * row + part] for row in picked.tolist() for part in range(n)]
        assert told_of(rows_of(array, picked)) == (name, kind, n, 3, names, wanted)


def test_pasted_images_keep_their_bits_and_the_names_of_components():
    parts = []
    for first in (0, N - 1):
        part = line_image(N)
        part.SetExtent(first, first + N - 1, 0, 0, 0, 0)
        parts.append(with_arrays(part, N, vtkDataObject.POINT))
        part.GetPointData().RemoveArray("vtkGhostType")
    data = joined(parts, False)[0].GetPointData()
    assert data.GetArray("vectors").GetComponentName(1) == "across"
    bits = data.GetArray("bits")
    assert [bits.GetValue(i) for i in range(2 * N - 1)] == [0, 1, 0, 1, 1, 0, 1]
