"""Positions: extents with any origin, rotated images, flat images, cell data."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkImagingCore import vtkRTAnalyticSource

import separatrix as sx
import separatrix_vtk
from filters.images import (
    TURNED,
    cell_array,
    failed,
    image_with,
    message_window,
    noise,
    point_array,
    points_of,
    updated,
)

PLACED: dict[str, Any] = {
    "first": (3, -2, 10),
    "spacing": (0.5, 2.0, 1.5),
    "origin": (10.0, 20.0, 30.0),
    "direction": TURNED,
}


def run(image: vtkImageData, **settings: Any) -> Any:
    filter = updated(separatrix_vtk.MorseSmaleComplex(device="cpu", **settings), image)
    return filter


def minima_of(filter: Any) -> tuple[np.ndarray, np.ndarray]:
    """Positions and point ids of the minima, which are at points of the image."""
    points = filter.GetOutput(0)
    minima = point_array(points, "CellDimension") == 0
    return points_of(points)[minima], point_array(points, "ttkVertexScalarField")[minima]


@pytest.mark.parametrize("changed", [*PLACED, "all"])
def test_minima_are_at_the_points_that_vtk_gives_them(changed):
    place = PLACED if changed == "all" else {changed: PLACED[changed]}
    image = image_with(noise(5, 6, 7), **place)
    positions, ids = minima_of(run(image))
    np.testing.assert_allclose(positions, [image.GetPoint(int(i)) for i in ids], rtol=1e-12)


def test_spacing_origin_and_direction_change_only_positions():
    values = noise(5, 6, 7)
    plain, placed = run(image_with(values)), run(image_with(values, **PLACED))
    for name in ("CellId", "ttkVertexScalarField", "field"):
        np.testing.assert_array_equal(
            point_array(plain.GetOutput(0), name), point_array(placed.GetOutput(0), name)
        )
    np.testing.assert_array_equal(
        point_array(plain.GetOutput(3), "MorseSmaleManifold"),
        point_array(placed.GetOutput(3), "MorseSmaleManifold"),
    )


def test_a_negative_spacing_turns_the_axis_round():
    image = image_with(noise(5, 6, 7))
    with message_window():
        image.SetSpacing(1.0, -2.0, 1.0)
    if image.GetSpacing()[1] > 0:
        pytest.skip("this VTK takes no negative spacing")
    positions, ids = minima_of(run(image))
    np.testing.assert_allclose(positions, [image.GetPoint(int(i)) for i in ids])


def test_a_flat_axis_may_have_a_spacing_of_zero():
    image = image_with(noise(1, 6, 7))
    with message_window():
        image.SetSpacing(1.0, 1.0, 0.0)
    positions, ids = minima_of(run(image))
    np.testing.assert_allclose(positions, [image.GetPoint(int(i)) for i in ids])


def test_the_segmentation_has_the_inputs_grid():
    image = image_with(noise(5, 6, 7), **PLACED)
    labels = run(image).GetOutput(3)
    assert labels.GetExtent() == image.GetExtent() == (3, 9, -2, 3, 10, 14)
    assert labels.GetOrigin() == image.GetOrigin()
    assert labels.GetSpacing() == image.GetSpacing()
    matrix = labels.GetDirectionMatrix()
    assert [matrix.GetElement(i, j) for i in range(3) for j in range(3)] == list(TURNED)


def test_an_extent_that_does_not_begin_at_zero_survives_a_pipeline():
    source = vtkRTAnalyticSource()
    source.SetWholeExtent(-3, 4, 2, 8, 5, 9)
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    filter.SetInputConnection(source.GetOutputPort())
    filter.Update()
    filter.UpdateInformation()
    assert filter.GetOutput(3).GetExtent() == (-3, 4, 2, 8, 5, 9)
    whole = filter.GetExecutive().GetOutputInformation(3)
    assert whole.Get(filter.GetExecutive().WHOLE_EXTENT()) == (-3, 4, 2, 8, 5, 9)


def test_a_request_for_a_part_processes_the_whole_image():
    source = vtkRTAnalyticSource()
    source.SetWholeExtent(0, 9, 0, 9, 0, 9)
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    filter.SetInputConnection(source.GetOutputPort())
    filter.GetExecutive().UpdateInformation()
    info = filter.GetExecutive().GetOutputInformation(3)
    info.Set(filter.GetExecutive().UPDATE_EXTENT(), (0, 4, 0, 4, 0, 4), 6)
    filter.Update(3)
    assert filter.report["dimensions"] == (10, 10, 10)
    assert filter.GetOutput(3).GetExtent() == (0, 9, 0, 9, 0, 9)


@pytest.mark.parametrize("piece", [0, 1])
@pytest.mark.parametrize("port", range(4))
def test_piece_0_of_a_requested_number_of_pieces_has_the_whole_complex(piece, port):
    source = vtkRTAnalyticSource()
    source.SetWholeExtent(0, 9, 0, 9, 0, 9)
    whole, filter = (separatrix_vtk.MorseSmaleComplex(device="cpu") for _ in range(2))
    for one in (whole, filter):
        one.SetInputConnection(source.GetOutputPort())
    whole.Update()
    executive = filter.GetExecutive()
    executive.UpdateInformation()
    info = executive.GetOutputInformation(port)
    info.Set(executive.UPDATE_PIECE_NUMBER(), piece)
    info.Set(executive.UPDATE_NUMBER_OF_PIECES(), 2)
    filter.Update(port)
    assert filter.report["critical_cells"] == whole.report["critical_cells"]
    n_points = whole.GetOutput(port).GetNumberOfPoints()
    expected = n_points if piece == 0 or port == 3 else 0
    assert filter.GetOutput(port).GetNumberOfPoints() == expected


@pytest.mark.parametrize("persistence", [0.0, 12.0])
def test_cell_data_are_the_points_of_the_dual_image(persistence):
    values = noise(4, 5, 6)
    image = image_with(values, cells=True, **PLACED)
    filter = run(image, persistence=persistence, compute_simplified_field=True)
    expected = sx.morse_smale(values, persistence=persistence, device="cpu")
    points, labels = filter.GetOutput(0), filter.GetOutput(3)
    np.testing.assert_array_equal(point_array(points, "CellId"), expected.critical.cell_id)
    np.testing.assert_array_equal(point_array(points, "field"), expected.critical.value)
    assert labels.GetExtent() == image.GetExtent()
    assert labels.GetPointData().GetNumberOfArrays() == 0
    for kind, name in (("descending", "DescendingManifold"), ("morse_smale", "MorseSmaleManifold")):
        expected_labels = expected.segmentation(kind).reshape(-1)
        np.testing.assert_array_equal(cell_array(labels, name), expected_labels)
    simplified = expected.simplified_field().values.reshape(-1)
    np.testing.assert_array_equal(cell_array(labels, "SimplifiedField"), simplified)


@pytest.mark.parametrize("shape", [(4, 5, 6), (1, 5, 6), (1, 1, 6)])
def test_minima_of_cell_data_are_at_the_centers_of_cells(shape):
    image = image_with(noise(*shape), cells=True, **PLACED)
    if shape[0] == 1:  # an image of one layer of points: its cells are flat
        first, last = image.GetExtent()[4:]
        image.SetExtent(*image.GetExtent()[:4], first, last - 1)
    positions, ids = minima_of(run(image))
    for position, cell in zip(positions, ids, strict=True):
        bounds = np.array(image.GetCell(int(cell)).GetBounds()).reshape(3, 2)
        np.testing.assert_allclose(position, bounds.mean(axis=1), rtol=1e-12)


def test_top_cell_labels_of_cell_data_are_omitted_with_a_warning():
    image = image_with(noise(4, 5, 6), cells=True)
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu", compute_top_cell_labels=True)
    said = failed(filter, image)
    assert "Top cell labels were omitted" in said
    assert filter.last_error == ""
    expected = sx.morse_smale(noise(4, 5, 6), device="cpu").segmentation("ascending")
    found = cell_array(filter.GetOutput(3), "AscendingManifold")
    np.testing.assert_array_equal(found, expected.reshape(-1))


def test_positions_are_stored_in_double_precision():
    image = image_with(noise(4, 4, 4), origin=(1e9, 0.0, 0.0), spacing=(1e-3, 1.0, 1.0))
    points = vtk_to_numpy(run(image).GetOutput(0).GetPoints().GetData())
    assert points.dtype == np.float64
    assert len(np.unique(points[:, 0])) > 3
