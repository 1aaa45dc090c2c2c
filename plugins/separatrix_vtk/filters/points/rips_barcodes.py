"""Vietoris-Rips barcodes: components, loops, and voids of a point set, by scale.

(id) is vtkIdType, (i8) signed char, (i32) int, (i64) a 64-bit integer, (d) double. Distances are
diameters: an edge appears at its length. Ids of points are those of the input.

port 0  Barcode           one line per bar, along x from birth to death, along -y by dimension
    cell    BarId (id), Dimension (i8, active), Birth, Death, Persistence (d), IsFinite (i8): 0 for
            essential bars, which are drawn up to the threshold or the last end
port 1  Persistence Diagram  one vertical line per bar from (birth, birth) to (birth, death),
        followed by the diagonal, as in the filter PersistenceDiagram
    cell    PairIdentifier (id, BarId; -1 the diagonal), PairType (i8, dimension), Birth, Death,
            Persistence (d), IsFinite (i8)
    point   ttkVertexScalarField (id)  a point of the birth or death simplex, -1 for none
            CriticalType (i8)      dimension of that simplex, at most 3
            Coordinates (d, 3)     midpoint of its longest edge, if positions are known
port 2  Representatives   cycles of the longest bars through the input points: a vertex for H0,
        polylines for H1, triangles for H2; empty if positions are unknown. For a distance matrix
        in ParaView, classical scaling approximates them
    cell    BarId (id), Dimension (i8), Birth, Death, Persistence (d), IsFinite (i8),
            Coefficient (i32)      of the cell in the cycle, -p/2 to p/2
            BarRank (i32, active)  of the bar among those of its dimension, 0 for the longest
    point   ttkVertexScalarField (id)  id of the input point; BarId (id), BarRank (i32)
    field   Cycle<BarId>, Coefficients<BarId> (id)  the simplices of each cycle, only if positions
            are unknown and a program requests them
port 3  Bars              a table with one row per bar: BarId, Dimension, Birth, Death (inf if
        essential), Persistence, IsFinite, and the longest edges of the birth and death simplices:
        BirthPoint0, BirthPoint1, DeathPoint0, DeathPoint1 (id, -1 for none)
    field   BirthSimplices<d> (id, d + 1), DeathSimplices<d> (id, d + 2)  points of the birth and
            death simplices of dimension d, in the order of the table, -1 for none
port 4  Betti Curves      a table for charts: Distance (d), Betti<k> (id)
port 5  Statistics        a table with one row per dimension: Bars, EssentialBars, Simplices,
        Cleared, Columns, ApparentPairs, Survivors, Reduced, EmergentPairs, ShortcutPairs (apparent
        and emergent ones, found before a reduction), Additions, Cofacets (i64), 0 for dimension 1
        if loops were found without columns; SimplicesBeyond, the number removed by their diameter
        or by the edge collapse, ApparentFraction, the fraction of all simplices that begin an
        apparent pair, its bounds ApparentBound and ApparentLowerBound, and ApparentExpected for
        distances in random order (d), NaN if not counted or not known
    field   NumberOfPoints, Edges, CollapsedEdges, ForecastBytes (i64): memory for edges and ranks,
            without reduced columns; ForecastSimplices (d): upper bound for the highest dimension;
            EnclosingRadius, Threshold (d)
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

import separatrix as sx
from separatrix.options import RipsBarcodesOptions
from separatrix_vtk.base.computing import ComputingFilter, counted, device_of
from separatrix_vtk.base.datasets import new_dataset
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Progress
from separatrix_vtk.base.properties import is_in_paraview
from separatrix_vtk.filters.points.barcode_outputs import (
    list_cycles,
    list_simplices,
    numbers_of,
    write_barcode,
    write_bars,
    write_betti_curves,
    write_diagram,
    write_statistics,
)
from separatrix_vtk.filters.points.cycles import Tighten, write_cycles
from separatrix_vtk.filters.points.rips_input import RipsInput, layout_of, rips_input_of


class RipsBarcodes(RipsBarcodesOptions, ComputingFilter):
    """Persistent homology of the Vietoris-Rips filtration of points or of a distance matrix.

    Input 0 is a point set, molecule, or table. The optional input 1 contains the positions for
    representatives, for a distance matrix or points with more than three coordinates.

    >>> barcodes = RipsBarcodes(max_dimension=2)
    >>> barcodes.SetInputConnection(source.GetOutputPort())
    >>> barcodes.Update()
    >>> loops = barcodes.GetOutput(2)
    """

    INPUT_TYPE = ("vtkDataObject", "vtkDataObject")
    OUTPUTS = (
        ("Barcode", "vtkPolyData"),
        ("Persistence Diagram", "vtkUnstructuredGrid"),
        ("Representatives", "vtkPolyData"),
        ("Bars", "vtkTable"),
        ("Betti Curves", "vtkTable"),
        ("Statistics", "vtkTable"),
    )
    IS_OF_POINTS = JOINS_BLOCKS = True

    def set_up(self) -> None:
        self._has_points = False  # whether a table is known to contain coordinates

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        places = inputs[1] if len(inputs) > 1 else None
        given = rips_input_of(
            *(inputs[0], self.columns, self.distance_matrix, places, self.weights or ""),
            has_points=self._has_points,
        )
        distances = given.distances if places is None and is_in_paraview(self) else None
        if distances is not None and self.number_of_representatives:  # its view would be empty
            given = replace(given, positions=layout_of(distances))
        self._compute(given, outputs)
        if distances is not None and given.positions is not None:
            self._report = {**self._report, "positions": "approximate"}

    def run_on(self, given: RipsInput, progress: Progress | None = None) -> list[Any]:
        """The outputs for points or distances that are not in a dataset, as with `run`."""
        outputs = [new_dataset(kind) for _, kind in self.OUTPUTS]
        self._listener = progress
        try:
            self._compute(given, outputs)
        finally:
            self._listener = None
            sx.release_memory()
        return outputs

    def _compute(self, given: RipsInput, outputs: list[Any]) -> None:
        begun = time.perf_counter()
        bars = sx.rips_barcodes(
            **given.engine_arguments(),
            **self._arguments(given),
            **self.engine_options(0.0, 0.95),
        )
        chosen = np.flatnonzero(bars.persistence >= self.min_persistence)
        if self.number_of_representatives:
            longest = set(bars.longest(self.number_of_representatives).tolist())
            bars = replace(
                bars, representatives=[c for c in bars.representatives if c.bar in longest]
            )
        write_barcode(outputs[0], bars, chosen)
        write_diagram(outputs[1], bars, chosen, given.positions)
        if given.positions is not None:
            about = (outputs[2], bars, chosen, given.positions)
            write_cycles(*about, self._tighten(given, bars), self.steps(0.95, 1.0))
        elif bars.representatives:
            list_cycles(outputs[2], bars)
        write_bars(outputs[3], bars, chosen)
        list_simplices(outputs[3], bars, chosen)
        write_betti_curves(outputs[4], bars, chosen)
        write_statistics(outputs[5], bars)
        n_dimensions = self.max_dimension + 1
        self._report = {
            "device": device_of(self.engine_options()),
            **numbers_of(bars),
            "bars": [int((bars.dimension == d).sum()) for d in range(n_dimensions)],
            "essential_bars": [
                int(((bars.dimension == d) & bars.is_essential).sum()) for d in range(n_dimensions)
            ],
            "forecast": bars.statistics["forecast"],
            "dimensions": bars.statistics["dimensions"],
            "seconds": {**bars.timings, "in all": time.perf_counter() - begun},
        }

    def result_lines(self, report: Mapping[str, Any]) -> list[str]:
        counts = zip(report["bars"], report["essential_bars"], strict=True)
        sizes = counted(report["NumberOfPoints"], "points"), counted(report["Edges"], "edges")
        names = dict(enumerate(("components", "loops", "voids")))  # as in the legend
        bars = (f"{counted(n, names.get(d, f'{d}-bars'))}, {m:,} essential"
                for d, (n, m) in enumerate(counts))  # fmt: skip
        positions = [f"Positions are {report['positions']}"] if "positions" in report else []
        return [", ".join(sizes), *bars, *positions]

    def _arguments(self, given: RipsInput) -> dict[str, Any]:
        if given.weights is not None and self.dtm_neighbors:
            raise FilterError("{weights} and {dtm_neighbors} cannot be combined. Omit one of them.")
        weights = "dtm" if self.dtm_neighbors else given.weights
        return {
            "metric": "euclidean" if given.points is None else self.metric,
            "max_dimension": self.max_dimension,
            "threshold": self.threshold,
            "field": self.field,
            "weights": weights,
            "dtm_neighbors": self.dtm_neighbors or None,
            "weight_power": 1 if weights is None else float(self.weight_power),
            "epsilon": self.epsilon,
            "collapse": self.collapse,
            "method": self.method,
            **self._wanted_cycles(given),
            "work_limit": self.work_limit,
        }

    def _tighten(self, given: RipsInput, bars: Any) -> Tighten | None:
        """The function that pulls a loop taut, if edges appear at distances that are known."""
        is_euclidean = given.points is None or self.metric == "euclidean"
        has_weights = given.weights is not None or self.dtm_neighbors
        if not self.shortening or not is_euclidean or has_weights or self.epsilon:
            return None
        known = {"points": given.points, "part": self.shortening}
        if given.points is None:
            known = {"distances": given.distances, "part": self.shortening}
        return lambda bar, walk: bars.tight_loop(bar, walk, **known).tolist()

    def _wanted_cycles(self, given: RipsInput) -> dict[str, Any]:
        number = self.number_of_representatives
        is_known = given.positions is not None or given.needs_cycles
        return {"representatives": number} if number and is_known else {}
