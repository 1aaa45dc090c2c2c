"""The density of weighted points on an image, ready for a Morse-Smale complex.

    density(v) = sum over |v - x_i| < cutoff of w_i K(|v - x_i|)

K is one of the kernels of the engine, all of which are 0 at the cutoff, so there are no critical
points where kernels end (see docs/block_sparse.md).

port 0  Density           an image; (f) is float, or double with double precision
    point   Density (f)            weight per volume (flat image: per area); the active scalars
            DensityGradient (f, 3) its gradient, if enabled
    field   Mass (d)               sum of the densities times the volume of a voxel, which is the
                                   weight within the image
            SumOfWeights (d), NumberOfPoints (i64)
            Sigma, Cutoff (d)      in the unit of the points, also if automatic; with a width per
                                   point, the median of the widths, and the largest cutoff
            ExpectedPairs (d)      estimated number of pairs of a voxel and a point within the
                                   cutoff: points times the volume of the kernel in voxels

The extent of the image depends on the points, so the input is updated in RequestInformation.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, replace
from typing import Any

import numpy as np
from vtkmodules.util.vtkConstants import VTK_DOUBLE, VTK_FLOAT
from vtkmodules.vtkCommonDataModel import vtkDataObject

import separatrix as sx
from separatrix.errors import SeparatrixError, Words
from separatrix.options import KernelOptions, PointDensityOptions
from separatrix_vtk.base.arrays import add, add_numbers, to_vtk
from separatrix_vtk.base.computing import ComputingFilter, counted, device_of
from separatrix_vtk.base.datasets import data_object, leaves_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.gather_input import as_one
from separatrix_vtk.base.pieces import WHOLE_EXTENT
from separatrix_vtk.base.processes import Processes
from separatrix_vtk.filters.points.point_set import PointSet, finite_bounds, point_set_of

CUTOFF_IN_SIGMAS = {"laplacian": 8.0, "cubic_spline": 2.0}  # 4 for the other kernels
NO_SIGMA = (
    "{sigma} cannot be derived from the distances, because at least half of the points coincide "
    "with another one. Set it."
)
MOST_AUTOMATIC = 1 << 28  # points of an image with automatic spacing: a gigabyte


class PointDensity(PointDensityOptions, ComputingFilter):
    """Density of points on an image: a sum of smooth kernels with bounded support.

    The input is a point set, molecule, or table, or blocks of these, which are used together.
    Weights are chosen by SetInputArrayToProcess; by default they are 1.

    >>> density = PointDensity(sigma=1.2, spacing=0.5)
    >>> density.SetInputConnection(atoms.GetOutputPort())
    >>> complex = MorseSmaleComplex(persistence=0.01)
    >>> complex.SetInputConnection(density.GetOutputPort())
    >>> complex.Update()
    """

    INPUT_TYPE = "vtkDataObject"
    OUTPUTS = (("Density", "vtkImageData"),)
    IS_OF_POINTS = JOINS_BLOCKS = True

    def set_up(self) -> None:
        self._announced = _one_voxel()
        self._automatic: tuple[Any, float] = (None, 0.0)

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        begun = time.perf_counter()
        points, options = point_set_of(inputs[0]), self.engine_options(0.0, 0.95)
        n_axes = 2 if self.flat else 3
        place = self._sampling(points, inputs[0])
        sigma, cutoff = self._lengths(points, inputs[0])
        kernel = kernel_of(self, points, sigma, n_axes)
        weights = kernel["weights"]
        found = sx.density(
            points.positions[:, :n_axes],
            dimensions=place.dimensions[:n_axes],
            spacing=place.spacing[:n_axes],
            origin=place.origin[:n_axes],
            **kernel,
            dtype=np.float64 if self.double_precision else np.float32,
            **options,
        )
        values = sx.to_host(found.values)
        image = outputs[0]
        _set_geometry(image, place)
        add(image.GetPointData(), to_vtk(values.reshape(-1), "Density"), active="Density")
        if self.compute_gradient:
            slopes = sx.to_host(found.gradient).reshape(-1, n_axes)
            slopes = slopes if n_axes == 3 else np.pad(slopes, ((0, 0), (0, 1)))
            add(image.GetPointData(), to_vtk(slopes, "DensityGradient"))
        cell = math.prod(place.spacing[:n_axes])
        ball = math.pi * cutoff**2 * (1.0 if self.flat else 4 / 3 * cutoff)
        total = points.n_points if weights is None else weights.sum(dtype=np.float64)
        numbers = {
            "Mass": float(values.sum(dtype=np.float64)) * cell,
            "SumOfWeights": float(total),
            "NumberOfPoints": points.n_points,
            "Sigma": sigma,
            "Cutoff": cutoff,
            "ExpectedPairs": points.n_points * ball / cell,
        }
        add_numbers(image, numbers)
        self._report = {
            "device": device_of(options),
            "dimensions": place.dimensions,
            "spacing": place.spacing,
            "origin": place.origin,
            **numbers,
            "seconds": {"density": time.perf_counter() - begun},
        }

    def result_lines(self, report: Mapping[str, Any]) -> list[str]:
        voxels = " x ".join(map(str, report["dimensions"]))
        return [counted(report["NumberOfPoints"], "points"), f"{voxels} voxels"]

    # === what follows from the points

    def _lengths(self, points: PointSet, dataset: Any) -> tuple[float, float]:
        """Sigma and cutoff, as set or derived from the points."""
        ratio = CUTOFF_IN_SIGMAS.get(self.kernel, 4.0)
        if self.lengths is not None:
            each = points.numbers(self.lengths)
            return float(np.median(each)), ratio * float(each.max())
        sigma = self.sigma or self._median_nearest(points, dataset)
        return sigma, self.cutoff or ratio * sigma

    def _median_nearest(self, points: PointSet, dataset: Any) -> float:
        parts = tuple((id(part), part.GetMTime()) for part in leaves_of(dataset))
        known_by = (parts, points.n_points, self.flat)
        if self._automatic[0] == known_by:
            return self._automatic[1]
        if points.n_points < 2:
            raise FilterError("{sigma} cannot be derived from a single point. Set it.")
        options = {**self.engine_options(), "progress": None}
        used = points.positions[:, : 2 if self.flat else 3]
        distances, _ = sx.nearest(used, k=1, include_self=False, **options)
        median = float(np.median(sx.to_host(distances)))
        if not median > 0.0:
            raise FilterError(NO_SIGMA)
        self._automatic = (known_by, median)
        return median

    def _sampling(self, points: PointSet, dataset: Any) -> Any:
        low, high = finite_bounds(points.positions)
        if self.flat and low[2] != high[2]:
            raise FilterError(
                f"A flat image requires points in a plane z = constant; got z from {low[2]:g} to "
                f"{high[2]:g}. Set {{flat=False}}, or project the points."
            )
        sigma, cutoff = self._lengths(points, dataset)
        is_automatic = self.spacing is None and self.dimensions is None
        spacing, n_axes, depth = sigma / 2, 2 if self.flat else 3, float(low[2])
        padding = cutoff if self.padding is None else self.padding
        if self.use_bounds:
            low, high = _corners_of(self.bounds)
            padding = 0.0
        period = None if self.boxsize is None else np.array(self.boxsize[:n_axes])
        if period is not None:
            period[period == 0] = np.inf
        place = sx.DensityImage.box(
            np.stack([low, high])[:, :n_axes],
            None if self.dimensions is None else self.dimensions[:n_axes],
            self.spacing,
            tuple(low[:n_axes]) if self.use_bounds else None,
            padding,
            spacing,
            "sigma",
            None if self.use_bounds else period,
        )
        if self.flat:
            place = replace(place, origin=(*place.origin[:2], depth))
        if is_automatic and place.n_voxels > MOST_AUTOMATIC:
            raise FilterError(
                f"The automatic {{spacing}} of half a sigma, {spacing:g}, makes an image of "
                f"{' x '.join(map(str, place.dimensions))} points. Set {{spacing}} or "
                "{dimensions}, or remove points far away from all others."
            )
        return place

    # === for the pipeline

    def RequestInformation(self, request: Any, inputs: Any, outputs: Any) -> int:
        """Announce the grid. Errors of the input are reported by the run itself."""
        self._announced, processes = _one_voxel(), self.processes()
        with suppress(SeparatrixError, MemoryError):
            dataset = self._dataset_up_to_date(inputs, processes)
            self._announced = self._sampling(point_set_of(dataset), dataset)
        if processes is not None:  # the first one has the points
            found = processes.exchange("grid", astuple(self._announced))[0]
            self._announced = type(self._announced)(*map(tuple, found))
        info = outputs.GetInformationObject(0)
        extent = [end for n in self._announced.dimensions for end in (0, n - 1)]
        info.Set(WHOLE_EXTENT(), extent, 6)
        info.Set(vtkDataObject.SPACING(), self._announced.spacing, 3)
        info.Set(vtkDataObject.ORIGIN(), self._announced.origin, 3)
        kind = VTK_DOUBLE if self.double_precision else VTK_FLOAT
        vtkDataObject.SetPointDataActiveScalarInfo(info, kind, 1)
        return 1

    def RequestData(self, request: Any, inputs: Any, outputs: Any) -> int:
        done = super().RequestData(request, inputs, outputs)
        info = outputs.GetInformationObject(0)
        for made in self._image_extents:
            # The points and their bounds may depend on time.
            info.Set(WHOLE_EXTENT(), made, 6)
        return done

    def empty(self, inputs: list[Any], outputs: list[Any]) -> int:
        """Clear the output to the announced grid; otherwise VTK considers it as out of date."""
        super().empty(inputs, outputs)
        _set_geometry(outputs[0], self._announced)
        return 0 if self.STRICT else 1

    def _dataset_up_to_date(self, inputs: Any, processes: Processes | None) -> Any:
        if not self.GetNumberOfInputConnections(0):
            return None
        self.RequestUpdateExtent(None, inputs, None)  # all pieces
        connection = self.GetInputConnection(0, 0)
        connection.GetProducer().Update(connection.GetIndex())
        source = data_object(inputs[0].GetInformationObject(0))
        return as_one(next(iter(self.whole_inputs([source], processes))))


def kernel_of(options: KernelOptions, points: PointSet, sigma: float, n_axes: int) -> Any:
    """Arguments of the engine for kernels around points, of a width `sigma` or of each point."""
    length: Any = sigma if options.lengths is None else points.numbers(options.lengths)
    cutoff: Any = options.cutoff
    if options.kernel in ("wendland", "epanechnikov"):
        if options.lengths is not None and cutoff is not None:
            raise FilterError("cutoff", "automatic for {lengths}", cutoff)
        length, cutoff = None, 4.0 * length if cutoff is None else cutoff
    weights = None
    if options.weights is not None:
        weights = points.numbers(options.weights).astype(points.positions.dtype, copy=False)
    return {
        "weights": weights,
        "kernel": options.kernel,
        "sigma": length,
        "cutoff": cutoff,
        "normalize": options.normalize,
        "gradient": options.compute_gradient,
        "boxsize": None if options.boxsize is None else options.boxsize[:n_axes],
    }


def _corners_of(bounds: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest coordinates (3,) within bounds (xmin, xmax, ymin, ...)."""
    ends = np.array(bounds, float).reshape(3, 2)
    for axis, (begin, end) in zip("xyz", ends.tolist(), strict=True):
        if not -math.inf < begin <= end < math.inf:
            got = Words(f"{begin:g}, {end:g} for {axis}")
            raise FilterError("bounds", "xmin, xmax, ymin, ..., each pair ascending", got)
    return ends[:, 0], ends[:, 1]


def _one_voxel() -> Any:
    """The grid that is announced after errors."""
    return sx.DensityImage.box(np.zeros((1, 3)), None, 1.0, None, 0.0, 1.0)


def _set_geometry(image: Any, place: Any) -> None:
    image.SetDimensions(place.dimensions)
    image.SetSpacing(place.spacing)
    image.SetOrigin(place.origin)
