"""Colors of the outputs of Separatrix Alpha Complex.

Cells have the color of their dimension; each void and pocket, and the boundary that faces it, a
color of its own. Atoms are balls of their grown radius, colored by their area on the surface.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from separatrix_vtk.paraview.displays import draw_cells, draw_numbered_cells, has_array
from separatrix_vtk.paraview.palette import (
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    SKY_BLUE,
    VERMILION,
    Category,
    categories_of,
    tint,
)

OPACITY = 0.4  # of the boundary, so that voids and pockets show through
LINE_WIDTH = 2.0  # pixels
OUTSIDE = Category(-1, "outside", GRAY)
CELLS = categories_of(vertex=GRAY, edge=tint(GRAY), triangle=ORANGE, tetrahedron=SKY_BLUE)
CLASSES = categories_of(-1, diagonal=GRAY, pieces=BLUE, tunnels=GREEN, voids=VERMILION)


def color_atoms(display: Any) -> None:
    """Draw atoms as balls of their grown radius, colored by their area if it is known."""
    from paraview import simple

    display.SetRepresentationType("Point Gaussian")
    display.ShaderPreset = "Sphere"
    display.GaussianRadius = 1.0
    display.ScaleByArray = 1
    display.SetScaleArray = ["POINTS", "GrownRadius"]
    display.UseScaleFunction = 0
    if has_array(display, "POINTS", "Area"):
        simple.ColorBy(display, ("POINTS", "Area"))


def _draw_boundary(display: Any) -> None:
    draw_numbered_cells(display, "VoidId", OUTSIDE, opacity=OPACITY)


def _draw_lines(array: str, categories: list[Category], legend: str) -> Any:
    return partial(draw_cells, array=array, categories=categories, legend=legend, tubes=LINE_WIDTH)


OUTPUTS = {
    "Complex": _draw_lines("CellDimension", CELLS, "Complex"),
    "Boundary": _draw_boundary,
    "Voids": partial(draw_numbered_cells, array="VoidId"),
    "Pockets": partial(draw_numbered_cells, array="PocketId"),
    "Atoms": color_atoms,
    "Diagram": _draw_lines("PairType", CLASSES, "Diagram"),
}
