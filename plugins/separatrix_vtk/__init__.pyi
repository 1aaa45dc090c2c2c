"""Public names of `separatrix_vtk`; `__init__.py` imports each from its module here."""

from .base.errors import FilterError as FilterError
from .base.filter import Filter as Filter
from .filters.mesh.mesh_relations import MeshRelations as MeshRelations
from .filters.molecules.alpha_complex import AlphaComplex as AlphaComplex
from .filters.molecules.alpha_time_series import AlphaTimeSeries as AlphaTimeSeries
from .filters.molecules.molecule_reader import MoleculeReader as MoleculeReader
from .filters.points.delaunay import Delaunay as Delaunay
from .filters.points.distance_reader import DistanceReader as DistanceReader
from .filters.points.neighbor_statistics import NeighborStatistics as NeighborStatistics
from .filters.points.point_density import PointDensity as PointDensity
from .filters.points.rips_barcodes import RipsBarcodes as RipsBarcodes
from .filters.scalar_field.critical_points import CriticalPoints as CriticalPoints
from .filters.scalar_field.discrete_gradient import DiscreteGradient as DiscreteGradient
from .filters.scalar_field.morse_smale_complex import MorseSmaleComplex as MorseSmaleComplex
from .filters.scalar_field.persistence_diagram import PersistenceDiagram as PersistenceDiagram
from .filters.scalar_field.topological_simplification import (
    TopologicalSimplification as TopologicalSimplification,
)
from .filters.scalar_field.volume_reader import VolumeReader as VolumeReader
from .function_outputs import AlphaComplexOutputs as AlphaComplexOutputs
from .function_outputs import DelaunayOutputs as DelaunayOutputs
from .function_outputs import DiscreteGradientOutputs as DiscreteGradientOutputs
from .function_outputs import MeshRelationsOutputs as MeshRelationsOutputs
from .function_outputs import MorseSmaleOutputs as MorseSmaleOutputs
from .function_outputs import PersistenceDiagramOutputs as PersistenceDiagramOutputs
from .function_outputs import RipsBarcodesOutputs as RipsBarcodesOutputs
from .functions import alpha_complex as alpha_complex
from .functions import critical_points as critical_points
from .functions import delaunay as delaunay
from .functions import discrete_gradient as discrete_gradient
from .functions import mesh_relations as mesh_relations
from .functions import morse_smale_complex as morse_smale_complex
from .functions import neighbor_statistics as neighbor_statistics
from .functions import persistence_diagram as persistence_diagram
from .functions import point_density as point_density
from .functions import read_molecule as read_molecule
from .functions import rips_barcodes as rips_barcodes
from .functions import topological_simplification as topological_simplification
from .installed_files import plugin_path as plugin_path
from .installed_files import xml_directory as xml_directory
from .installed_files import xml_files as xml_files

MODULE_OF: dict[str, str]
__version__: str
