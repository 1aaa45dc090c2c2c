"""One process's part of the outputs of MorseSmaleComplex: its critical points, arcs, and labels.

Critical points belong to the process that has their layer, and arcs to that of their saddle (of two
saddles, the 2-saddle). The graph has copies of the critical points of other processes to which its
arcs lead, which vtkGhostType marks as duplicates.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes, vtkPolyData

import separatrix as sx
from separatrix.pieces.exchange import Exchange
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
from separatrix_vtk.base.redistribution import GHOSTS, Held, arrays_of
from separatrix_vtk.base.slabs import Part
from separatrix_vtk.filters.scalar_field import outputs as write
from separatrix_vtk.filters.scalar_field.grid_filter import report_of_pairs
from separatrix_vtk.filters.scalar_field.image_part import PartField, Rows, pairs_on_first
from separatrix_vtk.filters.scalar_field.separatrix_outputs import write_graph

SCALARS = int(vtkDataSetAttributes.SCALARS)
CELL_COLUMNS = ("cell_id", "index", "value", "vertex", "position", "on_boundary")


class ComplexPart:
    """The piece of a process, and what the outputs of its filter share."""

    def __init__(self, filter: Any, field: PartField, piece: Any, exchange: Exchange) -> None:
        self.filter, self.field, self.piece, self.exchange = filter, field, piece, exchange
        self.critical = write.on_host(piece.critical)
        self.rows = Rows(exchange, piece)

    def compute(self) -> None:
        """Compute pairs and arcs, which take the most memory, before there are labels."""
        if self.filter.compute_persistence_pairs:
            self.filter.step(0.4, "pairs")
            _ = self.piece.persistence_pairs
        if self.filter.compute_graph:
            self.filter.step(0.6, "arcs")
            _ = self.piece.arcs

    def labels(self, kinds: list[str]) -> dict[str, np.ndarray]:
        """Labels (n,) int32 of the process's own points, by kind."""
        found = {}
        for number, kind in enumerate(kinds):
            self.filter.step(0.7 + 0.1 * number, f"{kind} segmentation")
            found[kind] = sx.to_host(self.piece.segmentation(kind)).reshape(-1)
        return found

    def write(self, points: vtkPolyData, graph: vtkPolyData, labels: dict[str, np.ndarray]) -> None:
        """Fill Critical Points and Graph, and report the run."""
        filter, written, n = self.filter, vtkPolyData(), len(self.critical)
        write.write_critical_points(written, self.critical, self.field)
        has_sizes = {"ascending", "descending"} <= labels.keys()
        add(
            written.GetPointData(),
            to_vtk(np.ones(n, np.int8), "IsPersistent"),
            ids_to_vtk(
                self.manifold_sizes(labels) if has_sizes else np.full(n, NONE), "ManifoldSize"
            ),
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

    def held(self, part: Part, labels: dict[str, np.ndarray]) -> list[Held]:
        """The arrays of the segmentation: those of the input, and labels by name."""
        own = part.slab.own
        held = [
            one
            for one in arrays_of(part.image, own, part.slab.own_cells)
            if one.of_cells or one.array.GetName() not in labels
        ]
        made = [Held(to_vtk(values, name), False, own, own) for name, values in labels.items()]
        return held + made[:-1] + [one._replace(active=SCALARS) for one in made[-1:]]

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

    def manifold_sizes(self, labels: dict[str, np.ndarray]) -> np.ndarray:
        """Number of labels of each extremum (k,), 0 for saddles."""
        sizes = np.zeros(len(self.critical), np.int64)
        begins = np.cumsum([0, *self.piece.counts])
        for kind, index in (("descending", 0), ("ascending", self.field.dimension)):
            inside = labels[kind][labels[kind] != NONE]
            first = int(inside.min(initial=self.piece.counts[index]))
            counts = np.bincount(inside - first)
            found = np.flatnonzero(counts)
            rows = begins[index] + first + found
            places, counts = self.rows.deliver(rows, (counts[found],))
            np.add.at(sizes, places, counts)
        return sizes

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
