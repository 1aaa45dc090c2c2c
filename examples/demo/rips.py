"""A picture of points with the loops of their two longest bars, and of their barcode."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkChartsCore import vtkAxis, vtkChart
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper

from examples.demo.charts import add_arrow, add_chart, add_plot
from examples.demo.prepare import array_of, named, points_of, polydata
from examples.demo.scene import (
    Entry,
    Picture,
    aim,
    entries,
    lines_actor,
    shaded,
)
from separatrix.plotting.palette import Category, Color, bar_categories
from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.function_outputs import RipsBarcodesOutputs
from separatrix_vtk.functions import rips_barcodes

SHORTENING = 0.25  # of a bar
N_LOOPS = 2
POINT_COLOR: Color = (0.62, 0.70, 0.80)
LOOP_COLORS: tuple[Color, ...] = ((0.902, 0.624, 0.000), (0.337, 0.706, 0.914))
WIDTHS = (2.6, 6.0)  # of bars, and of those with a loop; units
MOST_BARS, GAP = 12, 2  # of a dimension, in the picture; rows between dimensions


def barcode_of(points: Any, device: str = "auto") -> RipsBarcodesOutputs:
    """The barcode up to dimension 2 with the cycles of the longest bars."""
    outputs: RipsBarcodesOutputs = rips_barcodes(
        points,
        device=device,
        max_dimension=2,
        number_of_representatives=N_LOOPS,
        shortening=SHORTENING,
    )
    return outputs


def draw_barcode(points: Any, outputs: RipsBarcodesOutputs, name: str, path: Path) -> None:
    """The picture of a barcode that is there."""
    picture = Picture()
    width, height = picture.size
    half = width / 2
    space = picture.panel((0.0, 0.0, 0.5, 1.0))
    row, color_of = add_points_and_loops(space, points, outputs, (0.72, 0.64))
    renderer = picture.panel((0.5, 0.0, 1.0, 1.0))
    box = (20.0, 120.0, half - 64, height - 214)  # in the panel
    endless = draw_bars(picture, renderer, box, outputs, color_of)

    counts = np.bincount(array_of(outputs.bars.GetRowData(), "Dimension"), minlength=3)
    n_points = len(positions_of(points))
    picture.heading(f"{name}: {n_points} points", "and the loops of the longest bars")
    words = f"{counts[0]} components, {counts[1]} loops, {counts[2]} voids"
    picture.heading(f"Barcode: the longest {MOST_BARS} of each", words, half + 10)
    picture.legend([row[:1], row[1:]], room=half - 60)
    kinds = [Entry(c.name, c.color, "line") for c in bar_categories() if counts[c.value]]
    ends = [Entry("never ends", bar_categories()[0].color, "arrow")] if endless else []
    picture.legend([kinds, ends], left=half + 10)
    picture.write(path)


def add_points_and_loops(
    space: Any, points: Any, outputs: RipsBarcodesOutputs, room: tuple[float, float]
) -> tuple[list[Entry], dict[int, Color]]:
    """Points and the loops of the longest bars; their legend, and the colors of these bars."""
    loops, bars_of_loops = loops_of(outputs.representatives)
    places = positions_of(points)
    width = float(np.linalg.norm(np.ptp(places, axis=0)))
    space.AddActor(dots(places, 0.007 * width))
    names = ("longest loop", "second longest")
    categories = [
        Category(i, *known) for i, known in enumerate(zip(names, LOOP_COLORS, strict=True))
    ]
    space.AddActor(lines_actor(loops, categories, 0.009 * width))
    aim(space, places, np.array([0.3, -1.0, 1.0]), np.array([0.0, 0.0, 1.0]), room)
    shown = array_of(loops.GetCellData(), "SeparatrixType")
    row = [Entry("points", POINT_COLOR), *entries(categories, "line", shown)]
    return row, dict(zip(bars_of_loops, LOOP_COLORS, strict=False))


def loops_of(cycles: vtkPolyData) -> tuple[vtkPolyData, list[int]]:
    """The lines of representatives, numbered by their bars, and these, the longest first."""
    first, lines = cycles.GetNumberOfVerts(), cycles.GetLines()
    data = cycles.GetCellData()
    part = slice(first, first + cycles.GetNumberOfLines())
    bar, length = (array_of(data, name)[part] for name in ("BarId", "Persistence"))
    items, offsets = (
        from_vtk(array) for array in (lines.GetConnectivityArray(), lines.GetOffsetsArray())
    )
    walks = [items[begin:end] for begin, end in pairwise(offsets.tolist())]
    walks = [np.append(walk, walk[1]) if walk[0] == walk[-1] else walk for walk in walks]  # no seam
    places = points_of(cycles)[np.concatenate(walks)]
    made = polydata(places, np.cumsum([0, *map(len, walks)]), "lines")
    bars = list(dict.fromkeys(bar[np.argsort(-length, kind="stable")].tolist()))
    kind = np.array([bars.index(number) for number in bar.tolist()], np.int8)
    made.GetCellData().AddArray(named(kind, "SeparatrixType"))  # what lines are colored by
    return made, bars


def positions_of(points: Any) -> np.ndarray:
    """Positions of the points, (n, 3) float64."""
    from separatrix_vtk.filters.points.point_set import point_set_of

    return point_set_of(points).positions.astype(np.float64)


def dots(places: np.ndarray, radius: float) -> Any:
    """Points as small spheres."""
    sphere = vtkSphereSource()
    sphere.SetRadius(radius)
    sphere.SetThetaResolution(20)
    sphere.SetPhiResolution(20)
    mapper = vtkGlyph3DMapper()
    mapper.SetInputData(polydata(places, np.arange(len(places) + 1), "verts"))
    mapper.SetSourceConnection(sphere.GetOutputPort())
    mapper.ScalingOff()
    mapper.ScalarVisibilityOff()
    actor = shaded(vtkActor(), mapper)
    actor.GetProperty().SetColor(*POINT_COLOR)
    return actor


def draw_bars(
    picture: Picture,
    renderer: Any,
    box: tuple[float, float, float, float],
    outputs: RipsBarcodesOutputs,
    color_of: dict[int, Color],
) -> bool:
    """The longest bars of each dimension, the longest on top; those with a loop in its color.

    Whether one of them never ends: it is an arrow.
    """
    data = outputs.barcode.GetCellData()
    number, dimension, birth, death, length, finite = (
        array_of(data, name)
        for name in ("BarId", "Dimension", "Birth", "Death", "Persistence", "IsFinite")
    )
    chosen = []
    for category in bar_categories():
        rows = np.flatnonzero(dimension == category.value)
        chosen.append(rows[np.lexsort((birth[rows], -length[rows]))][:MOST_BARS])
    n_rows = sum(len(rows) for rows in chosen) + GAP * (len(chosen) - 1)
    limits = ((0.0, float(death[np.concatenate(chosen)].max())), (-n_rows - 1.0, 4.0))
    chart = add_chart(picture, renderer, box, ("Distance", ""), limits)
    row = 0
    for category, rows in zip(bar_categories(), chosen, strict=True):
        for i in rows.tolist():
            ends, height = np.array([birth[i], death[i]]), np.array([row, row], float)
            special = color_of.get(int(number[i]))
            color, width = special or category.color, WIDTHS[special is not None]
            add_plot(chart, vtkChart.LINE, ends, height, color, width)
            if not finite[i]:
                add_arrow(chart, (death[i], row), limits, color, width)
            row -= 1
        row -= GAP
    axis = chart.GetAxis(vtkAxis.LEFT)
    axis.SetLabelsVisible(False)
    axis.SetTicksVisible(False)
    axis.SetGridVisible(False)
    return bool((finite[np.concatenate(chosen)] == 0).any())
