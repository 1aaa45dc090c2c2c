"""The scalar field on a mesh: validation and order of the values at its points.

Distances of the plateau-aware order (morse/field.py) are found breadth first, in O(V + E), with one
launch per step of the longest path in a plateau.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...device import Array, Session, as_array, may_share_memory, to_host
from ...errors import InputError, Words
from ...kernels import source
from ...lazy import cached_property
from ...morse.field import (
    FAR,
    ScalarField,
    check_finite,
    checked_order,
    comparable,
    given_ranks,
    plateau_levels,
)
from ...primitives import at, exclusive_scan, row_of_items, total
from ...relations.compute import Span, rows_of
from ...relations.stream import visit_packets
from ...relations.workers import Packet
from .incidence import Incidence
from .resident import kept
from .simplices import Simplices

REMEDIES = ("Remove the cells at these points, or assign values to them.",) * 2


@dataclass(frozen=True)
class MeshField(ScalarField):
    """One value per point, in the user's order."""

    simplices: Simplices = field(kw_only=True)

    @cached_property
    def rank(self) -> Array:
        """The rank (V,) int32 of each mesh vertex, where the mesh is."""
        rank = rank_vertices(self.simplices.session, self.simplices, self.values)
        return rank if self.simplices.resident is None else to_host(rank)


def load_field(
    session: Session,
    incidence: Incidence,
    given: Any,
    order: Any,
    done: Callable[[float], None],
    *,
    in_packets: bool = False,
) -> tuple[MeshField, Array]:
    """Upload one value per point, and return ranks, too, where packets are. Raises InputError.

    O(V log V).
    """
    array = as_array(given, "values")
    n = incidence.simplices.n_vertices
    if array.shape != (n,):
        expected = f"an array of shape ({n},), one number per point"
        raise InputError("values", expected, Words(f"shape {array.shape}"))
    simplices = incidence.simplices
    used = simplices.is_used[simplices.vertex_of] if simplices.n_used < n else None
    native, levels = comparable(array, REMEDIES, used)
    values = session.upload(native)
    if values.dtype.kind == "f":
        check_finite(session, values, array.shape, REMEDIES, used)
    refined = None
    order = checked_order(order, array.shape)
    if not isinstance(order, str):
        refined = given_ranks(session, order, values, used).astype(np.int32)
    elif order == "plateau":
        refined = mesh_plateau_levels(session, incidence, done, values, in_packets)
    rank = rank_vertices(session, simplices, values if refined is None else refined)
    if may_share_memory(values, array):
        values = values.copy()  # the caller may modify the given ones
    plain, compared = (None, values) if refined is None else (values, refined)
    dtype = np.dtype(array.dtype).newbyteorder("=")
    made = MeshField(compared, (n,), dtype, levels, False, plain, simplices=simplices)
    if simplices.resident is None:
        vars(made)["rank"] = rank
    return made, rank


def rank_vertices(session: Session, simplices: Simplices, values: Array) -> Array:
    """Return the rank (V,) int32 of each mesh vertex by (value, user's point id).

    If the cells are on a GPU, it is there, too.
    """
    if simplices.resident is not None:
        near = simplices.resident.session
        with near.device.current():
            rank = kept(near.device, rank_vertices(near, simplices.resident, near.upload(values)))
            near.device.free_cached()
        return rank
    device, n = session.device, values.size
    keys, rank = device.empty(n, np.uint64), device.empty(n, np.int32)
    session.launch("key_point_values", n, values, keys)
    if values.dtype.itemsize <= 4:
        keys.sort()
        session.launch("rank_by_keys", n, keys, simplices.vertex_of, rank)
        return rank
    argsort = session.device.launch_form(host=_stable_argsort, gpu=session.device.xp.argsort)
    points = argsort(keys)
    session.launch("rank_by_points", n, points, simplices.vertex_of, rank)
    return rank


def _stable_argsort(keys: Array) -> Array:
    """Return points (n,) int64 in the order of (key, point). CuPy's sort is stable."""
    points = np.argsort(keys)  # several times faster than a stable sort; ties are sorted below
    ordered = keys[points]
    if (ordered[1:] == ordered[:-1]).any():
        points = np.argsort(keys, kind="stable")
    return points


Plateaus = tuple[Array, Array]
"""Neighbors of equal value: offsets (V + 1,) int64 and points int32."""


def mesh_plateau_levels(
    session: Session,
    incidence: Incidence,
    done: Callable[[float], None],
    values: Array,
    in_packets: bool,
) -> Array | None:
    """Return levels (V,) of `values` (V,), in the user's order; None if the index decides all."""
    if in_packets:
        sides, plateaus = _plateaus_in_packets(incidence, values, done)
    else:
        everyone = Span(0, values.size, incidence.simplices.vertex_of)
        rows = rows_of(incidence, "VV", everyone, in_mesh_ids=False)
        sides, plateaus = _plateaus_of(session, values, *rows)
        del rows
    if not plateaus[1].size:
        return None
    done(0.3)
    low = _distances(session, plateaus, sides, "HAS_LOWER")
    done(0.5)
    _start_flat_minima(session, plateaus, low)
    done(0.7)
    high = _distances(session, plateaus, sides, "HAS_HIGHER")
    high[high == FAR] = 0
    done(0.9)
    return plateau_levels(session, values, low, high)


def _plateaus_of(
    session: Session, values: Array, neighbors: Array, offsets: Array
) -> tuple[Array, Plateaus]:
    """Return sides (n,) uint8 (kernels/simplicial/level_neighbors.h), and the plateaus."""
    device, n = session.device, values.size
    sides, n_level = device.empty(n, np.uint8), device.empty(n, np.int32)
    session.launch("count_level_neighbors", n, values, offsets, neighbors, sides, n_level)
    begin = exclusive_scan(n_level)
    level = device.empty(int(begin[-1]), np.int32)
    session.launch(
        "list_level_neighbors", n * bool(level.size), values, offsets, neighbors, begin, level
    )
    return sides, (begin, level)


def _plateaus_in_packets(
    incidence: Incidence, values: np.ndarray, done: Callable[[float], None]
) -> tuple[np.ndarray, Plateaus]:
    """Return the same as :func:`_plateaus_of` for the neighbors of all points, on the host."""
    simplices = incidence.simplices
    point_of, vertex_of = simplices.point_of, simplices.vertex_of

    def find(packet: Packet, values: Array) -> tuple[np.ndarray, ...]:
        s, own = packet.simplices, packet.own
        here = Incidence(s, incidence.segments)
        rows = rows_of(here, "VV", Span(0, s.n_vertices), in_mesh_ids=True)
        sides, (begin, level) = _plateaus_of(s.session, values, *rows)
        ends = to_host(begin[own.start : own.stop + 1])
        neighbors = at(s.point_of, level[int(ends[0]) : int(ends[-1])])
        return to_host(sides[own]).copy(), np.diff(ends), to_host(neighbors)

    none = np.empty(0, np.uint8), np.empty(0, np.int64), np.empty(0, np.int32)
    packets = visit_packets(incidence, find, lambda part: done(0.3 * part), (values[point_of],))
    sides, n_level, level = map(np.concatenate, zip(none, *packets, strict=True))
    first, begin = exclusive_scan(n_level)[vertex_of], exclusive_scan(n_level[vertex_of])
    row = row_of_items(begin)
    places = first[row] + np.arange(row.size) - begin[row]
    return sides[vertex_of], (begin, point_of[level[places]])


def _distances(session: Session, plateaus: Plateaus, sides: Array, side: str) -> Array:
    """Return steps (V,) int32 from the points with a lower (higher) neighbor, or FAR."""
    reach = session.device.empty(sides.size, np.int32)
    session.launch("start_distances", sides.size, sides, source.constant(side), reach)
    _spread(session, plateaus, session.device.xp.flatnonzero(reach == 0), reach)
    return reach


def _start_flat_minima(session: Session, plateaus: Plateaus, low: Array) -> None:
    """Set `low` to 0 at the smallest point of each plateau without a lower neighbor, and spread."""
    xp = session.device.xp
    flat = low == FAR
    if not total(session.device, flat):
        return
    parent = xp.arange(low.size, dtype=np.int32)
    session.launch("join_flat_points", low.size, *plateaus, low, parent)
    sources = xp.flatnonzero(flat & (parent == xp.arange(low.size, dtype=np.int32)))
    low[sources] = 0
    _spread(session, plateaus, sources, low)


def _spread(session: Session, plateaus: Plateaus, sources: Array, reach: Array) -> None:
    """Write the number of steps from the nearest source to each connected point of its plateau."""
    device, n = session.device, reach.size
    frontier, steps = sources.astype(np.int32), 0
    next_frontier, n_next = device.empty(n, np.int32), device.zeros(1, np.int64)
    other = device.empty(n, np.int32)
    while frontier.size:
        n_next[:] = 0
        session.launch(
            "spread_steps", frontier.size, frontier, *plateaus, steps, reach, next_frontier, n_next
        )
        frontier, steps = next_frontier[: int(n_next[0])], steps + 1
        next_frontier, other = other, next_frontier
