"""Declarations of the options of all capabilities. Nothing here knows VTK."""

from .declaration import Options, checked, known_keywords, options_of, unknown_option
from .delaunay import DelaunayOptions
from .mesh_relations import MeshRelationsOptions
from .molecules import AlphaComplexOptions, AlphaTimeSeriesOptions
from .morse_smale import MorseSmaleOptions
from .option import Option, option
from .points import KernelOptions, NeighborStatisticsOptions, PointDensityOptions
from .readers import DistanceReaderOptions, MoleculeReaderOptions, VolumeReaderOptions
from .rips import RipsBarcodesOptions
from .scalar_field import (
    CriticalPointsOptions,
    DiscreteGradientOptions,
    PersistenceDiagramOptions,
    TopologicalSimplificationOptions,
)
from .shared import ExecutionOptions
