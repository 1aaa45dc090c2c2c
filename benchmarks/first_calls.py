"""How long does the first call take in a new process on a GPU, with an empty kernel cache?

    python engine/build_cuda.py --architectures sm_90    # as for a wheel; otherwise, NVRTC compiles
    python benchmarks/first_calls.py [--output lines.jsonl]

The import of CuPy is not timed. `kernels` is the number of compiled kernels: those of Separatrix if
there is no prebuilt code, and always those of CuPy, one for each operation and dtype.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from measure import gpu_name, keep

from separatrix.kernels import prebuilt

CALLS = {
    "discrete gradient": "sx.discrete_gradient(values, device='cuda').counts",
    "Morse-Smale complex": "m = sx.morse_smale(values, device='cuda'); m.arcs, m.separatrices; "
    "m.segmentation('morse_smale')",
    "persistence diagram": "sx.persistence_diagram(values, device='cuda')",
    "simplification": "sx.morse_smale(values, device='cuda', persistence=0.1).arcs",
    "relations": "m = sx.TetMesh(*grid, device='cuda'); m.relation('VT'), m.relation('VV')",
    "complex of a mesh": "sx.TetMesh(*grid, device='cuda').morse_smale(random.random(12**3)).arcs",
    "alpha complex": "sx.alpha_complex(points, 0.1, device='cuda').volume",
    "Delaunay triangulation": "sx.delaunay(points, device='cuda')",
    "Rips barcodes": "sx.rips_barcodes(points[:300], max_dimension=2, device='cuda')",
    "neighbors": "sx.neighbors(points, radius=0.1, device='cuda')",
    "density": "sx.density(points, sigma=0.05, device='cuda')",
}
PROGRAM = """
import itertools, sys, time
import cupy, numpy as np
cupy.zeros(1).get()
import separatrix as sx

random = np.random.default_rng(0)
values = random.normal(size=(48, 48, 48)).astype(np.float32)
points = random.random((3000, 3))
steps = np.array([1, 12, 144])
corner = np.array([i for i in range(12**3) if max(np.unravel_index(i, (12,) * 3)) < 11])
around = [np.cumsum([0, *steps[list(p)]]) for p in itertools.permutations(range(3))]
cells = np.concatenate([corner[:, None] + each for each in around])
grid = (np.stack(np.unravel_index(np.arange(12**3), (12,) * 3), 1).astype(float), cells)
begin = time.perf_counter()
CALL
print(time.perf_counter() - begin)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="append one JSON line per call")
    output = parser.parse_args().output
    machine = gpu_name()
    for name, call in CALLS.items():
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "CUPY_CACHE_DIR": folder}
            command = [sys.executable, "-c", PROGRAM.replace("CALL", call)]
            done = subprocess.run(
                command, env=environment, check=True, capture_output=True, text=True
            )
            line = {
                "call": name,
                "code": "prebuilt" if [*prebuilt.FOLDER.glob("*.xz")] else "NVRTC",
                "seconds": float(done.stdout),
                "kernels": len([*Path(folder).glob("*.cubin")]),
            }
        print(json.dumps(line), flush=True)
        keep({"date": date.today().isoformat(), "machine": machine, **line}, output)


if __name__ == "__main__":
    main()
