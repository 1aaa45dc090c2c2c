"""The discrete gradient of an image: what is read of it and traced on it, raw or at a level."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...device import Session, to_host
from ...device.arrays import beside
from ...device.base import Array
from ...errors import InputError
from ...lazy import cached_property
from ...morse.arrows import Arrows, checked_stride
from ...morse.connectors.minor import Minor
from ...morse.connectors.table import Connectors
from ...morse.critical import Counts, CriticalCells
from ...morse.gradient import DiscreteGradient, Done
from ...morse.graph import ComplexGraph
from ...morse.hierarchy import Hierarchy
from ...morse.levels import Levels
from ...morse.separatrices import ExtremumArcs, Polylines
from ...morse.surfaces import SeparatrixSurfaces
from .arrows import draw_arrows
from .connector_minor import contract
from .critical import describe_critical_cells, list_critical_cells, own_critical_cells
from .extrema import (
    maximum_of_top_cells,
    maximum_of_vertices,
    measured_arcs,
    minimum_of_vertices,
)
from .field import ImageField
from .grid import Grid
from .levels import CubicalLevels
from .lines import CubicalArcs, draw_arcs, draw_connectors, trace_extremum_arcs
from .lower_star import pair_lower_stars
from .pairing import CubicalPairing
from .surfaces import trace_surfaces


class CubicalGradient(DiscreteGradient, CubicalPairing):
    """Pairing of the cells of an image; see :class:`CubicalPairing` for its arrays."""

    domain: Grid

    def __init__(
        self,
        session: Session,
        field: ImageField,
        words: Array,
        cells: Array,
        counts: Counts,
        owners: tuple[Array, Array],
        owner_levels: Array,
        top_cells_are_marked: bool = False,
    ):
        self.session = session
        self.grid = self.domain = field.grid
        self._field = field
        self._words = words
        self.critical_ids = cells
        self.counts = counts
        self._owners = owners
        self._owner_levels = owner_levels
        self._top_cells_are_marked = top_cells_are_marked

    @property
    def words(self) -> Array:
        """The packed gradient (n,) uint32; see :class:`CubicalPairing`."""
        return self._words

    @property
    def field(self) -> ImageField:
        """The scalar field; its values are None where they were not kept."""
        return self._field

    @property
    def used_vertices(self) -> None:
        """None: all vertices of an image belong to its complex."""
        return None

    # === what a user sees
    @cached_property
    def critical(self) -> CriticalCells:
        """The critical cells, described when first asked for."""
        with self.session.call(None, {}):
            return describe_critical_cells(
                self.session, self.grid, self.critical_ids, *self._owners, self.counts
            )

    def codes(self) -> Array:
        """Direction of each cell's partner: uint8 array of ``grid.doubled_shape``.

        1 +x, 2 -x, 3 +y, 4 -y, 5 +z, 6 -z, 7 critical.
        """
        with self.session.call(None, {}):
            codes = self.session.device.empty(self.grid.doubled_shape, np.uint8)
            self.session.device.launch(
                "unpack_codes", codes.size, self.grid.extents, self.words, codes.reshape(-1)
            )
            return self.session.result(codes)

    def arrows(self, stride: int = 1) -> Arrows:
        """All pairs as arrows, or those of every `stride`-th voxel along each axis."""
        stride = checked_stride(stride)
        with self.session.call(None, {}):
            return draw_arrows(self.session, self.grid, self.words, stride)

    # === critical cells
    @property
    def cell_ids(self) -> Array:
        """Cell ids (k,) int64 of the critical cells, on the device that computed."""
        return self.critical_ids

    @property
    def owner_vertices(self) -> Array:
        """Highest vertex of each critical cell: (k,) int32, on the device that computed."""
        return self._owners[0]

    @property
    def owner_values(self) -> Array:
        """The value there: (k,) in the caller's dtype, on the device or, if long, on the host."""
        return self._owners[1]

    @property
    def owner_levels(self) -> Array:
        """What kernels compare as the value there: (k,), on the device."""
        return self._owner_levels

    # === the graph
    def extremum_ends(self, kind: str) -> Array:
        """Minima or maxima on both sides of each saddle: (s, 2) int32, -1 out of the box."""
        return measured_arcs(self, kind)[2].reshape(-1, 2)

    def path_minor(self) -> Minor:
        """The V-paths between saddles, contracted."""
        return contract(self)

    def saddle_paths(self) -> tuple[str, tuple[Any, ...]]:
        """The task that cancels pairs: grid, words to be changed, ids of saddles, on the host."""
        words = np.array(to_host(self.words)).reshape(-1)
        ids = to_host(self.critical_ids)
        upper, lower = (ids[self.rows(index)] for index in (2, 1))
        return "cancel_pairs", (self.grid.extents, words.size, words, upper, lower)

    def needs_connectors(self, dimensions: set[int]) -> bool:
        """Whether pairs of these dimensions depend on more than the extremum arcs."""
        # Essential classes of dimension 2 need two periodic axes, and the columns that vanish.
        has_voids = sum(self.grid.periodic) >= 2
        return self.dimension == 3 and (1 in dimensions or (2 in dimensions and has_voids))

    def levels_of(self, graph: ComplexGraph, hierarchy: Hierarchy) -> CubicalLevels:
        """What all levels of this raw gradient share."""
        return CubicalLevels(self, graph, hierarchy)

    def at_event(self, levels: Levels, event: int) -> LevelGradient:
        """The gradient after `event` cancellations. O(critical cells); its words come later."""
        assert isinstance(levels, CubicalLevels)
        return LevelGradient(self, levels, event)

    # === the field and its labels
    def drop_values(self) -> None:
        """Free the values, where no complex will be made of the gradient."""
        self._field = self._field.without_values()

    def prepare_complex(self) -> None:
        """Keep the values, to be read later whatever the caller writes to the array meanwhile."""
        if self.field.is_shared and self.session.device.is_cuda:
            self.session.memory.require(self.field.values.nbytes, "a copy of the values")
        if self.field.is_shared and self.session.pieces is not None:
            self.session.memory.require_host(
                self.field.values.nbytes, "a copy of the image's values"
            )
        self._field = self._field.with_own_values()

    def of_values(self, values: Array) -> CubicalGradient:
        """The gradient of other values (n,) of the image, as kernels compare them."""
        session = self.session
        field = replace(self.field, values=values, plain_values=None, is_shared=False)
        words = pair_lower_stars(session, field, lambda part: None)
        cells, counts = list_critical_cells(session, self.grid, words)
        owners, owner_levels = own_critical_cells(session, field, cells)
        return CubicalGradient(session, field, words, cells, counts, owners, owner_levels)

    def mark_top_cells(self) -> None:
        """Note each vertex's highest top cell in its word; then labels need the values no more."""
        if self._top_cells_are_marked:
            return
        if self.field.values is None:
            raise InputError(
                "this gradient does not hold its values any more; make the complex with "
                "separatrix.morse_smale(values)"
            )
        grid, values = self.grid, self.field.values
        self.session.launch("mark_top_cells", grid.n_vertices, grid.extents, values, self.words)
        if any(grid.periodic):
            n = grid.n_wrapped_stars
            self.session.launch("mark_wrapped_top_cells", n, grid.extents, values, self.words)
        self._top_cells_are_marked = True
        self.drop_values()

    def vertex_labels(self, kind: str) -> Array:
        """Labels of the minima ("descending") or maxima of the vertices: (n,) int32."""
        if kind == "descending":
            return minimum_of_vertices(self)
        self.mark_top_cells()
        return maximum_of_vertices(self)

    def cell_labels(self) -> Array:
        """The maximum that each top cell ascends to: (nz-1, ny-1, nx-1) int32, axes of 1 keep 1."""
        shape, wraps = self.grid.dimensions[::-1], self.grid.periodic[::-1]
        cut = tuple(slice(0, max(n - 1 + w, 1)) for n, w in zip(shape, wraps, strict=True))
        labels = maximum_of_top_cells(self).reshape(shape)[cut]
        return self.session.device.xp.ascontiguousarray(labels)

    # === geometry
    def extremum_arcs(self, kind: str) -> CubicalArcs:
        """The arcs between saddles and extrema of one kind, on the device."""
        return trace_extremum_arcs(self, kind)

    def draw_extremum_arcs(self, arcs: ExtremumArcs, kind: str) -> Polylines:
        """These arcs as lines."""
        assert isinstance(arcs, CubicalArcs)
        return draw_arcs(self, arcs)

    def draw_connectors(self, connectors: Connectors) -> tuple[Polylines, Array]:
        """The connectors as lines from the 1-saddles up, and the connector of each line."""
        return draw_connectors(self, connectors)

    def trace_surfaces(self, kind: str, sources: Array, done: Done) -> SeparatrixSurfaces:
        """The surfaces of saddles, rows (s,) int64 ascending: "descending" or "ascending"."""
        return trace_surfaces(self, kind, sources, done)


class LevelGradient(CubicalGradient):
    """The gradient of an image's complex after cancellations; its words are made when asked for."""

    def __init__(self, raw: CubicalGradient, levels: CubicalLevels, event: int):
        self._levels, self._event = levels, event
        self._saddle_paths_are_reversed = False
        alive = levels.dead > event
        vertices, values = raw._owners
        super().__init__(
            raw.session,
            raw.field,
            None,
            raw.critical_ids[alive],
            levels.counts_at(event),
            (vertices[alive], values[beside(alive, values)]),
            raw.owner_levels[alive],
        )

    @property
    def words(self) -> Array:
        """The packed gradient (n,) uint32 after all cancellations."""
        with self.session.call(None, {}):
            words = self.extremum_words
            if not self._saddle_paths_are_reversed:
                self._levels.reverse_saddle_paths(self._event, words)
                self._saddle_paths_are_reversed = True
            return words

    @property
    def extremum_words(self) -> Array:
        """The same as far as vertices and top cells go: cheaper, enough for extremum arcs."""
        if self._words is None:
            self._words = self._levels.extremum_words_at(self._event)
        return self._words
