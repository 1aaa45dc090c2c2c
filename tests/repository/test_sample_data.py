"""The sample volumes and point sets are what their script makes and what their README says."""

import importlib.util
import sys

import numpy as np
import pytest

import separatrix as sx

NAMES = ("atomic_orbital", "two_centers", "marschner_lobb", "noisy_field", "terrain")

POINT_SETS = ("torus", "linked_circles", "noisy_sphere", "clifford_torus")


@pytest.fixture(scope="module")
def make_samples(sample_data):
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("make_samples", sample_data / "make_samples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclass looks itself up there
    spec.loader.exec_module(module)
    return module


def test_the_script_creates_exactly_the_files_of_the_folder(make_samples, sample_data):
    files = {path.stem for path in sample_data.glob("*.vti")}
    assert set(make_samples.SAMPLES) == files == set(NAMES)
    tables = {path.stem for path in sample_data.glob("*.csv")}
    assert set(make_samples.POINT_SETS) == tables == set(POINT_SETS)


@pytest.mark.parametrize("name", POINT_SETS)
def test_sample_points_agree_with_the_script_and_the_readme(
    name, make_samples, sample_data, tmp_path, device
):
    path = sample_data / f"{name}.csv"
    make_samples.write_csv(tmp_path / "made.csv", make_samples.POINT_SETS[name]())
    assert (tmp_path / "made.csv").read_text(encoding="utf-8") == path.read_text(encoding="utf-8")
    row = row_of_points(name, np.loadtxt(path, delimiter=",", skiprows=1), device)
    assert row in (sample_data / "README.md").read_text(encoding="utf-8")


def row_of_points(name: str, points: np.ndarray, device: str) -> str:
    """The row of the table in README.md."""
    bars = sx.rips_barcodes(points, max_dimension=2, device=device)
    counts = [len(bars.of_dimension(d)) for d in range(3)]
    rows = bars.longest(2)
    rows = rows[(bars.dimension[rows] > 0) & (bars.persistence[rows] > 0.4)]
    longest = [
        f"H{bars.dimension[i]} {bars.birth[i]:.2f} to {bars.death[i]:.2f}" for i in rows.tolist()
    ]
    columns = [f"`{name}.csv`", len(points), points.shape[1], *counts, ", ".join(longest)]
    return "| " + " | ".join(map(str, columns)) + " |"


@pytest.mark.parametrize("name", NAMES)
def test_a_volume_is_small_and_agrees_with_the_script_and_the_readme(
    name, make_samples, sample_data, device
):
    pytest.importorskip("vtkmodules")
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader

    reader = vtkXMLImageDataReader()
    reader.SetFileName(str(sample_data / f"{name}.vti"))
    reader.Update()
    image = reader.GetOutput()
    made = make_samples.SAMPLES[name]()

    scalars = image.GetPointData().GetScalars()
    values = vtk_to_numpy(scalars).reshape(image.GetDimensions()[::-1])
    assert scalars.GetName() == made.array_name
    assert values.dtype == made.values.dtype
    np.testing.assert_array_equal(values, made.values)
    assert image.GetSpacing() == made.spacing
    assert image.GetOrigin() == made.origin
    assert (sample_data / f"{name}.vti").stat().st_size < 300_000
    counts = sx.morse_smale(made.values, device=device).critical.counts
    size = " x ".join(map(str, reversed(made.values.shape)))
    columns = [f"`{name}.vti`", f"`{made.array_name}`", size, str(made.values.dtype), *counts]
    row = "| " + " | ".join(map(str, columns)) + " |"
    assert row in (sample_data / "README.md").read_text(encoding="utf-8")


def test_the_script_creates_the_committed_mesh_and_its_readme_lists_its_critical_simplices(
    make_samples, sample_data, device
):
    pytest.importorskip("vtkmodules")
    from separatrix_vtk.filters.mesh.cells import mesh_cells
    from separatrix_vtk.io.vtk_files import read_mesh

    assert [path.stem for path in sample_data.glob("*.vtu")] == list(make_samples.MESHES)
    cells, made = mesh_cells(read_mesh(sample_data / "ring.vtu")), make_samples.ring()
    np.testing.assert_array_equal(cells.points, made.points)
    np.testing.assert_array_equal(cells.corners, made.tets)
    a, b, c, d = (made.points[made.tets[:, k]].astype(np.float64) for k in range(4))
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) > 0).all()
    mesh = sx.TetMesh(made.points, made.tets, device=device)
    counts = mesh.discrete_gradient(made.values).counts
    row = ["`ring.vtu`", "`temperature`", len(made.points), made.values.dtype, *counts]
    text = (sample_data / "README.md").read_text(encoding="utf-8")
    assert "| " + " | ".join(map(str, row)) + " |" in text
    assert (sample_data / "ring.vtu").stat().st_size < 300_000


def test_the_stars_and_lagranges_points_are_the_critical_points_inside_the_two_centers(
    make_samples, device
):
    made = make_samples.SAMPLES["two_centers"]()
    critical = sx.morse_smale(
        made.values, spacing=made.spacing, origin=made.origin, device=device
    ).critical
    inside = ~critical.on_boundary
    # x, y of the stars, then of L1 to L5 (of point masses: softened ones move them a little).
    named = np.array(
        [(-0.3, 0), (0.7, 0), (0.286, 0), (1.257, 0), (-1.124, 0), (0.2, 0.866), (0.2, -0.866)]
    )
    index_of_named = np.array([0, 0, 1, 1, 1, 2, 2])
    assert inside.sum() == len(named)
    for place, index in zip(named, index_of_named, strict=True):
        distance = np.linalg.norm(critical.position[inside, :2] - place, axis=1)
        nearest = np.argmin(distance)
        assert distance[nearest] < 0.07
        assert critical.index[inside][nearest] == index
