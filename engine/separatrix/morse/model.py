"""What graphs, pairs, and hierarchies read of a discrete gradient, on an image or a mesh."""

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
    """The gradient of a volume as a host task cancels saddle pairs on it, in host memory.

    ``task``; ``model``, its first arguments, some of which it changes; ``upper`` (c2,) and
    ``lower`` (c1,) int64, how it names 2-saddles and 1-saddles.
    """

    task: str
    model: tuple[Any, ...]
    upper: np.ndarray
    lower: np.ndarray


class MorseGradient(Protocol):
    """A discrete gradient whose critical cells are sorted by index; k of them."""

    session: Session
    counts: Counts
    """Critical cells of index 0, 1, 2, 3."""
    critical_ids: Array
    """Critical cells (k,) int64 as kernels name them."""
    cell_ids: Array
    """Critical cells (k,) int64 as users name them, on the device."""
    owner_vertices: Array
    """Highest vertex of each critical cell: (k,) int32, on the device."""
    owner_values: Array
    """The value there: (k,) in the caller's dtype, on the device or, if long, on the host."""
    owner_levels: Array
    """What is compared as the value there: (k,), on the device."""

    @property
    def dimension(self) -> int:
        """Dimension of the complex, the index of maxima."""

    def rows(self, index: int) -> slice:
        return rows_of_index(self.counts, index)

    def extremum_ends(self, kind: str) -> Array:
        """Minima ("descending") or maxima that both sides of each saddle lead to: (s, 2) int32.

        On the device, counted from 0, -1 outside the complex. A line has no ascending ones.
        """

    def path_minor(self) -> Minor:
        """The V-paths between the saddles of a volume, contracted."""

    def saddle_paths(self, field: ScalarField) -> SaddlePaths:
        """A copy of the gradient of a volume on which pairs of saddles are canceled.

        `field` is the gradient's, with its values if they were kept: they make searches short.
        """

    def needs_connectors(self, dimensions: set[int]) -> bool:
        """Whether pairs of these dimensions depend on more than the extremum arcs."""
