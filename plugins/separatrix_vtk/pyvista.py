"""Separatrix in PyVista: `mesh.separatrix.morse_smale_complex()`, and atoms read as PyVista's.

PyVista 0.48 and newer finds the accessor automatically if this package is installed (entry point
`pyvista.accessors`); elsewhere importing this module attaches it. With an older PyVista use the
functions: `separatrix_vtk.morse_smale_complex(mesh)`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec

import pyvista

from separatrix_vtk import functions
from separatrix_vtk.accessor import Methods

NAME = "separatrix"
Parameters = ParamSpec("Parameters")


class Separatrix(Methods):
    """The functions of `separatrix_vtk` on one PyVista dataset, as methods of `mesh.separatrix`.

    `morse_smale_complex`, `persistence_diagram`, `critical_points`, and `discrete_gradient` are for
    images and meshes, `mesh_relations` is for meshes, and the others are for anything with points.
    A MultiBlock is processed block by block.
    """


def as_pyvista(function: Callable[Parameters, Any]) -> Callable[Parameters, pyvista.PolyData]:
    """Return a function with the same parameters that returns points of PyVista."""

    @functools.wraps(function)
    def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> pyvista.PolyData:
        return pyvista.wrap(function(*arguments, **keywords))

    return call


read_molecule = as_pyvista(functions.read_molecule)


def attach() -> None:
    """Give every PyVista dataset its `separatrix`; PyVista supports this since version 0.48."""
    if hasattr(pyvista, "register_dataset_accessor"):
        pyvista.register_dataset_accessor(NAME, pyvista.DataObject)(Separatrix)


attach()
