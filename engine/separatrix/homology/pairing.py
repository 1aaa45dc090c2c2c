"""Persistence pairs: merging by the elder rule, and reduction of boundary matrices over Z/2.

Edelsbrunner, Letscher, Zomorodian, "Topological persistence and simplification", 2002; clearing and
compression: Bauer, Kerber, Reininghaus, "Clear and compress", 2014; columns as bit trees: Bauer,
Kerber, Reininghaus, Wagner, "PHAT", 2017; several threads: Morozov, Nigmetov, 2020.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..device import Array, HostDevice, Session, to_host
from ..kernels import NONE
from ..primitives import at, compact, put

NO_EDGE = 2**31 - 1
FEW_EDGES = 1 << 14  # merged one by one in less time than a round takes
ROUNDS_PER_HALVING = 16  # in which the edges are halved, or the host merges the rest
EDGES_AT_ONCE = 1 << 25  # in rounds; the next ones follow when few of the first are left


class Merges(NamedTuple):
    """Merges at each of m edges."""

    victim: Array  # (m,) int32, the oldest piece of the set that ends, or -1
    side: Array  # (m,) uint8, the end of the edge, 0 or 1, in that set


def merge_pairs(host: HostDevice, age: np.ndarray, ends: np.ndarray, order: np.ndarray) -> Merges:
    """Merge sets of pieces along edges; of two sets, the one with the younger oldest piece ends.

    `age` (n,) int32 are distinct births; `ends` (m, 2) int32 the pieces of each edge, -1 for one
    older than all others; `order` (k,) int32 the edges in their order. O(m log n).
    """
    ends = np.ascontiguousarray(ends, np.int32).reshape(-1)
    m = ends.size // 2
    victim, side = np.full(m, NONE, np.int32), np.zeros(m, np.uint8)
    host.run("merge_pieces", age, age.size, ends, order, order.size, victim, side)
    return Merges(victim, side)


def merge_in_rounds(session: Session, age: Array, ends: Array, order: Array) -> Merges:
    """Return the same by kernels/homology/merge_rounds.h, on the device; the last on the host.

    Edges may enter the rounds in parts, since a round is valid for the first edges of the order.
    """
    device, n, m = session.device, age.size, len(ends)
    age, ends, order = map(session.upload, (age, ends, order))
    parent, first = device.numbers(n + 1, np.int32), device.numbers(n + 1, np.int32, NO_EDGE, 0)
    victim, side = device.unset(m, np.int32), device.zeros(m, np.uint8)
    alive, n_seen, n_then, rounds = device.empty(0, np.int32), 0, 0, 0
    while True:
        if (alive.size <= FEW_EDGES or rounds > ROUNDS_PER_HALVING) and n_seen < order.size:
            n_more = min(order.size - n_seen, EDGES_AT_ONCE)
            more = device.numbers(n_more, np.int32, n_seen)
            alive = device.joined([alive, more]) if alive.size else more
            del more
            n_seen, n_then, rounds = n_seen + n_more, alive.size, 0
        n_alive, about = alive.size, (order, alive)
        sets, is_between = device.empty((n_alive, 2), np.int32), device.empty(n_alive, np.uint8)
        model = (*about, ends, parent, n)
        session.launch("find_first_edges", n_alive, *model, sets, is_between, first)
        n_then, rounds = (n_alive, 0) if 2 * n_alive <= n_then else (n_then, rounds + 1)
        is_last = n_alive <= FEW_EDGES or rounds > ROUNDS_PER_HALVING
        if is_last and n_seen == order.size:
            break
        changed = (first, parent, victim, side)
        session.launch("end_sets", n + 1, *about, age, n, sets, *changed)
        session.launch("lead_to_sets", n + 1, parent)
        alive = at(alive, compact(is_between))
    left, in_order = to_host(sets), np.arange(n_alive, dtype=np.int32)
    left[left == n] = NONE  # OUTSIDE
    rest = merge_pairs(session.host, to_host(age), left, in_order)
    is_merged = rest.victim >= 0
    edges = session.upload(to_host(at(order, alive))[is_merged])
    for column, found in ((victim, rest.victim), (side, rest.side)):
        put(column, edges, session.upload(found[is_merged]))
    return Merges(victim, side)


def reduce_columns(
    host: HostDevice,
    offsets: np.ndarray,
    rows: np.ndarray,
    coefficients: np.ndarray | None = None,
    *,
    order: np.ndarray,
    place: np.ndarray,
) -> np.ndarray:
    """Return the pivot (m,) int32 of each reduced column: a row, or -1 if the column is zero.

    Column j consists of the entries `offsets[j]` to `offsets[j + 1] - 1`, int64. Each entry has a
    row, int32, distinct within a column, and a coefficient, int64, 1 by default; even coefficients
    are zero. `order` (k,) int32 lists columns in the order of the filtration; for clearing, omit
    those known to reduce to zero. `place` (n,) int32 is the position of each row in the filtration;
    for compression, -1 marks rows that cannot be pivots.

    Cubic in the worst case, nearly linear for images. Pairs are unique, so they do not depend on
    the order of additions.
    """
    m = offsets.size - 1
    numbers = np.empty(0, np.int64) if coefficients is None else coefficients
    n_places = int(place.max(initial=NONE)) + 1
    pivot = np.full(m, NONE, np.int32)
    host.run(
        "reduce_matrix",
        *(offsets, rows, numbers, numbers.size, m, order, order.size),
        *(place, place.size, n_places, host.threads, pivot),
    )
    return pivot
