"""A stream yields the rows of relations in batches, from a mesh on the device or in packets."""

import gc
import sys
import threading
import time
from itertools import pairwise
from threading import Event

import numpy as np
import pytest

import separatrix as sx
from oracles.meshes import SPECIAL, Mesh, delaunay, random_cells, split_grid
from separatrix.relations import stream as stream_module
from separatrix.relations.compute import segment_bytes
from separatrix.relations.resident import worker_for
from separatrix.relations.rows import RELATIONS, Key, Rows
from separatrix.relations.workers import PacketWorker

SECONDS = 60.0  # a longer wait is a deadlock
MESHES = {
    **SPECIAL,
    **{f"random {seed}": random_cells(seed) for seed in range(4)},
    **{f"random triangles {seed}": random_cells(seed, n_corners=3) for seed in range(3)},
    "Delaunay": delaunay(1, 60),
}
GRID = split_grid((9, 9, 9), seed=2)


def resident(mesh: Mesh, device: str = "cpu", **options) -> sx.TetMesh | sx.TriangleMesh:
    kind = sx.TetMesh if mesh.cells.shape[1] == 4 else sx.TriangleMesh
    return kind(mesh.points, mesh.cells, device=device, **options)


def on_host(mesh: Mesh, device: str = "cpu", **options) -> sx.TetMesh | sx.TriangleMesh:
    """A mesh on the host, which is processed on the device in packets."""
    made = resident(mesh, device, memory_limit=1, **options)
    made.session.memory.limit = None
    if made.session.pieces is None and not made.session.device.is_cuda:
        made.session.stream_from_host()  # a mesh of nothing fits in a byte
    return made


def names_of(mesh: sx.TetMesh | sx.TriangleMesh) -> list[str]:
    return [name for name in RELATIONS if mesh.dimension == 3 or "T" not in name]


def is_same(found: Rows, expected: Rows) -> bool:
    """Whether all arrays have the same bits and dtypes."""
    pairs = [
        (getattr(found, part), getattr(expected, part)) for part in ("ids", "items", "offsets")
    ]
    return found.width == expected.width and all(
        (a is None and b is None)
        or (a.dtype == b.dtype and np.array_equal(sx.to_host(a), sx.to_host(b)))
        for a, b in pairs
    )


@pytest.fixture
def grid():
    return resident(GRID, segment_size=8, threads=2)


@pytest.fixture
def before_launches(monkeypatch):
    """A function that sets what the workers of later streams do first."""

    def set_task(before):
        class Patched:
            def __init__(self, incidence, threads):
                self.inner = worker_for(incidence, threads)

            def make(self, key, begin, end):
                before(begin)
                return self.inner.make(key, begin, end)

        monkeypatch.setattr(stream_module, "worker_for", Patched)

    return set_task


def n_threads_alive() -> int:
    return sum(t.name.startswith("mesh-stream") for t in threading.enumerate())


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    gc.collect()
    end = time.monotonic() + 10
    while n_threads_alive() and time.monotonic() < end:
        time.sleep(0.005)
    assert n_threads_alive() == 0


@pytest.mark.parametrize("where", [resident, on_host])
@pytest.mark.parametrize("name", MESHES)
def test_a_stream_yields_every_row_once_and_in_order(name, where, device):
    mesh = resident(MESHES[name], device, segment_size=3)
    names, n = names_of(mesh), len(mesh.segments)
    streamed = where(MESHES[name], device, segment_size=3)
    found = list(streamed.stream(*names, batch_bytes=20_000, ids="mesh"))
    ends = [0, *(batch.end for batch in found)]
    assert [batch.begin for batch in found] == ends[:-1]
    assert ends[-1] == n
    for relation in names:
        whole = mesh.relation(relation, ids="mesh").segment(0, n)
        for part in ("ids", "items"):
            parts = [sx.to_host(getattr(batch[relation], part)) for batch in found]
            joined = np.concatenate([np.zeros(0, np.int32), *parts])
            np.testing.assert_array_equal(joined, sx.to_host(getattr(whole, part)))


@pytest.mark.parametrize("where", [resident, on_host])
@pytest.mark.parametrize("name", MESHES)
def test_rows_by_segment_and_by_id_are_those_of_the_whole_relation(name, where, device):
    mesh, rng = where(MESHES[name], device, segment_size=3), np.random.default_rng(0)
    for relation in names_of(mesh):
        for ids in ("user", "mesh"):
            rows = mesh.relation(relation, ids=ids)
            whole, n = rows.segment(0, rows.n_segments), rows.n_segments
            parts = [rows.segment(k) for k in range(n)]
            for part in ("ids", "items"):
                found = [sx.to_host(getattr(of, part)) for of in parts]
                joined = np.concatenate([np.zeros(0, np.int32), *found])
                np.testing.assert_array_equal(joined, sx.to_host(getattr(whole, part)))
            assert len(rows.segment(0, 0)) == 0
            if not len(rows):
                continue
            some = rows[rng.integers(0, len(rows), 5)]
            for i, one in enumerate(sx.to_host(some.ids).tolist()):
                np.testing.assert_array_equal(*(sx.to_host(r) for r in (some[i], rows[one])))


@pytest.mark.parametrize("where", [resident, on_host])
def test_a_stream_has_no_rows_of_dropped_cells(where, device):
    mesh = delaunay(3, 30)
    repeated = Mesh(mesh.points, np.concatenate([mesh.cells, mesh.cells[:3]]))
    made = where(repeated, device, on_duplicates="drop", segment_size=5)
    ids = np.concatenate([sx.to_host(b["TV"].ids) for b in made.stream("TV", batch_bytes=999)])
    assert sorted(ids.tolist()) == list(range(len(mesh.cells)))
    assert made.relation("TT")[len(mesh.cells) + 2].tolist() == [-1] * 4


@pytest.mark.parametrize("where", [resident, on_host])
def test_rows_of_no_simplices_are_a_table_if_the_relation_is_one(where, device):
    mesh = where(delaunay(3, 30), device, segment_size=1)
    batches = list(mesh.stream("TV", "FT", "VT", batch_bytes=1))
    assert any(len(batch["TV"]) == 0 for batch in batches)
    for batch in batches:
        assert batch["tv"].table.shape == (len(batch["TV"]), 4)
        assert batch["FT"].table.shape == (len(batch["FT"]), 2)
    assert mesh.relation("TE")[[]].table.shape == (0, 6)
    assert where(SPECIAL["no cells"], device).relation("TT").to_table().shape == (0, 4)
    with pytest.raises(TypeError, match="differ in length"):
        _ = mesh.relation("VT")[[]].table
    with pytest.raises(KeyError, match="VV; this stream has TV, FT, VT"):
        _ = batches[0]["VV"]


def test_the_segment_size_changes_no_bit(device):
    mesh = delaunay(5, 120)
    wanted = resident(mesh, device).relation("VT")
    ids = np.random.default_rng(1).permutation(120)
    for size in (1, 7, 50, 1000):
        found = resident(mesh, device, segment_size=size).relation("VT")
        assert is_same(found[ids], wanted[ids])


def test_a_stream_stays_in_its_memory_limit_and_reports_its_progress(grid):
    limit = int(segment_bytes(grid.incidence, "VT").sum()) // 4
    found = [batch["VT"] for batch in grid.stream("VT", memory_limit=limit)]
    assert len(found) >= 4
    assert 2 * max(r.ids.nbytes + r.items.nbytes + r.offsets.nbytes for r in found) <= limit
    limited = resident(GRID, segment_size=8, threads=2, memory_limit=limit)
    assert all(
        is_same(one["VT"], other) for one, other in zip(limited.stream("VT"), found, strict=True)
    )
    heard = []
    for batch in grid.stream("VT", batch_bytes=10_000, progress=lambda f, s: heard.append((f, s))):
        assert len(batch["VT"])
    assert heard[0] == (0.0, "layout")
    parts = [part for part, stage in heard if stage == "stream"]
    assert (parts[0], parts[-1]) == (0.0, 1.0)
    assert all(a <= b for a, b in pairwise(parts))


def test_a_stream_that_is_left_early_or_fails_ends_its_threads(grid, before_launches):
    stream = grid.stream("VV", batch_bytes=5_000)
    assert next(stream).begin == 0
    stream.close()

    def stop(part, stage):
        if part > 0.3:
            raise sx.Canceled

    with pytest.raises(sx.Canceled):
        list(grid.stream("VV", batch_bytes=5_000, progress=stop))

    def fail(begin):
        if begin > 20:
            raise MemoryError("no room")

    before_launches(fail)
    with pytest.raises(MemoryError, match="no room"):
        list(grid.stream("VV", batch_bytes=5_000))


def test_a_stream_can_be_collected_in_one_of_its_threads(grid, before_launches, monkeypatch):
    errors, is_dropped = [], Event()

    def collect(begin):
        if begin > 0:
            is_dropped.wait(SECONDS)
            gc.collect()

    before_launches(collect)
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    gc.disable()
    try:
        stream = grid.stream("VV", batch_bytes=5_000)
        next(stream)
        cycle = [stream]
        cycle.append(cycle)
        del cycle, stream
        is_dropped.set()
        end = time.monotonic() + SECONDS / 4
        while n_threads_alive() and time.monotonic() < end:
            time.sleep(0.001)
        assert n_threads_alive() == 0
    finally:
        gc.enable()
    assert not errors


def test_a_packet_that_runs_out_of_memory_does_not_affect_the_next(monkeypatch):
    worker = PacketWorker(on_host(delaunay(1, 60), segment_size=3).incidence, 1)
    wanted = worker.make(Key("VT", False), 1, 2)
    run = worker._host.run

    def out_of_memory(task, *arguments):
        assert task == "collect_packet_cells"
        local_of, is_seen = arguments[-3:-1]
        local_of[:], is_seen[:] = 0, 0xFFFFFFFF
        monkeypatch.setattr(worker._host, "run", run)
        raise MemoryError("no room")

    monkeypatch.setattr(worker._host, "run", out_of_memory)
    with pytest.raises(MemoryError):
        worker.make(Key("VT", False), 1, 2)
    assert is_same(worker.make(Key("VT", False), 1, 2), wanted)


def test_invalid_arguments_are_rejected(grid):
    with pytest.raises(sx.InputError, match="name must be one of"):
        grid.stream("VX")
    with pytest.raises(sx.InputError, match="ids must be one of user, mesh"):
        grid.stream("VV", ids="global")
    with pytest.raises(sx.InputError, match="k must be an integer from 0 to"):
        grid.relation("VV").segment(10_000)
    with pytest.raises(sx.InputError, match="at least one relation"):
        grid.stream()
    largest = int(segment_bytes(grid.incidence, "FF").max())
    with pytest.raises(
        sx.DeviceMemoryError, match=rf"A stream of FF requires {3 * largest:,} byte"
    ):
        grid.stream("FF", memory_limit=3 * largest - 1)
