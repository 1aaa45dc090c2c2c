"""The filters as functions: image or mesh in, its outputs out, an exception if something is wrong.

A PyVista dataset gives PyVista datasets, any other image plain VTK ones; of several blocks each
output is as many blocks. Options are the filter's settings by their Python names
(`device="cuda"`, `compute_top_cell_labels=True`), and `progress=`, called with a fraction and the
name of a stage; raising `separatrix.Cancelled` in it stops the work. `progress_bar=True` shows it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from separatrix_vtk.base.call import call, vtk_dataset, with_settings_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Filter
from separatrix_vtk.base.input_array import CELLS, POINTS, POINTS_THEN_CELLS
from separatrix_vtk.filters.scalar_field.critical_points import CriticalPoints
from separatrix_vtk.filters.scalar_field.discrete_gradient import DiscreteGradient
from separatrix_vtk.filters.scalar_field.morse_smale_complex import MorseSmaleComplex
from separatrix_vtk.filters.scalar_field.persistence_diagram import PersistenceDiagram

ASSOCIATIONS = {None: POINTS_THEN_CELLS, "point": POINTS, "cell": CELLS}
PLACES = {"POINT": POINTS, "CELL": CELLS}  # as PyVista calls them


class MorseSmaleOutputs(NamedTuple):
    """The outputs of MorseSmaleComplex; its documentation names their arrays."""

    critical_points: Any
    separatrices_1: Any
    separatrices_2: Any
    segmentation: Any
    graph: Any
    regions: Any


class PersistenceDiagramOutputs(NamedTuple):
    """The two outputs of PersistenceDiagram; its documentation names their arrays."""

    diagram: Any
    curves: Any


class DiscreteGradientOutputs(NamedTuple):
    """The three outputs of DiscreteGradient; its documentation names their arrays."""

    critical_points: Any
    gradient: Any
    arrows: Any


@with_settings_of(MorseSmaleComplex)
def morse_smale_complex(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> MorseSmaleOutputs:
    """Morse-Smale complex of a field on an image or on a mesh.

    Parameters
    ----------
    image : vtkImageData, vtkUnstructuredGrid or vtkPolyData, blocks of these, or a PyVista dataset
    array : name of the scalar field; default: the active scalars
    association : "point" or "cell", to say where the array is; default: points, then cells
    **options : the settings below. `persistence` and `relative`, as the engine calls them, are
        `persistence_threshold` and `threshold_mode`

    Returns
    -------
    MorseSmaleOutputs : critical_points, separatrices_1, separatrices_2 (polydata), segmentation
        (of the input's class), graph (polydata) and regions (table)

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> image = pyvista.ImageData(dimensions=(20, 20, 20), spacing=(0.5, 0.5, 0.5))
    >>> image["waves"] = np.sin(image.points).prod(axis=1)
    >>> complex = morse_smale_complex(image, "waves", persistence_threshold=0.2)
    >>> complex.critical_points["CriticalType"].max().item()
    3
    >>> complex.segmentation.dimensions
    (20, 20, 20)
    """
    return MorseSmaleOutputs(
        *_outputs("morse_smale_complex", MorseSmaleComplex(), image, array, association, options)
    )


@with_settings_of(PersistenceDiagram)
def persistence_diagram(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> PersistenceDiagramOutputs:
    """Persistence diagram of a field. Parameters as of `morse_smale_complex`; `dimensions`, as the
    engine calls it, sets the three switches `compute_dimension_...`: `dimensions=[0, 2]`.

    Returns
    -------
    PersistenceDiagramOutputs : diagram (unstructured grid) and curves (table)

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> sphere = pyvista.Sphere()
    >>> sphere["height"] = sphere.points[:, 2]
    >>> diagram = persistence_diagram(sphere, "height").diagram
    >>> births_of_voids = diagram["Birth"][diagram["PairType"] == 2]
    >>> len(births_of_voids)  # a sphere has one, that nothing fills
    1
    """
    return PersistenceDiagramOutputs(
        *_outputs("persistence_diagram", PersistenceDiagram(), image, array, association, options)
    )


@with_settings_of(CriticalPoints)
def critical_points(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> Any:
    """Critical points of a field, as polydata. Parameters as of `morse_smale_complex`.

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> image = pyvista.ImageData(dimensions=(30, 30, 1), spacing=(0.4, 0.4, 1.0))
    >>> image["waves"] = np.sin(image.points[:, 0]) * np.sin(image.points[:, 1])
    >>> points = critical_points(image)
    >>> maxima = points.points[points["CriticalType"] == 3]
    >>> len(maxima)
    8
    """
    return _outputs("critical_points", CriticalPoints(), image, array, association, options)[0]


@with_settings_of(DiscreteGradient)
def discrete_gradient(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> DiscreteGradientOutputs:
    """Discrete gradient of a field. Parameters as of `morse_smale_complex`; `stride` thins it.

    Returns
    -------
    DiscreteGradientOutputs : critical_points, gradient (points with vectors) and arrows (lines)

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> image = pyvista.ImageData(dimensions=(12, 12, 1))
    >>> image["hill"] = -((image.points - 5.5) ** 2).sum(axis=1)
    >>> gradient = discrete_gradient(image, stride=4)
    >>> gradient.arrows.n_lines == gradient.gradient.n_points
    True
    """
    return DiscreteGradientOutputs(
        *_outputs("discrete_gradient", DiscreteGradient(), image, array, association, options)
    )


def _outputs(
    function: str,
    filter: Filter,
    image: Any,
    array: str | None,
    association: str | None,
    options: dict[str, Any],
) -> list[Any]:
    if association not in ASSOCIATIONS:
        raise FilterError(f'association is "point" or "cell"; {association!r} came')
    dataset = vtk_dataset(
        image,
        "an image or a mesh of VTK was expected",
        "arrays without VTK: separatrix.morse_smale, separatrix.TetMesh",
    )
    place = ASSOCIATIONS[association]
    if array is None and association is None:
        array, place = active_scalars_of(dataset)
    if array is not None or association is not None:
        filter.SetInputArrayToProcess(0, 0, 0, place, array or "")
    return call(function, filter, dataset, options)


def active_scalars_of(dataset: Any) -> tuple[str | None, int]:
    """Name and association of what PyVista calls the active scalars, if they are chosen there.

    PyVista has one active array in all, VTK one of the points and one of the cells.
    """
    info = getattr(dataset, "active_scalars_info", None)
    place = PLACES.get(getattr(getattr(info, "association", None), "name", ""))
    name = getattr(info, "name", None)
    return (None, POINTS_THEN_CELLS) if place is None or name is None else (name, place)
