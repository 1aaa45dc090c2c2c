"""Public names of `separatrix_vtk`, for type checkers and editors.

Written by `make generated`.
"""

from separatrix_vtk.base.errors import FilterError as FilterError
from separatrix_vtk.base.filter import Filter as Filter
from separatrix_vtk.filters.mesh.mesh_relations import MeshRelations as MeshRelations
from separatrix_vtk.filters.molecules.alpha_complex import AlphaComplex as AlphaComplex
from separatrix_vtk.filters.molecules.alpha_time_series import AlphaTimeSeries as AlphaTimeSeries
from separatrix_vtk.filters.molecules.molecule_reader import MoleculeReader as MoleculeReader
from separatrix_vtk.filters.points.neighbor_statistics import (
    NeighborStatistics as NeighborStatistics,
)
from separatrix_vtk.filters.points.point_density import PointDensity as PointDensity
from separatrix_vtk.filters.points.rips_barcodes import RipsBarcodes as RipsBarcodes
from separatrix_vtk.filters.scalar_field.critical_points import CriticalPoints as CriticalPoints
from separatrix_vtk.filters.scalar_field.discrete_gradient import (
    DiscreteGradient as DiscreteGradient,
)
from separatrix_vtk.filters.scalar_field.morse_smale_complex import (
    MorseSmaleComplex as MorseSmaleComplex,
)
from separatrix_vtk.filters.scalar_field.persistence_diagram import (
    PersistenceDiagram as PersistenceDiagram,
)
from separatrix_vtk.function_outputs import AlphaComplexOutputs as AlphaComplexOutputs
from separatrix_vtk.function_outputs import DiscreteGradientOutputs as DiscreteGradientOutputs
from separatrix_vtk.function_outputs import MeshRelationsOutputs as MeshRelationsOutputs
from separatrix_vtk.function_outputs import MorseSmaleOutputs as MorseSmaleOutputs
from separatrix_vtk.function_outputs import PersistenceDiagramOutputs as PersistenceDiagramOutputs
from separatrix_vtk.function_outputs import RipsBarcodesOutputs as RipsBarcodesOutputs
from separatrix_vtk.functions import alpha_complex as alpha_complex
from separatrix_vtk.functions import critical_points as critical_points
from separatrix_vtk.functions import discrete_gradient as discrete_gradient
from separatrix_vtk.functions import mesh_relations as mesh_relations
from separatrix_vtk.functions import morse_smale_complex as morse_smale_complex
from separatrix_vtk.functions import neighbor_statistics as neighbor_statistics
from separatrix_vtk.functions import persistence_diagram as persistence_diagram
from separatrix_vtk.functions import point_density as point_density
from separatrix_vtk.functions import read_molecule as read_molecule
from separatrix_vtk.functions import rips_barcodes as rips_barcodes
from separatrix_vtk.installed_files import plugin_path as plugin_path
from separatrix_vtk.installed_files import xml_directory as xml_directory
from separatrix_vtk.installed_files import xml_files as xml_files

NAMES_OF: dict[str, tuple[str, ...]]
MODULE_OF: dict[str, str]
__version__: str
