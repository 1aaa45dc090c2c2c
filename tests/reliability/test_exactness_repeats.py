"""The same bits with any number of threads, from run to run, on the CPU and on a GPU.

Each workload computes all results of one family for input with many ties, large enough that loops
are divided between several threads. All results must equal those of one CPU thread. Images and
meshes are tested in tests/engine/test_same_bits.py.
"""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pytest

from oracles.everything import assert_same_bits
from oracles.meshes import split_grid
from reliability.hard_inputs import face_centered, icosahedron, lattice, on_sphere
from reliability.whole_results import (
    Arrays,
    of_balls,
    of_bars,
    of_frames,
    of_points,
    of_stream,
    of_sums,
)

Run = Callable[..., Arrays]


THREADS = (2, 3, 16, 64)


@cache
def workloads(s: int) -> dict[str, Run]:
    """Name -> a function of the options that all calls share; s times as long along each axis."""
    random = np.random.default_rng(12)
    frames = np.stack([icosahedron() + k * random.integers(-1, 2, (12, 3)) for k in range(7)])
    thrice = np.repeat(lattice(7 * s) / (7 * s), 3, axis=0)
    cloud = np.concatenate([random.random((2000 * s, 3)), thrice])
    n = 10 * s
    points, cells = split_grid((7, 8, n), seed=9)
    return {
        "stream": partial(of_stream, points, cells, segment_size=20),
        "balls of a lattice": partial(of_balls, face_centered(n) * 1.0, 1.0, 2.0, resolution=1),
        "balls on a sphere": partial(
            of_balls, on_sphere(26 if s == 1 else 101) * 1.0, 1.0, 120.0, resolution=1
        ),
        "frames": partial(of_frames, frames.astype(float), 5.0, 60.0, resolution=1),
        "barcode of a lattice": partial(of_bars, lattice(3 + s) * 1.0, max_dimension=2),
        "barcode of a sphere": partial(
            of_bars, on_sphere(26) * 1.0, max_dimension=2, field=3, collapse=True
        ),
        "cycles": partial(
            of_bars, on_sphere(14) * 1.0, max_dimension=2, collapse=False, cocycles=True,
            representatives="longest",
        ),
        "neighbors": partial(of_points, cloud, 0.15 / s),
        "sums": partial(of_sums, cloud.astype(np.float32), 0.15 / s),
        "sums of float64": partial(of_sums, cloud, 0.15 / s),
    }  # fmt: skip


NAMES = list(workloads(1))


@cache
def expected(name: str, scale: int) -> Arrays:
    return workloads(scale)[name](device="cpu", threads=1)


FORMS = [
    pytest.param(1, 1, id="short"),
    pytest.param(1, 25, marks=pytest.mark.long, id="often"),
    pytest.param(4, 1, marks=pytest.mark.long, id="large"),
]


@pytest.mark.parametrize(("scale", "rounds"), FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_threads_runs_and_devices_give_the_same_bits(device, name, scale, rounds):
    counts = THREADS if device == "cpu" else (None,) * 3
    for threads in counts * rounds:
        assert_same_bits(
            expected(name, scale), workloads(scale)[name](device=device, threads=threads)
        )
