"""The filters on points as functions: points in, an image or points out, an exception on errors.

As in `separatrix_vtk.functions`: PyVista datasets give PyVista datasets, options are the filter's
settings by their Python names, `progress=` and `progress_bar=`. Points may be an array as well.
"""

from __future__ import annotations

from typing import Any

from separatrix_vtk.base.call import call, with_settings_of
from separatrix_vtk.base.input_array import POINTS
from separatrix_vtk.filters.points.given import is_array, points_given, with_numbers
from separatrix_vtk.filters.points.neighbor_statistics import NeighborStatistics
from separatrix_vtk.filters.points.point_density import PointDensity

WEIGHT = "weight"


@with_settings_of(PointDensity)
def point_density(points: Any, weights: Any = None, **options: Any) -> Any:
    """Density of points on an image.

    Parameters
    ----------
    points : point set, molecule or table of VTK, blocks of these, a PyVista dataset, or an array
        (n, 3)
    weights : name of an array of the points, or an array (n,); default: 1 each
    **options : the settings below (sigma, spacing, dimensions, kernel, ...)

    Returns
    -------
    vtkImageData : with the point array Density, and DensityGradient if `compute_gradient` is on

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> points = pyvista.PointSet(np.random.default_rng(0).normal(size=(100, 3)))
    >>> image = point_density(points, sigma=0.5, spacing=0.25)
    >>> round(image["Density"].sum() * 0.25**3)  # all of them
    100
    """
    dataset, filter = points_given(points), PointDensity()
    if weights is not None and is_array(weights):
        dataset, weights = with_numbers(dataset, weights, WEIGHT, "weights"), WEIGHT
    if weights is not None:
        filter.SetInputArrayToProcess(0, 0, 0, POINTS, weights)
    return call("point_density", filter, dataset, options)[0]


@with_settings_of(NeighborStatistics)
def neighbor_statistics(points: Any, critical_points: Any = None, **options: Any) -> Any:
    """The points with their distances to others, local density and nearest critical point.

    Parameters
    ----------
    points : point set, molecule or table of VTK, blocks of these, a PyVista dataset, or an array
        (n, 3)
    critical_points : other points of these kinds, such as the first output of
        `morse_smale_complex`; optional
    **options : the settings below (number_of_neighbors, radius, ...)

    Returns
    -------
    vtkPointSet : of the class of the points, with the arrays that NeighborStatistics documents

    Examples
    --------
    >>> import pyvista
    >>> row = pyvista.Line((0, 0, 0), (4, 0, 0), resolution=4)
    >>> neighbor_statistics(row, number_of_neighbors=1)["DistanceToNearest"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    dataset, filter = points_given(points), NeighborStatistics()
    if critical_points is not None:
        filter.SetInputDataObject(1, points_given(critical_points, "critical points"))
    return call("neighbor_statistics", filter, dataset, options)[0]
