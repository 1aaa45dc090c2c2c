"""The ports of MorseSmaleComplex contain the complex of the engine, at any level."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
import separatrix_vtk
from filters.images import (
    array_types,
    cell_array,
    connectivity_of,
    image_with,
    noise,
    point_array,
    points_of,
)
from filters.meshes import boxes, grid_of

VOLUME = noise(6, 7, 8)
TIED = noise(6, 7, 8, dtype=np.uint8) // 8
POINTS, TETS, VALUES = boxes(4)
FIELDS: dict[str, tuple[np.ndarray, float, str]] = {
    "volume": (VOLUME, 12.0, "index"),
    "tied volume": (TIED, 12.0, "plateau"),
    "picture": (noise(1, 12, 11), 12.0, "index"),
    "line": (noise(1, 1, 30), 12.0, "index"),
    "tetrahedra": (VALUES, 0.2, "index"),
    "tied tetrahedra": (np.round(VALUES * 3).astype(np.int8), 1.5, "plateau"),
}
EVERYTHING: dict[str, Any] = {
    "compute_descending_separatrices_2": True,
    "compute_ascending_separatrices_2": True,
    "compute_top_cell_labels": True,
    "compute_simplified_field": True,
    "region_table": "morse_smale",
    "keep_skipped_saddles": True,
}
LABELS = {
    "DescendingManifold": "descending",
    "AscendingManifold": "ascending",
    "MorseSmaleManifold": "morse_smale",
}


@pytest.fixture(scope="module", params=[(name, at) for name in FIELDS for at in ("raw", "level")])
def ports(request):
    """The outputs of the filter, and the complex of the engine."""
    name, at = request.param
    values, level, order = FIELDS[name]
    persistence = level if at == "level" else 0.0
    is_mesh = values.ndim == 1
    dataset = grid_of(POINTS, TETS, values) if is_mesh else image_with(values, name="f")
    outputs = separatrix_vtk.morse_smale_complex(
        dataset, device="cpu", persistence=persistence, order=order, **EVERYTHING
    )
    domain = sx.TetMesh(POINTS, TETS, device="cpu") if is_mesh else None
    options = {"domain": domain} if is_mesh else {"device": "cpu"}
    complex = sx.morse_smale(values, persistence=persistence, order=order, **options)
    raw = sx.morse_smale(values, order=order, **options)
    assert (len(complex.critical) < len(raw.critical)) == (at == "level")
    return outputs, complex


def test_critical_points_are_those_of_the_engine(ports):
    outputs, complex = ports
    critical = complex.critical
    for name, values in {
        "CellId": critical.cell_id,
        "CellDimension": critical.index,
        "f": critical.value,
        "ttkVertexScalarField": critical.vertex,
        "IsOnBoundary": critical.on_boundary,
        "ManifoldSize": complex.manifold_sizes(),
        "IsPersistent": complex.is_persistent,
    }.items():
        found = point_array(outputs.critical_points, name)
        np.testing.assert_array_equal(found, values, err_msg=name)
    np.testing.assert_array_equal(points_of(outputs.critical_points), critical.position)


def test_labels_and_the_simplified_field_are_those_of_the_engine(ports):
    outputs, complex = ports
    for name, kind in LABELS.items():
        found = point_array(outputs.segmentation, name)
        np.testing.assert_array_equal(found, complex.segmentation(kind).ravel(), err_msg=name)
    found = cell_array(outputs.segmentation, "AscendingManifold")
    np.testing.assert_array_equal(found, complex.cell_labels().ravel())
    field, simple = (point_array(outputs.segmentation, n) for n in ("f", "SimplifiedField"))
    expected = complex.simplified_field()
    np.testing.assert_array_equal(simple, expected.values.ravel())
    order = point_array(outputs.segmentation, "SimplifiedField_Order")
    np.testing.assert_array_equal(order, expected.order.ravel())
    assert simple.dtype == field.dtype
    change = np.abs(simple.astype(float) - field.astype(float)).max()
    assert change < complex.persistence or change == 0


def test_the_graph_has_the_arcs_of_the_engine(ports):
    outputs, complex = ports
    graph, critical = outputs.graph, complex.critical
    arcs = complex.trace_arcs(method="frontier")
    assert array_types(graph.GetCellData()) == {
        "SourceId": "idtype",
        "DestinationId": "idtype",
        "DestinationType": "signed char",
        "SeparatrixType": "signed char",
        "Multiplicity": "unsigned long",
        "IsSaturated": "signed char",
        "Persistence": "double",
    }
    ends = connectivity_of(graph.GetLines()).reshape(-1, 2)
    kind = cell_array(graph, "SeparatrixType")
    np.testing.assert_array_equal(np.where(kind == 0, ends[:, 0], ends[:, 1]), arcs.upper)
    np.testing.assert_array_equal(np.where(kind == 0, ends[:, 1], ends[:, 0]), arcs.lower)
    np.testing.assert_array_equal(kind, critical.index[arcs.upper] - 1)
    np.testing.assert_array_equal(cell_array(graph, "Multiplicity"), arcs.multiplicity)
    np.testing.assert_array_equal(cell_array(graph, "SourceId"), critical.cell_id[ends[:, 0]])
    np.testing.assert_array_equal(cell_array(graph, "DestinationId"), critical.cell_id[ends[:, 1]])
    np.testing.assert_array_equal(points_of(graph), critical.position)
    value = critical.value.astype(float)
    difference = value[arcs.upper] - value[arcs.lower]
    np.testing.assert_array_equal(cell_array(graph, "Persistence"), difference)
    assert "Persistence" in array_types(graph.GetPointData())


def test_the_numbers_of_lines_surfaces_and_regions_equal_those_of_the_engine(ports):
    outputs, complex = ports
    dimension = complex.domain.dimension
    kinds = ("descending", "ascending", "saddle") if dimension > 1 else ("descending",)
    lines = [complex.separatrices(1, kind) for kind in kinds]
    assert outputs.separatrices_1.GetNumberOfPoints() == sum(len(some.points) for some in lines)
    is_inner = [np.ones(len(some.points), np.int8) for some in lines[:2]]
    for inner, some in zip(is_inner, lines, strict=False):
        inner[some.offsets[:-1]] = inner[some.offsets[1:] - 1] = 0
    of_arcs = np.concatenate(is_inner)  # they stand before the connectors
    mask = point_array(outputs.separatrices_1, "ttkMaskScalarField")
    np.testing.assert_array_equal(mask[: len(of_arcs)], of_arcs)
    surfaces = [complex.separatrices(2, kind) for kind in kinds[:2]] if dimension == 3 else []
    polygons = sum(int((np.diff(some.offsets) >= 3).sum()) for some in surfaces)
    assert outputs.separatrices_2.GetNumberOfCells() == polygons
    assert outputs.regions.GetNumberOfRows() == len(complex.regions("morse_smale").size)
