"""AlphaComplex in a periodic box, of the atoms' cell or given by the user."""

import numpy as np
import pytest
from vtkmodules.util.numpy_support import numpy_to_vtk

import separatrix as sx
import separatrix_vtk
from filters.images import cell_array as cells
from filters.images import point_array as points
from filters.point_sets import polydata_of

SIDE = 8.0


def crystal() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(2)
    return random.uniform(0, SIDE, (130, 3)).round(3), random.uniform(0.3, 0.8, 130).round(3)


def filtered(**settings) -> separatrix_vtk.AlphaComplex:
    centers, radii = crystal()
    data = polydata_of(centers, radius=radii)
    cell = numpy_to_vtk(np.array([[SIDE] * 3 + [90.0] * 3]), deep=True)
    cell.SetName("Cell")
    data.GetFieldData().AddArray(cell)
    filter = separatrix_vtk.AlphaComplex(device="cpu", **settings)
    filter.SetInputData(data)
    filter.Update()
    return filter


@pytest.mark.parametrize("box", [{"box_source": "cell"}, {"box": (SIDE,) * 3 + (90.0,) * 3}])
def test_outputs_are_those_of_the_engine_with_copies_as_points(box):
    filter = filtered(alpha=0.2, compute_pockets=True, compute_diagram=True, **box)
    assert filter.last_error == ""
    expected = sx.alpha_complex(*crystal(), np.inf, box=[SIDE] * 3, device="cpu").at(0.2)
    report, pockets = filter.report, expected.pockets()
    assert [report[f"Betti{d}"] for d in range(4)] == list(expected.betti)
    assert report["TotalVolume"] == expected.volume()
    assert report["TotalVolume"] + report["PocketVolume"] == pytest.approx(SIDE**3)
    grid, walls = filter.GetOutput(0), filter.GetOutput(3)
    assert grid.GetNumberOfCells() == sum(expected.counts)
    assert grid.GetNumberOfPoints() > 130
    atom, places = (
        points(grid, "AtomId"),
        np.array([grid.GetPoint(i) for i in range(len(points(grid, "AtomId")))]),
    )
    apart = (places - crystal()[0][atom]) / SIDE
    np.testing.assert_allclose(apart, np.rint(apart), atol=1e-6)
    assert not apart[:130].any()
    lengths = [grid.GetCell(row).GetLength2() for row in range(grid.GetNumberOfCells())]
    assert max(lengths) < (SIDE / 2) ** 2  # nothing is split across the box
    assert walls.GetNumberOfCells() == len(pockets.facets)
    assert set(cells(walls, "Periodicity")) == set(pockets.periodicity.tolist())
    assert max(walls.GetCell(row).GetLength2() for row in range(len(pockets.facets))) < 16
    assert filter.GetOutput(5).GetNumberOfCells() > 100
    assert "Betti numbers" in "\n".join(filter.result_lines(report))


def corners_of(walls) -> np.ndarray:
    def point(row: int, k: int) -> tuple[float, ...]:
        return walls.GetCell(row).GetPoints().GetPoint(k)

    n = walls.GetNumberOfCells()
    return np.array([[point(row, k) for k in range(3)] for row in range(n)])


def test_boundary_and_voids_are_those_of_the_engine_in_one_piece_each():
    alpha = 1.1
    filter = filtered(alpha=alpha, box_source="cell")
    expected = sx.alpha_complex(*crystal(), alpha, box=[SIDE] * 3, device="cpu")
    surface, voids = expected.boundary_surface(), expected.voids()
    assert len(voids) > 2
    boundary, walls = filter.GetOutput(1), filter.GetOutput(2)
    centers = crystal()[0]
    for output, triangles, shifts in (
        (boundary, surface.triangles, surface.shifts),
        (walls, voids.facets, voids.facet_shifts),
    ):
        places = centers[triangles] + shifts * SIDE
        np.testing.assert_allclose(corners_of(output), places, atol=1e-5)
    assert np.array_equal(cells(boundary, "VoidId"), surface.void)
    assert filter.report["NumberOfVoids"] == len(voids)
    assert filter.report["VoidVolume"] == voids.volume.sum()
    atom = points(filter.GetOutput(4), "VoidId")
    assert set(np.flatnonzero(atom >= 0)) == set(voids.atoms.tolist())


def test_protrusions_in_a_box_are_those_of_the_engine():
    filter = filtered(alpha=0.0, box_source="cell", protrusion_radius=0.9)
    expected = sx.alpha_complex(*crystal(), 0.0, box=[SIDE] * 3, device="cpu").protrusions(0.9)
    assert filter.report["NumberOfProtrusions"] == len(expected) > 0
    assert set(np.flatnonzero(points(filter.GetOutput(4), "ProtrusionId") >= 0)) == set(
        expected.atoms.tolist()
    )


def test_a_smaller_alpha_in_a_box_is_a_threshold():
    filter = filtered(alpha=0.2, box_source="cell")
    filter.alpha = -0.1
    filter.Update()
    expected = sx.alpha_complex(*crystal(), -0.1, box=[SIDE] * 3, device="cpu")
    assert filter.GetOutput(0).GetNumberOfCells() == sum(expected.counts)
    assert "stars" not in filter.report["seconds"]


def test_a_missing_cell_is_an_error():
    with pytest.raises(separatrix_vtk.FilterError, match="do not contain an array 'Cell'"):
        separatrix_vtk.alpha_complex(
            polydata_of(crystal()[0], radius=crystal()[1]), box_source="cell", device="cpu"
        )
    with pytest.raises(
        (separatrix_vtk.FilterError, sx.InputError),
        match="box must be three positive lengths, before",
    ):
        separatrix_vtk.alpha_complex(
            polydata_of(crystal()[0], radius=crystal()[1]), box_source="custom", device="cpu"
        )


def test_a_box_as_a_keyword_applies_without_its_source():
    data = polydata_of(crystal()[0], radius=crystal()[1])
    settings = {"alpha": 0.2, "box": (SIDE,) * 3 + (90.0,) * 3, "device": "cpu"}
    found, stated, without = (
        separatrix_vtk.alpha_complex(data, **{**settings, **source})
        for source in ({}, {"box_source": "custom"}, {"box_source": "none"})
    )
    n_cells = [outputs.complex.GetNumberOfCells() for outputs in (found, stated, without)]
    assert n_cells[0] == n_cells[1] != n_cells[2]
