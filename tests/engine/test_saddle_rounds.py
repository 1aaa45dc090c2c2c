"""Cancellation in rounds: the log of the sequential loop for all windows and rooms of searches."""

import types
from dataclasses import replace

import numpy as np
import pytest

import separatrix as sx
from oracles.fields import noise_fields
from separatrix.device import to_host
from separatrix.errors import DeviceMemoryError
from separatrix.morse import cancellation, rounds
from separatrix.morse.rounds import Rooms, cancel_in_rounds, segment_ends

PLENTY = Rooms(
    window=64,
    versions=1 << 14,
    reads=1 << 15,
    turned=1 << 12,
    tries=1 << 10,
    heights=1 << 12,
    large=1 << 10,
    huge=1 << 12,
    n_huge=2,
)
ROOMS = {
    "a window of one pair": replace(PLENTY, window=1),
    "windows of two pairs": replace(PLENTY, window=2),
    "windows of seven pairs": replace(PLENTY, window=7),
    "one window": replace(PLENTY, window=1 << 12),
    "pools that overflow": replace(PLENTY, versions=1 << 11, reads=1 << 13),
    "logs and heights that grow": replace(PLENTY, turned=8, tries=64, heights=16),
    "searches that move to larger rooms": replace(PLENTY, small=128, large=128, huge=1 << 13),
    "rooms for the size": None,
}


def fields():
    yield from noise_fields(6, 47, axes=(3,))
    for n_levels, dtype in ((2, np.uint8), (30, np.int64)):
        yield np.random.default_rng(n_levels).integers(0, n_levels, (8, 7, 6)).astype(dtype)
    z, y, x = np.mgrid[0:1:14j, 0:1:14j, 0:1:14j]
    noise = np.random.default_rng(2).standard_normal(x.shape)
    yield np.sin(9 * x) * np.cos(7 * y) * np.sin(5 * z) + 0.3 * noise
    yield np.random.default_rng(1).integers(0, 40, (20, 20, 20))  # saddles are joined to others


def log_on(values, device, rematch, **options):
    complex = sx.morse_smale(values, device=device, **options)
    complex.simplify(np.inf, rematch_saddles=rematch)
    return complex._hierarchy(rematch)._log


@pytest.fixture
def logs(monkeypatch):
    """The logs of an image: of the loop, and of rounds with each of some rooms, on the CPU."""
    loop, found = cancellation._canceled_on_host, []

    def both(session, graph, saddles, values, volume):
        found.append(loop(session, graph, saddles, values, volume))
        if not saddles.birth.size:
            return found[0]
        gradient, field = volume
        for rooms in both.rooms:
            model = gradient.saddle_rounds(field, *cancellation.ordinals(graph, saddles))
            found.append(cancel_in_rounds(session, model, values, rooms))
        return found[0]

    monkeypatch.setattr(cancellation, "_canceled_on_host", both)

    def of(values, rooms, rematch=False, **options):
        both.rooms = rooms
        found.clear()
        log_on(values, "cpu", rematch, **options)
        return found

    return of


def assert_same(log, expected):
    log = log._replace(**{name: to_host(getattr(log, name)) for name in log._fields})
    log = log._replace(turned=np.sort(log.turned))
    expected = expected._replace(turned=np.sort(to_host(expected.turned)))
    for name in log._fields:
        np.testing.assert_array_equal(getattr(log, name), to_host(getattr(expected, name)), name)


@pytest.mark.parametrize("rematch", [False, True])
@pytest.mark.parametrize("rooms", ROOMS.values(), ids=ROOMS)
def test_rounds_keep_the_log_of_the_loop(logs, rooms, rematch):
    n_events = n_joined = 0
    for values in fields():
        for periodic in ((False, False, False), (True, False, True)):
            if any(periodic) and min(values.shape) < 3:
                continue
            expected, *others = logs(values, [rooms], rematch, periodic=periodic)
            n_joined += np.count_nonzero(expected.upper != expected.lower)
            for log in others:
                assert_same(log, expected)
                n_events += log.upper.size
    assert n_events > 500
    assert (n_joined > 100) == rematch


@pytest.mark.parametrize(("rematch", "n_events"), [(False, 18_334), (True, 19_236)])
def test_rounds_and_the_loop_agree_on_white_noise(logs, rematch, n_events):
    """Its long searches are left out while two V-paths that they found remain."""
    values = np.random.default_rng(48).standard_normal((48, 48, 48))
    expected, log = logs(values, [None], rematch)
    assert_same(log, expected)
    assert log.upper.size == n_events


def test_a_final_version_does_not_hide_a_later_one(logs):
    """With a window of 500, two final candidates wrote to a cell that a later one wrote to, too."""
    values = np.random.default_rng(1000).standard_normal((36, 36, 36))
    rooms = [replace(Rooms.of(30_000, values.size), window=window) for window in (500, 3000)]
    expected, *others = logs(values, rooms, rematch=True)
    for log in others:
        assert_same(log, expected)


def test_a_search_beyond_all_rooms_is_left_to_the_loop(logs):
    values = np.random.default_rng(0).integers(0, 40, (16, 16, 16))
    tiny = replace(PLENTY, small=128, large=128, huge=128)
    _, log = logs(values, [tiny])
    assert log is None


def test_a_device_without_memory_is_left_to_the_loop(logs, monkeypatch):
    def no_memory(*given):
        raise DeviceMemoryError("none")

    monkeypatch.setattr(rounds._Rounds, "__init__", no_memory)
    _, log = logs(np.random.default_rng(0).random((5, 5, 5)), [None])
    assert log is None


@pytest.mark.parametrize(
    ("shared_bytes", "threads"), [(227 << 10, 512), (99 << 10, 256), (64 << 10, 128), (8 << 10, 0)]
)
def test_blocks_are_as_large_as_shared_memory_allows(shared_bytes, threads):
    device = types.SimpleNamespace(
        resident_blocks=lambda kernel, threads, n_bytes: 2 * (n_bytes <= shared_bytes)
    )
    blocks = rounds.blocks_on(device, "cancel_grid_saddles_in_rounds")
    assert blocks.threads == threads
    assert (blocks.n > 0) == (threads > 0)


def test_segments_end_where_the_persistence_has_grown_by_a_quarter():
    random = np.random.default_rng(3)
    given = [np.zeros(4), np.array([5e-324] * 3), np.array([0.0, 0.0, 1.0, 1.2, 1.25, 9.0])]
    given += [np.sort(random.integers(0, 50, 40) * 0.125) for _ in range(20)]
    for persistence in given:
        ends, least = [], 0.0
        for i, p in enumerate(persistence):
            if p > 0 and p >= least:
                ends.append(i)
                least = 1.25 * p
        ends = [end for end in (*ends, persistence.size) if end]
        assert segment_ends(persistence).tolist() == ends


@pytest.mark.gpu
@pytest.mark.parametrize("n", [24, 48])
def test_a_gpu_keeps_the_log_of_the_cpu(cuda, n):
    z, y, x = np.mgrid[0 : 1 : n * 1j, 0 : 1 : n * 1j, 0 : 1 : n * 1j]
    noise = np.random.default_rng(n).standard_normal(x.shape)
    for values in (
        np.sin(9 * x) * np.cos(7 * y) * np.sin(5 * z) + 0.1 * noise,
        noise.astype(np.float32),
        (20 * noise).astype(np.int16),
    ):
        for periodic in ((False, False, False), (True, True, False)):
            for rematch in (False, True):
                expected, log = (
                    log_on(values, device, rematch, periodic=periodic) for device in ("cpu", cuda)
                )
                assert_same(log, expected)
