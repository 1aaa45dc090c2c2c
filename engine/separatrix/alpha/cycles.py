"""Cycles of the pairs of an alpha filtration; see kernels/homology/representatives.h."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import to_host
from ..errors import InputError, Words
from ..homology import PersistenceDiagram
from ..homology.filtration import places_of
from ..kernels import NONE
from ..results import CSR
from .found_complex import FoundComplex
from .persistence import paired_cells
from .voids import in_place

ITEMS_AT_FIRST = 1 << 16


def representatives_of(complex: FoundComplex, pairs: PersistenceDiagram) -> CSR:
    """Return the cells of a cycle per pair, counted like those of the pairs."""
    session = complex._session
    with session.call(None, {}):
        cells, ends = paired_cells(complex)
        death_of = [to_host(end.death_of) for end in ends]
        parts, births, deaths = _by_dimension(complex, pairs, death_of)
        _, edges, triangles, tets = cells
        order, edges_of, triangles_of = map(to_host, (edges.order, triangles.facets, tets.facets))
        places = [to_host(places_of(session, c.order, len(c.order))) for c in cells[1:3]]
        cofaces = session.device.unset((len(triangles.order), 2), np.int32)
        session.launch("list_cofaces", tets.facets.size, tets.facets, cofaces)
        loops = (edges_of, places[0], order, death_of[1], deaths[1])
        shells = (triangles_of, to_host(cofaces), places[1], len(tets.order), births[2], deaths[2])
        cycles = [
            CSR(np.arange(len(births[0]) + 1), births[0]),
            _gathered(session.host, "gather_loops", *loops),
            _gathered(session.host, "gather_shells", *shells),
        ]
    return _in_order(complex, parts, cycles)


def _by_dimension(
    complex: FoundComplex, pairs: PersistenceDiagram, death_of: list[np.ndarray]
) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Return the pairs of each dimension from 0 to 2, with the rows of their births and deaths."""
    if not isinstance(pairs, PersistenceDiagram):
        raise InputError("pairs", "a PersistenceDiagram", pairs)
    dimension, birth, death = map(to_host, (pairs.dimension, pairs.birth_row, pairs.death_row))
    alive = np.flatnonzero(death == NONE)
    if len(alive):
        expected, remedy = "pairs with a death", "Omit those that are essential."
        raise InputError("pairs", expected, Words("none"), remedy, where=f"[{alive[0]}]")
    first = np.cumsum([0, *complex.counts])
    parts = [np.flatnonzero(dimension == d) for d in range(3)]
    births = [(birth[part] - first[d]).astype(np.int32) for d, part in enumerate(parts)]
    deaths = [(death[part] - first[d + 1]).astype(np.int32) for d, part in enumerate(parts)]
    are_known = sum(map(len, parts)) == len(pairs) and all(
        ((own >= 0) & (own < len(known))).all() and (known[own] == ends).all()
        for own, ends, known in zip(births, deaths, death_of, strict=False)
    )
    if not are_known:
        raise InputError("pairs", "pairs of this complex, as from persistence_diagram()", pairs)
    return parts, births, deaths


def _gathered(host: Any, task: str, *model: Any) -> CSR:
    """Return what a task of representatives.h finds for its last argument, an array (n,)."""
    n, room = len(model[-1]), ITEMS_AT_FIRST
    offsets = np.zeros(n + 1, np.int64)
    while True:
        items = np.empty(room, np.int32)
        total = host.run(task, *model, n, offsets, items, room)
        if total <= room:
            return CSR(offsets, items[:total])
        room = total


def _in_order(complex: FoundComplex, parts: list[np.ndarray], cycles: list[CSR]) -> CSR:
    """Return the cycles of three dimensions as those of all pairs, in their order."""
    first = np.cumsum([0, *complex.counts])
    order = np.argsort(np.concatenate(parts), kind="stable")
    lengths = np.concatenate([np.diff(part.offsets) for part in cycles])
    items = np.concatenate([part.items + first[d] for d, part in enumerate(cycles)])
    begins = (np.cumsum(lengths) - lengths)[order]
    offsets = np.concatenate([[0], np.cumsum(lengths[order])]).astype(np.int64)
    chosen = np.arange(offsets[-1]) + np.repeat(begins - offsets[:-1], lengths[order])
    return CSR(**in_place(complex, offsets=offsets, items=items[chosen].astype(np.int64)))
