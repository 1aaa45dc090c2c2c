"""The filters on molecules as functions: atoms in, datasets out, an exception on errors.

As in `separatrix_vtk.functions`: PyVista datasets give PyVista datasets, options are the filter's
settings by their Python names, and `progress=`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Progress
from separatrix_vtk.base.input_array import POINTS
from separatrix_vtk.functions import set_options, with_settings_of, wrapper_for
from separatrix_vtk.molecules.alpha_complex import AlphaComplex


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
    atoms: Any, alpha: float = 0.0, *, radius: str | float | None = None, **options: Any
) -> AlphaComplexOutputs:
    """Weighted alpha complex of balls, with its boundary, voids, pockets and measures.

    Parameters
    ----------
    atoms : point set, molecule or table of VTK, or a PyVista dataset
    alpha : by how much squared radii grow, a squared length
    radius : name of an array of radii, or one radius for all; default: the array `radius`, else
        Bondi's radii by the array of atomic numbers
    **options : settings of AlphaComplex (probe_radius, compute_pockets, ...), and `progress`

    Returns
    -------
    AlphaComplexOutputs : complex, boundary, voids, pockets, atoms, diagram

    >>> found = alpha_complex(atoms, probe_radius=1.4)
    >>> found.atoms.GetPointData().GetArray("Area")
    """
    if not hasattr(atoms, "IsA"):
        raise FilterError(
            "atoms of VTK were expected (vtkPolyData, vtkMolecule, vtkTable, ...), "
            f"{type(atoms).__name__} came (arrays without VTK: separatrix.alpha_complex)"
        )
    filter = AlphaComplex()
    if isinstance(radius, str):
        filter.radius_source = "array"
        filter.SetInputArrayToProcess(0, 0, 0, POINTS, radius)
    elif radius is not None:
        filter.radius_source, filter.constant_radius = "constant", radius
    progress: Progress | None = options.pop("progress", None)
    set_options("alpha_complex", filter, {"alpha": alpha, **options})
    wrap = wrapper_for(atoms)
    return AlphaComplexOutputs(*(wrap(output) for output in filter.run(atoms, progress)))
