"""Displays and views of ParaView: what they show, and how they draw it.

`display` is what paraview.simple's Show and GetDisplayProperties return. ParaView is imported in
the functions that need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix_vtk.paraview.palette import GRAY, MOST_LABELS, Category, label_colors

BAR_LENGTH, BAR_WIDTH = 0.16, 10  # of the view's height; pixels
FONT_SIZES = (14, 12)  # of a legend's title and of its labels

# === what a display shows


def is_ours(source: Any) -> bool:
    """Whether a ParaView source is a Separatrix filter."""
    return source is not None and str(source.SMProxy.GetXMLName()).startswith("Separatrix")


def filter_of(display: Any) -> Any:
    """The Separatrix filter that a display shows, possibly after other filters, or None."""
    source = display.Input
    while source is not None and not is_ours(source):
        source = getattr(source, "Input", None)
    return source


def attributes_of(display: Any, place: str) -> Any:
    """Information about the arrays of "POINTS" or "CELLS"."""
    return display.Input.PointData if place == "POINTS" else display.Input.CellData


def has_array(display: Any, place: str, array: str) -> bool:
    """Whether the data shown have an array."""
    return attributes_of(display, place).GetArray(array) is not None


def bounds_of_input(display: Any) -> tuple[float, ...]:
    """The bounds of the input of the filter."""
    source = filter_of(display)
    shown = display.Input if source is None else source.Input
    return tuple(shown.GetDataInformation().GetBounds())


def dimension_of_input(display: Any) -> int:
    """Number of axes of the filter's image with more than one point (of cell data: one cell).

    For a mesh, the dimension of its cells, which is in the field data of the output.
    """
    source = filter_of(display)
    if source is None:
        return 3
    fields = source.SMProxy.GetDataInformation(0).GetFieldDataInformation()
    if (of_mesh := fields.GetArrayInformation("MeshDimension")) is not None:
        return int(of_mesh.GetComponentRange(0)[0])
    information = source.Input.GetDataInformation()
    if not information.IsCompositeDataSet():
        extent = np.array(information.GetExtent()).reshape(3, 2)
        shortest = 2 if source.ScalarField[0] == "CELLS" else 1
        return int(np.sum(extent[:, 1] - extent[:, 0] + 1 > shortest))
    bounds = np.array(information.GetBounds()).reshape(3, 2)
    return int(np.sum(bounds[:, 1] > bounds[:, 0]))


# === how it draws


def draw_surface(display: Any, tubes: float = 0.0, opacity: float = 1.0) -> None:
    """Draw surfaces, with lines as tubes of a width in pixels."""
    display.SetRepresentationType("Surface")
    if tubes:
        display.RenderLinesAsTubes, display.LineWidth = 1, tubes
    if opacity < 1.0:
        display.Opacity = opacity


def number_categories(n: int) -> list[Category]:
    """Categories of the numbers 0 to n - 1, each with a color of its own."""
    colors = label_colors(min(n, MOST_LABELS)).tolist()
    return [Category(i, str(i), (red, green, blue)) for i, (red, green, blue) in enumerate(colors)]


def color_by_categories(
    display: Any, place: str, array: str, categories: list[Category], legend: str = ""
) -> None:
    """Color by the categories of an array; do nothing if an empty output does not have it."""
    from paraview import servermanager, simple

    if not has_array(display, place, array):
        return
    views = [view for view in simple.GetViews() if display in view.Representations]
    if display.LookupTable is not None:
        for view in views:
            display.SetScalarBarVisibility(view, False)  # that of the previous colors
    # simple.ColorBy would fit a range, which categories do not have, and warn about it.
    display.UseSeparateColorMap = 1
    display.SetScalarColoring(array, servermanager.GetAssociationFromString(place))
    table = display.LookupTable
    table.InterpretValuesAsCategories = 1
    table.AnnotationsInitialized = 1  # otherwise ParaView adds the values that it finds
    table.Annotations = [text for c in categories for text in (str(c.value), c.name)]
    table.IndexedColors = [channel for c in categories for channel in c.color]
    table.NanColor = list(GRAY)
    for view in views:
        display.SetScalarBarVisibility(view, bool(legend))
        if legend:
            bar = simple.GetScalarBar(table, view)
            bar.Title, bar.ScalarBarLength, bar.ScalarBarThickness = legend, BAR_LENGTH, BAR_WIDTH
            bar.TitleFontSize, bar.LabelFontSize = FONT_SIZES


def draw_cells(
    display: Any,
    array: str,
    categories: list[Category],
    legend: str = "",
    *,
    tubes: float = 0.0,
    opacity: float = 1.0,
) -> None:
    """Draw surfaces and lines in the colors of the categories of an array of cells."""
    draw_surface(display, tubes, opacity)
    color_by_categories(display, "CELLS", array, categories, legend)


def draw_numbered_cells(display: Any, array: str, *others: Category, opacity: float = 1.0) -> None:
    """Draw surfaces with a color for each number in an array of cells, and for other categories."""
    found = attributes_of(display, "CELLS").GetArray(array)
    n = 0 if found is None else int(found.GetRange()[1]) + 1
    draw_cells(display, array, [*others, *number_categories(n)], opacity=opacity)


# === views


def is_chart(view: Any) -> bool:
    """Whether a view is a chart."""
    return str(view.SMProxy.GetXMLName()) == "XYChartView"


def charts_of(
    source: Any, port: int, series: str, titles: tuple[str, str], x: str
) -> Iterator[tuple[Any, Any, list[str]]]:
    """Set up each chart of an output: the array `x` along x, and all arrays that begin so.

    Yields the view, the display, and the names of the series, and renders the view afterwards.
    """
    from paraview import simple

    for view in simple.GetViews():
        if not is_chart(view) or view.FindRepresentation(source.SMProxy, port) is None:
            continue
        display = simple.GetDisplayProperties(simple.OutputPort(source, port), view)
        display.UseIndexForXAxis = 0
        display.XArrayName = x
        names = [name for name in display.SeriesLabel[::2] if name.startswith(series)]
        display.SeriesVisibility = names
        view.BottomAxisTitle, view.LeftAxisTitle = titles
        yield view, display, names
        simple.Render(view)


def show_plane(view: Any, horizontal: str = "Birth", vertical: str = "Death") -> None:
    """Make a render view a diagram: seen from above, moved in its plane, with titled axes."""
    from paraview import simple

    view.InteractionMode = "2D"
    view.OrientationAxesVisibility = 0
    grid = view.AxesGrid
    grid.Visibility, grid.XTitle, grid.YTitle, grid.ZTitle = 1, horizontal, vertical, ""
    grid.AxesToLabel = 3 if vertical else 2  # the lower ends of x and y, or of x
    camera = view.GetActiveCamera()
    camera.SetFocalPoint(0.0, 0.0, 0.0)
    camera.SetPosition(0.0, 0.0, 1.0)
    camera.SetViewUp(0.0, 1.0, 0.0)
    simple.ResetCamera(view)


def in_view_of_its_own(view: Any, display: Any) -> tuple[Any, Any]:
    """Move the data of a display to another view if this one shows other data, too."""
    from paraview import simple

    others = (other for other in view.Representations if other.GetProperty("Input") is not None)
    if not any(other.Visibility and other != display for other in others):
        return view, display
    port = simple.OutputPort(display.Input, display.Input.Port)
    own, layout = simple.CreateView("RenderView"), simple.GetLayout(view)
    if layout is not None:
        simple.AssignViewToLayout(view=own, layout=layout)
    simple.Hide(port, view)
    return own, simple.Show(port, own)
