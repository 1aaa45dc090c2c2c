"""Invariants of a complex at every level: counts, pairs, nesting, closed paths, equal runs."""

import gc
import weakref
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_matrix

import separatrix as sx
from oracles.everything import assert_same_bits, everything_of
from oracles.fields import Field, read_raw, rough_and_smooth
from oracles.meshes import split_grid

KINDS = ("descending", "ascending")
LABELS = (*KINDS, "morse_smale")


def host(array: Any) -> np.ndarray:
    return sx.to_host(array)


def noise(shape: tuple[int, ...], levels: int, seed: int) -> Field:
    return np.random.default_rng(seed).integers(0, levels, shape)


FIELDS = {
    "volume": noise((9, 8, 7), 40, 1),
    "volume of ties": noise((8, 8, 8), 5, 2),
    "picture": noise((17, 19), 30, 3),
    "line": noise((60,), 20, 4),
}
NAMES = list(FIELDS)


def steps(values: Field) -> list[float]:
    return [0.0, 0.5, *np.quantile(np.unique(values), [0.2, 0.5, 0.9]).tolist(), float("inf")]


@pytest.mark.parametrize("name", NAMES)
def test_persistent_cells_are_those_of_the_pairs_at_or_above_the_level(device, name):
    raw = sx.morse_smale(FIELDS[name], device=device)
    ids = host(raw.critical.cell_id)
    for level in steps(FIELDS[name]):
        found = raw.simplify(level)
        kept = raw.persistence_pairs.above(level)
        births, deaths = host(kept.birth_row), host(kept.death_row)
        expected = ids[np.concatenate([births, deaths[deaths >= 0]])]
        persistent = host(found.is_persistent)
        np.testing.assert_array_equal(
            np.sort(host(found.critical.cell_id)[persistent]), np.sort(expected)
        )
        assert type(found.is_persistent) is type(found.critical.cell_id)
        assert persistent.all() or (name.startswith("volume") and level > 0)


@pytest.mark.parametrize("rematch", [False, True])
def test_pairs_at_and_above_a_level_do_not_change(rematch):
    def pairs_above(complex: sx.MorseSmaleComplex, level: float) -> list[tuple[float, ...]]:
        pairs = complex.pair()
        columns = np.stack([pairs.dimension, pairs.birth, pairs.death])
        return sorted(map(tuple, columns[:, pairs.persistence >= level].T.tolist()))

    random, n_skipped = np.random.default_rng(5), 0
    for _ in range(40):
        shape = random.integers(4, 10, 3)
        raw = sx.morse_smale(random.integers(0, random.choice([9, 200]), shape), device="cpu")
        for level in random.uniform(1, 150, 3):
            found = raw.simplify(level, rematch_saddles=rematch)
            assert pairs_above(found, level) == pairs_above(raw, level)
            n_skipped += len(found.skipped)
    assert n_skipped > 20


@pytest.mark.parametrize("name", NAMES)
def test_a_higher_level_merges_regions_and_splits_none(device, name):
    values = FIELDS[name]
    raw = sx.morse_smale(values, device=device)
    for low, high in pairwise(raw.simplify(level) for level in steps(values)):
        for kind in LABELS:
            fine, coarse = (host(c.segmentation(kind)).ravel() for c in (low, high))
            joined = np.unique(np.stack([fine, coarse]), axis=1)
            assert len(np.unique(joined[0])) == joined.shape[1], kind
        assert set(host(high.critical.cell_id)) <= set(host(low.critical.cell_id))


@pytest.mark.parametrize("name", NAMES)
def test_a_level_of_a_complex_equals_the_same_level_computed_directly(device, name):
    values = FIELDS[name]
    raw = sx.morse_smale(values, device=device)
    for level in steps(values)[1:-1]:
        fresh = sx.morse_smale(values, persistence=level, device=device)
        coarse = raw.simplify(level * 2)
        again = coarse.simplify(level)  # counts from the whole complex, whatever was asked before
        assert_same_bits(everything_of(raw.simplify(level)), everything_of(fresh))
        assert_same_bits(everything_of(again), everything_of(fresh))


def assert_the_boundary_squared_is_zero(found: sx.MorseSmaleComplex) -> None:
    """The boundary over Z/2, which arcs of an odd number of V-paths make, has no boundary."""
    arcs, shape = found.arcs, (len(found.critical),) * 2
    odd = (host(arcs.multiplicity) & np.uint64(1)).astype(np.int64)
    of_arcs = coo_matrix((odd, (host(arcs.lower), host(arcs.upper))), shape=shape).tocsr()
    assert not ((of_arcs @ of_arcs).data % 2).any()
    for index in (1, 2, 3):
        boundary, rows = found.boundary(index), found.critical.rows(index)
        cells = np.repeat(np.arange(rows.start, rows.stop), np.diff(host(boundary.offsets)))
        ones = np.ones(len(cells), np.int64)
        of_cells = coo_matrix((ones, (host(boundary.items), cells)), shape=shape).tocsr()
        assert not (of_cells - of_arcs)[:, rows].data.any()


@pytest.mark.parametrize("name", NAMES)
def test_the_boundary_has_no_boundary_at_any_level(device, name):
    raw = sx.morse_smale(FIELDS[name], device=device)
    for level in steps(FIELDS[name]):
        assert_the_boundary_squared_is_zero(raw.simplify(level))


def test_the_boundary_of_larger_volumes_has_no_boundary(device):
    for values in rough_and_smooth((40, 40, 40), 162):
        assert_the_boundary_squared_is_zero(sx.morse_smale(values, device=device))


def test_the_boundary_of_real_volumes_has_no_boundary(device, shared_volumes):
    for path in sorted(shared_volumes.glob("*.raw.xz")):
        assert_the_boundary_squared_is_zero(sx.morse_smale(read_raw(path), device=device))


@pytest.mark.parametrize("domain", ["image", "mesh"])
def test_regions_contain_the_points_with_their_labels(device, domain):
    fields = [FIELDS["volume"], -FIELDS["picture"] / 7, FIELDS["line"].astype(np.uint8)]
    options = {"device": device}
    if domain == "mesh":
        options = {"domain": sx.TetMesh(*split_grid((6, 7, 5), seed=3), device=device)}
        fields = [noise((210,), 12, 5).astype(np.float32)]
    for values in fields:
        raw = sx.morse_smale(values, **options)
        for level in (0.0, 0.5, 4.0):
            found = raw.simplify(level)
            for kind in LABELS:
                assert_regions(found, kind, values)


def assert_regions(found: Any, kind: str, values: Field) -> None:
    labels, regions = host(found.segmentation(kind)).ravel(), found.regions(kind)
    flat = values.ravel()
    assert host(regions.minimum).dtype == values.dtype
    top = found.domain.dimension
    minimum = host(found.segmentation("descending")).ravel()
    maximum = host(found.segmentation("ascending")).ravel()
    for label in range(len(regions)):
        here = labels == label
        assert host(regions.size)[label] == here.sum()
        if here.any():
            assert host(regions.minimum)[label] == flat[here].min()
            assert host(regions.maximum)[label] == flat[here].max()
            rows = [host(regions.minimum_row)[label], host(regions.maximum_row)[label]]
            first = found.critical.rows(top).start
            expected = [minimum[here][0], maximum[here][0] + first if maximum[here][0] >= 0 else -1]
            if kind == "descending":
                expected[1] = -1
            if kind == "ascending":
                expected[0] = -1
            assert rows == expected
    assert labels.max(initial=-1) < len(regions)


def test_a_relative_level_is_of_the_range_of_the_values_in_any_order(device):
    values = np.random.default_rng(7).integers(0, 10, (12, 13, 14), dtype=np.uint8)
    for order in ("index", "plateau"):
        found = sx.morse_smale(values, order=order, device=device).simplify(0.3, relative=True)
        assert found.persistence == pytest.approx(2.7)


def test_a_pair_with_an_odd_bound_is_canceled_if_exactly_one_path_connects_it(device):
    # The smallest field known: the graph's sum says three V-paths, the gradient has one.
    values = [
        [[7, 21, 8, 5], [19, 1, 14, 11]],
        [[10, 0, 15, 6], [4, 17, 20, 18]],
        [[12, 2, 23, 9], [22, 16, 13, 3]],
    ]
    found = sx.morse_smale(np.array(values, np.float32), device=device).simplify(100.0)
    assert found.critical.counts == (1, 0, 0, 0)
    assert len(found.skipped) == 0


def test_arrays_are_released_together_with_a_complex_and_its_levels():
    gc.collect()
    gc.disable()  # so that cycles would stay
    try:
        complex = sx.morse_smale(np.random.default_rng(3).random((8, 9, 10)))
        level = complex.simplify(0.3)
        for one in (complex, level):
            _ = one.segmentation("morse_smale"), one.arcs, one.persistence_pairs
        kept = [
            weakref.ref(part) for one in (complex, level) for part in (one._gradient, one._labels)
        ]
        del complex, level, one
        assert [part() for part in kept] == [None] * 4
    finally:
        gc.enable()
