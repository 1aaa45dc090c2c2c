"""VTK filters of Separatrix, for VTK, PyVista and ParaView pipelines, and the `separatrix` command.

Importing this package imports neither VTK nor the engine; the first use of a name does.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix_vtk.base.errors import FilterError as FilterError
    from separatrix_vtk.base.filter import Filter as Filter
    from separatrix_vtk.filters.mesh.mesh_relations import MeshRelations as MeshRelations
    from separatrix_vtk.filters.molecules.alpha_complex import AlphaComplex as AlphaComplex
    from separatrix_vtk.filters.molecules.alpha_time_series import (
        AlphaTimeSeries as AlphaTimeSeries,
    )
    from separatrix_vtk.filters.molecules.molecule_reader import MoleculeReader as MoleculeReader
    from separatrix_vtk.filters.points.neighbor_statistics import (
        NeighborStatistics as NeighborStatistics,
    )
    from separatrix_vtk.filters.points.point_density import PointDensity as PointDensity
    from separatrix_vtk.filters.points.rips_barcodes import RipsBarcodes as RipsBarcodes
    from separatrix_vtk.filters.scalar_field.critical_points import CriticalPoints as CriticalPoints
    from separatrix_vtk.filters.scalar_field.discrete_gradient import (
        DiscreteGradient as DiscreteGradient,
    )
    from separatrix_vtk.filters.scalar_field.morse_smale_complex import (
        MorseSmaleComplex as MorseSmaleComplex,
    )
    from separatrix_vtk.filters.scalar_field.persistence_diagram import (
        PersistenceDiagram as PersistenceDiagram,
    )
    from separatrix_vtk.function_outputs import AlphaComplexOutputs as AlphaComplexOutputs
    from separatrix_vtk.function_outputs import DiscreteGradientOutputs as DiscreteGradientOutputs
    from separatrix_vtk.function_outputs import MeshRelationsOutputs as MeshRelationsOutputs
    from separatrix_vtk.function_outputs import MorseSmaleOutputs as MorseSmaleOutputs
    from separatrix_vtk.function_outputs import (
        PersistenceDiagramOutputs as PersistenceDiagramOutputs,
    )
    from separatrix_vtk.function_outputs import RipsBarcodesOutputs as RipsBarcodesOutputs
    from separatrix_vtk.functions import alpha_complex as alpha_complex
    from separatrix_vtk.functions import critical_points as critical_points
    from separatrix_vtk.functions import discrete_gradient as discrete_gradient
    from separatrix_vtk.functions import mesh_relations as mesh_relations
    from separatrix_vtk.functions import morse_smale_complex as morse_smale_complex
    from separatrix_vtk.functions import neighbor_statistics as neighbor_statistics
    from separatrix_vtk.functions import persistence_diagram as persistence_diagram
    from separatrix_vtk.functions import point_density as point_density
    from separatrix_vtk.functions import read_molecule as read_molecule
    from separatrix_vtk.functions import rips_barcodes as rips_barcodes

NAMES_OF = {
    "base.errors": ("FilterError",),
    "base.filter": ("Filter",),
    "function_outputs": (
        "AlphaComplexOutputs",
        "DiscreteGradientOutputs",
        "MeshRelationsOutputs",
        "MorseSmaleOutputs",
        "PersistenceDiagramOutputs",
        "RipsBarcodesOutputs",
    ),
    "functions": (
        "alpha_complex",
        "critical_points",
        "discrete_gradient",
        "mesh_relations",
        "morse_smale_complex",
        "neighbor_statistics",
        "persistence_diagram",
        "point_density",
        "read_molecule",
        "rips_barcodes",
    ),
    "filters.scalar_field.critical_points": ("CriticalPoints",),
    "filters.scalar_field.discrete_gradient": ("DiscreteGradient",),
    "filters.scalar_field.morse_smale_complex": ("MorseSmaleComplex",),
    "filters.scalar_field.persistence_diagram": ("PersistenceDiagram",),
    "filters.mesh.mesh_relations": ("MeshRelations",),
    "filters.molecules.alpha_complex": ("AlphaComplex",),
    "filters.molecules.alpha_time_series": ("AlphaTimeSeries",),
    "filters.molecules.molecule_reader": ("MoleculeReader",),
    "filters.points.neighbor_statistics": ("NeighborStatistics",),
    "filters.points.point_density": ("PointDensity",),
    "filters.points.rips_barcodes": ("RipsBarcodes",),
}
"""Module -> the public names that it defines."""

MODULE_OF = {name: module for module, names in NAMES_OF.items() for name in names}
__all__ = [*sorted(MODULE_OF), "plugin_path", "xml_directory", "xml_files"]
PACKAGE = Path(__file__).resolve().parent


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module("separatrix").__version__
    if name not in MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def xml_directory() -> Path:
    """The folder of server-manager XML: inside an installed package, else in the source tree."""
    return _first_of(PACKAGE / "xml", PACKAGE.parents[1] / "xml")


def xml_files() -> list[Path]:
    """The XML files, one a filter, each a whole ParaView plugin by itself."""
    return sorted(xml_directory().glob("*.xml"))


def plugin_path() -> Path:
    """The one file to choose in ParaView's plugin manager (ParaView 5.12 and newer)."""
    return _first_of(
        PACKAGE / "plugin" / "SeparatrixPlugin.py", PACKAGE.parent / "SeparatrixPlugin.py"
    )


def _first_of(*paths: Path) -> Path:
    for path in paths:
        if path.exists():
            return path
    raise FileNotFoundError(f"none of these exists: {', '.join(map(str, paths))}")
