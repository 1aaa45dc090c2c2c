"""Cycles and cocycles of selected bars.

A cycle is the boundary of the bar's death simplex, reduced by the pairs that cohomology has found
(Cufar, Virk, "Fast computation of persistent homology representatives with involuted persistent
homology", 2021). Cocycles are the columns V of the reduction itself (de Silva, Morozov,
Vejdemo-Johansson 2011). Neither is unique, but both are the same in every run.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from ..device.arrays import to_host
from ..device.session import Session
from ..kernels import NONE
from ..primitives import exclusive_scan
from .filtration import Filtration, Simplices, diameters
from .loops import Weighted
from .reduction import (
    Chains,
    Reduction,
    check_prime,
    drop_chains,
    host_graph,
    key_bits,
    taken_chains,
)


class PairMissing(ValueError):
    """A pair that a cycle depends on is neither given nor apparent."""


def cycles(
    session: Session,
    filtration: Filtration,
    survivors: Simplices,
    reduction: Reduction,
    chosen: np.ndarray,
    *,
    prime: int = 2,
) -> Chains:
    """Return a cycle for each chosen column of a dimension d >= 1; all must have deaths.

    `chosen` (c,) are indices into `survivors`. A cycle is born with its bar, has coefficient 1 at
    the birth simplex, and becomes a boundary at the death.
    """
    starts = np.ascontiguousarray(reduction.death[chosen])
    if (starts < 0).any():
        raise ValueError("cycles() requires deaths; use essential_cycles() for the other columns")
    return _reduced(
        session, filtration, survivors, reduction, starts, np.asarray(chosen, np.int32), prime
    )


def cycles_by_lunes(
    session: Session,
    graph: Weighted,
    births: np.ndarray,
    deaths: np.ndarray,
    chosen: np.ndarray,
    prime: int,
) -> Chains:
    """Return the cycles of :func:`cycles` for pairs of dimension 1 of a graph with all edges.

    `births` (m, 2) and `deaths` (m, 3) have descending vertices, -1 for missing deaths. Edges are
    not listed: the last point of the lune is searched for each edge that is met.
    """
    wanted = np.ascontiguousarray(chosen, np.int32)
    kept = session.host.run(
        f"rips_cycles_of_{graph.form}",
        *(*graph.parts, np.ascontiguousarray(births), np.ascontiguousarray(deaths), len(births)),
        *(wanted, len(wanted), prime),
        undo=lambda kept: drop_chains(session, kept),
    )
    if kept < 0:
        raise PairMissing("the death of an edge of a cycle, or its birth, is not given")
    return taken_chains(session, kept, len(wanted), 2)


def essential_cycles(
    session: Session,
    filtration: Filtration,
    births: np.ndarray,
    below: tuple[Simplices, Reduction] | np.ndarray,
    *,
    prime: int = 2,
) -> Chains:
    """Return a cycle for each essential bar of a dimension d >= 1, which is born with the bar.

    `births` (c, d + 1) int32 are the birth simplices, with descending vertices. `below` are the
    survivors and the reduction of dimension d - 1 or, for d = 1, the edges (f, 2) of the spanning
    forest.
    """
    births = np.ascontiguousarray(births, np.int32)
    if isinstance(below, np.ndarray):
        return _closed_by_paths(filtration.n, births, below, prime)
    nothing = np.full(len(births), NONE, np.int32)
    return _reduced(session, filtration, *below, births, nothing, prime)


def cocycles(filtration: Filtration, reduction: Reduction, chosen: np.ndarray) -> Chains:
    """Return a cocycle for each chosen column of a reduction that kept its columns.

    It is V, restricted to the simplices that are older than the death. At any value of the bar it
    is a cocycle of the complex but not a coboundary.
    """
    columns = reduction.columns
    if columns is None:
        raise ValueError("cocycles() requires reduce_survivors(..., keep_columns=True)")
    parts = [np.arange(*columns.offsets[j : j + 2]) for j in chosen]
    places = np.concatenate([np.empty(0, np.int64), *parts])
    owner = np.repeat(np.arange(len(parts)), np.array([len(part) for part in parts], np.int64))
    end = reduction.death_rank[chosen][owner]
    is_older = diameters(filtration, columns.vertices[places]) < end
    places, owner = places[is_older], owner[is_older]
    offsets = exclusive_scan(np.bincount(owner, minlength=len(parts)))
    return Chains(offsets, columns.vertices[places], columns.coefficients[places])


def _reduced(
    session: Session,
    filtration: Filtration,
    survivors: Simplices,
    reduction: Reduction,
    starts: np.ndarray,
    wanted: np.ndarray,
    prime: int,
) -> Chains:
    m, k = survivors.vertices.shape
    check_prime(prime)
    bits = key_bits(filtration.n, k + 1)
    form, graph = host_graph(filtration, narrow=False)
    columns = np.ascontiguousarray(to_host(survivors.vertices), np.int32)
    kept = session.host.run(
        f"{form}_cycles",
        *(*graph, columns, m, k, np.ascontiguousarray(reduction.death)),
        *(starts, wanted, len(starts), prime, bits),
        undo=lambda kept: drop_chains(session, kept),
    )
    if kept < 0:
        raise PairMissing("the reduction and the survivors do not match the filtration and prime")
    return taken_chains(
        session, kept, len(starts), k if (wanted >= 0).all() and len(wanted) else k + 1
    )


def _closed_by_paths(n: int, births: np.ndarray, forest: np.ndarray, prime: int) -> Chains:
    """Close each edge of `births` with the path between its ends in the spanning forest."""
    neighbors: list[list[int]] = [[] for _ in range(n)]
    for u, v in forest.tolist():
        neighbors[u].append(v)
        neighbors[v].append(u)
    edges, coefficients, sizes = [], [], [0]
    for begin, end in births.tolist():
        before = {begin: begin}
        waiting = deque([begin])
        while end not in before:
            at = waiting.popleft()
            for other in neighbors[at]:
                if other not in before:
                    before[other] = at
                    waiting.append(other)
        # The edge leads from its larger vertex to its smaller one, and the path leads back.
        path = [(begin, end)]
        while end != begin:
            path.append((end, before[end]))
            end = before[end]
        for u, v in path:
            edges.append((max(u, v), min(u, v)))
            coefficients.append(1 if u > v else prime - 1)
        sizes.append(len(path))
    return Chains(
        np.cumsum(sizes, dtype=np.int64),
        np.array(edges, np.int32).reshape(-1, 2),
        np.array(coefficients, np.int32),
    )
