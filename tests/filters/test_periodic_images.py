"""Periodic images: outputs are those of the engine, and lines do not cross the volume."""

import re
from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkPartitionedDataSet

import separatrix as sx
import separatrix_vtk
from filters.images import (
    TURNED,
    cell_array,
    connectivity_of,
    failed,
    image_with,
    noise,
    point_array,
    points_of,
    segments_of,
    updated,
)
from filters.meshes import boxes, grid_of

VALUES = noise(6, 7, 8, seed=31)
SPACING, ORIGIN = (0.5, 2.0, 1.0), (3.0, -4.0, 5.0)
AXES = ["x", "yz", "xyz"]
LINES = {"descending": 0, "saddle": 1, "ascending": 2}


def flags(axes: str) -> tuple[bool, ...]:
    return tuple(axis in axes for axis in "xyz")


def image(values: np.ndarray = VALUES) -> Any:
    return image_with(values, name="f", spacing=SPACING, origin=ORIGIN, direction=TURNED)


def complex_of(axes: str, dataset: Any = None, **options: Any) -> tuple[Any, Any]:
    """The outputs of the filter, and the complex of the engine."""
    everything = {
        "compute_descending_separatrices_2": True,
        "compute_ascending_separatrices_2": True,
        "compute_top_cell_labels": True,
        "compute_simplified_field": True,
        "persistence": 9.0,
    }
    found = separatrix_vtk.morse_smale_complex(
        dataset or image(), device="cpu", periodic=axes, **{**everything, **options}
    )
    place = {"spacing": SPACING, "origin": ORIGIN, "direction": np.reshape(TURNED, (3, 3))}
    engine = sx.morse_smale(VALUES, periodic=flags(axes), device="cpu", **place)
    return found, engine.simplify(9.0)


def lengths(dataset: Any) -> np.ndarray:
    """The length of each segment of polylines."""
    ends = points_of(dataset)[segments_of(dataset.GetLines())[0]]
    return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)


@pytest.mark.parametrize("axes", AXES)
def test_outputs_are_those_of_the_engine(axes):
    found, engine = complex_of(axes)
    critical = engine.critical
    assert critical.euler_characteristic == 0
    np.testing.assert_array_equal(points_of(found.critical_points), critical.position)
    for name, expected in (
        ("CellId", critical.cell_id),
        ("f", critical.value),
        ("ttkVertexScalarField", critical.vertex),
        ("IsOnBoundary", critical.on_boundary),
    ):
        np.testing.assert_array_equal(point_array(found.critical_points, name), expected)
    for name, kind in (("DescendingManifold", "descending"), ("AscendingManifold", "ascending")):
        expected = engine.segmentation(kind).ravel()
        np.testing.assert_array_equal(point_array(found.segmentation, name), expected)
    simplified = point_array(found.segmentation, "SimplifiedField")
    np.testing.assert_array_equal(simplified, engine.simplified_field().values.ravel())
    labels = engine.cell_labels()[:5, :6, :7]  # the image has no cell beyond its last points
    np.testing.assert_array_equal(cell_array(found.segmentation, "AscendingManifold"), labels.flat)
    code = cell_array(found.separatrices_1, "SeparatrixType")
    for kind, number in LINES.items():
        lines = engine.separatrices(1, kind)
        starts = np.delete(np.arange(len(lines.points)), lines.offsets[1:] - 1)
        segments, cells = segments_of(found.separatrices_1.GetLines())
        ends = points_of(found.separatrices_1)[segments[code[cells] == number]]
        np.testing.assert_array_equal(ends[:, 0], lines.points[starts])
        np.testing.assert_array_equal(ends[:, 1], lines.points[starts + 1])


@pytest.mark.parametrize("axes", AXES)
def test_values_of_lines_and_surfaces_are_those_of_their_cells(axes):
    found, _engine = complex_of(axes, persistence=0.0)
    raw = sx.morse_smale(VALUES, periodic=flags(axes), device="cpu")
    critical = raw.critical
    lines = raw.separatrices(1, "ascending")
    last = found.separatrices_1
    highest = cell_array(last, "SeparatrixFunctionMaximum")
    destination = cell_array(last, "DestinationId")
    value = dict(zip(critical.cell_id.tolist(), critical.value.tolist(), strict=True))
    ascends = (cell_array(last, "SeparatrixType") == 2) & (destination >= 0)
    assert len(lines.points)
    assert ascends.any()
    assert highest[ascends].tolist() == [value[cell] for cell in destination[ascends].tolist()]
    surfaces = found.separatrices_2
    source = cell_array(surfaces, "SourceId")
    descends = cell_array(surfaces, "SeparatrixType") == 2
    highest = cell_array(surfaces, "SeparatrixFunctionMaximum")
    assert highest[descends].tolist() == [value[cell] for cell in source[descends].tolist()]


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("smoothing", [0, 5])
def test_nothing_is_drawn_across_the_volume(axes, smoothing):
    found, _ = complex_of(axes, smoothing_iterations=smoothing)
    diagonal = np.linalg.norm(SPACING)
    assert lengths(found.separatrices_1).max() <= diagonal / (1 if smoothing else 2)
    surfaces = found.separatrices_2
    corners = points_of(surfaces)[connectivity_of(surfaces.GetPolys()).reshape(-1, 4)]
    assert np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max() <= max(SPACING)
    half = np.array([8, 7, 6]) * SPACING / np.where(flags(axes), 2, 1)
    assert lengths(found.graph).max() <= np.linalg.norm(half) + 1e-9
    gradient = separatrix_vtk.discrete_gradient(image(), device="cpu", periodic=axes)
    assert lengths(gradient.arrows).max() == max(SPACING) / 2
    pairs = separatrix_vtk.persistence_diagram(
        image(), device="cpu", periodic=axes, show_inside_domain=True
    ).diagram
    ends = points_of(pairs)[connectivity_of(pairs.GetCells()).reshape(-1, 2)]
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max() <= np.linalg.norm(half) + 1e-9


@pytest.mark.parametrize("axes", AXES)
def test_an_arc_across_the_seam_leads_to_a_copy_of_its_end(axes):
    found, engine = complex_of(axes)
    graph, n = found.graph, len(engine.critical)
    np.testing.assert_array_equal(points_of(graph)[:n], engine.critical.position)
    copies = point_array(graph, "CellId")[n:]
    assert len(copies)
    originals = engine.domain.positions(copies)
    turns = (points_of(graph)[n:] - originals) @ np.reshape(TURNED, (3, 3)) / SPACING / (8, 7, 6)
    np.testing.assert_allclose(turns, turns.round(), atol=1e-12)
    assert abs(turns).any(axis=1).all()
    ends = connectivity_of(graph.GetLines()).reshape(-1, 2)
    source, destination = point_array(graph, "CellId")[ends].T
    np.testing.assert_array_equal(source, cell_array(graph, "SourceId"))
    np.testing.assert_array_equal(destination, cell_array(graph, "DestinationId"))


def diagram_of(values: np.ndarray, axes: str) -> np.ndarray:
    """Number of essential classes by dimension."""
    found = separatrix_vtk.persistence_diagram(image_with(values), device="cpu", periodic=axes)
    essential = (cell_array(found.diagram, "IsFinite") == 0) & (
        cell_array(found.diagram, "PairIdentifier") >= 0
    )
    return np.bincount(cell_array(found.diagram, "PairType")[essential])


@pytest.mark.parametrize(
    ("shape", "axes", "betti"),
    [
        ((5, 6, 7), "xyz", [1, 3, 3, 1]),
        ((5, 6, 7), "xz", [1, 2, 1]),
        ((5, 6, 7), "y", [1, 1]),
        ((1, 6, 7), "xy", [1, 2, 1]),
        ((1, 1, 7), "x", [1, 1]),
    ],
)
def test_essential_classes_are_those_of_a_torus(shape, axes, betti):
    values = noise(*shape, seed=32)
    assert diagram_of(values, axes).tolist() == betti
    filter = updated(
        separatrix_vtk.CriticalPoints(device="cpu", periodic=axes), image_with(np.zeros(shape))
    )
    assert list(filter.report["critical_cells"])[: len(betti)] == betti
    assert filter.report["euler_characteristic"] == 0


def test_pieces_are_joined_before_the_axes_close():
    pieces = vtkPartitionedDataSet()
    for number, (begin, end) in enumerate(((0, 4), (4, 7))):
        part = image()
        part.Crop((begin, end, 0, 6, 0, 5))
        pieces.SetPartition(number, part)
    expected, _ = complex_of("xyz")
    found, _ = complex_of("xyz", pieces)
    joined = found.critical_points.GetPartition(0)
    for one in ("CellId", "PairedId"):
        np.testing.assert_array_equal(
            point_array(joined, one), point_array(expected.critical_points, one)
        )


def test_cell_data_of_an_image_have_the_period_of_its_cells():
    dataset = image_with(VALUES, cells=True)
    found = updated(separatrix_vtk.CriticalPoints(device="cpu", periodic="xy"), dataset)
    engine = sx.discrete_gradient(VALUES, periodic=flags("xy"), device="cpu").critical
    np.testing.assert_array_equal(point_array(found.GetOutput(), "CellId"), engine.cell_id)


@pytest.mark.parametrize("axis", "xyz")
def test_last_points_that_repeat_the_first_are_reported(axis):
    values = np.concatenate([VALUES, VALUES.take([0], "zyx".index(axis))], axis="zyx".index(axis))
    filter = separatrix_vtk.CriticalPoints(device="cpu", periodic="xyz")
    text = failed(filter, image_with(values))
    assert f"The first and the last points along {axis} have equal values" in text
    assert text.count("have equal values") == 1
    assert failed(separatrix_vtk.CriticalPoints(device="cpu"), image_with(values)) == ""


def test_short_periodic_axes_and_periodic_meshes_are_rejected():
    points, tetrahedra, values = boxes(2)
    with pytest.raises(sx.InputError, match=re.escape("A mesh cannot be periodic. Set periodic=")):
        separatrix_vtk.critical_points(grid_of(points, tetrahedra, values), periodic="x")
    with pytest.raises(sx.InputError, match="periodic must be axes of at least 3 points; got 'xz'"):
        separatrix_vtk.critical_points(image_with(noise(1, 5, 6)), periodic="xz")
