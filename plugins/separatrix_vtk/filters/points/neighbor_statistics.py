"""Distances, density, and neighbors of each point of a set, and its nearest critical point.

(id) is vtkIdType, (i64) a 64-bit integer, (d) double; lengths are in the unit of the points.

port 0  Points            the input with arrays added; of a table or a molecule: vertices
    point   DistanceToNearest (d)     to the nearest other point
            DistanceToKthNearest (d)  to the k-th nearest other point
            DistanceToMeasure (d)     root of the mean square distance of k points, by default
                                      including the point itself; the active scalars
            LocalDensity (d)          k divided by the volume (flat: area) of the ball around the
                                      point that reaches its k-th nearest
            NeighborsWithinRadius (i64)  other points within the closed radius, if one is set
            KernelDensity (d), KernelDensityGradient (d, 3)  sum of the kernels of all points, and
                                      its gradient, if enabled
            NearestDistances (d, k), NearestIds (id, k)  of all k, nearest first, if enabled
        with critical points (any points) on the second input:
            DistanceToCriticalPoint (d)
            NearestCriticalPoint (id) its index in that input
            NearestCriticalCellId (id), NearestCriticalType (i8)  its CellId and CriticalType, if
                                      that input has them
    field   NumberOfNeighbors (i64)   k

Ties are broken by the lower index. Coincident points are neighbors at distance 0.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPointSet, vtkPolyData

import separatrix as sx
from separatrix.options import NeighborStatisticsOptions, options_of
from separatrix_vtk.base.arrays import (
    add,
    add_numbers,
    cells_of,
    fill_polydata,
    ids_to_vtk,
    to_vtk,
)
from separatrix_vtk.base.computing import ComputingFilter, counted, device_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.filters.points.point_density import NO_SIGMA, kernel_of
from separatrix_vtk.filters.points.point_set import (
    PointSet,
    attributes_of,
    finite_bounds,
    point_set_of,
)

KINDS = options_of(NeighborStatisticsOptions)["critical_kind"].choices  # "all", then CriticalType


class NeighborStatistics(NeighborStatisticsOptions, ComputingFilter):
    """Distances, density, and neighbors of each point, and the nearest critical point.

    Input 0: a point set, molecule or table. Input 1, optional: critical points, as port 0 of
    MorseSmaleComplex has them, or any other points.

    >>> statistics = NeighborStatistics(number_of_neighbors=9, radius=4.0)
    >>> statistics.SetInputConnection(0, atoms.GetOutputPort())
    >>> statistics.SetInputConnection(1, complex.GetOutputPort(0))
    >>> statistics.Update()
    """

    INPUT_TYPE = ("vtkDataObject", "vtkDataObject")
    OUTPUTS = (("Points", "vtkPointSet"),)
    IS_OF_POINTS = True

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        begun = time.perf_counter()
        points = point_set_of(inputs[0])
        finite_bounds(points.positions)
        output, attributes = outputs[0], self._copy(inputs[0], points, outputs[0])
        distances = self._add_nearest(points, attributes)
        if self.radius is not None:
            options = self.engine_options(0.6, 0.75)
            counts = sx.count_neighbors(
                points.positions,
                radius=self.radius,
                include_self=False,
                boxsize=self.boxsize,
                **options,
            )
            add(attributes, to_vtk(sx.to_host(counts), "NeighborsWithinRadius"))
        if self.kernel_density:
            self._add_density(points, float(np.median(distances[:, 0])), attributes)
        if len(inputs) > 1 and inputs[1] is not None:
            self._add_critical(points, inputs[1], attributes)
        attributes.SetActiveScalars("DistanceToMeasure")
        add_numbers(output, {"NumberOfNeighbors": distances.shape[1]})
        self._report = {
            "device": device_of(self.engine_options()),
            "n_points": points.n_points,
            "median_distance_to_nearest": float(np.median(distances[:, 0])),
            "largest_distance_to_nearest": float(distances[:, 0].max()),
            "seconds": {"neighbors": time.perf_counter() - begun},
        }

    def result_lines(self, report: Mapping[str, Any]) -> list[str]:
        nearest = report["median_distance_to_nearest"]
        points = counted(report["n_points"], "points")
        return [points, f"Nearest at {nearest:.6g} (median)"]

    # === parts

    def _copy(self, dataset: Any, points: PointSet, output: Any) -> Any:
        """Copy the input, with vertices if it has no cells; returns the point data."""
        if isinstance(dataset, vtkPointSet):
            output.ShallowCopy(dataset)
            if isinstance(output, vtkPolyData) and not output.GetNumberOfCells():
                n = points.n_points
                output.SetVerts(cells_of(np.arange(n + 1), np.arange(n)))
                output.GetCellData().Initialize()  # which had no rows
            return output.GetPointData()
        fill_polydata(output, points.positions, vertices=True)
        output.GetPointData().ShallowCopy(attributes_of(dataset))
        return output.GetPointData()

    def _add_nearest(self, points: PointSet, attributes: Any) -> np.ndarray:
        k = self.number_of_neighbors
        if k > points.n_points - 1:
            expected = f"at most {points.n_points - 1:,}, the number of other points"
            raise FilterError("number_of_neighbors", expected, k)
        found = sx.nearest(
            points.positions,
            k=k,
            include_self=False,
            boxsize=self.boxsize,
            **self.engine_options(0.0, 0.6),
        )
        distances, ids = (sx.to_host(array) for array in found)
        columns = {
            "DistanceToNearest": distances[:, 0],
            "DistanceToKthNearest": distances[:, -1],
            "DistanceToMeasure": distance_to_measure(distances, self.include_self),
            "LocalDensity": local_density(distances, 2 if self.flat else 3),
        }
        add(attributes, *(to_vtk(values, name) for name, values in columns.items()))
        if self.all_neighbors:
            add(attributes, to_vtk(distances, "NearestDistances"), ids_to_vtk(ids, "NearestIds"))
        return distances

    def _add_density(self, points: PointSet, median: float, attributes: Any) -> None:
        n_axes, sigma = 2 if self.flat else 3, self.sigma or median
        if not (sigma > 0.0 or self.lengths):
            raise FilterError(NO_SIGMA)
        kernel = kernel_of(self, points, sigma, n_axes)
        at = points.positions[:, :n_axes]
        values, slopes = sx.density_at(at, at, **kernel, **self.engine_options(0.75, 0.8))
        add(attributes, to_vtk(sx.to_host(values), "KernelDensity"))
        if slopes is not None:
            slopes = np.pad(sx.to_host(slopes), ((0, 0), (0, 3 - n_axes)))
            add(attributes, to_vtk(slopes, "KernelDensityGradient"))

    def _add_critical(self, points: PointSet, dataset: Any, attributes: Any) -> None:
        try:
            critical = point_set_of(dataset)
            finite_bounds(critical.positions)
        except FilterError as error:
            raise FilterError(f"Second input, critical points: {error}") from None
        rows = np.arange(critical.n_points)
        if self.critical_kind != "all":
            kinds = critical.numbers("CriticalType")
            rows = np.flatnonzero(kinds == KINDS.index(self.critical_kind) - 1)
            if not len(rows):
                expected = "a kind of the critical points of the second input"
                raise FilterError("critical_kind", expected, self.critical_kind)
        places = critical.positions[rows].astype(points.positions.dtype, copy=False)
        found = sx.nearest(
            points.positions, places, k=1, boxsize=self.boxsize, **self.engine_options(0.8, 1.0)
        )
        distances, nearest = (sx.to_host(array)[:, 0] for array in found)
        row = rows[nearest]
        add(
            attributes,
            to_vtk(distances, "DistanceToCriticalPoint"),
            ids_to_vtk(row, "NearestCriticalPoint"),
        )
        has = [part.HasArray for part in critical.attributes]
        if all(known("CellId") for known in has):
            cells = critical.numbers("CellId")
            add(attributes, ids_to_vtk(cells[row], "NearestCriticalCellId"))
        if all(known("CriticalType") for known in has):
            kinds = critical.numbers("CriticalType").astype(np.int8)
            add(attributes, to_vtk(kinds[row], "NearestCriticalType"))

    # === for the pipeline

    def made_type(self, port: int, source: Any) -> str:
        """The class of the input, or polygonal data if that is not a point set."""
        return source.GetClassName() if isinstance(source, vtkPointSet) else "vtkPolyData"


def distance_to_measure(distances: np.ndarray, include_self: bool) -> np.ndarray:
    """Distance to the uniform measure on the points, of mass k / n: (n,) from distances (n, k).

    The root of the mean square distance of k points (Chazal, Cohen-Steiner, Merigot 2011, section
    3): those k, or the point itself and the k - 1 nearest others.
    """
    k = distances.shape[1]
    others = distances[:, : k - 1] if include_self else distances
    return np.asarray(np.sqrt((others**2).sum(axis=1) / k))


def local_density(distances: np.ndarray, n_axes: int) -> np.ndarray:
    """Points per volume (per area in the plane), (n,): k divided by the ball that reaches them.

    Loftsgaarden and Quesenberry 1965, without the division by n. Infinite if k others coincide
    with a point.
    """
    farthest = distances[:, -1]
    ball = 4 / 3 * math.pi * farthest**3 if n_axes == 3 else math.pi * farthest**2
    with np.errstate(divide="ignore"):
        return np.asarray(distances.shape[1] / ball)
