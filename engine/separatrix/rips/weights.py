"""Weighted Rips filtrations, and weights by the distance to a measure.

Anai, Chazal, Glisse, Ike, Inakoshi, Tinarrage, Umeda, "DTM-based filtrations", 2020. Weights are
births of points on the scale of diameters, twice those of radii. Isolated points are born late,
which reduces the influence of outliers. Weights of 0 yield the unweighted filtration bit for bit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import as_real, checked_whole
from ..device import Array, Session, array_module, as_array, to_host
from ..errors import InputError, Words
from ..primitives import total, uploaded_reals
from ..spatial.nearest import nearest
from ..spatial.points import as_points, bounded_points
from .distances import Distances
from .ranks import RankedGraph

POWERS = {1: 1, 2: 2, np.inf: 0}
"""Exponents of a weighted filtration, with their codes in the kernels."""


def checked_power(power: Any) -> int:
    """Return the kernels' code of an exponent. Raises InputError."""
    number = as_real(power)
    if number not in POWERS:
        raise InputError("weight_power", "1, 2, or infinity", power)
    return POWERS[number]


def checked_weights(session: Session, weights: Any, n: int) -> Array:
    """Return births (n,) float64 on the device. Raises InputError."""
    array = as_array(weights, "weights")
    if array.shape != (n,) or array.dtype.kind not in "fiu":
        got = Words(f"shape {tuple(array.shape)} and dtype {array.dtype}")
        raise InputError("weights", f"'dtm' or an array of {n:,} real numbers", got)
    values = uploaded_reals(session, array)
    bad = ~(array_module(values).isfinite(values) & (values >= 0))
    if total(session.device, bad):
        first = int(bad.argmax())
        raise InputError(
            *("weights", "finite and non-negative", float(values[first])),
            where=f"[{first}]",
            count=int(bad.sum()),
        )
    return values


def distance_to_measure(
    session: Session, k: Any, points: Any = None, distances: Distances | None = None
) -> Array:
    """Return births (n,) float64 by the distance to the measure of the points, on the device.

    w_x = 2 sqrt(mean of d(x, y)^2 over the `k` nearest y, including x), for Euclidean `points`
    (n, d) or for ``distances.matrix``. Raises InputError if a point has fewer neighbors at a finite
    distance.
    """
    n = distances.n if distances is not None else len(as_points(points, "points"))
    k = checked_whole(k, "dtm_neighbors", 1, n)
    if points is not None:
        given = bounded_points(session, points, "points").given
        near, _ = nearest(given, k=k, device=session.device.name, threads=session.host.threads)
        near = session.upload(near)
    elif distances is not None and distances.matrix is not None:
        near = array_module(distances.matrix).sort(distances.matrix, axis=1)[:, :k]
    else:
        raise InputError(
            "Weights by the distance to a measure require the distances of all pairs. Give "
            "{points} or {distances}, or an array of {weights}."
        )
    squares = array_module(near).zeros(n, np.float64)
    for column in near.T:  # in this order, the sum is the same on every device
        squares += column * column
    bad = ~array_module(squares).isfinite(squares)
    if total(session.device, bad):
        raise InputError(
            *("dtm_neighbors", "at most the number of points at a finite distance", k),
            f"Point {int(bad.argmax())} has fewer, including itself ({int(bad.sum()):,} such "
            "points).",
        )
    return 2 * array_module(squares).sqrt(squares / k)


def weighted(session: Session, distances: Distances, weights: Array, power: int) -> Distances:
    """Replace the distances of edges by their births, which are not earlier than those of their
    ends; inf remains inf. `power` is the kernels' code of the exponent.
    """
    if distances.matrix is not None:
        times = distances.matrix.astype(np.float64)
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
    """Return the graph with common ranks for edges and births, and those of the vertices.

    The ranks of the vertices are (n,) uint32, in host memory. Equal values have equal ranks; rank 0
    is the birth 0.
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
