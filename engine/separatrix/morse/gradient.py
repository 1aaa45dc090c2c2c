"""The discrete gradient of a scalar field on an image or a mesh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..arguments import checked_whole
from ..device import Array, to_host
from ..kernels import NONE
from ..lazy import cached_property
from ..plotting.scenes import draw_arrows, polylines_of
from ..results import SessionResult, Table
from .connectors.table import Connectors
from .critical import CriticalCells, euler_characteristic, indices_of
from .field import ScalarField
from .hierarchy import Hierarchy
from .model import MorseGradient
from .segmentation import morse_smale_cells
from .separatrices import ExtremumArcs, Polylines, Separatrices, SeparatrixSurfaces

Done = Callable[[float], None]


@dataclass(frozen=True, eq=False, repr=False)
class Arrows(Table):
    """m pairs of a gradient, as arrows from the centers of cells to those of cofacets.

    Attributes
    ----------
    tail, vector : (m, 3) float64
        Center of the cell, and vector to the center of its cofacet, in the unit of `spacing`.
    tail_cell_id, head_cell_id : (m,) int64
        Ids of the cell and of its cofacet.
    tail_dimension : (m,) int8
        Dimension of the cell.
    """

    tail: Array
    vector: Array
    tail_cell_id: Array
    head_cell_id: Array
    tail_dimension: Array

    def _summary(self) -> str:
        return f"{len(self.tail):,} pairs"


class Domain(Protocol):
    """Domain of a scalar field: the grid of an image, or a mesh."""

    @property
    def dimension(self) -> int:
        """Dimension of the complex, the index of maxima."""

    @property
    def _size_text(self) -> str:
        """Description of the size, for reprs."""

    @property
    def _kind_text(self) -> str:
        """Description of the kind, for errors."""

    @property
    def _has_own_class(self) -> bool:
        """Whether a homology class of the domain's own dimension can exist."""

    def _drawn(self) -> Any:
        """Return a PyVista dataset."""


class DomainGradient(MorseGradient, Protocol):
    """Pairing of the cells of a domain, which images and meshes implement."""

    domain: Domain  # the grid of an image, or the mesh
    field: ScalarField  # its values are None if they are not stored
    used_vertices: Array | None  # (u,) int64, those that belong to the complex; None for all

    @property
    def dimension(self) -> int:
        return self.domain.dimension

    def codes(self) -> Any:
        """Return the result of :meth:`DiscreteGradient.codes`."""

    @cached_property
    def critical(self) -> CriticalCells:
        """Critical cells, computed on first access. A mesh need not be a manifold."""
        with self.session.call(None, {}):
            index = self.session.upload(np.repeat(np.arange(4, dtype=np.int8), self.counts))
            vertices = self.owner_vertices.astype(np.int64)
            columns = (self.cell_ids, index, self.owner_values, vertices, *self.place_critical())
            ids, index, values, vertices, position, rim = map(self.session.result, columns)
            return CriticalCells(ids, index, values, vertices, position, rim, self.counts)

    def place_critical(self) -> tuple[Array, Array]:
        """Return centers (k, 3) float64 and boundary flags (k,) of the critical cells."""

    def draw_arrows(self, stride: int) -> tuple[Array, ...]:
        """Return the columns of :class:`Arrows`, on the device."""

    # === levels
    @property
    def traceable(self) -> DomainGradient:
        """The same gradient where V-paths can be traced through all of it."""
        return self

    def at_event(self, hierarchy: Hierarchy, event: int) -> DomainGradient:
        """Return the gradient after `event` cancellations; only for unsimplified gradients."""

    # === the field and its labels
    def prepare_complex(self) -> None:
        """Prepare for a Morse-Smale complex. Raises InputError if the domain has none."""

    def field_again(self) -> ScalarField:
        """Return the field, with values that were not stored, if the caller's array has them."""
        return self.field

    def vertex_roles(self) -> np.ndarray:
        """Return the role of each vertex (kernels/morse/flood.h): (n,) uint8, on the host."""

    def flood_task(self) -> tuple[Any, ...]:
        """Return the host task that floods an order of the vertices, and its first arguments."""

    def vertex_labels(self, kind: str) -> Array:
        """Return labels (n,) int32 of minima ("descending") or maxima, in the user's order."""

    def write_labels(self, kind: str, out: Any) -> bool:
        """Write the labels of vertices to a file while they are computed, if that is possible."""
        return False

    def morse_smale_cells(self, minima: Array, maxima: Array, n_likely: int) -> tuple[Array, Array]:
        """Return the cells of labels (n,), and keys; see :func:`morse_smale_cells`."""
        n_maxima = self.counts[self.dimension]
        return morse_smale_cells(self.session, minima, maxima, n_maxima, n_likely)

    def cell_labels(self) -> Array:
        """Return the maximum that each top cell ascends to: int32, -1 outside the complex."""

    # === geometry
    def extremum_arcs(self, kind: str) -> ExtremumArcs:
        """Return the arcs between saddles and extrema of one kind, on the device."""

    def draw_extremum_arcs(self, arcs: Any, kind: str) -> Polylines:
        """Return arcs as lines."""

    def draw_connectors(self, connectors: Connectors) -> tuple[Polylines, Array]:
        """Return connectors as lines from the 1-saddles up, and the connector of each line."""

    def trace_surfaces(self, kind: str, sources: Array, done: Done) -> SeparatrixSurfaces:
        """Return the surfaces of saddles, given by ascending rows (s,) int64."""

    def extremum_lines(self, arcs: ExtremumArcs, kind: str, sources: Array) -> Separatrices:
        """Return the lines of arcs of one kind, in their order; `sources` are rows of saddles."""
        xp = self.session.device.xp
        extrema = self.rows(indices_of(kind, self.dimension)[0])
        number = xp.arange(arcs.extremum.size, dtype=np.int64)
        destination = arcs.extremum + np.int64(extrema.start)
        destination = xp.where(arcs.extremum < 0, np.int64(NONE), destination)
        ends = (sources[number // 2], destination, number)
        columns = (*self.draw_extremum_arcs(arcs, kind), *ends)
        return Separatrices(*map(self.session.result, columns))

    def connector_lines(self, connectors: Connectors) -> Separatrices:
        """Return the lines of all connectors of saddles, from the 1-saddles up."""
        polylines, numbers = self.draw_connectors(connectors)
        lower, upper = (self.rows(index).start for index in (1, 2))
        source = connectors.items[numbers].astype(np.int64) + lower
        ends = (source, connectors.upper()[numbers] + upper, numbers)
        return Separatrices(*map(self.session.result, (*polylines, *ends)))


class DiscreteGradient(SessionResult):
    """Pairing of the cells of a domain: each is critical or paired with a facet or a cofacet.

    Returned by :func:`separatrix.discrete_gradient`. Critical cells are sorted by (index, cell id).

    Attributes
    ----------
    domain : Grid, TetMesh, or TriangleMesh
    counts : tuple of int
        Numbers of critical cells of index 0, 1, 2, and 3.

    Examples
    --------
    >>> import separatrix as sx
    >>> gradient = sx.discrete_gradient([0.0, 5.0, 1.0])
    >>> gradient.counts, gradient.critical.vertex.tolist()
    ((2, 1, 0, 0), [0, 2, 1])
    """

    _SHOWN = ("domain", "counts", "euler_characteristic", "device")

    def __init__(self, pairing: DomainGradient):
        self._pairing, self._session = pairing, pairing.session
        self.domain, self.counts = pairing.domain, pairing.counts

    def _summary(self) -> str:
        return f"{self.domain._size_text} on {self.device}: counts {self.counts}"

    @property
    def dimension(self) -> int:
        """Dimension of the complex, the index of maxima."""
        return self.domain.dimension

    @property
    def euler_characteristic(self) -> int:
        """Alternating sum of the counts: that of the domain."""
        return euler_characteristic(self.counts)

    @property
    def critical(self) -> CriticalCells:
        """Critical cells, computed on first access. A mesh need not be a manifold."""
        return self._pairing.critical

    def codes(self) -> Any:
        """Return the partner of each cell as a code, uint8.

        On an image, an array of ``domain.doubled_shape``: 1 +x, 2 -x, 3 +y, 4 -y, 5 +z, 6 -z,
        7 critical, 0 not in a masked domain. On a mesh, one array (n_d,) for the simplices of each
        dimension d, in mesh order: 0 to 3 the number of the facet that the simplex is paired with,
        4 paired with a cofacet, 5 critical, 6 point without cells.
        """
        with self._session.call(None, {}):
            return self._pairing.traceable.codes()

    def plot(self, plotter: Any = None, *, stride: int = 1) -> Any:
        """Draw pairs as lines, and critical cells by type, with PyVista; see :meth:`arrows`.

        Returns the plotter, by default a new one.
        """
        arrows = self.arrows(stride)
        tail, vector = to_host(arrows.tail), to_host(arrows.vector)
        ends = np.stack([tail, tail + vector], axis=1).reshape(-1, 3)
        lines = polylines_of(ends, np.arange(0, len(ends) + 1, 2))
        domain = self.domain._drawn()
        critical = self.critical._drawn(self.dimension)
        return draw_arrows(plotter, domain, self.dimension, lines, *critical)

    def arrows(self, stride: int = 1) -> Arrows:
        """Return all pairs of the gradient as arrows, or a sample of them.

        A sample consists of the pairs of every `stride`-th voxel along each axis of an image, or of
        every `stride`-th pair of a mesh. On a mesh, pairs are sorted by (dimension, mesh id) of the
        lower simplex. Points and cells have the user's ids, other simplices mesh ids. Raises
        InputError if `stride` is less than 1.
        """
        stride = checked_whole(stride, "stride", 1)
        with self._session.call(None, {}):
            return Arrows(*map(self._session.result, self._pairing.traceable.draw_arrows(stride)))
