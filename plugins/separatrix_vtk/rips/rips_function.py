"""`RipsBarcodes` as a function: points or a table in, six datasets out, an exception on errors."""

from __future__ import annotations

from typing import Any, NamedTuple

from vtkmodules.vtkCommonDataModel import vtkDataObject

from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Progress
from separatrix_vtk.base.input_array import POINTS
from separatrix_vtk.functions import set_options, with_settings_of, wrapper_for
from separatrix_vtk.rips.rips_barcodes import RipsBarcodes


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
    points: Any, weights: str | None = None, *, positions: Any = None, **options: Any
) -> RipsBarcodesOutputs:
    """Vietoris-Rips barcodes of points, of columns of a table, or of a distance matrix.

    Parameters
    ----------
    points : point set, molecule or table of VTK, or a PyVista dataset
    weights : name of an array of births, one a point, on the scale of diameters; default: none
    positions : where the points are drawn, if not at their first three coordinates; optional
    **options : settings of RipsBarcodes (max_dimension, threshold, columns, ...), and `progress`

    Returns
    -------
    RipsBarcodesOutputs : barcode and representatives (polydata), diagram (unstructured grid),
        bars, betti_curves and statistics (tables)

    >>> outputs = rips_barcodes(points, max_dimension=2)
    >>> outputs.representatives  # loops and voids through the points
    """
    for dataset, what in ((points, "points"), (positions, "positions")):
        if not isinstance(dataset, vtkDataObject) and (what == "points" or dataset is not None):
            raise FilterError(
                f"{what} of VTK were expected (vtkPolyData, vtkTable, vtkMolecule, ...), "
                f"{type(dataset).__name__} came (arrays without VTK: separatrix.rips_barcodes)"
            )
    progress: Progress | None = options.pop("progress", None)
    filter = RipsBarcodes()
    set_options("rips_barcodes", filter, options)
    if weights is not None:
        filter.SetInputArrayToProcess(0, 0, 0, POINTS, weights)
    if positions is not None:
        filter.SetInputDataObject(1, positions)
    wrap = wrapper_for(points)
    return RipsBarcodesOutputs(*map(wrap, filter.run(points, progress)))
