"""Are relations of a mesh as fast in any order of requests and for any number of threads?

    python benchmarks/relation_scheduler.py --side 64 --device cpu [--output lines.jsonl]

The mesh is a grid of side^3 jittered points with six tetrahedra per voxel. For each relation, the
script measures all rows at once; as a stream of batches; as a stream of packets, with the mesh in
host memory; segments of a scheduler, requested by 1, 8, and 64 threads that sweep, walk from
neighbor to neighbor, or jump, with a cache for all rows, for a twentieth of them, and for three
segments; and rows of 1, 64, and 4096 ids per request, in order and shuffled. Times are the best
wall times of the repetitions. The run fails if a stream is incomplete.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from itertools import permutations
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from measure import cpu_name

import separatrix as sx
from separatrix.relations.compute import segment_bytes

MOST_REQUESTS = 2000


def split_grid(side: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and tetrahedra of a jittered grid, each voxel split into six (Freudenthal)."""
    z, y, x = np.meshgrid(*[np.arange(side)] * 3, indexing="ij")
    points = np.stack([x, y, z], axis=-1).reshape(-1, 3).astype(np.float64)
    points += np.random.default_rng(1).uniform(-0.3, 0.3, points.shape)
    anchors = (x + side * (y + side * z))[:-1, :-1, :-1].ravel()
    steps = (1, side, side * side)
    walks = [np.cumsum((0, *(steps[axis] for axis in order))) for order in permutations(range(3))]
    return points, np.stack([anchors[:, None] + walk for walk in walks], axis=1).reshape(-1, 4)


def best(run: Callable[[], Any], times: int) -> float:
    """Least wall seconds."""
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)


def use(batches: Iterable[Any]) -> int:
    """Bytes of the items of all batches, each read once and dropped."""
    return sum(rows.items.nbytes for batch in batches for rows in batch.rows.values())


def whole_and_streams(mesh: sx.TetMesh, far: sx.TetMesh, name: str, times: int) -> Any:
    """Seconds of all rows at once and in two kinds of batches, after a check."""
    relation = mesh.relation(name, ids="mesh")
    whole = relation.segment(0, relation.n_segments).items
    for made in (mesh, far):
        parts = [sx.to_host(b[name].items) for b in made.stream(name, ids="mesh")]
        assert np.array_equal(np.concatenate(parts), sx.to_host(whole)), name
    n_bytes = whole.nbytes
    del whole, parts
    yield "all at once", best(lambda: relation.segment(0, relation.n_segments), times), n_bytes
    yield "stream", best(lambda: use(mesh.stream(name, ids="mesh")), times), n_bytes
    yield "packets", best(lambda: use(far.stream(name, ids="mesh")), 1), n_bytes


def visits(kind: str, around: list[list[int]], n: int, seed: int, part: range) -> list[int]:
    """Segments in the order in which a consumer asks for them."""
    rng = np.random.default_rng(seed)
    if kind == "sweep":
        return list(part)[:n]
    if kind == "jump":
        return list(rng.integers(0, len(around), n).tolist())
    found = [int(rng.integers(len(around)))]
    while len(found) < n:
        near = around[found[-1]]
        found.append(near[int(rng.integers(len(near)))] if near else 0)
    return found


def by_segment(mesh: sx.TetMesh, name: str, times: int) -> Any:
    """Microseconds per segment for the consumers of a scheduler."""
    n_segments, n_bytes = len(mesh.segments), segment_bytes(mesh.incidence, name)
    limits = {
        "all": n_bytes.sum() + 1,
        "a twentieth": n_bytes.sum() // 20,
        "three": 3 * n_bytes.max(),
    }
    rows = mesh.relation("VV", ids="mesh")
    near_segments = []
    for k in range(n_segments):
        vertices = sx.to_host(rows.segment(k).items).astype(np.int32)
        found = np.unique(mesh.segments.host_starts.searchsorted(vertices, side="right") - 1)
        near_segments.append(found[found != k].tolist())
    for n_consumers in (1, 8, 64):
        n = min(MOST_REQUESTS, n_segments) // n_consumers
        for kind in ("sweep", "walk", "jump"):
            orders = [
                visits(kind, near_segments, n, i, range(i * n, (i + 1) * n))
                for i in range(n_consumers)
            ]
            for limit_name, limit in limits.items():
                seconds, text = [], ""
                for _ in range(times):
                    with mesh.scheduler(memory_limit=int(max(limit, limits["three"]))) as scheduler:
                        relation = scheduler.relation(name, ids="mesh")

                        def consume(order: list[int], relation: Any = relation) -> None:
                            for k in order:
                                relation.segment(k)

                        threads = [Thread(target=consume, args=(order,)) for order in orders]
                        begin = time.perf_counter()
                        for thread in threads:
                            thread.start()
                        for thread in threads:
                            thread.join()
                        seconds.append(time.perf_counter() - begin)
                        text = str(scheduler.counters)
                case = f"{n_consumers} consumers {kind}, cache for {limit_name}"
                yield case, min(seconds) / (n * n_consumers), text


def by_ids(mesh: sx.TetMesh, name: str, times: int) -> Any:
    """Seconds a row of ids in order and shuffled, with a cache for a twentieth."""
    limit = int(
        max(
            segment_bytes(mesh.incidence, name).sum() // 20,
            3 * segment_bytes(mesh.incidence, name).max(),
        )
    )
    in_order = np.arange(len(mesh.relation(name)))
    for width in (1, 64, 4096):
        n = max(1, min(MOST_REQUESTS, len(in_order) // width))
        for kind, ids in {
            "in order": in_order,
            "shuffled": np.random.default_rng(0).permutation(in_order),
        }.items():

            def run(ids: np.ndarray = ids, n: int = n, width: int = width) -> None:
                with mesh.scheduler(memory_limit=limit) as scheduler:
                    relation = scheduler.relation(name, ids="mesh")
                    for i in range(n):
                        relation[ids[i * width : (i + 1) * width]]

            yield f"ids by {width}, {kind}", best(run, times) / (n * width)


def main() -> None:
    """Print a line a case; JSON lines go to --output."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=64)
    parser.add_argument("--relations", nargs="*", default=["VV", "VT", "EF", "TT"])
    parser.add_argument("--device", help="default: a GPU if there is one, results on the host")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--segments", default="runs", choices=["runs", "octree"])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--counters", action="store_true", help="print the statistics of each scheduler"
    )
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    points, cells = split_grid(options.side)
    given: dict[str, Any] = {
        "segments": options.segments,
        "device": options.device,
        "threads": options.threads,
    }
    mesh, far = sx.TetMesh(points, cells, **given), sx.TetMesh(points, cells, **given)
    if far.session.device.is_cuda:
        far = sx.TetMesh(points, cells, memory_limit=1, **given)
        far.session.memory.limit = None
    else:
        far.session.stream_from_host()
    print(mesh, cpu_name(), sep="\n")
    lines = []

    def tell(name: str, case: str, seconds: float, **more: Any) -> None:
        lines.append({"relation": name, "case": case, "seconds": seconds, **more})
        print(f"{name}  {case:48} {seconds * 1e6:14,.2f} us", flush=True)

    for name in options.relations:
        for case, seconds, n_bytes in whole_and_streams(mesh, far, name, 2 * options.repeat):
            tell(name, case, seconds, item_bytes=n_bytes)
        for case, seconds, text in by_segment(mesh, name, options.repeat):
            tell(name, case, seconds)
            if options.counters:
                print(text)
        for case, seconds in by_ids(mesh, name, options.repeat):
            tell(name, case, seconds)
    if options.output:
        about = {"mesh": repr(mesh), "machine": cpu_name(), "python": sys.version.split()[0]}
        with options.output.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({**about, **line}) + "\n" for line in lines)


if __name__ == "__main__":
    main()
