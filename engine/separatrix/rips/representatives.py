"""Cycles and cocycles of selected bars.

A cycle is the boundary of the bar's death simplex, reduced by the pairs that cohomology has found
(Cufar, Virk, "Fast computation of persistent homology representatives with involuted persistent
homology", 2021). Cocycles are the columns V of the reduction itself (de Silva, Morozov,
Vejdemo-Johansson 2011). Neither is unique, but both are the same in every run.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush

import numpy as np

from ..device.arrays import to_host
from ..device.session import Session
from ..kernels import NONE
from ..primitives import exclusive_scan
from .filtration import Filtration, Lengths, Simplices, diameters
from .reduction import (
    Chains,
    Reduction,
    check_prime,
    drop_chains,
    host_graph,
    key_bits,
    taken_chains,
)

AT_ONCE = 8192  # points tested for a lune together
Edge = tuple[int, int]


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
    filtration: Filtration,
    births: np.ndarray,
    deaths: np.ndarray,
    chosen: np.ndarray,
    prime: int,
) -> Chains:
    """Return the cycles of :func:`cycles` for pairs of dimension 1 of a graph with all edges.

    `births` (m, 2) and `deaths` (m, 3) have descending vertices, -1 for missing deaths. Edges are
    not listed: among all points, the last one of the lune is searched for each edge that is met.
    """
    ends = dict(zip(map(tuple, births.tolist()), deaths.tolist(), strict=True))
    cycles: dict[Edge, dict[Edge, int]] = {}
    for k, birth in enumerate(map(tuple, births[chosen].tolist())):
        session.progressed(k / len(chosen))
        waiting = [_Boundary(filtration, birth, ends[birth], prime)]
        while waiting:
            session.raise_if_canceled()
            needed = waiting[-1].reduce(cycles)
            if needed == waiting[-1].birth:
                cycles[needed] = waiting.pop().terms
            elif ends.get(needed, [NONE])[0] == NONE:
                raise PairMissing("the death of an edge of a cycle is not given")
            else:
                waiting.append(_Boundary(filtration, needed, ends[needed], prime))
    parts = [cycles[birth] for birth in map(tuple, births[chosen].tolist())]
    return Chains(
        np.cumsum([0, *map(len, parts)]),
        np.array([edge for part in parts for edge in part], np.int32).reshape(-1, 2),
        np.array([value for part in parts for value in part.values()], np.int32),
    )


class _Boundary:
    """Boundary of a death of dimension 2, until its youngest edge is the birth."""

    def __init__(self, filtration: Filtration, birth: Edge, death: list[int], prime: int) -> None:
        assert filtration.lengths is not None
        self.lengths, self.n, self.birth, self.prime = (
            filtration.lengths,
            filtration.n,
            birth,
            prime,
        )
        self.terms: dict[Edge, int] = {}
        self.youngest_first: list[tuple[float, int, int]] = []
        self.add(_sides(death), 1)

    def add(self, chain: dict[Edge, int], factor: int) -> None:
        new = [edge for edge in chain if edge not in self.terms]
        lengths = self.lengths(*np.array(new, np.int64).reshape(-1, 2).T).tolist()
        for edge, length in zip(new, lengths, strict=True):
            heappush(self.youngest_first, (-length, *edge))
        for edge, value in chain.items():
            self.terms[edge] = (self.terms.get(edge, 0) + value * factor) % self.prime

    def reduce(self, cycles: dict[Edge, dict[Edge, int]]) -> Edge:
        """Return the birth, or that of another cycle that is required first."""
        while self.youngest_first:
            length, *ends = self.youngest_first[0]
            edge = (ends[0], ends[1])
            value = self.terms[edge]
            if value and edge == self.birth:
                inverse = pow(value, -1, self.prime)
                self.terms = {e: v * inverse % self.prime for e, v in self.terms.items() if v}
                return edge
            if value:
                third = _last_of_lune(self.lengths, self.n, *edge, -length)
                if third == NONE and edge not in cycles:
                    return edge
                triangle = sorted((*edge, third), reverse=True)
                boundary = cycles[edge] if third == NONE else _sides(triangle)
                self.add(boundary, -value * boundary[edge])  # 1 or -1 at the edge
            heappop(self.youngest_first)
            del self.terms[edge]
        raise PairMissing("a cycle is a boundary before the death of its bar")


def _sides(triangle: list[int]) -> dict[Edge, int]:
    a, b, c = triangle
    return {(a, b): 1, (b, c): 1, (a, c): -1}


def _last_of_lune(lengths: Lengths, n: int, high: int, low: int, length: float) -> int:
    """Return the last vertex whose edges to both ends are older than this edge, or NONE."""

    def is_older(end: int, others: np.ndarray) -> np.ndarray:
        found = lengths(np.full(len(others), end), others)
        above, below = np.maximum(end, others), np.minimum(end, others)
        is_before = (above > high) | ((above == high) & (below > low))
        return (found < length) | ((found == length) & is_before)

    for stop in range(n, 0, -AT_ONCE):
        others = np.arange(max(stop - AT_ONCE, 0), stop)
        in_lune = np.flatnonzero(is_older(high, others) & is_older(low, others))
        if in_lune.size:
            return int(others[in_lune[-1]])
    return NONE


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
