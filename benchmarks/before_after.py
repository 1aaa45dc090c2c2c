"""Is a checkout slower than another one on the CPU, or does it require more memory?

    python benchmarks/before_after.py BEFORE AFTER [--times 3] [--output LINES]

BEFORE and AFTER are checkouts with compiled kernels. Each case runs in separate
processes, alternating between both, with one thread. The script compares the lowest CPU seconds of
a call, which other programs affect little, and the smallest growth of the process's peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

from measure import cpu_name, keep

SETUP = """
import json, resource, sys, time
import numpy as np
sys.path.insert(0, sys.argv[1] + "/benchmarks")
from fields import smooth_noisy
from mesh_relations import jittered_grid
import separatrix as sx

cpu = {"device": "cpu", "threads": 1}
random = np.random.default_rng(0)
points = random.random((100_000, 3))
neighbors = getattr(sx, "neighbors", None) or sx.neighbours
whole = "morse_smale" if hasattr(sx, "neighbors") else "cells"
volume = smooth_noisy((128, 128, 128))
tets = jittered_grid(40)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
"""
CASES = {
    "gradient": ("", "sx.discrete_gradient(volume, **cpu).counts"),
    "arcs": ("", "sx.morse_smale(volume, **cpu).arcs"),
    "segmentations": (
        "m = sx.morse_smale(volume, **cpu)",
        "[m.segmentation(k) for k in ('ascending', 'descending', whole)]",
    ),
    "diagram": ("", "sx.persistence_diagram(volume, **cpu)"),
    "hierarchy": ("m = sx.morse_smale(volume, **cpu); m.arcs", "m.simplify(0.35)"),
    "another level": (
        "m = sx.morse_smale(volume, **cpu); m.simplify(0.35).arcs",
        "s = m.simplify(0.25); s.critical, s.arcs",
    ),
    "mesh": ("", "sx.TetMesh(*tets, **cpu).relation('EF')"),
    "mesh complex": (
        "m = sx.TetMesh(*tets, **cpu); f = np.sin(tets[0] / 9).sum(axis=1)",
        "m.critical_points(f), m.morse_smale(f).arcs, m.persistence_diagram(f)",
    ),
    "alpha complex": ("", "sx.alpha_complex(points[:20000] * 60, np.full(20000, 1.8), **cpu)"),
    "neighbors": ("", "neighbors(points, radius=0.03, **cpu)"),
    "density": ("", "sx.density(points, sigma=0.02, dimensions=(64, 64, 64), **cpu)"),
    "barcodes to H1": ("", "sx.rips_barcodes(points[:1000], **cpu)"),
    "barcodes to H2": ("", "sx.rips_barcodes(points[:200], max_dimension=2, **cpu)"),
}
CALL = """
seconds = []
for turn in range(2):  # the first call imports modules
    {prepare}
    base, begin = peak(), time.process_time()
    kept = {call}
    seconds.append(time.process_time() - begin)
    if not turn:
        growth = peak() - base
    del kept
print(json.dumps([min(seconds), growth]))
"""


def measured(tree: Path, name: str) -> tuple[float, float]:
    """CPU seconds and MB of one call in a new process."""
    prepare, call = CASES[name]
    prepare = prepare or "pass"
    program = SETUP + CALL.format(prepare=prepare, call=call)
    path = os.pathsep.join(str(tree / folder) for folder in ("engine", "plugins"))
    run = subprocess.run(
        [sys.executable, "-c", program, str(tree)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    if run.returncode:
        raise SystemExit(f"{name}, {tree}: {run.stderr.strip().splitlines()[-1]}")
    seconds, megabytes = json.loads(run.stdout.splitlines()[-1])
    return seconds, megabytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", nargs=2, type=Path, help="before and after")
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=CASES)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--output", type=Path, help="append one JSON line per case")
    options = parser.parse_args()
    for name in options.cases:
        runs = [[measured(tree, name) for tree in options.trees] for _ in range(options.times)]
        least = [
            [round(min(run[side][part] for run in runs), 4) for side in range(2)] for part in (0, 1)
        ]
        case = {
            "date": date.today().isoformat(),
            "before_after": name,
            "machine": cpu_name(),
            "cpu_seconds": least[0],
            "megabytes": least[1],
        }
        print(keep(case, options.output), flush=True)


if __name__ == "__main__":
    main()
