"""NeighborStatistics compared to the distances of all pairs, by documented array names."""

import math
from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkPolyData, vtkUnstructuredGrid

import separatrix_vtk
from filters.images import array_types, failed, image_with, is_empty, noise, point_array
from filters.point_sets import cloud, molecule_of, polydata_of, table_of

CRITICAL = {
    "CriticalType": np.array([0, 3, 1, 3, 2], np.int8),
    "CellId": np.array([10, 20, 30, 40, 50], np.int64),
}


def statistics(points: Any, critical: Any = None, **settings: Any) -> Any:
    return separatrix_vtk.neighbor_statistics(points, critical, device="cpu", **settings)


def distances_of(points: np.ndarray) -> np.ndarray:
    """Distances (n, n - 1) to the others, ascending: all pairs, by the definition."""
    every = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(every, np.inf)
    return np.sort(every, axis=1)[:, :-1]


@pytest.mark.parametrize("k", [1, 5, 39])
@pytest.mark.parametrize("include_self", [True, False])
def test_the_arrays_are_those_of_their_definitions(k, include_self):
    found = statistics(polydata_of(cloud()), number_of_neighbors=k, include_self=include_self)
    nearest = distances_of(cloud())[:, :k]
    counted = np.pad(nearest, ((0, 0), (1, 0)))[:, :k] if include_self else nearest
    expected = {
        "DistanceToNearest": nearest[:, 0],
        "DistanceToKthNearest": nearest[:, -1],
        "DistanceToMeasure": np.sqrt((counted**2).mean(axis=1)),
        "LocalDensity": k / (4 / 3 * math.pi * nearest[:, -1] ** 3),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(point_array(found, name), values, rtol=1e-12, err_msg=name)
    assert array_types(found.GetPointData()) == dict.fromkeys(expected, "double")
    assert found.GetPointData().GetScalars().GetName() == "DistanceToMeasure"
    assert found.GetFieldData().GetArray("NumberOfNeighbors").GetValue(0) == k


def test_all_neighbors_have_one_component_each():
    found = statistics(polydata_of(cloud()), number_of_neighbors=4, all_neighbors=True)
    np.testing.assert_allclose(
        point_array(found, "NearestDistances"), distances_of(cloud())[:, :4], rtol=1e-12
    )
    ids = point_array(found, "NearestIds")
    at = np.linalg.norm(cloud()[ids] - cloud()[:, None], axis=2)
    np.testing.assert_allclose(at, point_array(found, "NearestDistances"), rtol=1e-12)
    assert not (ids == np.arange(40)[:, None]).any()


def test_neighbors_within_a_closed_radius_are_counted():
    lattice = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), -1).reshape(-1, 3)
    found = statistics(polydata_of(lattice), radius=1.0)
    expected = (np.linalg.norm(lattice[:, None] - lattice, axis=2) <= 1.0).sum(axis=1) - 1
    np.testing.assert_array_equal(point_array(found, "NeighborsWithinRadius"), expected)
    assert not statistics(polydata_of(lattice)).GetPointData().HasArray("NeighborsWithinRadius")


def test_the_density_of_a_flat_set_is_per_area():
    flat = cloud()
    flat[:, 2] = 0.0
    found = point_array(statistics(polydata_of(flat), flat=True), "LocalDensity")
    np.testing.assert_allclose(found, 8 / (math.pi * distances_of(flat)[:, 7] ** 2), rtol=1e-12)


@pytest.mark.parametrize(
    ("kind", "rows"), [("all", [0, 1, 2, 3, 4]), ("maxima", [1, 3]), ("minima", [0])]
)
def test_the_nearest_critical_point_is_found(kind, rows):
    places = cloud(5, seed=9)
    found = statistics(polydata_of(cloud()), polydata_of(places, **CRITICAL), critical_kind=kind)
    every = np.linalg.norm(cloud()[:, None] - places[rows][None], axis=2)
    row = np.array(rows)[every.argmin(axis=1)]
    np.testing.assert_array_equal(point_array(found, "NearestCriticalPoint"), row)
    np.testing.assert_allclose(point_array(found, "DistanceToCriticalPoint"), every.min(axis=1))
    np.testing.assert_array_equal(
        point_array(found, "NearestCriticalCellId"), CRITICAL["CellId"][row]
    )
    np.testing.assert_array_equal(
        point_array(found, "NearestCriticalType"), CRITICAL["CriticalType"][row]
    )


def test_any_points_serve_as_critical_points():
    found = statistics(polydata_of(cloud()), table_of(x=[7.0, 9.0], y=[7.0, 8.0], z=[7.0, 8.0]))
    assert set(point_array(found, "NearestCriticalPoint")) == {0, 1}
    assert not found.GetPointData().HasArray("NearestCriticalType")


# === what goes in comes out


def test_points_keep_their_class_cells_and_arrays():
    grid = vtkUnstructuredGrid()
    grid.SetPoints(polydata_of(cloud()).GetPoints())
    found = statistics(grid)
    assert found.GetClassName() == "vtkUnstructuredGrid"
    points = polydata_of(cloud(), mass=np.arange(40.0))
    found = statistics(points)
    np.testing.assert_array_equal(point_array(found, "mass"), np.arange(40.0))
    assert found.GetNumberOfVerts() == 40
    assert points.GetNumberOfVerts() == 0
    assert not points.GetPointData().HasArray("LocalDensity")


def test_tables_and_molecules_become_vertices():
    x, y, z = cloud().T
    for given in (table_of(X=x, Y=y, Z=z, mass=x), molecule_of(cloud(), np.full(40, 6))):
        found = statistics(given)
        assert found.GetClassName() == "vtkPolyData"
        assert found.GetNumberOfVerts() == 40
        np.testing.assert_allclose(
            point_array(found, "DistanceToNearest"), distances_of(cloud())[:, 0], rtol=1e-4
        )
    assert statistics(table_of(x=x, y=y, mass=x)).GetPointData().HasArray("mass")


def test_the_class_of_the_input_may_change():
    filter = separatrix_vtk.NeighborStatistics(device="cpu")
    grid = vtkUnstructuredGrid()
    grid.SetPoints(polydata_of(cloud()).GetPoints())
    for given in (grid, polydata_of(cloud()), grid):
        filter.SetInputDataObject(given)
        filter.Update()
        assert filter.GetOutput().GetClassName() == given.GetClassName()
        assert filter.GetOutput().GetPointData().HasArray("LocalDensity")


# === bad input


POINTS, PEAKS = polydata_of(cloud()), polydata_of(cloud(5), **CRITICAL)
BAD: list[tuple[Any, Any, int, str]] = [
    (polydata_of(np.where(np.arange(3) < 2, cloud(), np.inf)), PEAKS, 3, "points must be finite;"),
    (image_with(noise(3, 3, 3)), PEAKS, 3, "a grid with its own points, a molecule, or a table; "
     "got vtkImageData."),
    (vtkPolyData(), PEAKS, 3, "The input has no points (vtkPolyData)."),
    (POINTS, PEAKS, 40, "number_of_neighbors must be at most 39, the number of other points; got "
     "40."),
    (POINTS, vtkPolyData(), 3, "Second input, critical points: The input has no points "
     "(vtkPolyData)."),
    (POINTS, polydata_of(np.full((1, 3), np.nan)), 3, "Second input, critical points: points must "
     "be finite"),
    (POINTS, polydata_of(cloud(1), CriticalType=np.zeros(1)), 3, "critical_kind must be a kind of "
     "the critical points of the second input; got"),
    (POINTS, polydata_of(cloud(1)), 3, "The point array 'CriticalType' was not found"),
]  # fmt: skip


@pytest.mark.parametrize(("points", "critical", "n", "sentence"), BAD)
def test_invalid_input_gives_one_sentence_and_an_empty_output(points, critical, n, sentence):
    filter = separatrix_vtk.NeighborStatistics(
        device="cpu", critical_kind="maxima", number_of_neighbors=n
    )
    filter.SetInputDataObject(1, critical)
    said = failed(filter, points)
    assert sentence in filter.last_error
    assert said.count("ERROR") == 1
    assert "Traceback" not in said
    assert is_empty(filter.GetOutput())


def test_empty_cell_data_are_removed_when_vertices_are_added():
    data, none = polydata_of(cloud(20)), polydata_of(cloud(1), none=np.empty(0))
    data.GetCellData().AddArray(none.GetPointData().GetArray("none"))
    found = separatrix_vtk.neighbor_statistics(data, device="cpu")
    assert found.GetNumberOfCells() == 20
    assert found.GetCellData().GetNumberOfArrays() == 0
