"""Inputs of the functions: the dataset of a filter, from the arguments of its function.

Each takes the filter, sets its arrays and further inputs, and returns the dataset. The parameters
after the filter are also those of the function, and so is their description.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Literal

from separatrix import InputError
from separatrix.axes import is_labeled
from separatrix.errors import Words
from separatrix_vtk.base.arrays import names_of
from separatrix_vtk.base.datasets import vtk_dataset
from separatrix_vtk.base.filter import Filter
from separatrix_vtk.base.input_array import CELLS, POINTS, POINTS_THEN_CELLS
from separatrix_vtk.filters.mesh.mesh_relations import MeshRelations
from separatrix_vtk.filters.molecules.alpha_complex import AlphaComplex
from separatrix_vtk.filters.molecules.molecule_reader import MoleculeReader
from separatrix_vtk.filters.points.neighbor_statistics import NeighborStatistics
from separatrix_vtk.filters.points.point_arguments import is_array, points_given, with_numbers
from separatrix_vtk.filters.points.rips_barcodes import RipsBarcodes
from separatrix_vtk.filters.scalar_field.persistence_diagram import PersistenceDiagram
from separatrix_vtk.filters.scalar_field.topological_simplification import (
    TopologicalSimplification,
)
from separatrix_vtk.io.labeled_images import labeled_image

ASSOCIATIONS = {None: POINTS_THEN_CELLS, "point": POINTS, "cell": CELLS}
PLACES = {"POINT": POINTS, "CELL": CELLS}  # as PyVista calls them
WEIGHT, RADIUS = "weight", "radius"


def field_input(
    filter: Filter,
    image: Any,
    array: str | None = None,
    *,
    association: Literal["point", "cell"] | None = None,
) -> Any:
    """Return an image or mesh, after selecting its scalar field.

    image : vtkImageData, vtkUnstructuredGrid, vtkPolyData, blocks of these, or PyVista dataset
        Image, or mesh of tetrahedra or triangles; or an array of xarray, placed by its coordinates.
    array : str, optional
        Name of the scalar field; by default the active scalars.
    association : {"point", "cell"}, optional
        Location of the scalar field; by default points are searched before cells.
    """
    if association not in ASSOCIATIONS:
        raise InputError("association", "'point', 'cell', or None", association)
    check_name("array", array)
    dataset = vtk_dataset(
        labeled_image(image) if is_labeled(image) else image,
        "image",
        "an image or a mesh of VTK",
        "For arrays without VTK, use separatrix.morse_smale or separatrix.TetMesh.",
    )
    place = ASSOCIATIONS[association]
    if array is None and association is None:
        array, place = active_scalars_of(dataset)
    if array is not None or association is not None:
        filter.SetInputArrayToProcess(0, 0, 0, place, array or "")
    return dataset


def dimensions_input(filter: PersistenceDiagram, *, dimensions: Iterable[int] = (0, 1, 2)) -> None:
    """Set the dimensions of pairs.

    dimensions : sequence of int, default (0, 1, 2)
        Dimensions of the pairs to compute: 0 components, 1 loops (in 2D, hills), 2 voids (3D
        only).
    """
    chosen = list(dimensions) if isinstance(dimensions, Iterable) else [dimensions]
    if not chosen or any(dimension not in (0, 1, 2) for dimension in chosen):
        raise InputError("dimensions", "some of 0, 1, and 2, such as [0, 2]", dimensions)
    for dimension in range(3):
        setattr(filter, f"compute_dimension_{dimension}", dimension in chosen)


def kept_points_input(filter: TopologicalSimplification, *, critical_points: Any = None) -> None:
    """Set the points to keep.

    critical_points : dataset, optional
        Critical points, or pairs of a persistence diagram, whose minima and maxima are kept; by
        default all at or above `persistence`.
    """
    if critical_points is not None:
        expected = "a dataset of critical points"
        filter.SetInputDataObject(1, vtk_dataset(critical_points, "critical_points", expected))


def active_scalars_of(dataset: Any) -> tuple[str | None, int]:
    """Return name and association of PyVista's active scalars, if they are selected there.

    PyVista has one active array in total, VTK has one of the points and one of the cells.
    """
    info = getattr(dataset, "active_scalars_info", None)
    place = PLACES.get(getattr(getattr(info, "association", None), "name", ""))
    name = getattr(info, "name", None)
    return (None, POINTS_THEN_CELLS) if place is None or name is None else (name, place)


def mesh_input(filter: MeshRelations, mesh: Any, segments: str | None = None) -> Any:
    """Return a mesh, after selecting the array of its segments.

    mesh : vtkUnstructuredGrid, vtkPolyData, blocks of these, or PyVista dataset
        Mesh of tetrahedra or triangles.
    segments : str, optional
        Name of a point array of integers, the segment of each point; by default an octree groups
        the points.
    """
    if segments is not None:
        filter.segmentation, filter.segments = "array", segments
    remedy = "For arrays without VTK, use separatrix.TetMesh."
    return vtk_dataset(mesh, "mesh", "a mesh of VTK", remedy)


def points_input(filter: Filter, points: Any, weights: Any = None) -> Any:
    """Return a dataset of points in space, after selecting or adding their weights.

    points : VTK point set, molecule, or table, PyVista dataset, or (n, 3) array_like
        Points in space.
    weights : str or (n,) array_like, optional
        Weights of the points, or the name of their array; by default 1 each.
    """
    return _weighted(filter, points_given(points), weights)


def rips_input(
    filter: RipsBarcodes, points: Any, weights: Any = None, *, positions: Any = None
) -> Any:
    """Return a dataset of points in any dimension, after setting weights and positions.

    points : VTK point set, molecule, or table, PyVista dataset, or (n, k) array_like
        Points in any number of dimensions, or a table of their coordinates. With `distance_matrix`,
        an array or table of distances, (n, n). Without it, every array contains points, also a
        square symmetric one: n points in n dimensions. The columns of an array are x0, x1, ...
    weights : str or (n,) array_like, optional
        Birth values of the points on the scale of the distances, or the name of their array, for a
        weighted filtration.
    positions : like `points`, optional
        Where to draw the points; by default at their first three coordinates.
    """
    dataset = points_given(points, in_space=False)
    if filter.columns and dataset.IsA("vtkDataSet"):
        got, remedy = filter.columns, "Only tables and arrays have columns."
        raise InputError("columns", "omitted for points in a dataset", got, remedy)
    filter._has_points = is_array(points)
    if is_array(points) and not filter.columns:
        filter.columns = tuple(names_of(dataset.GetRowData()))
    if positions is not None:
        filter.SetInputDataObject(1, points_given(positions, "positions"))
    return _weighted(filter, dataset, weights)


def neighbor_input(
    filter: NeighborStatistics, points: Any, critical_points: Any = None, weights: Any = None
) -> Any:
    """Return a dataset of points, after setting the critical points and the weights.

    points : VTK point set, molecule, or table, PyVista dataset, or (n, 3) array_like
        Points in space.
    critical_points : like `points`, optional
        Other points, such as the first output of `morse_smale_complex`.
    weights : str or (n,) array_like, optional
        Weights of the points in the kernel density, or the name of their array.
    """
    if critical_points is not None:
        filter.SetInputDataObject(1, points_given(critical_points, "critical_points"))
    return _weighted(filter, points_given(points), weights)


def atoms_input(
    filter: AlphaComplex,
    atoms: Any,
    alpha: float = 0.0,
    *,
    radius: Any = None,
    weights: Any = None,
) -> Any:
    """Return a dataset of atoms, after setting or adding their radii or weights.

    atoms : VTK point set, molecule, or table, PyVista dataset, or (n, 3) array_like
        Centers of the balls, such as the atoms of a molecule.
    alpha : float, default 0.0
        Squared length to add to each squared radius.
    radius : float, str, or (n,) array_like, optional
        One radius for all balls, one radius per ball, or the name of their array; by default the
        array "radius", otherwise the van der Waals radii of Bondi by atomic number.
    weights : str or (n,) array_like, optional
        Squared radii of any sign instead of `radius`, or the name of their array.
    """
    filter.alpha = alpha
    dataset = points_given(atoms, "atoms")
    if weights is not None:
        if radius is not None:
            raise InputError("{radius} and {weights} cannot be combined. Omit one of them.")
        if is_array(weights):
            dataset, weights = with_numbers(dataset, weights, WEIGHT, "weights"), WEIGHT
        check_name("weights", weights, ", one number per point,")
        filter.radius_source, filter.weight_array = "weights", weights
    if radius is not None and is_array(radius):
        dataset, radius = with_numbers(dataset, radius, RADIUS, "radius"), RADIUS
    if isinstance(radius, str):
        filter.radius_source, filter.radius_array = "array", radius
    elif radius is not None:
        filter.radius_source, filter.constant_radius = "constant", radius
    return dataset


def molecule_input(filter: MoleculeReader, path: str | os.PathLike[str]) -> None:
    """Set the file of a reader, which has no dataset.

    path : path-like
        File to read: .pdb, .ent, .cif, .mmcif, .pqr, .xyz, or .crd, also with .gz.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise InputError("path", "the path of a file", Words(type(path).__name__))
    filter.file_name = os.fspath(path)


def check_name(parameter: str, name: Any, others: str = "") -> None:
    """Raise InputError unless a parameter is the name of an array or None.

    others: what else the parameter may be, in words.
    """
    if name is not None and not isinstance(name, str):
        remedy = "Add the values to the dataset, and pass the name of their array."
        got = Words(f"an array of shape {name.shape}") if hasattr(name, "shape") else name
        expected = f"the name of an array{others} or None"
        raise InputError(parameter, expected, got, "" if others else remedy)


def _weighted(filter: Filter, dataset: Any, weights: Any) -> Any:
    if weights is not None and is_array(weights):
        dataset, weights = with_numbers(dataset, weights, WEIGHT, "weights"), WEIGHT
    check_name("weights", weights, ", one number per point,")
    if weights is not None:
        filter.SetInputArrayToProcess(0, 0, 0, POINTS, weights)
    return dataset
