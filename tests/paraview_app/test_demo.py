"""`python -m examples.demo`: files, a table, and pictures without a display."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from examples.demo.first_apply import COLUMNS, KINDS, picture_of_first_apply
from examples.demo.palette import pair_categories, separatrix_categories
from examples.demo.plane import Plane
from examples.demo.prepare import array_of, named, points_of, polydata
from examples.demo.protein import MOUTH, SHADES, SOLID, THIN
from filters.images import image_with
from paraview_app.conftest import need
from paraview_app.pictures import pixels_of, shows
from paraview_app.without_display import REPOSITORY, run
from separatrix.plotting import palette
from separatrix_vtk import io

pytestmark = pytest.mark.long


def demo(*arguments: object) -> subprocess.CompletedProcess[str]:
    return run("-m", "examples.demo", *arguments, patience=400)


@pytest.mark.parametrize(("name", "dimension"), [("atomic_orbital", 3), ("terrain", 2)])
def test_a_sample_becomes_files_a_table_and_a_picture(sample_data, tmp_path, name, dimension):
    path = sample_data / f"{name}.vti"
    done = demo(tmp_path, "volume", "--input", path, "--device", "cpu")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert f"{name}.vti, " in done.stdout
    assert "minima" in done.stdout
    assert " cpu" in done.stdout

    text = (tmp_path / f"{name}.vtm").read_text()
    for block in ("critical points", "separatrices 1", "separatrices 2", "segmentation"):
        assert block in text
    pixels = pixels_of(tmp_path / f"{name}.png")
    assert pixels.shape == (840, 1350, 3)
    for category in palette.critical_categories(dimension):
        assert shows(pixels, category.color), category.name


def test_an_image_that_cannot_be_drawn_is_reported(tmp_path):
    np.save(tmp_path / "line.npy", np.sin(np.arange(50.0)).reshape(1, 1, 50))
    done = demo(tmp_path / "out", "volume", "--input", tmp_path / "line.npy", "--device", "cpu")
    assert done.returncode == 0, done.stderr
    assert "no picture" in done.stderr
    assert (tmp_path / "out" / "line.vtm").is_file()


def test_cell_data_are_not_drawn_for_a_reason_that_is_printed(tmp_path):
    image = image_with(np.random.default_rng(1).random((3, 4, 5)), cells=True)
    io.write(tmp_path / "cells.vti", image)
    done = demo(tmp_path / "out", "volume", "--input", tmp_path / "cells.vti", "--device", "cpu")
    assert done.returncode == 0, done.stderr
    assert "no picture: only point data" in done.stderr


def test_points_outside_the_picture_of_a_plane_are_omitted():
    from vtkmodules.vtkCommonDataModel import vtkImageData

    image = vtkImageData()
    image.SetDimensions(9, 3, 9)  # y ends at 2
    x, y, z = np.eye(3)
    plane = Plane(np.ones(3), x, y, z, half_width=2.0, depth=1.0, name="here")
    positions = np.array(
        [[1, 1, 1], [2.9, 1, 1.5], [3.1, 1, 1], [1, -1.1, 1], [1, 2.5, 1], [1, 1, 2.1]]
    )
    points = polydata(positions, np.arange(len(positions) + 1), "verts")
    kinds = np.arange(len(positions), dtype=np.int8)
    points.GetPointData().AddArray(named(kinds, "CellDimension"))
    plane.flatten(points, within=plane.depth, image=image)
    assert points_of(points) == pytest.approx(np.array([[0, 0, 0], [1.9, 0, 0]]))
    assert array_of(points.GetPointData(), "CellDimension").tolist() == [0, 1]


@pytest.mark.paraview
def test_open_and_apply_show_something_for_each_kind_of_file(tmp_path):
    need("paraview", "Xvfb", "openbox")
    picture_of_first_apply(tmp_path / "views.png")
    pixels = pixels_of(tmp_path / "views.png")
    rows = np.array_split(pixels, len(KINDS) // COLUMNS)
    views = [view for row in rows for view in np.array_split(row, COLUMNS, axis=1)]
    for name, view in zip(KINDS, views, strict=True):
        is_colored = view.max(axis=2) - view.min(axis=2) > 0.2  # the background has 0.11
        assert is_colored.mean() > 0.01, name


def test_the_gallery_draws_every_picture_of_the_pages(tmp_path):
    done = demo(tmp_path, "--pictures", "--width", 675)
    assert (done.returncode, done.stderr) == (0, "")
    drawn = {path.name: pixels_of(path) for path in tmp_path.glob("*.png")}
    there = {path.name for path in (REPOSITORY / "docs" / "images").glob("*.png")}
    by_examples = {"torus", "ct", "ocean", "loops", "cosmic_web", "zeolite", "divided"}
    by_examples.add("large_volume")  # whose data are those of two GPUs
    by_tutorials = {"clusters", "transport", "trajectory"}
    by_window = {"paraview", "first_apply"}
    others = {f"{name}.png" for name in by_examples | by_tutorials | by_window}
    assert drawn.keys() == there - others
    tiles = {name for name in drawn if name.startswith("tile_")}
    assert len(tiles) == 6
    assert len({drawn[name].shape for name in tiles}) == 1
    assert len({drawn[name].shape for name in drawn.keys() - tiles}) == 1

    connectors = {c.name: c.color for c in separatrix_categories(3)}
    assert shows(drawn["connectors.png"], connectors["connector of saddles"])
    assert shows(drawn["surfaces.png"], palette.ORANGE)
    middle = drawn["diagram.png"].shape[1] // 2
    for part in (drawn["diagram.png"][:-45, :middle], drawn["diagram.png"][:-45, middle:]):
        for category in pair_categories():  # both charts, without the legend
            assert shows(part, category.color, 60), category.name
    assert shows(drawn["barcode.png"], palette.SKY_BLUE)
    terrain = drawn["simplification.png"]
    half = terrain.shape[1] // 2
    n_colors = [
        len(np.unique((part * 15).astype(int).reshape(-1, 3), axis=0))
        for part in (terrain[:, :half], terrain[:, half:])
    ]
    assert n_colors[0] > 1.2 * n_colors[1]


def test_an_error_names_the_missing_graphics_library(monkeypatch):
    from examples.demo import scene

    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("VTK_DEFAULT_OPENGL_WINDOW", raising=False)
    monkeypatch.setattr(scene, "can_be_loaded", lambda library: False)
    with pytest.raises(RuntimeError, match="apt-get install libegl1"):
        scene.choose_offscreen_driver()


def test_protein_barcode_and_density_are_drawn_in_their_colors(tmp_path):
    done = demo(tmp_path, "alpha", "pockets", "barcode", "density", "--device", "cpu")
    assert done.returncode == 0, done.stderr
    critical = [category.color for category in palette.critical_categories(3)[2:]]
    expected = {
        "alpha_complex.png": [SOLID, THIN, SHADES[8]],
        "pockets.png": [THIN, MOUTH],
        "barcode.png": [],
        "molecule.png": critical,
    }
    drawn = {name: pixels_of(tmp_path / name) for name in expected}
    for name, colors in expected.items():
        assert drawn[name].shape == (840, 1350, 3)
        for color in colors:
            assert shows(drawn[name], color), (name, color)
    bars = [category.color for category in palette.bar_categories()]
    left, right = drawn["barcode.png"][:740, :675], drawn["barcode.png"][:740, 675:]
    assert all(shows(left, color) for color in (palette.ORANGE, palette.SKY_BLUE))
    assert all(shows(right, color) for color in (palette.ORANGE, palette.SKY_BLUE, *bars))


@pytest.mark.parametrize(
    ("job", "name"),
    [("volume", "nothing.vti"), ("barcode", "nothing.csv"), ("density", "nothing.pdb")],
)
def test_a_missing_file_gives_one_sentence(tmp_path, job, name):
    done = demo(tmp_path, job, "--input", name)
    assert (done.returncode, done.stderr) == (1, f"demo: {name}: file not found.\n")


def test_an_output_folder_that_is_a_file_is_rejected(tmp_path):
    (tmp_path / "file").write_text("")
    done = demo(tmp_path / "file")
    assert done.returncode == 2
    assert "error: OUTPUT_DIR must be a folder; got " in done.stderr
