"""How fast are the critical cells, extremum arcs, and segmentations of a volume?

    python benchmarks/morse_smale.py --sizes 128 256 --devices cpu cuda [--output results.jsonl]

There is one JSON line per case: times by stage (median and spread of five, after a warm-up), peak
device memory, the floor, and digests of all results. The run fails if two devices or thread counts
differ.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from fields import digest, volumes_of
from measure import cpu_name, gpu_name, keep, least_limit, repeat

import separatrix as sx

KINDS = ("descending", "ascending")
BYTES_PER_SECOND = 4.3e12  # copy on an H200, read plus written (measured)


def everything(values: Any, **options: Any) -> sx.MorseSmaleComplex:
    """Gradient, critical cells, both kinds of arcs with geometry, the three segmentations."""
    complex = sx.morse_smale(values, **options)
    complex.segmentation("morse_smale")
    complex.extremum_arcs("descending")
    complex.extremum_arcs("ascending")
    return complex


def digests(complex: sx.MorseSmaleComplex) -> dict[str, str]:
    """One digest a result; equal on every device."""
    arcs = [complex.extremum_arcs(kind) for kind in KINDS]
    return {
        "gradient": digest(complex.gradient.codes()),
        "critical": digest(complex.critical.cell_id, complex.critical.value),
        "arcs": digest(*(part for arc in arcs for part in (arc.extremum, arc.offsets, arc.chain))),
        "labels": digest(
            *(complex.segmentation(k) for k in ("ascending", "descending", "morse_smale"))
        ),
    }


def stage_seconds(complex: sx.MorseSmaleComplex) -> dict[str, float]:
    return {name: round(seconds, 6) for name, seconds in complex.timings.items()}


def floor_seconds(n: int, itemsize: int) -> dict[str, float]:
    """Bytes that must move: values in, words out; words in, labels out; ..."""
    moved = {
        "gradient": n * (itemsize + 4),
        "critical cells": n * 4,
        "descending labels": n * 8,
        "ascending labels": n * (8 + itemsize + 8),
        "cell labels": n * 12,
    }
    return {name: round(bytes_ / BYTES_PER_SECOND, 6) for name, bytes_ in moved.items()}


def on_gpu(values: np.ndarray, name: str, times: int) -> dict[str, Any]:
    import cupy

    device = int(name.partition(":")[2] or 0)
    with cupy.cuda.Device(device):
        pool = cupy.get_default_memory_pool()
        resident = cupy.asarray(values)

        def run() -> sx.MorseSmaleComplex:
            complex = everything(resident)
            cupy.cuda.get_current_stream().synchronize()
            return complex

        limit = least_limit(run, pool, values.size)
        complex = run()
        case: dict[str, Any] = {
            "bytes_per_voxel": limit,
            "path_cells": [int(complex.extremum_arcs(kind).chain.size) for kind in KINDS],
            "counts": complex.critical.counts,
            "digests": digests(complex),
        }
        del complex
        seconds, stages = [], defaultdict(list)
        for _ in range(times):
            begin = time.perf_counter()
            timings = run().timings
            seconds.append(time.perf_counter() - begin)
            for name, part in timings.items():
                stages[name].append(part)
        case["device_seconds"] = statistics.median(seconds)
        case["spread"] = [min(seconds), max(seconds)]
        case["stages"] = {name: round(statistics.median(all_), 6) for name, all_ in stages.items()}
        pool.free_all_blocks()
        pinned = sx.pinned_empty(values.shape, values.dtype)
        pinned[...] = values

        def with_transfers() -> list[np.ndarray]:
            complex = everything(pinned)
            return [
                complex.segmentation(kind) for kind in ("ascending", "descending", "morse_smale")
            ]

        _, seconds = repeat(with_transfers, times)
        case["with_pinned_transfers_seconds"] = statistics.median(seconds)
        case["machine"] = gpu_name(device)
        pool.free_all_blocks()
    return case


def on_cpu(values: np.ndarray, threads: int, times: int) -> dict[str, Any]:
    complex, seconds = repeat(lambda: everything(values, device="cpu", threads=threads), times)
    return {
        "threads": threads,
        "seconds": statistics.median(seconds),
        "spread": [min(seconds), max(seconds)],
        "stages": stage_seconds(complex),
        "gradient_vertices_per_second": round(values.size / complex.timings["gradient"]),
        "digests": digests(complex),
        "counts": complex.critical.counts,
        "machine": cpu_name(),
    }


def of_peer(values: np.ndarray) -> dict[str, Any] | None:
    """Cubical Ripser on the same values: all persistence pairs of the same complex, one thread.

    This is a different task, but the closest that the package index offers for cubical cells.
    """
    try:
        import cripser
    except ImportError:
        return None
    begin = time.perf_counter()
    pairs = cripser.computePH(values.astype(np.float64), maxdim=2)
    seconds = time.perf_counter() - begin
    return {"peer": f"cripser {version('cripser')}", "pairs": len(pairs), "seconds": seconds}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[128])
    parser.add_argument("--noise", type=float, default=0.01, help="part of the range; 1: white")
    parser.add_argument("--volumes", type=Path, help="folder of NAME_NXxNYxNZ_DTYPE.raw.xz")
    parser.add_argument("--devices", nargs="+", default=["cpu"])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, os.cpu_count() or 1])
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--peer", action="store_true", help="also time Cubical Ripser")
    parser.add_argument("--output", type=Path, help="append one JSON line per case")
    options = parser.parse_args()
    same = True
    for field, values in volumes_of(options):
        shape = "x".join(map(str, values.shape[::-1]))
        print(f"\n{shape} {values.dtype}, {field}")
        expected = None
        peer = of_peer(values) if options.peer else None
        if peer:
            print(f"  {peer['peer']}, persistence pairs: {peer['seconds'] * 1e3:.0f} ms")
        for name in options.devices:
            for threads in options.threads if name == "cpu" else [0]:
                if name == "cpu":
                    measured = on_cpu(values, threads, options.times)
                else:
                    measured = on_gpu(values, name, options.times)
                case = {
                    "date": date.today().isoformat(),
                    "separatrix": sx.__version__,
                    "field": field,
                    "dimensions": values.shape[::-1],
                    "dtype": str(values.dtype),
                    "device": name,
                    **measured,
                    "floor_seconds": floor_seconds(values.size, values.itemsize),
                    "peer": peer,
                }
                expected = expected or case["digests"]
                case["equal"] = case["digests"] == expected
                same &= case["equal"]
                report(case)
                keep(case, options.output)
    print("\nall results equal" if same else "\nRESULTS DIFFER")
    return 0 if same else 1


def report(case: dict[str, Any]) -> None:
    who = case["device"] + (f", {case['threads']} threads" if case.get("threads") else "")
    total = case.get("device_seconds", case.get("seconds", 0.0))
    print(f"  {who} ({case['machine']}): {total * 1e3:.2f} ms in all, critical {case['counts']}")
    for name, seconds in case["stages"].items():
        floor = case["floor_seconds"].get(name)
        beside = f"   floor {floor * 1e3:.3f}" if floor and case["device"] != "cpu" else ""
        print(f"    {name:22s} {seconds * 1e3:10.3f} ms{beside}")
    for key in (
        "with_pinned_transfers_seconds",
        "bytes_per_voxel",
        "gradient_vertices_per_second",
        "path_cells",
        "equal",
    ):
        if key in case:
            print(f"    {key:32s} {case[key]}")


if __name__ == "__main__":
    sys.exit(main())
