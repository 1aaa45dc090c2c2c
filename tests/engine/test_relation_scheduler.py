"""The task-parallel machine of meshes gives the rows of the relation itself, whoever asks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import separatrix as sx
from oracles.meshes import SPECIAL, Mesh, delaunay, random_cells, split_grid
from separatrix.relations.cache import Cache
from separatrix.relations.packets import PacketWorker
from separatrix.relations.rows import RELATIONS, Key, Rows

TRIANGLES = [name for name in RELATIONS if "T" not in name]
MESHES = {
    **SPECIAL,
    **{f"random {seed}": random_cells(seed) for seed in range(4)},
    **{f"random triangles {seed}": random_cells(seed, n_corners=3) for seed in range(3)},
    "Delaunay": delaunay(1, 60),
}


def mesh_of(mesh: Mesh, device: str, **options) -> sx.TetMesh | sx.TriangleMesh:
    kind = sx.TetMesh if mesh.cells.shape[1] == 4 else sx.TriangleMesh
    return kind(mesh.points, mesh.cells, device=device, **options)


def away(mesh: Mesh, device: str, **options) -> sx.TetMesh | sx.TriangleMesh:
    """A mesh that stays on the host, its parts passing through the device."""
    made = mesh_of(mesh, device, memory_limit=1, **options)
    made.session.memory.limit = None
    if (
        made.session.pieces is None and not made.session.device.is_cuda
    ):  # a mesh of nothing fits a byte
        made.session.stream_from_host()
    return made


def names_of(mesh: sx.TetMesh | sx.TriangleMesh) -> tuple[str, ...]:
    return RELATIONS if mesh.dimension == 3 else tuple(TRIANGLES)


def assert_same(found: Rows, wanted: Rows) -> None:
    for part in ("ids", "items", "offsets"):
        a, b = getattr(found, part), getattr(wanted, part)
        assert (a is None) == (b is None), part
        if a is not None:
            np.testing.assert_array_equal(sx.to_host(a), sx.to_host(b), strict=True)
    assert found.width == wanted.width


@pytest.mark.parametrize("where", [mesh_of, away])
@pytest.mark.parametrize("name", MESHES)
def test_segments_and_rows_of_a_machine_are_those_of_the_relation(name, where, device):
    mesh = mesh_of(MESHES[name], device, segment_size=3)
    rng = np.random.default_rng(0)
    with where(MESHES[name], device, segment_size=3).scheduler(memory_limit=1 << 16) as machine:
        for relation in names_of(mesh):
            for ids in ("user", "mesh"):
                wanted = mesh.relation(relation, ids=ids)
                found = machine.relation(relation, ids=ids)
                for k in rng.permutation(wanted.n_segments).tolist():
                    assert_same(found.segment(k), wanted.segment(k))
                assert_same(found.segment(0, 0), wanted.segment(0, 0))
                if len(wanted):
                    some = rng.integers(0, len(wanted), 12)
                    assert_same(found[some], wanted[some])
                    one, same = (sx.to_host(r[some[0]]) for r in (found, wanted))
                    np.testing.assert_array_equal(one, same)


@pytest.mark.parametrize("where", [mesh_of, away])
@pytest.mark.parametrize("name", MESHES)
def test_a_stream_gives_every_row_once_and_in_order(name, where, device):
    mesh = mesh_of(MESHES[name], device, segment_size=3)
    names = names_of(mesh)
    streamed = where(MESHES[name], device, segment_size=3)
    found = list(streamed.stream(*names, batch_bytes=20_000, ids="mesh"))
    n = len(mesh.segments)
    assert [batch.begin for batch in found] + [n] == ([0] if n else []) + [b.end for b in found] + (
        [] if n else [0]
    )
    for relation in names:
        parts = [batch[relation] for batch in found]
        whole = mesh.relation(relation, ids="mesh").segment(0, n)
        for part in ("ids", "items"):
            joined = [sx.to_host(getattr(rows, part)) for rows in parts] or [np.zeros(0, np.int32)]
            wanted = sx.to_host(getattr(whole, part))
            np.testing.assert_array_equal(np.concatenate(joined), wanted)


def test_dropped_cells_have_empty_rows_in_a_machine(device):
    mesh = delaunay(3, 30)
    cells = np.concatenate([mesh.cells, mesh.cells[:3]])
    made = sx.TetMesh(mesh.points, cells, device=device, on_duplicates="drop", segment_size=5)
    ids = np.array([0, len(cells) - 1, 4])
    with made.scheduler() as machine:
        for relation in ("TV", "TT", "TE", "FT"):
            assert_same(machine.relation(relation)[ids], made.relation(relation)[ids])


def test_segment_size_workers_and_limits_change_no_bit(device):
    mesh = delaunay(5, 120)
    wanted = mesh_of(mesh, device).relation("VT")
    ids = np.random.default_rng(1).permutation(120)
    for size, workers, prefetch in ((1, 3, 0), (7, 1, 4), (50, 2, None), (1000, 4, 15)):
        made = mesh_of(mesh, device, segment_size=size)
        for limit in (40_000, 1 << 20):
            if prefetch == 15 and limit < 1 << 20:
                continue
            with made.scheduler(workers=workers, memory_limit=limit, prefetch=prefetch) as machine:
                assert_same(machine.relation("VT")[ids], wanted[ids])


def test_a_sweep_is_made_ahead_and_a_second_one_is_read_from_the_cache():
    mesh = mesh_of(split_grid((12, 12, 12)), "cpu", segment_size=8)
    with mesh.scheduler(walks=False) as machine:
        relation = machine.relation("VV")
        for _ in range(2):
            for k in range(relation.n_segments):
                relation.segment(k)
        counters = machine.counters["VV"]
    n = relation.n_segments
    assert counters.requests == 2 * n == counters.hits + counters.joins + counters.pushed
    assert counters.made == n
    assert counters.pushed < 5
    assert counters.used == counters.ahead == n - counters.pushed
    assert counters.launches < n / 3


def test_a_walk_has_the_segments_around_it_made():
    mesh = mesh_of(split_grid((16, 16, 16)), "cpu", segment_size=8)
    with mesh.scheduler(workers=1) as machine:
        relation = machine.relation("VV", ids="mesh")
        relation.segment(7)
        relation.segment(60)
        assert machine.wait_idle(30.0)
        counters = machine.counters["VV"]
        assert counters.ahead == counters.made - counters.pushed > 6
        beside = machine.relation("VV", ids="mesh").segment(61)
        assert counters.pushed == machine.counters["VV"].pushed == 2
        assert_same(beside, mesh.relation("VV", ids="mesh").segment(61))


def test_the_cache_stays_within_its_limit_and_counts_what_it_drops():
    mesh = mesh_of(split_grid((10, 10, 10)), "cpu", segment_size=8)
    largest = int(mesh._layout.n_bytes("VT").max())
    with mesh.scheduler(memory_limit=4 * largest) as machine:
        relation = machine.relation("VT")
        for k in np.random.default_rng(0).integers(0, relation.n_segments, 200).tolist():
            relation.segment(k)
            assert machine.n_cached_bytes <= 4 * largest
        assert machine.counters["VT"].evictions > 0


def entry(n: int) -> Rows:
    return Rows(np.arange(n, dtype=np.int32), np.zeros(0, np.int32))


def test_a_sweep_does_not_flush_what_is_read_again_and_again():
    cache = Cache(100)
    cache.put(("r", 0), entry(1), 10)
    for tick in range(200):
        cache.get(("r", 0 if tick % 10 == 9 else 1000 + tick))
    for k in range(1, 100):
        cache.put(("r", k), entry(1), 10)
        cache.get(("r", k))
    assert ("r", 0) in cache
    assert ("r", 99) in cache
    assert ("r", 50) not in cache
    assert cache.n_bytes <= 100


def test_what_is_held_stays_in_the_cache():
    cache = Cache(30)
    cache.put(("r", 0), entry(1), 10, holders=1)
    for k in range(1, 20):
        assert cache.put(("r", k), entry(1), 10)[0]
    assert ("r", 0) in cache
    kept, gone = cache.put(("r", 20), entry(1), 25)
    assert not kept
    assert len(gone) == 2


def test_rows_of_a_machine_can_not_be_written_to():
    mesh = mesh_of(split_grid((6, 6, 6)), "cpu", segment_size=8)
    with mesh.scheduler() as machine:
        relation = machine.relation("VV")
        for k in range(4):
            rows = relation.segment(k)
            assert not any(a.flags.writeable for a in (rows.ids, rows.items, rows.offsets))


def test_waiting_times_and_counts_are_printed_as_a_table():
    mesh = mesh_of(split_grid((6, 6, 6)), "cpu", segment_size=8)
    with mesh.scheduler() as machine:
        for name in ("VV", "TT"):
            machine.relation(name).segment(3)
        text = machine.table()
        counters = machine.counters["VV"]
    head, *lines = text.splitlines()
    assert head.split() == ["VV", "TT", "all"]
    words = [line.split()[0] for line in lines]
    steps = ["push", "queue", "preparation", "kernel", "integration"]
    assert [word for word in words if word in steps] == steps
    for word in ("requests", "hits", "joins", "wasted", "evictions", "waiting"):
        assert word in words
    parts = sum(getattr(counters, step) for step in steps)
    assert 0 < counters.kernel < counters.waiting
    assert parts <= counters.waiting * 1.05 + 1e-3


def test_many_ids_far_apart_have_their_rows_made_alone():
    mesh = mesh_of(split_grid((12, 12, 12)), "cpu", segment_size=8)
    ids = np.arange(0, 1728, 40)
    with mesh.scheduler() as machine:
        assert_same(machine.relation("VT")[ids], mesh.relation("VT")[ids])
        counters = machine.counters["VT"]
    assert counters.direct == len(ids)
    assert counters.made == 0


@pytest.mark.parametrize("where", [mesh_of, away])
def test_the_stream_of_a_mesh_four_times_the_memory_limit_equals_the_whole(where, device):
    mesh = where(split_grid((6, 6, 6), seed=4), device, segment_size=8)
    whole = {name: mesh.relation(name).segment(0, len(mesh.segments)) for name in RELATIONS}
    for name in whole:
        total = int(mesh._layout.n_bytes(name).sum())
        found = list(mesh.stream(name, memory_limit=total // 4))
        assert len(found) >= 4
        for part in ("ids", "items"):
            joined = np.concatenate([sx.to_host(getattr(batch[name], part)) for batch in found])
            np.testing.assert_array_equal(joined, sx.to_host(getattr(whole[name], part)))


def test_ids_that_jump_about_do_not_have_segments_made_for_them_once_that_is_known():
    mesh = mesh_of(split_grid((24, 24, 24)), "cpu", segment_size=8)
    ids = np.random.default_rng(3).permutation(24**3)[:600].tolist()
    total = int(mesh._layout.n_bytes("VV").sum())
    made = []
    for limit in (total // 50, 2 * total):
        with mesh.scheduler(walks=False, memory_limit=limit) as machine:
            relation = machine.relation("VV")
            for i in ids:
                relation[i]
            counters = machine.counters["VV"]
            assert counters.requests + counters.direct == len(ids)
            made.append(counters.pushed)
            for i in range(40):
                np.testing.assert_array_equal(relation[i], mesh.relation("VV")[i])
    assert made[0] < 150


def test_a_stream_is_within_its_memory_limit_and_makes_the_next_while_one_is_used():
    mesh = mesh_of(split_grid((10, 10, 10)), "cpu", segment_size=8)
    total = int(mesh._layout.n_bytes("VT").sum())
    found = list(mesh.stream("VT", memory_limit=total // 4))
    sizes = [sum(a.nbytes for a in (b["VT"].ids, b["VT"].items, b["VT"].offsets)) for b in found]
    assert 2 * max(sizes) <= total // 4
    heard = []
    for batch in mesh.stream("VT", batch_bytes=10_000, progress=lambda f, s: heard.append((f, s))):
        assert len(batch["VT"])
    assert heard[0] == (0.0, "layout")
    heard = [told for told in heard if told[1] == "stream"]
    assert heard[0] == (0.0, "stream")
    assert heard[-1] == (1.0, "stream")
    assert all(a <= b for (a, _), (b, _) in pairwise(heard))


def test_a_packet_that_found_no_memory_leaves_nothing_to_the_next(monkeypatch):
    maker = PacketWorker(away(delaunay(1, 60), "cpu", segment_size=3)._layout, 1)
    wanted = maker.make(Key("VT", False), [1]).rows
    run = maker._host.run

    def out_of_memory(task: str, *arguments: np.ndarray) -> int:
        assert task == "collect_packet_cells"
        local_of, is_seen = arguments[-3:-1]
        local_of[:], is_seen[:] = 0, 0xFFFFFFFF
        monkeypatch.setattr(maker._host, "run", run)
        raise MemoryError("no room")

    monkeypatch.setattr(maker._host, "run", out_of_memory)
    with pytest.raises(MemoryError):
        maker.make(Key("VT", False), [1])
    assert_same(maker.make(Key("VT", False), [1]).rows, wanted)
