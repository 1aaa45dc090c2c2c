"""Scan, compaction, sort by key and distinct keys equal their one-line definitions."""

from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import separatrix as sx
from oracles.fields import Field, many
from separatrix import primitives
from separatrix.device import arrays, select
from separatrix.device.session import Session
from separatrix.primitives import (
    at,
    backward,
    compact,
    exclusive_scan,
    find_keys,
    is_within,
    lengths_of,
    put,
    shifted,
    sort_by_key,
    stacked,
    total,
)

SIZES = [0, 1, 2, 31, 32, 33, 1000, 100_003]


def on(device: str, array: Field) -> Any:
    """The array where the primitives are to run."""
    if device == "cpu":
        return array
    import cupy

    return cupy.asarray(array)


@many(200)
@given(st.lists(st.integers(0, 50)))
def test_an_exclusive_scan_ends_with_the_total(device, counts):
    scanned = exclusive_scan(on(device, np.array(counts, np.int32)))
    assert sx.to_host(scanned).tolist() == list(accumulate(counts, initial=0))
    assert scanned.dtype == np.int64


@pytest.mark.parametrize("size", SIZES)
def test_a_scan_does_not_overflow_the_width_of_its_counts(device, size):
    counts = np.full(size, 2**31 - 1, np.int32)
    scanned = sx.to_host(exclusive_scan(on(device, counts)))
    np.testing.assert_array_equal(scanned, np.arange(size + 1) * (2**31 - 1))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "uint32", "int64"])
def test_a_scan_of_many_tiles_is_the_running_sum(device, dtype):
    highest = 2 if dtype == "bool" else min(np.iinfo(dtype).max, 2**42)
    counts = np.random.default_rng(107).integers(0, highest, 1_000_003).astype(dtype)
    for n in (2047, 2048, 2049, 32 * 2048, 33 * 2048 + 1, len(counts)):
        scanned = sx.to_host(exclusive_scan(on(device, counts[:n])))
        assert scanned[0] == 0
        np.testing.assert_array_equal(scanned[1:], np.cumsum(counts[:n], dtype=np.int64))


@pytest.mark.parametrize("size", [*SIZES, 1_000_003])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "int64"])
def test_a_total_adds_all_numbers_without_overflow(device, size, dtype):
    is_flags = dtype == "bool"
    limits = np.iinfo("int8" if is_flags else dtype)
    ends = (0, 1) if is_flags else (max(limits.min, -(2**40)), min(limits.max, 2**40))
    numbers = np.random.default_rng(103).integers(*ends, size, endpoint=True).astype(dtype)
    assert total(select(device), on(device, numbers)) == sum(numbers.tolist())


@pytest.mark.parametrize("size", SIZES)
def test_compaction_lists_the_flagged_indices_in_ascending_order(device, size):
    random = np.random.default_rng(101)
    for flags in (random.random(size) < 0.3, np.zeros(size, np.uint8), np.ones(size, np.int8)):
        found = compact(on(device, flags))
        assert found.dtype == np.int64
        assert sx.to_host(found).tolist() == [i for i, flag in enumerate(flags) if flag]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint64", "float32", "float64"])
def test_sorting_by_key_is_stable(device, size, dtype, monkeypatch):
    monkeypatch.setattr(primitives, "FEW_TO_SORT", 33)  # longer ones are sorted by digits
    random = np.random.default_rng(102)
    keys = random.integers(0, max(size // 8, 2), size).astype(dtype)
    if dtype != "uint64":
        keys -= keys.max(initial=0) // 2
    if dtype[0] == "f":
        keys[::2] *= -1  # -0.0 equals 0.0
    session = Session(np.empty(0), device)
    names, halves = np.arange(size), np.arange(size) / 2
    found = sort_by_key(session, on(device, keys), on(device, names), on(device, halves))
    order = sorted(range(size), key=lambda i: (keys[i], i))
    assert sx.to_host(found[0]).tolist() == keys[order].tolist()
    assert sx.to_host(found[1]).tolist() == order
    assert sx.to_host(found[2]).tolist() == [i / 2 for i in order]


def test_sorting_by_key_covers_all_bits(device, monkeypatch):
    monkeypatch.setattr(primitives, "FEW_TO_SORT", 1)
    session = Session(np.empty(0), device)
    for dtype in ("int32", "uint32", "int64", "uint64"):
        ends = np.iinfo(dtype)
        keys = np.array([ends.max, 7, ends.min, ends.max - 1, ends.min + 1], dtype)
        assert sx.to_host(sort_by_key(session, on(device, keys))[0]).tolist() == sorted(keys)


def test_sorting_does_not_modify_its_arguments(device):
    keys = on(device, np.array([3, 1, 2]))
    sort_by_key(Session(np.empty(0), device), keys, keys)
    assert sx.to_host(keys).tolist() == [3, 1, 2]


def test_to_host_passes_numpy_through_and_brings_the_gpu_down(device):
    for size in (10, 10**6):
        values = np.random.default_rng(103).random(size)
        there = on(device, values)
        here = sx.to_host(there)
        assert isinstance(here, np.ndarray)
        np.testing.assert_array_equal(here, values)
        assert (here is there) == (device == "cpu")


@pytest.mark.gpu
def test_pinned_memory_is_an_ordinary_array_to_numpy(cuda):
    down = sx.pinned_empty((3, 4, 5), np.float32)
    down[...] = 7
    assert down.shape == (3, 4, 5)
    assert down.dtype == np.float32
    assert down.sum() == 420


def test_pinned_memory_of_results_has_few_sizes():
    sizes = np.arange((1 << 20) + 1, 1 << 21, 997).tolist()
    rooms = [arrays._room_for(size, 3) for size in sizes]
    assert len(set(rooms)) == 8
    assert all(size <= room <= 1.125 * size for size, room in zip(sizes, rooms, strict=True))
    assert [arrays._room_for(size, 0) for size in (1, 3, 1 << 20, (1 << 20) + 1)] == [
        *(1, 4, 1 << 20, 1 << 21)
    ]


# === keys, in pieces that a user may stop between
@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(primitives, "AT_ONCE", 100)


@pytest.mark.parametrize("n_keys", [1, 7, 900, 10**6])
@pytest.mark.parametrize("n", [0, 1, 99, 1001])
def test_distinct_keys_and_their_rows_are_those_of_unique(n, n_keys, device, small_pieces):
    session = Session(np.zeros(1), device)
    keys = np.random.default_rng(n + n_keys).integers(0, n_keys, n)
    found, rows = primitives.distinct(session, session.upload(keys), n_keys)
    expected, places = np.unique(keys, return_inverse=True)
    np.testing.assert_array_equal(sx.to_host(found), expected)
    np.testing.assert_array_equal(sx.to_host(rows), places.reshape(-1))


@pytest.mark.parametrize("bits", [1, 12, 62])
def test_sorted_keys_equal_those_of_sort_and_the_given_ones_do_not_change(
    bits, device, small_pieces
):
    session = Session(np.zeros(1), device)
    keys = np.random.default_rng(bits).integers(0, 1 << bits, 1001).astype(np.uint64)
    given = session.upload(keys)
    np.testing.assert_array_equal(sx.to_host(primitives.sorted_keys(session, given)), np.sort(keys))
    np.testing.assert_array_equal(sx.to_host(given), keys)


@pytest.mark.parametrize(("n", "n_first"), [(0, 1), (1, 1), (300, 7), (5_000, 900), (20, 4_000)])
@pytest.mark.parametrize("stride", [1, 50, 2**40])
def test_distinct_pairs_are_those_of_unique(n, n_first, stride, device):
    random = np.random.default_rng([n, n_first])
    keys = random.integers(0, n_first, n) * stride + random.integers(0, min(stride, 40), n)
    session = Session(np.zeros(1), device)
    found = primitives.distinct_pairs(session, session.upload(keys.copy()), stride, n_first)
    np.testing.assert_array_equal(sx.to_host(found), np.unique(keys))


def test_the_numbering_of_keys_can_be_canceled(small_pieces):
    def enough(part, stage):
        nonlocal n_told
        n_told += 1
        if n_told == 4:
            raise sx.Canceled

    n_told, session = 0, Session(np.zeros(1), "cpu")
    with (
        pytest.raises(sx.Canceled),
        session.call(enough, {"keys": 1.0}),
        session.stage("keys"),
    ):
        primitives.distinct(session, np.zeros(1000, np.int64), 3)
    assert n_told == 4


ITEMS = [("uint8", ()), ("float16", ()), ("float32", (3,)), ("int64", (2,)), ("float64", ())]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("dtype", "shape"), ITEMS)
def test_items_are_taken_and_put_at_places_and_flags(device, size, dtype, shape):
    random = np.random.default_rng(104)
    items = random.integers(0, 100, (size, *shape)).astype(dtype)
    for places in (random.permutation(size)[::2].astype(np.int32), random.random(size) < 0.5):
        found = at(on(device, items), on(device, places))
        np.testing.assert_array_equal(sx.to_host(found), items[places])
        for chosen in (7, items[places][::-1].copy(), items[places].astype(np.int16)):
            changed, expected = on(device, items.copy()), items.copy()
            put(changed, on(device, places), on(device, chosen) if np.ndim(chosen) else chosen)
            expected[places] = chosen
            np.testing.assert_array_equal(sx.to_host(changed), expected)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "uint32", "int64"])
def test_integers_are_shifted_reversed_and_compared(device, dtype):
    limits = (0, 2) if dtype == "bool" else (max(-100, np.iinfo(dtype).min), 100)
    numbers = np.random.default_rng(105).integers(*limits, 1000).astype(dtype)
    there, wide = on(device, numbers), numbers.astype(np.int64)
    for to in (np.int32, np.int64):
        found = sx.to_host(shifted(there, 5, -3, to))
        assert found.dtype == to
        np.testing.assert_array_equal(found, 5 - 3 * wide)
    np.testing.assert_array_equal(sx.to_host(backward(there)), numbers[::-1])
    np.testing.assert_array_equal(sx.to_host(is_within(there, 1)), wide >= 1)
    np.testing.assert_array_equal(sx.to_host(is_within(there, 0, 9)), (wide >= 0) & (wide <= 9))
    counted = select(device).numbers(5, np.int16, 8, -2)
    assert sx.to_host(counted).tolist() == [8, 6, 4, 2, 0]
    assert counted.dtype == np.int16


def test_keys_are_found_and_columns_stacked(device):
    random = np.random.default_rng(106)
    keys = random.permutation(500)[:200].astype(np.int32)
    wanted, there = np.arange(-1, 500, dtype=np.int32), on(device, keys)
    order = select(device).xp.argsort(there)
    found = sx.to_host(find_keys(Session(there, device=device), there, order, on(device, wanted)))
    expected = [keys.tolist().index(key) if key in keys else -1 for key in wanted]
    assert found.tolist() == expected
    columns = [on(device, random.integers(0, 9, 50).astype(np.float32)) for _ in range(3)]
    expected = np.stack([*map(sx.to_host, columns)], axis=1)
    np.testing.assert_array_equal(sx.to_host(stacked(*columns)), expected)
    offsets = exclusive_scan(on(device, np.arange(7)))
    assert sx.to_host(lengths_of(offsets)).tolist() == [*range(7)]
