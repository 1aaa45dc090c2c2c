"""What the graph of a Morse-Smale complex, its pairs and its hierarchy read of a discrete gradient.

Critical cells, V-paths between them and owners are all that they need: an image and a mesh are two
models of one concept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..device import Session
from ..device.base import Array
from .connectors.minor import Minor
from .critical import Counts, rows_of_index


class MorseGradient(ABC):
    """A discrete gradient whose critical cells are sorted by index."""

    session: Session
    counts: Counts
    """Critical cells of index 0, 1, 2, 3."""
    critical_ids: Array
    """Critical cells (k,) int64 as kernels name them."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Dimension of the complex, the index of maxima."""

    @property
    @abstractmethod
    def cell_ids(self) -> Array:
        """Critical cells (k,) int64 as users name them, on the device."""

    @property
    @abstractmethod
    def owner_vertices(self) -> Array:
        """Highest vertex of each critical cell: (k,) int32, on the device."""

    @property
    @abstractmethod
    def owner_values(self) -> Array:
        """The value there: (k,) in the caller's dtype."""

    @property
    @abstractmethod
    def owner_levels(self) -> Array:
        """What is compared as the value there: (k,), on the device."""

    def rows(self, index: int) -> slice:
        """Rows of the critical cells of one index."""
        return rows_of_index(self.counts, index)

    @abstractmethod
    def extremum_ends(self, kind: str) -> Array:
        """Minima ("descending") or maxima that both sides of each saddle lead to: (s, 2) int32.

        On the device, counted from 0, -1 out of the complex. A line does not have ascending ones.
        """

    @abstractmethod
    def path_minor(self) -> Minor:
        """The V-paths between the saddles of a volume, contracted."""

    @abstractmethod
    def saddle_paths(self) -> tuple[str, tuple[Any, ...]]:
        """The host task that cancels pairs and looks at V-paths, and what it reads."""

    @abstractmethod
    def needs_connectors(self, dimensions: set[int]) -> bool:
        """Whether pairs of these dimensions depend on more than the extremum arcs."""
