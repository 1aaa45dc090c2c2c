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
from .complexes.cubical.arrows import Arrows
from .complexes.cubical.complex import MorseSmaleComplex, morse_smale
from .complexes.cubical.critical import CriticalCells
from .complexes.cubical.gradient import DiscreteGradient, discrete_gradient
from .complexes.cubical.grid import Grid
from .complexes.cubical.separatrices import ExtremumArcs, Separatrices
from .complexes.cubical.surfaces import SeparatrixSurfaces
from .complexes.simplicial.complex import CriticalSimplices, MeshMorseSmaleComplex
from .complexes.simplicial.critical_points import MeshCriticalPoints
from .complexes.simplicial.gradient import MeshGradient
from .complexes.simplicial.surfaces import MeshSurfaces
from .complexes.simplicial.tet_mesh import TetMesh, TriangleMesh
from .csr import CSR
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
from .morse.graph import Arcs
from .morse.hierarchy import SkippedPairs
from .morse.persistence import persistence_diagram
from .morse.regions import Regions
from .morse.smoothing import smooth
from .relations.relation import Relation
from .relations.rows import Rows
from .rips.bar_table import Representative
from .rips.barcodes import rips_barcodes
from .rips.bars import Barcodes
from .spatial.clusters import Clusters, cluster
from .spatial.nearest import nearest
from .spatial.neighbors import Neighbors, count_neighbors, neighbors, sparse_distances
from .spatial.pattern import BlockPattern
from .sums.density import DensityImage, density
from .sums.formulas import Formula, formulas
from .sums.reduce import reduce

__version__ = "0.1.0"

__all__ = [
    "CSR",
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
    "Neighbors",
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
    "count_neighbors",
    "density",
    "devices",
    "discrete_gradient",
    "formulas",
    "morse_smale",
    "nearest",
    "neighbors",
    "persistence_diagram",
    "pinned_empty",
    "reduce",
    "release_memory",
    "rips_barcodes",
    "smooth",
    "sparse_distances",
    "to_host",
]
