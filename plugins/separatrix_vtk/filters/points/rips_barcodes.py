"""Vietoris-Rips barcodes: which components, loops and voids a point set has, and at which scale.

(id) is vtkIdType, (i8) signed char, (i32) int, (i64) a 64-bit integer, (d) double. Distances are
diameters: an edge appears at its length. Numbers of points are those of the input, from 0.

port 0  Barcode           a line a bar, along x from birth to death, downwards by dimension
    cell    BarId (id), Dimension (i8, active), Birth, Death, Persistence (d), IsFinite (i8): 0 for
            a bar that nothing ends; it is drawn up to the threshold or the last end
port 1  Persistence Diagram  a vertical line a bar from (birth, birth) to (birth, death), and last
        the diagonal; as of the filter PersistenceDiagram
    cell    PairIdentifier (id, BarId; -1 the diagonal), PairType (i8, dimension), Birth, Death,
            Persistence (d), IsFinite (i8)
    point   ttkVertexScalarField (id)  a point of the simplex that begins or ends the bar, -1 none
            CriticalType (i8)      dimension of that simplex, 3 at most
            Coordinates (d, 3)     the middle of its longest edge, where positions are known
port 2  Representatives   cycles of the longest bars through the input points: H0 a vertex, H1
        polylines, H2 triangles; empty where nobody knows the positions
    cell    BarId (id, active), Dimension (i8), Birth, Death, Persistence (d), IsFinite (i8),
            Coefficient (i32)      of the cell in the cycle, -p/2 to p/2
    point   ttkVertexScalarField (id)  number of the input point; BarId (id)
    field   Cycle<BarId>, Coefficients<BarId> (id)  the simplices of each cycle, only where nobody
            knows the positions and a program asks for them
port 3  Bars              a table, a row a bar: BarId, Dimension, Birth, Death (inf: nothing ends
        it), Persistence, IsFinite, and the longest edges of the simplices that begin and end it:
        BirthPoint0, BirthPoint1, DeathPoint0, DeathPoint1 (id, -1 none)
    field   BirthSimplices<d> (id, d + 1), DeathSimplices<d> (id, d + 2)  points of the simplices
            that begin and end the bars of dimension d, in the order of the table, -1 none
port 4  Betti Curves      a table: Distance (d), Betti Number k (id), bars alive there; for a chart
port 5  Statistics        a table, a row a dimension: Bars, EssentialBars, Simplices, Cleared,
        Columns, ApparentPairs, Survivors, Reduced, EmergentPairs, Additions, Cofacets (i64), 0 for
        dimension 1 where loops were found without columns
    field   NumberOfPoints, Edges, CollapsedEdges, ForecastBytes (i64): of memory, for edges and
            ranks, without the columns that are reduced; ForecastSimplices (d): of the highest
            dimension, at most; EnclosingRadius, Threshold (d)
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from vtkmodules.vtkCommonExecutionModel import vtkAlgorithm

import separatrix as sx
from separatrix.options import RipsBarcodesOptions
from separatrix_vtk.base.computing import ComputingFilter, device_of
from separatrix_vtk.base.datasets import new_dataset
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Progress
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
from separatrix_vtk.filters.points.cycles import write_cycles
from separatrix_vtk.filters.points.rips_input import RipsInput, rips_input_of

MOST_SHORTENED = 10_000  # points: the engine's limit for short loops, told before it starts
OUTPUTS = (
    ("Barcode", "vtkPolyData"),
    ("Persistence Diagram", "vtkUnstructuredGrid"),
    ("Representatives", "vtkPolyData"),
    ("Bars", "vtkTable"),
    ("Betti Curves", "vtkTable"),
    ("Statistics", "vtkTable"),
)


class RipsBarcodes(RipsBarcodesOptions, ComputingFilter):
    """Persistent homology of the Vietoris-Rips filtration of points or of a distance matrix.

    Input 0: a point set, molecule or table. Input 1, optional: positions of the points to draw
    representatives through, for a distance matrix or points of more than three coordinates.

    >>> barcodes = RipsBarcodes(max_dimension=2)
    >>> barcodes.SetInputConnection(source.GetOutputPort())
    >>> barcodes.Update()
    >>> loops = barcodes.GetOutput(2)
    """

    INPUT_TYPE = ("vtkDataObject", "vtkDataObject")
    OUTPUTS = OUTPUTS
    IS_OF_POINTS = JOINS_BLOCKS = True

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        places = inputs[1] if len(inputs) > 1 else None
        given = rips_input_of(
            inputs[0], self.columns, self.distance_matrix, places, self.weights or ""
        )
        self._compute(given, outputs)

    def run_on(self, given: RipsInput, progress: Progress | None = None) -> list[Any]:
        """The outputs for points or distances in memory, which are not in a dataset, as `run`."""
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
        shortening = self._possible_shortening(given)
        bars = sx.rips_barcodes(
            **given.engine_arguments(),
            **self._arguments(given, shortening),
            **self.engine_options(0.0, 0.95),
        )
        chosen = np.flatnonzero(bars.persistence >= self.min_persistence)
        if self.number_of_representatives:
            longest = set(bars.longest(self.number_of_representatives).tolist())
            bars = replace(
                bars, representatives=[c for c in bars.representatives if c.bar in longest]
            )
        write_outputs(outputs, bars, chosen, given, shortening, self.steps(0.95, 1.0))
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

    def _arguments(self, given: RipsInput, shortening: float) -> dict[str, Any]:
        if given.weights is not None and self.dtm_neighbors:
            raise FilterError("{weights} and {dtm_neighbors} cannot be combined. Omit one of them.")
        return {
            "metric": self.metric,
            "max_dimension": self.max_dimension,
            "threshold": self.threshold,
            "field": self.field,
            "weights": "dtm" if self.dtm_neighbors else given.weights,
            "dtm_neighbors": self.dtm_neighbors or None,
            "weight_power": float(self.weight_power),
            "epsilon": self.epsilon,
            "collapse": self.collapse,
            "method": self.method,
            **self._wanted_cycles(given, shortening),
            "work_limit": self.work_limit,
        }

    def _possible_shortening(self, given: RipsInput) -> float:
        """The shortening, 0 with a warning where classes of loops could not be told apart."""
        is_drawn = self.number_of_representatives and given.positions is not None
        if not self.shortening or not is_drawn or self.max_dimension < 1:
            return 0.0
        reasons = {
            "the coefficient field is 2": self.field == 2,
            "the metric is Euclidean": given.points is None or self.metric == "euclidean",
            "points have no weights": given.weights is None and not self.dtm_neighbors,
            "epsilon is 0": not self.epsilon,
            "edge collapse is off": self.collapse is not True,
            f"there are at most {MOST_SHORTENED:,} points": given.n_points <= MOST_SHORTENED,
        }
        for reason, holds in reasons.items():
            if not holds:
                self.warn(f"Loops are not shortened, because this requires that {reason}.")
                return 0.0
        return self.shortening

    def _wanted_cycles(self, given: RipsInput, shortening: float) -> dict[str, Any]:
        number = self.number_of_representatives
        if not number or (given.positions is None and not given.needs_cycles):
            return {}
        if not shortening:
            return {"representatives": number}

        def needed(bars: Any) -> np.ndarray:
            return np.asarray(bars.for_short_loops(bars.longest(number), shortening))

        return {"representatives": needed, "cocycles": True}

    # === for the pipeline

    def FillInputPortInformation(self, port: int, info: Any) -> int:
        if port == 1:
            info.Set(vtkAlgorithm.INPUT_IS_OPTIONAL(), 1)
        return super().FillInputPortInformation(port, info)


def write_outputs(
    outputs: list[Any],
    bars: Any,
    chosen: np.ndarray,
    given: RipsInput,
    shortening: float = 0.0,
    progress: Progress = lambda part, stage: None,
) -> None:
    """Fill the six output datasets; chosen: rows of the bars that are shown. Loops are shortened
    of Euclidean distances without weights.
    """
    write_barcode(outputs[0], bars, chosen)
    write_diagram(outputs[1], bars, chosen, given.positions)
    if given.positions is not None:
        distances = distances_in(given) if shortening else None
        about = (outputs[2], bars, chosen, given.positions)
        write_cycles(*about, distances, shortening, progress)
    elif bars.representatives:
        list_cycles(outputs[2], bars)
    write_bars(outputs[3], bars, chosen)
    list_simplices(outputs[3], bars, chosen)
    write_betti_curves(outputs[4], bars, chosen)
    write_statistics(outputs[5], bars)


def distances_in(given: RipsInput) -> np.ndarray:
    """Euclidean distances (n, n) of the points, or those given."""
    if given.points is None:
        assert given.distances is not None
        return given.distances
    n = len(given.points)
    squares = np.zeros((n, n))
    for x in given.points.T:
        squares += (x[:, None] - x[None, :]) ** 2
    return np.sqrt(squares, out=squares)
