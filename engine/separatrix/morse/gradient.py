"""The discrete gradient of a scalar field, of an image or of a mesh.

What the graph of a complex reads of it is in model.py. Labels, lines and surfaces are traced by
each kind of complex itself; nothing in this package knows which kind it is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

from ..device.base import Array
from ..repr_mixin import ReprMixin
from .arrows import Arrows
from .connectors.table import Connectors
from .critical import CriticalCells, euler_characteristic
from .field import ScalarField
from .graph import ComplexGraph
from .hierarchy import Hierarchy
from .levels import Levels
from .model import MorseGradient
from .separatrices import ExtremumArcs, Polylines
from .surfaces import SeparatrixSurfaces

Done = Callable[[float], None]


class Domain(Protocol):
    """What a scalar field lies on: the grid of an image, or a mesh."""

    @property
    def dimension(self) -> int:
        """Dimension of the complex, the index of maxima."""

    @property
    def size_text(self) -> str:
        """Its size in words."""

    @property
    def kind_text(self) -> str:
        """Its kind in words, as an error names it."""

    @property
    def has_own_class(self) -> bool:
        """Whether a homology class of the domain's own dimension is possible."""


class DiscreteGradient(MorseGradient, ReprMixin):
    """Pairing of the cells of a domain: each is critical or paired with a facet or a cofacet.

    Made by :func:`separatrix.discrete_gradient`. Critical cells are sorted by (index, cell id).
    """

    domain: Domain
    """The grid of an image, or the mesh."""

    def _summary(self) -> str:
        return f"{self.domain.size_text} on {self.device}: counts {self.counts}"

    @property
    def dimension(self) -> int:
        """Dimension of the complex, the index of maxima."""
        return self.domain.dimension

    @property
    def euler_characteristic(self) -> int:
        """Alternating sum of the counts: that of the domain."""
        return euler_characteristic(self.counts)

    @property
    def device(self) -> str:
        """Where it was computed: "cpu", "cuda:N", or "cuda:N in slabs, cpu"."""
        return self.session.place

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage."""
        return self.session.timings

    # === what a user sees
    @property
    @abstractmethod
    def critical(self) -> CriticalCells:
        """The critical cells, described when first asked for."""

    @abstractmethod
    def codes(self) -> Any:
        """The partner of each cell as a small number; see the subclasses."""

    @abstractmethod
    def arrows(self, stride: int = 1) -> Arrows:
        """All pairs as arrows, or those of every `stride`-th voxel along each axis or pair."""

    # === levels
    @abstractmethod
    def levels_of(self, graph: ComplexGraph, hierarchy: Hierarchy) -> Levels:
        """What all levels of this raw gradient share."""

    @abstractmethod
    def at_event(self, levels: Levels, event: int) -> DiscreteGradient:
        """The gradient after `event` cancellations, of this raw one and its levels."""

    # === the field and its labels
    @property
    @abstractmethod
    def field(self) -> ScalarField:
        """The scalar field; its values are None where they were not kept."""

    @property
    @abstractmethod
    def used_vertices(self) -> Array | None:
        """Vertices (u,) int64 that belong to the complex; None for all."""

    @abstractmethod
    def prepare_complex(self) -> None:
        """Keep and check what a Morse-Smale complex needs. Raises InputError."""

    @abstractmethod
    def of_values(self, values: Array) -> DiscreteGradient:
        """The gradient of other values (n,) of the vertices, as kernels compare them."""

    @abstractmethod
    def vertex_labels(self, kind: str) -> Array:
        """Labels of the minima ("descending") or maxima: (n,) int32, in the user's order."""

    @abstractmethod
    def cell_labels(self) -> Array:
        """The maximum that each top cell ascends to, int32, -1 out of the complex."""

    # === geometry
    @abstractmethod
    def extremum_arcs(self, kind: str) -> ExtremumArcs:
        """The arcs between saddles and extrema of one kind, on the device."""

    @abstractmethod
    def draw_extremum_arcs(self, arcs: ExtremumArcs, kind: str) -> Polylines:
        """These arcs as lines."""

    @abstractmethod
    def draw_connectors(self, connectors: Connectors) -> tuple[Polylines, Array]:
        """The connectors as lines from the 1-saddles up, and the connector of each line."""

    @abstractmethod
    def trace_surfaces(self, kind: str, sources: Array, done: Done) -> SeparatrixSurfaces:
        """The surfaces of saddles, rows (s,) int64 ascending: "descending" or "ascending"."""
