"""How fast is a mesh prepared, and each relation computed for all of its segments?

    python benchmarks/mesh_relations.py --edges 64 204 --devices cpu cuda [--output lines.jsonl]

The mesh is a jittered grid with EDGE points per axis, whose voxels are split into six tetrahedra:
64 gives 1.5 million tetrahedra, and 204 fifty million. The script prints the seconds of each
preparation of a new mesh, and of each relation in mesh ids over all segments, in batches of --batch
segments whose results are discarded; the best of the repetitions. On the CPU, it prints process
time and wall time, and on a GPU the synchronized wall time for resident arrays. The sums of the
rows are compared with the counts of simplices.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
from measure import Steps, cpu_name, gpu_name, keep, on_device

import separatrix as sx

RELATIONS = [
    "EV",
    "FV",
    "FE",
    "TV",
    "TE",
    "TF",
    "VE",
    "VF",
    "VT",
    "EF",
    "ET",
    "FT",
    "VV",
    "TT",
    "EE",
    "FF",
]


def jittered_grid(edge: int, empty: Any = np.empty) -> tuple[np.ndarray, np.ndarray]:
    """(points (V, 3) float32, tets (T, 4) int32), voxel after voxel; `empty` makes the arrays."""
    points, tets = empty((edge**3, 3), np.float32), empty((6 * (edge - 1) ** 3, 4), np.int32)
    layers, boxes = points.reshape(edge, -1, 3), tets.reshape(edge - 1, -1, 6, 4)
    y, x = np.indices((edge,) * 2, np.float32).reshape(2, -1)
    steps, rng = (1, edge, edge * edge), np.random.default_rng(0)
    walks = [np.cumsum([0, *(steps[axis] for axis in order)]) for order in permutations(range(3))]
    anchors = np.arange(edge**2, dtype=np.int32).reshape(edge, edge)[:-1, :-1].ravel()
    corners = anchors[:, None, None] + np.array(walks, np.int32)

    def fill(z: int) -> None:
        np.add(corners, np.int32(z * edge * edge), out=boxes[z])

    with ThreadPoolExecutor() as pool:
        filled = pool.map(fill, range(edge - 1))
        for z, layer in enumerate(layers):
            layer[:] = rng.uniform(-0.3, 0.3, layer.shape)
            for axis, whole in enumerate((x, y, np.float32(z))):
                layer[:, axis] += whole
        list(filled)
    return points, tets


def one_run(points: Any, tets: Any, batch: int, options: dict[str, Any], done: Callable[[], None]):
    """{what: (wall seconds, process seconds)}, the mesh, and items of each relation."""
    timed = Steps(done)
    mesh = timed("points and cells", lambda: sx.TetMesh(points, tets, **options))
    s, lists = mesh.simplices, mesh.incidence
    with mesh.session.call(None, {"part": 1.0}):
        timed("stars", lambda: s.stars)
        timed("edges", lambda: s.edge_trie)
        timed("triangles", lambda: s.triangle_trie)
        timed("lower simplices", lambda: (s.edge_lower, s.triangle_edge))
        timed("edges below", lambda: lists.edges_below)
        timed("triangles below", lambda: lists.triangles_below)
        timed("triangle tets", lambda: lists.crowded_triangles)
        timed("edge counts", lambda: (lists.triangles_of_edges, lists.tets_of_edges))
    n_items = {}
    for name in RELATIONS:
        relation = mesh.relation(name, ids="mesh")
        n = relation.n_segments
        cuts = [*range(0, n, batch or n), n]
        sizes = timed(
            name,
            lambda r=relation, c=cuts: [r.segment(a, b).items.size for a, b in pairwise(c)],
        )
        n_items[name] = sum(sizes)
    return timed.seconds, mesh, n_items


def checked(counts: tuple[int, ...], n_items: dict[str, int]) -> None:
    _, n_edges, n_triangles, n_tets = counts
    sums = {"VV": 2 * n_edges, "VE": 2 * n_edges, "VF": 3 * n_triangles, "EF": 3 * n_triangles}
    sums |= {"VT": 4 * n_tets, "ET": 6 * n_tets, "TT": 4 * n_tets, "FT": 2 * n_triangles}
    assert {name: n_items[name] for name in sums} == sums


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, nargs="*", default=[32])
    parser.add_argument("--devices", nargs="*", default=["cpu"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=0, help="segments per call; 0: all")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    for edge in options.edges:
        given = jittered_grid(edge)
        for device in options.devices:
            arrays, settings, done = on_device(device, options.threads, *given)
            best: dict[str, tuple[float, float]] = {}
            for _ in range(options.repeat + 1):  # the first warms up
                found, mesh, n_items = one_run(*arrays, options.batch, settings, done)
                checked(mesh.counts, n_items)
                first = not best
                best = {k: v if first else tuple(map(min, v, best[k])) for k, v in found.items()}
            case = {
                "machine": cpu_name() if device == "cpu" else gpu_name(),
                "threads": options.threads if device == "cpu" else None,
                "counts": mesh.counts,
                "segments": len(mesh.segments),
                "milliseconds": {k: round(1e3 * wall, 3) for k, (wall, _) in best.items()},
                "items": n_items,
            }
            if device == "cpu":
                case["cpu_milliseconds"] = {k: round(1e3 * cpu, 3) for k, (_, cpu) in best.items()}
            print(keep(case, options.output), flush=True)


if __name__ == "__main__":
    main()
