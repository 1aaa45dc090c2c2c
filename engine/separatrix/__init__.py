"""Separatrix: topology of scientific data on the GPU, and on the CPU where there is none.

Arrays in (NumPy, CuPy, or anything with their interfaces), frozen dataclasses of arrays out.
"""

from .device import DeviceReport, devices, pinned_empty, release_memory, to_host
from .errors import Cancelled, DeviceMemoryError, DeviceUnavailable, InputError, KernelError
from .homology import PersistenceDiagram
from .morse.complex import MorseSmaleComplex, morse_smale
from .morse.critical import CriticalCells
from .morse.gradient import Arrows, DiscreteGradient, discrete_gradient
from .morse.graph import Arcs
from .morse.grid import Grid
from .morse.hierarchy import SkippedPairs
from .morse.persistence import persistence_diagram
from .morse.regions import Regions
from .morse.separatrices import ExtremumArcs, Separatrices
from .morse.smoothing import smooth
from .morse.surfaces import SeparatrixSurfaces

__version__ = "0.1.0"

__all__ = [
    "Arcs",
    "Arrows",
    "Cancelled",
    "CriticalCells",
    "DeviceMemoryError",
    "DeviceReport",
    "DeviceUnavailable",
    "DiscreteGradient",
    "ExtremumArcs",
    "Grid",
    "InputError",
    "KernelError",
    "MorseSmaleComplex",
    "PersistenceDiagram",
    "Regions",
    "Separatrices",
    "SeparatrixSurfaces",
    "SkippedPairs",
    "devices",
    "discrete_gradient",
    "morse_smale",
    "persistence_diagram",
    "pinned_empty",
    "release_memory",
    "smooth",
    "to_host",
]
