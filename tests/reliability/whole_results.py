"""Whatever the engine returns, as named arrays, to compare whole results bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

import separatrix as sx
from oracles.everything import everything

Arrays = dict[str, np.ndarray[Any, Any]]

NOT_RESULTS = ("timings", "statistics")  # seconds, and how the work was done
TABLES = ("vertices", "edges", "triangles", "tets")


def arrays_of(result: Any, name: str = "") -> Arrays:
    """Name -> NumPy array, for every array and number in dataclasses, tuples and dicts."""
    if result is None:
        return {}
    if is_dataclass(result):
        parts = {f.name: getattr(result, f.name) for f in fields(result)}
    elif isinstance(result, Mapping):
        parts = {str(key): value for key, value in result.items()}
    elif isinstance(result, (list, tuple)):
        parts = {str(k): value for k, value in enumerate(result)}
    else:
        return {name: np.asarray(sx.to_host(result))}
    return {
        full: array
        for key, value in parts.items()
        if key not in NOT_RESULTS
        for full, array in arrays_of(value, f"{name}.{key}").items()
    }


def of_image(values: Any, level: float = 0.0, **options: Any) -> Arrays:
    """Gradient, complex, graph, pairs and, from a level on, what simplification leaves."""
    found = sx.morse_smale(values, **options)
    arrays = everything(values, **options)
    arrays |= arrays_of(found.persistence_pairs, "pairs") | arrays_of(found.arcs, "arcs")
    diagram = sx.persistence_diagram(values, zero_persistence=True, **options)
    arrays |= arrays_of(diagram, "diagram")
    arrays |= arrays_of(found.separatrices(1, "saddle"), "connectors")
    if level:
        simple = found.simplify(level)
        arrays |= arrays_of(simple.critical, "simple") | arrays_of(simple.arcs, "simple arcs")
        arrays |= {
            f"simple {kind}": sx.to_host(simple.segmentation(kind))
            for kind in ("ascending", "descending")
        }
        arrays["simplified values"] = sx.to_host(simple.simplified_values())
    return arrays


def of_mesh(points: Any, cells: Any, values: Any, **options: Any) -> Arrays:
    """Relations, critical points, gradient, complex and diagram of a manifold mesh."""
    kind = sx.TetMesh if np.shape(cells)[1] == 4 else sx.TriangleMesh
    mesh = kind(points, cells, **options)
    arrays: Arrays = {}
    letters = "VEFT"[: mesh.dimension + 1]
    for name in (a + b for a in letters for b in letters):
        arrays |= arrays_of(mesh.relation(name).to_csr(), name)
    arrays |= arrays_of(mesh.critical_points(values), "points")
    gradient = mesh.discrete_gradient(values)
    arrays |= arrays_of(gradient.codes(), "codes")
    arrays |= arrays_of(mesh.persistence_diagram(values, zero_persistence=True), "diagram")
    found = mesh.morse_smale(values)
    arrays |= arrays_of(found.critical, "critical") | arrays_of(found.arcs, "arcs")
    kinds = ("ascending", "descending", "morse_smale")
    arrays |= {label: sx.to_host(found.segmentation(label)) for label in kinds}
    for line in ("ascending", "descending", "saddle"):
        arrays |= arrays_of(found.separatrices(1, line), f"{line} lines")
    return arrays


def of_union(complex: sx.AlphaComplex) -> Arrays:
    """Simplices, measures, topology, voids and diagram of an alpha complex."""
    arrays: Arrays = {}
    for name in TABLES:
        arrays |= arrays_of(getattr(complex, name), name)
    arrays |= arrays_of([complex.facets(d) for d in (1, 2, 3)], "facets")
    arrays |= arrays_of(complex.hidden, "hidden") | arrays_of(complex.betti, "betti")
    arrays |= arrays_of(complex.per_ball(), "balls") | arrays_of(complex.voids(), "voids")
    arrays |= arrays_of(complex.boundary_surface(), "boundary")
    return arrays | arrays_of(complex.persistence_diagram(zero_persistence=True), "diagram")


def of_balls(centers: Any, radii: Any, alpha: float, **options: Any) -> Arrays:
    """The same of balls, with the pockets at a smaller alpha."""
    complex = sx.alpha_complex(centers, radii, alpha, **options)
    smaller = complex.at(alpha - 1.0)
    pockets = arrays_of(smaller.pockets(), "pockets")
    smaller_one = {f"smaller {name}": array for name, array in of_union(smaller).items()}
    return of_union(complex) | pockets | smaller_one


def of_bars(points: Any = None, **options: Any) -> Arrays:
    """Barcodes with their simplices."""
    return arrays_of(sx.rips_barcodes(points, **options), "bars")


def of_points(x: Any, radius: float, **options: Any) -> Arrays:
    """Neighbors, the nearest, sparse distances, and clusters where the radius makes few cells."""
    found = sx.neighbors(x, radius=radius, distances=True, **options)
    arrays = arrays_of(found, "neighbors")
    arrays |= arrays_of(sx.count_neighbors(x, radius=radius, **options), "counts")
    arrays |= arrays_of(sx.nearest(x, k=5, **options), "nearest")
    arrays |= arrays_of(sx.sparse_distances(x, radius, **options), "sparse")
    if radius > 0 and np.ptp(x, axis=0).max(initial=0) / radius < 1 << 20:
        arrays |= arrays_of(sx.cluster(x, radius, levels=3, **options), "clusters")
    return arrays


def of_sums(x: Any, radius: float, **options: Any) -> Arrays:
    """Reductions of every kind over the points within a radius, and a density."""
    values = np.cos(np.arange(len(x))).astype(x.dtype)
    arrays = arrays_of(sx.reduce("squared_distance", x, x, values, radius=radius, **options), "sum")
    for reduction in ("min", "max", "argmin", "argmax", "count", "collect", "logsumexp"):
        found = sx.reduce("distance", x, x, reduction=reduction, radius=radius, **options)
        arrays |= arrays_of(found, reduction)
    for reduction in ("kmin", "argkmin"):
        found = sx.reduce(
            "squared_distance", x, x, reduction=reduction, k=4, radius=radius, **options
        )
        arrays |= arrays_of(found, reduction)
    image = sx.density(
        x, values, sigma=radius / 2, dimensions=(9, 8, 7), gradient=True, dtype="float64", **options
    )
    return arrays | arrays_of(image, "density")
