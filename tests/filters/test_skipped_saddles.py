"""Saddles of pairs below the threshold that could not be canceled are omitted by default."""

from typing import Any

import numpy as np
import pytest

import separatrix_vtk
from filters.images import (
    array_names,
    array_types,
    cell_array,
    connectivity_of,
    image_with,
    noise,
    point_array,
    points_of,
    segments_of,
)
from filters.meshes import boxes, grid_of

VOLUME = noise(12, 12, 12)
POINTS, TETS, _ = boxes(9)
FIELDS = {
    "volume": (image_with(VOLUME), 12.0),
    "tetrahedra": (grid_of(POINTS, TETS, np.random.default_rng(3).random(len(POINTS))), 0.4),
}
INDICES = {0: (1, 0), 1: (1, 2), 2: (2, 3)}  # SeparatrixType -> index of its source and destination


@pytest.fixture(scope="module", params=FIELDS)
def both(request):
    """The outputs with and without skipped saddles."""
    dataset, level = FIELDS[request.param]

    def run(**settings):
        return separatrix_vtk.morse_smale_complex(
            dataset,
            device="cpu",
            persistence=level,
            compute_descending_separatrices_2=True,
            compute_ascending_separatrices_2=True,
            **settings,
        )

    kept, less = run(keep_skipped_saddles=True), run()
    assert 0 < point_array(kept.critical_points, "IsPersistent").mean() < 1
    return kept, less


def skipped_cells(kept: Any) -> set[tuple[int, int]]:
    """Index and CellId of the saddles that are omitted."""
    points = kept.critical_points
    names = ("CellDimension", "CellId", "IsPersistent")
    columns = (point_array(points, name).tolist() for name in names)
    return {(index, cell) for index, cell, stays in zip(*columns, strict=True) if not stays}


def stays(output: Any, skipped: set[tuple[int, int]]) -> np.ndarray:
    """Mask of the lines or arcs without a skipped saddle at an end."""
    names = ("SeparatrixType", "SourceId", "DestinationId")
    rows = zip(*(cell_array(output, name).tolist() for name in names), strict=True)
    found = [
        (INDICES[kind][0], source) not in skipped and (INDICES[kind][1], to) not in skipped
        for kind, source, to in rows
    ]
    return np.array(found, bool)


def test_remaining_critical_points_are_the_persistent_ones(both):
    kept, less = (outputs.critical_points for outputs in both)
    persistent = point_array(kept, "IsPersistent") == 1
    for name in array_types(kept.GetPointData()):
        expected = point_array(kept, name)[persistent]
        np.testing.assert_array_equal(point_array(less, name), expected, err_msg=name)
    np.testing.assert_array_equal(points_of(less), points_of(kept)[persistent])
    index = point_array(kept, "CellDimension")[~persistent]
    assert set(index.tolist()) == {1, 2}


def test_remaining_lines_start_and_end_at_remaining_points(both):
    kept, less = (outputs.separatrices_1 for outputs in both)
    here = stays(kept, skipped_cells(both[0]))
    for name in set(array_names(kept.GetCellData())) - {"SeparatrixId"}:
        expected = cell_array(kept, name)[here]
        np.testing.assert_array_equal(cell_array(less, name), expected, err_msg=name)
    old, new = cell_array(kept, "SeparatrixId")[here], cell_array(less, "SeparatrixId")
    same = [np.unique(numbers, return_inverse=True)[1] for numbers in (old, new)]
    np.testing.assert_array_equal(*same)
    assert new.max() < old.max()
    segments, cells = segments_of(kept.GetLines())
    segments, (found, _) = segments[here[cells]], segments_of(less.GetLines())
    np.testing.assert_array_equal(points_of(less)[found], points_of(kept)[segments])
    mask = point_array(less, "ttkMaskScalarField")[found]
    np.testing.assert_array_equal(mask, point_array(kept, "ttkMaskScalarField")[segments])


def test_remaining_surfaces_are_those_of_persistent_saddles(both):
    kept, less = (outputs.separatrices_2 for outputs in both)
    skipped = skipped_cells(both[0])
    kinds, sources = (cell_array(kept, name) for name in ("SeparatrixType", "SourceId"))
    saddles = zip(kinds.tolist(), sources.tolist(), strict=True)
    here = np.array([saddle not in skipped for saddle in saddles])
    for name in set(array_names(kept.GetCellData())) - {"SeparatrixId"}:
        expected = cell_array(kept, name)[here]
        np.testing.assert_array_equal(cell_array(less, name), expected, err_msg=name)


def test_remaining_arcs_of_the_graph_connect_remaining_points(both):
    kept, less = (outputs.graph for outputs in both)
    here = stays(kept, skipped_cells(both[0]))
    for name in array_names(kept.GetCellData()):
        expected = cell_array(kept, name)[here]
        np.testing.assert_array_equal(cell_array(less, name), expected, err_msg=name)
    ends = connectivity_of(less.GetLines()).reshape(-1, 2)
    cells = point_array(less, "CellId")
    np.testing.assert_array_equal(cells[ends[:, 0]], cell_array(less, "SourceId"))
    np.testing.assert_array_equal(cells[ends[:, 1]], cell_array(less, "DestinationId"))


def test_minima_remain_connected_by_the_remaining_arcs(both):
    graph = both[1].graph
    index = point_array(graph, "CellDimension")
    basin = np.arange(len(index))
    for source, to in connectivity_of(graph.GetLines()).reshape(-1, 2):
        if index[to] == 0:
            basin[basin == basin[source]] = basin[to]
    assert len(set(basin[index == 0])) == 1


def test_labels_do_not_depend_on_omitted_saddles(both):
    kept, less = (outputs.segmentation for outputs in both)
    for name in array_types(kept.GetPointData()):
        np.testing.assert_array_equal(point_array(less, name), point_array(kept, name))


def test_omitted_saddles_are_counted_in_the_report_and_the_field_data():
    for threshold, keep in ((12.0, False), (12.0, True), (0.0, False)):
        filter = separatrix_vtk.MorseSmaleComplex(
            device="cpu", persistence=threshold, keep_skipped_saddles=keep
        )
        filter.run(image_with(VOLUME))
        points = filter.GetOutput(0)
        n_omitted = sum(filter.report["critical_cells"]) - points.GetNumberOfPoints()
        reported = points.GetFieldData().GetArray("OmittedSaddles").GetTuple1(0)
        assert reported == filter.report["omitted_saddles"] == n_omitted
        assert (n_omitted > 0) == (threshold > 0 and not keep)
