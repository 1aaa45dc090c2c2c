"""Points with births: weighted Rips filtrations, and weights by the distance to a measure.

Anai, Chazal, Glisse, Ike, Inakoshi, Tinarrage, Umeda, "DTM-based filtrations", 2020. Weights are
births on the scale of diameters, twice the ones of radii. Points far from all others are born late,
so that bars do not hang on outliers. Weights of 0 give the plain filtration bit for bit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import as_real
from ..device import Session, to_host
from ..device.arrays import array_module, as_array
from ..device.base import Array
from ..errors import InputError
from ..primitives import uploaded_reals
from ..spatial.nearest import nearest
from ..spatial.points import as_points, bounded_points
from .distances import Distances
from .ranks import RankedGraph

POWERS = {1: 1, 2: 2, np.inf: 0}
"""Exponents p that a weighted filtration may have, with the kernels' codes."""


def checked_power(power: Any) -> int:
    """The kernels' code of an exponent. InputError."""
    number = as_real(power)
    if number not in POWERS:
        raise InputError(f"weight_power must be 1, 2 or infinity, got {power!r}")
    return POWERS[number]


def checked_weights(session: Session, weights: Any, n: int) -> Array:
    """Births (n,) float64 on the device, finite and not negative. InputError."""
    array = as_array(weights, "weights")
    if array.shape != (n,) or array.dtype.kind not in "fiu":
        raise InputError(
            f"weights must be {n:,} real numbers, one a point, or 'dtm', got shape "
            f"{tuple(array.shape)} and dtype {array.dtype}"
        )
    values = uploaded_reals(session, array)
    bad = ~(array_module(values).isfinite(values) & (values >= 0))
    if bool(bad.any()):
        first = int(bad.argmax())
        raise InputError(
            f"weights must be finite and not negative: weights[{first}] is "
            f"{float(values[first])!r} ({int(bad.sum()):,} such values)"
        )
    return values


def distance_to_measure(
    session: Session, k: Any, points: Any = None, distances: Distances | None = None
) -> Array:
    """Births (n,) float64 by the distance to the measure of the points, on the device.

    w_x = 2 sqrt(mean of d(x, y)^2 over the `k` nearest y, x included), of Euclidean `points` (n, d)
    or of ``distances.matrix``; where a point has fewer at a finite distance, InputError.
    """
    n = distances.n if distances is not None else len(as_points(points, "points"))
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= n:
        raise InputError(f"dtm_neighbors must be a whole number from 1 to {n:,}, got {k!r}")
    if points is not None:
        given = bounded_points(session, points, "points").given
        near, _ = nearest(given, k=int(k), device=session.device.name, threads=session.host.threads)
        near = session.upload(near)
    elif distances is not None and distances.matrix is not None:
        near = array_module(distances.matrix).sort(distances.matrix, axis=1)[:, : int(k)]
    else:
        raise InputError(
            "weights='dtm' needs the distances of each point to its nearest ones; give points, a "
            "whole matrix, or the weights themselves"
        )
    total = array_module(near).zeros(n, np.float64)
    for column in near.T:  # one after the other: the same sum on every device
        total += column * column
    bad = ~array_module(total).isfinite(total)
    if bool(bad.any()):
        raise InputError(
            f"point {int(bad.argmax())} has fewer than {k} points at a finite distance, itself "
            f"included ({int(bad.sum()):,} such points); lower dtm_neighbors"
        )
    return 2 * array_module(total).sqrt(total / int(k))


def weighted(session: Session, distances: Distances, weights: Array, power: int) -> Distances:
    """The times at which edges come, in the place of their distances. `power`: the kernels' code.

    None is less than the birth of one of its ends; inf stays inf.
    """
    if distances.matrix is not None:
        times = distances.matrix.astype(np.float64)  # a copy
        session.launch(
            "rips_weigh_matrix", times.size, weights, distances.n, power, times.reshape(-1)
        )
        return replace(distances, matrix=times)
    assert distances.ends is not None
    assert distances.values is not None
    values = distances.values.astype(np.float64)
    ends = array_module(values).ascontiguousarray(distances.ends).reshape(-1)
    session.launch("rips_weigh_edges", values.size, weights, ends, power, values)
    return replace(distances, values=values)


def with_births(graph: RankedGraph, weights: Array) -> tuple[RankedGraph, np.ndarray]:
    """The graph with ranks for births too, and those of the vertices (n,) uint32, on the host.

    Rank 0 is 0 and for births alone; equal values have equal ranks, of edges and of vertices.
    """
    births = to_host(weights)
    of_edges = graph.levels[1:]
    levels = np.unique(np.concatenate([of_edges, births[births > 0]]))
    edge_rank = np.searchsorted(levels, of_edges).astype(np.uint32) + np.uint32(1)
    vertex_rank = np.where(births > 0, np.searchsorted(levels, births) + 1, 0).astype(np.uint32)
    xp = array_module(graph.rank)
    new_of = xp.asarray(np.concatenate([np.zeros(1, np.uint32), edge_rank]))
    ranked = replace(
        graph, rank=new_of[graph.rank], levels=np.concatenate([graph.levels[:1], levels])
    )
    return ranked, vertex_rank
