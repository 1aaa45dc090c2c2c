"""The hierarchy of the gradient: all levels of simplification, computed once.

Events are numbered from 1. Each cancels two critical cells and may reverse a V-path. Its level is
the largest persistence of the pairs up to it, so levels never decrease. Pairs of saddles are
canceled on the gradient itself if a single V-path connects them, otherwise they are skipped and
tried again: kernels/morse/saddle_log.h. Forman 1998, section 11; docs/morse_smale.md,
"Simplification".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Array, HostDevice, Session, to_host
from ..kernels import NONE
from ..lazy import cached_property
from ..primitives import at, compact, is_within, put, shifted, stable_order
from ..results import Table
from .cancellation import (
    OrderedPairs,
    Volume,
    cancel_saddles,
    finite_pairs,
    pairs_in_order,
    persistence_of,
)
from .critical import Counts
from .graph import ComplexGraph
from .pairing import CriticalPairs, extremum_ends, merge_extrema, pair_critical_cells

OUTSIDE = -2  # instead of a parent
REASONS = ("absent", "several", "parted")
PARTED = 2


@dataclass(frozen=True, eq=False, repr=False)
class SkippedPairs(Table):
    """n saddle pairs below a level of which at least one saddle remains.

    Attributes
    ----------
    upper, lower : (n,) int64
        Rows of the 2-saddle and the 1-saddle, or -1 if the saddle was canceled.
    persistence : (n,) float64
        In the unit of the values.
    reason : (n,) int8
        Result of the last attempt: 0 absent (no V-path), 1 several (V-paths), or 2 parted (one of
        the two was canceled with a saddle of another pair).
    """

    upper: np.ndarray
    lower: np.ndarray
    persistence: np.ndarray
    reason: np.ndarray

    def _summary(self) -> str:
        return f"{len(self):,} pairs"

    @property
    def counts(self) -> dict[str, int]:
        """Number of pairs per reason, by name."""
        return reasons_of(self.reason)


def reasons_of(reason: np.ndarray) -> dict[str, int]:
    """Return the number of pairs (n,) int8 per reason, by name."""
    return dict(zip(REASONS, np.bincount(reason, minlength=len(REASONS)).tolist(), strict=True))


@dataclass(frozen=True)
class ExtremumForest:
    """Merges of c minima or maxima over saddles, in host memory; in 1D, over the maxima."""

    parent: np.ndarray  # (c,) int32, raw extremum beyond the saddle, -1 for none, or OUTSIDE
    event: np.ndarray  # (c,) uint32, NEVER if the extremum is kept
    saddle: np.ndarray  # (c,) int32, the k-th saddle that ends it, or -1


class Hierarchy:
    """All levels of simplification of a complex, in host memory.

    Events are numbered from 1 to n; event 0 is the raw complex. ``level`` (n + 1,) float64 is that
    of each event, ascending. ``dead`` (k,) uint32 is the event that cancels each row, or NEVER, and
    ``saddle_events`` (s,) int32 are those that cancel two saddles, ascending.
    """

    def __init__(
        self,
        session: Session,
        take_graph: Callable[[], ComplexGraph],
        volume: Volume | None,
        rematch: bool,
        done: Callable[[float], None],
    ):
        """`take_graph` returns a graph to which no other reference remains, if possible.

        `volume` is None below three dimensions.
        """
        self.session, graph = session, take_graph()
        pairs, session = pair_critical_cells(session, graph), graph.local_session(session)
        done(0.4)
        # Each array is released as soon as possible, because the next steps need the most memory.
        merges = {kind: lead_beyond_saddles(pairs, kind) for kind in ("minimum", "maximum")}
        ends = finite_pairs(pairs)
        del pairs
        births, deaths, persistence = pairs_in_order(session, graph, *ends)
        del ends
        graph = self.graph = graph.without_order()
        lower = graph.rows(1)
        bounds = (lower.start, lower.stop - 1) if graph.dimension == 3 else (0, -1)
        is_of_saddles = is_within(births, *bounds)
        chosen = compact(is_of_saddles)
        saddles = OrderedPairs(*(at(column, chosen) for column in (births, deaths, persistence)))
        del persistence
        chosen = compact(is_within(is_of_saddles, 0, 0))
        extrema = at(births, chosen), at(deaths, chosen)
        del births, deaths, chosen
        self._pairs = OrderedPairs(*map(to_host, saddles))
        log = self._log = cancel_saddles(session, graph, saddles, volume, rematch)
        joined = session.device.joined
        last = shifted(session.upload(log.n_turns), -1, dtype=np.int32)
        places = joined(
            [
                shifted(compact(is_within(is_of_saddles, 0, 0)), dtype=np.int32),
                at(shifted(compact(is_of_saddles), dtype=np.int32), last),
            ]
        )
        order, n = stable_order(session, places), extrema[0].size
        del places, is_of_saddles
        persistence = persistence_of(session, graph, *extrema)
        persistence = joined([persistence, at(saddles.persistence, last)])
        persistence = at(persistence, order)
        event_of = session.device.empty(order.size, np.uint32)
        put(event_of, order, session.device.numbers(order.size, np.uint32, 1))
        del order, last
        self.level = np.concatenate([[0.0], to_host(persistence)])
        del persistence
        dead = session.device.unset(sum(graph.counts), np.uint32)
        for of_kind, of_saddles, canceled in zip(
            extrema, saddles[:2], (log.lower, log.upper), strict=True
        ):
            put(dead, of_kind, event_of[:n])
            put(dead, at(of_saddles, session.upload(canceled)), event_of[n:])
        self.saddle_events = to_host(event_of[n:]).astype(np.int32)
        self._dead_on_device, self.dead = self.session.upload(dead), to_host(dead)
        self._forests = {
            kind: ExtremumForest(
                parent=to_host(parent),
                event=to_host(dead[graph.rows(extremum_index)]),
                saddle=to_host(saddle),
            )
            for kind, (extremum_index, parent, saddle) in merges.items()
        }

    @cached_property
    def birth_row(self) -> np.ndarray:
        """The row of lower index that each event cancels: (n,) int32."""
        return self._rows_of_events(slice(None, None, -1))

    @cached_property
    def death_row(self) -> np.ndarray:
        """The row of higher index that each event cancels: (n,) int32."""
        return self._rows_of_events(slice(None))

    def _rows_of_events(self, order: slice) -> np.ndarray:
        rows = np.flatnonzero(self.dead <= self.n_events)[order]  # by index; the last one remains
        found = np.empty(self.n_events, np.int32)
        found[self.dead[rows] - 1] = rows
        return found

    @property
    def n_events(self) -> int:
        return self.level.size - 1

    def events_below(self, level: float) -> int:
        """Return the number of events below a level, which is the last event of its complex."""
        return int(np.searchsorted(self.level[1:], level, side="left"))

    def saddle_events_at(self, event: int) -> int:
        """Return how many of the events up to one cancel two saddles."""
        return int(np.searchsorted(self.saddle_events, event, side="right"))

    def forest(self, kind: str) -> ExtremumForest:
        return self._forests[kind]

    def labels_at(self, kind: str, event: int) -> np.ndarray:
        """Return the label of the survivor of each raw extremum: (c,) int32, -1 outside. O(c)."""
        forest = self._forests[kind]
        return labels_of_survivors(self.session.host, forest.parent, forest.event, event)

    def skipped_at(self, event: int, below: float) -> SkippedPairs:
        """Return the saddle pairs below a level that are left at its event."""
        births, deaths, persistence = self._pairs
        reason = self._log.reasons_after(self.saddle_events_at(event), births.size)
        n_canceled = (self.dead[births] <= event).astype(np.int8) + (self.dead[deaths] <= event)
        reason[n_canceled == 1] = PARTED
        there = np.flatnonzero((persistence < below) & (n_canceled < 2))
        is_left = self.dead > event
        row_of = np.where(is_left, np.cumsum(is_left) - 1, np.int64(NONE))
        upper, lower = row_of[deaths[there]], row_of[births[there]]
        return SkippedPairs(upper, lower, persistence[there], reason[there])

    # === gradients
    def alive_at(self, event: int) -> Array:
        """Return the rows (m,) int64 that are left at an event, on the device."""
        return compact(is_within(self._dead_on_device, event + 1))

    @cached_property
    def turned(self) -> Array:
        """Reversed squares (t,) uint64, sorted, on the device (kernels/morse/saddle_log.h)."""
        turned = self.session.upload(self._log.turned)
        turned.sort()  # in place, to save memory
        return turned

    def counts_at(self, event: int) -> Counts:
        """Return the number of critical cells of each index that are left at an event."""
        rows = (self.graph.rows(index) for index in range(4))
        return tuple(int(np.count_nonzero(self.dead[of] > event)) for of in rows)

    def replay(self, kernel: str, event: int, model: tuple[Any, ...], changed: Array) -> None:
        """Reverse squares up to an event; `kernel` reads the model and changes an array."""
        n, past = self.turned.size, self.saddle_events_at(event)
        self.session.launch(kernel, n, *model, self.turned, n, past, changed)

    def arcs_to_reverse(self, kind: str, event: int) -> Array:
        """Return the raw arcs to reverse for canceled extrema, 2 * saddle + side: int32."""
        graph, forest = self.graph, self._forests[kind]
        session, n = graph.local_session(self.session), forest.saddle.size
        ends = graph.descending_ends if kind == "minimum" else graph.ascending_ends
        saddle, died = map(session.upload, (forest.saddle, forest.event))
        arcs, sides = session.device.zeros(n, np.uint64), session.device.unset(n, np.int32)
        session.launch("sum_arcs", n, ends, saddle, died, event, arcs)
        session.launch("root_at_survivors", n, ends, died, event, arcs, sides)
        return self.session.upload(at(sides, compact(is_within(sides, 0))))


def labels_of_survivors(
    host: HostDevice, parent: np.ndarray, event: np.ndarray, now: int
) -> np.ndarray:
    """Return the label (c,) int32 of the survivor of each extremum of a forest; -1 outside. O(c).

    `parent` and `event` are those of :class:`ExtremumForest`.
    """
    roots = np.empty(parent.size, np.int32)
    host.run("forest_roots", parent, event, now, roots, parent.size)
    number = np.cumsum(event > now, dtype=np.int32) - np.int32(1)
    return np.where(roots == OUTSIDE, np.int32(NONE), number[np.maximum(roots, 0)])


def lead_beyond_saddles(pairs: CriticalPairs, kind: str) -> tuple[int, Array, Array]:
    """Return the index of a kind of extrema, and `parent` and `saddle` of their forest."""
    session, graph = pairs.session, pairs.graph
    extremum_index, _, ends = extremum_ends(graph, kind)
    merges = pairs.minima if kind == "minimum" else pairs.maxima
    merges = merges or merge_extrema(session, graph, kind)
    c = graph.counts[extremum_index]
    parent, saddle = (session.device.unset(c, np.int32) for _ in range(2))
    model = (ends, merges.victim, merges.side, OUTSIDE)
    session.launch("lead_beyond_edges", merges.victim.size, *model, parent, saddle)
    return extremum_index, parent, saddle
