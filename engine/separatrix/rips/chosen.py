"""Representatives of selected bars, expressed in the caller's points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..device import Session
from ..device.arrays import checked_rows
from ..errors import InputError, Words
from .bar_table import Representative
from .bars import LONGEST, Barcodes
from .filtration import ABSENT, Filtration
from .pairs import Paired, Pairs, places_of
from .reduction import Chains
from .representatives import PairMissing, cocycles, cycles, cycles_by_lunes, essential_cycles

FORMS = (
    "None, 'longest', a number of bars per dimension, rows or a mask of the bars, or a function of "
    "the barcodes"
)
Chosen = str | int | Sequence[int] | np.ndarray | Callable[[Barcodes], Any] | None


def chosen_rows(bars: Barcodes, chosen: Chosen) -> np.ndarray:
    """Return the rows (c,) int64 of the bars that get a representative. Raises InputError."""
    if chosen is None:
        return np.empty(0, np.int64)
    if isinstance(chosen, str):
        if chosen != "longest":
            raise InputError("representatives", FORMS, chosen)
        return _of_some_length(bars, bars.longest(LONGEST))
    if isinstance(chosen, (int, np.integer)) and not isinstance(chosen, bool):
        if chosen < 0:
            raise InputError("representatives", "a non-negative number of bars", chosen)
        return _of_some_length(bars, bars.longest(int(chosen)))
    if isinstance(chosen, bool):
        raise InputError("representatives", FORMS, chosen)
    rows = np.atleast_1d(np.asarray(chosen(bars) if callable(chosen) else chosen))
    if rows.dtype == bool and rows.shape == (len(bars),):
        return np.flatnonzero(rows)
    if rows.size == 0:
        return np.empty(0, np.int64)
    if rows.ndim != 1 or rows.dtype.kind not in "iu":
        got = Words(f"an array of dtype {rows.dtype} and shape {rows.shape}")
        raise InputError("representatives", FORMS, got)
    return checked_rows(rows, "representatives", len(bars)).astype(np.int64)


def _of_some_length(bars: Barcodes, rows: np.ndarray) -> np.ndarray:
    """Exclude bars of zero length: they are never among the longest, and many have no cycle."""
    return rows[bars.persistence[rows] > 0]


def drawn(
    session: Session,
    result: Paired,
    places: list[np.ndarray],
    bars: Barcodes,
    rows: np.ndarray,
    kind: str,
) -> list[Representative]:
    """Return a cycle (`kind` "cycle") or a cocycle of each bar in `rows`, in their order.

    `places` contains the rows of the pairs that became bars, for each dimension.
    """
    pairs, filtration, names = result.pairs, result.filtration, result.names
    ends = bars.death[rows][(bars.dimension[rows] > 0) & ~bars.is_essential[rows]]
    if ends.size and result.all_edges is None:
        filtration = result.filtration_until(float(ends.max()))
    first = np.cumsum([0, *map(len, places)])
    found: dict[int, Representative] = {}
    for d, of_dimension in enumerate(pairs):
        here = rows[(rows >= first[d]) & (rows < first[d + 1])]
        at = places[d][here - first[d]]
        if d == 0:
            for bar, vertex in zip(here.tolist(), of_dimension.birth[at], strict=True):
                found[bar] = Representative(bar, 0, names[vertex][None], np.ones(1, np.int32))
            continue
        about = (session, result, filtration, d, here)
        try:
            parts = _chains(*about, pairs, at, bars.prime, kind)
        except PairMissing:
            latest = np.where(bars.is_essential, bars.birth, bars.death)[here].max()
            more = None if result.loops_until is None else result.loops_until(float(latest))
            if more is None:
                raise
            at = places_of(more.birth, of_dimension.birth[at], filtration.n)
            parts = _chains(*about, [pairs[0], more], at, bars.prime, kind)
        for bars_of, chains in parts:
            for k, bar in enumerate(bars_of.tolist()):
                part = slice(*chains.offsets[k : k + 2])
                simplices = names[chains.vertices[part][:, ::-1]]
                oriented = _oriented(simplices, chains.coefficients[part], bars.prime)
                found[bar] = Representative(bar, d, *oriented)
    return [found[bar] for bar in rows.tolist()]


def _chains(
    session: Session,
    result: Paired,
    filtration: Filtration,
    d: int,
    bars: np.ndarray,
    pairs: list[Pairs],
    at: np.ndarray,
    prime: int,
    kind: str,
) -> list[tuple[np.ndarray, Chains]]:
    own = pairs[d]
    assert own.reduction is not None
    if at.size and at.max() >= len(own.reduction.death):
        raise InputError(
            "{representatives} must not include bars of zero length from apparent pairs, which "
            "have no representative."
        )
    assert own.columns is not None
    if bars.size == 0:
        return []
    if kind == "cocycle":
        return [(bars, cocycles(filtration, own.reduction, at))]
    ends = own.death_rank[at] != ABSENT
    parts = []
    if ends.any():
        if filtration.lengths is None:
            closed = cycles(session, filtration, own.columns, own.reduction, at[ends], prime=prime)
        else:
            assert result.all_edges is not None
            graph = result.all_edges()
            closed = cycles_by_lunes(session, graph, own.birth, own.death, at[ends], prime)
        parts.append((bars[ends], closed))
    if not ends.all():
        lower = pairs[d - 1]
        if d == 1:
            below: Any = lower.death[lower.death_rank != ABSENT]
        else:
            below = (lower.columns, lower.reduction)
        births = own.birth[at[~ends]]
        parts.append(
            (bars[~ends], essential_cycles(session, filtration, births, below, prime=prime))
        )
    return parts


def _oriented(
    simplices: np.ndarray, coefficients: np.ndarray, prime: int
) -> tuple[np.ndarray, np.ndarray]:
    """Sort the points of each simplex, where odd permutations flip the sign, and the rows."""
    width = simplices.shape[1]
    inversions = np.zeros(len(simplices), np.int64)
    for i in range(width):
        for j in range(i + 1, width):
            inversions += simplices[:, i] > simplices[:, j]
    ascending = np.sort(simplices, axis=1)
    signed = np.where(inversions % 2 == 1, prime - coefficients, coefficients) % prime
    at = np.lexsort(ascending.T[::-1])
    return ascending[at].astype(np.int32), signed[at].astype(np.int32)
