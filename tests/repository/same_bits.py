"""Results of every family on the CPU as hashes, which are the same on all machines.

    python tests/repository/same_bits.py

Requires NumPy and an installed wheel. Exits with status 1 if a result differs. It tests wheels in
the workflow, the conda package, and the aarch64 wheel in an emulator.
"""

from __future__ import annotations

import hashlib
import platform
import sys

import numpy as np

import separatrix as sx

EXPECTED = {
    "Morse-Smale complex": "b5c24bd96b1e2af3",
    "barcodes": "009dfae9dda0474d",
    "alpha complex": "798d4464353bbfff",
    "Delaunay": "414a0187c8dbb740",
    "Gaussian sums": "3bb5497662e3a858",
    "density": "7a678d821bb8f099",
}


def results(threads: int) -> dict[str, list[np.ndarray]]:
    """Return arrays of a result of each family."""
    random = np.random.default_rng(7)
    volume = random.random((12, 13, 14)).astype(np.float32)
    points = random.random((60, 3))
    cpu = {"device": "cpu", "threads": threads}
    complex = sx.morse_smale(volume, **cpu)
    bars = sx.rips_barcodes(points, max_dimension=2, **cpu)
    balls = sx.alpha_complex(points * 8, np.ones(60), **cpu)
    return {
        "Morse-Smale complex": [
            complex.critical.cell_id,
            complex.critical.value,
            complex.segmentation("ascending"),
        ],
        "barcodes": [bars.of_dimension(k) for k in range(3)],
        "alpha complex": [balls.tets.simplices, balls.tets.alpha_value, balls.edges.alpha_value],
        "Delaunay": [sx.delaunay(points, **cpu).tetrahedra],
        "Gaussian sums": [
            sx.reduce("gaussian", x, x, sigma=0.2, accumulate=kind, **cpu)
            for x in (points.astype(np.float32), points)
            for kind in (None, "float64", "compensated")
        ],
        "density": [sx.density(points, sigma=0.1, spacing=0.05, **cpu).values],
    }


def main() -> int:
    """Print the hashes; the exit status is 1 if one differs."""
    hashes = [
        {
            family: hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays))
            .hexdigest()[:16]
            for family, arrays in results(threads).items()
        }
        for threads in (1, 3)
    ]  # fmt: skip
    print(f"separatrix {sx.__version__}, {platform.system()} {platform.machine()}: {hashes[0]}")
    return int(hashes != [EXPECTED, EXPECTED])


if __name__ == "__main__":
    sys.exit(main())
