"""Diagrams equal cripser's, the elder rule's, and the whole boundary matrix's.

GUDHI's are compared in test_peers.py.
"""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.cubical import CubicalGrid
from oracles.elder_rule import components, voids
from oracles.everything import bars_of
from oracles.fields import LEVELS, Field, any_small_fields, many, noise_fields, read_raw
from oracles.graphs import boundaries, graph_of_gradient, graph_of_torus
from oracles.lower_star import image_gradient, lower_star_gradient
from oracles.reduction import pairs_of
from separatrix.device import Session
from separatrix.morse.field import exact_difference
from separatrix.morse.graph import ComplexGraph
from separatrix.morse.pairing import pair_critical_cells

Bars = Counter[tuple[int, float, float]]
HOST = Session(np.empty(0), "cpu")


def cripser_bars(values: Field) -> Bars:
    cripser = pytest.importorskip("cripser")
    pairs = cripser.computePH(values.astype(float), maxdim=3)
    ends = [(int(k), b, np.inf if d > 1e300 else d) for k, b, d in pairs[:, :3]]
    return Counter(end for end in ends if end[2] > end[1])


def oracle_graph(values: Field) -> ComplexGraph:
    return graph_of_gradient(image_gradient(values), values)


def rank_pairs(graph: ComplexGraph) -> tuple[list[tuple[int, int]], list[int]]:
    """The engine's pairs by rank, and the ranks of essential cells."""
    diagram = pair_critical_cells(HOST, graph).diagram()
    birth = graph.rank[diagram.birth_row]
    death = graph.rank[np.maximum(diagram.death_row, 0)]
    ends = diagram.is_essential
    return sorted(zip(birth[~ends].tolist(), death[~ends].tolist(), strict=True)), sorted(
        birth[ends].tolist()
    )


@many(150)
@given(any_small_fields())
def test_pairs_equal_those_of_the_whole_boundary_matrix(values):
    graph = oracle_graph(values)
    assert rank_pairs(graph) == pairs_of(boundaries(graph))


@pytest.mark.parametrize("seed", [1, 2])
def test_pairs_of_noise_equal_those_of_the_matrix_and_cripser(seed):
    for values in noise_fields(30, seed):
        graph = oracle_graph(values)
        found = pair_critical_cells(HOST, graph).diagram()
        assert rank_pairs(graph) == pairs_of(boundaries(graph))
        if values.ndim > 1 and min(values.shape) > 1:
            assert bars_of(found.nonzero()) == cripser_bars(values)


@pytest.mark.parametrize("seed", [3, 4])
def test_owners_of_extremum_pairs_are_those_that_the_elder_rule_joins(seed):
    for values in noise_fields(25, seed):
        grid = CubicalGrid(values)
        gradient = lower_star_gradient(grid)
        diagram = pair_critical_cells(HOST, graph_of_gradient(gradient, values)).diagram()
        owner = [grid.rank[grid.owner(cell)] for cell in gradient.critical]
        pairs = {0: [], 1: [], 2: []}
        for k, b, d in zip(
            diagram.dimension.tolist(),
            diagram.birth_row.tolist(),
            diagram.death_row.tolist(),
            strict=True,
        ):
            if d >= 0 and owner[b] != owner[d]:
                pairs[k].append((owner[b], owner[d]))
        assert sorted(pairs[0]) == components(grid)
        if grid.dimension > 1:
            expected = [pair for pair in voids(grid) if pair[0] != pair[1]]
            assert sorted(pairs[grid.dimension - 1]) == expected


@pytest.mark.parametrize("shape", [(1, 1, 4), (1, 3, 5), (3, 3, 4)])
def test_pairs_and_essential_classes_of_tori_equal_those_of_the_whole_matrix(shape):
    random = np.random.default_rng(shape)
    for n_levels in LEVELS:
        graph = graph_of_torus(random.integers(0, n_levels, shape))
        pairs, essential = rank_pairs(graph)
        assert (pairs, essential) == pairs_of(boundaries(graph))
        assert len(essential) == 2**graph.dimension


def volumes() -> dict[str, Field]:
    random = np.random.default_rng(13)
    z, y, x = np.mgrid[-1:1:20j, -1:1:22j, -1:1:24j]
    return {
        "noise": random.random((16, 17, 18), np.float32),
        "ties": random.integers(0, 4, (15, 16, 17), dtype=np.uint8),
        "smooth": np.sin(7 * x) * np.cos(6 * y) * np.sin(5 * z) + 0.05 * random.random(x.shape),
        "constant": np.zeros((4, 5, 6)),
    }


@pytest.mark.parametrize("name", list(volumes()))
def test_diagrams_of_volumes_equal_those_of_cripser(device, name):
    values = volumes()[name]
    found = bars_of(sx.persistence_diagram(values, device=device))
    assert found == cripser_bars(values)


@pytest.mark.parametrize("name", ["fuel", "neghip"])
def test_diagrams_of_real_volumes_equal_cripsers(device, shared_volumes, name):
    values = read_raw(next(shared_volumes.glob(f"{name}_*.raw.xz")))
    assert bars_of(sx.persistence_diagram(values, device=device)) == cripser_bars(values)


@pytest.mark.parametrize("dimensions", [0, 2, (0, 2), (2, 3)])
def test_pairs_of_some_dimensions_are_those_among_all(device, dimensions):
    values = np.random.default_rng(9).integers(0, 20, (12, 13, 14))
    found = bars_of(sx.persistence_diagram(values, dimensions=dimensions, device=device))
    whole = bars_of(sx.persistence_diagram(values, device=device))
    wanted = {dimensions} if isinstance(dimensions, int) else set(dimensions)
    assert found == Counter({bar: n for bar, n in whole.items() if bar[0] in wanted})


def test_pairs_are_sorted_and_name_their_cells_and_rows():
    values = np.random.default_rng(11).integers(0, 5, (20, 21))
    diagram = sx.persistence_diagram(values, zero_persistence=True)
    critical = sx.morse_smale(values).critical
    assert diagram.birth_cell.tolist() == critical.cell_id[diagram.birth_row].tolist()
    finite = ~diagram.is_essential
    assert (
        diagram.death_cell[finite].tolist() == critical.cell_id[diagram.death_row[finite]].tolist()
    )
    assert (diagram.death_cell[~finite] == -1).all()
    assert (diagram.dimension == critical.index[diagram.birth_row]).all()
    keys = list(
        zip(diagram.dimension, diagram.birth, critical.vertex[diagram.birth_row], strict=True)
    )
    assert keys == sorted(keys)
    used = np.concatenate([diagram.birth_row, diagram.death_row[finite]])
    assert sorted(used.tolist()) == list(range(len(critical)))


def test_persistence_of_large_integers_is_exact():
    values = np.array([-1, 2**53 + 1, -9, 2**62 + 1, 2**62], np.int64)
    diagram = sx.persistence_diagram(values)
    assert diagram.persistence.tolist() == [np.inf, 2.0**53 + 2, 1.0]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (np.array([-(2**63)]), np.array([2**63 - 1]), 2.0**64),
        (np.array([2**53]), np.array([2**53 + 1]), 1.0),
        (np.array([0], np.uint64), np.array([2**64 - 1], np.uint64), 2.0**64),
        (np.array([-128], np.int8), np.array([127], np.int8), 255.0),
        (np.array([False]), np.array([True]), 1.0),
        (np.array([1], np.uint8), np.array([0], np.uint8), -1.0),
        (np.array([2**63 - 1]), np.array([-(2**63)]), -(2.0**64)),
        (np.array([-1.7e308]), np.array([1.7e308]), float(np.finfo(float).max)),
        (np.array([-65504], np.float16), np.array([65504], np.float16), 131008.0),
    ],
)  # fmt: skip
def test_differences_are_computed_in_the_dtype_of_the_values(low, high, expected):
    assert exact_difference(HOST, low, high).tolist() == [expected]


def test_minus_zero_is_zero():
    diagram = sx.persistence_diagram([-0.0, 1.0, 0.0, 0.0, -0.0], zero_persistence=True)
    assert not np.signbit(diagram.birth).any()
    assert not np.signbit(diagram.persistence).any()


@pytest.mark.parametrize("dimensions", [(), 4, (0, -1), "all", 1.5, [None], True, [0, True]])
def test_invalid_dimensions_are_rejected(dimensions):
    with pytest.raises(sx.InputError, match="dimensions must be integers from 0 to 3, or None"):
        sx.persistence_diagram(np.eye(3), dimensions=dimensions)


def test_invalid_images_are_rejected():
    with pytest.raises(sx.InputError, match="values must be finite"):
        sx.persistence_diagram([0.0, np.nan])
    values: Any
    for values, reported in (
        (None, "an array of numbers; got None."),
        ("abc", "an array of numbers; got 'abc'."),
        (["a"], r"dtype <U1. Convert them, for example with values.astype\('float64'\)."),
        ([1j], r"dtype complex128. Convert them, for example with abs\(values\)."),
        (np.zeros(2, [("p", "f4")]), r"Use one of their fields, for example values\['p'\]."),
    ):
        with pytest.raises(sx.InputError, match=reported):
            sx.persistence_diagram(values)
    for sizes in ("a", True, (1, 0, 2), (4, 4)):
        with pytest.raises(sx.InputError, match="dimensions must be three positive integers"):
            sx.Grid(sizes)  # type: ignore[arg-type]
    with pytest.raises(sx.InputError, match="progress must be callable"):
        sx.persistence_diagram([0.0], progress=3)


def test_dimensions_beyond_the_images_own_are_rejected():
    for shape, wanted in (((3, 3), 2), ((3, 3), 3), ((3, 3, 3), (3,)), ((4,), 1), ((1, 1), 1)):
        reported = (
            f"dimensions must be at most {max(sum(n > 1 for n in shape) - 1, 0)} for an image"
        )
        with pytest.raises(sx.InputError, match=reported):
            sx.persistence_diagram(np.zeros(shape), dimensions=wanted, device="cpu")


def test_only_images_that_are_periodic_along_all_axes_have_a_class_of_their_dimension():
    for shape in ((4, 5, 6), (4, 5), (4,)):
        diagram = sx.persistence_diagram(
            np.arange(np.prod(shape)).reshape(shape),
            dimensions=len(shape),
            periodic=(True,) * len(shape),
            device="cpu",
        )
        assert diagram.death.tolist() == [np.inf]
    periodic = (True, False)
    with pytest.raises(sx.InputError, match="dimensions must be at most 1 for an image"):
        sx.persistence_diagram(np.zeros((4, 5)), dimensions=2, periodic=periodic, device="cpu")


@pytest.mark.parametrize("power", [13_000, -13_000])
def test_values_beyond_the_range_of_float64_have_the_pairs_of_any_others(power):
    if np.finfo(np.longdouble).maxexp < 13_000:
        pytest.skip("long double is float64 here")
    values = np.random.default_rng(0).random((6, 6, 6))
    far = np.ldexp(values.astype(np.longdouble), power)
    expected = sx.persistence_diagram(values, device="cpu")
    found = sx.persistence_diagram(far, device="cpu")
    ends = np.finfo(np.float64).max if power > 0 else np.finfo(np.float64).smallest_subnormal
    for name in ("birth_cell", "death_cell", "dimension", "is_essential"):
        np.testing.assert_array_equal(
            np.sort(getattr(found, name)), np.sort(getattr(expected, name))
        )
    assert np.isfinite(found.birth).all()
    assert (found.persistence[~found.is_essential] == ends).all()
    assert found.is_essential.sum() == 1


# === suggested thresholds
@pytest.mark.parametrize("noise", ["normal", "uniform"])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_a_suggested_threshold_separates_noise_from_features(device, noise, scale):
    z, y, x = np.mgrid[0:6:24j, 0:6:24j, 0:6:24j]
    waves = np.cos(2 * x) * np.cos(2 * y) * np.cos(2 * z)
    expected = len(sx.persistence_diagram(waves, device=device).above(0.5))
    random = np.random.default_rng(331)
    for amount in (0.01, 0.05):
        numbers = random.standard_normal(waves.shape) if noise == "normal" else None
        numbers = random.random(waves.shape) if numbers is None else numbers
        diagram = sx.persistence_diagram(scale * (waves + amount * numbers), device=device)
        threshold = diagram.suggested_threshold()
        assert len(diagram.above(threshold)) == expected < len(diagram) / 2


def peaks(persistences):
    """Values of a line with finite pairs of these persistences, each between 0 and its peak."""
    values = np.zeros(2 * len(persistences) + 1)
    values[1::2] = persistences
    return np.append(values, 2 * values.max())


def test_a_gap_below_many_pairs_is_suggested_before_a_wider_one_below_few(device):
    noise, features = 1 + np.arange(100) / 100, 6 + np.arange(20) / 5
    diagram = sx.persistence_diagram(peaks([*noise, *features, 40.0]), device=device)
    assert 2 < diagram.suggested_threshold() < 6  # and not between 10 and 40
    assert len(diagram.above(diagram.suggested_threshold())) == 22  # and the essential one


def test_ratios_of_the_largest_persistences_of_a_power_law_are_not_a_gap(device):
    for seed in range(20):
        random = np.random.default_rng(seed)
        diagram = sx.persistence_diagram(peaks(random.pareto(2, 500) + 1), device=device)
        assert diagram.suggested_threshold() == 0.0


@pytest.mark.parametrize("dtype", [np.float64, np.uint8])
def test_white_noise_suggests_no_threshold(device, dtype):
    values = (255 * np.random.default_rng(332).random((20, 20, 20))).astype(dtype)
    assert sx.persistence_diagram(values, device=device).suggested_threshold() == 0.0
    assert sx.persistence_diagram(np.zeros((3, 3)), device=device).suggested_threshold() == 0.0
    assert sx.persistence_diagram([0.0, 5.0, 1.0, 2.0]).suggested_threshold() == 0.0
