"""Filters as functions: a dataset in, its outputs out, errors as exceptions.

The decorator adds the parameters; `functions.pyi`, written by `make generated`, shows them to type
checkers and editors.
"""

from __future__ import annotations

from typing import Any

from separatrix_vtk.base.function import function_of
from separatrix_vtk.filters.mesh.mesh_relations import MeshRelations
from separatrix_vtk.filters.molecules.alpha_complex import AlphaComplex
from separatrix_vtk.filters.molecules.molecule_reader import MoleculeReader
from separatrix_vtk.filters.points.delaunay import Delaunay
from separatrix_vtk.filters.points.neighbor_statistics import NeighborStatistics
from separatrix_vtk.filters.points.point_density import PointDensity
from separatrix_vtk.filters.points.rips_barcodes import RipsBarcodes
from separatrix_vtk.filters.scalar_field.critical_points import CriticalPoints
from separatrix_vtk.filters.scalar_field.discrete_gradient import DiscreteGradient
from separatrix_vtk.filters.scalar_field.morse_smale_complex import MorseSmaleComplex
from separatrix_vtk.filters.scalar_field.persistence_diagram import PersistenceDiagram
from separatrix_vtk.filters.scalar_field.topological_simplification import (
    TopologicalSimplification,
)
from separatrix_vtk.function_inputs import (
    atoms_input,
    dimensions_input,
    field_input,
    kept_points_input,
    mesh_input,
    molecule_input,
    neighbor_input,
    points_input,
    rips_input,
)
from separatrix_vtk.function_outputs import (
    AlphaComplexOutputs,
    DelaunayOutputs,
    DiscreteGradientOutputs,
    MeshRelationsOutputs,
    MorseSmaleOutputs,
    PersistenceDiagramOutputs,
    RipsBarcodesOutputs,
)


@function_of(MorseSmaleComplex, field_input)
def morse_smale_complex() -> MorseSmaleOutputs:
    """Compute the Morse-Smale complex of a scalar field on an image or a mesh.

    Returns
    -------
    MorseSmaleOutputs
        critical_points, separatrices_1, separatrices_2 (polydata), segmentation (of the class
        of the input), graph (polydata), and regions (table).

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> image = pyvista.ImageData(dimensions=(20, 20, 20), spacing=(0.5, 0.5, 0.5))
    >>> image["waves"] = np.sin(image.points).prod(axis=1)
    >>> complex = morse_smale_complex(image, "waves", persistence=0.2)
    >>> complex.critical_points["CriticalType"].max().item()
    3
    >>> complex.segmentation.dimensions
    (20, 20, 20)
    """


@function_of(
    PersistenceDiagram,
    field_input,
    dimensions_input,
    parameter_of={f"compute_dimension_{dimension}": "dimensions" for dimension in range(3)},
)
def persistence_diagram() -> PersistenceDiagramOutputs:
    """Compute the persistence diagram of a scalar field on an image or a mesh.

    Returns
    -------
    PersistenceDiagramOutputs
        diagram (unstructured grid) and curves (table).

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> sphere = pyvista.Sphere()
    >>> sphere["height"] = sphere.points[:, 2]
    >>> diagram = persistence_diagram(sphere, "height").diagram
    >>> births_of_voids = diagram["Birth"][diagram["PairType"] == 2]
    >>> len(births_of_voids)  # a sphere encloses one, which is essential
    1
    """


@function_of(CriticalPoints, field_input)
def critical_points() -> Any:
    """Compute the critical points of a scalar field on an image or a mesh.

    Returns
    -------
    dataset
        vtkPolyData with one vertex per critical point.

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> image = pyvista.ImageData(dimensions=(30, 30, 1), spacing=(0.4, 0.4, 1.0))
    >>> image["waves"] = np.sin(image.points[:, 0]) * np.sin(image.points[:, 1])
    >>> points = critical_points(image)
    >>> maxima = points.points[points["CriticalType"] == 3]
    >>> len(maxima)
    8
    """


@function_of(DiscreteGradient, field_input)
def discrete_gradient() -> DiscreteGradientOutputs:
    """Compute the discrete gradient of a scalar field on an image or a mesh.

    Returns
    -------
    DiscreteGradientOutputs
        critical_points, gradient (points with vectors), and arrows (lines).

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> image = pyvista.ImageData(dimensions=(12, 12, 1))
    >>> image["hill"] = -((image.points - 5.5) ** 2).sum(axis=1)
    >>> gradient = discrete_gradient(image, stride=4)
    >>> gradient.arrows.n_lines == gradient.gradient.n_points
    True
    """


@function_of(TopologicalSimplification, field_input, kept_points_input)
def topological_simplification() -> Any:
    """Remove minima and maxima from a scalar field on an image or a mesh.

    Returns
    -------
    dataset
        The input with the simplified field, and with the rank of each point as its `_Order`.

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> image = pyvista.ImageData(dimensions=(30, 30, 1))
    >>> image["noise"] = np.random.default_rng(0).random(900)
    >>> simple = topological_simplification(image, "noise", persistence=0.5)
    >>> sorted(simple.point_data.keys())
    ['noise', 'noise_Order']
    >>> points = simple.separatrix.critical_points("noise", order="array")
    >>> int((points["CriticalType"] == 0).sum()) == int(simple.field_data["NumberOfMinima"][0])
    True
    """


@function_of(MeshRelations, mesh_input)
def mesh_relations() -> MeshRelationsOutputs:
    """Compute the relations of a mesh of tetrahedra or triangles.

    Returns
    -------
    MeshRelationsOutputs
        mesh, edges, triangles, boundary (polydata), relations, and statistics (tables).

    Examples
    --------
    >>> import pyvista
    >>> mesh = pyvista.Icosahedron()
    >>> found = mesh_relations(mesh, relations=("VV", "EF"), compute_edges=True)
    >>> found.edges.n_lines
    30
    >>> len(found.relations.field_data["VV_Items"])  # each edge from both its ends
    60
    """


@function_of(RipsBarcodes, rips_input)
def rips_barcodes() -> RipsBarcodesOutputs:
    """Compute the Vietoris-Rips barcodes of points or of a distance matrix.

    Returns
    -------
    RipsBarcodesOutputs
        barcode and representatives (polydata), diagram (unstructured grid), bars, betti_curves,
        and statistics (tables).

    Examples
    --------
    >>> import pyvista
    >>> ring = pyvista.Polygon(n_sides=30)
    >>> outputs = rips_barcodes(ring, max_dimension=1)
    >>> int((outputs.bars["Dimension"] == 1).sum())  # one loop
    1
    >>> outputs.representatives.n_lines  # and a line through its points
    1
    """


@function_of(PointDensity, points_input)
def point_density() -> Any:
    """Compute the density of points on an image.

    Returns
    -------
    dataset
        vtkImageData with the point array Density, and DensityGradient if requested.

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> points = pyvista.PointSet(np.random.default_rng(0).normal(size=(100, 3)))
    >>> image = point_density(points, sigma=0.5, spacing=0.25)
    >>> round(image["Density"].sum() * 0.25**3)  # the sum of the weights
    100
    """


@function_of(NeighborStatistics, neighbor_input)
def neighbor_statistics() -> Any:
    """Compute distances to neighbors, local densities, and nearest critical points.

    Returns
    -------
    dataset
        vtkPointSet of the class of the points, with arrays added.

    Examples
    --------
    >>> import pyvista
    >>> row = pyvista.Line((0, 0, 0), (4, 0, 0), resolution=4)
    >>> neighbor_statistics(row, number_of_neighbors=1)["DistanceToNearest"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """


@function_of(Delaunay, points_input)
def delaunay() -> DelaunayOutputs:
    """Compute the Delaunay triangulation of points, or the regular one of weighted points.

    Returns
    -------
    DelaunayOutputs
        tetrahedra (unstructured grid), hull, and hidden (polydata).

    Examples
    --------
    >>> import pyvista
    >>> found = delaunay(pyvista.Cube().cast_to_pointset(), neighbors=True)
    >>> found.hull.n_cells, round(found.hull.volume, 3)
    (12, 1.0)
    """


@function_of(
    AlphaComplex,
    atoms_input,
    parameter_of={
        "radius_array": "radius",
        "constant_radius": "radius",
        "radii": "radius",
        "weight_array": "weights",
    },
)
def alpha_complex() -> AlphaComplexOutputs:
    """Compute the weighted alpha complex of balls, with voids, pockets, and measures.

    Returns
    -------
    AlphaComplexOutputs
        complex, boundary, voids, pockets, atoms, diagram, and barcode.

    Examples
    --------
    >>> import numpy as np, pyvista
    >>> corners = pyvista.PointSet([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
    >>> found = alpha_complex(corners, radius=0.8)
    >>> found.complex.n_cells  # three points, three edges, and the triangle
    7
    >>> area = found.atoms["Area"]  # of each ball, on the surface of the union
    """


@function_of(MoleculeReader, molecule_input, parameter_of={"file_name": "path"})
def read_molecule() -> Any:
    """Read the atoms of a molecule as points.

    Returns
    -------
    dataset
        vtkPolyData; `separatrix_vtk.pyvista.read_molecule` returns a pyvista.PolyData.

    Examples
    --------
    >>> atoms = read_molecule("sample_data/1crn.pdb")
    >>> atoms.GetNumberOfPoints()
    327
    """
