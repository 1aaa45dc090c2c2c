"""The filters on molecules as functions: atoms in, datasets out, an exception on errors.

As in `separatrix_vtk.functions`: PyVista datasets give PyVista datasets, options are the filter's
settings by their Python names, `progress=` and `progress_bar=`. Points may be an array as well.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from separatrix_vtk.base.call import call, with_settings_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.input_array import POINTS
from separatrix_vtk.filters.molecules.alpha_complex import AlphaComplex
from separatrix_vtk.filters.points.given import is_array, points_given, with_numbers

RADIUS = "radius"


class AlphaComplexOutputs(NamedTuple):
    """The outputs of AlphaComplex; its documentation names their arrays."""

    complex: Any
    boundary: Any
    voids: Any
    pockets: Any
    atoms: Any
    diagram: Any


@with_settings_of(AlphaComplex)
def alpha_complex(
    atoms: Any, alpha: float = 0.0, *, radius: Any = None, **options: Any
) -> AlphaComplexOutputs:
    """Weighted alpha complex of balls, with its boundary, voids, pockets and measures.

    Parameters
    ----------
    atoms : point set, molecule or table of VTK, blocks of these, a PyVista dataset, or an array
        (n, 3) of the centers
    alpha : by how much squared radii grow, a squared length
    radius : name of an array of radii, radii as an array (n,), or one radius for all; default: the
        array `radius`, else Bondi's radii by the array of atomic numbers
    **options : the settings below (probe_radius, compute_pockets, ...)

    Returns
    -------
    AlphaComplexOutputs : complex, boundary, voids, pockets, atoms, diagram

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> corners = pyvista.PointSet([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    >>> found = alpha_complex(corners, radius=0.8)
    >>> found.complex.n_cells  # three points, three edges, and the triangle
    7
    >>> area = found.atoms["Area"]  # of each ball, on the surface of the union
    """
    dataset = points_given(atoms, "atoms")
    filter = AlphaComplex()
    if radius is not None and is_array(radius):
        dataset, radius = with_numbers(dataset, radius, RADIUS, "radius"), RADIUS
    if isinstance(radius, str):
        filter.radius_source = "array"
        filter.SetInputArrayToProcess(0, 0, 0, POINTS, radius)
    elif radius is not None:
        filter.radius_source, filter.constant_radius = "constant", radius
    if "constant_radius" in options:
        if radius is not None:
            raise FilterError("radius and constant_radius ask for two things: leave one out")
        options = {"radius_source": "constant", **options}
    options = {"alpha": alpha, **options}
    return AlphaComplexOutputs(*call("alpha_complex", filter, dataset, options))
