"""Declarations of the options of all capabilities. Nothing here knows VTK."""

from .declaration import Options, options_of
from .keywords import known_keywords, unknown_option
from .mesh_relations import MeshRelationsOptions
from .molecules import AlphaComplexOptions, AlphaTimeSeriesOptions, MoleculeReaderOptions
from .morse_smale import MorseSmaleOptions
from .option import Option, option
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
    "known_keywords",
    "option",
    "options_of",
    "unknown_option",
]
