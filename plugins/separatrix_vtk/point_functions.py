"""The filters on points as functions: points in, an image or points out, an exception on errors.

As in `separatrix_vtk.functions`: PyVista datasets give PyVista datasets, options are the filter's
settings by their Python names, and `progress=`.
"""

from __future__ import annotations

from typing import Any

from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Filter, Progress
from separatrix_vtk.base.input_array import POINTS
from separatrix_vtk.functions import set_options, with_settings_of, wrapper_for
from separatrix_vtk.points.neighbor_statistics import NeighborStatistics
from separatrix_vtk.points.point_density import PointDensity


@with_settings_of(PointDensity)
def point_density(points: Any, weights: str | None = None, **options: Any) -> Any:
    """Density of points on an image.

    Parameters
    ----------
    points : point set, molecule or table of VTK, or a PyVista dataset
    weights : name of an array of the points; default: 1 each
    **options : settings of PointDensity (sigma, spacing, dimensions, kernel, ...), and `progress`

    Returns
    -------
    vtkImageData : with the point array Density, and DensityGradient if `compute_gradient` is on

    >>> image = point_density(atoms, "atom_type", sigma=1.0, spacing=0.5)
    >>> complex = morse_smale_complex(image, persistence_threshold=0.5)
    """
    filter = PointDensity()
    if weights is not None:
        filter.SetInputArrayToProcess(0, 0, 0, POINTS, weights)
    return _output("point_density", filter, points, options)


@with_settings_of(NeighborStatistics)
def neighbor_statistics(points: Any, critical_points: Any = None, **options: Any) -> Any:
    """The points with their distances to others, local density and nearest critical point.

    Parameters
    ----------
    points : point set, molecule or table of VTK, or a PyVista dataset
    critical_points : other points, such as the first output of `morse_smale_complex`; optional
    **options : settings of NeighborStatistics (number_of_neighbors, radius, ...), and `progress`

    Returns
    -------
    vtkPointSet : of the class of the points, with the arrays that NeighborStatistics documents

    >>> neighbor_statistics(atoms, complex.critical_points, critical_kind="maxima")
    """
    filter = NeighborStatistics()
    if critical_points is not None:
        _check_kind(critical_points, "critical points")
        filter.SetInputDataObject(1, critical_points)
    return _output("neighbor_statistics", filter, points, options)


def _check_kind(points: Any, what: str) -> None:
    if not hasattr(points, "IsA"):
        raise FilterError(
            f"{what} of VTK were expected (vtkPolyData, vtkTable, vtkMolecule, ...), "
            f"{type(points).__name__} came (arrays without VTK: separatrix.density, "
            "separatrix.nearest)"
        )


def _output(function: str, filter: Filter, points: Any, options: dict[str, Any]) -> Any:
    _check_kind(points, "points")
    progress: Progress | None = options.pop("progress", None)
    set_options(function, filter, options)
    return wrapper_for(points)(filter.run(points, progress)[0])
