"""How fast are Vietoris-Rips barcodes, compared with other programs?

    python benchmarks/rips.py --devices cpu cuda --threads 2 --peers ripser gph gph-collapse gudhi
    python benchmarks/rips.py --data FOLDER --sets celegans --devices cpu --output lines.jsonl
    python benchmarks/rips.py --data FOLDER --loops --threads 1 --limit 20 --peers ripser gudhi

The whole call is timed, from a float64 matrix in host memory to bars in host memory. Values are
first rounded to float32, because most peers compute in it. Without --data, the sets are generated:
a cube, a torus, two linked circles, a sphere, a cloud of many dimensions, a weighted tree, and a
random matrix. With --data, they are the files of that folder that SETS lists, or the sets of
rips_loops.py. Peers run in separate processes, with all threads that they can use, and are stopped
after --limit CPU seconds. The run fails unless all bars agree. With --points, samples of shapes are
timed from points.
"""

from __future__ import annotations

import argparse
import gzip
import multiprocessing
import os
import queue
import resource
import signal
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from measure import cpu_name, gpu_name, keep
from rips_loops import VOIDS
from rips_loops import sets as sets_of_loops

import separatrix as sx

Bars = dict[int, np.ndarray]


@dataclass(frozen=True)
class Problem:
    """Distances (n, n) or points (n, k), the highest dimension of bars, and a threshold or inf."""

    name: str
    distances: np.ndarray
    max_dimension: int
    threshold: float
    are_points: bool = False

    @property
    def edges(self) -> Any:
        """The matrix, or the sparse one of points with a threshold."""
        if not self.are_points:
            return self.distances
        from scipy.spatial import cKDTree

        tree = cKDTree(self.distances)
        return tree.sparse_distance_matrix(tree, self.threshold, output_type="coo_matrix").tocsr()


MOST_LISTED = 10_000  # points of a matrix that all programs take
SETS: dict[str, tuple[str, str, int, float]] = {
    "celegans": ("celegans.distance_matrix.gz", "full", 3, np.inf),
    "Vicsek300": ("Vicsek300_300_of_300.distance_matrix.gz", "full", 3, np.inf),
    "sphere_3_192": ("sphere_3_192.lower_distance_matrix.gz", "lower", 3, np.inf),
    "dragon1000": ("dragon1000.point_cloud", "points", 2, np.inf),
    "hiv_like_1088": ("hiv_like_1088.lower_distance_matrix.gz", "lower", 2, np.inf),
    "o3_4096": ("o3_4096.point_cloud.gz", "points", 3, 1.4),
    "o3_1024": ("o3_1024.point_cloud.gz", "points", 3, 1.8),
    "fractal_r": ("fractal_r.distance_matrix.gz", "full", 2, np.inf),
    "rp2_600": ("rp2_600.lower_distance_matrix.csv.gz", "lower", 2, np.inf),
    "cyclooctane": ("cyclooctane.csv.gz", "points", 1, np.inf),
    "o3_4096 loops": ("o3_4096.point_cloud.gz", "points", 1, np.inf),
    "random_50_16": ("random_50_16.distance_matrix", "full", 7, np.inf),
}
"""File, its format, highest dimension and threshold of the sets that people measure with."""


def read(path: Path, kind: str) -> np.ndarray:
    """The distances of a file of blank- or comma-separated numbers."""
    packed = path.read_bytes()
    text = (gzip.decompress(packed) if path.suffix == ".gz" else packed).decode()
    rows = [line.replace(",", " ").split() for line in text.splitlines()]
    if kind == "lower":
        entries = np.array([number for row in rows for number in row], float)
        n = round((1 + (1 + 8 * len(entries)) ** 0.5) / 2)
        matrix = np.zeros((n, n))
        matrix[np.tril_indices(n, -1)] = entries
        return matrix + matrix.T
    table = np.array([row for row in rows if row], float)
    if kind == "points":
        return apart(table)
    lower = np.tril(table, -1)  # as Ripser reads it: fractal_r is not quite symmetric
    return lower + lower.T


def apart(points: np.ndarray) -> np.ndarray:
    """Euclidean distances of points among themselves."""
    squares = sum((axis[:, None] - axis[None, :]) ** 2 for axis in points.T)
    return np.sqrt(squares)


def generated() -> Iterator[Problem]:
    """Sets that need no file, seeded."""
    rng = np.random.default_rng(20201088)
    yield Problem("cube 300", apart(rng.random((300, 3))), 2, np.inf)
    yield Problem("cloud of 64 in 16 dimensions", apart(rng.random((64, 16))), 5, np.inf)
    torus = apart(on_torus(rng, 800))
    yield Problem("torus 800", torus, 2, np.inf)
    yield Problem("torus 800 up to 1", torus, 2, 1.0)
    sphere = rng.standard_normal((160, 3))
    sphere /= np.linalg.norm(sphere, axis=1)[:, None]
    yield Problem("sphere 160", apart(sphere), 3, np.inf)
    turn = rng.random(400) * 2 * np.pi
    circle = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    circle[200:] = circle[200:][:, [0, 2, 1]] + [1, 0, 0]
    yield Problem("two linked circles 400", apart(circle), 2, np.inf)
    yield Problem("tree 400", tree(rng, 400), 3, np.inf)
    yield Problem("loops of cube 2000", apart(rng.random((2000, 3))), 1, np.inf)
    yield Problem("loops of torus 2000", apart(on_torus(rng, 2000)), 1, np.inf)
    upper = np.triu(rng.random((300, 300)), 1)
    yield Problem("loops of random matrix 300", upper + upper.T, 1, np.inf)


def on_torus(rng: np.random.Generator, n: int) -> np.ndarray:
    u, v = rng.random((2, n)) * 2 * np.pi
    ring = 2 + np.cos(v)
    return np.stack([ring * np.cos(u), ring * np.sin(u), np.sin(v)], axis=1)


def tree(rng: np.random.Generator, n: int) -> np.ndarray:
    """Whole-number distances along a random tree, a few of them cut short: ties."""
    matrix = np.zeros((n, n))
    for v in range(1, n):
        parent = int(rng.integers(0, v))
        matrix[v, :v] = matrix[parent, :v] + int(rng.integers(1, 5))
        matrix[:v, v] = matrix[v, :v]
    short = np.triu(rng.random((n, n)) < 0.002, 1)
    matrix = np.where(short | short.T, np.ceil(matrix / 2), matrix)
    return matrix


def problems(options: argparse.Namespace) -> Iterator[Problem]:
    if options.loops:
        for name, given, are_points, threshold in sets_of_loops(options.data):
            if options.sets and name not in options.sets:
                continue
            rounded = given.astype(np.float32).astype(np.float64)
            is_listed = are_points and (options.points or len(given) > MOST_LISTED)
            if are_points and not is_listed:
                rounded = apart(given).astype(np.float32).astype(np.float64)
            yield Problem(name, rounded, 1, threshold, is_listed)
        for name, (points, threshold) in VOIDS.items():
            if not options.sets or name in options.sets:
                given = points(np.random.default_rng(4000)).astype(np.float32).astype(np.float64)
                yield Problem(name, given, 2, threshold, True)
        return
    if options.data is None:
        chosen: Iterator[Problem] = generated()
    else:
        chosen = (
            Problem(name, read(options.data / file, kind), top, threshold)
            for name, (file, kind, top, threshold) in SETS.items()
            if not options.sets or name in options.sets
        )
    for problem in chosen:
        rounded = problem.distances.astype(np.float32).astype(np.float64)
        yield Problem(problem.name, rounded, problem.max_dimension, problem.threshold)


# === the peers, each from a full matrix


def by_ripser(problem: Problem, threads: int) -> list[np.ndarray]:
    from ripser import ripser

    top, threshold = problem.max_dimension, problem.threshold
    return ripser(problem.edges, top, threshold, distance_matrix=True)["dgms"]


def by_giotto(problem: Problem, threads: int, collapse: bool = False) -> list[np.ndarray]:
    from gph import ripser_parallel

    return ripser_parallel(
        problem.edges,
        *(problem.max_dimension, problem.threshold),
        metric="precomputed",
        n_threads=threads,
        collapse_edges=collapse,
    )["dgms"]


def by_giotto_collapsed(problem: Problem, threads: int) -> list[np.ndarray]:
    return by_giotto(problem, threads, True)


def by_gudhi(problem: Problem, threads: int) -> list[np.ndarray]:
    from gudhi.sklearn.rips_persistence import RipsPersistence

    return RipsPersistence(
        list(range(problem.max_dimension + 1)),
        threshold=problem.threshold,
        input_type="point cloud" if problem.are_points else "full distance matrix",
        homology_coeff_field=2,
    ).fit_transform([problem.distances])[0]


def by_ripser_plus_plus(problem: Problem, threads: int) -> list[np.ndarray]:
    import ripserplusplus

    threshold = f" --threshold {problem.threshold}" if np.isfinite(problem.threshold) else ""
    options = f"--format distance --dim {problem.max_dimension}{threshold}"
    found = ripserplusplus.run(options, problem.distances.astype(np.float32))
    diagrams = []
    for d in range(problem.max_dimension + 1):
        bars = found.get(d, np.empty(0, "f4,f4"))
        diagrams.append(bars.view(np.float32).reshape(-1, 2).astype(float))
    return diagrams


def by_redzed(problem: Problem, threads: int) -> list[np.ndarray]:
    import redzed_tda

    return redzed_tda.rips(problem.distances, problem.max_dimension, problem.threshold)


PEERS: dict[str, tuple[Callable[[Problem, int], list[np.ndarray]], str]] = {
    "ripser": (by_ripser, "ripser"),
    "gph": (by_giotto, "giotto-ph"),
    "gph-collapse": (by_giotto_collapsed, "giotto-ph"),
    "gudhi": (by_gudhi, "gudhi"),
    "ripser++": (by_ripser_plus_plus, "ripserplusplus"),
    "redzed": (by_redzed, "redzed-tda"),
}


FINITE_ALONE = {"ripser++"}
"""Peers whose Python interface leaves essential bars out."""


def bars_of(diagrams: list[np.ndarray]) -> Bars:
    """Sorted bars by dimension, without those of length zero."""
    found = {}
    for d, bars in enumerate(diagrams):
        bars = np.asarray(bars, np.float64).reshape(-1, 2)
        bars = bars[bars[:, 0] < bars[:, 1]]
        found[d] = bars[np.lexsort(bars.T[::-1])]
    return found


def in_child(name: str, problem: Problem, threads: int, limit: int, answers: Any) -> None:
    """Process of a peer: import, warm up on a small input, compute once."""
    run = PEERS[name][0]
    run(Problem("trifle", np.ones((4, 4)) - np.eye(4), 1, np.inf), threads)
    until = limit + round(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (until, until))
    begin, begin_cpu = time.perf_counter(), time.process_time()
    diagrams = run(problem, threads)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    answers.put((bars_of(diagrams), seconds, cpu, peak))


def of_peer(name: str, problem: Problem, threads: int, limit: int) -> dict[str, Any]:
    """Bars, seconds, CPU seconds and peak bytes of a peer, or that it was stopped."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    child = context.Process(target=in_child, args=(name, problem, threads, limit, answers))
    child.start()
    try:
        while True:
            try:
                bars, seconds, cpu, peak = answers.get(timeout=0.5)
                break
            except queue.Empty:
                if not child.is_alive():
                    at_limit = child.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
                    return {"stopped_after": limit if at_limit else 0}
    finally:
        child.join()
    return {"bars": bars, "seconds": seconds, "cpu_seconds": cpu, "peak_bytes": peak}


# === this project


def measured(problem: Problem, times: int, **where: Any) -> dict[str, Any]:
    """Median and spread of the call after a warm-up, with its stages and its counts."""
    seconds, cpu, bars = [], [], None
    threshold = None if problem.threshold == np.inf else problem.threshold
    for _ in range(times + 1):
        begin, begin_cpu = time.perf_counter(), time.process_time()
        bars = sx.rips_barcodes(
            **{"points" if problem.are_points else "distances": problem.distances},
            max_dimension=problem.max_dimension,
            threshold=threshold,
            **where,
        )
        seconds.append(time.perf_counter() - begin)
        cpu.append(time.process_time() - begin_cpu)
    return {
        "bars": bars_of([bars.of_dimension(d) for d in range(problem.max_dimension + 1)]),
        "seconds": statistics.median(seconds[1:]),
        "spread": [min(seconds[1:]), max(seconds[1:])],
        "cpu_seconds": statistics.median(cpu[1:]),
        "stages": {name: round(part, 6) for name, part in bars.timings.items()},
        "statistics": bars.statistics,
    }


def on_gpu(problem: Problem, name: str, times: int, **how: Any) -> dict[str, Any]:
    import cupy

    with cupy.cuda.Device(int(name.partition(":")[2] or 0)) as gpu:
        pool = cupy.get_default_memory_pool()
        pool.free_all_blocks()
        case = measured(problem, times, device=name, **how)
        return {"machine": gpu_name(gpu.id), "device_bytes": pool.total_bytes(), **case}


def on_cpu(problem: Problem, threads: int, times: int, **how: Any) -> dict[str, Any]:
    case = measured(problem, times, device="cpu", threads=threads, **how)
    return {"machine": cpu_name(), "threads": threads, **case}


def same(a: Bars, b: Bars, scale: float, finite: bool = False) -> bool:
    """Whether bars are equal in float32, in which most peers compute; shorter ones are omitted.

    They are sorted after rounding, because births may become equal.
    """
    least = 1e-6 * scale
    a, b = (bars_of([each.astype(np.float32) for each in bars.values()]) for bars in (a, b))
    for d in a:
        x, y = (bars[d][bars[d][:, 1] - bars[d][:, 0] > least] for bars in (a, b))
        if finite:
            x, y = (bars[np.isfinite(bars[:, 1])] for bars in (x, y))
        if x.shape != y.shape or not np.allclose(x, y, rtol=1e-6, atol=least):
            return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the files in SETS")
    parser.add_argument("--sets", nargs="*", default=[])
    parser.add_argument("--loops", action="store_true", help="the sets of rips_loops.py")
    parser.add_argument("--points", action="store_true", help="points of --loops, not distances")
    parser.add_argument("--devices", nargs="*", default=["cpu"])
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--collapse", choices=["auto", "yes", "no"], default="auto")
    parser.add_argument("--peers", nargs="*", default=[], choices=list(PEERS))
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds of a peer")
    parser.add_argument("--output", type=Path, help="append one JSON line per case")
    options = parser.parse_args()
    collapse: Any = {"auto": "auto", "yes": True, "no": False}[options.collapse]
    good = True
    for problem in problems(options):
        peers = {
            name: of_peer(name, problem, options.threads, options.limit)
            for name in options.peers
            if not problem.are_points or (problem.threshold < np.inf and name != "redzed")
        }
        n, top = len(problem.distances), problem.max_dimension
        print(f"\n{problem.name}: {n} points, dimension {top}, up to {problem.threshold:g}")
        for name, found in peers.items():
            report_peer(f"{name} {version(PEERS[name][1])}", found)
        scale, expected = float(np.abs(problem.distances).max()), None
        for name in options.devices:
            if name == "cpu":
                case = on_cpu(problem, options.threads, options.times, collapse=collapse)
            else:
                case = on_gpu(problem, name, options.times, collapse=collapse)
            bars = case.pop("bars")
            expected = expected or bars
            case["equal"] = all(np.array_equal(bars[d], expected[d]) for d in bars)
            case["equal_to_peers"] = {
                peer: same(bars, found["bars"], scale, peer in FINITE_ALONE)
                for peer, found in peers.items()
                if "bars" in found
            }
            good &= case["equal"] and all(case["equal_to_peers"].values())
            report(name, case)
            line = {
                "date": date.today().isoformat(),
                "separatrix": sx.__version__,
                "set": problem.name,
                "points": n,
                "max_dimension": top,
                "threshold": None if problem.threshold == np.inf else problem.threshold,
                "from_points": problem.are_points,
                "device": name,
                **case,
                "bars": {d: len(found) for d, found in bars.items()},
                "peers": {
                    f"{peer} {version(PEERS[peer][1])}": {
                        key: value for key, value in found.items() if key != "bars"
                    }
                    for peer, found in peers.items()
                },
            }
            keep(line, options.output)
    print("\nall bars equal" if good else "\nBARS DIFFER")
    return 0 if good else 1


def report_peer(name: str, found: dict[str, Any]) -> None:
    if "seconds" not in found:
        print(f"  {name:24s} stopped after {found['stopped_after']:g} s")
        return
    print(
        f"  {name:24s} {found['seconds'] * 1e3:10.1f} ms, {found['cpu_seconds'] * 1e3:10.1f} ms of "
        f"CPU, {found['peak_bytes'] >> 20:,} MB"
    )


def report(name: str, case: dict[str, Any]) -> None:
    who = name + (f", {case['threads']} threads" if case.get("threads") else "")
    print(
        f"  {who:24s} {case['seconds'] * 1e3:10.1f} ms, {case['cpu_seconds'] * 1e3:10.1f} ms of CPU"
        + (f", {case['device_bytes'] >> 20:,} MB" if "device_bytes" in case else "")
    )
    for stage, seconds in case["stages"].items():
        print(f"      {stage:28s} {seconds * 1e3:10.2f}")
    for d, counts in enumerate(case["statistics"]["dimensions"]):
        print(f"      dimension {d}: {counts}")
    print(f"    equal {case['equal']}, to peers {case['equal_to_peers']}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
