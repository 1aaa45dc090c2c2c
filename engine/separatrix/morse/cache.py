"""The parts of a Morse-Smale complex, each computed when first asked for, and then kept.

A simplified complex has the raw one's parts behind it: its labels, sizes and ranges are those of
the raw complex put through tables, its graph is read off the hierarchy, and only what has geometry
is traced, on the simplified gradient.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ..complexes.cubical.field import ScalarField
from ..device import to_host
from ..device.base import Array
from ..device.cache import LazyCache
from ..errors import InputError
from ..homology import PersistenceDiagram
from .arcs import arcs_of, assemble_arcs
from .connectors import Connectors, trace_connectors
from .graph import Arcs, ComplexGraph, graph_of
from .hierarchy import Hierarchy, build_hierarchy
from .level import range_of_values
from .levels import Levels
from .model import MorseGradient
from .pairing import pair_critical_cells
from .persistence import in_callers_place
from .regions import (
    Ranges,
    Regions,
    describe_regions,
    measure_ranges,
    merge_ranges,
    merge_sizes,
)
from .segmentation import (
    cells_of_extrema,
    extrema_of_cells,
    label_sizes,
    morse_smale_cells,
)

Stages = dict[str, float]

LABEL_STAGES: dict[str, Stages] = {
    "ascending": {"ascending labels": 1.0},
    "descending": {"descending labels": 1.0},
    "cells": {"descending labels": 1.0, "ascending labels": 5.0, "cell labels": 4.0},
}
"""Stages of each segmentation, by its kind, with shares of the time."""
GRAPH_STAGES: Stages = {"connectors": 5.0, "graph": 1.0}
LEVEL_STAGES: Stages = {**GRAPH_STAGES, "hierarchy": 4.0}
PATH_STAGES: Stages = {"reversed paths": 2.0}
KIND_OF_EXTREMA = {"descending": "minimum", "ascending": "maximum"}


class Parts(LazyCache):
    """All that is computed of one complex. Its methods are to be called inside ``work.call``.

    `event` cancellations lie between it and `raw`; the raw parts are their own. What has geometry
    is traced by the subclasses, of images and of meshes.
    """

    def __init__(
        self, gradient: MorseGradient, field: ScalarField, raw: Parts | None = None, event: int = 0
    ):
        super().__init__(gradient.session)
        self.gradient = gradient
        self.raw = raw or self
        self.event = event
        self._field = field

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
                f"{what}: needs the values, which this gradient does not hold any more; make the "
                "complex with separatrix.morse_smale(values)"
            )
        return self.field

    def value_range(self) -> float:
        """Greatest value less least one, of the vertices of the complex."""
        return range_of_values(self.checked_field("a relative level"))

    @property
    def label_shape(self) -> tuple[int, ...]:
        """Shape of a label per vertex, as users get it."""
        raise NotImplementedError

    @property
    def top(self) -> int:
        """Index of the maxima."""
        return self.gradient.dimension

    # === graph and levels
    def connectors(self, method: str = "frontier") -> Connectors:
        """Connections of saddles, traced on this complex's gradient."""
        self.reverse_saddle_paths()
        compute = partial(trace_connectors, self.gradient, method)
        return self.once(f"{method} connectors", compute, "connectors")

    def graph(self, method: str | None = None) -> ComplexGraph:
        """The complex as a graph, on the host; of a level, read off the hierarchy or traced."""
        if self.event and method is None:
            return self.without_stage("graph of level", lambda: self.levels().graph_at(self.event))
        method = method or "frontier"
        connectors = self.connectors(method)
        return self.once(f"{method} graph", partial(graph_of, self.gradient, connectors), "graph")

    def levels(self) -> Levels:
        """The raw complex's hierarchy and what goes with it."""
        raw = self.raw
        if "levels" not in raw._kept:
            graph = raw.graph()
            with self.session.stage("hierarchy") as done:
                hierarchy = build_hierarchy(
                    graph, done, gradient=raw.gradient, host=self.session.host
                )
                raw._kept["levels"] = raw.make_levels(graph, hierarchy)
        return raw._kept["levels"]

    def at_level(self, level: float) -> Parts:
        """The parts of the complex in which pairs of less persistence are canceled."""
        event = self.levels().hierarchy.events_below(level) if level else 0
        return self.raw.after(event) if event else self.raw

    def pairs(self) -> PersistenceDiagram:
        """All pairs of this complex's critical cells, where the caller wants them."""
        graph = self.graph()
        with self.session.stage("pairs"):
            pairs = pair_critical_cells(graph, None, self.session.host)
            diagram = pairs.diagram(to_host(self.gradient.cell_ids))
            return in_callers_place(self.session, diagram)

    def graph_arcs(self, method: str | None) -> Arcs:
        """The arcs, where the caller wants them: of a level read off the hierarchy, or traced."""
        if self.event and method is None:
            graph = self.graph()
            with self.session.stage("arcs"):
                return arcs_of(self.session, graph)
        connectors = self.connectors(method or "frontier")
        with self.session.stage("arcs"):
            return assemble_arcs(self.gradient, connectors)

    # === labels
    def labels(self, kind: str) -> Array:
        """A label per vertex (n,) int32, see :meth:`MorseSmaleComplex.segmentation`."""
        if self.event:
            raw, table = self.raw.labels(kind), self.table(kind)
            return self.once(f"simplified {kind} labels", lambda: self._translated(raw, table))
        if kind != "cells":
            return self.once(f"{kind} labels", partial(self.trace_labels, kind))
        return self._cells()[0]

    def _cells(self) -> tuple[Array, Array]:
        """Raw cells' labels and keys."""
        n_maxima = self.gradient.counts[self.top]
        n_likely = sum(self.gradient.counts) // 2  # measured: 0.44 to 0.57 of them on any field
        # Maxima last: the forest that they leave behind is the room for the cells' labels.
        minima, maxima = self.labels("descending"), self.labels("ascending")
        return self.once(
            "cell labels",
            lambda: morse_smale_cells(self.session, minima, maxima, n_maxima, n_likely),
        )

    def table(self, kind: str) -> Array:
        """Label in this complex of each raw label of a kind: int32 on the device."""
        if kind != "cells":
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
        if kind == "cells":
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
        return self.session.result(self.labels(kind).reshape(self.label_shape))

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
    def trace_labels(self, kind: str) -> Array:
        """Raw labels of the minima ("descending") or maxima: (n,) int32, in the user's order."""
        raise NotImplementedError

    def gradient_of(self, values: Array) -> tuple[MorseGradient, Array]:
        """The gradient of other values (n,) of the vertices, and labels (n,) of its maxima."""
        raise NotImplementedError

    def make_levels(self, graph: ComplexGraph, hierarchy: Hierarchy) -> Levels:
        """What all levels of this raw complex share."""
        raise NotImplementedError

    def after(self, event: int) -> Parts:
        """The parts of this raw complex after a number of cancellations."""
        raise NotImplementedError

    def reverse_saddle_paths(self) -> None:
        """Write the log of saddle pairs, before the gradient is read as a whole."""
        if self.event:
            levels = self.levels()
            if not levels.has_turns:
                with self.session.stage("reversed paths") as done:
                    levels.log_turns(done)
