"""Results of the engine as named arrays, to compare whole results bit for bit."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

import separatrix as sx
from oracles.everything import everything, everything_of

Arrays = dict[str, np.ndarray[Any, Any]]

NOT_RESULTS = ("timings", "statistics", "work")  # seconds, and how the work was done
TABLES = ("vertices", "edges", "triangles", "tets")
KINDS = ("ascending", "descending", "morse_smale")
PARTS: dict[str, Callable[[Any], Any]] = {
    "DiscreteGradient": lambda g: [g.codes(), g.critical],
    "MorseSmaleComplex": lambda m: [m.critical, m.arcs, m.segmentation("morse_smale"), m.pair()],
    "AlphaComplex": lambda a: [a.counts, a.volume(), a.area(), a.persistence_diagram()],
    "Delaunay": lambda d: [d.tetrahedra, d.neighbors, d.hull, d.hidden],
    "BlockPattern": lambda p: [p.blocks, p.offsets, p.intervals, p.row_order, p.column_order],
    "SimplicialMesh": lambda m: [m.counts, m.points, m.relation("VV").to_csr()],
    "Relation": lambda r: r.to_csr(),
}
"""The parts to compare of a result that computes them on demand."""


def arrays_of(result: Any, name: str = "") -> Arrays:
    """Name -> NumPy array, for every array, number and text in a result and in its parts."""
    classes = (kind.__name__ for kind in type(result).__mro__)
    if result is None:
        return {}
    if look := next((PARTS[kind] for kind in classes if kind in PARTS), None):
        return arrays_of(look(result), name)
    if is_dataclass(result):
        parts = {f.name: getattr(result, f.name) for f in fields(result) if f.name[0] != "_"}
    elif isinstance(result, Mapping):
        parts = {str(key): value for key, value in result.items()}
    elif isinstance(result, (list, tuple)):
        parts = {str(k): value for k, value in enumerate(result)}
    else:
        is_array = hasattr(result, "__array__") or hasattr(result, "__cuda_array_interface__")
        plain = is_array or isinstance(result, (bool, int, float))
        return {name: np.asarray(sx.to_host(result) if plain else repr(result))}
    return {
        full: array
        for key, value in parts.items()
        if key not in NOT_RESULTS
        for full, array in arrays_of(value, f"{name}.{key}").items()
    }


def digest(result: Any) -> bytes:
    """The bits of a result: dtypes, shapes and bytes of all its arrays."""
    native = [a.astype(a.dtype.newbyteorder("=")) for a in arrays_of(result).values()]
    return b"|".join(repr((a.dtype.str, a.shape)).encode() + a.tobytes() for a in native)


def of_image(values: Any, level: float = 0.0, **options: Any) -> Arrays:
    """Gradient, complex, graph, pairs, and the simplified complex if a level is given."""
    found = sx.morse_smale(values, **options)
    arrays = everything(values, **options)
    arrays |= arrays_of(found.persistence_pairs, "pairs") | arrays_of(found.arcs, "arcs")
    diagram = sx.persistence_diagram(values, zero_persistence=True, **options)
    arrays |= arrays_of(diagram, "diagram")
    arrays |= arrays_of([found.regions(kind) for kind in KINDS], "regions")
    arrays |= arrays_of(found.gradient.arrows(2), "arrows")
    arrays |= arrays_of(found.separatrices(1, "saddle"), "connectors")
    if level:
        simple = found.simplify(level)
        arrays |= {f"simple {name}": array for name, array in everything_of(simple).items()}
        arrays |= arrays_of([simple.regions(kind) for kind in KINDS], "simple regions")
        arrays |= arrays_of(simple.arcs, "simple arcs")
        arrays |= arrays_of(simple.simplified_field(), "simplified")
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
    arrays |= {label: sx.to_host(found.segmentation(label)) for label in KINDS}
    for line in ("ascending", "descending", "saddle"):
        arrays |= arrays_of(found.separatrices(1, line), f"{line} lines")
    return arrays


def of_stream(points: Any, cells: Any, **options: Any) -> Arrays:
    """Rows of relations from a stream."""
    mesh = sx.TetMesh(points, cells, **options)
    return {
        name: np.concatenate(
            [np.array(sx.to_host(b[name].items)) for b in mesh.stream(name, batch_bytes=4096)]
        )
        for name in ("VV", "VT", "EF", "TT")
    }


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
    """The same for balls, with the pockets at a smaller alpha."""
    complex = sx.alpha_complex(centers, radii, alpha, **options)
    smaller = complex.at(alpha - 1.0)
    pockets = arrays_of(smaller.pockets(), "pockets")
    smaller_one = {f"smaller {name}": array for name, array in of_union(smaller).items()}
    return of_union(complex) | pockets | smaller_one


def of_frames(frames: Any, radii: Any, alpha: float, **options: Any) -> Arrays:
    """Complexes of several frames, in batches of three."""
    found = sx.alpha_complexes(frames, radii, alpha, batch=3, **options)
    return {
        f"{k} {name}": array
        for k, complex in enumerate(found)
        for name, array in of_union(complex).items()
    }


def of_bars(points: Any = None, **options: Any) -> Arrays:
    """Barcodes with their simplices."""
    return arrays_of(sx.rips_barcodes(points, **options), "bars")


def of_points(x: Any, radius: float, **options: Any) -> Arrays:
    """Neighbors, nearest points, sparse distances, and clusters if there are few cells."""
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
    pattern = sx.BlockPattern.from_cells(x, x, radius, **options)
    arrays |= arrays_of([pattern, pattern.transpose()], "pattern")
    found = sx.reduce("gaussian", x, x, sigma=radius, pattern=pattern, **options)
    arrays |= arrays_of(found, "gaussian")
    image = sx.density(
        x, values, sigma=radius / 2, dimensions=(9, 8, 7), gradient=True, dtype="float64", **options
    )
    return arrays | arrays_of(image, "density")
