"""The cancellation hierarchy: every level of simplification, computed once.

1. All pairs in the order of (persistence, dimension, place in the filtration).
2. Extremum pairs need no surgery on the graph: the extremum's parent is the raw extremum on the far
   side of the saddle that ends it, and a level follows parents as long as their events are past.
3. Saddle pairs that one V-path joins are canceled with new connectors; the others are skipped.
   Sums bound the number of V-paths from above; the gradient tells it where they do not.
4. Events, numbered from 1, say when a critical cell goes and which connectors there are when.

An event's level is its pair's persistence, or the level of the event that made the pair possible
if that came later: levels never fall, and a query is a binary search, a compare and a compaction.
Edelsbrunner, Harer, Zomorodian 2003; docs/morse_smale.md, "Simplification".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..device.host import HostDevice
from ..kernels import NONE
from ..repr_mixin import ReprMixin
from .cancellation import (
    MAX_FILL,
    NEVER,
    CancellationLog,
    Connectors,
    cancel,
    pairs_in_order,
    saddles_of,
)
from .critical import rows_of_index
from .graph import ComplexGraph
from .model import MorseGradient
from .pairing import CriticalPairs, extremum_ends, merge_extrema, pair_critical_cells

OUTSIDE = -2  # instead of a parent
REASONS = ("absent", "even", "odd", "too_dense")
ABSENT, EVEN, ODD, TOO_DENSE = range(4)


@dataclass(frozen=True, eq=False, repr=False)
class SkippedPairs(ReprMixin):
    """Saddle pairs below a level that can't be canceled there, n of them.

    ``upper`` and ``lower`` (n,) int: k-th 2-saddle and 1-saddle of the raw complex, or their rows
    where a :class:`MorseSmaleComplex` gives them; ``persistence`` (n,) float64;
    ``reason`` (n,) int8: 0 absent (no V-path), 1 even, 2 odd (three or more), 3 too dense (one
    V-path, but canceling makes too many connectors).
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
        """How many for each reason, by its name."""
        return dict(
            zip(REASONS, np.bincount(self.reason, minlength=len(REASONS)).tolist(), strict=True)
        )


@dataclass(frozen=True)
class ExtremumForest:
    """Minima or maxima, c of them, and into which one each falls when.

    ``parent`` (c,) int32: the raw extremum at the far side of the saddle that ends it, -1 for
    none, -2 OUTSIDE; ``event`` (c,) uint32: when, NEVER where it is kept; ``saddle`` (c,) int32:
    the k-th saddle that ends it, or -1. On a line a maximum is ended by a minimum.
    """

    parent: np.ndarray
    event: np.ndarray
    saddle: np.ndarray

    def roots_at(self, host: HostDevice, event: int) -> np.ndarray:
        """The raw extremum that stands for each: (c,) int32, -2 OUTSIDE. O(c)."""
        roots = np.empty(self.parent.size, np.int32)
        host.run("forest_roots", self.parent, self.event, event, roots, roots.size)
        return roots


class LatePairs:
    """Saddle pairs that are not canceled at their turn, with all versions of their connectors."""

    def __init__(
        self,
        log: CancellationLog,
        upper: np.ndarray,
        lower: np.ndarray,
        persistence: np.ndarray,
        is_saddle_pair: np.ndarray,
    ):
        late = np.flatnonzero(is_saddle_pair & (log.event != log.turn + np.uint32(1)))
        self.upper, self.lower, self.persistence = upper[late], lower[late], persistence[late]
        self.event, self.turn = log.event[late], log.turn[late]
        above, below, multiplicity = log.connectors
        width = int(below.max(initial=0)) + 1 + int(self.lower.max(initial=0))
        keys, wanted = (p.astype(np.int64) * width + q for p, q in
                        ((above, below), (self.upper, self.lower)))  # fmt: skip
        first, last = (np.searchsorted(keys, wanted, side) for side in ("left", "right"))
        self._pair = np.repeat(np.arange(late.size), last - first)
        shift = np.cumsum(last - first) - last
        version = np.arange(self._pair.size) - shift[self._pair]
        self._paths = multiplicity[version]
        self._born, self._gone = log.born[version], log.gone[version]

    def skipped_at(self, event: int, below: float | None) -> SkippedPairs:
        """See :meth:`Hierarchy.skipped_at`."""
        there = (self._born <= event) & (event < self._gone)
        paths = np.zeros(self.upper.size, np.uint64)
        paths[self._pair[there]] = self._paths[there]
        is_odd = (paths & np.uint64(1)).astype(bool)
        reason = np.where(paths == 0, ABSENT, np.where(is_odd, ODD, EVEN)).astype(np.int8)
        reason[paths == 1] = TOO_DENSE
        should_be_gone = self.turn < event if below is None else self.persistence < below
        waiting = np.flatnonzero(should_be_gone & (self.event > event))
        return SkippedPairs(
            self.upper[waiting], self.lower[waiting], self.persistence[waiting], reason[waiting]
        )


class Hierarchy:
    """All levels of simplification of a complex; made by :func:`build_hierarchy`. Host arrays.

    Events are numbered 1 to n, event 0 is the raw complex. Pairs stand in the order of their
    events.

    Attributes
    ----------
    level : (n + 1,) float64, at which each event happens, never falling; 0 for event 0.
    dead : (k,) uint32, the event that cancels each critical row; NEVER: kept or skipped.
    birth_row, death_row : (n,) int64, rows of the pair that event 1, 2, ... cancels.
    persistence : (n,) float64 of these pairs, at most their level.
    saddle_events : (s,) int64; ``saddle_upper`` and ``saddle_lower`` (s,) int32, the k-th 2-saddle
        and 1-saddle of volumes that each of these events cancels.
    """

    def __init__(
        self,
        host: HostDevice,
        pairs: CriticalPairs,
        max_fill: int,
        gradient: MorseGradient | None = None,
    ):
        graph = self.graph = pairs.graph
        self._host = host
        births, deaths, persistence = pairs_in_order(pairs)
        upper, lower = saddles_of(graph, births, deaths)
        log = self._log = cancel(host, graph, upper, lower, persistence, max_fill, gradient)
        event = log.event
        done = np.flatnonzero(event != NEVER)
        place = np.empty(done.size, np.int64)
        place[event[done].astype(np.int64) - 1] = done
        self.birth_row, self.death_row = births[place], deaths[place]
        self.persistence = persistence[place]
        self.level = np.maximum.accumulate(np.concatenate([[0.0], self.persistence]))
        self.dead = np.full(graph.rank.size, NEVER, np.uint32)
        numbers = np.arange(1, done.size + 1, dtype=np.uint32)
        self.dead[self.birth_row] = self.dead[self.death_row] = numbers
        is_saddle_pair = (upper >= 0) & (lower >= 0)
        self.saddle_events = np.flatnonzero(is_saddle_pair[place]) + 1
        of_saddles = place[self.saddle_events - 1]
        self.saddle_upper, self.saddle_lower = upper[of_saddles], lower[of_saddles]
        self._late = LatePairs(log, upper, lower, persistence, is_saddle_pair)
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

    def forest(self, kind: str) -> ExtremumForest:
        """The forest of the "minimum" or "maximum" kind."""
        return self._forests[kind]

    def alive_at(self, event: int) -> np.ndarray:
        """Which critical rows are left after an event: (k,) bool."""
        return self.dead > event

    def labels_at(self, kind: str, event: int) -> np.ndarray:
        """Raw extremum -> the how-manieth surviving one stands for it: (c,) int32, -1 OUTSIDE."""
        forest = self._forests[kind]
        roots = forest.roots_at(self._host, event)
        number = np.cumsum(forest.event > event, dtype=np.int32) - np.int32(1)
        return np.where(roots == OUTSIDE, np.int32(NONE), number[np.maximum(roots, 0)])

    def arcs_at(self, event: int) -> Connectors:
        """The connectors alive after the last event of a level, sorted, by k-th raw saddles.

        Events of one level are one step: within it, connectors that pass are not kept.
        """
        alive = np.flatnonzero((self._log.born <= event) & (event < self._log.gone))
        upper, lower, multiplicity = self._log.connectors
        return upper[alive], lower[alive], multiplicity[alive]

    def skipped_at(self, event: int, below: float | None = None) -> SkippedPairs:
        """Saddle pairs that should be gone after an event and are not.

        With `below`, a level, these are the pairs of less persistence, for the event that
        :meth:`events_below` gives; without, the pairs whose turn came before this event.
        """
        return self._late.skipped_at(event, below)


def build_hierarchy(
    graph: ComplexGraph,
    done: Callable[[float], None] | None = None,
    *,
    gradient: MorseGradient | None = None,
    pairs: CriticalPairs | None = None,
    max_fill: int = MAX_FILL,
    host: HostDevice | None = None,
) -> Hierarchy:
    """Cancel all pairs of a complex in the order of their persistence, and keep the log.

    Parameters
    ----------
    graph : ComplexGraph
    done : callable, optional
        Hears of the part done, 0 to 1; what it raises stops the work.
    gradient : DiscreteGradient, optional
        That of the graph: with it, every pair that one V-path truly joins is known to be such;
        without, only where the sums of V-paths tell it. Its words are copied to the host.
    pairs : CriticalPairs, optional
        All pairs of the graph if they are known already.
    max_fill : int
        A saddle pair that would make more new connectors than this is too dense to be canceled.
    host : HostDevice, optional
        The CPU, with the threads that the caller allows.
    """
    host = host or HostDevice()
    pairs = pairs or pair_critical_cells(graph, host=host)
    if done is not None:
        done(0.4)
    hierarchy = Hierarchy(host, pairs, max_fill, gradient)
    if done is not None:
        done(1.0)
    return hierarchy


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
