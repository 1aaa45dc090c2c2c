"""A persistence diagram and its curves as a picture, drawn with VTK's charts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import vtkmodules.vtkRenderingContextOpenGL2  # noqa: F401  (gives its factories)
from vtkmodules.vtkChartsCore import vtkAxis, vtkChart, vtkChartXY
from vtkmodules.vtkCommonDataModel import vtkRectf, vtkTable
from vtkmodules.vtkRenderingContext2D import vtkContextActor

from separatrix_vtk.demo.prepare import array_of, named
from separatrix_vtk.demo.scene import FAINT_COLOR, OVERSAMPLING, TEXT_COLOR, Picture
from separatrix_vtk.functions import PersistenceDiagramOutputs
from separatrix_vtk.palette import GREY, Color, pair_categories

LINE_WIDTH, MARK_SIZE = 2.0, 7.0  # pixels
CURVE = "Number Of Pairs ({}-{} pairs)"
KINDS = (("minimum", "saddle"), ("saddle", "saddle"), ("saddle", "maximum"))


def picture_of_diagram(
    outputs: PersistenceDiagramOutputs, title: str, path: Path, size: tuple[int, int]
) -> None:
    """Left the pairs of a volume over birth and death, right how many are left at a threshold."""
    picture, half = Picture(size), size[0] // 2
    renderer = picture.panel((0.0, 0.0, 1.0, 1.0))
    categories = pair_categories(3)[1:]
    cells = outputs.diagram.GetCellData()
    kind, birth, death = (array_of(cells, name) for name in ("PairType", "Birth", "Death"))

    plane = add_chart(renderer, (50, 60, half - 80, size[1] - 160), ("Birth", "Death"))
    ends = np.array([birth.min(), death.max()])
    add_plot(plane, vtkChart.LINE, ends, ends, GREY)
    for category in categories:
        chosen = kind == category.value
        add_plot(plane, vtkChart.POINTS, birth[chosen], death[chosen], category.color)

    box = (half + 30, 60, half - 80, size[1] - 160)
    curves = add_chart(renderer, box, ("Persistence threshold", "Pairs left"))
    rows = outputs.curves.GetRowData()
    threshold = array_of(rows, "Persistence").astype(np.float64)
    for category, names in zip(categories, KINDS, strict=True):
        left = array_of(rows, CURVE.format(*names)).astype(np.float64)
        some = left > 0.0  # 0 has no logarithm
        add_plot(curves, vtkChart.LINE, threshold[some], left[some], category.color)
    for place in (vtkAxis.BOTTOM, vtkAxis.LEFT):
        curves.GetAxis(place).LogScaleOn()

    picture.text(title, (40, size[1] - 38), 22)
    picture.text("and its curves", (half + 40, size[1] - 38), 22)
    for i, category in enumerate(categories):
        picture.legend([(category.name, category.color)], (50 + 270 * i, 28))
    picture.write(path)


def add_chart(renderer: Any, box: tuple[int, int, int, int], titles: tuple[str, str]) -> Any:
    """An empty chart in a box (left, bottom, width, height in pixels), with titles of its axes."""
    chart = vtkChartXY()
    chart.SetAutoSize(False)
    chart.SetSize(vtkRectf(*(OVERSAMPLING * number for number in box)))
    chart.SetShowLegend(False)
    for place, title in zip((vtkAxis.BOTTOM, vtkAxis.LEFT), titles, strict=True):
        axis = chart.GetAxis(place)
        axis.SetTitle(title)
        axis.GetPen().SetColorF(*FAINT_COLOR)
        axis.GetGridPen().SetColorF(*FAINT_COLOR)
        axis.GetGridPen().SetOpacityF(0.15)
        for style, height in ((axis.GetTitleProperties(), 15), (axis.GetLabelProperties(), 13)):
            style.SetColor(*TEXT_COLOR)
            style.SetBold(False)
            style.SetFontSize(height * OVERSAMPLING)
    actor = vtkContextActor()
    actor.GetScene().AddItem(chart)
    renderer.AddActor(actor)
    return chart


def add_plot(chart: Any, kind: int, x: np.ndarray, y: np.ndarray, color: Color) -> None:
    """A line or points; x and y (n,). Nothing where there are none."""
    if not len(x):
        return
    table = vtkTable()
    for name, values in (("x", x), ("y", y)):
        table.AddColumn(named(np.asarray(values, dtype=np.float64), name))
    plot = chart.AddPlot(kind)
    plot.SetInputData(table, 0, 1)
    plot.SetColorF(*color)
    plot.SetWidth(LINE_WIDTH * OVERSAMPLING)
    if kind == vtkChart.POINTS:
        plot.SetMarkerStyle(4)  # circles
        plot.SetMarkerSize(MARK_SIZE * OVERSAMPLING)
