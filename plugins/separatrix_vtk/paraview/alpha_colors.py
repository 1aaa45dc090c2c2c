"""Colors in ParaView for the outputs of Separatrix Alpha Complex; see `.colors`.

Cells by dimension; what faces a void, and each void and pocket, in a color of its own; atoms as
balls of their grown radius, colored by the area that they expose.
"""

from __future__ import annotations

from typing import Any

from separatrix_vtk.paraview.palette import (
    BLUE,
    GRAY,
    GREEN,
    MOST_LABELS,
    ORANGE,
    SKY_BLUE,
    VERMILION,
    Category,
    label_colors,
    tint,
)

OPACITY = 0.4  # of the boundary, so that voids and pockets show through
LINE_WIDTH = 2.0  # pixels
CELLS = ("vertex", "edge", "triangle", "tetrahedron")
CLASSES = ("pieces", "tunnels", "voids")


def cell_categories() -> list[Category]:
    """Values of `CellDimension` of a complex."""
    colors = (GRAY, tint(GRAY), ORANGE, SKY_BLUE)
    return [Category(d, *pair) for d, pair in enumerate(zip(CELLS, colors, strict=True))]


def class_categories() -> list[Category]:
    """Values of `PairType` of an alpha filtration, -1 its diagonal."""
    colors = (BLUE, GREEN, VERMILION)
    classes = [Category(d, *pair) for d, pair in enumerate(zip(CLASSES, colors, strict=True))]
    return [Category(-1, "diagonal", GRAY), *classes]


def number_categories(n: int, outside: bool) -> list[Category]:
    """Numbers of voids or pockets from 0; -1 is the outside."""
    numbers = [
        Category(i, str(i), (float(color[0]), float(color[1]), float(color[2])))
        for i, color in enumerate(label_colors(min(n, MOST_LABELS)))
    ]
    return [Category(-1, "outside", GRAY), *numbers] if outside else numbers


def color_complex(display: Any) -> None:
    """Draw the cells of a complex by their dimension, edges as tubes."""
    from separatrix_vtk.paraview.colors import color_by_categories

    display.SetRepresentationType("Surface")
    display.RenderLinesAsTubes = 1
    display.LineWidth = LINE_WIDTH
    color_by_categories(display, "CELLS", "CellDimension", cell_categories(), "Complex")


def color_boundary(display: Any) -> None:
    """Draw the boundary translucent: gray towards the outside, in color towards voids."""
    display.SetRepresentationType("Surface")
    display.Opacity = OPACITY
    _color_numbers(display, "VoidId", outside=True)


def color_voids(display: Any) -> None:
    """Draw voids in a color each."""
    display.SetRepresentationType("Surface")
    _color_numbers(display, "VoidId", outside=False)


def color_pockets(display: Any) -> None:
    """Draw pockets in a color each."""
    display.SetRepresentationType("Surface")
    _color_numbers(display, "PocketId", outside=False)


def color_atoms(display: Any) -> None:
    """Draw atoms as balls of their grown radius, colored by their area where that is known."""
    from paraview import simple

    display.SetRepresentationType("Point Gaussian")
    display.ShaderPreset = "Sphere"
    display.GaussianRadius = 1.0
    display.ScaleByArray = 1
    display.SetScaleArray = ["POINTS", "GrownRadius"]
    display.UseScaleFunction = 0
    if display.Input.PointData.GetArray("Area") is not None:
        simple.ColorBy(display, ("POINTS", "Area"))


def color_classes(display: Any) -> None:
    """Draw the pairs of the diagram as tubes: pieces, tunnels and voids."""
    from separatrix_vtk.paraview.colors import color_by_categories

    display.SetRepresentationType("Surface")
    display.RenderLinesAsTubes = 1
    display.LineWidth = LINE_WIDTH
    color_by_categories(display, "CELLS", "PairType", class_categories(), "Diagram")


def _color_numbers(display: Any, array: str, outside: bool) -> None:
    from separatrix_vtk.paraview.colors import color_by_categories

    information = display.Input.CellData.GetArray(array)
    if information is None:
        return  # an empty output has no arrays
    highest = int(information.GetRange()[1])
    color_by_categories(display, "CELLS", array, number_categories(highest + 1, outside))
