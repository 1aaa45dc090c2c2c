"""The log of saddle pairs in windows of any size, and heights of its search after each event."""

import ctypes
import subprocess
import sys

import numpy as np
import pytest

import separatrix as sx
from oracles.fields import noise_fields
from separatrix.device import host
from separatrix.kernels import compiler, source

HERE = __file__.rpartition("/")[0]
TASKS = ("cancel_grid_saddles", "take_saddle_log", "drop_saddle_log")
ALL = 1 << 16


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """checked_saddle_log.cpp as a library."""
    if sys.platform != "linux":
        pytest.skip("compiled on Linux alone")
    library = tmp_path_factory.mktemp("checked") / "checked.so"
    flags = ("-std=c++17", "-O0", "-shared", "-fPIC", "-pthread", f"-I{source.HEADERS}")
    file = f"{HERE}/checked_saddle_log.cpp"
    subprocess.run([*compiler.find_compiler(), *flags, "-o", str(library), file], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.take_checks.restype = ctypes.c_int64
    return loaded


@pytest.fixture
def log_of(checked, monkeypatch):
    """All columns of the log of an image, whose tasks run in the library that checks them."""
    plain = host.load_library()

    class Both:
        def __getattr__(self, name):
            return getattr(checked if name in TASKS else plain, name)

    monkeypatch.setattr(host, "load_library", Both)

    def log_of(values, rematch, *, threads=1, window=ALL, **options):
        checked.choose_windows(ctypes.c_int64(min(window, 2)), ctypes.c_int64(window))
        complex = sx.morse_smale(values, device="cpu", threads=threads, **options)
        complex.simplify(np.inf, rematch_saddles=rematch)
        log = complex._hierarchy(rematch)._log
        return log._replace(turned=np.sort(log.turned))

    return log_of


def fields():
    yield from noise_fields(6, 41, axes=(3,))
    for n_levels in (2, 9):
        yield np.random.default_rng(n_levels).integers(0, n_levels, (7, 6, 5))
    yield np.random.default_rng(3).random((60, 3, 3))  # pairs depend on their neighbors
    z, y, x = np.mgrid[0:1:10j, 0:1:10j, 0:1:10j]
    noise = np.random.default_rng(1).standard_normal(x.shape)
    yield np.sin(9 * x) * np.cos(7 * y) * np.sin(5 * z) + 0.3 * noise


@pytest.mark.parametrize("rematch", [False, True])
def test_heights_bound_all_paths_and_no_path_is_closed_after_any_event(checked, log_of, rematch):
    n_events = 0
    for values in fields():
        for options in ({}, {"periodic": (True, False, True)}):
            if options and min(values.shape) < 3:
                continue
            log = log_of(values, rematch, **options)
            assert checked.take_checks() == log.upper.size
            n_events += log.upper.size
    assert n_events > 300


@pytest.mark.parametrize("rematch", [False, True])
def test_the_log_does_not_depend_on_windows_and_threads(log_of, rematch):
    for values in fields():
        expected = log_of(values, rematch)
        for window, threads in ((1, 3), (2, 2), (7, 3), (64, 2), (ALL, 3)):
            found = log_of(values, rematch, threads=threads, window=window)
            for name, one, other in zip(expected._fields, found, expected, strict=True):
                np.testing.assert_array_equal(one, other, err_msg=f"{name}, {window}, {threads}")


def chain_of(n):
    """The graph of kernels/simplicial/path_cancellation.h in which each path ends in the last one.

    Without events, V-paths lead only from square 0 to edges 0 and 1, and from square i to edges
    i - 1 and i + 1. The only one from square i to edge i arises from the event before, and passes
    through all squares before.
    """
    edges = [(0, 1), *((i - 1, i + 1) for i in range(1, n))]
    below = np.array([(n + a, n + b, -1) for a, b in edges], np.int32)
    squares_at = [[i for i in range(n) if edge in edges[i]] for edge in range(n + 1)]
    offsets = np.cumsum([0] * (n + 1) + [len(squares) for squares in squares_at], dtype=np.int64)
    above = np.concatenate(squares_at).astype(np.int32)
    unpaired = [np.full(size, -1, np.int32) for size in (n, 2 * n + 1, n)]
    own_edge, square_at, edge_at = unpaired
    heights = np.zeros(2 * n + 1, np.int32)
    return 3, below.reshape(-1), offsets, above, own_edge, n, square_at, edge_at, heights


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_each_pair_of_a_chain_waits_for_the_one_before(threads):
    n, device, sizes = 400, host.HostDevice(threads), np.zeros(3, np.int64)
    cells = np.arange(n), np.arange(n, 2 * n)
    ordinals = [np.arange(n, dtype=np.uint32) for _ in range(2)]
    persistence, nothing = np.zeros(n), np.zeros(0)
    pairs = (*cells, n, *ordinals, persistence, nothing, nothing)
    log = device.run("cancel_path_saddles", *chain_of(n), *pairs, 0, threads, sizes)
    upper, lower, n_turns = (np.empty(n, np.int32) for _ in range(3))
    turned = np.empty(sizes[1], np.uint64)
    tries = (np.empty(0, np.int32), np.empty(0, np.uint32), np.empty(0, np.uint8))
    assert sizes.tolist() == [n, n * (n + 1) // 2, 0]
    device.run("take_saddle_log", log, upper, lower, n_turns, turned, *tries)
    assert upper.tolist() == lower.tolist() == list(range(n))
    assert n_turns.tolist() == list(range(1, n + 1))
    events = turned >> np.uint64(3) & np.uint64(2**28 - 1)
    assert np.bincount(events.astype(np.int64))[1:].tolist() == list(range(1, n + 1))
