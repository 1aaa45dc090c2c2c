"""The scheduler and the stream of a mesh return the rows of its relations to any consumer."""

import gc
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from threading import Event, Thread, current_thread

import numpy as np
import pytest

import separatrix as sx
from oracles.meshes import SPECIAL, Mesh, delaunay, random_cells, split_grid
from separatrix.relations import scheduler as scheduler_module
from separatrix.relations import stream as stream_module
from separatrix.relations.compute import segment_bytes
from separatrix.relations.rows import RELATIONS, Key, Rows
from separatrix.relations.workers import PacketWorker, worker_for

SECONDS = 60.0  # maximum duration of a test; a longer wait is a deadlock
MESHES = {
    **SPECIAL,
    **{f"random {seed}": random_cells(seed) for seed in range(4)},
    **{f"random triangles {seed}": random_cells(seed, n_corners=3) for seed in range(3)},
    "Delaunay": delaunay(1, 60),
}
GRID = split_grid((9, 9, 9), seed=2)
NAMES = ("VV", "VT", "EF", "TT")


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


@pytest.fixture(scope="module")
def expected():
    """By name: the rows of each segment of the grid."""
    mesh = resident(GRID, segment_size=8)
    return {
        name: [mesh.relation(name).segment(k) for k in range(len(mesh.segments))] for name in NAMES
    }


@pytest.fixture
def before_launches(monkeypatch):
    """A function that sets what the workers of later schedulers and streams do first."""

    def set_task(before):
        class Patched:
            def __init__(self, incidence, threads):
                self.inner = worker_for(incidence, threads)

            def make(self, key, runs):
                before([k for run in runs for k in range(*run)])
                return self.inner.make(key, runs)

        for module in (scheduler_module, stream_module):
            monkeypatch.setattr(module, "worker_for", Patched)

    return set_task


def n_threads_alive() -> int:
    return sum(t.name.startswith(("mesh-worker", "mesh-stream")) for t in threading.enumerate())


@pytest.fixture(autouse=True)
def no_thread_is_left():
    yield
    gc.collect()
    end = time.monotonic() + 10
    while n_threads_alive() and time.monotonic() < end:
        time.sleep(0.005)
    assert n_threads_alive() == 0


def together(n: int, body: Callable[[int], object]) -> list[object]:
    """Results, or errors, of n threads that begin at once. Fails at a deadlock."""
    found: list[object] = [None] * n
    start = threading.Barrier(n)

    def one(i: int) -> None:
        start.wait()
        try:
            found[i] = body(i)
        except Exception as error:
            found[i] = error

    threads = [Thread(target=one, args=(i,), daemon=True) for i in range(n)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + SECONDS
    for thread in threads:
        thread.join(end - time.monotonic())
        assert not thread.is_alive(), "a deadlock"
    return found


# === the same rows


@pytest.mark.parametrize("where", [resident, on_host])
@pytest.mark.parametrize("name", MESHES)
def test_scheduled_rows_are_those_of_the_relation(name, where, device):
    mesh = resident(MESHES[name], device, segment_size=3)
    rng = np.random.default_rng(0)
    with where(MESHES[name], device, segment_size=3).scheduler(memory_limit=1 << 16) as scheduler:
        for relation in names_of(mesh):
            for ids in ("user", "mesh"):
                wanted = mesh.relation(relation, ids=ids)
                found = scheduler.relation(relation, ids=ids)
                n = wanted.n_segments
                for k in rng.permutation(n).tolist():
                    assert is_same(found.segment(k), wanted.segment(k))
                assert is_same(found.segment(0, 0), wanted.segment(0, 0))
                assert is_same(found.segment(n // 3, n), wanted.segment(n // 3, n))
                if len(wanted):
                    some = rng.integers(0, len(wanted), 12)
                    assert is_same(found[some], wanted[some])
                    np.testing.assert_array_equal(
                        *(sx.to_host(r[some[0]]) for r in (found, wanted))
                    )


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
def test_dropped_cells_have_empty_rows(where, device):
    mesh = delaunay(3, 30)
    repeated = Mesh(mesh.points, np.concatenate([mesh.cells, mesh.cells[:3]]))
    options = {"on_duplicates": "drop", "segment_size": 5}
    ids = np.array([0, len(mesh.cells) + 2, 4])
    with where(repeated, device, **options).scheduler() as scheduler:
        for relation in ("TV", "TT", "TE", "FT"):
            wanted = resident(repeated, device, **options).relation(relation)[ids]
            assert is_same(scheduler.relation(relation)[ids], wanted)


def test_segment_size_workers_and_limits_change_no_bit(device):
    mesh = delaunay(5, 120)
    wanted = resident(mesh, device).relation("VT")
    ids = np.random.default_rng(1).permutation(120)
    for size, workers, prefetch in ((1, 3, 0), (7, 1, 4), (50, 2, 15), (1000, 4, 15)):
        made = resident(mesh, device, segment_size=size)
        for limit in (40_000, 1 << 20):
            with made.scheduler(workers=workers, memory_limit=limit, prefetch=prefetch) as some:
                assert is_same(some.relation("VT")[ids], wanted[ids])


# === cache and prediction


def test_a_sweep_is_computed_ahead_and_a_second_one_is_read_from_the_cache():
    with resident(split_grid((12, 12, 12)), segment_size=8).scheduler() as scheduler:
        relation = scheduler.relation("VV")
        n = relation.n_segments
        for _ in range(2):
            for k in range(n):
                rows = relation.segment(k)
                assert not any(a.flags.writeable for a in (rows.ids, rows.items, rows.offsets))
        counters = scheduler.counters["VV"]
    assert counters.requests == 2 * n == counters.hits + counters.joins + counters.misses
    assert counters.made == n
    assert counters.used == counters.ahead == n - counters.misses > 0.6 * n
    assert counters.launches < n / 3
    assert 0 <= counters.queue <= counters.waiting
    assert counters.waiting > 0


def test_a_sweep_does_not_evict_segments_that_are_read_repeatedly(grid):
    limit = 12 * int(segment_bytes(grid.incidence, "VT").max())
    with grid.scheduler(memory_limit=limit, prefetch=0) as scheduler:
        relation, counters = scheduler.relation("VT"), scheduler.counters["VT"]
        for k in range(1, relation.n_segments):
            relation.segment(0 if k % 10 == 0 and k < 50 else k)
            assert scheduler.n_cached_bytes <= limit
        n_misses = counters.misses
        relation.segment(0)
        assert counters.misses == n_misses
        relation.segment(1)
        assert counters.misses == n_misses + 1
        assert counters.evictions > 0


def test_rows_of_scattered_ids_are_computed_without_their_segments():
    mesh = resident(split_grid((24, 24, 24)), segment_size=8)
    few, many = np.random.default_rng(3).permutation(24**3)[:600], np.arange(0, 24**3, 40)
    wanted = mesh.relation("VV")
    limit = int(segment_bytes(mesh.incidence, "VV").sum()) // 50
    with mesh.scheduler(memory_limit=limit) as scheduler:
        relation, counters = scheduler.relation("VV"), scheduler.counters["VV"]
        assert is_same(relation[many], wanted[many])
        assert (counters.direct, counters.made) == (len(many), 0)
        for i in few.tolist():
            np.testing.assert_array_equal(relation[i], wanted[i])
        assert counters.requests + counters.direct == len(few) + len(many)
        assert counters.misses < 150
        for i in range(64):
            np.testing.assert_array_equal(relation[i], wanted[i])


# === many consumers


@pytest.mark.parametrize("n_segments", [3, 40])
def test_consumers_on_random_walks_get_the_right_rows_from_a_tiny_cache(n_segments, grid, expected):
    limit = n_segments * max(int(segment_bytes(grid.incidence, name).max()) for name in NAMES)
    with grid.scheduler(memory_limit=limit, workers=3) as scheduler:
        relations = {name: scheduler.relation(name) for name in NAMES}
        n = len(grid.segments)

        def walk(seed):
            rng = np.random.default_rng(seed)
            k, wrong = int(rng.integers(n)), 0
            for _ in range(25):
                name = NAMES[int(rng.integers(len(NAMES)))]
                wrong += not is_same(relations[name].segment(k), expected[name][k])
                if rng.random() < 0.2:
                    found = relations["VT"][rng.integers(0, 729, 5)]
                    wrong += found.offsets[-1] != found.items.size
                step = int(rng.integers(n)) if rng.random() < 0.2 else int(rng.integers(-2, 4))
                k = (k + step) % n
            return wrong

        assert together(64, walk) == [0] * 64
        assert scheduler.n_cached_bytes <= limit
        for counters in scheduler.counters.values():
            assert counters.requests == counters.hits + counters.joins + counters.misses


def test_consumers_that_sweep_have_each_segment_computed_once(grid, expected):
    with grid.scheduler() as scheduler:
        relation, n = scheduler.relation("VT"), len(grid.segments)

        def sweep(_):
            return all(is_same(relation.segment(k), expected["VT"][k]) for k in range(n))

        assert together(32, sweep) == [True] * 32
        assert scheduler.counters["VT"].made == n


def test_waiting_requests_share_a_launch_before_prefetching(grid, expected, before_launches):
    launches = []
    is_released = Event()

    def block(segments):
        launches.append(list(segments))
        is_released.wait(SECONDS)

    before_launches(block)
    with grid.scheduler(workers=1) as scheduler:
        relation = scheduler.relation("VV")
        counters = scheduler.counters["VV"]

        def release():
            while counters.requests < 16:
                time.sleep(0.001)
            is_released.set()

        Thread(target=release, daemon=True).start()
        numbers = [5, 5, 5, 5, 90, 90, 20, 50, 21, 22, 60, 70, 80, 11, 12, 13]
        found = together(16, lambda i: relation.segment(numbers[i]))
        assert all(is_same(rows, expected["VV"][k]) for k, rows in zip(numbers, found, strict=True))
        assert counters.joins == 16 - counters.misses
    assert set(numbers) <= {*launches[0], *launches[1]}


def test_a_failing_worker_raises_its_error_in_every_consumer(grid, expected, before_launches):
    numbers = iter(range(10**6))

    def fail_in_time(segments):
        if next(numbers) > 20:
            raise sx.DeviceMemoryError("no room for this")

    before_launches(fail_in_time)
    scheduler = grid.scheduler(workers=2, memory_limit=20_000)
    relation = scheduler.relation("VT")

    def walk(seed):
        rng = np.random.default_rng(seed)
        while True:
            relation.segment(int(rng.integers(relation.n_segments)))

    found = together(24, walk)
    assert [type(error) for error in found] == [sx.DeviceMemoryError] * 24
    assert {str(error) for error in found} == {"no room for this"}
    with pytest.raises(sx.DeviceMemoryError, match="no room for this"):
        relation.segment(0)
    assert scheduler.n_cached_bytes == 0
    scheduler.close()
    before_launches(lambda segments: None)
    with grid.scheduler() as another:  # the mesh is none the worse
        assert is_same(another.relation("VT").segment(0), expected["VT"][0])


def test_cancel_wakes_every_consumer(grid, before_launches):
    is_released = Event()
    before_launches(lambda segments: is_released.wait(SECONDS))
    scheduler = grid.scheduler(workers=2)
    relation = scheduler.relation("VV")
    threading.Timer(0.2, scheduler.cancel).start()
    threading.Timer(0.4, is_released.set).start()  # kernels run to their end
    found = together(32, lambda i: relation.segment(i % 7))
    assert [type(error) for error in found] == [sx.Canceled] * 32
    with pytest.raises(sx.Canceled, match="canceled"):
        relation.segment(1)
    scheduler.close()


def test_other_consumers_compute_the_segments_of_an_interrupted_one(
    grid, expected, before_launches
):
    interrupts, is_begun, asking = iter([KeyboardInterrupt()]), Event(), current_thread()

    def interrupt(segments):
        if current_thread() is asking and (error := next(interrupts, None)):
            is_begun.set()
            time.sleep(0.1)  # others join
            raise error

    before_launches(interrupt)
    with grid.scheduler(workers=1) as scheduler:
        relation = scheduler.relation("VV")
        found = []

        def join():
            is_begun.wait(SECONDS)
            found.append(relation.segment(2))

        other = Thread(target=join, daemon=True)
        other.start()
        with pytest.raises(KeyboardInterrupt):
            relation.segment(2)
        other.join(SECONDS)
        assert is_same(found[0], expected["VV"][2])
        assert is_same(relation.segment(3), expected["VV"][3])


# === ends and errors


def test_a_scheduler_without_references_ends_its_threads(grid):
    scheduler = grid.scheduler(workers=2)
    relation = scheduler.relation("VV")
    for k in range(9):
        relation.segment(k)
    assert n_threads_alive() > 0  # the fixture checks that they end


def test_a_stream_stays_in_its_memory_limit_and_reports_its_progress(grid):
    limit = int(segment_bytes(grid.incidence, "VT").sum()) // 4
    found = [batch["VT"] for batch in grid.stream("VT", memory_limit=limit)]
    assert len(found) >= 4
    assert 2 * max(r.ids.nbytes + r.items.nbytes + r.offsets.nbytes for r in found) <= limit
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

    def fail(segments):
        if segments[0] > 20:
            raise MemoryError("no room")

    before_launches(fail)
    with pytest.raises(MemoryError, match="no room"):
        list(grid.stream("VV", batch_bytes=5_000))


def test_a_stream_can_be_collected_in_one_of_its_threads(grid, before_launches, monkeypatch):
    errors, is_dropped = [], Event()

    def collect(segments):
        if segments[0] > 0:
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
    wanted = worker.make(Key("VT", False), [(1, 2)])
    run = worker._host.run

    def out_of_memory(task, *arguments):
        assert task == "collect_packet_cells"
        local_of, is_seen = arguments[-3:-1]
        local_of[:], is_seen[:] = 0, 0xFFFFFFFF
        monkeypatch.setattr(worker._host, "run", run)
        raise MemoryError("no room")

    monkeypatch.setattr(worker._host, "run", out_of_memory)
    with pytest.raises(MemoryError):
        worker.make(Key("VT", False), [(1, 2)])
    assert is_same(worker.make(Key("VT", False), [(1, 2)]), wanted)


def test_invalid_arguments_are_rejected(grid):
    for name in ("workers", "memory_limit"):
        with pytest.raises(sx.InputError, match=f"{name} must be a positive integer; got"):
            grid.scheduler(**{name: 0})
    with pytest.raises(sx.InputError, match="prefetch must be a non-negative integer; got -1"):
        grid.scheduler(prefetch=-1)
    with grid.scheduler() as scheduler:
        with pytest.raises(sx.InputError, match="name must be one of"):
            scheduler.relation("VX")
        with pytest.raises(sx.InputError, match="ids must be one of user, mesh"):
            scheduler.relation("VV", ids="global")
        relation = scheduler.relation("VV")
        with pytest.raises(sx.InputError, match="k must be an integer from 0 to"):
            relation.segment(10_000)
    with pytest.raises(sx.InputError, match="The scheduler is closed"):
        relation.segment(0)
    with pytest.raises(sx.InputError, match="at least one relation"):
        grid.stream()
    largest = int(segment_bytes(grid.incidence, "FF").max())
    with pytest.raises(
        sx.DeviceMemoryError, match=rf"A stream of FF requires {3 * largest:,} byte"
    ):
        grid.stream("FF", memory_limit=3 * largest - 1)
    with (
        grid.scheduler(memory_limit=largest - 1) as scheduler,
        pytest.raises(sx.DeviceMemoryError, match=f"FF requires {largest:,} bytes .* memory_limit"),
    ):
        scheduler.relation("FF")
