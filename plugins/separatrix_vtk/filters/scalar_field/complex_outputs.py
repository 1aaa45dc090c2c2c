"""The outputs of MorseSmaleComplex from the complex at a threshold, except the segmentation."""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData

import separatrix as sx
from separatrix_vtk.base.arrays import NONE, add, ids_to_vtk, to_vtk
from separatrix_vtk.filters.scalar_field import outputs as write
from separatrix_vtk.filters.scalar_field import separatrix_outputs as separatrices
from separatrix_vtk.filters.scalar_field.complex_part import ARRAY_OF_KIND
from separatrix_vtk.filters.scalar_field.field import Field
from separatrix_vtk.filters.scalar_field.line_budget import LineBudget, lines_omitted

MOST_CONNECTORS = 100_000  # to draw: noise of 96 cubed has 280,000, of millions of lines


class ComplexOutputs:
    """Writes a complex to the ports of `filter`, whose options select them.

    ``shown`` (k,) bool: the critical cells that are written, with their lines and surfaces;
    ``saddles_without_lines``: the number of these whose lines exceed the limit.
    """

    def __init__(self, filter: Any, complex: Any, field: Field) -> None:
        self.filter, self.complex, self.field = filter, complex, field
        self.critical = write.on_host(complex.critical)
        self.is_persistent = sx.to_host(complex.is_persistent)
        self.shown = self.is_persistent | filter.keep_skipped_saddles
        self.saddles_without_lines = 0

    def fill(self, outputs: list[Any], sizes: np.ndarray | None) -> None:
        """Fill all outputs; sizes (k,): of manifolds, if they are known."""
        points, lines, surfaces, _, graph, regions = outputs
        self.write_points(points, graph, sizes)
        self.write_lines(lines)
        self.write_surfaces(surfaces)
        if (kind := self.filter.region_table) != "none":
            progress = self.filter.steps(0.96, 0.99)
            found = write.on_host(self.complex.regions(kind, progress=progress))
            name = ARRAY_OF_KIND[kind]
            write.write_regions(regions, name, found, self.critical.cell_id.__getitem__, self.field)

    def write_points(self, points: Any, graph: Any, sizes: np.ndarray | None) -> None:
        """Ports 0 and 4, which share their points."""
        filter, shown = self.filter, self.shown
        if not (filter.compute_critical_points or filter.compute_graph):
            return
        written = vtkPolyData()
        cells = write.cells_of(self.critical, shown)
        write.write_critical_points(written, cells, self.field)
        if not (filter.compute_ascending_segmentation and filter.compute_descending_segmentation):
            sizes = np.full(len(shown), NONE)
        elif sizes is None:
            sizes = sx.to_host(self.complex.manifold_sizes())
        add(
            written.GetPointData(),
            to_vtk(self.is_persistent[shown].astype(np.int8), "IsPersistent"),
            ids_to_vtk(sizes[shown], "ManifoldSize"),
        )
        if filter.compute_persistence_pairs:
            pairs = write.on_host(self.complex.pair(progress=filter.steps(0.65, 0.7)))
            partners = write.partners_of(pairs, self.critical)
            write.add_partners(written, self.persistence_in(pairs)[shown], partners[shown])
        if filter.compute_critical_points:
            points.ShallowCopy(written)
        if filter.compute_graph:
            arcs = separatrices.arcs_between(self.arcs(), shown)
            separatrices.write_graph(graph, written, arcs, cells, self.field)

    def persistence_in(self, pairs: Any) -> np.ndarray:
        """The persistence of each critical cell (k,)."""
        return write.persistence_of(pairs, self.critical, self.field.value_range)

    def arcs(self) -> Any:
        return write.on_host(self.complex.trace_arcs(progress=self.filter.steps(0.7, 0.8)))

    def write_lines(self, output: Any) -> None:
        """Port 1."""
        filter, dimension = self.filter, self.field.dimension
        ascending = 2 if dimension == 3 else 1  # the SeparatrixType
        wanted = [
            (filter.compute_descending_separatrices_1, "descending", 0),
            (filter.compute_ascending_separatrices_1, "ascending", ascending),
            (filter.compute_saddle_connectors, "saddle", 1),
        ]
        kinds = [kind for on, kind, _ in wanted[:dimension] if on]
        to_extrema = [kind for kind in kinds if kind != "saddle"]
        arcs = self.arcs() if "saddle" in kinds else None
        budget = LineBudget(
            self.complex,
            self.critical,
            self.shown,
            filter.most_line_points,
            lambda: self.persistence_in(
                write.on_host(self.complex.pair(progress=filter.steps(0.8, 0.8)))
            ),
        )
        for kind, share in zip(to_extrema, ((0.8, 0.81), (0.81, 0.82)), strict=False):
            budget.measure(kind, filter.steps(*share))
        found = {}
        if arcs is None or self.are_too_many_connectors(arcs):
            budget.apply()
        else:
            found["saddle"] = budget.connectors(arcs, filter.steps(0.82, 0.84))
        for kind, share in zip(to_extrema, ((0.84, 0.86), (0.86, 0.88)), strict=False):
            found[kind] = budget.lines(kind, filter.steps(*share))
        self.saddles_without_lines = int((self.shown & ~budget.drawn).sum())
        if self.saddles_without_lines:
            filter.warn(lines_omitted(self.saddles_without_lines, filter.most_line_points))
        written = []
        for _, kind, code in wanted:
            if kind in found:
                lines, paths = found[kind]
                if filter.smoothing_iterations:
                    lines = sx.smooth(lines, filter.smoothing_iterations)
                written.append((code, write.on_host(lines), paths))
        if written:
            separatrices.write_lines(output, written, self.critical, self.field)

    def are_too_many_connectors(self, arcs: Any) -> bool:
        """Whether there are too many to draw: on noise their networks are millions of lines."""
        n_connectors = int((self.shown[arcs.upper] & (self.critical.index[arcs.upper] == 2)).sum())
        limit = MOST_CONNECTORS
        if n_connectors <= limit:
            return False
        self.filter.warn(
            f"The {n_connectors:,} saddle connectors were not drawn, because the limit is {limit:,}"
            ". Raise {persistence}, or use the output Graph, which has no limit."
        )
        return True

    def write_surfaces(self, output: Any) -> None:
        """Port 2."""
        wanted = [
            (self.filter.compute_descending_separatrices_2, "descending", 2, (0.88, 0.92)),
            (self.filter.compute_ascending_separatrices_2, "ascending", 1, (0.92, 0.96)),
        ]
        families = []
        for on, kind, code, share in wanted:
            if on and self.field.dimension == 3:
                saddles = self.shown & (self.critical.index == code)
                sources = None if self.shown.all() else np.flatnonzero(saddles)
                progress = self.filter.steps(*share)
                found = self.complex.separatrices(2, kind, sources=sources, progress=progress)
                families.append((code, write.on_host(found)))
        if families:
            separatrices.write_surfaces(output, families, self.critical, self.field)
