"""Outputs of filters: numbers of the engine, with the names and types of TTK."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkAbstractArray

import separatrix as sx
import separatrix_vtk
from filters.images import (
    array_types,
    cell_array,
    connectivity_of,
    image_with,
    noise,
    offsets_of,
    point_array,
    points_of,
    updated,
)
from separatrix_vtk.base.arrays import ids_to_vtk, to_vtk

VOLUME = noise(5, 6, 7)
FLAT = [(1, 9, 8), (9, 1, 8), (9, 8, 1)]
CRITICAL_ARRAYS = {
    "field": "float",
    "CellDimension": "signed char",
    "CellId": "idtype",
    "IsOnBoundary": "signed char",
    "ttkVertexScalarField": "idtype",
    "CriticalType": "signed char",
}
LINE_CELL_ARRAYS = {
    "SourceId": "idtype",
    "DestinationId": "idtype",
    "DestinationType": "signed char",
    "SeparatrixId": "idtype",
    "SeparatrixType": "signed char",
    "SeparatrixFunctionMaximum": "float",
    "SeparatrixFunctionMinimum": "float",
    "SeparatrixFunctionDifference": "float",
    "NumberOfCriticalPointsOnBoundary": "signed char",
}


def run(values: np.ndarray, name: str = "MorseSmaleComplex", **settings: Any) -> Any:
    filter = updated(getattr(separatrix_vtk, name)(device="cpu", **settings), image_with(values))
    return filter


@pytest.mark.parametrize("name", ["CriticalPoints", "DiscreteGradient"])
def test_critical_points_are_those_of_the_complex(name):
    expected, points = (run(VOLUME, of).GetOutput(0) for of in ("MorseSmaleComplex", name))
    more = {
        "IsPersistent": "signed char",
        "ManifoldSize": "idtype",
        "Persistence": "double",
        "PairedId": "idtype",
        "IsFinite": "signed char",
    }
    assert array_types(expected.GetPointData()) == CRITICAL_ARRAYS | more
    assert array_types(points.GetPointData()) == CRITICAL_ARRAYS
    n = expected.GetNumberOfPoints()
    assert connectivity_of(points.GetVerts()).tolist() == list(range(n))
    np.testing.assert_array_equal(points_of(points), points_of(expected))
    for array in CRITICAL_ARRAYS:
        np.testing.assert_array_equal(point_array(points, array), point_array(expected, array))
    index = point_array(points, "CellDimension")
    np.testing.assert_array_equal(point_array(points, "CriticalType"), index)
    assert points.GetPointData().GetScalars().GetName() == "CriticalType"


def test_a_maximum_has_critical_type_3_in_every_dimension():
    slice_ = run(VOLUME[:1]).GetOutput(0)
    index, kind = point_array(slice_, "CellDimension"), point_array(slice_, "CriticalType")
    assert set(zip(index.tolist(), kind.tolist(), strict=True)) == {(0, 0), (1, 1), (2, 3)}


def test_manifold_sizes_are_minus_one_without_labels():
    points = run(VOLUME, compute_ascending_segmentation=False).GetOutput(0)
    assert set(point_array(points, "ManifoldSize")) == {-1}


@pytest.mark.parametrize(
    ("values", "ascending_type"),
    [(VOLUME, 2), *((noise(*flat), 1) for flat in FLAT), (noise(1, 1, 12), 0)],
)
def test_lines_are_the_engines_polylines_cut_into_pieces(values, ascending_type):
    complex = sx.morse_smale(values, device="cpu")
    lines = run(values, compute_saddle_connectors=False).GetOutput(1)
    assert array_types(lines.GetPointData()) == {
        "ttkMaskScalarField": "signed char",
        "CellDimension": "signed char",
        "CellId": "idtype",
    }
    assert array_types(lines.GetCellData()) == {**LINE_CELL_ARRAYS, "Multiplicity": "unsigned long"}
    assert set(cell_array(lines, "Multiplicity")) == {1}
    families = [
        (0, complex.separatrices(1, "descending")),
        (ascending_type, complex.separatrices(1, "ascending")),
    ]
    np.testing.assert_array_equal(points_of(lines), np.concatenate([f.points for _, f in families]))
    np.testing.assert_array_equal(
        point_array(lines, "CellId"), np.concatenate([f.cell_id for _, f in families])
    )
    critical = complex.critical
    pieces, mask, start, number = [], [], 0, 0
    for kind, family in families:
        for line, (source, destination) in enumerate(
            zip(family.source, family.destination, strict=True)
        ):
            begin, end = family.offsets[line : line + 2] + start
            ids = [
                critical.cell_id[source],
                critical.cell_id[destination] if destination >= 0 else -1,
            ]
            if end - begin > 1:
                pieces.append((list(range(begin, end)), *ids, number, kind))
            inner = [0, *[1] * (end - begin - 2), 0]
            mask += inner if end - begin > 1 else [0]
            number += 1
        start += len(family.points)
    names = ("SourceId", "DestinationId", "SeparatrixId", "SeparatrixType")
    offsets, items = offsets_of(lines.GetLines()), connectivity_of(lines.GetLines())
    assert offsets.dtype == items.dtype == np.int32
    places = [items[begin:end].tolist() for begin, end in pairwise(offsets)]
    columns = [cell_array(lines, name).tolist() for name in names]
    assert list(zip(places, *columns, strict=True)) == pieces
    assert point_array(lines, "ttkMaskScalarField").tolist() == mask
    assert lines.GetNumberOfLines() == len(pieces) > 0


def test_the_ends_of_a_line_are_critical_points_with_its_extreme_values():
    filter = run(VOLUME)
    points, lines = filter.GetOutput(0), filter.GetOutput(1)
    value = dict(zip(point_array(points, "CellId"), point_array(points, "field"), strict=True))
    border = dict(
        zip(point_array(points, "CellId"), point_array(points, "IsOnBoundary"), strict=True)
    )
    rows = zip(
        cell_array(lines, "SourceId"),
        cell_array(lines, "DestinationId"),
        cell_array(lines, "SeparatrixFunctionMaximum"),
        cell_array(lines, "SeparatrixFunctionMinimum"),
        cell_array(lines, "SeparatrixFunctionDifference"),
        cell_array(lines, "NumberOfCriticalPointsOnBoundary"),
        strict=True,
    )
    for source, destination, highest, lowest, difference, on_boundary in rows:
        assert difference == highest - lowest
        if destination < 0:
            assert lowest == value[source]
            assert highest >= lowest
            assert on_boundary == border[source]
        else:
            assert {lowest, highest} == {value[source], value[destination]}
            assert on_boundary == border[source] + border[destination]


def test_a_line_that_leaves_the_image_has_the_value_of_its_last_cell():
    values = noise(6, 6, 6, seed=3)
    lines = run(values).GetOutput(1)
    ends = connectivity_of(lines.GetLines())[offsets_of(lines.GetLines())[1:] - 1]
    last = cell_array(lines, "DestinationId") < 0
    assert last.any()
    shape = tuple(2 * n - 1 for n in values.shape)
    for cell, highest in zip(
        point_array(lines, "CellId")[ends[last]],
        cell_array(lines, "SeparatrixFunctionMaximum")[last],
        strict=True,
    ):
        corners = [(c // 2, (c + 1) // 2) for c in np.unravel_index(cell, shape)]
        box = tuple(slice(low, high + 1) for low, high in corners)
        assert highest == values[box].max()


@pytest.mark.parametrize("kind", ["ascending", "descending"])
def test_surfaces_are_the_engines_polygons(kind):
    surface = sx.morse_smale(VOLUME, device="cpu").separatrices(2, kind)
    filter = run(VOLUME, **{f"compute_{kind}_separatrices_2": True})
    output = filter.GetOutput(2)
    assert array_types(output.GetCellData()) == {
        name: kind for name, kind in LINE_CELL_ARRAYS.items() if not name.startswith("Destination")
    }
    assert output.GetNumberOfPolys() == len(surface.source) > 0
    np.testing.assert_array_equal(points_of(output), surface.points)
    np.testing.assert_array_equal(connectivity_of(output.GetPolys()), surface.corners)
    critical = sx.morse_smale(VOLUME, device="cpu").critical
    saddles = surface.source
    np.testing.assert_array_equal(cell_array(output, "SourceId"), critical.cell_id[saddles])
    assert set(cell_array(output, "SeparatrixType")) == {1 if kind == "ascending" else 2}
    assert len(set(cell_array(output, "SeparatrixId"))) == len(set(saddles.tolist()))
    own = "SeparatrixFunctionMinimum" if kind == "ascending" else "SeparatrixFunctionMaximum"
    np.testing.assert_array_equal(cell_array(output, own), critical.value[saddles])


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 1, 5), (5, 1, 1), (1, 4, 4), (2, 2, 2)])
def test_images_may_have_axes_of_one_point(shape):
    filter = run(noise(*shape), compute_top_cell_labels=True)
    assert filter.report["euler_characteristic"] == 1
    assert (point_array(filter.GetOutput(0), "CellDimension") == 0).sum() >= 1


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float64"]
)
def test_the_scalar_type_is_preserved_on_every_port(dtype):
    values = noise(4, 4, 4, dtype=dtype)
    filter = run(values)
    assert point_array(filter.GetOutput(0), "field").dtype == values.dtype
    assert cell_array(filter.GetOutput(1), "SeparatrixFunctionMaximum").dtype == values.dtype
    assert point_array(filter.GetOutput(3), "field").dtype == values.dtype


def test_the_difference_of_small_signed_integers_does_not_wrap():
    values = np.where(noise(4, 4, 4) > 25, 127, -128).astype(np.int8)
    lines = run(values).GetOutput(1)
    highest = cell_array(lines, "SeparatrixFunctionMaximum").astype(int)
    lowest = cell_array(lines, "SeparatrixFunctionMinimum").astype(int)
    difference = cell_array(lines, "SeparatrixFunctionDifference")
    np.testing.assert_array_equal(difference, highest - lowest)
    assert difference.max() == 255


def test_gradient_vectors_lead_from_each_cell_to_its_partner():
    arrows = sx.discrete_gradient(VOLUME, device="cpu").arrows()
    filter = run(VOLUME, "DiscreteGradient")
    tails, glyphs = filter.GetOutput(1), filter.GetOutput(2)
    assert array_types(tails.GetPointData()) == {
        "GradientVector": "double x 3",
        "CellDimension": "signed char",
        "CellId": "idtype",
        "PairedCellId": "idtype",
    }
    np.testing.assert_array_equal(points_of(tails), arrows.tail)
    np.testing.assert_array_equal(point_array(tails, "GradientVector"), arrows.vector)
    np.testing.assert_array_equal(point_array(tails, "CellId"), arrows.tail_cell_id)
    np.testing.assert_array_equal(point_array(tails, "PairedCellId"), arrows.head_cell_id)
    assert tails.GetPointData().GetVectors().GetName() == "GradientVector"
    assert tails.GetNumberOfVerts() == tails.GetNumberOfPoints()
    ends = points_of(glyphs)[connectivity_of(glyphs.GetLines())].reshape(-1, 2, 3)
    np.testing.assert_array_equal(ends[:, 0], arrows.tail)
    np.testing.assert_array_equal(ends[:, 1] - ends[:, 0], arrows.vector)
    np.testing.assert_array_equal(cell_array(glyphs, "PairType"), arrows.tail_dimension)
    np.testing.assert_array_equal(point_array(glyphs, "PairOrigin").reshape(-1, 2).T[0], 0)
    steps = np.diff(point_array(glyphs, "CellDimension").reshape(-1, 2), axis=1)
    assert set(steps.reshape(-1)) == {1}


def test_a_stride_thins_the_arrows_and_not_the_critical_points():
    whole, thin = run(VOLUME, "DiscreteGradient"), run(VOLUME, "DiscreteGradient", stride=3)
    assert 0 < thin.GetOutput(1).GetNumberOfPoints() < whole.GetOutput(1).GetNumberOfPoints()
    assert thin.GetOutput(0).GetNumberOfPoints() == whole.GetOutput(0).GetNumberOfPoints()


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.uint64])
def test_arrays_of_integers_come_with_their_ranges_until_they_are_modified(dtype):
    ends = np.iinfo(dtype)
    values = np.array([5, ends.min, 7, ends.max, 6], dtype)
    makes = [to_vtk, ids_to_vtk] if dtype == np.int64 else [to_vtk]
    for array in (make(values.copy(), "values") for make in makes):
        for key in (vtkAbstractArray.PER_COMPONENT(), vtkAbstractArray.PER_FINITE_COMPONENT()):
            assert array.GetInformation().Has(key)
        assert array.GetRange() == array.GetFiniteRange() == (float(ends.min), float(ends.max))
        vtk_to_numpy(array)[[1, 3]] = 1, 2
        array.Modified()
        assert array.GetRange() == array.GetFiniteRange() == (1.0, 7.0)
    assert to_vtk(np.empty(0, dtype), "values").GetNumberOfTuples() == 0
