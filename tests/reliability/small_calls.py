"""A small call of every family, whose whole result is compared after a fault: milliseconds each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import separatrix as sx
from oracles.mesh_fields import delaunay
from reliability.whole_results import (
    Arrays,
    arrays_of,
    of_balls,
    of_bars,
    of_image,
    of_mesh,
    of_points,
    of_sums,
)

Call = Callable[[str], Arrays]


def image(device: str) -> Arrays:
    """All of an image, simplified too, whose values have ties."""
    values = np.random.default_rng(1).integers(0, 40, (12, 13, 14)).astype(np.float32)
    return of_image(values, 5.0, device=device)


def _tetrahedra() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(2)
    points, cells = delaunay(random, 120, 3, 1.0)
    return points, cells, random.random(len(points))


def mesh(device: str) -> Arrays:
    """All of a mesh of tetrahedra."""
    return of_mesh(*_tetrahedra(), device=device)


def machine(device: str) -> Arrays:
    """Relations of a mesh from its machine, whose workers are threads."""
    points, cells, _ = _tetrahedra()
    arrays: Arrays = {}
    with sx.TetMesh(points, cells, device=device).scheduler(workers=2) as made:
        for name in ("VT", "VV", "FT"):
            arrays |= arrays_of(made.relation(name).segment(0), name)
    return arrays


def balls(device: str) -> Arrays:
    """The alpha complex of balls, its measures, voids and pockets."""
    random = np.random.default_rng(3)
    return of_balls(random.random((80, 3)) * 5, random.uniform(0.4, 0.7, 80), 0.3, device=device)


def bars(device: str) -> Arrays:
    """Barcodes with loops and cycles, exact and approximate."""
    points = np.random.default_rng(4).standard_normal((40, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    found = of_bars(points, max_dimension=2, representatives="longest", device=device)
    sparse = of_bars(points, max_dimension=1, epsilon=0.5, device=device)
    return found | {f"sparse {name}": array for name, array in sparse.items()}


def points(device: str) -> Arrays:
    """Neighbors, the nearest and clusters."""
    return of_points(np.random.default_rng(5).random((800, 3)), 0.15, device=device)


def sums(device: str) -> Arrays:
    """Sums over pairs of points, and a density."""
    return of_sums(np.random.default_rng(6).random((400, 3)), 0.3, device=device)


CALLS: dict[str, Call] = {
    call.__name__: call for call in (image, mesh, machine, balls, bars, points, sums)
}
