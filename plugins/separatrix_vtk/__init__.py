"""VTK filters of Separatrix, for VTK, PyVista and ParaView pipelines, and the `separatrix` command.

Importing this package imports neither VTK nor the engine; the first use of a name does.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from separatrix_vtk.base.errors import FilterError
    from separatrix_vtk.base.filter import Filter
    from separatrix_vtk.filters.mesh.mesh_relations import MeshRelations
    from separatrix_vtk.filters.molecules.alpha_complex import AlphaComplex
    from separatrix_vtk.filters.molecules.alpha_time_series import AlphaTimeSeries
    from separatrix_vtk.filters.molecules.molecule_reader import MoleculeReader, read_molecule
    from separatrix_vtk.filters.points.neighbor_statistics import NeighborStatistics
    from separatrix_vtk.filters.points.point_density import PointDensity
    from separatrix_vtk.filters.points.rips_barcodes import RipsBarcodes
    from separatrix_vtk.filters.points.rips_function import RipsBarcodesOutputs, rips_barcodes
    from separatrix_vtk.filters.scalar_field.critical_points import CriticalPoints
    from separatrix_vtk.filters.scalar_field.discrete_gradient import DiscreteGradient
    from separatrix_vtk.filters.scalar_field.morse_smale_complex import MorseSmaleComplex
    from separatrix_vtk.filters.scalar_field.persistence_diagram import PersistenceDiagram
    from separatrix_vtk.functions import (
        DiscreteGradientOutputs,
        MorseSmaleOutputs,
        PersistenceDiagramOutputs,
        critical_points,
        discrete_gradient,
        morse_smale_complex,
        persistence_diagram,
    )
    from separatrix_vtk.mesh_functions import MeshRelationsOutputs, mesh_relations
    from separatrix_vtk.molecule_functions import AlphaComplexOutputs, alpha_complex
    from separatrix_vtk.point_functions import neighbor_statistics, point_density

__all__ = [
    "AlphaComplex",
    "AlphaComplexOutputs",
    "AlphaTimeSeries",
    "CriticalPoints",
    "DiscreteGradient",
    "DiscreteGradientOutputs",
    "Filter",
    "FilterError",
    "MeshRelations",
    "MeshRelationsOutputs",
    "MoleculeReader",
    "MorseSmaleComplex",
    "MorseSmaleOutputs",
    "NeighborStatistics",
    "PersistenceDiagram",
    "PersistenceDiagramOutputs",
    "PointDensity",
    "RipsBarcodes",
    "RipsBarcodesOutputs",
    "alpha_complex",
    "critical_points",
    "discrete_gradient",
    "mesh_relations",
    "morse_smale_complex",
    "neighbor_statistics",
    "persistence_diagram",
    "plugin_path",
    "point_density",
    "read_molecule",
    "rips_barcodes",
    "xml_directory",
    "xml_files",
]

MODULE_OF = {
    "CriticalPoints": "filters.scalar_field.critical_points",
    "DiscreteGradient": "filters.scalar_field.discrete_gradient",
    "MorseSmaleComplex": "filters.scalar_field.morse_smale_complex",
    "PersistenceDiagram": "filters.scalar_field.persistence_diagram",
    "MeshRelations": "filters.mesh.mesh_relations",
    "MeshRelationsOutputs": "mesh_functions",
    "mesh_relations": "mesh_functions",
    "MoleculeReader": "filters.molecules.molecule_reader",
    "NeighborStatistics": "filters.points.neighbor_statistics",
    "PointDensity": "filters.points.point_density",
    "RipsBarcodes": "filters.points.rips_barcodes",
    "RipsBarcodesOutputs": "filters.points.rips_function",
    "rips_barcodes": "filters.points.rips_function",
    "AlphaComplex": "filters.molecules.alpha_complex",
    "AlphaTimeSeries": "filters.molecules.alpha_time_series",
    "Filter": "base.filter",
    "FilterError": "base.errors",
    "MorseSmaleOutputs": "functions",
    "DiscreteGradientOutputs": "functions",
    "PersistenceDiagramOutputs": "functions",
    "critical_points": "functions",
    "discrete_gradient": "functions",
    "morse_smale_complex": "functions",
    "persistence_diagram": "functions",
    "AlphaComplexOutputs": "molecule_functions",
    "alpha_complex": "molecule_functions",
    "read_molecule": "filters.molecules.molecule_reader",
    "neighbor_statistics": "point_functions",
    "point_density": "point_functions",
}
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
