"""Interface of a discrete gradient for graphs, persistence pairs, and hierarchies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..device import Session
from ..device.base import Array
from .connectors.minor import Minor
from .critical import Counts, rows_of_index
from .field import ScalarField


@dataclass(frozen=True)
class SaddlePaths:
    """The gradient of a volume in host memory, on which a host task cancels pairs of saddles.

    ``model`` contains the first arguments of ``task``, some of which it modifies; ``upper`` (c2,)
    and ``lower`` (c1,) int64 are its ids of the 2-saddles and 1-saddles.
    """

    task: str
    model: tuple[Any, ...]
    upper: np.ndarray
    lower: np.ndarray


class MorseGradient(Protocol):
    """A discrete gradient whose critical cells are sorted by index; k of them."""

    session: Session
    counts: Counts
    """Numbers of critical cells of index 0, 1, 2, and 3."""
    critical_ids: Array
    """The kernels' ids (k,) int64 of the critical cells."""
    cell_ids: Array
    """The user's ids (k,) int64 of the critical cells, on the device."""
    owner_vertices: Array
    """Highest vertex of each critical cell: (k,) int32, on the device."""
    owner_values: Array
    """The values there, (k,) in the caller's dtype, on the device; longer floats on the host."""
    owner_levels: Array
    """The levels that are compared in place of these values: (k,), on the device."""

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

    def path_minor(self) -> Minor:
        """Return the V-paths between the saddles of a volume, contracted to a minor."""

    def saddle_paths(self, field: ScalarField) -> SaddlePaths:
        """Return a copy of the gradient of a volume, on which pairs of saddles are canceled.

        The values of `field`, if they are stored, make searches shorter.
        """

    def needs_connectors(self, dimensions: set[int]) -> bool:
        """Whether pairs of these dimensions depend on more than the extremum arcs."""
