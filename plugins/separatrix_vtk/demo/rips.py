"""A point set becomes its barcode, and the loops of the longest bars are drawn through the points.

    python -m separatrix_vtk.demo.rips PICTURE.png [--input FILE] [--device auto]

Left: the points with a loop for each of the two longest bars. Right: the barcode. Needs VTK 9.4 or
newer to draw where there is no display.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkChartsCore import vtkAxis, vtkChart
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper

from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.demo.__main__ import SAMPLE_FOLDER
from separatrix_vtk.demo.charts import add_chart, add_plot
from separatrix_vtk.demo.point_command import draw_from_command_line
from separatrix_vtk.demo.prepare import array_of, named, points_of, polydata
from separatrix_vtk.demo.scene import (
    FAINT_COLOR,
    SIZE,
    Picture,
    aim,
    lines_actor,
    shaded,
)
from separatrix_vtk.palette import Category, Color, bar_categories
from separatrix_vtk.rips.rips_function import RipsBarcodesOutputs, rips_barcodes

SAMPLE = SAMPLE_FOLDER / "torus.csv"
SHORTENING = 0.25  # of a bar
N_LOOPS = 2
POINT_COLOR: Color = (0.62, 0.70, 0.80)
LOOP_COLORS: tuple[Color, ...] = ((0.902, 0.624, 0.000), (0.337, 0.706, 0.914))
WIDTHS = (5.0, 14.0)  # of bars, and of those with a loop
MOST_BARS = 40  # of a dimension, in the picture


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; 0, or 1 after a sentence on stderr."""
    return draw_from_command_line(
        "rips", __doc__, SAMPLE, "points: .csv, .npy, .vtp, ...", picture_of_barcode, arguments
    )


def picture_of_barcode(
    points: Any, name: str, path: Path, device: str = "auto", size: tuple[int, int] = SIZE
) -> None:
    """Loops of the longest bars through the points, and the barcode."""
    outputs = rips_barcodes(
        points,
        device=device,
        max_dimension=2,
        number_of_representatives=N_LOOPS,
        shortening=SHORTENING,
    )
    loops, bars_of_loops = loops_of(outputs.representatives)
    places = positions_of(points)
    picture, half = Picture(size), size[0] // 2
    space = picture.panel((0.0, 0.0, 0.5, 1.0))
    width = float(np.linalg.norm(np.ptp(places, axis=0)))
    space.AddActor(dots(places, 0.007 * width))
    names = ("longest loop", "second longest")
    categories = [
        Category(i, *known) for i, known in enumerate(zip(names, LOOP_COLORS, strict=True))
    ]
    color_of = dict(zip(bars_of_loops, LOOP_COLORS, strict=False))
    space.AddActor(lines_actor(loops, categories, 0.009 * width))
    aim(space, places, np.array([0.3, -1.0, 1.0]), np.array([0.0, 0.0, 1.0]), (0.68, 0.62))

    renderer = picture.panel((0.5, 0.0, 1.0, 1.0))
    box = (50, 70, half - 110, size[1] - 190)  # in the panel
    draw_bars(renderer, box, outputs, color_of)
    title, subtitle = size[1] - 54, size[1] - 92
    picture.text(f"{name}: {len(places)} points", (48, title), 28)
    counts = np.bincount(array_of(outputs.bars.GetRowData(), "Dimension"), minlength=3)
    words = f"{counts[0]} components, {counts[1]} loops, {counts[2]} voids at some distance"
    picture.text(words, (48, subtitle), 16, FAINT_COLOR)
    picture.text("Barcode", (half + 48, title), 28)
    words = f"longest {MOST_BARS} bars of each dimension; two loops live long"
    picture.text(words, (half + 48, subtitle), 16, FAINT_COLOR)
    for i, category in enumerate(bar_categories()):
        picture.legend([(category.name, category.color)], (half + 60 + 190 * i, 34))
    for i, category in enumerate(categories):
        picture.legend([(category.name, category.color)], (58 + 190 * i, 34))
    picture.write(path)


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
    made.GetCellData().AddArray(named(kind, "SeparatrixType"))  # what lines are coloured by
    return made, bars


def positions_of(points: Any) -> np.ndarray:
    """Where the points lie, (n, 3) float64."""
    from separatrix_vtk.points.point_set import point_set_of

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
    renderer: Any,
    box: tuple[int, int, int, int],
    outputs: RipsBarcodesOutputs,
    color_of: dict[int, Color],
) -> None:
    """The longest bars of each dimension as lines of a chart; those with a loop in its colour."""
    chart = add_chart(renderer, box, ("Distance", ""))
    data = outputs.barcode.GetCellData()
    number, dimension, birth, death, length = (
        array_of(data, name) for name in ("BarId", "Dimension", "Birth", "Death", "Persistence")
    )
    row = 0
    for category in bar_categories():
        rows = np.flatnonzero(dimension == category.value)
        rows = np.sort(rows[np.argsort(-length[rows], kind="stable")][:MOST_BARS])
        for i in rows.tolist():
            row -= 1
            ends, height = np.array([birth[i], death[i]]), np.array([row, row], float)
            color = color_of.get(int(number[i]))
            add_plot(chart, vtkChart.LINE, ends, height, color or category.color)
            plot = chart.GetPlot(chart.GetNumberOfPlots() - 1)
            plot.SetWidth(WIDTHS[color is not None])
        row -= 4
    axis = chart.GetAxis(vtkAxis.LEFT)
    axis.SetBehavior(vtkAxis.FIXED)
    axis.SetRange(row, 3)
    axis.SetLabelsVisible(False)
    axis.SetTicksVisible(False)
    axis.SetGridVisible(False)


if __name__ == "__main__":
    sys.exit(main())
