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
from .analyses import discrete_gradient, morse_smale, persistence_diagram
from .complexes.cubical.grid import Grid
from .complexes.simplicial.critical_points import MeshCriticalPoints
from .complexes.simplicial.meshes import TetMesh, TriangleMesh
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
from .morse.arrows import Arrows
from .morse.complex import MorseSmaleComplex
from .morse.critical import CriticalCells
from .morse.gradient import DiscreteGradient
from .morse.graph import Arcs
from .morse.hierarchy import SkippedPairs
from .morse.regions import Regions
from .morse.separatrices import ExtremumArcs, Separatrices
from .morse.smoothing import smooth
from .morse.surfaces import SeparatrixSurfaces
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
