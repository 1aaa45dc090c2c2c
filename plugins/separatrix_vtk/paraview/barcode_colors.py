"""Colors of barcodes in ParaView: bars by dimension, cycles by bar, Betti curves in charts.

`colors.color_outputs` uses these for Separatrix Rips Barcodes. ParaView is imported where it is
needed.
"""

from __future__ import annotations

from typing import Any

from separatrix_vtk.paraview.colors import (
    LINE_WIDTH,
    attributes_of,
    color_by_categories,
    filter_of,
    has_array,
    is_chart,
)
from separatrix_vtk.paraview.palette import (
    BLUE,
    GREEN,
    MOST_LABELS,
    ORANGE,
    PURPLE,
    SKY_BLUE,
    VERMILION,
    YELLOW,
    Category,
    bar_categories,
    pair_categories,
    tint,
)

CYCLE_COLORS = (ORANGE, SKY_BLUE, VERMILION, YELLOW, GREEN, PURPLE, tint(BLUE))  # of bars, in turn
BETTI_CURVES = 4  # the port


def color_barcode(display: Any) -> None:
    """Draw the bars of a barcode in the colors of their dimensions."""
    display.SetRepresentationType("Surface")
    display.LineWidth = LINE_WIDTH
    color_by_categories(display, "CELLS", "Dimension", _dimensions(display), "Barcode")


def color_diagram_of_bars(display: Any) -> None:
    """Draw the persistence diagram of a barcode in the same colors."""
    display.SetRepresentationType("Surface")
    display.RenderLinesAsTubes = 1
    display.LineWidth = LINE_WIDTH
    categories = [pair_categories()[0], *_dimensions(display)]
    color_by_categories(display, "CELLS", "PairType", categories, "Persistence Diagram")


def color_representatives(display: Any) -> None:
    """Draw cycles as tubes, triangles and thick points, a color for each bar."""
    display.SetRepresentationType("Surface")
    display.RenderLinesAsTubes = display.RenderPointsAsSpheres = 1
    display.LineWidth, display.PointSize = 2 * LINE_WIDTH, 3 * LINE_WIDTH
    if not has_array(display, "CELLS", "BarId"):
        return
    low, high = map(int, attributes_of(display, "CELLS").GetArray("BarId").GetRange())
    if high - low >= MOST_LABELS:
        color_by_categories(display, "CELLS", "Dimension", _dimensions(display), "Cycles")
        return
    bars = [Category(i, str(i), CYCLE_COLORS[i % len(CYCLE_COLORS)]) for i in range(low, high + 1)]
    color_by_categories(display, "CELLS", "BarId", bars)


OUTPUTS = {
    "Barcode": color_barcode,
    "Persistence Diagram": color_diagram_of_bars,
    "Representatives": color_representatives,
}


def color_betti_curves(source: Any) -> list[Any]:
    """Set up each chart that shows the Betti curves: distance along x."""
    from paraview import simple

    displays = []
    for view in simple.GetViews():
        shown = view.FindRepresentation(source.SMProxy, BETTI_CURVES) if is_chart(view) else None
        if shown is None:
            continue
        port = simple.OutputPort(source, BETTI_CURVES)
        display = simple.GetDisplayProperties(port, view)
        display.UseIndexForXAxis = 0
        display.XArrayName = "Distance"
        names = [name for name in display.SeriesLabel[::2] if name.startswith("Betti")]
        display.SeriesVisibility = names
        display.SeriesColor = [
            text
            for category in bar_categories(len(names))
            for text in (f"Betti Number {category.value}", *map(str, category.color))
        ]
        view.BottomAxisTitle, view.LeftAxisTitle = "Distance", "Bars alive"
        simple.Render(view)
        displays.append(display)
    return displays


def _dimensions(display: Any) -> list[Category]:
    source = filter_of(display)
    return bar_categories(4 if source is None else int(source.MaxDimension) + 1)
