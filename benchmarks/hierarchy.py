"""How long do all levels of a noisy volume take, and how much memory?

    python benchmarks/hierarchy.py normal-256 uniform-256 sine-160 --threads 2 [--output LINES]

Fields are KIND-SIZE: the smooth field of whole_complex.py plus "uniform" or "normal" noise of 1 %
of its range, "sine" (products of sines plus normal noise), or "white" noise. After all arcs, it
measures the hierarchy (graph included) with its parts, two other levels with critical cells, arcs,
and labels, and peak memory beyond that of the complex, on Linux. The run fails unless the log is
the same for all devices and numbers of threads. With --simplify-field, the extrema below the level
are removed from the field first, and the pairs at and above it are compared.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from fields import digest, smooth_noisy
from measure import Steps, cpu_name, gpu_name, keep

import separatrix as sx
from separatrix.device import to_host
from separatrix.morse import hierarchy

PARTS = ("pair_critical_cells", "pairs_in_order", "cancel_saddles")
LEVELS = {"sine": 0.3, "white": 0.3}  # 0.35 for other fields
TOLD = {"date", "separatrix", "field", "device", "threads", "machine", "seconds"}
MB = 2**20  # bytes


def field_of(name: str) -> np.ndarray:
    kind, size = name.split("-")
    n, random = int(size), np.random.default_rng(0)
    if kind == "white":
        return random.random((n, n, n)).astype(np.float32)
    if kind == "uniform":
        return smooth_noisy((n, n, n), 0.01)
    noise = random.standard_normal((n, n, n))
    if kind == "normal":
        return (smooth_noisy((n, n, n), 0.0) + 0.035 * noise).astype(np.float32)
    z, y, x = np.meshgrid(*[np.linspace(0, 1, n)] * 3, indexing="ij", sparse=True)
    return (np.sin(9 * x) * np.cos(7 * y) * np.sin(5 * z) + 0.05 * noise).astype(np.float32)


def status(name: str) -> float:
    """A line of the process's status in MB, or NaN."""
    path = Path("/proc/self/status")
    found = re.search(rf"{name}:\s*(\d+) kB", path.read_text()) if path.exists() else None
    return int(found[1]) / 1024 if found else float("nan")


def reset_peak() -> float:
    """Return the memory in use; the peak begins there."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return float("nan")
    return status("VmRSS")


def pairs_above(level: float, complex: sx.MorseSmaleComplex) -> Counter[tuple[float, ...]]:
    pairs = complex.pair()
    columns = (pairs.dimension, pairs.birth, pairs.death)
    chosen = sx.to_host(pairs.persistence) >= level
    return Counter(zip(*(sx.to_host(column)[chosen].tolist() for column in columns), strict=True))


def simplified_first(
    values: np.ndarray, level: float, rematch: bool, threads: int
) -> dict[str, Any]:
    where = {"device": "cpu", "threads": threads}
    steps, raw = Steps(lambda: None), sx.morse_smale(values, **where)
    field = steps("simplified field", lambda: sx.simplify_field(values, persistence=level, **where))
    first = sx.morse_smale(field.values, order=field.order, **where)
    steps("arcs", first.trace_arcs)
    simple = steps("hierarchy", lambda: first.simplify(level, rematch_saddles=rematch))
    plain = raw.simplify(level, rematch_saddles=rematch)
    expected, found = (pairs_above(level, each) for each in (raw, simple))
    return {
        "machine": cpu_name(),
        "seconds": rounded(steps),
        "level": level,
        "counts_at_level": plain.critical.counts,
        "counts_if_simplified_first": simple.critical.counts,
        "pairs_above": expected.total(),
        "pairs_above_that_changed": (expected - found).total(),
    }


def measured(
    values: Any, level: float, rematch: bool, steps: Steps, **where: Any
) -> dict[str, Any]:
    complex = sx.morse_smale(values, **where)
    steps("arcs", complex.trace_arcs)
    before = reset_peak()
    parts = {name: getattr(hierarchy, name) for name in PARTS}
    for name, run in parts.items():
        timed = lambda *given, name=name, run=run: steps(f"  {name}", lambda: run(*given))  # noqa: E731
        setattr(hierarchy, name, timed)
    simple = steps("hierarchy", lambda: complex.simplify(level, rematch_saddles=rematch))
    for name, run in parts.items():
        setattr(hierarchy, name, run)
    peak = status("VmHWM") - before
    steps("first labels", lambda: shown(complex, 0.5 * level, rematch))
    steps("another level", lambda: shown(complex, 0.7 * level, rematch))
    log = simple._labels.hierarchy._log  # equal for all devices and threads
    log = log._replace(**{name: to_host(getattr(log, name)) for name in log._fields})
    log = log._replace(turned=np.sort(log.turned))
    return {
        "seconds": rounded(steps),
        "counts": complex.critical.counts,
        "level": level,
        "counts_at_level": simple.critical.counts,
        "skipped": simple.skipped.counts,
        "bytes_per_voxel": round(peak * MB / values.size, 1),
        "log": digest(*log),
    }


def rounded(steps: Steps) -> dict[str, list[float]]:
    return {name: [round(part, 4) for part in both] for name, both in steps.seconds.items()}


def shown(complex: sx.MorseSmaleComplex, level: float, rematch: bool) -> None:
    simple = complex.simplify(level, rematch_saddles=rematch)
    _ = simple.critical, simple.arcs
    for kind in ("ascending", "descending", "morse_smale"):
        simple.segmentation(kind)


def run_on(
    values: np.ndarray, level: float, rematch: bool, device: str, threads: int
) -> dict[str, Any]:
    if device == "cpu":
        case = measured(values, level, rematch, Steps(lambda: None), device="cpu", threads=threads)
        return {"machine": cpu_name(), **case}
    import cupy

    wait = cupy.cuda.Device().synchronize
    resident = cupy.asarray(values)
    measured(resident, level, rematch, Steps(wait), threads=threads)  # compiles
    return {
        "machine": gpu_name(0),
        **measured(resident, level, rematch, Steps(wait), threads=threads),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fields", nargs="+", help="KIND-SIZE: uniform, normal, sine, white")
    parser.add_argument("--devices", nargs="*", default=["cpu"], choices=["cpu", "cuda"])
    parser.add_argument("--threads", type=int, nargs="+", default=[2])
    parser.add_argument("--rematch", action="store_true", help="as in ParaView")
    parser.add_argument("--simplify-field", action="store_true", help="first, on the CPU")
    parser.add_argument("--output", type=Path, help="append one JSON line per case")
    options = parser.parse_args()
    good = True
    for name in options.fields:
        values, level = field_of(name), LEVELS.get(name.split("-")[0], 0.35)
        logs = set()
        for device in options.devices:
            for threads in options.threads:
                run = simplified_first if options.simplify_field else partial(run_on, device=device)
                case = {
                    "date": date.today().isoformat(),
                    "separatrix": sx.__version__,
                    "field": name,
                    "device": device,
                    "threads": threads,
                    "rematch": options.rematch,
                    **run(values, level, options.rematch, threads=threads),
                }
                logs.add(case.get("log"))
                report(case)
                keep(case, options.output)
        good &= len(logs) == 1
    print("all logs equal" if good else "LOGS DIFFER")
    return 0 if good else 1


def report(case: dict[str, Any]) -> None:
    print(f"{case['field']}, {case['device']}, {case['threads']} threads ({case['machine']})")
    for name, (wall, cpu) in case["seconds"].items():
        print(f"    {name:20s} {wall:9.3f} s, CPU {cpu:9.3f} s")
    for key, value in case.items():
        if key not in TOLD:
            print(f"    {key:20s} {value}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
