"""Interface of a discrete gradient for graphs, persistence pairs, and hierarchies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..device import Array, Session
from ..kernels import source
from .connectors.minor import Minor, Rows
from .critical import Counts, rows_of_index
from .field import ScalarField


class PairValues(NamedTuple):
    """Values of n pairs of saddles, on the device, in the order of their persistence."""

    persistence: Array  # (n,) float64
    upper: Array | None  # (n,) float64, of the 2-saddles, if they are joined to those of others
    lower: Array | None  # (n,) float64, of the 1-saddles


class SaddleLog(NamedTuple):
    """Cancellation of n saddle pairs in s events, which are numbered from 1.

    `upper`, `lower`, `n_turns`, and `turned` may be on the device.
    """

    upper: Array  # (s,) int32, pair whose 2-saddle each event cancels
    lower: Array  # (s,) int32, pair whose 1-saddle it cancels
    n_turns: Array  # (s,) int32, number of pairs that were tried until then
    turned: Array  # uint64, reversed squares, unsorted
    tried: np.ndarray  # int32, skipped pairs
    tried_after: np.ndarray  # uint32, events after which they were tried
    found: np.ndarray  # uint8, reasons: ABSENT 0 or SEVERAL 1

    def reasons_after(self, event: int, n: int) -> np.ndarray:
        """Return the outcome (n,) int8 of the last attempt at each pair up to an event."""
        is_past = self.tried_after <= event
        reason = np.zeros(n, np.int8)
        reason[self.tried[is_past]] = self.found[is_past]  # the last one counts
        return reason

    @classmethod
    def without_events(cls) -> SaddleLog:
        of_pairs, events = np.empty(0, np.int32), np.empty(0, np.uint32)
        turned, found = np.empty(0, np.uint64), np.empty(0, np.uint8)
        return cls(of_pairs, of_pairs, of_pairs, turned, of_pairs, events, found)


@dataclass(frozen=True)
class SaddlePaths:
    """The gradient of a volume in host memory, on which a host task cancels pairs of saddles."""

    task: str
    model: tuple[Any, ...]  # first arguments of the task, some of which it modifies
    upper: np.ndarray  # (c2,) int64, its ids of the 2-saddles
    lower: np.ndarray  # (c1,) int64, its ids of the 1-saddles


@dataclass(frozen=True)
class RoundsModel:
    """The gradient of a volume on the device, on which a kernel cancels n pairs of saddles."""

    kernel: str
    grid: Any
    places: Array  # (n_places, 4) uint32, which the kernel modifies
    ids: int  # mask of the vertex ids by which cells of equal keys are compared
    upper: Array  # (n,) uint32, cells of the 2-saddles
    lower: Array  # (n,) uint32, cells of the 1-saddles


class MorseGradient(Protocol):
    """A discrete gradient whose critical cells are sorted by index; k of them."""

    session: Session
    counts: Counts  # numbers of critical cells of index 0, 1, 2, and 3
    critical_ids: Array  # (k,) int64, the kernels' ids
    cell_ids: Array  # (k,) int64, the user's ids, on the device
    owner_vertices: Array  # (k,) int32, highest vertices, on the device; int64 of large grids
    owner_values: Array  # (k,) values there, in the caller's dtype; longer floats on the host
    owner_levels: Array  # (k,) levels that are compared in their place, on the device

    @property
    def dimension(self) -> int:
        """Dimension of the complex, the index of maxima."""

    def rows(self, index: int) -> slice:
        return rows_of_index(self.counts, index)

    def extremum_ends(self, kind: str) -> Array:
        """Return the extrema at the ends of each saddle's two arcs: (s, 2) int32 on the device.

        They are minima ("descending") or maxima, counted from 0; -1 outside the complex. In 1D
        there are no ascending arcs.
        """

    def streamed_connectors(self) -> Rows | None:
        """Return the result of :func:`count_paths` for data in pieces; None: use the minor."""
        return None

    def path_minor(self) -> Minor:
        """Return the V-paths between the saddles of a volume, contracted to a minor."""

    def saddle_paths(self, field: ScalarField) -> SaddlePaths:
        """Return a copy of the gradient of a volume, on which pairs of saddles are canceled.

        The values of `field`, if they are stored, make searches shorter.
        """

    @property
    def vertex_type(self) -> type[np.signedinteger[Any]]:
        """Type of vertices in kernels."""
        return np.int32

    @property
    def n_most_events(self) -> int:
        """Number of events that the log of canceled pairs of saddles can have."""
        return (1 << source.constant("LOG_EVENT_BITS")) - 1

    def saddle_rounds(self, field: ScalarField, upper: Array, lower: Array) -> RoundsModel | None:
        """Return such a copy on the device for pairs of the k-th 2-saddles and k-th 1-saddles.

        None if the domain has no such kernel, or too many cells for it.
        """

    def needs_connectors(self, dimensions: set[int]) -> bool:
        """Whether pairs of these dimensions depend on more than the extremum arcs."""
