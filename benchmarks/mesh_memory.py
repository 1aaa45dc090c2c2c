"""How much memory and time do analyses of a mesh take, as a whole and in packets of segments?

    python benchmarks/mesh_memory.py --edges 64 --limits 0 64M 16M [--device cpu] [--steps ...]
        [--output lines.jsonl]

The mesh is the jittered grid of mesh_relations.py with EDGE points along each axis (439: 500
million tetrahedra), in NumPy arrays, with waves and noise. For each limit in bytes (0: none), the
script prints the seconds and process seconds of a new mesh and of each step, and the peak memory
during the step: the increase on the host (Linux), and the total on the GPU, with CUDA's own. Steps
use the results of earlier steps; a step that is selected without them includes the gradient, and
the step "from arrays" is a new mesh with its critical points and its gradient, with the memory of
the GPU over time. With --mapped, the arrays are memory maps of files. Unless --cold is given, a
small mesh loads all kernels first. The run fails unless the results of all limits have the same
bits.
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
from fields import digest
from measure import cpu_name, gpu_name, keep
from mesh_relations import jittered_grid

import separatrix as sx

UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}
STEPS = (
    "critical points",
    "gradient",
    "critical cells",
    "segmentation",
    "arcs",
    "hierarchy",
    "diagram",
)
FROM_ARRAYS = "from arrays"
SMALL_EDGE, SMALL_LIMIT = 40, 28_000_000  # a mesh that is processed like one with a limit
TRACE_SECONDS = 0.1
LEVEL = 0.9  # of the hierarchy, between the noise and the waves


def waves_on(edge: int, noise: float, empty: Any = np.empty) -> np.ndarray:
    """A value (edge^3,) float32 for each point of the grid, waves a few dozen edges long."""
    along = np.arange(edge, dtype=np.float32) / 9
    x, y, z = np.sin(along), np.sin(1.3 * along), np.cos(1.1 * along)
    values = empty((edge,) * 3, np.float32)
    np.random.default_rng(1).random(dtype=np.float32, out=values)
    values *= np.float32(noise)
    values += x
    values += (y[None, :] * z[:, None])[:, :, None]
    return values.reshape(-1)


def mapped(folder: Path, name: str, array: np.ndarray) -> np.ndarray:
    """Return a memory map of a file with the array's values."""
    np.save(folder / f"{name}.npy", array)
    return np.load(folder / f"{name}.npy", mmap_mode="r")


def status(name: str) -> int:
    """Bytes of this process, as Linux knows them."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) * 1024


@contextmanager
def gpu_use(device: str) -> Iterator[list[tuple[float, int]]]:
    """A list of seconds and bytes in use on the GPU, in all, which grows every 10 ms."""
    trace: list[tuple[float, int]] = []
    if device == "cpu":
        yield trace
        return
    import cupy

    begin, stop = time.perf_counter(), Event()

    def look() -> None:
        free, total = cupy.cuda.runtime.memGetInfo()
        trace.append((time.perf_counter() - begin, total - free))

    def watch() -> None:
        while not stop.wait(0.01):
            look()

    look()
    thread = Thread(target=watch, daemon=True)
    thread.start()
    yield trace
    stop.set()
    thread.join()
    look()


def by_steps(trace: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """The highest number of megabytes in each TRACE_SECONDS."""
    highest: dict[int, int] = {}
    for seconds, n_bytes in trace:
        step = int(seconds / TRACE_SECONDS)
        highest[step] = max(highest.get(step, 0), n_bytes // 10**6)
    return [(round(TRACE_SECONDS * step, 1), n) for step, n in highest.items()]


class Meter:
    """Seconds and memory of steps: ``cases``."""

    def __init__(self, device: str):
        self.device, self.cases = device, {}

    def __call__(self, name: str, run: Callable[[], Any]) -> Any:
        gc.collect()
        before = status("VmRSS")
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
        with gpu_use(self.device) as trace:
            wall, process = time.perf_counter(), time.process_time()
            result = run()
            if self.device != "cpu":
                import cupy

                cupy.cuda.get_current_stream().synchronize()
            wall, process = time.perf_counter() - wall, time.process_time() - process
        self.cases[name] = {
            "seconds": round(wall, 3),
            "cpu_seconds": round(process, 3),
            "host_bytes": status("VmHWM") - before,
            "gpu_bytes": max((n_bytes for _, n_bytes in trace), default=None),
        }
        if name == FROM_ARRAYS and trace:
            self.cases[name]["gpu_megabytes"] = by_steps(trace)
        print(f"  {name:16}", self.cases[name], flush=True)
        return result


def one_run(
    points: np.ndarray, tets: np.ndarray, values: np.ndarray, steps: list[str], given: Any
) -> tuple[dict[str, Any], list[str]]:
    """Seconds and memory of each step, and digests of the results."""
    timed, found = Meter(given["device"]), []
    if FROM_ARRAYS in steps:

        def both() -> tuple[sx.MeshCriticalPoints, sx.DiscreteGradient]:
            mesh = sx.TetMesh(points, tets, **given)
            return mesh.critical_points(values), mesh.discrete_gradient(values)

        links, gradient = timed(FROM_ARRAYS, both)
        found += [
            digest(sx.to_host(links.types), sx.to_host(links.vector)),
            digest(*map(sx.to_host, gradient.codes())),
        ]
        del links, gradient
    if steps == [FROM_ARRAYS]:
        return timed.cases, found
    mesh = timed("mesh", lambda: sx.TetMesh(points, tets, **given))
    gradient = None
    if "critical points" in steps:
        links = timed("critical points", lambda: mesh.critical_points(values))
        found.append(digest(sx.to_host(links.types), sx.to_host(links.vector)))
        del links
    if "gradient" in steps:
        gradient = timed("gradient", lambda: mesh.discrete_gradient(values))
        found.append(digest(*map(sx.to_host, gradient.codes())))
    if "critical cells" in steps:
        made = gradient
        critical = timed(
            "critical cells", lambda: (made or mesh.discrete_gradient(values)).critical
        )
        found.append(digest(sx.to_host(critical.position), sx.to_host(critical.on_boundary)))

    def complex_of() -> sx.MorseSmaleComplex:
        return mesh.morse_smale(values) if gradient is None else sx.MorseSmaleComplex(gradient)

    if "segmentation" in steps:
        labels = timed("segmentation", lambda: complex_of().segmentation("morse_smale"))
        found.append(digest(sx.to_host(labels)))
    if "arcs" in steps:
        arcs = timed("arcs", lambda: complex_of().arcs)
        found.append(digest(sx.to_host(arcs.upper), sx.to_host(arcs.lower)))
    if "hierarchy" in steps:
        traced = complex_of()
        traced.trace_arcs()
        level = timed("hierarchy", lambda: traced.simplify(LEVEL))
        found.append(digest(sx.to_host(level.critical.position)))
        del traced, level
    if "diagram" in steps:
        gradient = None
        pairs = timed("diagram", lambda: mesh.persistence_diagram(values))
        found.append(digest(sx.to_host(pairs.birth), sx.to_host(pairs.death)))
    return timed.cases, found


def bytes_of(text: str) -> int:
    """A number of bytes, such as 64M."""
    unit = UNITS.get(text[-1:].upper(), 1)
    return int(float(text[:-1] if unit > 1 else text) * unit)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--edges", type=int, nargs="*", default=[64])
    parser.add_argument("--limits", type=bytes_of, nargs="*", default=[0, 64_000_000, 16_000_000])
    parser.add_argument("--segment-sizes", type=int, nargs="*", default=[100])
    parser.add_argument("--steps", nargs="*", default=list(STEPS), choices=(*STEPS, FROM_ARRAYS))
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--noise", type=float, default=0.05)
    parser.add_argument("--pinned", action="store_true", help="host arrays that the GPU reads fast")
    parser.add_argument("--mapped", type=Path, help="a folder for the arrays, as files")
    parser.add_argument("--cold", action="store_true", help="without a small mesh first")
    parser.add_argument("--output", type=Path, help="append one JSON line per limit")
    options = parser.parse_args()
    good, empty = True, np.empty
    if options.pinned:
        from cupyx import empty_pinned as empty
    if options.device != "cpu" and not options.cold:
        small = jittered_grid(SMALL_EDGE), waves_on(SMALL_EDGE, options.noise)
        for limit in {SMALL_LIMIT if limit else None for limit in options.limits}:
            given = {"device": options.device, "threads": None, "memory_limit": limit}
            one_run(*small[0], small[1], options.steps, given)
        sx.release_memory()
    for edge in options.edges:
        points, tets = jittered_grid(edge, empty)
        values = waves_on(edge, options.noise, empty)
        if options.mapped:
            given_arrays = {"points": points, "tets": tets, "values": values}
            points, tets, values = (mapped(options.mapped, *item) for item in given_arrays.items())
        bits = set()
        for limit, size in [(n, k) for n in options.limits for k in options.segment_sizes]:
            given = {
                "device": options.device,
                "threads": options.threads,
                "memory_limit": limit or None,
                "segment_size": size,
            }
            print(f"{len(tets):,} tetrahedra, limit {limit:,}, segments of {size}", flush=True)
            steps, found = one_run(points, tets, values, options.steps, given)
            bits.add(tuple(found))
            case = {
                "date": date.today().isoformat(),
                "separatrix": sx.__version__,
                "machine": cpu_name() if options.device == "cpu" else gpu_name(),
                "tets": len(tets),
                "pinned": options.pinned,
                "mapped": options.mapped is not None,
                "cold": options.cold,
                "memory_limit": limit,
                "segment_size": size,
                "steps": steps,
                "peak_host_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            }
            keep(case, options.output)
        good &= len(bits) == 1
    print("all results agree" if good else "RESULTS DIFFER")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
