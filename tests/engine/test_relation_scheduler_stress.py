"""The machine under many consumers: no deadlock, no lost wake-up, errors for all who wait.

Every test runs within a time limit of its own, so that a deadlock fails instead of hanging.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from threading import Barrier, Event, Thread

import numpy as np
import pytest

import separatrix as sx
from engine.relation_schedulers import (
    is_same,
    mesh,
    patched,
    together,
    wanted,
    within_limit,
)
from separatrix.relations.rows import Key

pytestmark = pytest.mark.usefixtures("no_thread_is_left")


@pytest.mark.parametrize("lead", [True, False])
@pytest.mark.parametrize("n_segments", [3, 40])
@within_limit
def test_many_consumers_on_random_walks_get_the_right_rows_from_a_tiny_cache(n_segments, lead):
    names = ("VV", "VT", "EF", "TT")
    largest = max(int(mesh()._layout.n_bytes(name).max()) for name in names)
    rows = {name: wanted(name) for name in names}
    machine = mesh().scheduler(memory_limit=n_segments * largest, workers=3)
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
    machine = mesh().scheduler()
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
    with mesh().scheduler() as another:  # the mesh is none the worse
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
    with pytest.raises(sx.Cancelled, match="canceled"):
        relation.segment(1)
    machine.close()


@within_limit
def test_one_who_is_interrupted_leaves_what_was_asked_for_to_the_workers():
    interrupts = iter([KeyboardInterrupt()])
    asking = threading.current_thread()

    def interrupted(key: Key, segments: Sequence[int]) -> None:
        if threading.current_thread() is asking and (error := next(interrupts, None)):
            raise error

    with patched(interrupted, workers=1, holders=1) as machine:
        with pytest.raises(KeyboardInterrupt), machine.hold("VV", 2):
            pass
        assert len(machine.relation("VV").segment(2))
        with machine.hold("VV", 3) as held:
            assert len(held)
        assert not machine.is_stopped
        entries = [machine._dispatcher.cache.peek((Key("VV", False), k)) for k in (2, 3)]
        assert [entry and entry.holders for entry in entries] == [0, 0]


@within_limit
def test_holders_hold_their_segments_and_no_more_than_was_said():
    largest = int(mesh()._layout.n_bytes("VT").max())
    with mesh().scheduler(holders=16, prefetch=0, memory_limit=16 * largest) as machine:
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
    with mesh().scheduler(holders=8, prefetch=4, memory_limit=needed - 1) as machine:
        with pytest.raises(sx.DeviceMemoryError) as refused:
            machine.relation("VT")
        assert f"needs {needed:,} bytes; memory_limit allows {needed - 1:,}" in str(refused.value)
        assert f"8 holders of 5 segments of up to {largest:,} bytes each" in str(refused.value)
    with mesh().scheduler(holders=8, prefetch=4, memory_limit=needed) as machine:
        machine.relation("VT")
    machine = mesh().scheduler(memory_limit=largest - 1)
    with pytest.raises(sx.DeviceMemoryError, match=f"needs {largest:,} bytes; memory_limit"):
        machine.relation("VT")
    machine = mesh().scheduler(holders=1)
    too_many = pytest.raises(sx.InputError, match=r"The scheduler holds 1 segments, .* holders=1")
    with machine, machine.hold("VV", 0), too_many, machine.hold("VV", 1):
        pass
