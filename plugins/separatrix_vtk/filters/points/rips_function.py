"""`RipsBarcodes` as a function: points or a table in, six datasets out, an exception on errors."""

from __future__ import annotations

from typing import Any, NamedTuple

from separatrix_vtk.base.arrays import names_of
from separatrix_vtk.base.call import call, with_settings_of
from separatrix_vtk.base.input_array import POINTS
from separatrix_vtk.filters.points.given import is_array, points_given, with_numbers
from separatrix_vtk.filters.points.rips_barcodes import RipsBarcodes

WEIGHT = "weight"


class RipsBarcodesOutputs(NamedTuple):
    """The six outputs of RipsBarcodes; its documentation names their arrays."""

    barcode: Any
    diagram: Any
    representatives: Any
    bars: Any
    betti_curves: Any
    statistics: Any


@with_settings_of(RipsBarcodes)
def rips_barcodes(
    points: Any, weights: Any = None, *, positions: Any = None, **options: Any
) -> RipsBarcodesOutputs:
    """Vietoris-Rips barcodes of points, of columns of a table, or of a distance matrix.

    Parameters
    ----------
    points : point set, molecule or table of VTK, blocks of these, a PyVista dataset, or an array
        (n, k) of points in any number of dimensions
    weights : name of an array of births, one a point, on the scale of diameters, or an array (n,);
        default: none
    positions : where the points are drawn, if not at their first three coordinates; optional
    **options : the settings below (max_dimension, threshold, columns, ...)

    Returns
    -------
    RipsBarcodesOutputs : barcode and representatives (polydata), diagram (unstructured grid),
        bars, betti_curves and statistics (tables)

    Examples
    --------
    >>> import pyvista
    >>> ring = pyvista.Polygon(n_sides=30)
    >>> outputs = rips_barcodes(ring, max_dimension=1)
    >>> int((outputs.bars["Dimension"] == 1).sum())  # the one loop
    1
    >>> outputs.representatives.n_lines  # and a line through the points, around it
    1
    """
    dataset, filter = points_given(points, in_space=False), RipsBarcodes()
    if is_array(points) and dataset.IsA("vtkTable"):
        options = {"columns": names_of(dataset.GetRowData()), **options}
    if weights is not None and is_array(weights):
        dataset, weights = with_numbers(dataset, weights, WEIGHT, "weights"), WEIGHT
    if weights is not None:
        filter.SetInputArrayToProcess(0, 0, 0, POINTS, weights)
    if positions is not None:
        filter.SetInputDataObject(1, points_given(positions, "positions"))
    return RipsBarcodesOutputs(*call("rips_barcodes", filter, dataset, options))
