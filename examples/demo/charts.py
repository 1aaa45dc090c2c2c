"""A persistence diagram and its curves as a picture, drawn with VTK's charts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import vtkmodules.vtkRenderingContextOpenGL2  # noqa: F401  (gives its factories)
from vtkmodules.vtkChartsCore import vtkAxis, vtkChart, vtkChartXY, vtkPlotPoints
from vtkmodules.vtkCommonCore import vtkStringArray
from vtkmodules.vtkCommonDataModel import vtkRectf, vtkTable
from vtkmodules.vtkRenderingContext2D import vtkContextActor

from examples.demo.palette import pair_categories
from examples.demo.prepare import array_of, named
from examples.demo.scene import FAINT_COLOR, MARGIN, TEXT_COLOR, Entry, Picture, entries
from separatrix.plotting.palette import GRAY, Color
from separatrix_vtk.function_outputs import PersistenceDiagramOutputs

LINE_WIDTH, MARK_SIZE = 2.2, 7.5  # units
STEM = 0.07  # of an arrow, of the chart's height
HEAD = (0.022, 0.030)  # of an arrow, of the chart's width and height
CURVE = "Number Of Pairs ({}-{} pairs)"
KINDS = (("minimum", "saddle"), ("saddle", "saddle"), ("saddle", "maximum"))
NEVER = "never ends"
Box = tuple[float, float, float, float]
Range = tuple[float, float]


def picture_of_diagram(outputs: PersistenceDiagramOutputs, name: str, path: Path) -> None:
    """Left the pairs of a volume over birth and death, right how many are left at a threshold."""
    picture = Picture()
    width, height = picture.size
    half = width / 2
    renderer = picture.panel((0.0, 0.0, 1.0, 1.0))
    categories = pair_categories()
    cells = outputs.diagram.GetCellData()
    kind, birth, death, finite = (
        array_of(cells, array) for array in ("PairType", "Birth", "Death", "IsFinite")
    )
    picture.heading(
        f"Persistence diagram of {name}", f"{(kind >= 0).sum()} pairs, by kind", room=half - 60
    )
    picture.heading("Its curves", "pairs left when it is simplified", half + 10)

    ends = round_range(float(birth.min()), float(death.max()))
    box: Box = (MARGIN + 4, 70, half - 2 * MARGIN, height - 170)
    plane = add_chart(picture, renderer, box, ("Birth", "Death"), (ends, ends))
    add_plot(plane, vtkChart.LINE, np.array(ends), np.array(ends), GRAY, LINE_WIDTH)
    for category in categories:
        chosen = (kind == category.value) & (finite == 1)
        add_plot(plane, vtkChart.POINTS, birth[chosen], death[chosen], category.color, MARK_SIZE)
        for i in np.flatnonzero((kind == category.value) & (finite == 0)):
            stem = np.array([death[i] - STEM * (ends[1] - ends[0]), death[i]])
            add_plot(plane, vtkChart.LINE, birth[[i, i]], stem, category.color, LINE_WIDTH)
            add_arrow(plane, (birth[i], death[i]), (ends, ends), category.color, upward=True)

    rows = outputs.curves.GetRowData()
    threshold = array_of(rows, "Persistence").astype(np.float64)
    left = [array_of(rows, CURVE.format(*names)).astype(np.float64) for names in KINDS]
    limits = (
        (float(threshold[threshold > 0.0].min()), 1.5 * float(threshold.max())),
        (0.8, 1.4 * float(np.concatenate(left).max())),
    )
    box = (half + 54, 70, half - 2 * MARGIN - 14, height - 170)
    curves = add_chart(picture, renderer, box, ("Persistence threshold", "Pairs left"), limits)
    for category, numbers in zip(categories, left, strict=True):
        some = (numbers > 0.0) & (threshold > 0.0)  # 0 has no logarithm
        add_plot(curves, vtkChart.LINE, threshold[some], numbers[some], category.color, LINE_WIDTH)
    for place in (vtkAxis.BOTTOM, vtkAxis.LEFT):
        curves.GetAxis(place).SetCustomTickPositions(None)
        curves.GetAxis(place).LogScaleOn()
    endless = [Entry(f"a minimum that {NEVER}", categories[0].color, "up")]
    picture.legend([[*entries(categories, "ball", kind), *endless[: int((finite == 0).any())]]])
    picture.write(path)


def round_range(low: float, high: float) -> Range:
    """The integers around a range, or the ends of a small range."""
    return (np.floor(low), np.ceil(high)) if high - low > 2.0 else (low, high)


def mark_whole_steps(axis: Any, ends: Range) -> None:
    """Ticks at multiples of 1, 2 or 5 times a power of ten, at most eight."""
    wide = ends[1] - ends[0]
    unit = 10.0 ** np.floor(np.log10(wide / 8.0))
    step = next(unit * n for n in (1, 2, 5, 10) if wide / (unit * n) <= 8.0)
    at = step * np.arange(np.ceil(ends[0] / step), np.floor(ends[1] / step) + 1)
    labels = vtkStringArray()
    for value in at:
        labels.InsertNextValue(f"{value:g}".replace("-", "\u2212"))
    axis.SetCustomTickPositions(named(at, "ticks"), labels)


def add_chart(
    picture: Picture, renderer: Any, box: Box, titles: tuple[str, str], limits: tuple[Range, Range]
) -> Any:
    """An empty chart in a box (left, bottom, width, height in units of the renderer's corner)."""
    scale = picture.scale
    chart = vtkChartXY()
    chart.SetAutoSize(False)
    chart.SetSize(vtkRectf(*(scale * number for number in box)))
    chart.SetShowLegend(False)
    for place, title, ends in zip((vtkAxis.BOTTOM, vtkAxis.LEFT), titles, limits, strict=True):
        axis = chart.GetAxis(place)
        axis.SetTitle(title)
        axis.SetBehavior(vtkAxis.FIXED)
        axis.SetRange(*ends)
        if title:
            mark_whole_steps(axis, ends)
        axis.GetPen().SetColorF(*FAINT_COLOR)
        axis.GetPen().SetWidth(0.8 * scale)
        axis.GetGridPen().SetColorF(*FAINT_COLOR)
        axis.GetGridPen().SetOpacityF(0.15)
        axis.GetGridPen().SetWidth(0.6 * scale)
        axis.SetLabelOffset(4 * scale)
        axis.SetTickLength(3 * scale)
        for style, height in ((axis.GetTitleProperties(), 15), (axis.GetLabelProperties(), 13)):
            style.SetColor(*TEXT_COLOR)
            style.SetBold(False)
            style.SetFontSize(round(height * scale))
    actor = vtkContextActor()
    actor.GetScene().AddItem(chart)
    renderer.AddActor(actor)
    chart.scale = scale
    return chart


def add_plot(
    chart: Any, kind: int, x: np.ndarray, y: np.ndarray, color: Color, width: float
) -> None:
    """A line or points of a width in units; x and y (n,). Nothing if they are empty."""
    if not len(x):
        return
    table = vtkTable()
    for name, values in (("x", x), ("y", y)):
        table.AddColumn(named(np.asarray(values, dtype=np.float64), name))
    plot = chart.AddPlot(kind)
    plot.SetInputData(table, 0, 1)
    plot.SetColorF(*color)
    plot.SetWidth(width * chart.scale)
    if kind == vtkChart.POINTS:
        plot.SetMarkerStyle(vtkPlotPoints.CIRCLE)
        plot.SetMarkerSize(width * chart.scale)


def add_arrow(
    chart: Any,
    tip: tuple[float, float],
    limits: tuple[Range, Range],
    color: Color,
    width: float = LINE_WIDTH,
    upward: bool = False,
) -> None:
    """The head of an arrow, to the right or upward: what is beyond is not known to end."""
    across, along = ((h - low) * part for (low, h), part in zip(limits, HEAD, strict=True))
    for side in (-1, 1):
        back = (side * across, -along) if upward else (-across, side * along)
        x, y = (np.array([end + shift, end]) for end, shift in zip(tip, back, strict=True))
        add_plot(chart, vtkChart.LINE, x, y, color, width)
