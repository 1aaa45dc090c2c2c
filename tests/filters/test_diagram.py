"""PersistenceDiagram: the pairs of the engine as lines, with the names of TTK, and as curves."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy

import separatrix as sx
import separatrix_vtk
from filters.images import (
    array_types,
    cell_array,
    connectivity_of,
    failed,
    image_with,
    is_empty,
    noise,
    point_array,
    points_of,
    updated,
)

VOLUME = noise(6, 7, 8)
TIED = noise(6, 7, 8, dtype=np.uint8) // 8
FIELDS = {"volume": VOLUME, "tied": TIED, "image": noise(1, 12, 11), "line": noise(1, 1, 30)}
each_field = pytest.mark.parametrize("values", FIELDS.values(), ids=FIELDS)


def run(values: np.ndarray, *, cells: bool = False, **settings: Any) -> Any:
    filter = updated(
        separatrix_vtk.PersistenceDiagram(device="cpu", **settings), image_with(values, cells=cells)
    )
    return filter


def table(filter: Any) -> dict[str, np.ndarray]:
    rows = filter.GetOutput(1).GetRowData()
    return {
        rows.GetArrayName(i): vtk_to_numpy(rows.GetArray(i))
        for i in range(rows.GetNumberOfArrays())
    }


@each_field
def test_each_pair_is_a_line_and_the_diagonal_is_last(values):
    diagram = run(values).GetOutput(0)
    pairs = sx.persistence_diagram(values, device="cpu")
    assert array_types(diagram.GetPointData()) == {
        "ttkVertexScalarField": "idtype",
        "CriticalType": "signed char",
        "Coordinates": "double x 3",
        "CellId": "idtype",
    }
    assert array_types(diagram.GetCellData()) == {
        "PairIdentifier": "idtype",
        "PairType": "signed char",
        "Persistence": "double",
        "Birth": "double",
        "Death": "double",
        "IsFinite": "signed char",
    }
    n = len(pairs)
    assert diagram.GetNumberOfCells() == n + 1
    assert {diagram.GetCellType(i) for i in range(n + 1)} == {3}  # VTK_LINE
    np.testing.assert_array_equal(connectivity_of(diagram.GetCells()), np.arange(2 * n + 2))
    assert cell_array(diagram, "PairIdentifier").tolist() == [*range(n), -1]
    assert cell_array(diagram, "PairType").tolist() == [*pairs.dimension.tolist(), -1]
    np.testing.assert_array_equal(cell_array(diagram, "Birth")[:n], pairs.birth)
    low, high = float(values.min()), float(values.max())
    finite = np.isfinite(pairs.death)
    np.testing.assert_array_equal(cell_array(diagram, "IsFinite")[:n] == 1, finite)
    death = np.where(finite, pairs.death, high)
    np.testing.assert_array_equal(cell_array(diagram, "Death")[:n], death)
    persistence = cell_array(diagram, "Persistence")
    np.testing.assert_allclose(persistence[:n], death - pairs.birth, rtol=1e-12)
    ends = points_of(diagram).reshape(-1, 2, 3)
    expected = np.zeros((n, 2, 3))
    expected[:, :, 0], expected[:, 0, 1], expected[:, 1, 1] = (
        pairs.birth[:, None],
        pairs.birth,
        death,
    )
    np.testing.assert_array_equal(ends[:n], expected)
    np.testing.assert_array_equal(ends[n], [[low, low, 0.0], [high, high, 0.0]])


@each_field
def test_the_ends_of_a_pair_are_its_critical_points(values):
    diagram = run(values).GetOutput(0)
    critical = sx.morse_smale(values, device="cpu").critical
    row_of = {int(c): i for i, c in enumerate(critical.cell_id)}
    top = int(critical.index.max())
    finite = cell_array(diagram, "IsFinite")
    vertex, kind = (
        point_array(diagram, "ttkVertexScalarField"),
        point_array(diagram, "CriticalType"),
    )
    flat = values.reshape(-1)
    np.testing.assert_array_equal(flat[vertex[0::2]], cell_array(diagram, "Birth"))
    np.testing.assert_array_equal(flat[vertex[1::2]], cell_array(diagram, "Death"))
    for i, cell in enumerate(point_array(diagram, "CellId")[:-2].tolist()):
        if finite[i // 2] == 0 and i % 2:
            assert kind[i] == 3
            assert flat[vertex[i]] == values.max()
            continue
        row = row_of[cell]
        assert vertex[i] == critical.vertex[row]
        index = int(critical.index[row])
        assert kind[i] == (3 if index == top and top > 0 else index)
        np.testing.assert_array_equal(
            vtk_to_numpy(diagram.GetPointData().GetArray("Coordinates"))[i], critical.position[row]
        )


@each_field
def test_inside_the_domain_lines_join_the_critical_points_without_a_diagonal(values):
    plane, inside = run(values).GetOutput(0), run(values, show_inside_domain=True).GetOutput(0)
    n = inside.GetNumberOfCells()
    assert n == plane.GetNumberOfCells() - 1
    assert cell_array(inside, "PairIdentifier").min() >= 0
    np.testing.assert_array_equal(points_of(inside), point_array(inside, "Coordinates"))
    for name in array_types(inside.GetCellData()):
        np.testing.assert_array_equal(cell_array(inside, name), cell_array(plane, name)[:n])
    for name in array_types(inside.GetPointData()):
        np.testing.assert_array_equal(point_array(inside, name), point_array(plane, name)[: 2 * n])


@pytest.mark.parametrize("dimensions", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
def test_dimensions_can_be_omitted(dimensions):
    settings = {f"compute_dimension_{d}": d in dimensions for d in range(3)}
    diagram = run(VOLUME, **settings).GetOutput(0)
    assert set(cell_array(diagram, "PairType")) == {*dimensions, -1}
    whole = run(VOLUME).GetOutput(0)
    kept = np.isin(cell_array(whole, "PairType"), (*dimensions, -1))
    np.testing.assert_array_equal(cell_array(diagram, "Birth"), cell_array(whole, "Birth")[kept])
    np.testing.assert_array_equal(cell_array(diagram, "Death"), cell_array(whole, "Death")[kept])


def test_at_least_one_dimension_is_required():
    settings = {f"compute_dimension_{d}": False for d in range(3)}
    filter = separatrix_vtk.PersistenceDiagram(device="cpu", **settings)
    failed(filter, image_with(VOLUME))
    assert filter.last_error.startswith("At least one of compute_dimension_0, ")
    assert is_empty(filter.GetOutput(1))


def test_pairs_of_equal_values_are_shown_on_request_and_always_counted():
    hidden, shown = run(TIED), run(TIED, show_zero_persistence=True)
    assert (cell_array(hidden.GetOutput(0), "Persistence") > 0).all()
    n_zero = int((cell_array(shown.GetOutput(0), "Persistence") == 0).sum())
    n_hidden = shown.GetOutput(0).GetNumberOfCells() - hidden.GetOutput(0).GetNumberOfCells()
    assert n_zero == n_hidden > 10
    for filter in (hidden, shown):
        assert filter.report["zero_persistence_points"] == 2 * n_zero
        assert sum(filter.report["pairs"]) == hidden.GetOutput(0).GetNumberOfCells() - 1


@each_field
def test_curves_count_the_pairs_that_a_threshold_leaves(values):
    filter = run(values)
    columns = table(filter)
    kinds, persistence = (
        cell_array(filter.GetOutput(0), name)[:-1] for name in ("PairType", "Persistence")
    )
    names = {
        3: ["minimum-saddle pairs", "saddle-saddle pairs", "saddle-maximum pairs"],
        2: ["minimum-saddle pairs", "saddle-maximum pairs"],
        1: ["minimum-maximum pairs"],
    }[sum(n > 1 for n in values.shape)]
    assert list(columns) == [
        "Persistence",
        *(f"Number Of Pairs ({name})" for name in ("all pairs", *names)),
    ]
    for name, column in columns.items():  # two rows per step, for charts
        is_x = name == "Persistence"
        np.testing.assert_array_equal(column[1::2], column[:-1:2] if is_x else column[2::2])
    columns = {name: column[::2] for name, column in columns.items()}
    levels = columns["Persistence"]
    assert (np.diff(levels) > 0).all()
    for level, *counts in zip(*columns.values(), strict=True):
        left = persistence >= level
        assert counts == [left.sum(), *((left & (kinds == d)).sum() for d in range(len(names)))]
    # After simplification at a level there are so many minima.
    level = float(levels[len(levels) // 2])
    minima = sx.morse_smale(values, device="cpu").simplify(level).critical.counts[0]
    assert columns[f"Number Of Pairs ({names[0]})"][len(levels) // 2] == minima


def test_cell_data_are_located_at_the_centers_of_cells():
    diagram = run(VOLUME, cells=True, show_inside_domain=True).GetOutput(0)
    expected = run(VOLUME, show_inside_domain=True).GetOutput(0)
    np.testing.assert_array_equal(points_of(diagram), points_of(expected) + 0.5)
    np.testing.assert_array_equal(
        point_array(diagram, "ttkVertexScalarField"), point_array(expected, "ttkVertexScalarField")
    )


@pytest.mark.parametrize("values", [np.zeros((3, 3, 3)), noise(1, 1, 1), np.zeros((1, 3, 3))])
def test_a_constant_field_has_one_class(values):
    filter = run(values)
    diagram = filter.GetOutput(0)
    assert cell_array(diagram, "PairType").tolist() == [0, -1]
    assert cell_array(diagram, "Persistence").tolist() == [0.0, 0.0]
    assert table(filter)["Number Of Pairs (all pairs)"].tolist() == [1]


def test_the_plateau_order_preserves_the_diagram_and_removes_artifacts():
    z, y, x = np.mgrid[0:3:12j, 0:3:13j, 0:3:14j]
    steps = np.floor(3.0 * np.sin(2 * x) * np.cos(3 * y) * np.sin(z + 1)).astype(np.int8)
    filters = [run(steps, order=order) for order in ("index", "plateau")]
    columns = [
        np.stack([cell_array(f.GetOutput(0), name) for name in ("PairType", "Birth", "Death")])
        for f in filters
    ]
    by_index, by_plateau = (pairs[:, np.lexsort(pairs)] for pairs in columns)
    np.testing.assert_array_equal(by_index, by_plateau)
    n_index, n_plateau = (f.report["zero_persistence_points"] for f in filters)
    assert n_plateau < n_index


def test_a_threshold_is_suggested_in_the_report_the_panel_and_the_field_data():
    z, y, x = np.mgrid[0:6:20j, 0:6:20j, 0:6:20j]
    waves = np.cos(2 * x) * np.cos(2 * y) * np.cos(2 * z)
    values = waves + 0.02 * np.random.default_rng(41).random(waves.shape)
    filter, expected = run(values), sx.persistence_diagram(values).suggested_threshold()
    reported = filter.GetOutput(0).GetFieldData().GetArray("SuggestedThreshold").GetValue(0)
    assert reported == filter.report["suggested_persistence"] == expected > 0
    assert filter.GetSuggestedThreshold() == expected
    complex = updated(separatrix_vtk.MorseSmaleComplex(device="cpu"), image_with(values))
    assert complex.GetSuggestedThreshold() == expected
