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
from .errors import Cancelled, DeviceMemoryError, DeviceUnavailable, InputError, KernelError
from .homology import PersistenceDiagram
from .morse.complex import MorseSmaleComplex, morse_smale
from .morse.critical import CriticalCells
from .morse.gradient import Arrows, DiscreteGradient, discrete_gradient
from .morse.grid import Grid
from .morse.persistence import persistence_diagram
from .morse.separatrices import ExtremumArcs, Separatrices
from .morse.surfaces import SeparatrixSurfaces

__version__ = "0.1.0"

__all__ = [
    "AlphaComplex",
    "Arrows",
    "BallMeasures",
    "BoundarySurface",
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
    "Pockets",
    "Separatrices",
    "SeparatrixSurfaces",
    "SimplexTable",
    "Voids",
    "alpha_complex",
    "alpha_complexes",
    "devices",
    "discrete_gradient",
    "morse_smale",
    "persistence_diagram",
    "pinned_empty",
    "release_memory",
    "to_host",
]
