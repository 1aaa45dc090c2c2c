"""What the declarations do not say about the functions: inputs, results, and examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NAME_OR_ARRAY = "str or (n,) array_like, optional"
POINTS = "VTK point set, molecule, or table, PyVista dataset, or (n, 3) array_like"
FIELD = {
    "image": (
        "Any",
        "vtkImageData, vtkUnstructuredGrid, vtkPolyData, blocks of these, or PyVista dataset",
        "Image, or mesh of tetrahedra or triangles.",
    ),
    "array": ("str | None = None", "str, optional", "Name of the scalar field; by default the "
              "active scalars."),
    "association": ('Literal["point", "cell"] | None = None', '{"point", "cell"}, optional',
                    "Location of the scalar field; by default points are searched before cells."),
}  # fmt: skip


@dataclass(frozen=True)
class Function:
    """A function that runs a filter.

    inputs: parameter -> annotation and default, type for the documentation, text. The first
    `positional` of them may be given by position. They replace the options of the same name.
    """

    filter: str
    module: str
    summary: str
    inputs: Mapping[str, tuple[str, str, str]]
    prepare: str  # the call that returns the dataset
    returns: str  # class of several outputs, "Any" for a single one
    result: str
    example: str
    positional: int = 2
    omitted: tuple[str, ...] = ()  # options that an input replaces
    first: Mapping[str, str] = field(default_factory=dict)  # options of the constructor -> source


FUNCTIONS: Mapping[str, Function] = {
    "morse_smale_complex": Function(
        filter="MorseSmaleComplex",
        module="filters.scalar_field.morse_smale_complex",
        summary="Compute the Morse-Smale complex of a scalar field on an image or a mesh.",
        inputs=FIELD,
        prepare="field_input(filter, image, array, association)",
        returns="MorseSmaleOutputs",
        result=(
            "critical_points, separatrices_1, separatrices_2 (polydata), segmentation (of the "
            "class of the input), graph (polydata), and regions (table)."
        ),
        example="""\
>>> import numpy as np, pyvista
>>> image = pyvista.ImageData(dimensions=(20, 20, 20), spacing=(0.5, 0.5, 0.5))
>>> image["waves"] = np.sin(image.points).prod(axis=1)
>>> complex = morse_smale_complex(image, "waves", persistence=0.2)
>>> complex.critical_points["CriticalType"].max().item()
3
>>> complex.segmentation.dimensions
(20, 20, 20)
""",
    ),
    "persistence_diagram": Function(
        filter="PersistenceDiagram",
        module="filters.scalar_field.persistence_diagram",
        summary="Compute the persistence diagram of a scalar field on an image or a mesh.",
        inputs={
            **FIELD,
            "dimensions": ("Iterable[int] = (0, 1, 2)", "sequence of int, default (0, 1, 2)",
                           "Dimensions of the pairs to compute: 0 components, 1 tunnels (in 2D, "
                           "hills), 2 voids (3D only)."),
        },
        omitted=("compute_dimension_0", "compute_dimension_1", "compute_dimension_2"),
        prepare="diagram_input(filter, image, array, association, dimensions)",
        returns="PersistenceDiagramOutputs",
        result="diagram (unstructured grid) and curves (table).",
        example="""\
>>> import numpy as np, pyvista
>>> sphere = pyvista.Sphere()
>>> sphere["height"] = sphere.points[:, 2]
>>> diagram = persistence_diagram(sphere, "height").diagram
>>> births_of_voids = diagram["Birth"][diagram["PairType"] == 2]
>>> len(births_of_voids)  # a sphere encloses one, which is essential
1
""",
    ),
    "critical_points": Function(
        filter="CriticalPoints",
        module="filters.scalar_field.critical_points",
        summary="Compute the critical points of a scalar field on an image or a mesh.",
        inputs=FIELD,
        prepare="field_input(filter, image, array, association)",
        returns="Any",
        result="vtkPolyData with one vertex per critical point.",
        example="""\
>>> import numpy as np, pyvista
>>> image = pyvista.ImageData(dimensions=(30, 30, 1), spacing=(0.4, 0.4, 1.0))
>>> image["waves"] = np.sin(image.points[:, 0]) * np.sin(image.points[:, 1])
>>> points = critical_points(image)
>>> maxima = points.points[points["CriticalType"] == 3]
>>> len(maxima)
8
""",
    ),
    "discrete_gradient": Function(
        filter="DiscreteGradient",
        module="filters.scalar_field.discrete_gradient",
        summary="Compute the discrete gradient of a scalar field on an image or a mesh.",
        inputs=FIELD,
        prepare="field_input(filter, image, array, association)",
        returns="DiscreteGradientOutputs",
        result="critical_points, gradient (points with vectors), and arrows (lines).",
        example="""\
>>> import numpy as np, pyvista
>>> image = pyvista.ImageData(dimensions=(12, 12, 1))
>>> image["hill"] = -((image.points - 5.5) ** 2).sum(axis=1)
>>> gradient = discrete_gradient(image, stride=4)
>>> gradient.arrows.n_lines == gradient.gradient.n_points
True
""",
    ),
    "mesh_relations": Function(
        filter="MeshRelations",
        module="filters.mesh.mesh_relations",
        summary="Compute the relations of a mesh of tetrahedra or triangles.",
        inputs={
            "mesh": ("Any", "vtkUnstructuredGrid, vtkPolyData, blocks of these, or PyVista dataset",
                     "Mesh of tetrahedra or triangles."),
            "segments": ("str | None = None", "str, optional",
                         "Name of a point array of integers, the segment of each point; by "
                         "default an octree groups the points."),
        },
        prepare="mesh_input(filter, mesh, segments)",
        returns="MeshRelationsOutputs",
        result="mesh, edges, triangles, boundary (polydata), relations, and statistics (tables).",
        example="""\
>>> import pyvista
>>> mesh = pyvista.Icosahedron()
>>> found = mesh_relations(mesh, relations=("VV", "EF"), compute_edges=True)
>>> found.edges.n_lines
30
>>> len(found.relations.field_data["VV_Items"])  # each edge from both its ends
60
""",
    ),
    "rips_barcodes": Function(
        filter="RipsBarcodes",
        module="filters.points.rips_barcodes",
        summary="Compute the Vietoris-Rips barcodes of points or of a distance matrix.",
        inputs={
            "points": ("Any", POINTS.replace("(n, 3)", "(n, k)"),
                       "Points in any number of dimensions, or a table that contains their "
                       "coordinates or a distance matrix."),
            "weights": ("Any = None", NAME_OR_ARRAY,
                        "Birth values of the points on the scale of the distances, or the name of "
                        "their array, for a weighted filtration."),
            "positions": ("Any = None", "like `points`, optional",
                          "Where to draw the points; by default at their first three coordinates."),
        },
        prepare="rips_input(filter, points, weights, positions)",
        returns="RipsBarcodesOutputs",
        result=(
            "barcode and representatives (polydata), diagram (unstructured grid), bars, "
            "betti_curves, and statistics (tables)."
        ),
        example="""\
>>> import pyvista
>>> ring = pyvista.Polygon(n_sides=30)
>>> outputs = rips_barcodes(ring, max_dimension=1)
>>> int((outputs.bars["Dimension"] == 1).sum())  # one loop
1
>>> outputs.representatives.n_lines  # and a line through its points
1
""",
    ),
    "point_density": Function(
        filter="PointDensity",
        module="filters.points.point_density",
        summary="Compute the density of points on an image.",
        inputs={
            "points": ("Any", POINTS, "Points in space."),
            "weights": ("Any = None", NAME_OR_ARRAY,
                        "Weights of the points, or the name of their array; by default 1 each."),
        },
        prepare="points_input(filter, points, weights)",
        returns="Any",
        result="vtkImageData with the point array Density, and DensityGradient if requested.",
        example="""\
>>> import numpy as np, pyvista
>>> points = pyvista.PointSet(np.random.default_rng(0).normal(size=(100, 3)))
>>> image = point_density(points, sigma=0.5, spacing=0.25)
>>> round(image["Density"].sum() * 0.25**3)  # the sum of the weights
100
""",
    ),
    "neighbor_statistics": Function(
        filter="NeighborStatistics",
        module="filters.points.neighbor_statistics",
        summary="Compute distances to neighbors, local densities, and nearest critical points.",
        inputs={
            "points": ("Any", POINTS, "Points in space."),
            "critical_points": ("Any = None", "like `points`, optional",
                                "Other points, such as the first output of "
                                "`morse_smale_complex`."),
        },
        prepare="neighbor_input(filter, points, critical_points)",
        returns="Any",
        result="vtkPointSet of the class of the points, with arrays added.",
        example="""\
>>> import pyvista
>>> row = pyvista.Line((0, 0, 0), (4, 0, 0), resolution=4)
>>> neighbor_statistics(row, number_of_neighbors=1)["DistanceToNearest"].tolist()
[1.0, 1.0, 1.0, 1.0, 1.0]
""",
    ),
    "alpha_complex": Function(
        filter="AlphaComplex",
        module="filters.molecules.alpha_complex",
        summary="Compute the weighted alpha complex of balls, with voids, pockets, and measures.",
        inputs={
            "atoms": ("Any", POINTS, "Centers of the balls, such as the atoms of a molecule."),
            "alpha": ("float = 0.0", "float, default 0.0",
                      "Squared length to add to each squared radius."),
            "radius": ("Any = None", "float, str, or (n,) array_like, optional",
                       "One radius for all balls, one radius per ball, or the name of their array; "
                       'by default the array "radius", otherwise the van der Waals radii of Bondi '
                       "by atomic number."),
        },
        prepare="atoms_input(filter, atoms, radius)",
        omitted=("radius_array", "constant_radius"),
        first={"alpha": "alpha"},
        returns="AlphaComplexOutputs",
        result="complex, boundary, voids, pockets, atoms, and diagram.",
        example="""\
>>> import numpy as np, pyvista
>>> corners = pyvista.PointSet([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
>>> found = alpha_complex(corners, radius=0.8)
>>> found.complex.n_cells  # three points, three edges, and the triangle
7
>>> area = found.atoms["Area"]  # of each ball, on the surface of the union
""",
    ),
    "read_molecule": Function(
        filter="MoleculeReader",
        module="filters.molecules.molecule_reader",
        summary="Read the atoms of a molecule as points.",
        inputs={
            "path": ("str | os.PathLike[str]", "path-like",
                     "File to read: .pdb, .ent, .cif, .mmcif, .pqr, .xyz, or .crd, also with .gz."),
        },
        prepare="None",
        positional=1,
        omitted=("file_name",),
        first={"file_name": "os.fspath(path)"},
        returns="Any",
        result=(
            "vtkPolyData; `separatrix_vtk.pyvista.read_molecule` returns a pyvista.PolyData."
        ),
        example="""\
>>> atoms = read_molecule("sample_data/1crn.pdb")
>>> atoms.GetNumberOfPoints()
327
""",
    ),
}  # fmt: skip
