"""How fast are the whole Morse-Smale complex of a volume, its diagram, and a threshold slider?

    python benchmarks/whole_complex.py --sizes 128 --devices cpu [--peers] [--output lines.jsonl]

The following steps are timed for values on the device: all arcs with their multiplicities, which
includes the gradient; the persistence diagram; the hierarchy (once); and one step of the slider,
which computes critical cells, arcs, lines to extrema, and the three segmentations at a new level.
The peers are Cubical Ripser and GUDHI on the same values. The run fails unless the diagrams and all
devices and numbers of threads agree.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from fields import digest, volumes_of
from measure import cpu_name, gpu_name, keep, least_limit

import separatrix as sx

LEVELS = (0.01, 0.02, 0.05, 0.1, 0.2)  # parts of the range, the slider's places
Bars = dict[int, np.ndarray]


def slider_step(complex: sx.MorseSmaleComplex, level: float) -> sx.MorseSmaleComplex:
    """The results that a filter updates when its threshold changes."""
    simplified = complex.simplify(level, relative=True)
    _ = simplified.critical, simplified.arcs
    for kind in ("ascending", "descending", "morse_smale"):
        simplified.segmentation(kind)
    for kind in ("ascending", "descending"):
        simplified.separatrices(1, kind)
    return simplified


def digests(complex: sx.MorseSmaleComplex, steps: list[sx.MorseSmaleComplex]) -> dict[str, str]:
    """One digest a result; equal on every device."""
    arcs, pairs = complex.arcs, complex.persistence_pairs
    return {
        "arcs": digest(arcs.upper, arcs.lower, arcs.multiplicity),
        "pairs": digest(pairs.dimension, pairs.birth_cell, pairs.death_cell),
        "simplified": digest(
            *(part for s in steps for part in (s.critical.cell_id, s.arcs.upper, s.arcs.lower)),
            *(s.segmentation("morse_smale") for s in steps),
        ),
    }


def bars_of(diagram: sx.PersistenceDiagram) -> Bars:
    """Sorted bars of nonzero length by dimension."""
    dimension, birth, death = map(sx.to_host, (diagram.dimension, diagram.birth, diagram.death))
    return {d: sorted_bars(birth[dimension == d], death[dimension == d]) for d in range(3)}


def sorted_bars(birth: np.ndarray, death: np.ndarray) -> np.ndarray:
    keep = birth != death
    bars = np.column_stack([birth[keep], death[keep]]).astype(np.float64)
    return bars[np.lexsort(bars.T)]


def cubical_ripser(values: np.ndarray) -> Bars:
    import cripser

    pairs = cripser.computePH(values.astype(np.float64), maxdim=2)
    death = np.where(pairs[:, 2] > 1e300, np.inf, pairs[:, 2])
    return {d: sorted_bars(*(c[pairs[:, 0] == d] for c in (pairs[:, 1], death))) for d in range(3)}


def gudhi_cubical(values: np.ndarray) -> Bars:
    import gudhi

    complex = gudhi.CubicalComplex(vertices=values.astype(np.float64))
    complex.compute_persistence()
    bars = (complex.persistence_intervals_in_dimension(d) for d in range(3))
    return {d: sorted_bars(*np.reshape(b, (-1, 2)).T) for d, b in enumerate(bars)}


PEERS = {"cripser": cubical_ripser, "gudhi": gudhi_cubical}


def of_peers(values: np.ndarray, names: list[str]) -> tuple[dict[str, float], dict[str, Bars]]:
    """Wall seconds (CPU seconds are the same, they run on one thread) and bars of each peer."""
    seconds, bars = {}, {}
    for name in names:
        begin = time.process_time()
        bars[name] = PEERS[name](values)
        seconds[f"{name} {version(name)}"] = time.process_time() - begin
    return seconds, bars


def measured(values: Any, times: int, synchronize: Callable[[], None], **where: Any) -> dict:
    """Medians and spreads of the four timed things, stages, counts and digests."""
    seconds: dict[str, list[float]] = defaultdict(list)
    stages: dict[str, list[float]] = defaultdict(list)

    def timed(name: str, run: Callable[[], Any]) -> Any:
        begin = time.perf_counter()
        result = run()
        synchronize()
        seconds[name].append(time.perf_counter() - begin)
        return result

    diagram = complex = steps = None
    for _ in range(times + 1):
        diagram = complex = steps = None  # what they held is there for the next
        diagram = timed("diagram", lambda: sx.persistence_diagram(values, **where))
        complex = timed("arcs", lambda: with_arcs(values, **where))
        timed("hierarchy", lambda c=complex: c.simplify(LEVELS[0], relative=True).critical)
        timed("first slider step", lambda c=complex: slider_step(c, LEVELS[0]))
        steps = [
            timed("slider step", lambda c=complex, level=level: slider_step(c, level))
            for level in LEVELS[1:]
        ]
        for name, part in complex.timings.items():
            stages[name].append(part)
    arcs = complex.arcs
    return {
        "seconds": {name: statistics.median(all_[1:]) for name, all_ in seconds.items()},
        "spread": {name: [min(all_[1:]), max(all_[1:])] for name, all_ in seconds.items()},
        "stages": {name: round(statistics.median(all_[1:]), 6) for name, all_ in stages.items()},
        "counts": complex.critical.counts,
        "arcs": len(arcs.upper),
        "largest_multiplicity": int(arcs.multiplicity.max()) if len(arcs.upper) else 0,
        "simplified_counts": [step.critical.counts for step in steps],
        "skipped": [step.skipped.counts for step in steps],
        "digests": digests(complex, steps),
        "bars": bars_of(diagram),
    }


def arcs_alone(
    values: Any, times: int, synchronize: Callable[[], None], **where: Any
) -> dict[str, Any]:
    """The same for volumes of which the hierarchy would take too long: gradient to arcs."""
    seconds = []
    for _ in range(times + 1):
        complex = None
        begin = time.perf_counter()
        complex = with_arcs(values, **where)
        synchronize()
        seconds.append(time.perf_counter() - begin)
    arcs = complex.arcs
    columns = (arcs.upper, arcs.lower, arcs.multiplicity)
    return {
        "seconds": {"arcs": statistics.median(seconds[1:])},
        "spread": {"arcs": [min(seconds[1:]), max(seconds[1:])]},
        "stages": {name: round(part, 6) for name, part in complex.timings.items()},
        "counts": complex.critical.counts,
        "arcs": len(arcs),
        "largest_multiplicity": int(arcs.multiplicity.max()),
        "digests": {"arcs": digest(*columns)},
        "bars": {},
    }


def with_arcs(values: Any, **where: Any) -> sx.MorseSmaleComplex:
    complex = sx.morse_smale(values, **where)
    complex.trace_arcs()
    return complex


def on_gpu(values: np.ndarray, name: str, times: int, measure: Callable) -> dict[str, Any]:
    import cupy

    ordinal = int(name.partition(":")[2] or 0)
    with cupy.cuda.Device(ordinal):
        pool = cupy.get_default_memory_pool()
        resident = cupy.asarray(values)
        case = measure(resident, times, cupy.cuda.get_current_stream().synchronize)
        case["bytes_per_voxel"] = least_limit(lambda: with_arcs(resident), pool, values.size)
    return {"machine": gpu_name(ordinal), **case}


def on_cpu(values: np.ndarray, threads: int, times: int, measure: Callable) -> dict[str, Any]:
    case = measure(values, times, lambda: None, device="cpu", threads=threads)
    return {"machine": cpu_name(), "threads": threads, **case}


def same_bars(ours: Bars, theirs: Bars) -> bool:
    return not ours or all(np.array_equal(ours[d], theirs[d]) for d in range(3))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[64])
    parser.add_argument("--noise", type=float, default=0.01, help="part of the range; 1: white")
    parser.add_argument("--volumes", type=Path, help="folder of NAME_NXxNYxNZ_DTYPE.raw.xz")
    parser.add_argument("--devices", nargs="*", default=["cpu"])
    parser.add_argument("--threads", type=int, nargs="+", default=[os.cpu_count() or 1])
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--peers", nargs="*", default=[], choices=list(PEERS))
    parser.add_argument("--output", type=Path, help="append one JSON line per case")
    parser.add_argument("--arcs-alone", action="store_true", help="neither diagram nor slider")
    options = parser.parse_args()
    measure = arcs_alone if options.arcs_alone else measured
    good = True
    for field, values in volumes_of(options):
        shape = "x".join(map(str, values.shape[::-1]))
        print(f"\n{shape} {values.dtype}, {field}", flush=True)
        peer_seconds, peer_bars = of_peers(values, options.peers)
        for name, seconds in peer_seconds.items():
            print(f"  {name}, diagram: {seconds * 1e3:.0f} ms")
        expected = None
        for name in options.devices:
            for threads in options.threads if name == "cpu" else [0]:
                run = on_cpu if name == "cpu" else on_gpu
                case = {
                    "date": date.today().isoformat(),
                    "separatrix": sx.__version__,
                    "field": field,
                    "dimensions": values.shape[::-1],
                    "dtype": str(values.dtype),
                    "device": name,
                    **run(values, threads if name == "cpu" else name, options.times, measure),
                    "peers": peer_seconds,
                }
                bars = case.pop("bars")
                expected = expected or case["digests"]
                case["equal"] = case["digests"] == expected
                case["equal_to_peers"] = {p: same_bars(bars, b) for p, b in peer_bars.items()}
                good &= case["equal"] and all(case["equal_to_peers"].values())
                report(case)
                keep(case, options.output)
    print("\nall results equal" if good else "\nRESULTS DIFFER")
    return 0 if good else 1


def report(case: dict[str, Any]) -> None:
    who = case["device"] + (f", {case['threads']} threads" if case.get("threads") else "")
    print(f"  {who} ({case['machine']}): critical {case['counts']}, {case['arcs']:,} arcs")
    for name, seconds in case["seconds"].items():
        print(f"    {name:24s} {seconds * 1e3:10.3f} ms")
    for name, seconds in case["stages"].items():
        print(f"      {name:24s} {seconds * 1e3:10.3f}")
    for key in ("largest_multiplicity", "simplified_counts", "skipped", "bytes_per_voxel"):
        if key in case:
            print(f"    {key:24s} {case[key]}")
    print(f"    equal {case['equal']}, to peers {case['equal_to_peers']}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
