"""The Delaunay filter: the triangulation of the engine as valid VTK datasets."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkFiltersCore import vtkMassProperties
from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter

import separatrix as sx
import separatrix_vtk
from filters.images import failed, point_array
from filters.point_sets import cloud, molecule_of, places, polydata_of, table_of

RANDOM = np.random.default_rng(7)
WEIGHTS = RANDOM.uniform(-0.3, 0.3, 40)


def delaunay(points: Any, *weights: Any, **settings: Any) -> Any:
    return separatrix_vtk.delaunay(points, *weights, device="cpu", neighbors=True, **settings)


def corners_in(cells: Any) -> np.ndarray:
    return vtk_to_numpy(cells.GetConnectivityArray()).reshape(cells.GetNumberOfCells(), -1)


def numbers_in(grid: Any) -> dict[str, int]:
    data = grid.GetFieldData()
    arrays = [data.GetArray(i) for i in range(data.GetNumberOfArrays())]
    return {array.GetName(): int(array.GetValue(0)) for array in arrays}


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weighted"])
def test_tetrahedra_neighbors_hull_and_hidden_points_are_those_of_the_engine(weights):
    points = np.concatenate([cloud(), cloud()[:1]])  # the last point is a duplicate
    weights = None if weights is None else np.append(weights, -1.0)
    found, expected = delaunay(points, weights), sx.delaunay(points, weights, device="cpu")
    grid = found.tetrahedra
    cells = corners_in(grid.GetCells())
    assert (np.sort(cells, axis=1) == expected.tetrahedra).all()
    neighbors = vtk_to_numpy(grid.GetCellData().GetArray("Neighbors"))
    by_corner = np.argsort(cells, axis=1)
    assert (np.take_along_axis(neighbors, by_corner, axis=1) == expected.neighbors).all()
    assert np.flatnonzero(point_array(grid, "IsHidden")).tolist() == expected.hidden.tolist()
    assert point_array(found.hidden, "PointId").tolist() == expected.hidden.tolist()
    assert (places(found.hidden) == points[expected.hidden]).all()
    ids = point_array(found.hull, "PointId")
    assert (ids[corners_in(found.hull.GetPolys())] == expected.hull).all()
    assert numbers_in(grid) == {
        "Dimension": 3,
        "NumberOfPoints": 41,
        "NumberOfTetrahedra": len(cells),
        "NumberOfHullFacets": len(expected.hull),
        "NumberOfHiddenPoints": len(expected.hidden),
    }


def test_volumes_are_positive_and_add_up_to_that_of_the_hull_whose_normals_point_outwards():
    found = delaunay(np.concatenate([cloud(), cloud(8).round()]))
    sizes, mass = vtkCellSizeFilter(), vtkMassProperties()
    sizes.SetInputData(found.tetrahedra)
    sizes.Update()
    volumes = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume"))
    mass.SetInputData(found.hull)
    assert volumes.min() > 0
    assert volumes.sum() == pytest.approx(mass.GetVolume())


@pytest.mark.parametrize("dimension", [0, 1, 2])
def test_points_in_a_plane_or_on_a_line_have_triangles_or_lines(dimension):
    points = cloud()
    points[:, dimension:] = 1.0
    found, expected = delaunay(points), sx.delaunay(points, device="cpu")
    grid = found.tetrahedra
    assert numbers_in(grid)["Dimension"] == dimension
    assert grid.GetNumberOfCells() == len(expected.tetrahedra) * (dimension > 0)
    if dimension:
        assert (corners_in(grid.GetCells()) == expected.tetrahedra).all()
        made = (found.hull.GetVerts, found.hull.GetLines)[dimension - 1]()
        assert made.GetNumberOfCells() == len(expected.hull)


def test_arrays_of_the_input_are_passed_on_from_points_tables_and_molecules():
    points = cloud()
    axes = dict(zip("xyz", points.T.copy(), strict=True))
    for given in (
        polydata_of(points, mass=WEIGHTS),
        table_of(**axes, mass=WEIGHTS),
    ):
        found = delaunay(given, "mass")
        assert (point_array(found.tetrahedra, "mass") == WEIGHTS).all()
        kept = WEIGHTS[point_array(found.hull, "PointId")]
        assert (point_array(found.hull, "mass") == kept).all()
    atoms = delaunay(molecule_of(points, np.arange(1, 41)))
    assert atoms.tetrahedra.GetNumberOfCells() == len(sx.delaunay(points.astype("f4")).tetrahedra)


def test_too_many_tetrahedra_are_an_error_that_states_their_number():
    line = np.arange(20.0)
    skew = np.concatenate([np.c_[line, 0 * line, 0 * line], np.c_[0 * line, line, 0 * line + 5]])
    with pytest.raises(sx.InputError, match=r"^max_tetrahedra must be at least 361, the number of"):
        delaunay(skew, max_tetrahedra=360)
    assert delaunay(skew, max_tetrahedra=361).tetrahedra.GetNumberOfCells() == 361


@pytest.mark.parametrize(
    ("data", "settings", "sentence"),
    [
        (polydata_of(cloud()), {"weights": "w"}, "The point array 'w' was not found"),
        (polydata_of(np.full((5, 3), np.nan)), {}, "points must be finite; got points[0] ="),
        (polydata_of(np.empty((0, 3))), {}, "The input has no points"),
        (polydata_of(cloud()), {"max_tetrahedra": 7}, "max_tetrahedra must be at least "),
        (polydata_of(cloud()), {"resolution": 1e-30}, "resolution must be at least 2^-52 of the"),
    ],
)
def test_errors_are_one_sentence_and_leave_the_outputs_empty(data, settings, sentence):
    filter = separatrix_vtk.Delaunay(device="cpu", **settings)
    assert sentence in failed(filter, data)
    assert filter.GetOutput(0).GetNumberOfPoints() == 0
