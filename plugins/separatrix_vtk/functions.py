"""The filters as functions: image or mesh in, its outputs out, an exception if something is wrong.

A PyVista dataset gives PyVista datasets, any other image plain VTK ones. Options are the filter's
settings by their Python names (`device="cuda"`, `compute_top_cell_labels=True`), and `progress=`,
called with a fraction and the name of a stage; raising `separatrix.Cancelled` in it stops the
work.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Filter, Progress
from separatrix_vtk.base.input_array import CELLS, POINTS, POINTS_THEN_CELLS
from separatrix_vtk.base.settings import settings_text
from separatrix_vtk.grid.critical_points import CriticalPoints
from separatrix_vtk.grid.discrete_gradient import DiscreteGradient
from separatrix_vtk.grid.morse_smale_complex import MorseSmaleComplex
from separatrix_vtk.grid.persistence_diagram import PersistenceDiagram

Function = TypeVar("Function", bound=Callable[..., Any])
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


def with_settings_of(filter: type[Filter]) -> Callable[[Function], Function]:
    """Put a filter's settings at the end of a function's documentation."""

    def documented(function: Function) -> Function:
        text = inspect.cleandoc(function.__doc__ or "")
        function.__doc__ = f"{text}\n\nSettings\n--------\n{settings_text(filter)}\n"
        return function

    return documented


@with_settings_of(MorseSmaleComplex)
def morse_smale_complex(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> MorseSmaleOutputs:
    """Morse-Smale complex of a field on an image or on a mesh.

    Parameters
    ----------
    image : vtkImageData, vtkUnstructuredGrid or vtkPolyData, or a PyVista dataset
    array : name of the scalar field; default: the active scalars
    association : "point" or "cell", to say where the array is; default: points, then cells
    **options : the settings below, and `progress`. `persistence` and `relative`, as the engine
        calls them, are `persistence_threshold` and `threshold_mode`

    Returns
    -------
    MorseSmaleOutputs : critical_points, separatrices_1, separatrices_2 (polydata), segmentation
        (of the input's class), graph (polydata) and regions (table)

    >>> complex = morse_smale_complex(image, array="density", persistence_threshold=0.1)
    >>> complex.critical_points, complex.segmentation
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
    """
    return PersistenceDiagramOutputs(
        *_outputs("persistence_diagram", PersistenceDiagram(), image, array, association, options)
    )


@with_settings_of(CriticalPoints)
def critical_points(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> Any:
    """Critical points of a field, as polydata. Parameters as of `morse_smale_complex`."""
    return _outputs("critical_points", CriticalPoints(), image, array, association, options)[0]


@with_settings_of(DiscreteGradient)
def discrete_gradient(
    image: Any, array: str | None = None, *, association: str | None = None, **options: Any
) -> DiscreteGradientOutputs:
    """Discrete gradient of a field. Parameters as of `morse_smale_complex`; `stride` thins it."""
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
    if not hasattr(image, "GetPointData"):
        raise FilterError(
            f"an image or a mesh of VTK was expected, {type(image).__name__} came "
            "(arrays without VTK: separatrix.morse_smale, separatrix.TetMesh)"
        )
    progress: Progress | None = options.pop("progress", None)
    set_options(function, filter, options)
    if array is not None or association is not None:
        filter.SetInputArrayToProcess(0, 0, 0, ASSOCIATIONS[association], array or "")
    wrap = wrapper_for(image)
    return [wrap(output) for output in filter.run(image, progress)]


def set_options(function: str, filter: Filter, options: dict[str, Any]) -> None:
    """Set a filter's settings; one that there is not is told in the function's own name."""
    for name, value in options.items():
        try:
            setattr(filter, name, value)
        except AttributeError as error:
            told = str(error).replace(type(filter).__name__, f"{function}()", 1)
            raise AttributeError(told) from None


def wrapper_for(image: Any) -> Callable[[Any], Any]:
    """What makes PyVista datasets of outputs, if the input was one."""
    pyvista = sys.modules.get("pyvista")
    if pyvista is not None and isinstance(image, pyvista.DataObject):
        return lambda output: pyvista.wrap(output)
    return lambda output: output
