"""Separatrix: topology of scientific data on the GPU, and on the CPU where there is none.

Arrays in (NumPy, CuPy, or anything with their interfaces), frozen dataclasses of arrays out.
"""

from .alpha.complex import AlphaComplex, alpha_complex
from .alpha.frames import alpha_complexes
from .alpha.measures import BallMeasures
from .alpha.pockets import Pockets
from .alpha.tables import SimplexTable
from .alpha.topology import BoundarySurface
from .alpha.voids import Voids
from .device import DeviceReport, devices, pinned_empty, release_memory, to_host
from .errors import (
    Cancelled,
    DeviceMemoryError,
    DeviceUnavailable,
    InputError,
    KernelError,
    LongRunWarning,
)
from .homology import PersistenceDiagram
from .mesh.complex import CriticalSimplices, MeshMorseSmaleComplex
from .mesh.critical_points import MeshCriticalPoints
from .mesh.gradient import MeshGradient
from .mesh.relations import Relation
from .mesh.rows import Rows
from .mesh.surfaces import MeshSurfaces
from .mesh.tet_mesh import TetMesh, TriangleMesh
from .morse.arrows import Arrows
from .morse.complex import MorseSmaleComplex, morse_smale
from .morse.critical import CriticalCells
from .morse.gradient import DiscreteGradient, discrete_gradient
from .morse.graph import Arcs
from .morse.grid import Grid
from .morse.hierarchy import SkippedPairs
from .morse.persistence import persistence_diagram
from .morse.regions import Regions
from .morse.separatrices import ExtremumArcs, Separatrices
from .morse.smoothing import smooth
from .morse.surfaces import SeparatrixSurfaces
from .reductions.density import DensityImage, density
from .reductions.formulas import Formula, formulas
from .reductions.reduce import PairList, reduce
from .rips.barcodes import rips_barcodes
from .rips.bars import Barcodes, Representative
from .spatial.clusters import Clusters, cluster
from .spatial.nearest import nearest
from .spatial.neighbours import Neighbours, count_neighbours, neighbours, sparse_distances
from .spatial.pattern import BlockPattern

__version__ = "0.1.0"

__all__ = [
    "AlphaComplex",
    "Arcs",
    "Arrows",
    "BallMeasures",
    "Barcodes",
    "BlockPattern",
    "BoundarySurface",
    "Cancelled",
    "Clusters",
    "CriticalCells",
    "CriticalSimplices",
    "DensityImage",
    "DeviceMemoryError",
    "DeviceReport",
    "DeviceUnavailable",
    "DiscreteGradient",
    "ExtremumArcs",
    "Formula",
    "Grid",
    "InputError",
    "KernelError",
    "LongRunWarning",
    "MeshCriticalPoints",
    "MeshGradient",
    "MeshMorseSmaleComplex",
    "MeshSurfaces",
    "MorseSmaleComplex",
    "Neighbours",
    "PairList",
    "PersistenceDiagram",
    "Pockets",
    "Regions",
    "Relation",
    "Representative",
    "Rows",
    "Separatrices",
    "SeparatrixSurfaces",
    "SimplexTable",
    "SkippedPairs",
    "TetMesh",
    "TriangleMesh",
    "Voids",
    "alpha_complex",
    "alpha_complexes",
    "cluster",
    "count_neighbours",
    "density",
    "devices",
    "discrete_gradient",
    "formulas",
    "morse_smale",
    "nearest",
    "neighbours",
    "persistence_diagram",
    "pinned_empty",
    "reduce",
    "release_memory",
    "rips_barcodes",
    "smooth",
    "sparse_distances",
    "to_host",
]
