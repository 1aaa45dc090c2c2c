"""How machines and streams of a mesh end, whoever leaves them and wherever they are collected."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Sequence
from threading import Event

import pytest

import separatrix as sx
from engine.relation_schedulers import (
    LIMIT_SECONDS,
    PatchedMaker,
    mesh,
    n_workers_alive,
    within_limit,
)
from separatrix.relations import stream as stream_module
from separatrix.relations.dispatch import Dispatcher
from separatrix.relations.rows import Key

pytestmark = pytest.mark.usefixtures("no_thread_is_left")


@within_limit
def test_a_machine_that_nobody_has_any_more_ends_its_workers():
    machine = mesh().scheduler(workers=2)
    machine.relation("VV").segment(3)
    assert n_workers_alive() == 2
    del machine  # the fixture sees to it that they end


@within_limit
def test_a_machine_may_be_collected_by_a_worker_that_holds_the_lock(monkeypatch, collected_late):
    machine = mesh().scheduler(workers=2)
    machine.relation("VV").segment(3)
    dispatcher, walk = machine._dispatcher, Dispatcher._walk
    monkeypatch.setattr(Dispatcher, "_walk", lambda own: (gc.collect(), walk(own))[1])
    cycle = [machine]
    cycle.append(cycle)
    del cycle, machine
    with dispatcher._lock:
        dispatcher._work.notify_all()
    assert dispatcher.join(LIMIT_SECONDS / 4)
    assert dispatcher.is_stopped


@within_limit
def test_a_stream_may_be_collected_by_a_lane_of_its_own(monkeypatch, collected_late):
    errors, is_dropped = [], Event()

    def collects(key: Key, segments: Sequence[int]) -> None:
        if segments[0] > 0:
            is_dropped.wait()
            gc.collect()

    monkeypatch.setattr(stream_module, "worker_for", lambda layout, threads: PatchedMaker(collects))
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    stream = mesh().stream("VV", batch_bytes=5_000)
    next(stream)
    cycle = [stream]
    cycle.append(cycle)
    del cycle, stream
    is_dropped.set()
    end = time.monotonic() + LIMIT_SECONDS / 4
    while n_workers_alive() and time.monotonic() < end:
        time.sleep(0.001)
    assert n_workers_alive() == 0
    assert not errors


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

    monkeypatch.setattr(stream_module, "worker_for", lambda layout, threads: PatchedMaker(fails))
    with pytest.raises(MemoryError, match="no room"):
        for _ in mesh().stream("VV", batch_bytes=5_000):
            pass


@within_limit
def test_what_a_machine_and_a_stream_can_not_do_is_said():
    for name in ("workers", "memory_limit"):
        with pytest.raises(sx.InputError, match=f"{name} must be a positive integer; got"):
            mesh().scheduler(**{name: 0})
    with pytest.raises(sx.InputError, match="prefetch must be a non-negative integer; got -1"):
        mesh().scheduler(prefetch=-1)
    with mesh().scheduler() as machine:
        with pytest.raises(sx.InputError, match="name must be one of"):
            machine.relation("VX")
        with pytest.raises(sx.InputError, match="ids must be one of user, mesh"):
            machine.relation("VV", ids="global")
        with pytest.raises(sx.InputError, match="k must be an integer from 0 to"):
            machine.relation("VV").segment(10_000)
        relation = machine.relation("VV")
    with pytest.raises(sx.InputError, match="The scheduler is closed"):
        relation.segment(0)
    with pytest.raises(sx.InputError, match="at least one relation"):
        mesh().stream()
    largest = int(mesh()._layout.n_bytes("FF").max())
    with pytest.raises(sx.DeviceMemoryError, match=rf"A stream of FF needs {3 * largest:,} byte"):
        mesh().stream("FF", memory_limit=3 * largest - 1)
