"""`python -m separatrix_vtk.demo`: files, a table and pictures where there is no display."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from separatrix_vtk import palette
from separatrix_vtk.demo.plane import Plane
from separatrix_vtk.demo.prepare import array_of, named, points_of, polydata

REPOSITORY = Path(__file__).resolve().parents[2]


def demo(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment["PYTHONPATH"] = f"{REPOSITORY / 'engine'}{os.pathsep}{REPOSITORY / 'plugins'}"
    return subprocess.run(
        [sys.executable, "-m", "separatrix_vtk.demo", *map(str, arguments)],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        timeout=300,
    )


def pixels_of(path: Path) -> np.ndarray:
    """The picture as (rows, columns, 3) in 0..1."""
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOImage import vtkPNGReader

    reader = vtkPNGReader()
    reader.SetFileName(str(path))
    reader.Update()
    width, height, _ = reader.GetOutput().GetDimensions()
    values = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars())
    return np.asarray(values.reshape(height, width, -1)[..., :3] / 255)


def shows(pixels: np.ndarray, color: palette.Color) -> bool:
    """Whether something is drawn in this colour, in whatever brightness."""
    brightness = pixels.max(axis=2)
    hue = pixels / np.maximum(brightness, 0.01)[:, :, None]
    near = np.abs(hue - np.array(color) / max(color)).max(axis=2) < 0.08
    return bool((near & (brightness > 0.25)).sum() > 200)


@pytest.mark.parametrize(("name", "dimension"), [("atomic_orbital", 3), ("terrain", 2)])
def test_a_sample_becomes_files_a_table_and_a_picture(sample_data, tmp_path, name, dimension):
    run = demo(tmp_path, "--input", sample_data / f"{name}.vti", "--device", "cpu")
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    rows = dict(line.split("  ", 1) for line in run.stdout.splitlines() if "  " in line)
    assert rows["Euler characteristic"].strip() == "1"
    assert rows["device"].strip() == "cpu"
    assert "minima" in rows
    assert "computed in" in rows

    text = (tmp_path / f"{name}.vtm").read_text()
    for block in ("Critical Points", "1-Separatrices", "2-Separatrices", "Segmentation"):
        assert block in text
    pixels = pixels_of(tmp_path / f"{name}.png")
    assert pixels.shape == (1000, 1600, 3)
    for category in palette.critical_categories(dimension):
        assert shows(pixels, category.color), category.name


def test_any_image_is_taken_and_what_cannot_be_drawn_is_said(tmp_path):
    np.save(tmp_path / "line.npy", np.sin(np.arange(50.0)).reshape(1, 1, 50))
    run = demo(tmp_path / "out", "--input", tmp_path / "line.npy", "--device", "cpu")
    assert run.returncode == 0, run.stderr
    assert "no picture" in run.stdout
    assert (tmp_path / "out" / "line.vtm").is_file()


def test_cell_data_has_no_picture_and_the_sentence_says_why(tmp_path):
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkIOXML import vtkXMLImageDataWriter

    image = vtkImageData()
    image.SetDimensions(6, 5, 4)
    image.GetCellData().SetScalars(named(np.random.default_rng(1).random(60), "density"))
    writer = vtkXMLImageDataWriter()
    writer.SetFileName(str(tmp_path / "cells.vti"))
    writer.SetInputData(image)
    writer.Write()
    run = demo(tmp_path / "out", "--input", tmp_path / "cells.vti", "--device", "cpu")
    assert run.returncode == 0, run.stderr
    assert "no picture: 'density' is cell data" in run.stdout


def test_points_that_fall_off_the_picture_of_the_plane_are_left_out():
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


def test_the_gallery_shows_connectors_surfaces_simplification_a_diagram_and_a_barcode(tmp_path):
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    environment["PYTHONPATH"] = f"{REPOSITORY / 'engine'}{os.pathsep}{REPOSITORY / 'plugins'}"
    done = subprocess.run(
        [sys.executable, "-m", "separatrix_vtk.demo.gallery", str(tmp_path)],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert shows(pixels_of(tmp_path / "connectors.png"), palette.tint(palette.GREEN))
    assert shows(pixels_of(tmp_path / "surfaces.png"), palette.ORANGE)
    diagram = pixels_of(tmp_path / "diagram.png")
    for part in (diagram[:-60, :450], diagram[:-60, 450:]):  # both charts, without the legend
        for category in palette.pair_categories(3)[1:]:
            assert shows(part, category.color), category.name
    assert shows(pixels_of(tmp_path / "barcode.png"), palette.SKY_BLUE)
    terrain = pixels_of(tmp_path / "simplification.png")
    half = terrain.shape[1] // 2
    n_colours = [
        len(np.unique((part * 15).astype(int).reshape(-1, 3), axis=0))
        for part in (terrain[:, :half], terrain[:, half:])
    ]
    assert n_colours[0] > 1.2 * n_colours[1]


def test_where_nothing_can_draw_a_sentence_says_what_to_install(monkeypatch):
    from separatrix_vtk.demo import scene

    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("VTK_DEFAULT_OPENGL_WINDOW", raising=False)
    monkeypatch.setattr(scene, "can_be_loaded", lambda library: False)
    with pytest.raises(RuntimeError, match="apt-get install libegl1"):
        scene.choose_offscreen_driver()


def test_a_mistake_gives_one_sentence(tmp_path):
    run = demo(tmp_path, "--input", tmp_path / "nothing.vti")
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "nothing.vti" in run.stderr
    assert "Traceback" not in run.stderr
