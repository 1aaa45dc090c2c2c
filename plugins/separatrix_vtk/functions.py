"""The filters as functions: an image in, its outputs out, an exception where something is wrong.

A PyVista dataset gives PyVista datasets, any other image plain VTK ones. Options are the filter's
settings by their Python names (`device="cuda"`, `compute_top_cell_labels=True`), and `progress=`,
called with a fraction and the name of a stage; raising `separatrix.Cancelled` in it stops the
work.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Filter, Progress
from separatrix_vtk.base.input_array import CELLS, POINTS, POINTS_THEN_CELLS
from separatrix_vtk.grid.critical_points import CriticalPoints
from separatrix_vtk.grid.discrete_gradient import DiscreteGradient
from separatrix_vtk.grid.morse_smale_complex import MorseSmaleComplex
from separatrix_vtk.grid.persistence_diagram import PersistenceDiagram

ASSOCIATIONS = {None: POINTS_THEN_CELLS, "point": POINTS, "cell": CELLS}


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


def morse_smale_complex(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> MorseSmaleOutputs:
    """Morse-Smale complex of an image.

    Parameters
    ----------
    image : vtkImageData or pyvista.ImageData
    array : name of the scalar field; default: the active scalars
    association : "point" or "cell", to say where the array is; default: points, then cells
    **options : settings of MorseSmaleComplex, and `progress`

    Returns
    -------
    MorseSmaleOutputs : critical_points, separatrices_1, separatrices_2 (polydata), segmentation
        (image), graph (polydata) and regions (table)

    >>> complex = morse_smale_complex(image, array="density", persistence_threshold=0.1)
    >>> complex.critical_points, complex.segmentation
    """
    return MorseSmaleOutputs(*_outputs(MorseSmaleComplex(), image, array, association, options))


def persistence_diagram(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> PersistenceDiagramOutputs:
    """Persistence diagram of an image. Parameters as of `morse_smale_complex`.

    Returns
    -------
    PersistenceDiagramOutputs : diagram (unstructured grid) and curves (table)
    """
    return PersistenceDiagramOutputs(
        *_outputs(PersistenceDiagram(), image, array, association, options)
    )


def critical_points(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> Any:
    """Critical points of an image, as polydata. Parameters as of `morse_smale_complex`."""
    return _outputs(CriticalPoints(), image, array, association, options)[0]


def discrete_gradient(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> DiscreteGradientOutputs:
    """Discrete gradient of an image. Parameters as of `morse_smale_complex`; `stride` thins it."""
    return DiscreteGradientOutputs(
        *_outputs(DiscreteGradient(), image, array, association, options)
    )


def _outputs(
    filter: Filter,
    image: Any,
    array: str | None,
    association: str | None,
    options: dict[str, Any],
) -> list[Any]:
    if association not in ASSOCIATIONS:
        raise FilterError(f'association is "point" or "cell"; {association!r} came')
    if not hasattr(image, "GetPointData"):
        raise FilterError(
            f"a vtkImageData was expected, {type(image).__name__} came "
            "(arrays without VTK: separatrix.morse_smale)"
        )
    progress: Progress | None = options.pop("progress", None)
    for name, value in options.items():
        setattr(filter, name, value)
    if array is not None or association is not None:
        filter.SetInputArrayToProcess(0, 0, 0, ASSOCIATIONS[association], array or "")
    wrap = wrapper_for(image)
    return [wrap(output) for output in filter.run(image, progress)]


def wrapper_for(image: Any) -> Callable[[Any], Any]:
    """What makes PyVista datasets of outputs, if the input was one."""
    pyvista = sys.modules.get("pyvista")
    if pyvista is not None and isinstance(image, pyvista.DataObject):
        return lambda output: pyvista.wrap(output)
    return lambda output: output
