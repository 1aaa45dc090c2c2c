"""Colors of the outputs of Separatrix Alpha Complex.

Cells have the color of their dimension; each void and pocket, and the boundary that faces it, a
color of its own. Atoms are balls of their grown radius, colored by their area on the surface.
"""

from __future__ import annotations

from typing import Any

from separatrix_vtk.paraview.displays import (
    attributes_of,
    color_by_categories,
    draw_surface,
    has_array,
    number_categories,
)
from separatrix_vtk.paraview.palette import (
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    SKY_BLUE,
    VERMILION,
    Category,
    tint,
)

OPACITY = 0.4  # of the boundary, so that voids and pockets show through
LINE_WIDTH = 2.0  # pixels
OUTSIDE = Category(-1, "outside", GRAY)


def cell_categories() -> list[Category]:
    """Values of `CellDimension` of a complex."""
    colors = {"vertex": GRAY, "edge": tint(GRAY), "triangle": ORANGE, "tetrahedron": SKY_BLUE}
    return [Category(d, *pair) for d, pair in enumerate(colors.items())]


def color_complex(display: Any) -> None:
    """Draw the cells of a complex by their dimension, edges as tubes."""
    draw_surface(display, tubes=LINE_WIDTH)
    color_by_categories(display, "CELLS", "CellDimension", cell_categories(), "Complex")


def color_boundary(display: Any) -> None:
    """Draw the boundary translucent: gray toward the outside, in color toward voids."""
    draw_surface(display, opacity=OPACITY)
    _color_numbers(display, "VoidId", OUTSIDE)


def color_voids(display: Any) -> None:
    """Draw each void in a color of its own."""
    draw_surface(display)
    _color_numbers(display, "VoidId")


def color_pockets(display: Any) -> None:
    """Draw each pocket in a color of its own."""
    draw_surface(display)
    _color_numbers(display, "PocketId")


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


def color_classes(display: Any) -> None:
    """Draw the pairs of the diagram as tubes: pieces, tunnels, and voids."""
    draw_surface(display, tubes=LINE_WIDTH)
    colors = {"diagonal": GRAY, "pieces": BLUE, "tunnels": GREEN, "voids": VERMILION}
    classes = [Category(d, *pair) for d, pair in enumerate(colors.items(), start=-1)]
    color_by_categories(display, "CELLS", "PairType", classes, "Diagram")


OUTPUTS = {
    "Complex": color_complex,
    "Boundary": color_boundary,
    "Voids": color_voids,
    "Pockets": color_pockets,
    "Atoms": color_atoms,
    "Diagram": color_classes,
}


def _color_numbers(display: Any, array: str, *others: Category) -> None:
    if has_array(display, "CELLS", array):  # an empty output has no arrays
        highest = int(attributes_of(display, "CELLS").GetArray(array).GetRange()[1])
        categories = [*others, *number_categories(highest + 1)]
        color_by_categories(display, "CELLS", array, categories)
