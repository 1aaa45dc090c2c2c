"""Parts of a Morse-Smale complex, computed on first access and then cached.

A simplified complex uses the cache of the raw one: its labels, sizes, and ranges are those of the
raw complex, mapped through tables. Its arcs and geometry are traced on the simplified gradient, as
those of the raw complex are on the raw gradient.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..device import to_host
from ..device.arrays import as_array
from ..device.base import Array
from ..device.cache import LazyCache
from ..errors import InputError, wrong_dtype
from ..homology import PersistenceDiagram
from .connectors.table import Connectors, trace_connectors
from .field import ScalarField
from .gradient import DiscreteGradient
from .graph import Arcs, ComplexGraph, assemble_arcs, graph_of
from .hierarchy import build_hierarchy
from .level import range_of_values
from .levels import Levels
from .pairing import pair_critical_cells
from .persistence import in_callers_place
from .segmentation import (
    Ranges,
    Regions,
    cells_of_extrema,
    describe_regions,
    extrema_of_cells,
    label_sizes,
    measure_ranges,
    merge_ranges,
    merge_sizes,
    morse_smale_cells,
)
from .separatrices import (
    ExtremumArcs,
    Separatrices,
    SeparatrixSurfaces,
    lines_of_arcs,
    lines_of_connectors,
)

Stages = dict[str, float]

LABEL_STAGES: dict[str, Stages] = {
    "ascending": {"ascending labels": 1.0},
    "descending": {"descending labels": 1.0},
    "morse_smale": {"descending labels": 1.0, "ascending labels": 5.0, "cell labels": 4.0},
}
"""Stages of each segmentation, by its kind, with shares of the time."""
GRAPH_STAGES: Stages = {"connectors": 5.0, "graph": 1.0}
LEVEL_STAGES: Stages = {**GRAPH_STAGES, "hierarchy": 4.0}
CELL_LABELS = "labels of cells"
KIND_OF_EXTREMA = {"descending": "minimum", "ascending": "maximum"}


class ComplexCache(LazyCache):
    """Cached parts of one complex. Its methods must be called within ``session.call``.

    The complex follows from `raw` by `event` cancellations of the hierarchy that `rematch` selects;
    for a raw complex, `raw` is this cache. Geometry is traced by the gradient.
    """

    def __init__(
        self,
        gradient: DiscreteGradient,
        raw: ComplexCache | None = None,
        event: int = 0,
        rematch: bool = False,
    ):
        super().__init__(gradient.session)
        self.gradient = gradient
        self.raw = raw or self
        self.event = event
        self.rematch = rematch
        self._field = gradient.field

    def stage_of_level(self, name: str) -> Stages:
        """The stage that translates raw labels, if there is one."""
        return {f"simplified {name}": 0.5} if self.event else {}

    @property
    def field(self) -> ScalarField:
        """The scalar field with its values, if they were kept."""
        return self.raw._field

    def checked_field(self, what: str) -> ScalarField:
        """The field; InputError where `what` needs values and they were not kept."""
        if self.field.values is None:
            raise InputError(
                message=f"Computing {what} requires the values, which the gradient does not hold "
                "any more.",
                remedy="Make the complex with separatrix.morse_smale(values).",
            )
        return self.field

    def value_range(self) -> float:
        """Return the greatest minus the least value at the vertices of the complex."""
        field = self.checked_field("a relative level")
        return range_of_values(field, self.raw.gradient.used_vertices)

    @property
    def top(self) -> int:
        """Index of the maxima."""
        return self.gradient.dimension

    # === graph and levels
    def connectors(self, method: str = "frontier") -> Connectors:
        """Connections of saddles, traced on this complex's gradient."""
        compute = partial(trace_connectors, self.gradient, method)
        return self.once(f"{method} connectors", compute, "connectors")

    def graph(self) -> ComplexGraph:
        """The complex as a graph, on the host."""
        connectors = self.connectors()
        return self.once("graph", partial(graph_of, self.gradient, connectors), "graph")

    def levels(self, rematch: bool | None = None) -> Levels:
        """Return levels of the raw complex, by default with this complex's `rematch`."""
        raw = self.raw
        rematch = self.rematch if rematch is None else rematch
        name = f"levels {rematch}"
        if name not in raw._kept:
            graph = raw.graph()
            with self.session.stage("hierarchy") as done:
                is_volume = raw.gradient.dimension == 3
                paths = raw.gradient.saddle_paths(raw.field) if is_volume else None
                host = self.session.host
                hierarchy = build_hierarchy(graph, paths, done, rematch=rematch, host=host)
                raw._kept[name] = raw.gradient.levels_of(graph, hierarchy)
        return raw._kept[name]

    def at_level(self, level: float, rematch: bool) -> ComplexCache:
        """The cache of the complex in which pairs of less persistence are canceled."""
        event = self.levels(rematch).hierarchy.events_below(level) if level else 0
        if not event:
            return self.raw
        levels, raw = self.levels(rematch), self.raw
        return ComplexCache(raw.gradient.at_event(levels, event), raw, event, rematch)

    def pairs(self) -> PersistenceDiagram:
        """All pairs of this complex's critical cells, where the caller wants them."""
        graph = self.graph()
        with self.session.stage("pairs"):
            pairs = pair_critical_cells(graph, None, self.session.host)
            diagram = pairs.diagram(to_host(self.gradient.cell_ids))
            return in_callers_place(self.session, diagram)

    def graph_arcs(self, method: str) -> Arcs:
        """The arcs, where the caller wants them."""
        connectors = self.connectors(method)
        with self.session.stage("arcs"):
            return assemble_arcs(self.gradient, connectors)

    # === labels
    def labels(self, kind: str) -> Array:
        """A label per vertex (n,) int32, see :meth:`MorseSmaleComplex.segmentation`."""
        if self.event:
            raw, table = self.raw.labels(kind), self.table(kind)
            return self.once(f"simplified {kind} labels", lambda: self._translated(raw, table))
        if kind != "morse_smale":
            return self.once(f"{kind} labels", partial(self.gradient.vertex_labels, kind))
        return self._cells()[0]

    def _cells(self) -> tuple[Array, Array]:
        """Raw cells' labels and keys."""
        # Maxima last: the forest that they leave behind is the room for the cells' labels.
        minima, maxima = self.labels("descending"), self.labels("ascending")
        return self.once("cell labels", lambda: self._numbered_cells(minima, maxima))

    def _numbered_cells(self, minima: Array, maxima: Array) -> tuple[Array, Array]:
        n_maxima = self.gradient.counts[self.top]
        n_likely = sum(self.gradient.counts) // 2  # measured: 0.44 to 0.57 of them on any field
        used = self.gradient.used_vertices
        if used is None:
            return morse_smale_cells(self.session, minima, maxima, n_maxima, n_likely)
        found = morse_smale_cells(self.session, minima[used], maxima[used], n_maxima, n_likely)
        cells = self.session.device.xp.full(minima.size, -1, np.int32)
        cells[used] = found[0]
        return cells, found[1]

    def table(self, kind: str) -> Array:
        """Label in this complex of each raw label of a kind: int32 on the device."""
        if kind != "morse_smale":
            return self.without_stage(
                f"table {kind}",
                lambda: self.levels().label_table(KIND_OF_EXTREMA[kind], self.event),
            )
        return self.without_stage("table cells", self._cell_table)[0]

    def _cell_table(self) -> tuple[Array, Array]:
        minima, maxima = extrema_of_cells(self.raw._cells()[1], self.raw.gradient.counts[self.top])
        minima = self.table("descending")[minima]
        to_maximum, xp = self.table("ascending"), self.session.device.xp
        # OUTSIDE, -1, stays: it reads the entry put at the end.
        maxima = xp.append(to_maximum, np.int32(-1)).astype(np.int32)[maxima]
        return cells_of_extrema(minima, maxima, self.gradient.counts[self.top])

    def extremum_rows(self, kind: str) -> tuple[Array, Array]:
        """Rows of the minimum and the maximum of each region of a kind, (r,) int64, -1 none."""
        xp, counts = self.session.device.xp, self.gradient.counts
        first_maximum = self.gradient.rows(self.top).start
        if kind == "morse_smale":
            keys = (
                self.without_stage("table cells", self._cell_table)[1]
                if self.event
                else self._cells()[1]
            )
            minima, maxima = extrema_of_cells(keys, counts[self.top])
            rows = xp.where(maxima < 0, np.int64(-1), maxima + np.int64(first_maximum))
            return minima.astype(np.int64), rows
        index = 0 if kind == "descending" else self.top
        first = self.gradient.rows(index).start
        rows = xp.arange(first, first + counts[index], dtype=np.int64)
        none = xp.full(counts[index], -1, np.int64)
        return (rows, none) if kind == "descending" else (none, rows)

    def _translated(self, raw: Array, table: Array) -> Array:
        self.session.memory.require(raw.nbytes, "labels of a level")
        labels = self.session.device.empty(raw.shape, np.int32)
        self.session.launch(
            "translate_labels", raw.size, raw.reshape(-1), table, labels.reshape(-1)
        )
        return labels

    def segmentation(self, kind: str) -> Array:
        """The labels in the shape of the values, where the caller wants them."""
        return self.session.result(self.labels(kind).reshape(self.field.shape))

    # === regions
    def sizes(self, kind: str) -> Array:
        """Vertices of each region of a kind: (r,) int64."""
        return self.without_stage(f"sizes {kind}", lambda: self._sizes(kind))

    def _sizes(self, kind: str) -> Array:
        n = self.extremum_rows(kind)[0].size
        if self.event:
            return merge_sizes(self.session, self.raw.sizes(kind), self.table(kind), n)
        return label_sizes(self.session, self.labels(kind), n)

    def ranges(self, kind: str) -> Ranges:
        """Sizes and ranges of values of the regions of a kind."""
        return self.without_stage(f"ranges {kind}", lambda: self._ranges(kind))

    def _ranges(self, kind: str) -> Ranges:
        if self.event:
            raw, table = self.raw.ranges(kind), self.table(kind)
            return merge_ranges(self.session, raw, table, self.sizes(kind).size)
        return measure_ranges(self.session, self.labels(kind), self.field, self.sizes(kind))

    def manifold_sizes(self) -> Array:
        """Vertices labeled with each critical cell: (k,) int64; 0 for saddles."""
        for kind in KIND_OF_EXTREMA:
            self.raw.labels(kind)
        with self.session.stage("manifold sizes"):
            sizes = self.session.device.zeros(sum(self.gradient.counts), np.int64)
            sizes[self.gradient.rows(0)] = self.sizes("descending")
            if self.top:
                sizes[self.gradient.rows(self.top)] = self.sizes("ascending")
            return self.session.result(sizes)

    def regions(self, kind: str) -> Regions:
        """Regions of a kind, where the caller wants them."""
        self.checked_field("regions")
        self.raw.labels(kind)
        with self.session.stage("regions"):
            ranges, rows = self.ranges(kind), self.extremum_rows(kind)
            values = self.session.result(self.gradient.owner_values)
            return describe_regions(self.session, self.field, ranges, *rows, values)

    # === what has geometry
    def cell_labels(self) -> Array:
        """The maximum that each top cell ascends to, int32, -1 out of the complex."""
        if self.event:
            raw, table = self.raw.cell_labels(), self.table("ascending")
            return self.once(f"simplified {CELL_LABELS}", lambda: self._translated(raw, table))
        return self.once(CELL_LABELS, self.gradient.cell_labels)

    def extremum_arcs(self, kind: str) -> ExtremumArcs:
        """The arcs of saddles and extrema of one kind."""
        return self.once(f"{kind} arcs", lambda: self.gradient.extremum_arcs(kind))

    def extremum_lines(self, kind: str) -> Separatrices:
        """Lines between saddles and extrema."""
        name = f"{kind} lines"
        if name not in self._kept:
            arcs = self.extremum_arcs(kind)
            gradient = self.gradient
            self.once(
                name,
                lambda: lines_of_arcs(
                    gradient, gradient.draw_extremum_arcs(arcs, kind), arcs, kind
                ),
            )
            del self._kept[f"{kind} arcs"]  # as large as a forest
        return self._kept[name]

    def connector_lines(self) -> Separatrices:
        """Lines between 1-saddles and 2-saddles."""
        connectors = self.connectors()

        def draw() -> Separatrices:
            polylines, numbers = self.gradient.draw_connectors(connectors)
            return lines_of_connectors(self.gradient, polylines, connectors, numbers)

        return self.once("saddle lines", draw)

    def surfaces(self, kind: str, sources: Any) -> SeparatrixSurfaces:
        """Surfaces of one kind: all of them, which are kept, or those of some saddles."""
        gradient, name = self.gradient, f"{kind} surfaces"
        index = 2 if kind == "descending" else 1
        if sources is not None:
            rows = self._checked_sources(sources, index)
            with self.session.stage(name) as done:
                return gradient.trace_surfaces(kind, rows, done)
        every = gradient.rows(index)
        rows = self.session.device.xp.arange(every.start, every.stop, dtype=np.int64)
        return self.cached_with_progress(
            name, lambda done: gradient.trace_surfaces(kind, rows, done)
        )

    def _checked_sources(self, sources: Any, index: int) -> Array:
        """Rows of saddles of an index, ascending, each once, on the device. Raises InputError."""
        given = to_host(as_array(sources, "sources")).ravel()
        rows = self.gradient.rows(index)
        given = given if given.size else np.empty(0, np.int64)
        if given.dtype.kind not in "iu":
            raise wrong_dtype("sources", "rows of critical cells, integers", given)
        outside = (given < rows.start) | (given >= rows.stop)
        if outside.any():
            which = f"{rows.start} to {rows.stop - 1}" if rows.stop > rows.start else "none"
            expected = f"rows of {index}-saddles in critical ({which})"
            got, count = int(given[np.argmax(outside)]), int(outside.sum())
            raise InputError("sources", expected, got, count=count)
        return self.session.upload(np.unique(given).astype(np.int64))
