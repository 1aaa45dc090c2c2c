"""How long do consumers of a mesh's relations wait, and how long do they compute?

    python benchmarks/mesh_consumers.py --edge 64 [--consumers 1 4 16] [--device cpu]
        [--output lines.jsonl]

The mesh is the jittered grid of mesh_relations.py, whose VV a stream computes in two threads.
Consumers find the local minima of a field in its batches: in a kernel on the GPU, or in a pool of
threads with NumPy, in a loop that Numba compiled (pip install numba), or in a Python loop. For each
kind of consumer, the script prints the total CPU seconds, the seconds that the dispatching thread
waits for the stream and for the oldest consumer, the seconds that consumers compute, and the mean,
median, and deviation of the number of batches that wait or are used. The run fails unless the
minima are those of critical_points.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from measure import cpu_name, gpu_name, keep
from mesh_memory import waves_on
from mesh_relations import jittered_grid

import separatrix as sx

KERNEL = """extern "C" __global__ void find_minima(int n, const long long* offsets,
    const int* items, const int* ids, const float* values, bool* is_minimum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bool lowest = true;
  for (long long k = offsets[i]; k < offsets[i + 1]; ++k) lowest &= values[ids[i]] < values[items[k]];
  is_minimum[ids[i]] = lowest;
}"""  # noqa: E501
Consumer = Callable[[sx.Rows], None]


def by_kernel(values: np.ndarray, found: Any) -> Consumer:
    """On the GPU, without copies to the host."""
    import cupy

    kernel, there = cupy.RawKernel(KERNEL, "find_minima"), cupy.asarray(values)

    def use(rows: sx.Rows) -> None:
        blocks = -(-len(rows) // 256)
        arrays = (rows.offsets, rows.items, rows.ids, there, found)
        kernel((blocks,), (256,), (np.int32(len(rows)), *arrays))
        cupy.cuda.get_current_stream().synchronize()

    return use


def by_numpy(values: np.ndarray, found: np.ndarray) -> Consumer:
    """On the CPU, in operations on whole arrays."""

    def use(rows: sx.Rows) -> None:
        items, offsets, ids = map(sx.to_host, (rows.items, rows.offsets, rows.ids))
        found[ids] = values[ids] < np.minimum.reduceat(values[items], offsets[:-1])

    return use


def by_numba(values: np.ndarray, found: np.ndarray) -> Consumer:
    """On the CPU, row by row in compiled code that releases the interpreter lock."""
    from numba import njit

    @njit(nogil=True)
    def find(ids: Any, offsets: Any, items: Any, values: Any, found: Any) -> None:
        for i in range(len(ids)):
            lowest = True
            for k in range(offsets[i], offsets[i + 1]):
                lowest &= values[ids[i]] < values[items[k]]
            found[ids[i]] = lowest

    def use(rows: sx.Rows) -> None:
        find(*map(sx.to_host, (rows.ids, rows.offsets, rows.items)), values, found)

    ids = np.zeros(0, np.int32)
    ids.flags.writeable = False  # as those of batches, for which it is compiled here
    offsets = np.zeros(1, np.int64)
    offsets.flags.writeable = False
    find(ids, offsets, ids, values, found)
    return use


def by_python(values: np.ndarray, found: np.ndarray) -> Consumer:
    """On the CPU, row by row."""
    plain = values.tolist()

    def use(rows: sx.Rows) -> None:
        items, offsets, ids = (sx.to_host(a).tolist() for a in (rows.items, rows.offsets, rows.ids))
        for i, point in enumerate(ids):
            own, neighbors = plain[point], items[offsets[i] : offsets[i + 1]]
            found[point] = all(own < plain[k] for k in neighbors)

    return use


def run(mesh: sx.TetMesh, use: Consumer, n_consumers: int) -> dict[str, Any]:
    """Seconds and numbers of batches of one stream with some consumers."""
    waiting = {"stream": 0.0, "consumers": 0.0}
    computing, lengths, pending = [], [], deque()

    def consume(rows: sx.Rows) -> None:
        begin = time.perf_counter()
        use(rows)
        computing.append(time.perf_counter() - begin)

    def oldest() -> None:
        begin = time.perf_counter()
        pending.popleft().result()
        waiting["consumers"] += time.perf_counter() - begin

    wall, process = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(n_consumers) as pool:
        batches = mesh.stream("VV", batch_bytes=1 << 18)
        while True:
            begin = time.perf_counter()
            batch = next(batches, None)
            waiting["stream"] += time.perf_counter() - begin
            if batch is None:
                break
            pending.append(pool.submit(consume, batch["VV"]))
            lengths.append(sum(not one.done() for one in pending))
            if len(pending) > 2 * n_consumers:
                oldest()
        while pending:
            oldest()
    wall, process = time.perf_counter() - wall, time.process_time() - process
    return {
        "consumers": n_consumers,
        "batches": len(lengths),
        "seconds": round(wall, 4),
        "cpu_seconds": round(process, 4),
        "waiting": {name: round(seconds, 4) for name, seconds in waiting.items()},
        "computing": round(sum(computing), 4),
        "queue": [round(float(f(lengths)), 2) for f in (np.mean, np.median, np.std)],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edge", type=int, default=64)
    parser.add_argument("--consumers", type=int, nargs="*", default=[1, 4, 16])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--output", type=Path, help="append one JSON line per run")
    options = parser.parse_args()
    points, tets = jittered_grid(options.edge)
    values, good = waves_on(options.edge, 0.05), True
    mesh = sx.TetMesh(points, tets, device=options.device)
    expected = sx.to_host(mesh.critical_points(values).types) == 0
    kinds = {"NumPy": by_numpy, "Python": by_python}
    if find_spec("numba"):
        kinds["Numba"] = by_numba
    if options.device != "cpu":
        kinds = {"kernel": by_kernel, **kinds}
    for kind, make in kinds.items():
        for n in options.consumers:
            found = np.zeros(len(points), bool)
            if kind == "kernel":
                import cupy

                found = cupy.asarray(found)
            case = {
                "date": date.today().isoformat(),
                "separatrix": sx.__version__,
                "machine": cpu_name() if options.device == "cpu" else gpu_name(),
                "tets": len(tets),
                "kind": kind,
                **run(mesh, make(values, found), n),
            }
            good &= bool((sx.to_host(found) == expected).all())
            print(keep(case, options.output), flush=True)
    print("all minima agree" if good else "MINIMA DIFFER")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
