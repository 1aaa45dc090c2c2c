"""VTK filters of Separatrix, for VTK, PyVista and ParaView pipelines, and the `separatrix` command.

Importing this package imports neither VTK nor the engine; the first use of a name does.
`__init__.pyi`, written by `make generated`, shows the names to type checkers and editors.
"""

from __future__ import annotations

import importlib
from typing import Any

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
    "installed_files": ("plugin_path", "xml_directory", "xml_files"),
}
"""Module -> the public names that it defines."""

MODULE_OF = {name: module for module, names in NAMES_OF.items() for name in names}
__all__ = sorted(MODULE_OF)


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
