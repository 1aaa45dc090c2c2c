"""Merging and column reduction equal their textbook forms; properties of diagrams."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.reduction import pivots
from separatrix.device import Session
from separatrix.device.host import HostDevice
from separatrix.homology import merge_in_rounds, merge_pairs, pairing, reduce_columns
from separatrix.homology.pairing import FEW_EDGES


@pytest.fixture(scope="module")
def host():
    return HostDevice()


def random_columns(random: Any, m: int, n_rows: int, most: int) -> list[dict[int, int]]:
    """Columns with up to `most` entries, coefficients from -9 to 9, some of them zero."""
    rows = [random.permutation(n_rows)[: random.integers(most + 1)].tolist() for _ in range(m)]
    return [{r: int(random.integers(-9, 10)) for r in some} for some in rows]


def as_table(columns: list[dict[int, int]]) -> tuple[Any, Any, Any]:
    offsets = np.cumsum([0, *map(len, columns)], dtype=np.int64)
    rows = np.array([r for c in columns for r in c], np.int32)
    return offsets, rows, np.array([x for c in columns for x in c.values()], np.int64)


def in_order(n: int) -> Any:
    return np.arange(n, dtype=np.int32)


@pytest.mark.parametrize("n_rows", [1, 9, 40, 130])
def test_pivots_equal_those_of_the_textbook(host, n_rows):
    random = np.random.default_rng(n_rows)
    for most in (2, 5, n_rows):
        columns = random_columns(random, n_rows + 5, n_rows, min(most, n_rows))
        table, order = as_table(columns), in_order(n_rows + 5)
        found = reduce_columns(host, *table, order=order, place=in_order(n_rows))
        assert [None if p < 0 else p for p in found.tolist()] == pivots(columns)


def test_columns_and_rows_may_be_numbered_arbitrarily(host):
    random = np.random.default_rng(5)
    columns = random_columns(random, 60, 50, 6)
    order = random.permutation(60).astype(np.int32)
    place = random.permutation(50).astype(np.int32)
    moved = [{int(place[r]): x for r, x in columns[j].items()} for j in order]
    found = reduce_columns(host, *as_table(columns), order=order, place=place)
    expected = pivots(moved)
    assert [None if p < 0 else int(place[p]) for p in found[order].tolist()] == expected


def test_any_number_of_threads_finds_the_same_pivots():
    random = np.random.default_rng(2)
    # Two or three entries near each other, as of images: long chains of columns that give way.
    middle = random.integers(0, 2990, 6000)
    columns = [{int(m + r): 1 for r in random.integers(0, 10, 3)} for m in middle]
    order = random.permutation(6000).astype(np.int32)
    place = random.permutation(3000).astype(np.int32)
    found = [
        reduce_columns(HostDevice(threads), *as_table(columns), order=order, place=place)
        for threads in (1, 2, 2, 5)
    ]
    assert (found[0] >= 0).sum() > 2000
    for other in found[1:]:
        assert other.tolist() == found[0].tolist()


def test_omitted_columns_and_rows_without_a_position_are_ignored(host):
    columns = [{0: 1, 2: 1}, {1: 1, 2: 1}, {0: 1, 1: 1, 3: 1}]
    place = np.array([0, 1, -1, -1], np.int32)
    order = np.array([0, 2], np.int32)
    found = reduce_columns(host, *as_table(columns), order=order, place=place)
    assert found.tolist() == [0, -1, 1]


def test_an_even_coefficient_of_any_size_is_zero_mod_2(host):
    table = (np.array([0, 2]), np.array([1, 0], np.int32), np.array([2**62, 2**62 + 1]))
    assert reduce_columns(host, *table, order=in_order(1), place=in_order(2)).tolist() == [0]


def test_an_empty_matrix_has_no_pivots(host):
    none = in_order(0)
    for m in (0, 3):
        offsets = np.zeros(m + 1, np.int64)
        found = reduce_columns(host, offsets, none, order=in_order(m), place=none)
        assert found.tolist() == [-1] * m
    assert merge_pairs(host, none, none.reshape(-1, 2), none).victim.tolist() == []


@pytest.mark.parametrize(("few", "at_once"), [(0, 1 << 25), (20, 500), (FEW_EDGES, 7000)])
def test_pieces_merge_in_rounds_as_one_by_one(device, few, at_once, monkeypatch):
    monkeypatch.setattr(pairing, "FEW_EDGES", few)
    monkeypatch.setattr(pairing, "EDGES_AT_ONCE", at_once)
    session, random = Session(np.empty(0), device), np.random.default_rng(few)
    for n, m in ((1, 3), (5, 9), (40, 60), (200, 150), (3000, 9000), (20000, 30000)):
        age = random.permutation(n).astype(np.int32)
        for spread in (n, 3):  # far and near pieces
            ends = random.integers(-1, n, (m, 2)).astype(np.int32)
            ends[:, 1] = np.minimum(ends[:, 0] + random.integers(0, spread, m), n - 1)
            order = random.permutation(m)[: m - m // 5].astype(np.int32)
            expected = merge_pairs(session.host, age, ends, order)
            found = merge_in_rounds(session, age, ends, order)
            assert np.array_equal(sx.to_host(found.victim), expected.victim)
            assert np.array_equal(sx.to_host(found.side), expected.side)


def test_a_chain_that_ends_one_piece_a_round_merges(device):
    n = 40000
    ends = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1).astype(np.int32)
    order = np.arange(n - 2, -1, -1, dtype=np.int32)
    session = Session(np.empty(0), device)
    found = merge_in_rounds(session, np.arange(n, dtype=np.int32), ends, order)
    assert sx.to_host(found.victim).tolist() == list(range(1, n))


def test_pieces_merge_by_the_elder_rule(host):
    random = np.random.default_rng(6)
    for n, m in ((1, 3), (5, 9), (40, 60), (200, 150)):
        age = random.permutation(n).astype(np.int32)
        ends = random.integers(-1, n, (m, 2)).astype(np.int32)
        order = random.permutation(m)[: m - m // 5].astype(np.int32)
        found = merge_pairs(host, age, ends, order)
        piece = {k: {k} for k in range(-1, n)}
        victims, sides = [-1] * m, [0] * m
        for edge in order.tolist():
            a, b = (piece[int(end)] for end in ends[edge])
            if a is not b:
                eldest = [min(s, key=lambda k: -1 if k < 0 else age[k]) for s in (a, b)]
                lives = min(eldest, key=lambda k: -1 if k < 0 else age[k])
                sides[edge] = eldest.index(lives) ^ 1
                victims[edge] = eldest[sides[edge]]
                piece |= dict.fromkeys(a | b, a | b)
        assert found.victim.tolist() == victims
        assert found.side.tolist() == sides


def a_diagram() -> sx.PersistenceDiagram:
    return sx.persistence_diagram([0.0, 5.0, 1.0, 1.0, 2.0, -3.0], zero_persistence=True)


def test_a_diagram_can_be_cut_by_dimension_and_level():
    diagram = a_diagram()
    assert diagram.birth.tolist() == [-3.0, 0.0, 1.0]
    assert diagram.death.tolist() == [np.inf, 5.0, 2.0]
    assert diagram.is_essential.tolist() == [True, False, False]
    assert diagram.of_dimension(0).tolist() == [[-3.0, np.inf], [0.0, 5.0], [1.0, 2.0]]
    assert diagram.of_dimension(1).shape == (0, 2)
    assert diagram.above(1.0).death.tolist() == [np.inf, 5.0, 2.0]
    assert diagram.above(np.nextafter(1.0, 2.0)).death.tolist() == [np.inf, 5.0]


def test_pairs_are_chosen_by_a_mask_or_by_rows():
    diagram = a_diagram()
    assert diagram.where([2, 0]).birth.tolist() == [1.0, -3.0]
    assert diagram.where([True, False, True]).birth.tolist() == [-3.0, 1.0]
    assert len(diagram.where([])) == 0
    for chosen, reported in (
        ([10**6], "chosen must be integers from 0 to 2; got 1000000"),
        ([True], r"a mask of shape \(3,\) or an array of rows; got shape \(1,\)"),
        ("all", "an array of rows; got 'all'"),
        ([0.5], "chosen must be an array of integers; got dtype float64"),
    ):
        with pytest.raises(sx.InputError, match=reported):
            diagram.where(chosen)  # type: ignore[arg-type]


def test_a_curve_counts_the_pairs_at_or_above_each_level():
    levels, counts = a_diagram().curve()
    assert levels.tolist() == [1.0, 5.0]
    assert counts.tolist() == [3, 2]  # the essential class counts at every level
    assert [x.tolist() for x in a_diagram().curve(1)] == [[], []]


def test_pairs_of_equal_values_are_artifacts_of_plateaus():
    values = [[0, 1, 0], [1, 1, 1], [0, 1, 0]]
    diagram = sx.persistence_diagram(values, zero_persistence=True)
    assert diagram.n_artifacts == 2 * int((diagram.persistence == 0).sum())
    assert len(diagram.nonzero()) == len(sx.persistence_diagram(values)) == 4


def test_rounds_in_which_edges_hardly_decrease_end_on_the_host(device, monkeypatch):
    monkeypatch.setattr(pairing, "FEW_EDGES", 0)
    session, n, launched = Session(np.empty(0), device), 3000, []
    # A chain from the oldest piece to the youngest: in each round, only the last piece ends.
    age = in_order(n)
    ends = np.stack([age[:-1], age[1:]], axis=1)
    order = np.ascontiguousarray(in_order(n - 1))
    launch = session.launch
    monkeypatch.setattr(
        session, "launch", lambda kernel, *more: (launched.append(kernel), launch(kernel, *more))
    )
    found = merge_in_rounds(session, age, ends, order[::-1].copy())
    expected = merge_pairs(session.host, age, ends, order[::-1].copy())
    assert np.array_equal(sx.to_host(found.victim), expected.victim)
    assert launched.count("end_sets") <= 2 * pairing.ROUNDS_PER_HALVING
