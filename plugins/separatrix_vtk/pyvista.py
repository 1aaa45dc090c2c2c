"""Separatrix in PyVista: `mesh.separatrix.morse_smale_complex()`, and atoms read as PyVista's.

PyVista 0.48 and newer finds the accessor by itself where this package is installed (entry point
`pyvista.accessors`); elsewhere importing this module attaches it. With an older PyVista use the
functions: `separatrix_vtk.morse_smale_complex(mesh)`.
"""

from __future__ import annotations

import functools
import os
from typing import Any

import pyvista

from separatrix_vtk import functions
from separatrix_vtk.accessor import Methods

NAME = "separatrix"


class Separatrix(Methods):
    """The functions of `separatrix_vtk` on one PyVista dataset, as methods of `mesh.separatrix`.

    `morse_smale_complex`, `persistence_diagram`, `critical_points`, and `discrete_gradient` are for
    images and meshes, `mesh_relations` is for meshes, and the others are for anything with points.
    A MultiBlock is processed block by block.
    """


@functools.wraps(functions.read_molecule)
def read_molecule(path: str | os.PathLike[str], **options: Any) -> pyvista.PolyData:
    """Read the atoms of a molecule as points of PyVista; see `separatrix_vtk.read_molecule`.

    >>> read_molecule("sample_data/1crn.pdb", model=1)["radius"].max()
    """
    return pyvista.wrap(functions.read_molecule(path, **options))


def attach() -> None:
    """Give every PyVista dataset its `separatrix`; PyVista supports this since version 0.48."""
    if hasattr(pyvista, "register_dataset_accessor"):
        pyvista.register_dataset_accessor(NAME, pyvista.DataObject)(Separatrix)


attach()
