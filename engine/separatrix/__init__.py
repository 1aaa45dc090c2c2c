"""Separatrix: topology of scientific data on the GPU, and on the CPU where there is none.

Arrays in (NumPy, CuPy, or anything with their interfaces), frozen dataclasses of arrays out.
"""

from .device import DeviceReport, devices, pinned_empty, release_memory, to_host
from .errors import Cancelled, DeviceMemoryError, DeviceUnavailable, InputError, KernelError
from .morse.complex import MorseSmaleComplex, morse_smale
from .morse.critical import CriticalCells
from .morse.gradient import Arrows, DiscreteGradient, discrete_gradient
from .morse.grid import Grid
from .morse.separatrices import ExtremumArcs, Separatrices
from .morse.surfaces import SeparatrixSurfaces
from .reductions.density import DensityImage, density
from .reductions.formulas import Formula, formulas
from .reductions.reduce import PairList, reduce
from .spatial.clusters import Clusters, cluster
from .spatial.nearest import nearest
from .spatial.neighbours import Neighbours, count_neighbours, neighbours, sparse_distances
from .spatial.pattern import BlockPattern

__version__ = "0.1.0"

__all__ = [
    "Arrows",
    "BlockPattern",
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
    "MorseSmaleComplex",
    "Neighbours",
    "PairList",
    "Separatrices",
    "SeparatrixSurfaces",
    "cluster",
    "count_neighbours",
    "density",
    "devices",
    "discrete_gradient",
    "formulas",
    "morse_smale",
    "nearest",
    "neighbours",
    "pinned_empty",
    "reduce",
    "release_memory",
    "sparse_distances",
    "to_host",
]
