"""The hierarchy equals cancellation one by one, and every level preserves homology."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.cancellation import Pair, cancel_in_order, paths_between, reverse
from oracles.cubical import Cell, CubicalGrid, MaskedGrid, cell_dimension
from oracles.fields import Field, any_small_fields, many, noise_fields
from oracles.lower_star import Gradient, image_gradient, lower_star_gradient
from oracles.walks import minimum_labels, top_cell_labels
from separatrix.morse.cancellation import NEVER
from separatrix.morse.hierarchy import REASONS, Hierarchy


def hierarchy_of(values: Any, *, rematch: bool = True, **options: Any) -> Hierarchy:
    complex = sx.morse_smale(values, device="cpu", **options)
    complex.simplify(np.inf, rematch_saddles=rematch)
    return complex._hierarchy(rematch)


def cells_of(hierarchy: Hierarchy, gradient: Gradient) -> list[Cell]:
    """The critical cells by the rows of the hierarchy."""
    cells = sorted(gradient.critical, key=lambda c: (cell_dimension(c), gradient.grid.cell_id(c)))
    assert len(cells) == hierarchy.dead.size
    return cells


def pairs_in_order(values: Field, cells: list[Cell], dimension: int, **options: Any) -> list[Pair]:
    """Finite pairs by (persistence, dimension, inner first), from the engine's diagram."""
    complex = sx.morse_smale(values, device="cpu", **options)
    diagram, graph = complex.persistence_pairs, complex._graph()
    keyed = []
    for i in np.flatnonzero(~diagram.is_essential).tolist():
        k = int(diagram.dimension[i])
        birth, death = int(diagram.birth_row[i]), int(diagram.death_row[i])
        inner = -graph.rank[birth] if 0 < k == dimension - 1 else graph.rank[death]
        ends = (float(graph.value[birth]), float(graph.value[death]))
        pair = Pair(k, cells[birth], cells[death], float(diagram.persistence[i]), *ends)
        keyed.append(((pair.persistence, k, int(inner)), pair))
    return [pair for _, pair in sorted(keyed, key=lambda item: item[0])]


def assert_it_is_the_oracles(values: Field, rematch: bool, **mask: Any) -> int:
    """Number of events that cancel two saddles."""
    grid = MaskedGrid(values, **mask) if mask else CubicalGrid(values)
    gradient = lower_star_gradient(grid)
    hierarchy = hierarchy_of(values, rematch=rematch, **mask)
    cells, dimension = cells_of(hierarchy, gradient), gradient.grid.dimension
    pairs = pairs_in_order(values, cells, dimension, **mask)
    run = cancel_in_order(gradient, pairs, dimension == 3, rematch)
    rows = zip(hierarchy.birth_row.tolist(), hierarchy.death_row.tolist(), strict=True)
    events = [(cells[birth], cells[death]) for birth, death in rows]
    assert events == [(low, high) for low, high, _ in run.events]
    assert hierarchy.level.tolist() == [0.0, *(level for _, _, level in run.events)]
    skipped = hierarchy.skipped_at(hierarchy.n_events, np.inf)
    left = np.flatnonzero(hierarchy.dead > hierarchy.n_events)
    reported = {
        (None if p < 0 else cells[left[p]], None if q < 0 else cells[left[q]]):
        REASONS[reason]
        for p, q, reason in zip(skipped.upper, skipped.lower, skipped.reason, strict=True)
    }  # fmt: skip
    expected = {}
    for pair, found in run.found.items():
        ends = tuple(None if c in run.gone else c for c in (pair.death, pair.birth))
        if ends != (None, None):
            expected[ends] = "parted" if None in ends else found
    assert reported == expected
    return hierarchy.saddle_events.size


@many(200)
@given(any_small_fields())
def test_the_log_is_that_of_canceling_one_by_one_on_drawn_fields(values):
    for rematch in (False, True):
        assert_it_is_the_oracles(values, rematch)


@pytest.mark.parametrize("rematch", [False, True])
def test_the_log_is_that_of_canceling_one_by_one_on_noise(rematch):
    n_saddles = 0
    for values in noise_fields(150, 31, axes=(3, 3, 3, 2, 1)):
        n_saddles += assert_it_is_the_oracles(values, rematch)
    for n_levels in (2, 3, 9, 1000):
        values = np.random.default_rng(n_levels).integers(0, n_levels, (9, 8, 7))
        n_saddles += assert_it_is_the_oracles(values, rematch)
    assert n_saddles > 300


@pytest.mark.parametrize("rematch", [False, True])
def test_the_log_of_a_masked_image_is_that_of_canceling_one_by_one(rematch):
    random, n_saddles = np.random.default_rng(33), 0
    for values in noise_fields(100, 33, axes=(3, 3, 3, 2, 1)):
        mask = random.random(values.shape) < random.choice((0.95, 0.8, 0.6))
        mask.ravel()[0] = True
        n_saddles += assert_it_is_the_oracles(values, rematch, mask=mask)
    for share in (0.98, 0.9):
        values = random.integers(0, 1000, (9, 8, 7))
        n_saddles += assert_it_is_the_oracles(
            values, rematch, mask=random.random((9, 8, 7)) < share
        )
    assert n_saddles > 100


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint64", "int8", "longdouble"])
def test_the_log_depends_on_no_dtype(dtype):
    random = np.random.default_rng(2)
    values = random.integers(-100, 100, (10, 11, 12))
    shift = 2**62 if dtype == "int64" else 2**63 if dtype == "uint64" else 0
    given = (values.astype(object) + shift).astype(dtype) if shift else values.astype(dtype)
    expected, found = hierarchy_of(values), hierarchy_of(given)
    np.testing.assert_array_equal(found.birth_row, expected.birth_row)
    np.testing.assert_array_equal(found.death_row, expected.death_row)
    np.testing.assert_array_equal(found.turned, expected.turned)


def test_the_log_of_floats_does_not_depend_on_the_sign_of_zeros():
    random = np.random.default_rng(3)
    values = random.integers(-2, 3, (12, 13, 14)).astype(np.float32)
    values[random.random(values.shape) < 0.5] *= -1  # also zeros
    assert (np.signbit(values) & (values == 0)).any()
    for rematch in (False, True):
        expected = hierarchy_of(values.astype(np.int8), rematch=rematch)
        found = hierarchy_of(values, rematch=rematch)
        np.testing.assert_array_equal(found.dead, expected.dead)
        np.testing.assert_array_equal(found.turned, expected.turned)


def test_heights_shorten_searches_and_do_not_change_results():
    for values in noise_fields(40, 32, axes=(3,)):
        pruned = hierarchy_of(values)
        gradient = sx.discrete_gradient(values, device="cpu")  # without values: all heights equal
        plain = sx.MorseSmaleComplex(gradient)
        plain.simplify(np.inf, rematch_saddles=True)
        other = plain._hierarchy(True)
        for column in ("birth_row", "death_row", "turned", "level"):
            np.testing.assert_array_equal(getattr(other, column), getattr(pruned, column))


@pytest.mark.parametrize("rematch", [False, True])
def test_the_log_does_not_depend_on_the_number_of_threads(rematch):
    random = np.random.default_rng(33)
    z, y, x = np.mgrid[0:1:44j, 0:1:44j, 0:1:44j]
    waves = np.sin(9 * x) * np.cos(7 * y) * np.sin(5 * z)
    terrace = np.linspace(0, 1, 30)[:, None, None] + 0.5 * random.integers(0, 9, (30, 31, 32))
    for values in (random.random((32, 33, 34)), waves + 0.3 * random.random(x.shape), terrace):
        alone = hierarchy_of(values, rematch=rematch, threads=1)
        assert alone.saddle_events.size > 2048  # several windows of the kernel
        for threads in (2, 3, 8):
            together = hierarchy_of(values, rematch=rematch, threads=threads)
            for column in ("birth_row", "death_row", "turned", "level"):
                np.testing.assert_array_equal(getattr(together, column), getattr(alone, column))
            skipped = (found.skipped_at(found.n_events, np.inf) for found in (together, alone))
            assert len({tuple(pairs.reason.tolist()) for pairs in skipped}) == 1


@pytest.mark.parametrize("seed", [5, 6])
def test_levels_equal_reversing_v_paths_on_the_gradient(seed):
    for values in noise_fields(14, seed):
        gradient = image_gradient(values)
        hierarchy = hierarchy_of(values)
        cells = cells_of(hierarchy, gradient)
        raw_labels = {"minimum": minimum_labels(gradient)}
        raw_labels["maximum"] = list(top_cell_labels(gradient).values())
        assert_labels_follow(hierarchy, 0, gradient, raw_labels)
        for event in range(1, hierarchy.n_events + 1):
            low, high = (
                cells[rows[event - 1]] for rows in (hierarchy.birth_row, hierarchy.death_row)
            )
            [path] = paths_between(gradient, low, high)  # one alone, whatever came before
            reverse(gradient, path)
            if event % 7 == 0 or event == hierarchy.n_events:
                assert_labels_follow(hierarchy, event, gradient, raw_labels)


def assert_labels_follow(
    hierarchy: Hierarchy, event: int, gradient: Gradient, raw: dict[str, list[int]]
) -> None:
    """Raw labels through the hierarchy's table are those of the reversed gradient."""
    now = {"minimum": minimum_labels(gradient), "maximum": list(top_cell_labels(gradient).values())}
    for kind, labels in raw.items():
        table = [*hierarchy.labels_at(kind, event).tolist(), -1]  # -1 is outside as before
        assert [table[k] for k in labels] == now[kind], (kind, event)


@pytest.mark.parametrize("rematch", [False, True])
def test_every_level_preserves_homology(rematch):
    n_skipped = 0
    for seed, n_levels in ((7, 6), (8, 500), (9, 2), (10, 30)):
        values = np.random.default_rng(seed).integers(0, n_levels, (13, 12, 11))
        n_skipped += assert_homology_is_kept(values, rematch)
    z, y, x = np.mgrid[0:1:24j, 0:1:24j, 0:1:24j]
    waves = np.sin(9 * x) * np.cos(7 * y) * np.sin(5 * z)
    noisy = waves + 0.1 * np.random.default_rng(1).standard_normal(waves.shape)
    n_skipped += assert_homology_is_kept(noisy, rematch)
    assert n_skipped > 20


@pytest.mark.parametrize("rematch", [False, True])
def test_every_level_of_a_torus_preserves_homology(rematch):
    values = np.random.default_rng(9).integers(0, 30, (6, 7, 8))
    assert_homology_is_kept(values, rematch, periodic=(True, True, True))


def assert_homology_is_kept(values: Field, rematch: bool, **periods: Any) -> int:
    """Counts follow from the diagram, which is equal at and above the level."""
    raw = sx.morse_smale(values, device="cpu", **periods)
    diagram, n_skipped = raw.persistence_pairs, 0
    euler = raw.critical.euler_characteristic
    spread = np.unique(diagram.persistence[np.isfinite(diagram.persistence)])
    for level in [*np.quantile(spread, [0.01, 0.1, 0.3, 0.5, 0.8, 1.0]), np.inf]:
        found = raw.simplify(level, rematch_saddles=rematch)
        kept, skipped = diagram.above(level), found.skipped
        assert sum(skipped.counts.values()) == len(skipped)
        for index, rows in ((2, skipped.upper), (1, skipped.lower)):
            assert (found.critical.index[rows[rows >= 0]] == index).all()
        expected = [int((kept.dimension == i).sum()) for i in range(4)]
        for i in range(1, 4):
            expected[i] += int((~kept.is_essential & (kept.dimension == i - 1)).sum())
        rows = [found.critical.rows(i) for i in range(4)]
        assert [int(found.is_persistent[of].sum()) for of in rows] == expected
        left = [int((skipped.lower >= 0).sum()), int((skipped.upper >= 0).sum())]
        assert left[0] == left[1]
        expected[1] += left[0]
        expected[2] += left[1]
        assert list(found.critical.counts) == expected
        assert found.critical.euler_characteristic == euler
        assert barcode(found.persistence_pairs.above(level)) == barcode(kept)
        n_skipped += len(skipped)
    return n_skipped


def barcode(diagram: sx.PersistenceDiagram) -> list[Any]:
    columns = (diagram.dimension, diagram.birth, diagram.death)
    columns += (diagram.birth_cell, diagram.death_cell)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("values", [[[[7]]], [3, 1, 2], [[0, 0], [0, 0]]])
def test_the_smallest_images_have_a_hierarchy(values):
    hierarchy = hierarchy_of(values)
    graph = hierarchy.graph
    assert hierarchy.labels_at("minimum", hierarchy.n_events).max() == 0
    assert hierarchy.labels_at("maximum", 0).size == graph.counts[graph.dimension]
    assert hierarchy.events_below(0.0) == 0
    assert len(hierarchy.skipped_at(hierarchy.n_events, np.inf)) == 0


def test_canceled_minima_have_parents_events_and_saddles():
    # 3 > 0 < 5 > 1 < 4 > 2: the pits 1 and 2 are filled over the edges owned by 5 and 4. The pit 2
    # lies between the peak 4 and the outside, the pit 1 between the peaks 5 and 4.
    hierarchy = hierarchy_of([3, 0, 5, 1, 4, 2])
    assert hierarchy.level.tolist() == [0.0, 2.0, 4.0]
    assert hierarchy.forest("minimum").parent.tolist() == [-1, 0, 1]
    assert hierarchy.forest("minimum").event.tolist() == [NEVER, 2, 1]
    assert hierarchy.forest("minimum").saddle.tolist() == [-1, 0, 1]
    assert hierarchy.forest("maximum").parent.tolist() == [1, -2]
    assert hierarchy.forest("maximum").saddle.tolist() == [1, 2]
    assert hierarchy.labels_at("minimum", 1).tolist() == [0, 1, 1]
    assert hierarchy.labels_at("maximum", 1).tolist() == [0, -1]
    assert hierarchy.labels_at("maximum", 2).tolist() == [-1, -1]
