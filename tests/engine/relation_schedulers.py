"""A small mesh, its machine, and tests of both that fail where they would hang."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache, wraps
from threading import Barrier, Thread

import numpy as np

import separatrix as sx
from oracles.meshes import split_grid
from separatrix.relations.packets import worker_for
from separatrix.relations.rows import Key, Rows
from separatrix.relations.scheduler import RelationScheduler
from separatrix.relations.workers import Slab

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
        self.before, self.inner = before, worker_for(mesh()._layout, 1)

    def make(self, key: Key, segments: Sequence[int]) -> Slab:
        self.before(key, segments)
        return self.inner.make(key, segments)


def patched(
    before: Callable[[Key, Sequence[int]], None], *, lead: bool = True, **options: object
) -> RelationScheduler:
    machine = mesh().scheduler(**options)
    machine._dispatcher._new_worker = lambda: PatchedMaker(before)
    machine._dispatcher._consumers_lead = lead
    return machine


def n_workers_alive() -> int:
    return sum(t.name.startswith(("mesh-worker", "mesh-stream")) for t in threading.enumerate())
