"""One process's part of the outputs of MorseSmaleComplex: its critical points, arcs, and labels.

Critical points belong to the process that has their layer, and arcs to that of their saddle (of two
saddles, the 2-saddle). The graph has copies of the critical points of other processes to which its
arcs lead, which vtkGhostType marks as duplicates. With connectors, surfaces, or rematched saddles,
the first process receives the gradient and has these outputs alone; labels stay divided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes

import separatrix as sx
from separatrix.pieces.exchange import FIRST_PIECE, Exchange, on_first
from separatrix.pieces.whole import (
    WORD_BYTES,
    level_from_first,
    ranks_of,
    values_of,
    whole_on_first,
)
from separatrix_vtk.base.arrays import (
    NONE,
    to_vtk,
)
from separatrix_vtk.base.computing import KeptComplex
from separatrix_vtk.base.extents import cells_in, shape_of
from separatrix_vtk.base.redistribution import Held, arrays_of
from separatrix_vtk.base.slabs import Part
from separatrix_vtk.filters.scalar_field import outputs as write
from separatrix_vtk.filters.scalar_field.complex_tables import PartTables
from separatrix_vtk.filters.scalar_field.grid_filter import automatic_threshold
from separatrix_vtk.filters.scalar_field.image import ImageField
from separatrix_vtk.filters.scalar_field.image_part import pairs_on_first

ARRAY_OF_KIND = {
    "descending": "DescendingManifold",
    "ascending": "AscendingManifold",
    "morse_smale": "MorseSmaleManifold",
}
SEGMENTATION = 3  # port
MEBIBYTE = 1 << 20
SCALARS = int(vtkDataSetAttributes.SCALARS)
CELL_COLUMNS = ("cell_id", "index", "value", "vertex", "position", "on_boundary")


class ComplexPart:
    """The piece of a process, with what all outputs share."""

    def __init__(self, filter: Any, part: Part, exchange: Exchange) -> None:
        self.part, self.exchange = part, exchange
        self.piece, self.field = filter.piece_of(part, exchange, 0.4)

    @property
    def timings(self) -> dict[str, float]:
        return dict(self.piece.timings)

    def fill(self, filter: Any, kept: KeptComplex, outputs: list[Any]) -> dict[int, list[Held]]:
        """Fill the outputs of a complex without connectors, surfaces, and rematched saddles."""
        points, lines, _, _, graph, regions = outputs
        found = self.level_of(filter, kept)
        if filter.compute_persistence_pairs:  # they and arcs take more memory than labels
            filter.step(0.5, "pairs")
            _ = found.persistence_pairs
        if filter.compute_graph:
            filter.step(0.6, "arcs")
            _ = found.arcs
        labels, held = self.labels(filter, found.segmentation)
        tables = PartTables(self.exchange, self.field, found, filter.keep_skipped_saddles)
        filter.step(0.65, "lines")
        tables.write_lines(filter, lines)
        tables.write(filter, self.piece, points, graph, self.sizes_of(labels, found.counts))
        if (kind := filter.region_table) != "none":
            tables.write_regions(regions, ARRAY_OF_KIND[kind], kind)
        if filter.compute_top_cell_labels:
            held.append(self.of_cells(found.cell_labels()))
        return {SEGMENTATION: held}

    def level_of(self, filter: Any, kept: KeptComplex) -> Any:
        """The piece at the threshold, or the piece itself if it is 0."""
        threshold, relative = filter.level(self.field)
        if relative:
            threshold *= self.field.value_range
        if threshold == 0.0 and filter.automatic_threshold:
            filter.step(0.4, "pairs")
            pairs = pairs_on_first(self.exchange, write.on_host(self.piece.persistence_pairs))
            own = (
                automatic_threshold(pairs, self.field) if self.exchange.rank == FIRST_PIECE else 0.0
            )
            threshold = self.exchange.gather(own)[FIRST_PIECE]
        if threshold == 0.0:
            return self.piece
        filter.step(0.45, "simplification")
        kept.keep_together("level", threshold, self.exchange)
        return kept.part("level", threshold, lambda: self.piece.simplify(threshold))

    def labels(
        self, filter: Any, segmentation: Callable[[str], Any]
    ) -> tuple[dict[str, np.ndarray], list[Held]]:
        """Labels (n,) int32 of the process's own points by kind, and its arrays of port 3."""
        found, own = {}, self.part.slab.own
        for number, kind in enumerate(ARRAY_OF_KIND):
            if filter.is_labeled(kind):
                filter.step(0.7 + 0.1 * number, f"{kind} segmentation")
                found[kind] = sx.to_host(segmentation(kind)).reshape(-1)
        names = [ARRAY_OF_KIND[kind] for kind in found]
        held = [
            one
            for one in arrays_of(self.part.image, own, self.part.slab.own_cells)
            if one.of_cells or one.array.GetName() not in names
        ]
        made = [
            Held(to_vtk(values, name), False, own, own)
            for name, values in zip(names, found.values(), strict=True)
        ]
        made = made[:-1] + [one._replace(active=SCALARS) for one in made[-1:]]
        return found, held + made

    def of_cells(self, labels: Any) -> Held:
        """Labels of the top cells of the process as an array of port 3."""
        cells = cells_in(self.part.slab.own_cells)
        values = sx.to_host(labels)[tuple(slice(n) for n in shape_of(cells))]
        array = to_vtk(np.ascontiguousarray(values).reshape(-1), ARRAY_OF_KIND["ascending"])
        return Held(array, True, cells, cells)

    def sizes_of(
        self, labels: dict[str, np.ndarray], counts: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Rows of the extrema that label points of the process, and the numbers of these points.

        None unless there are labels of both kinds. counts: critical cells of all processes, by
        index
        """
        if not {"ascending", "descending"} <= labels.keys():
            return None
        begins, parts = np.cumsum([0, *counts]), []
        for kind, index in (("descending", 0), ("ascending", self.field.dimension)):
            inside = labels[kind][labels[kind] != NONE]
            first = int(inside.min(initial=counts[index]))
            numbers = np.bincount(inside - first)
            found = np.flatnonzero(numbers)
            parts.append((begins[index] + first + found, numbers[found]))
        rows, numbers = map(np.concatenate, zip(*parts, strict=True))
        return rows, numbers

    # === with connectors, surfaces, or rematched saddles, all but labels is on the first process
    def fill_with_whole(
        self, filter: Any, kept: KeptComplex, outputs: list[Any]
    ) -> dict[int, list[Held]]:
        """Fill the outputs of a complex that the first process simplifies and draws."""
        before = kept.timings()
        kept.keep_together("whole", True, self.exchange)
        whole = kept.part("whole", True, lambda: self.whole(filter))
        level = None if whole is None else filter.level_of(*whole)
        leveled = level_from_first(self.piece, level)
        labels, held = self.labels(filter, leveled.segmentation)
        if filter.compute_top_cell_labels:
            held.append(self.of_cells(leveled.cell_labels()))
        counts = None if level is None else level.gradient.counts
        counts = self.exchange.gather(counts)[FIRST_PIECE]
        sizes = self.sizes_on_first(self.sizes_of(labels, counts), counts)
        if filter.compute_simplified_field:
            held += self.simplified(filter, level)
        if whole is not None:
            filter.write_outputs(whole[0], level, whole[1], outputs, before, sizes)
        filter.take_report(self.exchange.gather(filter.report)[FIRST_PIECE])
        return {SEGMENTATION: held}

    def whole(self, filter: Any) -> tuple[Any, ImageField] | None:
        """The complex and the field of the whole image on the first process, None on others."""
        filter.step(0.4, "whole complex")
        complex, part = whole_on_first(self.piece), self.part
        mask = on_first(self.exchange, self.field.own_mask)
        if complex is None:
            return None
        values = values_of(complex).astype(self.field.values.dtype, copy=False)
        ranks = ranks_of(complex)
        n_bytes = WORD_BYTES * values.size // 2 + values.nbytes
        n_bytes += 0 if ranks is None else ranks.nbytes
        settings = ", ".join(filter.settings_without_whole(self.field.dimension))
        filter.warn(
            f"The gradient and the values of the image ({n_bytes / MEBIBYTE:,.1f} MiB) were "
            "gathered on process 0, which alone rematches saddles, and draws connectors, surfaces, "
            "and smoothed lines. All processes computed the gradient and the labels. To gather "
            f"nothing, set {settings}."
        )
        return complex, self.field.of_whole(values, mask, ranks, part.slab.whole)

    def sizes_on_first(
        self, of_extrema: tuple[np.ndarray, np.ndarray] | None, counts: Sequence[int]
    ) -> np.ndarray | None:
        """Number of labels of each critical point (k,) on the first process, 0 for saddles."""
        if of_extrema is None:
            return None
        rows, numbers = (on_first(self.exchange, column) for column in of_extrema)
        sizes = np.zeros(sum(counts), np.int64)
        np.add.at(sizes, rows, numbers)
        return sizes if self.exchange.rank == FIRST_PIECE else None

    def simplified(self, filter: Any, level: Any) -> list[Held]:
        """The process's part of the simplified field, which the first one computes."""
        columns: list[Any] = [None, None]
        if level is not None:
            simple = level.simplified_field(progress=filter.steps(0.6, 0.65))
            columns = [sx.to_host(simple.values), sx.to_host(simple.order)]
        own = self.part.slab.own
        parts = [self._from_first(column) for column in columns]
        return [
            Held(array, False, own, own)
            for array in write.simplified_arrays_of(self.field, "SimplifiedField", *parts)
        ]

    def _from_first(self, values: np.ndarray | None) -> np.ndarray:
        """The process's own entries (n,) of an array of all points, which the first one has."""
        ends = self.exchange.gather((self.part.slab.begin, self.part.slab.end))
        dtype = self.exchange.gather(None if values is None else values.dtype.str)[FIRST_PIECE]
        sent = [np.empty(0, dtype)] * self.exchange.size
        if values is not None:
            layers = values.reshape(self.part.slab.n_layers, -1)
            sent = [layers[begin:end].reshape(-1) for begin, end in ends]
        return self.exchange.send(sent)[FIRST_PIECE]
