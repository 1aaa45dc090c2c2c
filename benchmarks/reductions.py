"""How fast are sums over pairs, dense and block-sparse, and densities on an image?

    python benchmarks/reductions.py --devices cpu [--peers pykeops] [--output lines.jsonl]

The cases use float32 and uniform points in the unit cube from a seeded generator: dense Gaussian
sums of n by n points in several dimensions, with each ``math``; a Gaussian sum truncated at 4
sigma, with and without the pattern of pairs; reductions of a formula of variables; and the density
of atoms on an image. Peers compute the same sums in the same run: pykeops on the CPU, its
LazyTensor by the same lines as the variables, and on a GPU the dense sum in CuPy, PyTorch (eager
and compiled), and Triton (pykeops 2.3 does not build with CUDA 13). The run fails if the sums
differ by more than float32 explains, or if exact results of devices and threads differ in one bit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from fields import digest
from measure import cpu_name, gpu_name, keep

import separatrix as sx

N_ATOMS = 677_040  # as many as 1IHM has in its capsid
SIGMA = 0.02  # of the dense sums, in three dimensions: far pairs round to 0
WIDE = 0.5  # no pair does


def points(n: int, seed: int = 11, dimensions: int = 3) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.random((n, dimensions), np.float32), random.random(n, np.float32)


def relative_error(found: Any, expected: np.ndarray) -> float:
    error = np.abs(sx.to_host(found) - expected.astype(np.float64))
    return float(error.max() / expected.max())


class Clock:
    """Wall and CPU seconds of repetitions, after one that warms up."""

    def __init__(self, times: int, synchronize: Callable[[], None]):
        self.times, self.synchronize = times, synchronize

    def __call__(self, run: Callable[[], Any]) -> tuple[Any, dict[str, Any]]:
        result = run()
        self.synchronize()
        wall, cpu = [], []
        for _ in range(self.times):
            begin, begin_cpu = time.perf_counter(), time.process_time()
            result = run()
            self.synchronize()
            wall.append(time.perf_counter() - begin)
            cpu.append(time.process_time() - begin_cpu)
        return result, {
            "seconds": statistics.median(wall),
            "spread": [min(wall), max(wall)],
            "cpu_seconds": min(cpu),
        }


def dense_case(
    n: int,
    put: Callable,
    clock: Clock,
    dimensions: int = 3,
    sigma: float = SIGMA,
    **where: Any,
) -> tuple[Any, dict[str, Any]]:
    x, b = map(put, points(n, dimensions=dimensions))
    wide = f", sigma {sigma:g}" if sigma != SIGMA else ""
    sigma *= (dimensions / 3) ** 0.5
    found, case = clock(lambda: sx.reduce("gaussian", x, x, b, sigma=sigma, **where))
    name = f"dense {n:,}" + (f" in {dimensions} dimensions" if dimensions != 3 else "")
    return found, {"case": name + wide, "pairs": n * n, **case}


def sparse_case(n: int, put: Callable, clock: Clock, **where: Any) -> tuple[Any, dict[str, Any]]:
    """As many neighbors a point at every n: 1.6e9 pairs at a million points."""
    sigma = 0.01 * (1e6 / n) ** (1 / 3)
    x, b = map(put, points(n))
    radius = 4 * sigma
    on = {key: where[key] for key in ("device", "threads")}
    pattern, made = clock(lambda: sx.BlockPattern.from_cells(x, x, radius, **on))
    found, case = clock(lambda: sx.reduce("gaussian", x, x, b, sigma=sigma, radius=radius, **where))
    return found, {
        "case": f"cut at 4 sigma, {n:,}",
        "pairs": pattern.n_pairs,
        "sigma": sigma,
        "pattern_seconds": made["seconds"],
        **case,
    }


def symbolic(variable: Callable, x: Any, b: Any, **where: Any) -> dict[str, Callable[[], Any]]:
    """Reductions of formulas of variables, which are those of separatrix or of pykeops, by name."""
    x_i, x_j, b_j = (variable(array) for array in (x[:, None], x[None], b[None, :, None]))
    d2 = ((x_i - x_j) ** 2).sum(-1)
    gaussian = (-d2 / (2 * SIGMA**2)).exp()
    least = getattr(d2, "Kmin", None) or d2.kmin
    return {
        "product": lambda: (gaussian * b_j).sum(axis=1, **where),
        "mean shift": lambda: ((x_j - x_i) * gaussian).sum(axis=1, **where),
        "log-sum-exp": lambda: gaussian.logsumexp(axis=1, **where),
        "10 least": lambda: least(10, 1, **where),
    }


SYMBOLIC = ("product", "mean shift", "log-sum-exp", "10 least")


def symbolic_case(n: int, what: str, put: Callable, clock: Clock, **where: Any) -> tuple[Any, dict]:
    """A reduction by variables, with the time of building its tree, compiled before."""
    arrays = tuple(map(put, points(n)))
    found, case = clock(lambda: symbolic(sx.variables, *arrays, **where)[what]())
    return found, {"case": f"variables, {what}, {n:,}", "pairs": n * n, **case}


def of_lazy_tensor(n: int, what: str, clock: Clock) -> tuple[Any, dict]:
    """The same by pykeops' LazyTensor on the CPU, compiled before."""
    from pykeops.numpy import LazyTensor

    found, case = clock(lambda: symbolic(LazyTensor, *points(n))[what]())
    return found, {"peer": f"pykeops {version('pykeops')}", "pairs": n * n, **case}


def density_case(grid: int, put: Callable, clock: Clock, **where: Any) -> tuple[Any, dict]:
    x, _ = points(N_ATOMS)
    atoms = put(x * np.float32(grid))
    box = {"dimensions": (grid,) * 3, "origin": (0, 0, 0), "spacing": (1, 1, 1)}
    found, case = clock(lambda: sx.density(atoms, sigma=1.0, **box, **where).values)
    return found, {"case": f"density of {N_ATOMS:,} on {grid}^3", **case}


def of_pykeops(n: int, sigma: float, radius: float | None, clock: Clock) -> tuple[Any, dict]:
    """The same sums by pykeops on the CPU; with a radius, by its clusters and ranges."""
    from pykeops.numpy import LazyTensor
    from pykeops.numpy.cluster import (
        cluster_ranges_centroids,
        from_matrix,
        grid_cluster,
        sort_clusters,
    )

    x, b = points(n)
    order = np.arange(n)
    ranges = None
    begin = time.perf_counter()
    if radius is not None:
        labels = grid_cluster(x, radius)
        spans, centroids, _ = cluster_ranges_centroids(x, labels)
        (x, b, order), _ = sort_clusters((x, b, order), labels)
        apart = np.abs(centroids[:, None, :] - centroids[None, :, :]).max(-1)
        ranges = from_matrix(spans, spans, apart < 2 * radius)
    seconds = time.perf_counter() - begin

    def run() -> np.ndarray:
        x_i, x_j = LazyTensor(x[:, None, :]), LazyTensor(x[None, :, :])
        kernel = (-((x_i - x_j) ** 2).sum(-1) / (2 * sigma**2)).exp()
        if ranges is not None:
            kernel.ranges = ranges
        return (kernel @ b[:, None]).ravel()

    found, case = clock(run)
    in_order = np.empty_like(found)
    in_order[order] = found
    return in_order, {"peer": f"pykeops {version('pykeops')}", "pattern_seconds": seconds, **case}


def of_cupy(n: int, sigma: float, clock: Clock) -> tuple[Any, dict]:
    """The dense sum written in CuPy, 4,000 rows at a time."""
    import cupy

    x, b = map(cupy.asarray, points(n))

    def run() -> Any:
        out = cupy.empty(n, np.float32)
        for begin in range(0, n, 4000):
            rows = x[begin : begin + 4000]
            d2 = ((rows[:, None, :] - x[None]) ** 2).sum(-1)
            out[begin : begin + 4000] = cupy.exp(-d2 / (2 * sigma**2)) @ b
        return out

    found, case = clock(run)
    return sx.to_host(found), {"peer": f"CuPy {cupy.__version__}, dense", **case}


def of_torch(n: int, sigma: float, clock: Clock, is_compiled: bool) -> tuple[Any, dict]:
    """The dense sum in one line of PyTorch: compiled, or eager with 4,000 rows at a time."""
    import torch

    x, b = (torch.from_numpy(array).cuda() for array in points(n))

    def sums(rows: Any) -> Any:
        d2 = ((rows[:, None, :] - x[None]) ** 2).sum(-1)
        return (torch.exp(-d2 / (2 * sigma**2)) * b).sum(1)

    compiled = torch.compile(sums)

    def run() -> Any:
        if is_compiled:
            return compiled(x)
        return torch.cat([sums(x[begin : begin + 4000]) for begin in range(0, n, 4000)])

    found, case = clock(run)
    kind = "compiled" if is_compiled else "eager"
    return found.cpu().numpy(), {"peer": f"PyTorch {torch.__version__}, {kind}", **case}


def of_triton(n: int, sigma: float, clock: Clock) -> tuple[Any, dict]:
    """The dense sum as a fused kernel in Triton."""
    import torch
    import triton
    from fused_gaussian import gaussian_sums

    x, b = (torch.from_numpy(array).cuda() for array in points(n))
    axes = [x[:, axis].contiguous() for axis in range(3)]
    out = torch.empty(n, device="cuda")
    found, case = clock(lambda: gaussian_sums(axes, b, sigma, out))
    return found.cpu().numpy(), {"peer": f"Triton {triton.__version__}", **case}


GPU_PEERS = {
    "cupy": of_cupy,
    "torch": partial(of_torch, is_compiled=False),
    "torch-compiled": partial(of_torch, is_compiled=True),
    "triton": of_triton,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--devices", nargs="+", default=["cpu"])
    parser.add_argument("--threads", type=int, nargs="+", default=[os.cpu_count() or 1])
    parser.add_argument("--dense", type=int, default=20_000)
    parser.add_argument("--dimensions", type=int, nargs="+", default=[3], help="of dense sums")
    parser.add_argument("--sparse", type=int, default=100_000)
    parser.add_argument("--grid", type=int, default=128, help="voxels along each side")
    parser.add_argument("--peers", nargs="*", default=[], choices=["pykeops", *GPU_PEERS])
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--output", type=Path, help="append one JSON line per case")
    options = parser.parse_args()
    good, expected = True, {}
    for name in options.devices:
        for threads in options.threads if name == "cpu" else [None]:
            put, clock, machine = _place(name, options.times)
            where = {"device": name, "threads": threads}
            cases = [
                *(partial(dense_case, options.dense, dimensions=d) for d in options.dimensions),
                partial(dense_case, options.dense, sigma=WIDE),
                partial(sparse_case, options.sparse),
                *(partial(symbolic_case, options.dense, what) for what in SYMBOLIC),
                partial(density_case, options.grid),
            ]
            for run in cases:
                found, case = run(put, clock, **where)
                host = sx.to_host(found)
                case |= {"device": name, "threads": threads, "machine": machine}
                case["digest"] = digest(host)
                expected.setdefault(case["case"], (case["digest"], host))
                case["equal"] = case["digest"] == expected[case["case"]][0]
                good &= case["equal"]
                _report(case, options.output)
                if name == "cpu" or run.func not in (dense_case, sparse_case):
                    continue
                for math, most in {"fast": 1e-5, "tensor": 2e-3}.items():
                    if math == "tensor" and run.func is not dense_case:
                        continue
                    found, case = run(put, clock, math=math, **where)
                    case["relative_error"] = relative_error(found, host)
                    case |= {"device": name, "machine": machine, "math": math}
                    good &= case["relative_error"] < most
                    _report(case, options.output)
    for peer in options.peers:
        good &= _measure_peer(peer, options, expected)
    print("\nall results agree" if good else "\nRESULTS DIFFER")
    return 0 if good else 1


def _place(name: str, times: int) -> tuple[Callable, Clock, str]:
    if name == "cpu":
        return np.asarray, Clock(times, lambda: None), cpu_name()
    import cupy

    synchronize = cupy.cuda.Device(int(name.partition(":")[2] or 0)).synchronize
    return cupy.asarray, Clock(times, synchronize), gpu_name()


def _measure_peer(peer: str, options: argparse.Namespace, expected: dict) -> bool:
    """Whether the sums of a peer equal `expected` to the accuracy of float32."""
    _, clock, machine = _place("cuda" if peer in GPU_PEERS else "cpu", options.times)
    sparse_sigma = 0.01 * (1e6 / options.sparse) ** (1 / 3)
    runs = {f"dense {options.dense:,}": (options.dense, SIGMA, None)}
    if peer == "pykeops":
        sparse = f"cut at 4 sigma, {options.sparse:,}"
        runs[sparse] = (options.sparse, sparse_sigma, 4 * sparse_sigma)
    good = True
    for what in SYMBOLIC if peer == "pykeops" else ():
        case = f"variables, {what}, {options.dense:,}"
        found, measured = of_lazy_tensor(options.dense, what, clock)
        error = relative_error(found.reshape(expected[case][1].shape), expected[case][1])
        measured |= {"case": case, "device": "peer", "machine": machine, "relative_error": error}
        good &= error < 1e-4
        _report(measured, options.output)
    for case, (n, sigma, radius) in runs.items():
        if peer in GPU_PEERS:
            found, measured = GPU_PEERS[peer](n, sigma, clock)
        else:
            found, measured = of_pykeops(n, sigma, radius, clock)
        # A sum that pykeops does not cut has the tails of every pair of cells that it visits.
        error = relative_error(found, expected[case][1])
        measured |= {"case": case, "device": "peer", "machine": machine, "relative_error": error}
        good &= error < (1e-4 if radius is None else 0.02)
        _report(measured, options.output)
    return good


def _report(case: dict[str, Any], output: Path | None) -> None:
    who = case.get("peer") or case["device"]
    who += f", {case['threads']} threads" if case.get("threads") else ""
    who += f", {case['math']}" if case.get("math") else ""
    rate = f"{case['pairs'] / case['seconds'] / 1e9:8.1f} Gpair/s" if case.get("pairs") else ""
    made = f", pattern {case['pattern_seconds'] * 1e3:.2f} ms" if "pattern_seconds" in case else ""
    print(
        f"{case['case']:32s} {who:28s} {case['seconds'] * 1e3:10.2f} ms wall "
        f"{case['cpu_seconds'] * 1e3:10.1f} ms CPU {rate}{made}",
        flush=True,
    )
    keep({"date": date.today().isoformat(), "separatrix": sx.__version__, **case}, output)


if __name__ == "__main__":
    sys.exit(main())
