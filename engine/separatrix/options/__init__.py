"""Declarations of the options of all capabilities. Nothing here knows VTK."""

from .mesh_relations import MeshRelationsOptions
from .molecules import AlphaComplexOptions, AlphaTimeSeriesOptions, MoleculeReaderOptions
from .morse_smale import MorseSmaleOptions
from .option import Option, Options, option, options_of, unknown_option
from .points import NeighborStatisticsOptions, PointDensityOptions
from .rips import RipsBarcodesOptions
from .scalar_field import (
    CriticalPointsOptions,
    DiscreteGradientOptions,
    PersistenceDiagramOptions,
)

__all__ = [
    "AlphaComplexOptions",
    "AlphaTimeSeriesOptions",
    "CriticalPointsOptions",
    "DiscreteGradientOptions",
    "MeshRelationsOptions",
    "MoleculeReaderOptions",
    "MorseSmaleOptions",
    "NeighborStatisticsOptions",
    "Option",
    "Options",
    "PersistenceDiagramOptions",
    "PointDensityOptions",
    "RipsBarcodesOptions",
    "option",
    "options_of",
    "unknown_option",
]
