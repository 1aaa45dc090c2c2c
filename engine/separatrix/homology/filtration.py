"""Persistence of a complex of up to three dimensions whose tetrahedra are embedded in space.

1. Edges merge components by the elder rule. From the last triangle to the first, triangles merge
   tetrahedra and the outside in the same way, where the last tetrahedra are the oldest (Delfinado,
   Edelsbrunner 1995).
2. The other triangles are columns, and the other edges rows, of a matrix over Z/2 (clearing and
   compression: Bauer, Kerber, Reininghaus 2014). The first column that ends at a row owns it, which
   determines most pairs in parallel. CPU threads reduce the columns that own no row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..device import MUCH_CACHED, Array, Session, to_host
from ..kernels import NONE
from ..primitives import at, backward, compact, is_within, shifted, stable_order
from .diagram import PersistenceDiagram
from .pairing import merge_in_rounds, merge_pairs

NO_COLUMN = 2**31 - 1


class Cells(NamedTuple):
    """Cells of one dimension d in the order of their filtration."""

    value: Array  # (m,) float64
    facets: Array  # (m, d + 1) int32, rows of dimension d - 1
    order: Array  # (m,) int32, rows by value, then by index


class Ends(NamedTuple):
    """Which cells of one dimension create classes, and which end them."""

    death_of: Array  # (m,) int32, row of dimension d + 1 that ends the class of each row, or -1
    is_death: Array  # (m,) uint8


def filtered(session: Session, values: Array, facets: Array) -> Cells:
    """Return the cells of one dimension with their order in the filtration."""
    session.device.free_cached(MUCH_CACHED)
    return Cells(values, facets, shifted(stable_order(session, values), dtype=np.int32))


def pair_cells(session: Session, cells: list[Cells]) -> list[Ends]:
    """Return the pairs of cells of dimensions 0 to 3."""
    device, (vertices, edges, triangles, tets) = session.device, cells
    device.free_cached(MUCH_CACHED)  # which sorting used
    is_death = [device.zeros(len(c.order), np.uint8) for c in cells]
    age = places_of(session, vertices.order, len(vertices.order))
    victim = _victims(session, age, edges.facets, edges.order)
    of_vertices = device.unset(len(vertices.order), np.int32)
    session.launch("record_deaths", victim.size, victim, of_vertices)
    is_death[1] = is_within(victim, 0).view(np.uint8)
    del victim
    cofaces = device.unset((len(triangles.order), 2), np.int32)
    session.launch("list_cofaces", tets.facets.size, tets.facets, cofaces)
    age = places_of(session, backward(tets.order), len(tets.order))
    of_triangles = _victims(session, age, cofaces, backward(triangles.order))
    del age, cofaces
    device.free_cached(MUCH_CACHED)
    session.launch("mark_victims", of_triangles.size, of_triangles, is_death[3])
    rows, killers, owner = _pair_loops(session, edges, triangles, is_death[1], of_triangles)
    of_edges = device.unset(len(edges.order), np.int32)
    session.launch("pair_edges", rows.size, rows, owner, killers, of_edges, is_death[2])
    of_tets = device.unset(len(tets.order), np.int32)
    return list(map(Ends, (of_vertices, of_edges, of_triangles, of_tets), is_death))


def places_of(session: Session, order: Array, n: int) -> Array:
    """Return the place (n,) int32 of each row in the order, or -1."""
    place = session.device.unset(n, np.int32)
    session.launch("invert_order", order.size, order, place)
    return place


def _victims(session: Session, age: Array, ends: Array, order: Array) -> Array:
    """Return the piece (m,) int32 that ends at each edge, or -1."""
    if session.device.launch_form(host=False, gpu=True):
        return merge_in_rounds(session, age, ends, order).victim
    return merge_pairs(session.host, age, ends, order).victim


def _pair_loops(
    session: Session, edges: Cells, triangles: Cells, merges: Array, victim: Array
) -> tuple[Array, Array, Array]:
    """Return edges (n,) that close loops, triangles (k,) that may end them, and indices (n,)."""
    device = session.device
    killers = at(triangles.order, is_within(at(victim, triangles.order), NONE, NONE))
    rows = at(edges.order, is_within(at(merges, edges.order), 0, 0))
    place = places_of(session, rows, len(edges.order))
    columns, n = device.empty((killers.size, 4), np.int32), rows.size
    owner, waits = device.numbers(n, np.int32, NO_COLUMN, 0), device.empty(killers.size, np.uint8)
    session.launch("list_columns", killers.size, killers, triangles.facets, place, columns, owner)
    session.launch("flag_waiting", killers.size, columns, owner, waits)
    waiting = shifted(compact(waits), dtype=np.int32)
    columns, waiting, owner = map(to_host, (columns, waiting, owner))
    host = session.host
    sizes = (len(columns), waiting, waiting.size, n, host.threads)
    host.run("reduce_short_columns", columns, *sizes, owner)
    return rows, killers, session.upload(owner)


def diagram_of(
    session: Session, cells: list[Cells], ends: list[Ends], zero_persistence: bool
) -> PersistenceDiagram:
    """Return the diagram in the memory of the cells; rows count the vertices, edges, and so on."""
    device = session.device
    first = np.cumsum([0, *(len(c.order) for c in cells)]).tolist()
    above = [*(c.value for c in cells[1:]), device.empty(0, np.float64)]
    models = [
        (c.order, e.is_death, e.death_of, c.value, deaths)
        for c, e, deaths in zip(cells, ends, above, strict=True)
    ]
    chosen = [_births(session, model, zero_persistence) for model in models]
    device.free_cached(MUCH_CACHED)
    bounds = np.cumsum([0, *map(len, chosen)]).tolist()
    reals = [device.empty(bounds[-1], np.float64) for _ in range(3)]
    rows = [device.empty(bounds[-1], np.int64) for _ in range(2)]
    for d, (places, (order, _, *known)) in enumerate(zip(chosen, models, strict=True)):
        found = (column[bounds[d] : bounds[d + 1]] for column in (*reals, *rows))
        given = (places, order, *known, *first[d : d + 2])
        session.launch("describe_pairs", len(places), *given, *found)
    dimension = device.joined([device.numbers(len(p), np.int8, d, 0) for d, p in enumerate(chosen)])
    return PersistenceDiagram(dimension, *reals, *rows, *rows)


def _births(session: Session, model: tuple[Array, ...], zero_persistence: bool) -> Array:
    """Return the places (k,) int64 of the cells that create a class that is shown."""
    n = model[0].size
    shown = session.device.empty(n, np.uint8)
    session.launch("flag_births", n, *model, zero_persistence, shown)
    return compact(shown)
