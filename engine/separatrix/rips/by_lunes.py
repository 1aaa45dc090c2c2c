"""Bars of dimensions 0 and 1 by lunes, without ranks and without columns.

The relative neighborhood graph has all edges that merge components or create loops. The pairs equal
those of :mod:`separatrix.rips.by_dimension`, so each method tests the other.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..device import Session, to_host
from ..options import RipsBarcodesOptions
from ..primitives import changes
from . import listed_columns, listed_loops, listed_points, loops
from .distances import Distances, distances_between, of_points, ranks_of_lengths
from .filtration import ABSENT, Filtration, Lengths, Simplices, diameters
from .forecast import Forecast, Outlook
from .pairs import Paired, Pairs, about_bars, components, places_of
from .ranks import RankedGraph, bounded, filtration_of, on_host, ranked
from .reduction import Reduction, drop_chains, taken_chains

DISTINCT = 0.5  # fraction of the links; if fewer have lengths of their own, cohomology is faster
DISTINCT_FOR_VOIDS = 0.9  # fraction of the edges
EDGES_PER_OPEN = 32  # if there are fewer edges per open one, cohomology finds voids faster
VOID_COUNTS = ("simplices", "open_edges", "voids", "tested", "values", "most_alive")
SECONDS_PER_POINT = 6e-6  # and 2^d, if the density is even: 2e-5 in a plane, 5e-5 in space
BYTES_PER_POINT = 400  # of a million points in a plane: 280
LONG_COLUMNS = 2000  # vertices from which columns of dimension 1 are often long


def by_lunes(
    session: Session, found: Distances, threshold: float, options: RipsBarcodesOptions
) -> Paired | None:
    """Return the pairs, or None if so many edges are equal that cohomology is faster.

    Runs on the CPU. A matrix takes O(n^2) time and at most 17/4 n^2 bytes, and E edges take
    O(E log E) time and 60 bytes each. Each edge near a loop then takes a few rows of neighbors.
    Points take about 400 bytes each and, if their density is even, O(n log^2 n) time.
    """
    n, host_session, max_dimension = found.n, session.on(session.host), options.max_dimension
    warned, given = 0.0, found.points
    points = np.empty((0, 0)) if given is None else np.ascontiguousarray(to_host(given))
    graph: loops.Weighted | listed_loops.DeviceGraph
    with session.stage("neighborhood graph"):
        radius = math.inf if found.matrix is None else float(found.matrix.max(axis=1).min())
        limit = min(threshold, radius)
        if found.points is not None:
            graph = loops.Weighted.by_points(points, threshold)
            about = SECONDS_PER_POINT * 2 ** points.shape[1] * n
            warned = Outlook(host_session, n, f"there are {n:,} points", about).warned
            n_bytes = BYTES_PER_POINT * n
            lengths: Lengths = lambda u, v: distances_between(session, points, u, v)  # noqa: E731
        elif radius < math.inf and lists_on_device(session):
            graph = listed_loops.DeviceGraph(session, found, limit)
            n_bytes = 4 * n * n + n * n // 4
            lengths = graph.lengths
        elif radius < math.inf:
            matrix = np.ascontiguousarray(to_host(found.matrix))
            graph = loops.Weighted.by_matrix(matrix, limit)
            n_bytes = 4 * n * n + n * n // 4
            lengths = lambda u, v: matrix[u, v]  # noqa: E731
        else:
            edges, radius, limit = bounded(host_session, found.on_host(), threshold)
            assert edges.ends is not None
            assert edges.values is not None
            graph = loops.Weighted.by_edges(n, edges.ends, edges.values)
            n_bytes = 60 * len(edges.values) + 8 * n
            lengths = _lengths_of(n, edges.ends, edges.values)
        on_device = None
        if given is not None and options.field == 2 and lists_on_device(session):
            on_device = listed_points.points_on_device(session, given, threshold)
        if on_device is not None:
            around = on_device.links
        elif isinstance(graph, listed_loops.DeviceGraph):
            around = graph.links()
        else:
            around = loops.links_of(host_session, graph)
        links, n_edges = around.ends, around.n_edges
    if found.points is not None:
        radius = around.enclosing_radius
        limit = min(threshold, radius)
        graph = loops.Weighted.by_points(points, limit)
    of_links = around.lengths
    if of_links is None:
        of_links = lengths(links[:, 0], links[:, 1])
    of_links = of_links + 0.0
    if max_dimension > 0 and _many_are_equal(of_links):
        return None
    expected = Forecast(n, max_dimension, n_edges, float(n_edges), n_bytes)
    is_stored = isinstance(graph, listed_loops.DeviceGraph)
    expected.require(host_session, options.work_limit, is_stored=is_stored)
    pairs = np.empty((0, 5), np.int32)
    counts: dict[str, int] = {}
    if max_dimension > 0:
        with session.stage("loops"):
            limits: dict[str, Any] = {"work_limit": options.work_limit, "warned": warned}
            about = {"prime": options.field, **limits}
            result = None
            if isinstance(graph, listed_loops.DeviceGraph):
                if graph.is_euclidean and options.field == 2:
                    result = listed_columns.loops_of(graph, around, **limits)
                else:
                    result = listed_loops.loops_of(graph, around, **about)
            elif on_device is not None:
                result = listed_columns.loops_of(on_device, around, **limits)
            if result is None and isinstance(graph, loops.Weighted):
                result = loops.loops_of(host_session, graph, around, **about)
        if result is None:
            return None
        pairs, counts = result
    births, deaths = pairs[:, :2], pairs[pairs[:, 2] >= 0, 2:]
    measured = lengths(*np.concatenate([births, deaths[:, :2], deaths[:, 1:], deaths[:, ::2]]).T)
    of_births, of_sides = np.split(measured + 0.0, [len(births)])
    of_sides = of_sides.reshape(3, -1)
    of_triangles = of_sides.max(axis=0)
    levels = np.concatenate([[0.0], of_links, np.sort(of_triangles)])
    levels.sort(kind="stable")  # fast, because two runs are in order
    levels = levels[changes(levels)]

    def rank_lengths(values: np.ndarray) -> np.ndarray:
        return ranks_of_lengths(session, levels, values)

    filtration = Filtration(n, None, levels, lengths=lengths, rank_lengths=rank_lengths)
    ranks = rank_lengths(of_links)
    merging = components(filtration, Simplices(links, ranks), around.victims)
    found_pairs = [merging]
    counted: list[dict[str, Any]] = [{"simplices": n, "cleared": 0, "columns": n}]
    if max_dimension > 0:
        of_pairs = _pairs(filtration, pairs, rank_lengths(np.append(of_births, of_triangles)))
        longest = _longest_edges(pairs[:, 2:], of_sides == of_triangles)
        found_pairs.append(replace(of_pairs, death_edge=longest))
        n_cleared = int((merging.death_rank != ABSENT).sum())
        sizes = {"simplices": n_edges, "cleared": n_cleared, "columns": n_edges - n_cleared}
        counted.append({**sizes, "links": len(links), **counts})
    about = about_bars(limit, radius, n_edges, expected, counted)

    def graph_until(length: float) -> RankedGraph:
        listed = found.on_host()
        if found.points is not None:
            listed = of_points(host_session, points, "euclidean", length)
        return ranked(host_session, listed, length)

    def filtration_until(length: float) -> Filtration:
        return on_host(filtration_of(host_session, graph_until(length), None))

    def loops_until(length: float) -> Pairs | None:
        edges = graph_until(length)
        listed = loops.Weighted.by_edges(n, edges.ends, edges.levels[edges.rank])
        links = loops.links_of(host_session, listed)
        found = loops.loops_of(host_session, listed, links, prime=options.field)
        return None if found is None else _pairs(filtration, found[0])

    has_values = isinstance(graph, loops.Weighted) and graph.form != "points"
    has_all = found.points is not None or (found.matrix is not None and radius < math.inf)
    may_lack = None if has_values else loops_until

    def all_edges() -> loops.Weighted:
        if isinstance(graph, loops.Weighted):
            return graph
        return loops.Weighted.by_matrix(np.ascontiguousarray(to_host(found.matrix)), limit)

    about_cycles = (filtration_until, may_lack, all_edges if has_all else None)
    return Paired(filtration, found_pairs, None, about, *about_cycles)


def lists_on_device(session: Session) -> bool:
    """Return whether kernels list the open edges of a matrix, or of points."""
    return bool(session.device.launch_form(host=False, gpu=True))


def reduction_by_lunes(
    session: Session, filtration: Filtration, columns: Simplices, prime: int, work_limit: float
) -> Reduction | None:
    """Return the same reduction as `reduce_survivors` for dimension 1, or None.

    The result is None if there is no rank matrix, if vertices have births, if too many edges are
    equal, or if the columns are probably short.
    """
    n, n_columns = filtration.n, len(columns)
    if filtration.rank is None or filtration.vertex_rank is not None:
        return None
    if n < LONG_COLUMNS and n_columns < loops.HARD * n:
        return None
    limit = filtration.n_ranks - 1
    graph = loops.Weighted.by_matrix(np.ascontiguousarray(filtration.rank), limit)
    links = loops.links_of(session, graph)
    if _many_are_equal(filtration.rank[links.ends[:, 0], links.ends[:, 1]]):
        return None
    has_equal = limit < links.n_edges
    found = loops.loops_of(
        session, graph, links, prime=prime, all_equal=has_equal, work_limit=work_limit
    )
    if found is None:
        return None
    pairs, statistics = found
    death = pairs[places_of(pairs[:, :2], columns.vertices, n), 2:]
    return Reduction(death, _diameters(filtration, death), None, statistics)


def voids_by_apexes(
    session: Session, filtration: Filtration, loops_found: Pairs, prime: int
) -> tuple[Pairs, dict[str, int]] | None:
    """Return the pairs of dimension 2 of positive length, and counts, or None if not faster.

    It is faster than cohomology over Z/2 if nearly all lunes have an apex, as in a cube, and nearly
    all edges have lengths of their own. Triangles are only enumerated for the remaining edges. See
    rips/voids.h. Takes O(n^3) time and 5 n^2 bytes.
    """
    rank, n = filtration.rank, filtration.n
    if prime != 2 or rank is None or filtration.vertex_rank is not None:
        return None
    is_edge = rank < filtration.n_ranks
    n_edges = (int(is_edge.sum()) - n) // 2
    if filtration.n_ranks < DISTINCT_FOR_VOIDS * n_edges:
        return None
    session.memory.require(5 * n * n, "the apexes of lunes", "use fewer points")
    ended = np.ascontiguousarray(loops_found.death[loops_found.death_rank != ABSENT])
    counts = np.zeros(len(VOID_COUNTS), np.int64)
    kept = session.host.run(
        "rips_voids",
        *(np.ascontiguousarray(rank), n, filtration.n_ranks - 1),
        *(ended, len(ended), EDGES_PER_OPEN, session.host.threads, counts),
        undo=lambda kept: drop_chains(session, kept),
    )
    if kept == 0:
        return None
    found = _pairs(filtration, taken_chains(session, kept, 1, 7).vertices)
    return found, dict(zip(VOID_COUNTS, map(int, counts), strict=True))


def _pairs(filtration: Filtration, rows: np.ndarray, ranks: np.ndarray | None = None) -> Pairs:
    """Return the pairs of births and deaths in rows (k, 5) or (k, 7).

    `ranks` are those of births, then of deaths that are not missing, if they are known.
    """
    k, d = len(rows), rows.shape[1] // 2 - 1
    birth, death = rows[:, : d + 1].copy(), rows[:, d + 1 :].copy()
    if ranks is None:
        birth_rank, death_rank = diameters(filtration, birth), _diameters(filtration, death)
    else:
        birth_rank, death_rank = ranks[:k], np.full(k, ABSENT, np.uint32)
        death_rank[death[:, 0] >= 0] = ranks[k:]
    reduction = Reduction(death, death_rank)
    columns = Simplices(birth, birth_rank)
    return Pairs(d, birth, birth_rank, death, reduction.death_rank, columns, reduction)


def _longest_edges(deaths: np.ndarray, is_longest: np.ndarray) -> np.ndarray:
    """Return the longest edge (k, 2) of each triangle (k, 3), the highest of equal ones; -1 for -1.

    `is_longest` (3, m) are flags of the edges 01, 12, and 02 of the triangles that are not missing.
    """
    edges = deaths[:, :2].copy()
    there = np.flatnonzero(deaths[:, 0] >= 0)
    edges[there] = np.where(
        is_longest[0, :, None],
        edges[there],
        np.where(is_longest[2, :, None], deaths[there, ::2], deaths[there, 1:]),
    )
    return edges


def _diameters(filtration: Filtration, simplices: np.ndarray) -> np.ndarray:
    """Return the ranks (m,) uint32 of simplices (m, d + 1), ABSENT for -1."""
    rank = np.full(len(simplices), ABSENT, np.uint32)
    is_there = simplices[:, 0] >= 0
    rank[is_there] = diameters(filtration, simplices[is_there])
    return rank


def _many_are_equal(lengths: np.ndarray) -> bool:
    """Return whether few of the ascending lengths (m,) differ."""
    return int(np.count_nonzero(lengths[1:] != lengths[:-1])) < DISTINCT * len(lengths) - 1


def _lengths_of(n: int, ends: np.ndarray, values: np.ndarray) -> Lengths:
    """Return a function of the vertices (m,) and (m,) of edges, which returns their lengths."""
    keys = ends[:, 0].astype(np.int64) * n + ends[:, 1]
    if len(keys) == 0:
        return lambda u, v: np.full(len(u), math.inf)
    order = None if (keys[1:] > keys[:-1]).all() else np.argsort(keys)

    def lengths(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        wanted = np.minimum(u, v).astype(np.int64) * n + np.maximum(u, v)
        at = np.searchsorted(keys, wanted, sorter=order)
        at = np.minimum(at, len(keys) - 1)
        return np.asarray(values[at if order is None else order[at]])

    return lengths
