"""The hierarchy of the gradient: every level of simplification, computed once.

Events, numbered from 1, say when a critical cell goes and which squares turn when; an event's level
is the persistence of the last pair that had had its turn, so levels never fall. Pairs of saddles
are canceled on the gradient itself, where one V-path joins them, or skipped and tried again:
kernels/morse/saddle_log.h. Forman 1998, section 11; docs/morse_smale.md, "Simplification".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..device.host import HostDevice
from ..kernels import NONE
from ..repr_mixin import ReprMixin
from .cancellation import NEVER, cancel_saddles, pairs_in_order, saddles_of
from .critical import rows_of_index
from .field import exact_difference
from .graph import ComplexGraph
from .model import SaddlePaths
from .pairing import CriticalPairs, extremum_ends, merge_extrema, pair_critical_cells

OUTSIDE = -2  # instead of a parent
REASONS = ("absent", "several", "parted")
PARTED = 2


@dataclass(frozen=True, eq=False, repr=False)
class SkippedPairs(ReprMixin):
    """n saddle pairs below a level of which at least one saddle remains.

    Attributes
    ----------
    upper, lower : (n,) int
        Numbers of the 2-saddle and the 1-saddle in the unsimplified complex; in
        :attr:`MorseSmaleComplex.skipped`, rows of the critical cells, or -1 if the saddle was
        canceled.
    persistence : (n,) float64
    reason : (n,) int8
        Result of the last attempt: 0 absent (no V-path), 1 several (V-paths), or 2 parted (one of
        the two was canceled with a saddle of another pair).
    """

    upper: np.ndarray
    lower: np.ndarray
    persistence: np.ndarray
    reason: np.ndarray

    def __len__(self) -> int:
        return int(self.upper.size)

    def _summary(self) -> str:
        return f"{len(self):,} pairs"

    @property
    def counts(self) -> dict[str, int]:
        """Number of pairs per reason, by name."""
        return dict(
            zip(REASONS, np.bincount(self.reason, minlength=len(REASONS)).tolist(), strict=True)
        )


@dataclass(frozen=True)
class ExtremumForest:
    """What each of c minima or maxima merges into, and when: ``parent`` (c,) int32, the raw
    extremum at the far side of its saddle, -1 none, -2 OUTSIDE; ``event`` (c,) uint32, NEVER if
    kept; ``saddle`` (c,) int32, the k-th that ends it, or -1. On a line a minimum ends a maximum.
    """

    parent: np.ndarray
    event: np.ndarray
    saddle: np.ndarray

    def roots_at(self, host: HostDevice, event: int) -> np.ndarray:
        """The raw extremum that stands for each: (c,) int32, -2 OUTSIDE. O(c)."""
        roots = np.empty(self.parent.size, np.int32)
        host.run("forest_roots", self.parent, self.event, event, roots, roots.size)
        return roots


class Hierarchy:
    """All levels of simplification of a complex; made by :func:`build_hierarchy`. Host arrays.

    Events are numbered 1 to n, event 0 is the raw complex. Pairs stand in the order of their
    events.

    Attributes
    ----------
    level : (n + 1,) float64, at which each event happens, never falling; 0 for event 0.
    dead : (k,) uint32, the event that cancels each critical row; NEVER: kept or skipped.
    birth_row, death_row : (n,) int64, rows that event 1, 2, ... cancels.
    persistence : (n,) float64, the difference of their values.
    saddle_events : (s,) int64, ascending: the events that cancel two saddles.
    turned : (t,) uint64, sorted: squares that turn, with how many of these events were past and
        where to; see kernels/morse/saddle_log.h.
    """

    def __init__(
        self, host: HostDevice, pairs: CriticalPairs, paths: SaddlePaths | None, rematch: bool
    ):
        graph = self.graph = pairs.graph
        self._host = host
        births, deaths, persistence = pairs_in_order(pairs)
        upper, lower = saddles_of(graph, births, deaths)
        of_saddles = np.flatnonzero((upper >= 0) & (lower >= 0))
        of_extrema = np.flatnonzero((upper < 0) | (lower < 0))
        self._pairs = births[of_saddles], deaths[of_saddles], persistence[of_saddles]
        log = self._log = cancel_saddles(
            host,
            *(graph, upper[of_saddles], lower[of_saddles], persistence[of_saddles], paths, rematch),
        )
        self.turned = log.turned
        turns = np.concatenate([of_extrema, of_saddles[log.n_turns - 1]])
        order = np.argsort(turns, kind="stable")
        self.level = np.concatenate([[0.0], persistence[turns[order]]])
        self.saddle_events = np.flatnonzero(order >= of_extrema.size) + 1
        self.birth_row = np.concatenate([births[of_extrema], births[of_saddles[log.lower]]])[order]
        self.death_row = np.concatenate([deaths[of_extrema], deaths[of_saddles[log.upper]]])[order]
        ends = np.sort(graph.value[np.stack([self.birth_row, self.death_row])], axis=0)
        self.persistence = exact_difference(*ends)
        self.dead = np.full(graph.rank.size, NEVER, np.uint32)
        numbers = np.arange(1, self.birth_row.size + 1, dtype=np.uint32)
        self.dead[self.birth_row] = self.dead[self.death_row] = numbers
        self._forests = {
            kind: extremum_forest(host, pairs, self.dead, kind) for kind in ("minimum", "maximum")
        }

    @property
    def n_events(self) -> int:
        """How many pairs are canceled in all."""
        return self.level.size - 1

    def events_below(self, level: float) -> int:
        """How many events happen below a level: the event at which to ask for its complex."""
        return int(np.searchsorted(self.level[1:], level, side="left"))

    def saddle_events_at(self, event: int) -> int:
        """How many of the first events cancel two saddles."""
        return int(np.searchsorted(self.saddle_events, event, side="right"))

    def forest(self, kind: str) -> ExtremumForest:
        """The forest of the "minimum" or "maximum" kind."""
        return self._forests[kind]

    def alive_at(self, event: int) -> np.ndarray:
        """Which critical rows are left after an event: (k,) bool."""
        return self.dead > event

    def labels_at(self, kind: str, event: int) -> np.ndarray:
        """Label of the survivor of each raw extremum: (c,) int32, -1 OUTSIDE."""
        forest = self._forests[kind]
        roots = forest.roots_at(self._host, event)
        number = np.cumsum(forest.event > event, dtype=np.int32) - np.int32(1)
        return np.where(roots == OUTSIDE, np.int32(NONE), number[np.maximum(roots, 0)])

    def skipped_at(self, event: int, below: float) -> SkippedPairs:
        """Saddle pairs below a level that are left after an event, that of :meth:`events_below`."""
        births, deaths, persistence = self._pairs
        is_past = self._log.tried_after <= self.saddle_events_at(event)
        reason = np.zeros(births.size, np.int8)
        reason[self._log.tried[is_past]] = self._log.found[is_past]  # the last one counts
        n_gone = (self.dead[births] <= event).astype(np.int8) + (self.dead[deaths] <= event)
        reason[n_gone == 1] = PARTED
        there = np.flatnonzero((persistence < below) & (n_gone < 2))
        upper, lower = (
            np.where(
                self.dead[rows[there]] <= event,
                np.int64(NONE),
                rows[there] - rows_of_index(self.graph.counts, index).start,
            )
            for rows, index in ((deaths, 2), (births, 1))
        )
        return SkippedPairs(upper, lower, persistence[there], reason[there])


def build_hierarchy(
    graph: ComplexGraph,
    paths: SaddlePaths | None,
    done: Callable[[float], None],
    rematch: bool,
    host: HostDevice,
) -> Hierarchy:
    """Cancel all pairs of a complex in the order of their persistence, and keep the log.

    `paths`, None below three dimensions, are those of the graph's gradient and are changed;
    `rematch` cancels saddles that are left over with others than their partners.
    """
    pairs = pair_critical_cells(graph, host=host)
    done(0.4)
    return Hierarchy(host, pairs, paths, rematch)


def extremum_forest(
    host: HostDevice, pairs: CriticalPairs, dead: np.ndarray, kind: str
) -> ExtremumForest:
    """Forest of one kind, from what the pairs' saddles merge and the event that ends each row."""
    graph = pairs.graph
    extremum_index, _, ends = extremum_ends(graph, kind)
    merges = pairs.minima if kind == "minimum" else pairs.maxima
    merges = merges or merge_extrema(host, graph, pairs.row_at, kind)
    saddles = np.flatnonzero(merges.victim >= 0).astype(np.int32)
    victims = merges.victim[saddles]
    far = ends[saddles, 1 - merges.side[saddles]]
    c = graph.counts[extremum_index]
    parent, saddle = np.full(c, NONE, np.int32), np.full(c, NONE, np.int32)
    parent[victims] = np.where(far < 0, OUTSIDE, far)
    saddle[victims] = saddles
    event = dead[rows_of_index(graph.counts, extremum_index)].copy()
    return ExtremumForest(parent, event, saddle)
