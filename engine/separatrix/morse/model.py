"""What comes after a discrete gradient reads of it, be it an image's or a mesh's.

Critical cells, V-paths between them and owners are all that the graph of a complex, its pairs and
its hierarchy need: a grid and a simplicial mesh are two models of one concept.
"""

from __future__ import annotations

from typing import Any, Protocol

from ..complexes.cubical.connector_minor import Minor
from ..complexes.cubical.critical import Counts
from ..device import Session
from ..device.base import Array


class MorseGradient(Protocol):
    """A discrete gradient whose critical cells are sorted by index."""

    session: Session
    counts: Counts
    critical_ids: Array
    """Critical cells (k,) int64 as kernels name them."""

    @property
    def owner_levels(self) -> Array:
        """What is compared as the value of each critical cell's highest vertex: (k,)."""

    @property
    def dimension(self) -> int:
        """Dimension of the complex, the index of maxima."""

    @property
    def cell_ids(self) -> Array:
        """Critical cells (k,) int64 as users name them."""

    @property
    def owner_vertices(self) -> Array:
        """Highest vertex of each critical cell: (k,) int32."""

    @property
    def owner_values(self) -> Array:
        """The value there: (k,) in the caller's dtype."""

    def rows(self, index: int) -> slice:
        """Rows of the critical cells of one index."""

    def extremum_ends(self, kind: str) -> Array:
        """Minima ("descending") or maxima that both sides of each saddle lead to: (s, 2) int32.

        On the device, counted from 0, -1 out of the complex. A line has no ascending ones.
        """

    def path_minor(self) -> Minor:
        """The V-paths between the saddles of a volume, contracted."""

    def saddle_paths(self) -> tuple[str, tuple[Any, ...]]:
        """The host task that cancels pairs and looks at V-paths, and what it is to look at."""

    def needs_connectors(self, dimensions: set[int]) -> bool:
        """Whether pairs of these dimensions can't be told from the extremum arcs alone."""
