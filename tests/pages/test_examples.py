"""The scripts of examples/ run unchanged and draw the expected pictures."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pages.blocks import REPOSITORY
from paraview_app.pictures import pixels_of

EXAMPLES = sorted((REPOSITORY / "examples").glob("[a-z]*.py"))
FEW = 40  # pixels, fewer than of any thing that one would see

Channels = tuple[np.ndarray, np.ndarray, np.ndarray]
COLORS: dict[str, Callable[[Channels], np.ndarray]] = {
    "red": lambda c: (c[0] > 110) & (c[0] > 1.7 * c[1]) & (c[0] > 1.7 * c[2]),
    "green": lambda c: (c[1] > 70) & (c[1] > 1.2 * c[0]) & (c[1] > 1.1 * c[2]),
    "blue": lambda c: (c[2] > 70) & (c[2] > 1.3 * c[0]) & (c[2] > 1.1 * c[1]),
    "yellow": lambda c: (c[0] > 120) & (c[1] > 90) & (c[2] < 0.6 * c[0]),
    "gray": lambda c: (abs(c[0] - c[2]) < 12) & (abs(c[0] - c[1]) < 12) & (c[0] < 230),
    "tan": lambda c: (c[0] > c[1] + 15) & (c[1] > c[2] + 15) & (c[0] < 230) & (c[2] > 60),
}
# Properties of each picture: colors, the part that is not background, and printed lines.
SEEN: dict[str, tuple[set[str], tuple[float, float], str]] = {
    "pyvista_volume": ({"blue", "tan", "gray"}, (0.01, 0.1), "maxima: [6, 7, 2, 0]\n"),
    "pyvista_mesh": ({"red", "green", "blue", "yellow"}, (0.2, 0.6), "16 critical points\n"),
    "pyvista_ct": ({"red", "gray"}, (0.1, 0.5), "threshold 40: 21 critical points\n"),
    "pyvista_ocean": ({"red", "blue", "tan"}, (0.5, 0.9), "68 critical points\n"),
    "pyvista_large_volume": ({"red", "blue", "gray"}, (0.2, 0.8), "by index: [32, 33, 10, 8]\n"),
    "pyvista_molecule": ({"red", "gray"}, (0.1, 0.5), "area 10046.0 square Angstrom\n"),
    "pyvista_barcode": ({"red", "blue", "gray"}, (0.01, 0.1), ""),
    "pyvista_density": ({"red", "gray"}, (0.05, 0.5), "distance to the next maximum 4.09\n"),
    "vtk_volume": ({"red", "green", "blue"}, (0.01, 0.1), ""),
    "vtk_mesh": ({"red", "green", "blue", "yellow"}, (0.1, 0.5), ""),
    "vtk_molecule": ({"red", "yellow", "blue"}, (0.1, 0.5), ""),
    "vtk_barcode": (set(), (0.005, 0.1), ""),
    "vtk_density": ({"gray"}, (0.1, 0.5), ""),
}


def colors_in(pixels: np.ndarray) -> set[str]:
    red, green, blue = pixels.T
    return {name for name, is_it in COLORS.items() if is_it((red, green, blue)).sum() >= FEW}


def test_colors_are_distinguishable():
    image = np.repeat([[255, 255, 255], [200, 30, 40], [90, 90, 95], [210, 180, 140]], FEW, axis=0)
    assert colors_in(image) == {"red", "gray", "tan"}
    assert colors_in(image[:FEW]) == set()
    assert colors_in(np.repeat([[20, 40, 200], [30, 150, 60], [230, 200, 60]], FEW, axis=0)) == {
        "blue",
        "green",
        "yellow",
    }


def test_every_example_has_an_expected_picture():
    assert {path.stem for path in EXAMPLES} == set(SEEN)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_draws_its_picture(
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    picture = tmp_path / "picture.png"
    monkeypatch.setattr(sys, "argv", [str(path), str(picture)])
    monkeypatch.chdir(REPOSITORY)
    runpy.run_path(str(path), run_name="__main__")
    colors, (least, most), reported = SEEN[path.stem]
    pixels = (255 * pixels_of(picture)).round().astype(int).reshape(-1, 3)
    assert colors <= colors_in(pixels)
    assert least < (pixels.min(axis=1) < 250).mean() < most
    assert capsys.readouterr().out.endswith(reported)
