"""RipsBarcodes compared to the engine and to known bars of tori, circles, and graphs."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkMultiBlockDataSet, vtkTable
from vtkmodules.vtkCommonExecutionModel import vtkTrivialProducer

import separatrix as sx
import separatrix_vtk
from filters.images import cell_array as cells
from filters.images import points_of as places
from filters.point_sets import cloud, molecule_of, polydata_of, table_of, with_labels
from separatrix_vtk.filters.points.cycles import walks_of

N_CIRCLE = 24


def circle(n: int = N_CIRCLE, dimension: int = 3) -> np.ndarray:
    turn = 2 * np.pi * np.arange(n) / n
    points = np.zeros((n, dimension))
    points[:, 0], points[:, 1] = np.cos(turn), np.sin(turn)
    return points


def barcodes(points: Any, *arguments: Any, **settings: Any) -> Any:
    return separatrix_vtk.rips_barcodes(points, *arguments, device="cpu", **settings)


def rows(table: Any, name: str) -> np.ndarray:
    return vtk_to_numpy(table.GetRowData().GetArray(name))


def lines_of(cycles: Any) -> dict[int, list[list[int]]]:
    """The input points along the lines of each bar."""
    number = vtk_to_numpy(cycles.GetPointData().GetArray("ttkVertexScalarField"))
    lines: dict[int, list[list[int]]] = {}
    first = cycles.GetNumberOfVerts()
    for i in range(first, first + cycles.GetNumberOfLines()):
        ids = cycles.GetCell(i).GetPointIds()
        walk = [int(number[ids.GetId(k)]) for k in range(ids.GetNumberOfIds())]
        lines.setdefault(int(cells(cycles, "BarId")[i]), []).append(walk)
    return lines


def test_all_outputs_contain_the_bars_of_the_engine():
    found = barcodes(polydata_of(cloud()), max_dimension=2)
    bars = sx.rips_barcodes(cloud(), max_dimension=2, device="cpu")
    for name, expected in {
        "Dimension": bars.dimension,
        "Birth": bars.birth,
        "Death": bars.death,
        "Persistence": bars.persistence,
        "IsFinite": np.isfinite(bars.death),
        "BirthPoint1": bars.birth_edge[:, 1],
        "DeathPoint0": bars.death_edge[:, 0],
    }.items():
        np.testing.assert_array_equal(rows(found.bars, name), expected, err_msg=name)
    end = bars.threshold
    drawn = np.where(np.isfinite(bars.death), bars.death, end)
    np.testing.assert_array_equal(cells(found.barcode, "Dimension"), bars.dimension)
    ends = places(found.barcode).reshape(-1, 2, 3)
    np.testing.assert_array_equal(ends[:, :, 0], np.stack([bars.birth, drawn], axis=1))
    assert (ends[:, 0, 1] == ends[:, 1, 1]).all()
    assert (np.diff(ends[:, 0, 1]) < 0).all()  # each below the one before
    ends = places(found.diagram).reshape(-1, 2, 3)
    np.testing.assert_array_equal(ends[:-1, 1, :2], np.stack([bars.birth, drawn], axis=1))
    assert ends[-1].tolist() == [[0, 0, 0], [end, end, 0]]
    np.testing.assert_array_equal(cells(found.diagram, "PairType"), [*bars.dimension, -1])
    np.testing.assert_array_equal(cells(found.diagram, "PairIdentifier"), [*range(len(bars)), -1])
    reported = bars.statistics["dimensions"]
    for name, key in (("Simplices", "simplices"), ("Cleared", "cleared"), ("Columns", "columns")):
        assert rows(found.statistics, name).tolist() == [d[key] for d in reported]
    shares = [rows(found.statistics, name) for name in ("ApparentFraction", "ApparentBound")]
    is_counted = ["apparent_pairs" in d for d in reported]
    assert (shares[0] < shares[1]).tolist() == is_counted
    shortcut = [d.get("shortcut_pairs", 0) for d in reported]
    assert rows(found.statistics, "ShortcutPairs").tolist() == shortcut
    assert (
        np.isnan(rows(found.statistics, "SimplicesBeyond")).tolist()
        == np.invert(is_counted).tolist()
    )
    field = found.statistics.GetFieldData()
    assert field.GetArray("EnclosingRadius").GetValue(0) == bars.enclosing_radius
    assert field.GetArray("NumberOfPoints").GetValue(0) == 40
    edges = field.GetArray("Edges").GetValue(0)
    expected = bars.statistics["forecast"]
    assert field.GetArray("ForecastBytes").GetValue(0) == expected["bytes"] >= 4 * edges
    assert field.GetArray("ForecastSimplices").GetValue(0) == expected["simplices"]


def test_betti_curves_count_the_bars_that_are_alive():
    curves = barcodes(polydata_of(cloud())).betti_curves
    bars = sx.rips_barcodes(cloud(), device="cpu")
    level = rows(curves, "Distance")
    assert (np.diff(level) >= 0).all()
    for d in (0, 1):
        born, died = bars.of_dimension(d).T
        expected = [int(((born <= t) & (t < died)).sum()) for t in level[::2]]
        assert rows(curves, f"Betti{d}")[::2].tolist() == expected


@pytest.mark.parametrize("field", [2, 3])
def test_every_representative_is_a_cycle_along_edges_of_its_birth(field):
    settings = {"max_dimension": 2, "field": field, "shortening": 0.0}
    found = barcodes(polydata_of(cloud()), **settings).representatives
    bar, birth = cells(found, "BarId"), cells(found, "Birth")
    coefficient = cells(found, "Coefficient")
    assert (np.diff(cells(found, "Dimension").astype(int)) >= 0).all()  # verts, lines, polygons
    first = found.GetNumberOfVerts() + found.GetNumberOfLines()
    assert found.GetNumberOfVerts() == 10
    assert found.GetNumberOfPolys() > 0
    for d, part in ((1, range(found.GetNumberOfVerts(), first)), (2, range(first, len(bar)))):
        boundary = {}
        longest = {}
        for i in part:
            ids = found.GetCell(i).GetPointIds()
            points = [ids.GetId(k) for k in range(ids.GetNumberOfIds())]
            steps = [points] if d == 2 else [points[k : k + 2] for k in range(len(points) - 1)]
            for step in steps:
                edges = [(a, b) for k, a in enumerate(step) for b in step[k + 1 :]]
                lengths = [np.linalg.norm(places(found)[a] - places(found)[b]) for a, b in edges]
                longest[int(bar[i])] = max(longest.get(int(bar[i]), 0.0), *lengths)
                for k in range(d + 1):
                    face, sign = (bar[i], *step[:k], *step[k + 1 :]), (-1) ** k
                    assert d == 1 or list(face[1:]) == sorted(face[1:])
                    boundary[face] = boundary.get(face, 0) + sign * int(coefficient[i])
        assert all(total % field == 0 for total in boundary.values())
        births = {int(b): t for b, t in zip(bar, birth, strict=True)}
        assert all(t == pytest.approx(births[b], rel=1e-12) for b, t in longest.items())


def test_the_loop_of_a_circle_is_one_closed_polyline_round_it():
    found = barcodes(polydata_of(circle()))
    (bar,) = np.flatnonzero(rows(found.bars, "Dimension") == 1)
    ((tight,),) = [lines_of(found.representatives)[bar]]
    longest = cells(found.barcode, "Birth")[bar] + 0.3 * cells(found.barcode, "Persistence")[bar]
    assert tight[0] == tight[-1]
    assert np.linalg.norm(np.diff(circle()[tight], axis=0), axis=1).max() < longest
    ((walk,),) = [lines_of(barcodes(polydata_of(circle()), shortening=0).representatives)[bar]]
    assert walk[0] == walk[-1]
    assert sorted(walk[1:]) == list(range(N_CIRCLE))
    assert len(tight) < len(walk)
    assert set(np.abs(np.diff(walk)).tolist()) == {1, N_CIRCLE - 1}
    assert cells(found.barcode, "Birth")[bar] == pytest.approx(2 * np.sin(np.pi / N_CIRCLE))
    assert cells(found.barcode, "Death")[bar] == pytest.approx(np.sqrt(3))


def windings(walk: np.ndarray) -> tuple[int, int]:
    """Winding numbers of a closed walk (k, 3) about the z axis and a ring of radius 2."""
    around = np.arctan2(walk[:, 1], walk[:, 0])
    across = np.arctan2(walk[:, 2], np.hypot(walk[:, 0], walk[:, 1]) - 2)
    turned = [((np.diff(a) + np.pi) % (2 * np.pi) - np.pi).sum() / (2 * np.pi) for a in
              (around, across)]  # fmt: skip
    assert np.allclose(turned, np.rint(turned))
    return int(np.rint(abs(turned[0]))), int(np.rint(abs(turned[1])))


def torus_points(sample_data: Any) -> np.ndarray:
    return np.loadtxt(sample_data / "torus.csv", delimiter=",", skiprows=1)


def test_the_two_loops_of_a_torus_go_round_it_the_right_ways(sample_data):
    points = torus_points(sample_data)
    found = barcodes(
        polydata_of(points), number_of_representatives=2, shortening=0.3, max_dimension=1
    )
    persistence = rows(found.bars, "Persistence")
    long_way, short_way = sorted(
        np.flatnonzero(rows(found.bars, "Dimension") == 1), key=lambda b: -persistence[b]
    )[:2]
    lines = lines_of(found.representatives)
    assert sorted(lines) == sorted([long_way, short_way])
    assert [len(walks) for walks in lines.values()] == [1, 1]
    assert windings(points[lines[long_way][0]]) == (1, 0)
    assert windings(points[lines[short_way][0]]) == (0, 1)
    for bar, (walk,) in lines.items():
        birth, death = (rows(found.bars, name)[bar] for name in ("Birth", "Death"))
        longest = np.linalg.norm(np.diff(points[walk], axis=0), axis=1).max()
        assert longest < death
        assert longest <= birth + 0.5 * (death - birth)
    # Filled by a triangle across the hole of radius 1.2, and by one across the tube of radius 0.8.
    assert rows(found.bars, "Death")[long_way] == pytest.approx(1.2 * np.sqrt(3), rel=0.1)
    assert rows(found.bars, "Death")[short_way] == pytest.approx(0.8 * np.sqrt(3), rel=0.1)


def test_cycles_without_shortening_are_in_the_same_classes(sample_data):
    points = torus_points(sample_data)
    found = barcodes(polydata_of(points), number_of_representatives=2, shortening=0)
    ways = {
        tuple(np.sum([windings(points[walk]) for walk in walks], axis=0) % 2)
        for walks in lines_of(found.representatives).values()
    }
    assert ways == {(1, 0), (0, 1)}


# === inputs


def test_columns_of_a_table_are_coordinates_of_any_number():
    points = np.random.default_rng(4).random((30, 4))
    columns = {f"c{i}": points[:, i] for i in range(4)}
    found = barcodes(table_of(**columns, other=np.arange(30.0)), columns=["c1", "c3", "c0", "c2"])
    expected = sx.rips_barcodes(points, device="cpu")
    np.testing.assert_array_equal(np.sort(rows(found.bars, "Death")), np.sort(expected.death))
    at = vtk_to_numpy(found.representatives.GetPointData().GetArray("ttkVertexScalarField"))
    np.testing.assert_array_equal(places(found.representatives), points[at, :3])


def test_a_table_without_chosen_columns_gives_x_y_and_z():
    x, y, z = cloud().T
    found = barcodes(table_of(x=x, y=y, z=z, mass=z))
    expected = sx.rips_barcodes(cloud(), device="cpu")
    np.testing.assert_array_equal(rows(found.bars, "Death"), expected.death)


@pytest.mark.parametrize("chosen", [True, False])
def test_a_distance_matrix_is_a_table_in_its_own_order_of_columns(chosen):
    matrix = np.linalg.norm(circle(12)[:, None] - circle(12)[None], axis=2)
    table = table_of(**{f"p{i}": matrix[:, i] for i in range(12)})
    names = sorted(f"p{i}" for i in range(12)) if chosen else ()  # p10 before p2
    found = barcodes(table, columns=names, distance_matrix=True)
    expected = sx.rips_barcodes(distances=matrix, device="cpu")
    np.testing.assert_array_equal(rows(found.bars, "Birth"), expected.birth)
    if chosen:  # coordinates can hardly be symmetric with a diagonal of zeros
        evident = barcodes(table, columns=names)
        np.testing.assert_array_equal(rows(evident.bars, "Death"), rows(found.bars, "Death"))
    assert found.representatives.GetNumberOfCells() == 0
    drawn = barcodes(
        table, columns=names, distance_matrix=True, positions=polydata_of(circle(12))
    ).representatives
    assert drawn.GetNumberOfLines() == 1


def test_weights_and_dtm_are_births_of_points():
    births = np.linspace(0.0, 0.5, 40)
    found = barcodes(polydata_of(cloud(), age=births), "age")
    expected = sx.rips_barcodes(cloud(), weights=births, device="cpu")
    np.testing.assert_array_equal(rows(found.bars, "Birth"), expected.birth)
    found = barcodes(polydata_of(cloud()), dtm_neighbors=5, weight_power=2)
    expected = sx.rips_barcodes(
        cloud(), weights="dtm", dtm_neighbors=5, weight_power=2, device="cpu"
    )
    np.testing.assert_array_equal(rows(found.bars, "Death"), expected.death)


def test_molecules_and_blocks_are_accepted():
    atoms = molecule_of(cloud(12), np.full(12, 6))
    assert barcodes(atoms).bars.GetNumberOfRows() >= 12
    blocks = vtkMultiBlockDataSet()
    blocks.SetBlock(0, polydata_of(cloud(10)))
    blocks.SetBlock(2, polydata_of(cloud(7) + 9.0))  # their points count together
    filter = separatrix_vtk.RipsBarcodes(device="cpu")
    filter.SetInputData(blocks)
    filter.Update()
    assert filter.last_error == ""
    assert (rows(filter.GetOutput(3), "Dimension") == 0).sum() == 17


def test_short_bars_are_omitted_on_request():
    found = barcodes(polydata_of(circle()), min_persistence=1.0)
    assert found.bars.GetNumberOfRows() == found.barcode.GetNumberOfCells() == 2
    assert rows(found.bars, "Dimension").tolist() == [0, 1]


def test_few_or_no_bars_are_valid_outputs():
    found = barcodes(polydata_of(cloud()), min_persistence=np.inf, threshold=0.01)
    assert found.bars.GetNumberOfRows() == 40  # of infinite length
    found = barcodes(polydata_of(np.zeros((5, 3))), max_dimension=2)
    assert found.bars.GetNumberOfRows() == 1


# === errors


SQUARE = np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])


def matrix_with(j: int, value: float) -> Any:
    bad = SQUARE.copy()
    bad[0, j] = value
    return table_of(**{f"p{k}": bad[:, k] for k in range(3)})


@pytest.mark.parametrize(
    ("points", "settings", "reported"),
    [
        (matrix_with(1, 3), {}, r"symmetric; got distances\[0, 1\] = 3.0, but 1.0 at \[1, 0\]"),
        (
            table_of(a=np.zeros(3), b=np.zeros(3)),
            {},
            "as many columns as rows; got 2 columns and 3",
        ),
        (polydata_of(cloud()), {}, "points must be a table of distances, .*; got vtkPolyData"),
        (polydata_of(cloud()), {"distance_matrix": False, "field": 4}, "prime"),
        (
            polydata_of(cloud(1)),
            {"distance_matrix": False},
            "must contain at least 2 points; got 1",
        ),
        (table_of(a=np.zeros(3)), {"distance_matrix": False}, "no columns x, y, and z"),
        (matrix_with(0, 0), {"columns": ["p0", "q", "p2"]}, "The point array 'q' was not found"),
        (
            with_labels(table_of(x=np.zeros(3))),
            {"distance_matrix": False, "columns": ["x", "label"]},
            "'label' contains text, not numbers; available",
        ),
        (
            polydata_of(cloud()),
            {"distance_matrix": False, "work_limit": 100.0},
            r"The estimated number of simplices is .*dimension 1.*\. Lower .* or raise",
        ),
        (
            polydata_of(cloud()),
            {"distance_matrix": False, "positions": polydata_of(cloud(3))},
            "3 positions for 40 points",
        ),
        (
            polydata_of(cloud()),
            {"distance_matrix": False, "positions": polydata_of(cloud() * np.nan)},
            "points must be finite",
        ),
        (vtkTable(), {}, "got 0 columns and 0 rows"),
        (vtkTrivialProducer(), {"distance_matrix": False}, "got vtkTrivialProducer"),
        (vtkImageData(), {"distance_matrix": False}, "points must be polygonal data"),
    ],
)
def test_invalid_input_is_rejected_with_one_sentence(points, settings, reported):
    with pytest.raises((separatrix_vtk.FilterError, sx.InputError), match=reported):
        barcodes(points, **{"distance_matrix": True, **settings})


@pytest.mark.parametrize(
    "settings", [{"epsilon": 0.5}, {"dtm_neighbors": 5}, {"metric": "cityblock"}]
)
def test_loops_of_unknown_distances_are_drawn_as_they_are_born(settings):
    points = polydata_of(cloud())
    found = barcodes(points, shortening=0.8, **settings).representatives
    plain = barcodes(points, shortening=0, **settings).representatives
    assert found.GetNumberOfLines() == plain.GetNumberOfLines() > 0
    assert lines_of(found) == lines_of(plain)


def test_loops_over_z3_keep_their_coefficients():
    turns = polydata_of(np.concatenate([circle(), circle() + [2.5, 0, 0]]))
    for shortening in (0.0, 0.5):
        found = barcodes(turns, shortening=shortening, field=3, number_of_representatives=2)
        assert set(cells(found.representatives, "Coefficient").tolist()) <= {-1, 1}
        assert found.representatives.GetNumberOfLines() == 2


def test_columns_are_set_one_by_one_or_together():
    filter = separatrix_vtk.RipsBarcodes()
    filter.AddColumn("x")
    filter.AddColumn("y")
    assert filter.columns == filter.GetColumns() == ("x", "y")
    filter.ClearColumns()
    filter.columns = ["z"]
    assert filter.columns == ("z",)
    with pytest.raises(sx.InputError, match="columns must be any number of values"):
        filter.columns = 3


def test_the_search_for_short_loops_can_be_canceled():
    def stop(fraction, stage):
        assert fraction <= 1.0
        if stage == "cycles":
            raise sx.Canceled("enough")

    with pytest.raises(sx.Canceled, match="enough"):
        barcodes(polydata_of(cloud()), progress=stop, shortening=0.5)


# === cycles as walks along edges of one coefficient
def test_walks_take_each_edge_once_and_close_over_z2():
    edges = [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [2, 4]]  # a figure of eight
    walks = walks_of(edges, [1] * 6, 2)
    taken = sorted(tuple(sorted(e)) for w, _ in walks for e in pairwise(w))
    assert taken == sorted(map(tuple, edges))
    assert all(walk[0] == walk[-1] and c == 1 for walk, c in walks)


def test_walks_follow_the_sign_of_coefficients():
    # 0 -> 1 -> 2 -> 0 over Z/5, twice: the edge (0, 2) is taken backwards.
    assert walks_of([[0, 1], [0, 2], [1, 2]], [2, 3, 2], 5) == [([0, 1, 2, 0], 2)]
