"""The parts of an image's complex that have geometry; see :mod:`separatrix.morse.cache`."""

from __future__ import annotations

from dataclasses import replace

from ...device.base import Array
from ...morse.cache import Parts
from ...morse.graph import ComplexGraph
from ...morse.hierarchy import Hierarchy
from ...morse.segmentation import maximum_of_vertices
from .critical import list_critical_cells, own_critical_cells
from .extrema import maximum_of_top_cells, minimum_of_vertices
from .field import Field
from .gradient import DiscreteGradient, pair_lower_stars
from .separatrices import ExtremumArcs, trace_extremum_arcs
from .simplified import ImageLevels


class ImageParts(Parts):
    """All that is computed of one complex of an image, at any level."""

    gradient: DiscreteGradient
    raw: ImageParts
    _field: Field

    def __init__(self, gradient: DiscreteGradient, raw: ImageParts | None = None, event: int = 0):
        super().__init__(gradient, gradient.field, raw, event)

    @property
    def field(self) -> Field:
        """The scalar field with its values, if they were kept."""
        return self.raw._field

    @property
    def label_shape(self) -> tuple[int, ...]:
        """That of the values."""
        return self.field.shape

    def checked_field(self, what: str) -> Field:
        """The field; InputError where `what` needs values and they were not kept."""
        super().checked_field(what)
        return self.field

    def trace_labels(self, kind: str) -> Array:
        """Raw labels of the minima ("descending") or maxima: (n,) int32."""
        if kind == "descending":
            return minimum_of_vertices(self.gradient)
        return maximum_of_vertices(self.gradient)

    def gradient_of(self, values: Array) -> tuple[DiscreteGradient, Array]:
        """The gradient of other values (n,) of the image, and labels (n,) of its maxima."""
        session, grid = self.session, self.gradient.grid
        field = replace(self.field, values=values, plain_values=None, is_shared=False)
        words = pair_lower_stars(session, field, lambda part: None)
        cells, counts = list_critical_cells(session, grid, words)
        owners, owner_levels = own_critical_cells(session, field, cells)
        found = DiscreteGradient(session, field, words, cells, counts, owners, owner_levels)
        return found, maximum_of_vertices(found)

    def make_levels(self, graph: ComplexGraph, hierarchy: Hierarchy) -> ImageLevels:
        """What all levels of this raw complex share."""
        return ImageLevels(self.gradient, graph, hierarchy)

    def levels(self) -> ImageLevels:
        """The raw complex's hierarchy and what goes with it."""
        found = super().levels()
        assert isinstance(found, ImageLevels)
        return found

    def after(self, event: int) -> ImageParts:
        """The parts of this raw complex after a number of cancellations."""
        return ImageParts(self.levels().gradient_at(event), self, event)

    def top_cell_labels(self) -> Array:
        """The maximum that each top cell ascends to: (nz-1, ny-1, nx-1) int32, axes of 1 keep 1."""
        return self.session.result(self._top_cell_labels())

    def _top_cell_labels(self) -> Array:
        if self.event:
            raw, table = self.raw._top_cell_labels(), self.table("ascending")
            name = "simplified labels of top cells"
            return self.once(name, lambda: self._translated(raw, table))
        return self.once("labels of top cells", self._raw_top_cell_labels)

    def _raw_top_cell_labels(self) -> Array:
        shape, wraps = self.gradient.grid.dimensions[::-1], self.gradient.grid.periodic[::-1]
        cut = tuple(slice(0, max(n - 1 + w, 1)) for n, w in zip(shape, wraps, strict=True))
        labels = maximum_of_top_cells(self.gradient).reshape(shape)[cut]
        return self.session.device.xp.ascontiguousarray(labels)

    def arcs(self, kind: str) -> ExtremumArcs:
        """The arcs of saddles and extrema of one kind."""

        def trace() -> ExtremumArcs:
            return trace_extremum_arcs(self.gradient.for_extremum_arcs, kind)

        return self.once(f"{kind} arcs", trace)
