"""Labels of vertices and cells, and regions, of one complex, computed on first access.

Labels of a level are looked up in tables, indexed by the labels of the raw complex.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arguments import check_one_of
from ..device import Array, LazyCache
from ..errors import InputError
from .field import ScalarField
from .gradient import DomainGradient
from .hierarchy import Hierarchy
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
)

CELL_LABELS = "labels of cells"
KIND_OF_EXTREMA = {"descending": "minimum", "ascending": "maximum"}
Stages = dict[str, float]
SHARES: dict[str, Stages] = {
    "ascending": {"ascending labels": 1.0},
    "descending": {"descending labels": 1.0},
    "morse_smale": {"descending labels": 1.0, "ascending labels": 5.0, "cell labels": 4.0},
}
"""Stages of each segmentation, by its kind, with shares of the time."""


class Labels(LazyCache):
    """Labels of the complex of `gradient`, which is `raw` after `event` cancellations."""

    def __init__(
        self,
        gradient: DomainGradient,
        raw: Labels | None = None,
        hierarchy: Hierarchy | None = None,
        event: int = 0,
    ):
        super().__init__(gradient.session)
        self.gradient, self.hierarchy, self.event = gradient, hierarchy, event
        self._raw = raw  # never self: a cycle would delay the release of the arrays
        # The raw gradient may drop its values later.
        self.field: ScalarField = gradient.field if raw is None else raw.field
        self.top = gradient.dimension

    @property
    def raw(self) -> Labels:
        return self._raw or self

    def stages(self, kind: str) -> Stages:
        """Return the stages of one kind of segmentation. Raises InputError."""
        check_one_of("kind", kind, SHARES)
        return {**SHARES[kind], **self.stage_of_level(f"{kind} labels")}

    def stage_of_level(self, name: str) -> Stages:
        return {f"simplified {name}": 0.5} if self.hierarchy else {}

    def checked_field(self, what: str) -> ScalarField:
        """Return the field. Raises InputError if its values, which `what` needs, are not stored."""
        if self.field.values is None:
            self.field = self._raw.checked_field(what) if self._raw else self.gradient.field_again()
        if self.field.values is None:
            raise InputError(
                message=f"Computing {what} requires the values, which the gradient no longer "
                "contains.",
                remedy="Create the complex with separatrix.morse_smale(values).",
            )
        return self.field

    def of_vertices(self, kind: str) -> Array:
        """Return labels (n,) int32 of vertices; see :meth:`MorseSmaleComplex.segmentation`."""
        if self.hierarchy:
            return self._translated(f"{kind} labels", self.raw.of_vertices(kind), kind)
        if kind != "morse_smale":
            return self.once(f"{kind} labels", partial(self.gradient.vertex_labels, kind))
        return self._cells()[0]

    def write(self, kind: str, out: Any) -> bool:
        """Write labels that are not stored to a file, piece by piece, if that is possible."""
        name = f"{kind} labels"
        if self.hierarchy or kind == "morse_smale" or name in self._kept:
            return False
        with self.session.stage(name):
            return self.gradient.write_labels(kind, out)

    def segmentation(self, kind: str) -> Array:
        """Return the labels in the shape of the values, where the caller's data is."""
        return self.session.result(self.of_vertices(kind).reshape(self.field.shape))

    def of_cells(self) -> Array:
        """Return the maximum that each top cell ascends to, int32, where the caller's data is."""
        labels = self.raw.once(CELL_LABELS, self.raw.gradient.cell_labels)
        if self.hierarchy:
            labels = self._translated(CELL_LABELS, labels, "ascending")
        return self.session.result(labels)

    def _translated(self, name: str, raw: Array, kind: str) -> Array:
        table = self._table(kind)

        def translate() -> Array:
            self.session.memory.require(raw.nbytes, "labels of a level")
            labels = self.session.device.empty(raw.shape, np.int32)
            arrays = (raw.reshape(-1), table, labels.reshape(-1))
            self.session.launch("translate_labels", raw.size, *arrays)
            return labels

        return self.once(f"simplified {name}", translate)

    # === tables
    def _table(self, kind: str) -> Array:
        """Return the label at this level of each raw label of a kind: int32 on the device."""
        if kind == "morse_smale":
            return self._cells()[0]
        assert self.hierarchy is not None
        labels = partial(self.hierarchy.labels_at, KIND_OF_EXTREMA[kind], self.event)
        return self.without_stage(f"table {kind}", lambda: self.session.upload(labels()))

    def _cells(self) -> tuple[Array, Array]:
        """Return the cells of the vertices (at a level, of the raw cells), and all keys."""
        if self.hierarchy:
            return self.without_stage("table cells", self._merged_cells)
        # Maxima last, so that their forest's memory is reused for the labels of the cells.
        minima, maxima = self.of_vertices("descending"), self.of_vertices("ascending")
        n_likely = sum(self.gradient.counts) // 2  # measured: 0.44 to 0.57 of them on any field
        cells = partial(self.gradient.morse_smale_cells, minima, maxima, n_likely)
        return self.once("cell labels", cells)

    def _merged_cells(self) -> tuple[Array, Array]:
        minima, maxima = extrema_of_cells(self.raw._cells()[1], self.raw.gradient.counts[self.top])
        minima = self._table("descending")[minima]
        to_maximum, xp = self._table("ascending"), self.session.device.xp
        # OUTSIDE (-1) is kept, because it reads the last entry.
        maxima = xp.append(to_maximum, np.int32(-1)).astype(np.int32)[maxima]
        return cells_of_extrema(minima, maxima, self.gradient.counts[self.top])

    # === regions
    def _extremum_rows(self, kind: str) -> tuple[Array, Array]:
        """Return the rows of each region's minimum and maximum, (r,) int64; -1 for none."""
        xp, gradient = self.session.device.xp, self.gradient
        if kind == "morse_smale":
            minima, maxima = extrema_of_cells(self._cells()[1], gradient.counts[self.top])
            first = np.int64(gradient.rows(self.top).start)
            return minima.astype(np.int64), xp.where(maxima < 0, np.int64(-1), maxima + first)
        extrema = gradient.rows(0 if kind == "descending" else self.top)
        rows = xp.arange(extrema.start, extrema.stop, dtype=np.int64)
        none = gradient.session.device.unset(rows.size, np.int64)
        return (rows, none) if kind == "descending" else (none, rows)

    def _sizes(self, kind: str) -> Array:

        def count() -> Array:
            n = self._extremum_rows(kind)[0].size
            if self.hierarchy:
                return merge_sizes(self.session, self.raw._sizes(kind), self._table(kind), n)
            return label_sizes(self.session, self.of_vertices(kind), n)

        return self.without_stage(f"sizes {kind}", count)

    def _ranges(self, kind: str) -> Ranges:

        def measure() -> Ranges:
            sizes = self._sizes(kind)
            if self.hierarchy:
                raw, table = self.raw._ranges(kind), self._table(kind)
                return merge_ranges(self.session, raw, table, sizes.size)
            return measure_ranges(self.session, self.of_vertices(kind), self.field, sizes)

        return self.without_stage(f"ranges {kind}", measure)

    def manifold_sizes(self) -> Array:
        """Return the number of vertices labeled with each critical cell: (k,) int64."""
        for kind in KIND_OF_EXTREMA:
            self.raw.of_vertices(kind)
        with self.session.stage("manifold sizes"):
            sizes = self.session.device.zeros(sum(self.gradient.counts), np.int64)
            sizes[self.gradient.rows(0)] = self._sizes("descending")
            if self.top:
                sizes[self.gradient.rows(self.top)] = self._sizes("ascending")
            return self.session.result(sizes)

    def regions(self, kind: str) -> Regions:
        self.checked_field("regions")
        self.raw.of_vertices(kind)
        with self.session.stage("regions"):
            ranges, rows = self._ranges(kind), self._extremum_rows(kind)
            values = self.session.result(self.gradient.owner_values)
            return describe_regions(self.session, self.field, ranges, *rows, values)
