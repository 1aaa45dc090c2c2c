"""Every level of the hierarchy equals canceling one by one, on the graph and on the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.cancellation import Pair, cancel_on_graph, paths_between, reverse
from oracles.connectors import connections
from oracles.cubical import cell_dimension
from oracles.fields import Field, any_small_fields, many, noise_fields
from oracles.graphs import graph_of_gradient, graph_of_torus, table_of
from oracles.lower_star import Gradient, image_gradient
from oracles.reduction import pairs_of
from oracles.walks import maxima, minima, minimum_labels, top_cell_labels
from separatrix.morse.cancellation import NEVER
from separatrix.morse.connectors.table import trace_connectors
from separatrix.morse.graph import ComplexGraph, graph_of
from separatrix.morse.hierarchy import REASONS, Hierarchy, build_hierarchy
from separatrix.morse.pairing import pair_critical_cells


def gradient_of(values: Field) -> Gradient:
    return image_gradient(values)


def engine_graph(values: Any) -> ComplexGraph:
    gradient = sx.morse_smale(values, device="cpu").gradient
    return graph_of(gradient, trace_connectors(gradient))


def first_rows(graph: ComplexGraph) -> list[int]:
    return [sum(graph.counts[:index]) for index in range(5)]


def pairs_in_order(graph: ComplexGraph) -> list[Pair]:
    """Finite pairs by (persistence, dimension, inner first)."""
    diagram = pair_critical_cells(graph).diagram()
    first, d = first_rows(graph), graph.dimension
    keyed = []
    for i in np.flatnonzero(~diagram.is_essential).tolist():
        k = int(diagram.dimension[i])
        birth, death = int(diagram.birth_row[i]), int(diagram.death_row[i])
        inner = -graph.rank[birth] if 0 < k == d - 1 else graph.rank[death]
        pair = Pair(k, birth - first[k], death - first[k + 1], float(diagram.persistence[i]))
        keyed.append(((pair.persistence, k, int(inner)), pair))
    return [pair for _, pair in sorted(keyed, key=lambda item: item[0])]


def arcs_of(graph: ComplexGraph) -> dict[tuple[int, int], int]:
    offsets = graph.connector_offsets
    upper = np.repeat(np.arange(offsets.size - 1), np.diff(offsets)).tolist()
    lower, number = graph.connector_lower.tolist(), graph.connector_multiplicity.tolist()
    return dict(zip(zip(upper, lower, strict=True), number, strict=True))


def arcs_at(hierarchy: Hierarchy, event: int) -> dict[tuple[int, int], int]:
    upper, lower, multiplicity = (a.tolist() for a in hierarchy.arcs_at(event))
    keys = list(zip(upper, lower, strict=True))
    assert keys == sorted(set(keys))
    return dict(zip(keys, multiplicity, strict=True))


def assert_it_equals_the_run_on_the_graph(graph: ComplexGraph, max_fill: int) -> int:
    """How many pairs were skipped at their turn and canceled later."""
    hierarchy = build_hierarchy(graph, max_fill=max_fill)
    first = first_rows(graph)
    assert arcs_at(hierarchy, 0) == arcs_of(graph)
    run = None
    for run in cancel_on_graph(pairs_in_order(graph), arcs_of(graph), graph.dimension, max_fill):
        event = len(run.events)
        if event in hierarchy.level.searchsorted(hierarchy.level, side="right") - 1:
            assert arcs_at(hierarchy, event) == run.arcs
        if event:
            pair, level = run.events[-1]
            assert hierarchy.level[event] == level
            assert hierarchy.birth_row[event - 1] == first[pair.dimension] + pair.birth
            assert hierarchy.death_row[event - 1] == first[pair.dimension + 1] + pair.death
            assert hierarchy.persistence[event - 1] == pair.persistence
    assert run is not None
    assert hierarchy.n_events == len(run.events)
    skipped = hierarchy.skipped_at(hierarchy.n_events, np.inf)
    assert {(p.death, p.birth) for p in run.skipped} == set(
        zip(skipped.upper.tolist(), skipped.lower.tolist(), strict=True)
    )
    for p, q, reason in zip(skipped.upper, skipped.lower, skipped.reason, strict=True):
        paths = run.arcs.get((int(p), int(q)), 0)
        expected = 0 if not paths else 3 if paths == 1 else 1 if paths % 2 == 0 else 2
        assert reason == expected
    return int((hierarchy.persistence < hierarchy.level[1:]).sum())


@many(60)
@given(any_small_fields())
def test_every_event_equals_that_of_the_run_on_drawn_fields(values: Field):
    assert_it_equals_the_run_on_the_graph(graph_of_gradient(gradient_of(values), values), 4096)


@pytest.mark.parametrize("max_fill", [4096, 6, 1])
def test_every_event_equals_that_of_the_run_on_noise(max_fill: int):
    random = np.random.default_rng(3)
    for n_levels in (3, 100):
        values = random.integers(0, n_levels, (8, 8, 9))
        graph = graph_of_gradient(gradient_of(values), values)
        assert_it_equals_the_run_on_the_graph(graph, max_fill)


def random_volume_graph(seed: int, n: int, degree: int) -> ComplexGraph:
    """Saddles alone, n of either index, joined at random by one to three V-paths."""
    random = np.random.default_rng(seed)
    arcs = {
        (int(p), int(q)): int(random.choice([1, 1, 1, 2, 3]))
        for p, q in random.integers(0, n, (n * degree, 2))
    }
    ones = np.zeros((n, 2), np.int32)
    return ComplexGraph(
        3,
        (1, n, n, 0),
        np.concatenate([[0], 1 + random.permutation(n), 1 + n + random.permutation(n)]).astype(
            np.int32
        ),
        np.concatenate([[0.0], random.random(n).round(1), 1 + random.random(n).round(1)]),
        ones,
        ones - 1,
        *table_of(arcs, n, 3),
    )


@pytest.mark.parametrize("max_fill", [4096, 8, 3])
def test_skipped_pairs_come_back_as_in_the_run(max_fill: int):
    late = [
        assert_it_equals_the_run_on_the_graph(random_volume_graph(seed, 40, degree), max_fill)
        for seed in range(12)
        for degree in (1, 2, 3)
    ]
    assert sum(late) > 0


def test_dense_pairs_are_tried_again_at_checkpoints():
    graph = random_volume_graph(1, 1300, 1)
    hierarchy = build_hierarchy(graph, max_fill=0)
    late = hierarchy.persistence < hierarchy.level[1:]
    assert late.any()
    assert late[:-1].sum() > 0


@pytest.mark.parametrize("seed", [5, 6])
def test_levels_equal_reversing_v_paths_on_the_gradient(seed: int):
    for values in noise_fields(14, seed):
        gradient = gradient_of(values)
        graph = graph_of_gradient(gradient, values)
        hierarchy = build_hierarchy(graph)
        cells = list(gradient.critical)
        raw = {kind: some(gradient) for kind, some in (("minimum", minima), ("maximum", maxima))}
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
            if hierarchy.level[event] < np.append(hierarchy.level, np.inf)[event + 1]:
                assert_connectors_agree(hierarchy, event, gradient, cells)
        assert len(raw["minimum"]) == graph.counts[0]


def assert_labels_follow(
    hierarchy: Hierarchy, event: int, gradient: Gradient, raw: dict[str, list[int]]
) -> None:
    """Raw labels through the hierarchy's table are those of the reversed gradient."""
    now = {"minimum": minimum_labels(gradient), "maximum": list(top_cell_labels(gradient).values())}
    for kind, labels in raw.items():
        table = [*hierarchy.labels_at(kind, event).tolist(), -1]  # -1 is outside as before
        assert [table[k] for k in labels] == now[kind], (kind, event)


def assert_connectors_agree(
    hierarchy: Hierarchy, event: int, gradient: Gradient, cells: list[Any]
) -> None:
    """Parities are exact, counts are never less than the true ones, and zero and one are true."""
    if hierarchy.graph.dimension < 3:
        return
    first = first_rows(hierarchy.graph)
    number = {c: k - first[cell_dimension(c)] for k, c in enumerate(cells)}
    true = {(number[p], number[q]): n for (p, q), n in connections(gradient).items()}
    bounds = arcs_at(hierarchy, event)
    assert true.keys() <= bounds.keys()
    for arc, bound in bounds.items():
        n = true.get(arc, 0)
        assert n <= bound
        assert n % 2 == bound % 2


@pytest.mark.parametrize("seed", [7, 8])
def test_every_level_keeps_what_homology_knows(seed: int):
    values = np.random.default_rng(seed).integers(0, [6, 500][seed % 2], (8, 8, 8))
    assert_homology_is_kept(engine_graph(values))


def test_every_level_of_a_torus_keeps_what_homology_knows():
    assert_homology_is_kept(graph_of_torus(np.random.default_rng(9).integers(0, 30, (3, 3, 4))))


def assert_homology_is_kept(graph: ComplexGraph) -> None:
    hierarchy = build_hierarchy(graph)
    diagram = pair_critical_cells(graph).diagram()
    index = np.repeat(np.arange(4), graph.counts)
    euler = sum((-1) ** i * c for i, c in enumerate(graph.counts))
    for level in (0.0, 0.5, 1.0, 2.0, 5.0, 20.0, 100.0, 1000.0):
        event = hierarchy.events_below(level)
        assert hierarchy.level[event] < level or event == 0
        alive = hierarchy.alive_at(event)
        counts = np.bincount(index[alive], minlength=4).tolist()
        assert sum((-1) ** i * c for i, c in enumerate(counts)) == euler
        kept, skipped = diagram.above(level), hierarchy.skipped_at(event, level)
        assert sum(skipped.counts.values()) == len(skipped)
        expected = [int((kept.dimension == i).sum()) for i in range(4)]
        for i in range(1, 4):
            expected[i] += int((~kept.is_essential & (kept.dimension == i - 1)).sum())
        expected[1] += len(skipped)
        expected[2] += len(skipped)
        assert counts == expected
        assert_the_rest_pairs_as_before(graph, hierarchy, event)


def assert_the_rest_pairs_as_before(graph: ComplexGraph, hierarchy: Hierarchy, event: int) -> None:
    """The boundary of what is left vanishes twice, and reduces to the pairs not canceled yet."""
    alive = hierarchy.alive_at(event)
    cells = np.flatnonzero(alive)
    order = cells[np.argsort(graph.rank[cells])]
    place = {int(row): i for i, row in enumerate(order)}
    first, d = first_rows(graph), graph.dimension
    below: dict[int, list[int]] = {i: [] for i in range(cells.size)}

    def add(upper: int, lower: int) -> None:
        if alive[upper] and alive[lower]:
            below[place[upper]].append(place[lower])

    for (p, q), n in arcs_at(hierarchy, event).items():
        if n % 2:
            add(first[2] + p, first[1] + q)
    roots = {kind: hierarchy.labels_at(kind, event) for kind in ("minimum", "maximum")}
    rows = {kind: first[i] + np.flatnonzero(alive[first[i] : first[i + 1]])
            for kind, i in (("minimum", 0), ("maximum", d))}  # fmt: skip
    for s, ends in enumerate(graph.descending_ends.tolist()):
        for m in ends:
            add(first[1] + s, int(rows["minimum"][roots["minimum"][m]]))
    for s, ends in enumerate(graph.ascending_ends.tolist()):
        for m in ends:
            if m >= 0 and roots["maximum"][m] >= 0:
                add(int(rows["maximum"][roots["maximum"][m]]), first[d - 1] + s)
    odd = {i: [j for j in set(some) if some.count(j) % 2] for i, some in below.items()}
    for some in odd.values():
        twice = [k for j in some for k in odd[j]]
        assert all(twice.count(k) % 2 == 0 for k in twice)
    diagram = pair_critical_cells(graph).diagram()
    left = {int(b): int(e) for b, e in zip(diagram.birth_row, diagram.death_row, strict=True)}
    pairs, essential = pairs_of(odd)
    assert {int(order[b]): int(order[e]) for b, e in pairs} | {
        int(order[b]): -1 for b in essential
    } == {b: e for b, e in left.items() if alive[b]}


def test_regions_of_a_level_are_unions_of_those_of_lower_levels():
    values = np.random.default_rng(12).integers(0, 99, (40, 50))
    hierarchy = build_hierarchy(engine_graph(values))
    finer = {kind: hierarchy.labels_at(kind, 0) for kind in ("minimum", "maximum")}
    for level in (1.0, 4.0, 9.0, 20.0, 60.0, 99.0):
        event = hierarchy.events_below(level)
        for kind, fine in finer.items():
            coarse = hierarchy.labels_at(kind, event)
            assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine))
            assert coarse.max() + 1 == int((hierarchy.forest(kind).event > event).sum())
            finer[kind] = coarse
    assert hierarchy.alive_at(hierarchy.n_events).sum() == 1


@pytest.mark.parametrize("values", [[[[7]]], [3, 1, 2], [[0, 0], [0, 0]]])
def test_the_smallest_images_have_a_hierarchy(values: Any):
    graph = engine_graph(values)
    hierarchy = build_hierarchy(graph)
    assert hierarchy.labels_at("minimum", hierarchy.n_events).max() == 0
    assert hierarchy.labels_at("maximum", 0).size == graph.counts[graph.dimension]
    assert hierarchy.events_below(0.0) == 0
    assert len(hierarchy.skipped_at(hierarchy.n_events)) == 0


def test_what_a_canceled_cell_leaves_is_named():
    # 3 > 0 < 5 > 1 < 4 > 2: the pits 1 and 2 are filled over the edges owned by 5 and 4. The pit 2
    # lies between the peak 4 and the outside, the pit 1 between the peaks 5 and 4.
    graph = engine_graph([3, 0, 5, 1, 4, 2])
    hierarchy = build_hierarchy(graph)
    assert hierarchy.level.tolist() == [0.0, 2.0, 4.0]
    assert hierarchy.persistence.tolist() == [2.0, 4.0]
    assert hierarchy.forest("minimum").parent.tolist() == [-1, 0, 1]
    assert hierarchy.forest("minimum").event.tolist() == [NEVER, 2, 1]
    assert hierarchy.forest("minimum").saddle.tolist() == [-1, 0, 1]
    assert hierarchy.forest("maximum").parent.tolist() == [1, -2]
    assert hierarchy.forest("maximum").saddle.tolist() == [1, 2]
    assert hierarchy.labels_at("minimum", 1).tolist() == [0, 1, 1]
    assert hierarchy.labels_at("maximum", 1).tolist() == [0, -1]
    assert hierarchy.labels_at("maximum", 2).tolist() == [-1, -1]


def test_the_work_can_be_stopped():
    def stop(part: float) -> None:
        raise sx.Cancelled

    with pytest.raises(sx.Cancelled):
        build_hierarchy(engine_graph(np.eye(5)), stop)


def test_reasons_are_counted_by_name():
    hierarchy = build_hierarchy(random_volume_graph(0, 60, 4), max_fill=6)
    skipped = hierarchy.skipped_at(hierarchy.n_events, np.inf)
    assert tuple(skipped.counts) == REASONS
    assert all(skipped.counts[name] for name in REASONS)


def test_numbers_of_v_paths_saturate_and_keep_their_parity():
    # Saddles p=0, a=1 above q=0, b=1, c=2; p and q are the pair that is canceled.
    limit = 2**62
    arcs = {(0, 0): 1, (0, 1): 3, (0, 2): 2**40, (1, 0): limit + 1, (1, 1): 1}
    ones = np.zeros((3, 2), np.int32)
    graph = ComplexGraph(
        3,
        (1, 3, 2, 0),
        np.array([0, 3, 2, 1, 4, 5], np.int32),
        np.array([0.0, 3.0, 2.0, 1.0, 4.0, 9.0]),
        ones,
        ones[:2] - 1,
        *table_of(arcs, 2, 3),
    )
    hierarchy = build_hierarchy(graph)
    assert (hierarchy.saddle_upper.tolist(), hierarchy.saddle_lower.tolist()) == ([0], [0])
    # (limit + 1) * 3 + 1 is even, (limit + 1) * 2^40 too.
    assert arcs_at(hierarchy, 1) == {(1, 1): limit, (1, 2): limit}
