"""PointDensity: the values and geometry of the engine in a valid VTK image."""

import math
from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkMultiBlockDataSet, vtkPolyData, vtkTable
from vtkmodules.vtkFiltersSources import vtkPointSource
from vtkmodules.vtkImagingCore import vtkImageShrink3D

import separatrix as sx
import separatrix_vtk
from filters.images import (
    count_runs,
    failed,
    image_with,
    is_empty,
    noise,
    point_array,
)
from filters.point_sets import cloud, molecule_of, polydata_of, table_of

WEIGHTS = np.linspace(-1.0, 3.0, 40)


def density(points: Any, weights: str | None = None, **settings: Any) -> Any:
    return separatrix_vtk.point_density(points, weights, device="cpu", **settings)


def field(image: Any, name: str) -> float:
    return float(image.GetFieldData().GetArray(name).GetValue(0))


@pytest.mark.parametrize(
    ("settings", "given"),
    [
        ({"sigma": 0.3}, {"sigma": 0.3}),
        ({"sigma": 0.3, "spacing": 0.21}, {"sigma": 0.3, "spacing": 0.21}),
        ({"sigma": 0.3, "padding": 0.0}, {"sigma": 0.3, "padding": 0.0}),
        ({"sigma": 0.3, "dimensions": (9, 8, 7)}, {"sigma": 0.3, "dimensions": (9, 8, 7)}),
        (
            {"sigma": 0.3, "dimensions": (9, 8, 7), "spacing": 0.5, "cutoff": 0.8},
            {"sigma": 0.3, "dimensions": (9, 8, 7), "spacing": 0.5, "cutoff": 0.8},
        ),
        (
            {"kernel": "wendland", "sigma": 0.3, "normalize": False},
            {"kernel": "wendland", "cutoff": 1.2, "normalize": False, "spacing": 0.15},
        ),
    ],
    ids=str,
)
def test_grid_and_values_are_those_of_the_engine(settings, given):
    image = density(polydata_of(cloud(), mass=WEIGHTS), "mass", **settings)
    expected = sx.density(cloud(), WEIGHTS, device="cpu", **given)
    assert image.GetDimensions() == expected.values.shape[::-1]
    assert image.GetSpacing() == pytest.approx(expected.spacing, rel=1e-12)
    assert image.GetOrigin() == pytest.approx(expected.origin, rel=1e-12)
    found = point_array(image, "Density").reshape(expected.values.shape)
    np.testing.assert_allclose(found, expected.values, rtol=0, atol=1e-5)
    assert found.dtype == np.float32
    assert image.GetPointData().GetScalars().GetName() == "Density"


@pytest.mark.parametrize("boxsize", [None, (3.0, 0.0, 2.0)])
@pytest.mark.parametrize(
    ("kernel", "lengths"),
    [
        ("laplacian", ""), ("epanechnikov", ""), ("cubic_spline", ""), ("gaussian", "h"),
        ("wendland", "h"), ("cubic_spline", "h"),
    ],
)  # fmt: skip
def test_kernels_lengths_gradients_and_boxes_are_those_of_the_engine(kernel, lengths, boxsize):
    h = np.linspace(0.1, 0.4, 40)
    points, length = polydata_of(cloud(), mass=WEIGHTS, h=h), h if lengths else 0.3
    settings = {"kernel": kernel, "sigma": 0.3, "lengths": lengths, "boxsize": boxsize}
    if kernel in ("epanechnikov", "wendland"):
        given = {"kernel": kernel, "cutoff": 4 * length}
    else:
        given = {"kernel": kernel, "sigma": length}
    image = density(points, "mass", spacing=0.3, compute_gradient=True, **settings)
    given = {"device": "cpu", "boxsize": boxsize, "gradient": True, **given}
    expected = sx.density(cloud(), WEIGHTS, spacing=0.3, **given)
    assert image.GetSpacing() == pytest.approx(expected.spacing, rel=1e-12)
    assert image.GetOrigin() == pytest.approx(expected.origin, rel=1e-12)
    for name, values in (("Density", expected.values), ("DensityGradient", expected.gradient)):
        found = point_array(image, name).reshape(values.shape)
        np.testing.assert_allclose(found, values, rtol=0, atol=1e-4 * abs(values).max())
    found = separatrix_vtk.neighbor_statistics(
        points, weights="mass", kernel_density=True, compute_gradient=True, device="cpu", **settings
    )
    values, slopes = sx.density_at(cloud(), cloud(), WEIGHTS, **given)
    np.testing.assert_array_equal(point_array(found, "KernelDensity"), values)
    np.testing.assert_array_equal(point_array(found, "KernelDensityGradient"), slopes)
    nearest = sx.nearest(cloud(), k=8, include_self=False, boxsize=boxsize, device="cpu")[0]
    np.testing.assert_array_equal(point_array(found, "DistanceToKthNearest"), nearest[:, -1])


@pytest.mark.parametrize("kernel", ["gaussian", "wendland"])
@pytest.mark.parametrize("unit", [1.0, 1e-10, 1e6])
def test_the_mass_is_the_sum_of_the_weights_in_any_unit(kernel, unit):
    image = density(
        polydata_of(cloud() * unit, mass=WEIGHTS), "mass",
        kernel=kernel, sigma=0.3 * unit, spacing=0.1 * unit,
    )  # fmt: skip
    assert field(image, "Mass") == pytest.approx(WEIGHTS.sum(), rel=1e-4)
    assert field(image, "SumOfWeights") == pytest.approx(WEIGHTS.sum())
    assert field(image, "Sigma") == 0.3 * unit
    assert field(image, "Cutoff") == pytest.approx(1.2 * unit)
    assert field(image, "NumberOfPoints") == 40
    values = point_array(image, "Density").astype(float)
    assert values.sum() * math.prod(image.GetSpacing()) == pytest.approx(WEIGHTS.sum(), rel=1e-4)


def test_the_expected_pairs_approximate_those_within_the_cutoff():
    image = density(polydata_of(cloud()), sigma=0.3, spacing=0.2)
    n = image.GetNumberOfPoints()
    voxels = np.array([image.GetPoint(i) for i in range(n)])
    near = sum(int((np.linalg.norm(voxels - p, axis=1) < 1.2).sum()) for p in cloud())
    assert field(image, "ExpectedPairs") == pytest.approx(near, rel=0.05)


def test_the_gradient_is_added_on_demand():
    points = polydata_of(cloud())
    image = density(points, sigma=0.4, spacing=0.2, compute_gradient=True, double_precision=True)
    expected = sx.density(
        cloud(), sigma=0.4, spacing=0.2, gradient=True, dtype=np.float64, device="cpu"
    )
    found = point_array(image, "DensityGradient")
    np.testing.assert_allclose(found, expected.gradient.reshape(-1, 3), rtol=0, atol=1e-9)
    assert point_array(image, "Density").dtype == np.float64
    assert not density(points, sigma=0.4).GetPointData().HasArray("DensityGradient")


def test_without_sigma_the_median_nearest_distance_is_used():
    image = density(polydata_of(cloud()))
    nearest = sx.nearest(cloud(), k=1, include_self=False, device="cpu")[0]
    assert field(image, "Sigma") == pytest.approx(np.median(nearest))
    assert image.GetSpacing()[0] == pytest.approx(np.median(nearest) / 2)


def test_the_image_has_the_given_bounds():
    bounds = (8.0, 10.0, 7.5, 9.0, 7.0, 8.0)
    points = polydata_of(cloud())
    image = density(points, sigma=0.3, use_bounds=True, bounds=bounds, spacing=0.25)
    assert image.GetBounds() == pytest.approx(bounds)
    image = density(points, sigma=0.3, use_bounds=True, bounds=bounds, dimensions=(5, 4, 3))
    assert image.GetDimensions() == (5, 4, 3)
    assert image.GetBounds() == pytest.approx(bounds)


def test_a_flat_image_has_one_layer_and_weight_per_area():
    flat = cloud()
    flat[:, 2] = 5.5
    image = density(polydata_of(flat), sigma=0.3, spacing=0.1, flat=True, compute_gradient=True)
    _, _, nz = image.GetDimensions()
    assert nz == 1
    assert image.GetOrigin()[2] == 5.5
    assert field(image, "Mass") == pytest.approx(40, rel=1e-4)
    expected = sx.density(flat[:, :2], sigma=0.3, spacing=0.1, gradient=True, device="cpu")
    found = point_array(image, "DensityGradient")
    assert not found[:, 2].any()
    np.testing.assert_allclose(found[:, :2], expected.gradient.reshape(-1, 2), atol=1e-4)
    lines = separatrix_vtk.morse_smale_complex(image, device="cpu").separatrices_1
    assert lines.GetNumberOfLines() > 0


def test_polydata_table_molecule_and_blocks_of_them_are_the_same_points():
    points, numbers = cloud().astype(np.float32), np.arange(40) % 8 + 1
    blocks = vtkMultiBlockDataSet()
    blocks.SetBlock(0, polydata_of(points[:15], Z=numbers[:15]))
    blocks.SetBlock(1, vtkMultiBlockDataSet())
    blocks.GetBlock(1).SetBlock(0, polydata_of(points[15:], Z=numbers[15:]))
    x, y, z = points.T
    molecule = molecule_of(points, numbers)
    array = molecule.GetAtomicNumberArray().GetName()
    images = [
        density(polydata_of(points, Z=numbers), "Z", sigma=0.3, spacing=0.3),
        density(blocks, "Z", sigma=0.3, spacing=0.3),
        density(table_of(X=x, Y=y, Z=z), sigma=0.3, spacing=0.3),
        density(molecule, array, sigma=0.3, spacing=0.3),
    ]
    one, of_blocks, of_table, of_molecule = (point_array(i, "Density") for i in images)
    assert one.tobytes() == of_blocks.tobytes()
    np.testing.assert_allclose(one, of_molecule, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        of_table, point_array(density(polydata_of(points), sigma=0.3, spacing=0.3), "Density"),
        atol=1e-5,
    )  # fmt: skip


# === in a pipeline


def test_the_image_is_input_of_a_complex():
    source = vtkPointSource()
    source.SetNumberOfPoints(60)
    source.SetRadius(3.0)
    image = separatrix_vtk.PointDensity(device="cpu", sigma=0.5)
    image.SetInputConnection(source.GetOutputPort())
    complex = separatrix_vtk.MorseSmaleComplex(device="cpu", persistence=0.02, relative=True)
    complex.SetInputConnection(image.GetOutputPort())
    shrunk = vtkImageShrink3D()
    shrunk.SetInputConnection(image.GetOutputPort())
    runs = count_runs(image)
    for radius, expected in ((3.0, 1), (5.0, 2), (1.0, 3)):
        source.SetRadius(radius)  # the box of the points changes, and the image's extent with it
        for _ in range(2):
            complex.Update()
            shrunk.Update()
        assert runs == [expected]
        assert complex.last_error == ""
        size = image.GetOutput().GetDimensions()
        assert complex.GetOutput(3).GetDimensions() == shrunk.GetOutput().GetDimensions() == size
        assert sum((-1) ** i * n for i, n in enumerate(complex.report["critical_cells"])) == 1


def test_vectors_are_set_one_by_one_or_as_a_whole():
    filter = separatrix_vtk.PointDensity()
    filter.SetDimensions(3, 4, 5)
    assert filter.dimensions == filter.GetDimensions() == (3, 4, 5)
    before = filter.GetMTime()
    filter.SetDimensions((3, 4, 5))
    assert filter.GetMTime() == before
    filter.SetBounds(0, 1, 2, 3, 4, 5)
    assert filter.bounds == (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)


# === bad input


POINTS = polydata_of(cloud())
NOWHERE = cloud()
NOWHERE[3, 1] = NOWHERE[17, 0] = np.nan
COLUMNS = "Rename columns, or apply Table To Points (in VTK vtkTableToPolyData)."
BAD: list[tuple[Any, dict[str, Any], str]] = [
    (polydata_of(NOWHERE), {}, "points must be finite; got points[3] = (7.45"),
    (polydata_of(cloud(1)), {}, "sigma cannot be derived from a single point. Set it."),
    (polydata_of(np.ones((40, 3))), {}, "sigma cannot be derived from the distances, because at "
     "least half of the points coincide with another one. Set it."),
    (image_with(noise(3, 3, 3)), {}, "input must be polygonal data, a grid with its own points, a "
     "molecule, or a table; got vtkImageData."),
    (vtkPolyData(), {}, "The input has no points (vtkPolyData)."),
    (vtkTable(), {}, f"The table has no columns x, y, and z; available: none. {COLUMNS}"),
    (table_of(a=WEIGHTS, b=WEIGHTS), {}, "The table has no columns x, y, and z; available: a, b. "
     + COLUMNS),
    (POINTS, {"spacing": 1e-4, "sigma": 1.0}, "the maximum is 2,147,483,647 (2^31 - 1). Increase "
     "spacing."),
    (POINTS, {"spacing": 0.1, "sigma": 1e4, "padding": 0.0}, "Increase spacing."),
    (POINTS, {"dimensions": (4, 0, 4)}, "dimensions must be 3 positive integers in x, y, z "
     "order; got (4, 0, 4)."),
    (POINTS, {"use_bounds": True, "bounds": (0, 1, 2, 1, 0, 1)}, "bounds must be xmin, xmax, ymin, "
     "..., each pair ascending; got 2, 1 for y."),
    (POINTS, {"flat": True, "sigma": 1.0}, "A flat image requires points in a plane z = constant; "
     "got z from 7."),
    (POINTS, {"sigma": math.inf}, "padding must be a length from 0 to 1e+150; got inf."),
]  # fmt: skip


@pytest.mark.parametrize(("points", "settings", "sentence"), BAD)
def test_invalid_input_gives_one_sentence_and_an_empty_image(points, settings, sentence):
    filter = separatrix_vtk.PointDensity(device="cpu", **settings)
    said = failed(filter, points)
    assert sentence in filter.last_error
    assert said.count("ERROR") == 1
    assert "Traceback" not in said
    assert is_empty(filter.GetOutput())


def test_active_scalars_are_not_used_as_weights():
    points = polydata_of(cloud(), w=WEIGHTS)
    points.GetPointData().SetActiveScalars("w")
    assert field(density(points, sigma=0.5), "SumOfWeights") == 40


def test_an_implausibly_large_image_is_rejected():
    points = np.vstack([cloud(20), [300.0, 300.0, 300.0]])
    with pytest.raises(separatrix_vtk.FilterError, match="Set spacing or dimensions"):
        density(polydata_of(points))
