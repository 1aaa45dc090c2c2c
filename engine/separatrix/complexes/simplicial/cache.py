"""The parts of a mesh's complex that have geometry; see :mod:`separatrix.morse.cache`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...device.base import Array
from ...morse.cache import Parts
from ...morse.graph import ComplexGraph
from ...morse.hierarchy import Hierarchy
from ...morse.level import range_of_values
from ...morse.segmentation import morse_smale_cells
from ..cubical.field import ScalarField
from .flow import MeshFlow
from .forests import maximum_of_cells, maximum_of_points, minimum_of_points
from .gradient import gradient_of_points
from .simplified import MeshLevels
from .values import rank_vertices


class MeshParts(Parts):
    """All that is computed of one complex of a mesh, at any level."""

    gradient: MeshFlow
    raw: MeshParts

    def __init__(self, flow: MeshFlow, raw: MeshParts | None = None, event: int = 0):
        values = flow.values
        shape = (values.values.size,)
        field = ScalarField(values.values, shape, values.dtype, values.levels, False)
        super().__init__(flow, field, raw, event)

    @property
    def label_shape(self) -> tuple[int, ...]:
        """(V,)."""
        return self.field.shape

    def value_range(self) -> float:
        """Greatest value less least one, of the points that belong to a cell."""
        mesh, field = self.gradient.simplices, self.checked_field("a relative level")
        if mesh.counts[0] == mesh.n_vertices:
            return range_of_values(field)
        used = self.session.device.xp.flatnonzero(mesh.is_used[mesh.vertex_of])
        return range_of_values(field, used)

    def trace_labels(self, kind: str) -> Array:
        """Raw labels of the minima ("descending") or maxima: (V,) int32 by the user's points."""
        trace = minimum_of_points if kind == "descending" else maximum_of_points
        return trace(self.gradient)

    def _cells(self) -> tuple[Array, Array]:
        mesh = self.gradient.simplices
        if mesh.counts[0] == mesh.n_vertices:
            return super()._cells()
        minima, maxima = self.labels("descending"), self.labels("ascending")

        def number() -> tuple[Array, Array]:
            counts, xp = self.gradient.counts, self.session.device.xp
            used = xp.flatnonzero(mesh.is_used[mesh.vertex_of])
            some = (minima[used], maxima[used], counts[self.top], sum(counts) // 2)
            found, keys = morse_smale_cells(self.session, *some)
            cells = xp.full(mesh.n_vertices, -1, np.int32)
            cells[used] = found
            return cells, keys

        return self.once("cell labels", number)

    def gradient_of(self, values: Array) -> tuple[MeshFlow, Array]:
        """The flow of other values (V,) of the user's points, and labels (V,) of its maxima."""
        flow = self.gradient
        rank = rank_vertices(self.session, flow.simplices, values)
        loaded = replace(flow.values, values=values, rank=rank)
        gradient = gradient_of_points(self.session, flow.simplices, flow.points, loaded)
        found = MeshFlow(flow.mesh, gradient)
        return found, maximum_of_points(found)

    def make_levels(self, graph: ComplexGraph, hierarchy: Hierarchy) -> MeshLevels:
        """What all levels of this raw complex share."""
        return MeshLevels(self.gradient, graph, hierarchy)

    def levels(self) -> MeshLevels:
        """The raw complex's hierarchy and what goes with it."""
        found = super().levels()
        assert isinstance(found, MeshLevels)
        return found

    def after(self, event: int) -> MeshParts:
        """The parts of this raw complex after a number of cancellations."""
        return MeshParts(self.levels().flow_at(event), self, event)

    def labels_of_cells(self) -> Array:
        """The maximum (n_cells,) int32 that each of the user's cells ascends to, -1 out."""
        if self.event:
            raw, table = self.raw.labels_of_cells(), self.table("ascending")
            return self.once("simplified labels of cells", lambda: self._translated(raw, table))
        return self.once("labels of cells", lambda: maximum_of_cells(self.gradient))
