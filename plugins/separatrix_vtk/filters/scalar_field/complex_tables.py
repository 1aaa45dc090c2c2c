"""The tables of one process's part of a complex, or of a level of it: critical points and arcs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes, vtkPolyData, vtkTable

from separatrix.pieces.exchange import Exchange, from_first, on_first
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
from separatrix_vtk.base.redistribution import GHOSTS
from separatrix_vtk.filters.scalar_field import outputs as write
from separatrix_vtk.filters.scalar_field.grid_filter import report_of_pairs
from separatrix_vtk.filters.scalar_field.image_part import PartField, Rows, pairs_on_first
from separatrix_vtk.filters.scalar_field.line_budget import lines_omitted
from separatrix_vtk.filters.scalar_field.separatrix_outputs import (
    arcs_between,
    write_graph,
    write_lines,
)

CELL_COLUMNS = ("cell_id", "index", "value", "vertex", "position", "on_boundary")


LINE_POINTS = ("points", "cell_id", "cell_dimension")


class PartTables:
    """Writes the critical points and arcs of a piece or a level of it.

    All methods must be called by all processes. ``shown`` (k,) bool: the critical points that are
    written, with their arcs.
    """

    def __init__(self, exchange: Exchange, field: PartField, found: Any, shows_all: bool) -> None:
        self.exchange, self.field, self.found = exchange, field, found
        self.critical = write.on_host(found.critical)
        self.rows = Rows(exchange, found)
        n = len(self.critical)
        self.is_persistent = np.asarray(getattr(found, "is_persistent", np.ones(n, bool)))
        self.shown = self.is_persistent | shows_all
        self.saddles_without_lines = 0

    def write(
        self,
        filter: Any,
        piece: Any,
        points: vtkPolyData,
        graph: vtkPolyData,
        of_extrema: tuple[np.ndarray, np.ndarray] | None,
    ) -> None:
        """Fill Critical Points and Graph, and report the run.

        piece: the unsimplified one; of_extrema: rows, and numbers of their labels in the process
        """
        written, shown, n = vtkPolyData(), self.shown, len(self.critical)
        write.write_critical_points(written, write.cells_of(self.critical, shown), self.field)
        sizes = np.full(n, NONE)
        if of_extrema is not None:
            sizes = np.zeros(n, np.int64)
            places, counts = self.rows.deliver(of_extrema[0], of_extrema[1:])
            np.add.at(sizes, places, counts)
        add(
            written.GetPointData(),
            to_vtk(self.is_persistent[shown].astype(np.int8), "IsPersistent"),
            ids_to_vtk(sizes[shown], "ManifoldSize"),
        )
        more = self.report_of_level(piece)
        numbers = write.level_numbers(more)
        if filter.compute_persistence_pairs:
            write.add_partners(written, *(column[shown] for column in self.partners()))
            both = (piece,) if self.found is piece else (piece, self.found)
            pairs = [
                pairs_on_first(self.exchange, write.on_host(one.persistence_pairs)) for one in both
            ]
            more |= self.exchange.gather(report_of_pairs(*pairs))[0]
            numbers["ZeroPersistencePoints"] = more["zero_persistence_points"]
        if filter.compute_graph:
            self.write_graph(graph, written)
        if filter.compute_critical_points:
            points.ShallowCopy(written)
            add_numbers(points, numbers)
        filter.keep_report(piece, self.field, counts=self.found.counts, **more)

    def report_of_level(self, piece: Any) -> dict[str, Any]:
        """The entries of the report about the threshold."""
        is_level = self.found is not piece
        return {
            "persistence": float(self.found.persistence) if is_level else 0.0,
            "canceled_pairs": (sum(piece.counts) - sum(self.found.counts)) // 2,
            "skipped_pairs": self.found.skipped_counts if is_level else {},
            "omitted_saddles": sum(self.exchange.gather(int((~self.shown).sum()))),
            "saddles_without_lines": self.saddles_without_lines,
        }

    def partners(self) -> tuple[np.ndarray, np.ndarray]:
        """Persistence and CellId of the partner of each of the process's critical cells."""
        pairs = write.on_host(self.found.persistence_pairs)
        persistence = np.full(len(self.critical), self.field.value_range)
        cell_id = np.full(len(self.critical), NONE, np.int64)
        ends = ((pairs.birth_row, pairs.death_cell), (pairs.death_row, pairs.birth_cell))
        finite = pairs.death_row != NONE
        for row, other in ends:
            columns = (pairs.persistence[finite], other[finite])
            places, *found = self.rows.deliver(row[finite], columns)
            persistence[places], cell_id[places] = found
        return persistence, cell_id

    # === lines
    def write_lines(self, filter: Any, output: vtkPolyData) -> None:
        """The lines from the saddles of the process to extrema; `filter` selects the kinds."""
        top = self.field.dimension
        wanted = [
            (filter.compute_descending_separatrices_1, "descending", 0, 1),
            (filter.compute_ascending_separatrices_1, "ascending", top - 1, top - 1),
        ]
        found = [
            (code, index, write.on_host(self.found.separatrices(1, kind)))
            for on, kind, code, index in wanted[:top]
            if on
        ]
        drawn = self.shown_within(filter, [(index, lines) for _, index, lines in found])
        self.saddles_without_lines = sum(self.exchange.gather(int((self.shown & ~drawn).sum())))
        if self.saddles_without_lines and not self.exchange.rank:
            filter.warn(lines_omitted(self.saddles_without_lines, filter.most_line_points))
        families, first_ids, first = [], [], 0
        for code, index, lines in found:
            saddles = drawn[self.critical.rows(index)]
            every = self.exchange.gather(2 * int(saddles.sum()))
            first_ids.append(first + sum(every[: self.exchange.rank]))
            first += sum(every)
            lines = lines_of_saddles(lines, saddles)
            families.append((code, lines, np.ones(lines.source.shape, np.uint64)))
        if not families:
            return
        others = [np.concatenate([lines.source, lines.destination]) for _, lines, _ in families]
        rows = np.unique(np.concatenate(others))
        rows = rows[(rows != NONE) & (self.rows.places(rows) == NONE)]
        columns = [getattr(self.critical, name) for name in CELL_COLUMNS]
        both = {
            name: np.concatenate([own, theirs])
            for name, own, theirs in zip(
                CELL_COLUMNS, columns, self.rows.fetch(rows, columns), strict=True
            )
        }
        n = len(self.critical)

        def place(of: np.ndarray) -> np.ndarray:
            own = self.rows.places(of)
            other = n + np.searchsorted(rows, of)
            return np.where(of == NONE, NONE, np.where(own == NONE, other, own))

        families = [
            (code, replace(one, source=place(one.source), destination=place(one.destination)), m)
            for code, one, m in families
        ]
        critical = replace(self.critical, **both)
        write_lines(output, families, critical, self.field, first_ids)

    def shown_within(self, filter: Any, found: list[tuple[int, Any]]) -> np.ndarray:
        """Which critical points (k,) are shown with their lines, of which `found` are all.

        Beyond the limit of points, those of the least persistent saddles of all processes are not.
        """
        n_points, limit = np.zeros(len(self.critical), np.int64), filter.most_line_points
        for index, lines in found:
            n_points[self.critical.rows(index)] += np.diff(lines.offsets).reshape(-1, 2).sum(1)
        n_points[~self.shown] = 0
        if limit is None or sum(self.exchange.gather(int(n_points.sum()))) <= limit:
            return self.shown
        saddles = np.flatnonzero(n_points)
        columns = (np.asarray(self.found.rows)[saddles], self.partners()[0][saddles])
        row, persistence, counts = (
            on_first(self.exchange, column) for column in (*columns, n_points[saddles])
        )
        order = np.lexsort((row, -persistence))
        is_within = np.zeros(row.size, bool)
        is_within[order] = np.cumsum(counts[order]) <= limit
        ends = np.cumsum(self.exchange.gather(saddles.size))[:-1]
        drawn = self.shown.copy()
        drawn[saddles] = from_first(self.exchange, is_within, ends)
        return drawn

    def write_regions(self, output: vtkTable, name: str, kind: str) -> None:
        """The regions of extrema of the process; name: array of the segmentation."""

        def cell_ids(rows: np.ndarray) -> np.ndarray:
            return self.rows.fetch(rows, [self.critical.cell_id])[0]

        regions = write.on_host(self.found.regions(kind))
        write.write_regions(output, name, regions, cell_ids, self.field)

    def write_graph(self, output: vtkPolyData, points: vtkPolyData) -> None:
        """The arcs of the process between points that are shown. points: Critical Points."""
        arcs, shown = write.on_host(self.found.arcs), self.shown
        ends = np.concatenate([arcs.upper, arcs.lower])
        places = self.rows.places(ends)
        others, copies = np.unique(ends[places == NONE], return_inverse=True)
        is_other = places == NONE
        places[is_other] = len(shown) + copies.reshape(-1)
        del ends  # there are many arcs
        columns = {name: getattr(self.critical, name) for name in CELL_COLUMNS}
        *fetched, others_shown = self.rows.fetch(others, [*columns.values(), shown])
        is_drawn = np.concatenate([shown, others_shown])
        both = {
            name: np.concatenate([own, theirs])[is_drawn]
            for (name, own), theirs in zip(columns.items(), fetched, strict=True)
        }
        with_copies, attributes = vtkPolyData(), points.GetPointData()
        arrays = arrays_in(attributes)
        of_rows = [np.empty((len(shown), *a.shape[1:]), a.dtype) for a in map(from_vtk, arrays)]
        for made, array in zip(of_rows, arrays, strict=True):
            made[shown] = from_vtk(array)
        fetched = self.rows.fetch(others, of_rows)
        for array, own, theirs in zip(arrays, of_rows, fetched, strict=True):
            values = np.concatenate([own, theirs])[is_drawn]
            made = to_vtk(values, array.GetName(), array.GetDataType())
            add(with_copies.GetPointData(), made)
        is_copy = (np.arange(is_drawn.size) >= len(shown))[is_drawn]
        ghosts = is_copy.astype(np.uint8) * np.uint8(vtkDataSetAttributes.DUPLICATEPOINT)
        add(with_copies.GetPointData(), to_vtk(ghosts, GHOSTS))
        with_copies.SetPoints(vtk_points(both["position"]))
        upper, lower = places.reshape(2, -1)
        arcs = arcs_between(replace(arcs, upper=upper, lower=lower), is_drawn)
        write_graph(output, with_copies, arcs, replace(self.critical, **both), self.field)


def lines_of_saddles(lines: Any, saddles: np.ndarray) -> Any:
    """The lines of the saddles (s,) bool, of which all have two, numbered from 0."""
    kept = np.repeat(saddles, 2)
    lengths = np.diff(lines.offsets)
    of_points = np.repeat(kept, lengths)
    columns = {name: getattr(lines, name)[of_points] for name in LINE_POINTS}
    columns |= {name: getattr(lines, name)[kept] for name in ("source", "destination")}
    offsets = np.concatenate([[0], np.cumsum(lengths[kept])])
    return replace(lines, offsets=offsets, separatrix=np.arange(offsets.size - 1), **columns)
