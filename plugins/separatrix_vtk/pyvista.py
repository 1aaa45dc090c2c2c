"""Separatrix in PyVista: `mesh.separatrix.morse_smale_complex()`, and atoms read as PyVista's.

PyVista 0.48 and newer finds the accessor by itself where this package is installed (entry point
`pyvista.accessors`); elsewhere importing this module attaches it. With an older PyVista use the
functions: `separatrix_vtk.morse_smale_complex(mesh)`.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Any

import pyvista

from separatrix_vtk.filters.molecules.molecule_reader import read_molecule as read_as_vtk
from separatrix_vtk.filters.points.rips_function import rips_barcodes
from separatrix_vtk.functions import (
    critical_points,
    discrete_gradient,
    morse_smale_complex,
    persistence_diagram,
)
from separatrix_vtk.mesh_functions import mesh_relations
from separatrix_vtk.molecule_functions import alpha_complex
from separatrix_vtk.point_functions import neighbor_statistics, point_density

NAME = "separatrix"


def method_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that hands the accessor's dataset to a function as its first argument."""

    @functools.wraps(function)
    def method(self: Separatrix, *arguments: Any, **options: Any) -> Any:
        return function(self._dataset, *arguments, **options)

    signature = inspect.signature(function)
    others = list(signature.parameters.values())[1:]
    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method.__signature__ = signature.replace(parameters=[itself, *others])  # type: ignore[attr-defined]
    return method


class Separatrix:
    """The functions of `separatrix_vtk` on one PyVista dataset, as methods of `mesh.separatrix`.

    Fields (`morse_smale_complex`, `persistence_diagram`, `critical_points`, `discrete_gradient`)
    are of images and meshes, `mesh_relations` of meshes, the others of anything with points. On
    a MultiBlock each works block by block.
    """

    def __init__(self, dataset: pyvista.DataObject) -> None:
        self._dataset = dataset

    morse_smale_complex = method_of(morse_smale_complex)
    persistence_diagram = method_of(persistence_diagram)
    critical_points = method_of(critical_points)
    discrete_gradient = method_of(discrete_gradient)
    mesh_relations = method_of(mesh_relations)
    alpha_complex = method_of(alpha_complex)
    rips_barcodes = method_of(rips_barcodes)
    point_density = method_of(point_density)
    neighbor_statistics = method_of(neighbor_statistics)


def read_molecule(path: str | os.PathLike[str], **settings: Any) -> pyvista.PolyData:
    """The atoms of a molecule's file as PyVista's points; `separatrix_vtk.read_molecule` says more.

    >>> read_molecule("sample_data/1crn.pdb", model=1)["radius"].max()
    """
    return pyvista.wrap(read_as_vtk(path, **settings))


def attach() -> None:
    """Give every PyVista dataset its `separatrix`; with a PyVista before 0.48 there is no way."""
    if hasattr(pyvista, "register_dataset_accessor"):
        pyvista.register_dataset_accessor(NAME, pyvista.DataObject)(Separatrix)


attach()
