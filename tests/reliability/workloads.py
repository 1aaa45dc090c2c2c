"""Calls of the engine on small data: one a way to use it, input and parameters by a number.

Equal numbers give equal bits, whatever else is at work; see `arrays_of` for what is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

import separatrix as sx

Call = Callable[[int, dict[str, Any]], Any]
KINDS = ("descending", "ascending", "morse_smale")


def random_of(k: int) -> np.random.Generator:
    """The random numbers of input `k`."""
    return np.random.default_rng([7, k])


def image(k: int) -> np.ndarray:
    """A volume or a picture, of several types, with ties in some."""
    random = random_of(k)
    shape = (4 + k % 3, 5, 6 + k % 2) if k % 3 else (11, 9 + k % 4)
    return (random.random(shape) * 50).astype((np.float32, np.uint8, np.float64, np.int16)[k % 4])


def mesh_arrays(k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, tetrahedra and values of boxes cut in six (Kuhn)."""
    n = 2 + k % 2
    place = np.indices((n + 1,) * 3).reshape(3, -1).T
    low = (place[(place < n).all(1)] @ [(n + 1) ** 2, n + 1, 1])[:, None]
    steps = np.array([(n + 1) ** 2, n + 1, 1])
    ways = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    tets = [low + np.concatenate([[0], np.cumsum(steps[list(way)])]) for way in ways]
    return place.astype(np.float64), np.concatenate(tets), random_of(k).random(len(place))


def cloud(k: int, n: int = 30) -> np.ndarray:
    """Points (n + a few, 3)."""
    return random_of(k).random((n + k % 5, 3))


def tet_mesh(k: int, options: dict[str, Any]) -> sx.TetMesh:
    """The mesh of :func:`mesh_arrays`."""
    points, tets, _ = mesh_arrays(k)
    return sx.TetMesh(points, tets, segment_size=8 + k % 9, **options)


# === the calls


def morse_smale(k: int, options: dict[str, Any]) -> Any:
    found = sx.morse_smale(image(k), persistence=float(k % 3) * 4, **options)
    parts = [found.segmentation(kind) for kind in KINDS]
    surfaces = [found.separatrices(2, "ascending")] if found.domain.dimension == 3 else []
    lines = [found.separatrices(1, kind) for kind in ("descending", "saddle")]
    return found.critical, parts, lines, surfaces, found.arcs, found.persistence_pairs


def discrete_gradient(k: int, options: dict[str, Any]) -> Any:
    order = "plateau" if k % 2 else "index"
    found = sx.discrete_gradient(image(k), order=order, **options)
    return found.codes(), found.arrows(1 + k % 2), found.critical


def persistence_diagram(k: int, options: dict[str, Any]) -> Any:
    return sx.persistence_diagram(image(k), zero_persistence=bool(k % 2), **options)


def simplified_values(k: int, options: dict[str, Any]) -> Any:
    found = sx.morse_smale(image(k), persistence=6.0, **options)
    return found.simplified_values(), found.regions("morse_smale"), found.manifold_sizes()


def mesh_relations(k: int, options: dict[str, Any]) -> Any:
    mesh = tet_mesh(k, options)
    names = ("VV", "VT", "EF", "FF", "TT", "ET")[k % 3 :]
    tables = [mesh.relation(name).to_csr() for name in names]
    return mesh.counts, mesh.is_on_boundary(k % 4), mesh.segment_of_points(), tables


def mesh_machine(k: int, options: dict[str, Any]) -> Any:
    with tet_mesh(k, options).scheduler(workers=1 + k % 2) as machine:
        relation = machine.relation("VT")
        rows = [relation.segment(s) for s in range(3)]
        return [part for row in rows for part in (row.items, row.offsets)]


def mesh_stream(k: int, options: dict[str, Any]) -> Any:
    batches = tet_mesh(k, options).stream("VV", "FT", batch_bytes=2000 + k % 999)
    return [(batch["VV"].items, batch["FT"].items) for batch in batches]


def mesh_complex(k: int, options: dict[str, Any]) -> Any:
    mesh, values = tet_mesh(k, options), mesh_arrays(k)[2]
    found = mesh.morse_smale(values, persistence=0.1 * (k % 3))
    lines = [found.separatrices(1, kind) for kind in ("ascending", "saddle")]
    labels = [found.segmentation(kind) for kind in KINDS]
    return found.critical, labels, lines, mesh.critical_points(values), found.persistence_pairs


def alpha_complex(k: int, options: dict[str, Any]) -> Any:
    radii = 0.15 + 0.1 * random_of(k + 1).random(len(cloud(k)))
    found = sx.alpha_complex(cloud(k), radii, alpha=0.01 * (k % 4), **options)
    measured = (found.volume(), found.area(), found.per_ball(), found.voids())
    return found.tets, found.edges, found.hidden, measured, found.persistence_diagram()


def alpha_complexes(k: int, options: dict[str, Any]) -> Any:
    frames = [cloud(k, 20), cloud(k, 20) + 0.01]
    return [f.triangles for f in sx.alpha_complexes(frames, 0.2, batch=1 + k % 2, **options)]


def rips_barcodes(k: int, options: dict[str, Any]) -> Any:
    representatives = {} if k % 2 else {"representatives": 2}
    field, collapse = (2, 3)[k % 2], ("auto", True, False)[k % 3]
    found = sx.rips_barcodes(
        cloud(k, 16), max_dimension=1 + k % 2, field=field, collapse=collapse,
        **representatives, **options,
    )  # fmt: skip
    return found.dimension, found.birth, found.death, found.birth_simplex


def reduce(k: int, options: dict[str, Any]) -> Any:
    x, y = cloud(k), cloud(k + 1)
    found = sx.reduce("gaussian", x, y, sigma=0.3, radius=0.5, **options)
    return found, sx.reduce("squared_distance", x, y, reduction="min", **options)


def density(k: int, options: dict[str, Any]) -> Any:
    return sx.density(
        cloud(k), dimensions=(5, 6, 7), sigma=0.2, gradient=bool(k % 2), **options
    ).values


def neighbors(k: int, options: dict[str, Any]) -> Any:
    points = cloud(k)
    near = sx.neighbors(points, radius=0.2 + 0.01 * (k % 7), distances=True, **options)
    found = sx.nearest(points, k=1 + k % 6, **options), sx.cluster(points, 0.3, **options)
    return near, found, sx.count_neighbors(points, radius=0.3, **options)


ENGINE_CALLS: dict[str, Call] = {
    call.__name__: call
    for call in (
        morse_smale, discrete_gradient, persistence_diagram, simplified_values, mesh_relations,
        mesh_machine, mesh_stream, mesh_complex, alpha_complex, alpha_complexes, rips_barcodes,
        reduce, density, neighbors,
    )
}  # fmt: skip
"""By name; each takes the number of its input and the engine's keywords."""


# === what is compared


def arrays_of(found: Any) -> list[np.ndarray]:
    """Every array and number in a result, in its order, as NumPy arrays on the host."""
    return list(_arrays_in(found))


def _arrays_in(found: Any) -> Iterator[np.ndarray]:
    if found is None or isinstance(found, str):
        return
    if isinstance(found, (int, float, np.generic)):
        yield np.asarray(found)
    elif isinstance(found, (tuple, list)):
        for part in found:
            yield from _arrays_in(part)
    elif is_dataclass(found):
        for field in fields(found):
            if not field.name.startswith("_"):
                yield from _arrays_in(getattr(found, field.name))
    elif isinstance(found, np.ndarray) or hasattr(found, "__cuda_array_interface__"):
        yield sx.to_host(found)


def digest(found: Any) -> bytes:
    """The bits of a result: dtypes, shapes and bytes of all its arrays."""
    parts = [
        repr((a.dtype.str, a.shape)).encode() + np.ascontiguousarray(a).tobytes()
        for a in arrays_of(found)
    ]
    return b"|".join(parts)
