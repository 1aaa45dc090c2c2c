"""Ranks of distances, after the threshold and the enclosing radius have been applied.

Beyond the enclosing radius R = min_x max_y d(x, y) of a component, the complex is a cone over x and
no class is born or dies (Zhang, Xiao, Wang 2020, Proposition 4), so longer edges are ignored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..device import Array, Session, array_module, to_host
from ..primitives import (
    at,
    changes,
    compact,
    exclusive_scan,
    put,
    shifted,
    stacked,
    sums_of_rows,
    taken_in_parts,
)
from .distances import Distances
from .filtration import Adjacency, Filtration

DENSE = 0.2  # fraction of all pairs that are edges, from which a rank matrix is used
MOST_SORTED = 2**31 - 1  # edges that the CPU kernel can sort
SMALL = 512  # vertices up to which a rank matrix is used for any number of edges


@dataclass(frozen=True)
class RankedGraph:
    """Edges of a graph, sorted by rank."""

    n: int
    ends: Array  # (E, 2) int32, lower end first
    rank: Array  # (E,) uint32, ascending
    levels: np.ndarray  # (m + 1,) float64, value of each rank
    enclosing_radius: float
    threshold: float

    def on_host(self) -> RankedGraph:
        """Return the graph in host memory."""
        return replace(self, ends=to_host(self.ends), rank=to_host(self.rank))


def ranked(session: Session, distances: Distances, threshold: float) -> RankedGraph:
    """Return the edges up to the threshold and the enclosing radius, by rank. O(E log E)."""
    edges, radius, limit = bounded(session, distances, threshold)
    ends, rank, levels = sorted_by_rank(session, edges.ends, edges.values)
    return RankedGraph(distances.n, ends, rank, levels, radius, limit)


def bounded(
    session: Session, distances: Distances, threshold: float
) -> tuple[Distances, float, float]:
    """Return the edges up to the threshold and the enclosing radius, that radius, and the limit."""
    n = distances.n
    if distances.matrix is not None:
        matrix = distances.matrix
        radius = float(matrix.max(axis=1).min())
        limit = min(threshold, radius)
        keep = session.device.empty(n * n, np.uint8)
        session.launch("flag_edges", n * n, matrix, n, limit, keep)
        flat = compact(keep)
        del keep
        session.raise_if_canceled()
        values = taken_in_parts(session, partial(at, matrix.reshape(-1)), flat)
        ends = session.device.empty((flat.size, 2), np.int32)
        session.launch("list_ends", flat.size, flat, n, ends)
        del flat
    else:
        ends, values = distances.ends, distances.values
        radius, limit = math.inf, threshold
    if radius == math.inf:
        host_ends, host_values = to_host(ends), to_host(values)
        if distances.matrix is None or limit < math.inf:
            keep = host_values <= limit
            host_ends, host_values = host_ends[keep], host_values[keep]
        of_component, component = enclosing_radii(session, n, host_ends, host_values)
        # With a threshold, the radius is known only if the graph is connected.
        if threshold == math.inf or not component.any():
            radius = float(of_component.max())
        keep = host_values <= of_component[component[host_ends[:, 0]]]
        ends, values = session.upload(host_ends[keep]), session.upload(host_values[keep])
        limit = min(threshold, radius)
    return Distances(n, ends=ends, values=values), radius, limit


def sorted_by_rank(session: Session, ends: Array, values: Array) -> tuple[Array, Array, np.ndarray]:
    """Return ends and ranks by ascending value, and the levels; ties keep their order."""
    form = session.device.launch_form(host=_sorted_on_host, gpu=_sorted)
    return (form if values.size <= MOST_SORTED else _sorted)(session, ends, values)


def _sorted_on_host(
    session: Session, ends: Array, values: Array
) -> tuple[Array, Array, np.ndarray]:
    m = values.size
    order, rank = np.empty(m, np.int32), np.empty(m, np.uint32)
    levels = np.empty(m + 1)
    levels[0] = 0.0
    values = np.ascontiguousarray(values, np.float64)
    n_levels = session.host.run("rips_sort_values", values, m, order, rank, levels[1:])
    in_order = taken_in_parts(session, ends.__getitem__, order)
    return in_order, rank, levels[: n_levels + 1].copy()


def _sorted(session: Session, ends: Array, values: Array) -> tuple[Array, Array, np.ndarray]:
    module = array_module(values)
    found = session.device.empty(values.size, np.float64)
    session.launch("to_reals", values.size, values, found)  # -0.0 becomes 0.0
    order = module.argsort(found, kind="stable")
    values = at(found, order)
    is_new = changes(values.view(np.int64))
    rank = shifted(exclusive_scan(is_new)[1:], dtype=np.int32).view(np.uint32)
    levels = np.concatenate([[0.0], to_host(at(values, is_new))])
    return at(ends, order), rank, levels


def enclosing_radii(
    session: Session, n: int, ends: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the enclosing radius (n,) of each component, and the component (n,) of each vertex.

    The radius is inf if no vertex is connected to all others. Host arrays. O(E log n).
    """
    component = np.empty(n, np.int32)
    session.host.run("rips_join_components", np.ascontiguousarray(ends), len(ends), n, component)
    size = np.bincount(component, minlength=n)
    degree = np.bincount(ends.ravel(), minlength=n)
    reach = np.zeros(n)
    np.maximum.at(reach, ends.ravel(), np.repeat(values, 2))
    reach[degree < size[component] - 1] = math.inf
    radius = np.full(n, math.inf)
    np.minimum.at(radius, component, reach)
    radius[size == 0] = 0
    return radius, component


def compressed(graph: RankedGraph, ends: Array, rank: Array) -> RankedGraph:
    """Return the graph with other edges, and with only the ranks that these have."""
    xp = array_module(rank)
    used, place = xp.unique(rank, return_inverse=True)
    levels = np.concatenate([graph.levels[:1], graph.levels[to_host(used)]])
    return replace(graph, ends=ends, rank=(place.ravel() + 1).astype(np.uint32), levels=levels)


def most_central_last(session: Session, n: int, ends: Array, rank: Array, beyond: int) -> Array:
    """Return the vertices (n,) int32 by descending mean rank of their edges, ties by index.

    Missing edges count as `beyond`. Sums of integers are the same on every device.
    """
    xp = array_module(rank)
    nearness = shifted(rank, beyond, -1)
    both = stacked(nearness, nearness).reshape(-1)
    total = sums_of_rows(session.device, ends.ravel(), n, both)
    return shifted(xp.argsort(total, kind="stable"), dtype=np.int32)


def on_host(filtration: Filtration) -> Filtration:
    """Return the filtration in host memory, where its columns are reduced."""
    rank, rows = filtration.rank, filtration.adjacency
    if rank is not None:
        return replace(filtration, rank=to_host(rank))
    assert rows is not None
    parts = (to_host(part) for part in (rows.offsets, rows.items, rows.ranks))
    return replace(filtration, adjacency=Adjacency(*parts))


def filtration_of(
    session: Session,
    graph: RankedGraph,
    order: np.ndarray | None,
    vertex_rank: np.ndarray | None = None,
) -> Filtration:
    """Return the flag filtration with renumbered vertices: vertex v is the caller's order[v]."""
    xp, n = session.device.xp, graph.n
    ends = graph.ends
    if order is not None:
        place = np.empty(n, np.int32)
        place[order] = np.arange(n, dtype=np.int32)
        ends = at(session.upload(place), ends.reshape(-1)).reshape(-1, 2)
        vertex_rank = None if vertex_rank is None else vertex_rank[order]
    if n <= SMALL or len(ends) >= DENSE * n * (n - 1) / 2:
        matrix = session.device.unset((n, n), np.uint32)
        diagonal = session.device.numbers(n, np.int64, 0, n + 1)
        own_rank = 0 if vertex_rank is None else session.upload(vertex_rank)
        put(matrix.reshape(-1), diagonal, own_rank)
        session.launch("place_ranks", len(ends), ends, graph.rank, n, matrix)
        return Filtration(n, matrix, graph.levels, vertex_rank)
    both = xp.concatenate([ends, ends[:, ::-1]]).astype(np.int64)
    by_row = xp.argsort(both[:, 0] * n + both[:, 1])
    offsets = exclusive_scan(sums_of_rows(session.device, both[:, 0], n))
    rows = Adjacency(
        offsets, both[by_row, 1].astype(np.int32), xp.concatenate([graph.rank] * 2)[by_row]
    )
    return Filtration(n, None, graph.levels, vertex_rank, rows)
