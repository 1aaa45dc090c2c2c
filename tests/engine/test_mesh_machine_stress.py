"""The machine under many consumers: no deadlock, no lost wake-up, a clean end whatever happens.

Every test runs within a time limit of its own, so that a deadlock fails instead of hanging.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache, wraps
from threading import Barrier, Event, Thread

import numpy as np
import pytest

import separatrix as sx
from oracles.meshes import split_grid
from separatrix.mesh.machine.choice import maker_for
from separatrix.mesh.machine.machine import Machine
from separatrix.mesh.machine.makers import Key, Slab
from separatrix.mesh.rows import Rows

LIMIT_SECONDS = 60.0


def within_limit(test: Callable[..., None]) -> Callable[..., None]:
    """The test in a thread that is given up after the limit."""

    @wraps(test)
    def limited(*arguments: object, **options: object) -> None:
        raised: list[BaseException] = []

        def body() -> None:
            try:
                test(*arguments, **options)
            except BaseException as error:
                raised.append(error)

        thread = Thread(target=body, daemon=True)
        thread.start()
        thread.join(LIMIT_SECONDS)
        assert not thread.is_alive(), f"not done in {LIMIT_SECONDS} s: a deadlock"
        if raised:
            raise raised[0]

    return limited


def together(n: int, body: Callable[[int], object]) -> list[object]:
    """Results, or errors, of n threads that begin at once."""
    found: list[object] = [None] * n
    start = Barrier(n)

    def one(i: int) -> None:
        start.wait()
        try:
            found[i] = body(i)
        except Exception as error:
            found[i] = error

    threads = [Thread(target=one, args=(i,), daemon=True) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@cache
def mesh() -> sx.TetMesh:
    grid = split_grid((9, 9, 9), seed=2)
    return sx.TetMesh(grid.points, grid.cells, segment_size=8, device="cpu", threads=2)


@cache
def wanted(name: str) -> list[Rows]:
    relation = mesh().relation(name)
    return [relation.segment(k) for k in range(relation.n_segments)]


def is_same(a: Rows, b: Rows) -> bool:
    return all(
        np.array_equal(getattr(a, part), getattr(b, part)) for part in ("ids", "items", "offsets")
    )


class PatchedMaker:
    """A maker that first does something else."""

    def __init__(self, before: Callable[[Key, Sequence[int]], None]):
        self.before, self.inner = before, maker_for(mesh()._layout, 1)

    def make(self, key: Key, segments: Sequence[int]) -> Slab:
        self.before(key, segments)
        return self.inner.make(key, segments)


def patched(
    before: Callable[[Key, Sequence[int]], None], *, lead: bool = True, **options: object
) -> Machine:
    machine = mesh().machine(**options)
    machine._dispatcher._maker_of = lambda: PatchedMaker(before)
    machine._dispatcher._consumers_lead = lead
    return machine


def n_workers_alive() -> int:
    return sum(t.name.startswith(("mesh-worker", "mesh-stream")) for t in threading.enumerate())


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    gc.collect()
    end = time.monotonic() + 10
    while n_workers_alive() and time.monotonic() < end:
        time.sleep(0.005)
    assert n_workers_alive() == 0


@pytest.mark.parametrize("lead", [True, False])
@pytest.mark.parametrize("n_segments", [3, 40])
@within_limit
def test_many_consumers_on_random_walks_get_the_right_rows_from_a_tiny_cache(n_segments, lead):
    names = ("VV", "VT", "EF", "TT")
    largest = max(int(mesh()._layout.n_bytes(name).max()) for name in names)
    rows = {name: wanted(name) for name in names}
    machine = mesh().machine(memory_limit=n_segments * largest, workers=3)
    machine._dispatcher._consumers_lead = lead
    relations = {name: machine.relation(name) for name in names}
    n = relations["VV"].n_segments

    def walk(seed: int) -> int:
        rng = np.random.default_rng(seed)
        k, wrong = int(rng.integers(n)), 0
        for _ in range(25):
            name = names[int(rng.integers(len(names)))]
            wrong += not is_same(relations[name].segment(k), rows[name][k])
            if rng.random() < 0.2:
                ids = rng.integers(0, 729, 5)
                found = relations["VT"][ids]
                wrong += found.offsets[-1] != found.items.size
            k = int(rng.integers(n)) if rng.random() < 0.2 else (k + int(rng.integers(-2, 4))) % n
        return wrong

    with machine:
        assert together(64, walk) == [0] * 64
        assert machine.n_cached_bytes <= n_segments * largest
        counters = sum(machine.counters.values(), start=type(machine.counters["VV"])())
    assert counters.requests == counters.hits + counters.joins + counters.pushed
    assert counters.requests >= 64 * 25


@within_limit
def test_many_consumers_that_sweep_make_each_segment_once():
    machine = mesh().machine()
    relation, n = machine.relation("VT"), len(mesh().segments)
    with machine:
        found = together(
            32, lambda i: all(is_same(relation.segment(k), wanted("VT")[k]) for k in range(n))
        )
        assert found == [True] * 32
        assert machine.counters["VT"].made == n


@pytest.mark.parametrize("lead", [True, False])
@within_limit
def test_equal_requests_join_one_future(lead):
    def slowly(key: Key, segments: Sequence[int]) -> None:
        time.sleep(0.2)

    with patched(slowly, lead=lead, walks=False) as machine:
        relation = machine.relation("VV")
        found = together(16, lambda i: relation.segment(5))
        assert all(is_same(rows, wanted("VV")[5]) for rows in found)
        counters = machine.counters["VV"]
    assert (counters.made, counters.pushed, counters.joins) == (1, 1, 15)


@within_limit
def test_what_is_asked_for_comes_before_what_is_made_ahead():
    made: list[int] = []
    go = Event()

    def log(key: Key, segments: Sequence[int]) -> None:
        go.wait()
        made.extend(segments)

    with patched(log, lead=False, workers=1, prefetch=4, walks=True) as machine:
        relation = machine.relation("VV")
        first = Thread(target=relation.segment, args=(50,), daemon=True)
        first.start()
        while not made and not machine._dispatcher.queues[Key("VV", False)].flights:
            time.sleep(0.001)
        others = [Thread(target=relation.segment, args=(k,), daemon=True) for k in (90, 10)]
        for thread in others:
            thread.start()
        while machine.counters["VV"].pushed < 3:
            time.sleep(0.001)
        go.set()
        for thread in [first, *others]:
            thread.join()
        assert machine.wait_idle(20.0)
    assert set(made[:3]) == {50, 10, 90}
    assert len(made) > 3


@pytest.mark.parametrize("lead", [True, False])
@within_limit
def test_a_worker_that_fails_gives_everybody_its_error(lead):
    n_made = 0

    def fails_in_time(key: Key, segments: Sequence[int]) -> None:
        nonlocal n_made
        n_made += 1
        if n_made > 20:
            raise sx.DeviceMemoryError("no room for this")

    machine = patched(fails_in_time, lead=lead, workers=2, memory_limit=20_000)
    relation = machine.relation("VT")

    def walk(seed: int) -> None:
        rng = np.random.default_rng(seed)
        while True:
            relation.segment(int(rng.integers(relation.n_segments)))

    found = together(24, walk)
    assert [type(error) for error in found] == [sx.DeviceMemoryError] * 24
    assert {str(error) for error in found} == {"no room for this"}
    with pytest.raises(sx.DeviceMemoryError, match="no room for this"):
        relation.segment(0)
    assert machine.is_stopped
    assert machine.n_cached_bytes == 0
    machine.close()
    with mesh().machine() as another:  # the mesh is none the worse
        assert is_same(another.relation("VT").segment(0), wanted("VT")[0])


@pytest.mark.parametrize("lead", [True, False])
@within_limit
def test_cancel_wakes_everybody(lead):
    blocked = Event()

    def blocks(key: Key, segments: Sequence[int]) -> None:
        blocked.wait()

    machine = patched(blocks, lead=lead, workers=2)
    relation = machine.relation("VV")
    timer = threading.Timer(0.2, machine.cancel)
    release = threading.Timer(0.4, blocked.set)  # kernels end in their own time
    timer.start()
    release.start()
    found = together(32, lambda i: relation.segment(i % 7))
    assert [type(error) for error in found] == [sx.Cancelled] * 32
    with pytest.raises(sx.Cancelled, match="cancelled"):
        relation.segment(1)
    machine.close()


@within_limit
def test_holders_hold_their_segments_and_no_more_than_was_said():
    largest = int(mesh()._layout.n_bytes("VT").max())
    with mesh().machine(holders=16, prefetch=0, memory_limit=16 * largest) as machine:
        relation = machine.relation("VT")
        all_hold, n = Barrier(16), relation.n_segments

        def hold(i: int) -> bool:
            with machine.hold("VT", i) as rows:
                all_hold.wait()
                for k in range(i, n, 16):
                    relation.segment(k)
                all_hold.wait()
                return rows is machine._dispatcher.cache.peek((Key("VT", False), i)).rows

        assert together(16, hold) == [True] * 16
        with machine.hold("VT", 0), machine.hold("VT", 0):
            pass
        entry = machine._dispatcher.cache.peek((Key("VT", False), 0))
        assert entry is None or entry.holders == 0


@within_limit
def test_a_limit_that_holders_could_wait_in_for_ever_is_refused_with_the_figure():
    largest = int(mesh()._layout.n_bytes("VT").max())
    needed = 8 * (1 + 4) * largest
    with mesh().machine(holders=8, prefetch=4, memory_limit=needed - 1) as machine:
        with pytest.raises(sx.DeviceMemoryError) as refused:
            machine.relation("VT")
        assert f"needs a memory_limit of {needed:,} bytes, not {needed - 1:,}" in str(refused.value)
        assert f"8 holders of 5 segments of up to {largest:,} bytes each" in str(refused.value)
    with mesh().machine(holders=8, prefetch=4, memory_limit=needed) as machine:
        machine.relation("VT")
    machine = mesh().machine(memory_limit=largest - 1)
    with pytest.raises(sx.DeviceMemoryError, match=f"needs a memory_limit of {largest:,}"):
        machine.relation("VT")
    machine = mesh().machine(holders=1)
    too_many = pytest.raises(sx.InputError, match=r"1 segments are held and .* holders=1")
    with machine, machine.hold("VV", 0), too_many, machine.hold("VV", 1):
        pass


@within_limit
def test_a_machine_that_nobody_has_any_more_ends_its_workers():
    machine = mesh().machine(workers=2)
    machine.relation("VV").segment(3)
    assert n_workers_alive() == 2
    del machine  # the fixture sees to it that they end


@within_limit
def test_a_stream_that_is_left_early_or_fails_ends_its_threads(monkeypatch):
    stream = mesh().stream("VV", batch_bytes=5_000)
    assert next(stream).begin == 0
    stream.close()

    def stop(part: float, stage: str) -> None:
        if part > 0.3:
            raise sx.Cancelled

    with pytest.raises(sx.Cancelled):
        for _ in mesh().stream("VV", batch_bytes=5_000, progress=stop):
            pass

    def fails(key: Key, segments: Sequence[int]) -> None:
        if segments[0] > 20:
            raise MemoryError("no room")

    from separatrix.mesh.machine import stream as module

    monkeypatch.setattr(module, "maker_for", lambda layout, threads: PatchedMaker(fails))
    with pytest.raises(MemoryError, match="no room"):
        for _ in mesh().stream("VV", batch_bytes=5_000):
            pass


@within_limit
def test_what_a_machine_and_a_stream_can_not_do_is_said():
    for name in ("workers", "memory_limit"):
        with pytest.raises(sx.InputError, match=f"{name} must be a whole number of at least 1"):
            mesh().machine(**{name: 0})
    with pytest.raises(
        sx.InputError, match="prefetch must be a whole number of at least 0, not -1"
    ):
        mesh().machine(prefetch=-1)
    with mesh().machine() as machine:
        with pytest.raises(sx.InputError, match="a relation is one of"):
            machine.relation("VX")
        with pytest.raises(sx.InputError, match="ids must be 'user' or 'mesh'"):
            machine.relation("VV", ids="global")
        with pytest.raises(sx.InputError, match="segments are 0 to"):
            machine.relation("VV").segment(10_000)
        relation = machine.relation("VV")
    with pytest.raises(sx.InputError, match="the machine is closed"):
        relation.segment(0)
    with pytest.raises(sx.InputError, match="at least one relation"):
        mesh().stream()
    largest = int(mesh()._layout.n_bytes("FF").max())
    with pytest.raises(
        sx.DeviceMemoryError, match=rf"a stream of FF needs .* {3 * largest:,} byte"
    ):
        mesh().stream("FF", memory_limit=3 * largest - 1)
