"""One process's part of the outputs of MorseSmaleComplex: its critical points, arcs, and labels.

Critical points belong to the process that has their layer, and arcs to that of their saddle (of two
saddles, the 2-saddle). The graph has copies of the critical points of other processes to which its
arcs lead, which vtkGhostType marks as duplicates. With a threshold, lines, or surfaces, the first
process receives the gradient and has these outputs alone; labels stay divided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes, vtkPolyData

import separatrix as sx
from separatrix.pieces.exchange import FIRST, Exchange, on_first
from separatrix.pieces.whole import (
    WORD_BYTES,
    level_from_first,
    ranks_of,
    values_of,
    whole_on_first,
)
from separatrix_vtk.base.arrays import (
    NONE,
    add,
    add_numbers,
    arrays_in,
    from_vtk,
    ids_to_vtk,
    to_vtk,
    vtk_points,
)
from separatrix_vtk.base.computing import KeptComplex
from separatrix_vtk.base.extents import cells_in, shape_of
from separatrix_vtk.base.redistribution import GHOSTS, Held, arrays_of
from separatrix_vtk.base.slabs import Part
from separatrix_vtk.filters.scalar_field import outputs as write
from separatrix_vtk.filters.scalar_field.grid_filter import report_of_pairs
from separatrix_vtk.filters.scalar_field.image import ImageField
from separatrix_vtk.filters.scalar_field.image_part import Rows, pairs_on_first
from separatrix_vtk.filters.scalar_field.separatrix_outputs import write_graph

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
        self.critical = write.on_host(self.piece.critical)
        self.rows = Rows(exchange, self.piece)

    @property
    def timings(self) -> dict[str, float]:
        return dict(self.piece.timings)

    def fill(self, filter: Any, outputs: list[Any]) -> dict[int, list[Held]]:
        """Fill the outputs of a complex without a threshold, lines, and surfaces."""
        points, _, _, _, graph, _ = outputs
        if filter.compute_persistence_pairs:  # they and arcs take more memory than labels
            filter.step(0.4, "pairs")
            _ = self.piece.persistence_pairs
        if filter.compute_graph:
            filter.step(0.6, "arcs")
            _ = self.piece.arcs
        labels, held = self.labels(filter, self.piece.segmentation)
        self.write(filter, points, graph, labels)
        if filter.compute_top_cell_labels:
            held.append(self.of_cells(self.piece.cell_labels()))
        return {SEGMENTATION: held}

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

    def write(
        self, filter: Any, points: vtkPolyData, graph: vtkPolyData, labels: dict[str, np.ndarray]
    ) -> None:
        """Fill Critical Points and Graph, and report the run."""
        written, n = vtkPolyData(), len(self.critical)
        write.write_critical_points(written, self.critical, self.field)
        has_sizes = {"ascending", "descending"} <= labels.keys()
        sizes = np.full(n, NONE)
        if has_sizes:
            sizes = np.zeros(n, np.int64)
            places, counts = self.rows.deliver(*self.sizes_of(labels, self.piece.counts))
            np.add.at(sizes, places, counts)
        add(
            written.GetPointData(),
            to_vtk(np.ones(n, np.int8), "IsPersistent"),
            ids_to_vtk(sizes, "ManifoldSize"),
        )
        more: dict[str, Any] = {"persistence": 0.0, "canceled_pairs": 0, "skipped_pairs": {}}
        more |= {"omitted_saddles": 0, "saddles_without_lines": 0}
        numbers = write.level_numbers(more)
        if filter.compute_persistence_pairs:
            write.add_partners(written, *self.partners())
            pairs = pairs_on_first(self.exchange, write.on_host(self.piece.persistence_pairs))
            more |= self.exchange.gather(report_of_pairs(pairs))[0]
            numbers["ZeroPersistencePoints"] = more["zero_persistence_points"]
        if filter.compute_graph:
            self.write_graph(graph, written)
        if filter.compute_critical_points:
            points.ShallowCopy(written)
            add_numbers(points, numbers)
        filter.keep_report(self.piece, self.field, counts=self.piece.counts, **more)

    def sizes_of(
        self, labels: dict[str, np.ndarray], counts: Sequence[int]
    ) -> tuple[np.ndarray, list[np.ndarray]]:
        """Rows of the extrema that label points of the process, and the numbers of these points.

        counts: critical cells of all processes, by index
        """
        begins, parts = np.cumsum([0, *counts]), []
        for kind, index in (("descending", 0), ("ascending", self.field.dimension)):
            inside = labels[kind][labels[kind] != NONE]
            first = int(inside.min(initial=counts[index]))
            numbers = np.bincount(inside - first)
            found = np.flatnonzero(numbers)
            parts.append((begins[index] + first + found, numbers[found]))
        rows, numbers = map(np.concatenate, zip(*parts, strict=True))
        return rows, [numbers]

    # === with a threshold, lines, or surfaces: outputs other than labels are on the first process
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
        sizes = None
        if {"ascending", "descending"} <= labels.keys():
            counts = None if level is None else level.gradient.counts
            sizes = self.sizes_on_first(labels, self.exchange.gather(counts)[FIRST])
        if filter.compute_simplified_field:
            held += self.simplified(filter, level)
        if whole is not None:
            filter.write_outputs(whole[0], level, whole[1], outputs, before, sizes)
        filter.take_report(self.exchange.gather(filter.report)[FIRST])
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
        settings = ", ".join(filter.settings_without_whole())
        filter.warn(
            f"The gradient and the values of the image ({n_bytes / MEBIBYTE:,.1f} MiB) were "
            "gathered on process 0, which alone cancels pairs, and traces lines and surfaces. All "
            f"processes computed the gradient and the labels. To gather nothing, set {settings}."
        )
        return complex, self.field.of_whole(values, mask, ranks, part.slab.whole)

    def sizes_on_first(
        self, labels: dict[str, np.ndarray], counts: Sequence[int]
    ) -> np.ndarray | None:
        """Number of labels of each extremum (k,) on the first process, 0 for saddles."""
        rows, (numbers,) = self.sizes_of(labels, counts)
        rows, numbers = (on_first(self.exchange, column) for column in (rows, numbers))
        sizes = np.zeros(sum(counts), np.int64)
        np.add.at(sizes, rows, numbers)
        return sizes if self.exchange.rank == FIRST else None

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
        dtype = self.exchange.gather(None if values is None else values.dtype.str)[FIRST]
        sent = [np.empty(0, dtype)] * self.exchange.size
        if values is not None:
            layers = values.reshape(self.part.slab.n_layers, -1)
            sent = [layers[begin:end].reshape(-1) for begin, end in ends]
        return self.exchange.send(sent)[FIRST]

    # === tables that processes share
    def partners(self) -> tuple[np.ndarray, np.ndarray]:
        """Persistence and CellId of the partner of each of the process's critical cells."""
        pairs = write.on_host(self.piece.persistence_pairs)
        persistence = np.full(len(self.critical), self.field.value_range)
        cell_id = np.full(len(self.critical), NONE, np.int64)
        ends = ((pairs.birth_row, pairs.death_cell), (pairs.death_row, pairs.birth_cell))
        finite = pairs.death_row != NONE
        for row, other in ends:
            columns = (pairs.persistence[finite], other[finite])
            places, *found = self.rows.deliver(row[finite], columns)
            persistence[places], cell_id[places] = found
        return persistence, cell_id

    def write_graph(self, output: vtkPolyData, points: vtkPolyData) -> None:
        """The arcs of the process. points: the output Critical Points."""
        arcs = write.on_host(self.piece.arcs)
        n, ends = len(self.critical), np.concatenate([arcs.upper, arcs.lower])
        places = self.rows.places(ends)
        others, copies = np.unique(ends[places == NONE], return_inverse=True)
        places[places == NONE] = n + copies.reshape(-1)
        del ends  # there are many arcs
        columns = {name: getattr(self.critical, name) for name in CELL_COLUMNS}
        fetched = self.rows.fetch(others, [*columns.values()])
        both = {
            name: np.concatenate([own, theirs])
            for (name, own), theirs in zip(columns.items(), fetched, strict=True)
        }
        with_copies, attributes = vtkPolyData(), points.GetPointData()
        arrays = arrays_in(attributes)
        fetched = self.rows.fetch(others, [from_vtk(array) for array in arrays])
        for array, theirs in zip(arrays, fetched, strict=True):
            values = np.concatenate([from_vtk(array), theirs])
            made = to_vtk(values, array.GetName(), array.GetDataType())
            add(with_copies.GetPointData(), made)
        is_copy = np.arange(n + len(others)) >= n
        ghosts = is_copy.astype(np.uint8) * np.uint8(vtkDataSetAttributes.DUPLICATEPOINT)
        add(with_copies.GetPointData(), to_vtk(ghosts, GHOSTS))
        with_copies.SetPoints(vtk_points(both["position"]))
        upper, lower = places.reshape(2, -1)
        arcs = replace(arcs, upper=upper, lower=lower)
        write_graph(output, with_copies, arcs, replace(self.critical, **both), self.field)
