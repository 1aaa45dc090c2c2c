"""How fast are sorting, neighbor lists, and patterns, compared with SciPy's k-d tree?

    python benchmarks/neighbors.py --sizes 100000 1000000 --devices cpu cuda [--output lines.jsonl]

The points are uniform in the unit cube, in float32. On the CPU, the script prints the process
seconds over all threads, the best of the repetitions, alternating between Separatrix and SciPy;
those of SciPy with and without building its tree. On a GPU, it prints the synchronized wall time
for resident points. The run fails if results differ.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measure import cpu_name, keep

import separatrix as sx

K = 9
NEIGHBORS_PER_POINT = 11.5  # that the radius of the epsilon graph finds
POINTS_PER_CELL = 64


def best(runs: dict[str, Callable[[], Any]], times: int, clock: Callable[[], float]) -> Any:
    """(results, best seconds) of the runs, taken in turn, after one warm-up."""
    results = {name: run() for name, run in runs.items()}
    seconds = dict.fromkeys(runs, float("inf"))
    for _ in range(times):
        for name, run in runs.items():
            begin = clock()
            run()
            seconds[name] = min(seconds[name], clock() - begin)
    return results, seconds


def ours(points: Any, radius: float, edge: float, options: dict[str, Any]) -> dict[str, Any]:
    """The timed operations."""
    return {
        "nearest": lambda: sx.nearest(points, k=K, **options),
        "count": lambda: sx.count_neighbors(points, radius=radius, **options),
        "lists": lambda: sx.neighbors(points, radius=radius, **options),
        "pairs": lambda: sx.neighbors(points, radius=radius, pairs=True, **options),
        "sparse distances": lambda: sx.sparse_distances(points, radius, **options),
        "pattern": lambda: sx.BlockPattern.from_cells(points, radius=edge, **options),
    }


def on_cpu(points: np.ndarray, radius: float, edge: float, threads: int, times: int) -> Any:
    from scipy.spatial import cKDTree

    tree = cKDTree(points)
    runs = ours(points, radius, edge, {"device": "cpu", "threads": threads})
    runs |= {
        "SciPy, tree": lambda: cKDTree(points),
        "SciPy, query": lambda: tree.query(points, k=K, workers=threads),
        "SciPy, query_pairs": lambda: tree.query_pairs(radius, output_type="ndarray"),
        "SciPy, query_ball_point": lambda: tree.query_ball_point(points, radius, workers=threads),
        "SciPy, sparse_distance_matrix": lambda: tree.sparse_distance_matrix(
            tree, radius, output_type="coo_matrix"
        ),
    }
    results, seconds = best(runs, times, time.process_time)
    np.testing.assert_allclose(results["nearest"][0], results["SciPy, query"][0], rtol=1e-12)
    assert results["pairs"].items.size == len(results["SciPy, query_pairs"])
    return {"machine": cpu_name(), "threads": threads, "cpu_seconds": seconds}, results


def on_gpu(points: np.ndarray, radius: float, edge: float, times: int) -> Any:
    import cupy

    resident = cupy.asarray(points)

    def synchronized(run: Callable[[], Any]) -> Callable[[], Any]:
        def whole() -> Any:
            result = run()
            cupy.cuda.get_current_stream().synchronize()
            return result

        return whole

    runs = ours(resident, radius, edge, {})
    runs = {name: synchronized(run) for name, run in runs.items()}
    results, seconds = best(runs, times, time.perf_counter)
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return {"machine": name, "seconds": seconds}, results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000])
    parser.add_argument("--devices", nargs="*", default=["cpu"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    for n in options.sizes:
        points = np.random.default_rng(7).random((n, 3), np.float32)
        radius = (NEIGHBORS_PER_POINT / n / (4 / 3 * np.pi)) ** (1 / 3)
        edge = (POINTS_PER_CELL / n) ** (1 / 3)
        answers = []
        for device in options.devices:
            if device == "cpu":
                case, results = on_cpu(points, radius, edge, options.threads, options.repeat)
            else:
                case, results = on_gpu(points, radius, edge, options.repeat)
            answers.append([sx.to_host(results["nearest"][1]), sx.to_host(results["lists"].items)])
            assert all(np.array_equal(*both) for both in zip(answers[0], answers[-1], strict=True))
            case = {"n": n, "k": K, "radius": radius, "edge": edge, **case}
            print(keep(case, options.output), flush=True)


if __name__ == "__main__":
    main()
