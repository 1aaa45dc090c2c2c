"""Hidden points and cells of an image, and NaN on request, are excluded from the domain."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes, vtkImageData, vtkUniformGrid
from vtkmodules.vtkIOXML import vtkXMLImageDataWriter

import separatrix as sx
import separatrix_vtk
from filters.images import cell_array, failed, image_with, noise, point_array, updated
from filters.meshes import boxes, grid_of
from separatrix_vtk.cli.app import run_command

SHAPE = (6, 7, 8)
VALUES = noise(*SHAPE, seed=41)
POINTS = np.random.default_rng(42).random(SHAPE) < 0.98
CELLS = np.random.default_rng(43).random((5, 6, 7)) < 0.95
GHOSTS = vtkDataSetAttributes.GhostArrayName()
HIDDENPOINT, HIDDENCELL = vtkDataSetAttributes.HIDDENPOINT, vtkDataSetAttributes.HIDDENCELL
DUPLICATE = vtkDataSetAttributes.DUPLICATECELL


def hide(image: Any, points: Any = None, cells: Any = None) -> Any:
    """The image, with marks where the arrays of what stays are False."""
    for attributes, stays, flag in (
        (image.GetPointData(), points, HIDDENPOINT),
        (image.GetCellData(), cells, HIDDENCELL),
    ):
        if stays is not None:
            marks = np.where(stays, DUPLICATE, flag).astype(np.uint8).ravel()
            array = numpy_to_vtk(marks, deep=True)
            array.SetName(GHOSTS)
            attributes.AddArray(array)
    return image


def complex_of(dataset: Any, **options: Any) -> Any:
    return updated(
        separatrix_vtk.MorseSmaleComplex(
            device="cpu",
            compute_descending_separatrices_2=True,
            compute_ascending_separatrices_2=True,
            compute_top_cell_labels=True,
            compute_simplified_field=True,
            persistence=5.0,
            **options,
        ),
        dataset,
    )


def assert_outputs_are_the_engines(filter: Any, values: Any, **masks: Any) -> None:
    found = sx.morse_smale(values, device="cpu", **masks).simplify(5.0)
    points = filter.GetOutput(0)
    kept = found.is_persistent
    ids = point_array(points, "CellId").tolist()
    assert ids == found.critical.cell_id[kept].tolist()
    boundary = point_array(points, "IsOnBoundary").tolist()
    assert boundary == found.critical.on_boundary[kept].tolist()
    segmentation = filter.GetOutput(3)
    for kind, name in (
        ("descending", "DescendingManifold"),
        ("ascending", "AscendingManifold"),
        ("morse_smale", "MorseSmaleManifold"),
    ):
        labels = point_array(segmentation, name)
        np.testing.assert_array_equal(labels, found.segmentation(kind).ravel())
    simplified = point_array(segmentation, "SimplifiedField")
    stays = found.segmentation("descending").ravel() >= 0
    np.testing.assert_array_equal(simplified[stays], found.simplified_field().values.ravel()[stays])
    if not masks.get("periodic"):
        labels = cell_array(segmentation, "AscendingManifold")
        np.testing.assert_array_equal(labels, found.cell_labels().ravel())
        assert (labels >= 0).any()


@pytest.mark.parametrize("kind", [vtkImageData, vtkUniformGrid])
def test_blanked_points_and_cells_are_excluded(kind):
    image = kind()
    image.ShallowCopy(image_with(VALUES))
    if kind is vtkUniformGrid:
        for point in np.flatnonzero(~POINTS):
            image.BlankPoint(int(point))
        for cell in np.flatnonzero(~CELLS):
            image.BlankCell(int(cell))
    else:
        hide(image, POINTS, CELLS)
    filter = complex_of(image)
    assert_outputs_are_the_engines(filter, VALUES, mask=POINTS, cell_mask=CELLS)


def test_nan_is_masked_if_requested():
    values = np.where(POINTS, VALUES, np.nan)
    filter = complex_of(image_with(values), nan="mask")
    assert_outputs_are_the_engines(filter, VALUES, mask=POINTS)
    said = failed(separatrix_vtk.MorseSmaleComplex(device="cpu"), image_with(values))
    assert "Set nan='mask' to exclude NaN values" in said


def test_cells_of_the_dual_image_are_hidden_by_marks_of_cells_and_of_their_points():
    values = noise(*CELLS.shape, seed=44)
    points = np.ones(SHAPE, bool)
    points[2, 3, 4] = points[0, 0, 0] = False
    stays = CELLS.copy()
    stays[1:3, 2:4, 3:5] = stays[0, 0, 0] = False
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    updated(filter, hide(image_with(values, cells=True), points, CELLS))
    found = sx.morse_smale(values, mask=stays, device="cpu")
    labels = cell_array(filter.GetOutput(3), "MorseSmaleManifold")
    np.testing.assert_array_equal(labels, found.segmentation("morse_smale").ravel())


def test_the_cells_across_a_period_are_not_hidden():
    across = np.pad(CELLS, ((0, 0), (0, 1), (0, 1)), constant_values=True)
    filter = complex_of(hide(image_with(VALUES), None, CELLS), periodic="xy")
    assert_outputs_are_the_engines(filter, VALUES, cell_mask=across, periodic=(True, True, False))


def test_the_diagram_ends_at_the_extreme_values_of_the_domain():
    values, points, cells = VALUES.copy(), POINTS.copy(), np.ones((5, 6, 7), bool)
    points[0, 0, 0] = True
    values[3, 3, 3], points[3, 3, 3] = 1e6, False  # hidden by its mark
    values[0, 0, 0], cells[0, 0, 0] = -1e6, False  # and by the only cell at it
    diagram = separatrix_vtk.PersistenceDiagram(device="cpu")
    updated(diagram, hide(image_with(values), points, cells))
    used = points.copy()
    used[0, 0, 0] = False
    low, high = values[used].min(), values[used].max()
    table = diagram.GetOutput()
    births, deaths = cell_array(table, "Birth"), cell_array(table, "Death")
    assert (births.min(), deaths.max()) == (low, high)
    expected = sx.persistence_diagram(values, mask=points, cell_mask=cells, device="cpu")
    finite = cell_array(table, "IsFinite")[cell_array(table, "PairType") >= 0]
    assert np.count_nonzero(finite == 0) == np.count_nonzero(expected.is_essential)
    rows = point_array(table, "ttkVertexScalarField")
    assert used.ravel()[rows].all()


def test_topological_simplification_leaves_masked_points_as_they_are():
    values = np.where(POINTS, VALUES, np.nan)
    filter = separatrix_vtk.TopologicalSimplification(device="cpu", nan="mask", persistence=5.0)
    output = updated(filter, hide(image_with(values), None, CELLS)).GetOutput()
    simple = sx.morse_smale(VALUES, mask=POINTS, cell_mask=CELLS, device="cpu").simplify(5.0)
    assert filter.report["minima"] == simple.critical.counts[0]
    found = point_array(output, "field").reshape(SHAPE)
    np.testing.assert_array_equal(np.isnan(found), ~POINTS)
    assert 0 < filter.report["largest_change"] < 5
    assert filter.report["largest_change"] == np.nanmax(abs(found - values))


@pytest.mark.parametrize(
    "name", ["CriticalPoints", "DiscreteGradient", "PersistenceDiagram", "MorseSmaleComplex"]
)
def test_an_image_without_visible_points_is_an_error(name):
    filter = getattr(separatrix_vtk, name)(device="cpu")
    failed(filter, hide(image_with(VALUES), np.zeros(SHAPE, bool)))
    assert filter.last_error.startswith("All points of the image are masked")


def test_cells_of_a_mesh_at_nan_are_excluded():
    points, tets, values = boxes(4)
    lost = np.flatnonzero(points[:, 0] > 2.5)[::2]
    values = values.astype(float)
    values[lost] = np.nan
    stays = ~np.isin(tets, lost).any(axis=1)
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu", nan="mask", tetrahedralize=True)
    said = failed(filter, grid_of(points, tets, values))
    assert filter.last_error == ""
    assert f"{(~stays).sum()} hidden cells were ignored" in said
    mesh = sx.TetMesh(points, tets[stays], device="cpu")
    found = mesh.morse_smale(values)
    assert filter.report["critical_cells"] == found.critical.counts
    labels = point_array(filter.GetOutput(3), "MorseSmaleManifold")
    np.testing.assert_array_equal(labels, found.segmentation("morse_smale"))
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    failed(filter, grid_of(points, tets, values))
    assert filter.last_error.endswith("Remove the cells at these points, or assign values to them.")


def test_the_shell_masks_nan(tmp_path, capsys):
    values = np.where(POINTS, VALUES, np.nan)
    writer = vtkXMLImageDataWriter()
    writer.SetInputData(image_with(values))
    writer.SetFileName(str(tmp_path / "a.vti"))
    writer.Write()
    arguments = ["critical-points", str(tmp_path / "a.vti"), str(tmp_path / "b.vtp")]
    assert run_command([*arguments, "--device", "cpu"]) != 0
    assert "--nan mask" in capsys.readouterr().err
    assert run_command([*arguments, "--device", "cpu", "--nan", "mask"]) == 0
