"""Colours of critical points, separatrices and regions: one palette for ParaView, VTK and PyVista.

Critical points go from cold to warm with their index, in four colours of Okabe and Ito's palette
("Color universal design", 2008), which stay apart for colour-blind eyes; lines have a tint of the
extremum that they lead to, surfaces the colour of their saddle, regions hues a golden angle apart.

ParaView, in its Python shell or in a script, after Apply:

    from separatrix_vtk.colors import color_outputs
    color_outputs()            # everything that the active filter shows; or one display at a time:
    color_critical_points(display)

VTK and PyVista: `lookup_table(critical_categories(dimension=3))`, `label_lookup_table(n_labels)`.

What `CellDimension` and `SeparatrixType` mean depends on the dimension of the image (in 2D the
maxima have 2): give it, or let the ParaView functions find it from the filter's input.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Color = tuple[float, float, float]

BLUE: Color = (0.000, 0.447, 0.698)
SKY_BLUE: Color = (0.337, 0.706, 0.914)
ORANGE: Color = (0.902, 0.624, 0.000)
VERMILION: Color = (0.835, 0.369, 0.000)
GREY: Color = (0.600, 0.600, 0.600)

POINT_SIZE = 0.010  # radius of a critical point, in diagonals of the image's bounds
LINE_WIDTH = 3.0  # pixels
SURFACE_OPACITY = 0.55
MOST_LABELS = 4096  # more categories than that make ParaView slow; the rest stay grey


class Category(NamedTuple):
    """A value of an array, what it means, and its colour: red, green and blue in 0..1."""

    value: int
    name: str
    color: Color


# === The palette


def critical_categories(dimension: int = 3) -> list[Category]:
    """Values of `CellDimension` of critical points, for an image of 1, 2 or 3 dimensions."""
    kinds = {
        1: [("minimum", BLUE), ("maximum", VERMILION)],
        2: [("minimum", BLUE), ("saddle", ORANGE), ("maximum", VERMILION)],
    }.get(
        dimension,
        [
            ("minimum", BLUE),
            ("1-saddle", SKY_BLUE),
            ("2-saddle", ORANGE),
            ("maximum", VERMILION),
        ],
    )
    return [Category(value, name, color) for value, (name, color) in enumerate(kinds)]


def critical_type_categories() -> list[Category]:
    """Values of `CriticalType`, which are the same for every dimension: 3 is a maximum in 2D too."""
    return [
        *critical_categories(3),
        Category(4, "degenerate", GREY),
        Category(5, "regular", GREY),
    ]


def separatrix_categories(dimension: int = 3) -> list[Category]:
    """Values of `SeparatrixType` of lines, for an image of 2 or 3 dimensions."""
    descending = Category(0, "descending to a minimum", tint(BLUE))
    if dimension < 3:
        return [descending, Category(1, "ascending to a maximum", tint(VERMILION))]
    return [
        descending,
        Category(1, "saddle connector", GREY),
        Category(2, "ascending to a maximum", tint(VERMILION)),
    ]


def surface_categories() -> list[Category]:
    """Values of `SeparatrixType` of surfaces."""
    return [
        Category(1, "ascending from a 1-saddle", SKY_BLUE),
        Category(2, "descending from a 2-saddle", ORANGE),
    ]


def tint(color: Color, white: float = 0.45) -> Color:
    """A lighter colour: `white` parts of white in one of paint."""
    red, green, blue = (channel + (1.0 - channel) * white for channel in color)
    return (red, green, blue)


def label_colors(n_labels: int) -> np.ndarray:
    """Colours (n, 3) in 0..1 of the labels 0, 1, ...: neighbours in number are far apart in hue.

    Of equal chroma and of three lightnesses in OKLab (B. Ottosson 2020, "A perceptual color space
    for image processing"), whose matrices these are.
    """
    label = np.arange(n_labels)
    hue = 0.6 + label * np.pi * (3.0 - np.sqrt(5.0))
    lightness = np.array([0.68, 0.82, 0.58])[label % 3]
    lab = np.stack([lightness, 0.11 * np.cos(hue), 0.11 * np.sin(hue)], axis=1)
    cones = lab @ np.array(
        [
            [1.0, 1.0, 1.0],
            [0.3963377774, -0.1055613458, -0.0894841775],
            [0.2158037573, -0.0638541728, -1.2914855480],
        ]
    )
    linear = cones**3 @ np.array(
        [
            [4.0767416621, -1.2684380046, -0.0041960863],
            [-3.3077115913, 2.6097574011, -0.7034186147],
            [0.2309699292, -0.3413193965, 1.7076147010],
        ]
    )
    linear = np.clip(linear, 0.0, 1.0)
    return np.where(
        linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055
    )


def point_radius(bounds: tuple[float, ...], fraction: float = POINT_SIZE) -> float:
    """Radius of a critical point in an image of these bounds (xmin, xmax, ymin, ...); never 0."""
    low, high = np.asarray(bounds[0::2], dtype=float), np.asarray(bounds[1::2], dtype=float)
    diagonal = float(np.linalg.norm(np.maximum(high - low, 0.0)))
    return fraction * diagonal if diagonal > 0.0 else 0.5


# === VTK and PyVista


def lookup_table(categories: list[Category]) -> Any:
    """A vtkLookupTable of categories with annotations; other values are grey."""
    from vtkmodules.vtkCommonCore import vtkLookupTable

    table = vtkLookupTable()
    table.SetNumberOfTableValues(len(categories))
    table.SetTableRange(categories[0].value, categories[-1].value)
    for row, category in enumerate(categories):
        table.SetTableValue(row, *category.color, 1.0)
        table.SetAnnotation(category.value, category.name)
    table.SetNanColor(*GREY, 1.0)
    table.IndexedLookupOn()
    return table


def label_lookup_table(n_labels: int) -> Any:
    """A vtkLookupTable for the labels 0 to n_labels - 1 of a segmentation; -1 (outside) is grey."""
    from vtkmodules.vtkCommonCore import vtkLookupTable

    table = vtkLookupTable()
    table.SetNumberOfTableValues(n_labels + 1)
    table.SetTableRange(-1.5, n_labels - 0.5)
    for row, color in enumerate([GREY, *label_colors(n_labels)]):
        table.SetTableValue(row, *color, 1.0)
    return table


# === ParaView: `display` is what paraview.simple's Show and GetDisplayProperties return


def color_outputs(source: Any = None, view: Any = None) -> list[Any]:
    """Colour everything that a Separatrix filter shows in a view; returns the displays.

    Parameters: `source`, the filter (default: the active source); `view` (default: the active view).
    Outputs that are hidden stay hidden.
    """
    from paraview import simple

    source, view = source or simple.GetActiveSource(), view or simple.GetActiveView()
    if not is_ours(source):
        raise ValueError("make a Separatrix filter active first, or give it as `source`")
    color = {
        "Critical Points": color_critical_points,
        "1-Separatrices": color_separatrices,
        "2-Separatrices": color_surfaces,
        "Segmentation": color_segmentation,
        "Gradient Arrows": color_arrows,
    }
    displays = []
    for port in range(source.SMProxy.GetNumberOfOutputPorts()):
        name = source.SMProxy.GetOutputPortName(port)
        if view.FindRepresentation(source.SMProxy, port) is None or name not in color:
            continue  # never shown in this view
        display = simple.GetDisplayProperties(simple.OutputPort(source, port), view)
        if display.Visibility:
            color[name](display)
            displays.append(display)
    simple.Render(view)
    return displays


def color_critical_points(display: Any, dimension: int | None = None) -> None:
    """Draw critical points as spheres coloured by their kind, sized by the image's bounds."""
    display.SetRepresentationType("Point Gaussian")
    display.ShaderPreset = "Sphere"
    display.GaussianRadius = point_radius(_bounds_of_image(display))
    if _has(display, "POINTS", "CriticalType"):
        return _color(display, "POINTS", "CriticalType", critical_type_categories())
    dimension = dimension or _dimension_of_image(display)
    return _color(display, "POINTS", "CellDimension", critical_categories(dimension))


def color_separatrices(display: Any, dimension: int | None = None) -> None:
    """Draw 1-separatrices as tubes coloured by where they lead."""
    display.SetRepresentationType("Surface")
    display.RenderLinesAsTubes = 1
    display.LineWidth = LINE_WIDTH
    dimension = dimension or _dimension_of_image(display)
    _color(display, "CELLS", "SeparatrixType", separatrix_categories(dimension))


def color_surfaces(display: Any) -> None:
    """Draw 2-separatrices translucent, coloured by the kind of their saddle."""
    display.SetRepresentationType("Surface")
    display.Opacity = SURFACE_OPACITY
    if _has(display, "CELLS", "SeparatrixType"):  # not where the output is empty
        _color(display, "CELLS", "SeparatrixType", surface_categories())


def color_arrows(display: Any) -> None:
    """Draw the lines of a discrete gradient as tubes, coloured by the dimension of the lower cell."""
    display.SetRepresentationType("Surface")
    display.RenderLinesAsTubes = 1
    display.LineWidth = LINE_WIDTH
    pairs = [("vertex to edge", BLUE), ("edge to face", ORANGE), ("face to voxel", VERMILION)]
    categories = [Category(value, name, color) for value, (name, color) in enumerate(pairs)]
    _color(display, "CELLS", "PairType", categories)


def color_segmentation(display: Any, array: str = "MorseSmaleManifold") -> None:
    """Give each region of a segmentation a colour of its own; what runs out of the image is grey.

    `array` is one of MorseSmaleManifold, AscendingManifold and DescendingManifold.
    """
    if display.Representation == "Outline":
        display.SetRepresentationType("Surface")
    place = "POINTS" if _has(display, "POINTS", array) else "CELLS"
    information = _attributes(display, place).GetArray(array)
    if information is None:
        raise ValueError(f"the data shown have no array {array!r}: is it switched on in the filter?")
    n_labels = min(int(information.GetRange()[1]) + 1, MOST_LABELS)
    regions = [
        Category(label, str(label), (float(color[0]), float(color[1]), float(color[2])))
        for label, color in enumerate(label_colors(n_labels))
    ]
    _color(display, place, array, [Category(-1, "outside", GREY), *regions], legend=False)


def is_ours(source: Any) -> bool:
    """Whether a ParaView source is one of our filters."""
    return source is not None and str(source.SMProxy.GetXMLName()).startswith("Separatrix")


def _color(
    display: Any, place: str, array: str, categories: list[Category], legend: bool = True
) -> None:
    from paraview import simple

    # A colour map of its own: the same array means other things in 2D and 3D.
    simple.ColorBy(display, (place, array), separate=True)
    table = display.LookupTable
    table.InterpretValuesAsCategories = 1
    table.AnnotationsInitialized = 1  # else ParaView adds the values that it finds
    table.Annotations = [text for c in categories for text in (str(c.value), c.name)]
    table.IndexedColors = [channel for c in categories for channel in c.color]
    table.NanColor = list(GREY)
    for view in simple.GetViews():
        if display in view.Representations:
            display.SetScalarBarVisibility(view, legend)


def _attributes(display: Any, place: str) -> Any:
    return display.Input.PointData if place == "POINTS" else display.Input.CellData


def _has(display: Any, place: str, array: str) -> bool:
    return _attributes(display, place).GetArray(array) is not None


def _filter_of(display: Any) -> Any:
    """The filter of ours that a display shows, or whose output it shows after other filters."""
    source = display.Input
    while source is not None and not is_ours(source):
        source = getattr(source, "Input", None)
    return source


def _bounds_of_image(display: Any) -> tuple[float, ...]:
    source = _filter_of(display)
    shown = display.Input if source is None else source.Input
    return tuple(shown.GetDataInformation().GetBounds())


def _dimension_of_image(display: Any) -> int:
    """How many axes of the filter's image are longer than one point (of cell data: one cell)."""
    source = _filter_of(display)
    if source is None:
        return 3
    information = source.Input.GetDataInformation()
    if not information.IsCompositeDataSet():
        extent = np.array(information.GetExtent()).reshape(3, 2)
        shortest = 2 if source.ScalarField[0] == "CELLS" else 1
        return int(np.sum(extent[:, 1] - extent[:, 0] + 1 > shortest))
    bounds = np.array(information.GetBounds()).reshape(3, 2)
    return int(np.sum(bounds[:, 1] > bounds[:, 0]))
