"""The families of the engine on small data: a number selects input and parameters.

Equal numbers give equal bits, regardless of other work in the process.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import separatrix as sx
from oracles.meshes import split_grid
from reliability.whole_results import (
    Arrays,
    of_balls,
    of_bars,
    of_frames,
    of_image,
    of_mesh,
    of_points,
    of_stream,
    of_sums,
)

Options = dict[str, Any]


def random_of(k: int) -> np.random.Generator:
    """The random numbers of input `k`."""
    return np.random.default_rng([7, k])


def image(k: int) -> np.ndarray:
    """A volume or a 2D image of one of several types, some with ties."""
    random = random_of(k)
    shape = (4 + k % 3, 5, 6 + k % 2) if k % 3 else (11, 9 + k % 4)
    return (random.random(shape) * 50).astype((np.float32, np.uint8, np.float64, np.int16)[k % 4])


def mesh_arrays(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, tetrahedra, and values of boxes split into six (Kuhn)."""
    points, tets = split_grid((3 + k % 2,) * 3)
    return points, tets, random_of(k).random(len(points))


def cloud(k: int, n: int = 30) -> np.ndarray:
    """Points (n + a few, 3)."""
    return random_of(k).random((n + k % 5, 3))


def tet_mesh(k: int, options: Options) -> sx.TetMesh:
    """The mesh of :func:`mesh_arrays`."""
    points, tets, _ = mesh_arrays(k)
    return sx.TetMesh(points, tets, segment_size=8 + k % 9, **options)


def _images(k: int, options: Options) -> Arrays:
    values, order = image(k), ("index", "plateau")[k // 2 % 2]
    periodic = (k % 4 == 3,) * values.ndim
    return of_image(values, 6.0 * (k % 2), order=order, periodic=periodic, **options)


def _relations(of: Callable[..., Arrays], k: int, options: Options) -> Arrays:
    return of(*mesh_arrays(k)[:2], segment_size=8 + k % 9, **options)


def _balls(k: int, options: Options) -> Arrays:
    radii = 0.75 + 0.5 * random_of(k + 1).random(len(cloud(k)))
    return of_balls(5 * cloud(k), radii, 0.3 + 0.1 * (k % 4), **options)


def _frames(k: int, options: Options) -> Arrays:
    return of_frames([cloud(k, 20) + 0.01 * i for i in range(4)], 0.2, 0.0, **options)


HOW: list[Options] = [
    {"representatives": "longest", "collapse": True},
    {"field": 3, "max_dimension": 1},
    {"cocycles": True, "collapse": False},
    {"epsilon": 0.5},
]


def _bars(k: int, options: Options) -> Arrays:
    return of_bars(cloud(k, 16), **{"max_dimension": 2, **HOW[k % 4], **options})


FAMILIES: dict[str, Callable[[int, Options], Arrays]] = {
    "images": _images,
    "meshes": lambda k, options: of_mesh(*mesh_arrays(k), segment_size=8 + k % 9, **options),
    "stream": partial(_relations, of_stream),
    "balls": _balls,
    "frames": _frames,
    "bars": _bars,
    "points": lambda k, options: of_points(cloud(k, 60), 0.2 + 0.01 * (k % 7), **options),
    "sums": lambda k, options: of_sums(cloud(k, 60), 0.3 + 0.01 * (k % 7), **options),
}
"""By name; each takes the number of its input and the keywords of the engine."""
