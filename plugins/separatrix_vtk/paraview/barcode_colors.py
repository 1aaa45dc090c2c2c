"""Colors of the outputs of Separatrix Rips Barcodes: bars by dimension, cycles by bar, charts."""

from __future__ import annotations

from typing import Any

from separatrix_vtk.paraview.displays import (
    attributes_of,
    charts_of,
    color_by_categories,
    draw_cells,
    draw_surface,
    filter_of,
    has_array,
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

LINE_WIDTH = 3.0  # pixels
CYCLE_COLORS = (ORANGE, SKY_BLUE, VERMILION, YELLOW, GREEN, PURPLE, tint(BLUE))  # of bars, in turn


def color_barcode(display: Any) -> None:
    """Draw the bars of a barcode in the colors of their dimensions."""
    draw_cells(display, "Dimension", _dimensions(display), "Barcode")
    display.LineWidth = LINE_WIDTH


def color_diagram_of_bars(display: Any) -> None:
    """Draw the persistence diagram of a barcode in the same colors."""
    categories = [pair_categories()[0], *_dimensions(display)]
    draw_cells(display, "PairType", categories, "Persistence Diagram", tubes=LINE_WIDTH)


def color_representatives(display: Any) -> None:
    """Draw cycles as tubes, triangles, and thick points, with one color per bar."""
    draw_surface(display, tubes=2 * LINE_WIDTH)
    display.RenderPointsAsSpheres, display.PointSize = 1, 3 * LINE_WIDTH
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
    displays = []
    titles = ("Distance", "Bars alive")
    for _, display, names in charts_of(source, 4, "Betti", titles, x="Distance"):
        display.SeriesColor = [
            text
            for category in bar_categories(len(names))
            for text in (f"Betti Number {category.value}", *map(str, category.color))
        ]
        displays.append(display)
    return displays


def _dimensions(display: Any) -> list[Category]:
    source = filter_of(display)
    return bar_categories(4 if source is None else int(source.MaxDimension) + 1)
