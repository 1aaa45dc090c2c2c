"""Picture of the Morse-Smale complex of a 2D image: the field as a relief, the complex on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkPolyDataNormals
from vtkmodules.vtkFiltersGeneral import vtkWarpScalar
from vtkmodules.vtkFiltersGeometry import vtkImageDataGeometryFilter
from vtkmodules.vtkRenderingCore import vtkColorTransferFunction

from examples.demo.palette import point_radius, separatrix_categories
from examples.demo.plane import sampled
from examples.demo.prepare import (
    array_of,
    counted,
    inner_points,
    named,
    points_of,
    smooth_polylines,
)
from examples.demo.scene import (
    FAINT_COLOR,
    MARGIN,
    Entry,
    Picture,
    aim,
    kinds_of_lines,
    kinds_of_points,
    lines_actor,
    points_actor,
    surface_actor,
)
from separatrix.plotting.palette import (
    Color,
    critical_categories,
    label_colors,
)

NEUTRAL: Color = (0.62, 0.70, 0.80)
UP = np.array([0.0, 0.0, 1.0])
RELIEF = 0.10  # height of the relief, in diagonals of the map


def picture_of_terrain(outputs: Any, array: str, path: Path) -> None:
    """A 2D image as a relief, its separatrices and critical points on it."""
    picture = Picture()
    ground = picture.panel((0.0, 0.0, 1.0, 1.0))
    rows = add_terrain(ground, outputs, array, (1.44, 0.72))
    words = f"{counted(outputs.critical_points, dimension=2)}; lines smoothed"
    picture.heading(f"Morse-Smale complex of {array or 'the field'}", words)
    picture.legend(rows)
    picture.write(path)


def add_terrain(
    ground: Any, outputs: Any, array: str, room: tuple[float, float]
) -> list[list[Entry]]:
    """The relief with the complex on it; rows of its legend."""
    image = outputs.segmentation
    relief = Relief(image, array)
    radius = 0.46 * point_radius(image.GetBounds())
    ground.AddActor(relief.actor())
    lines = smooth_polylines(outputs.separatrices_1, inner_only=False)
    relief.lift(lines, 0.25 * radius)
    ground.AddActor(lines_actor(lines, separatrix_categories(2), 0.30 * radius))
    shown = inner_points(outputs.critical_points)
    relief.lift(shown, 0.6 * radius)
    ground.AddActor(points_actor(shown, critical_categories(2), radius))
    from_, up = np.array([0.15, -1.0, 0.85]), np.array([0.0, 0.0, 1.0])
    aim(ground, relief.points(), from_, up, room)
    return [kinds_of_points(shown, 2) + kinds_of_lines(lines, 2)]


def picture_of_simplification(unsimplified: Any, simplified: Any, path: Path) -> None:
    """A terrain and the basins of its minima, before and after simplification."""
    picture = Picture()
    half = picture.size[0] / 2
    titles = ("Basins of a terrain", "Simplified at 5% of its range")
    for side, (title, outputs) in enumerate(zip(titles, (unsimplified, simplified), strict=True)):
        panel = picture.panel((0.5 * side, 0.0, 0.5 * (side + 1), 1.0))
        add_basins(panel, outputs, (0.74, 0.62))
        words = counted(outputs.critical_points, dimension=2)
        picture.heading(title, words, MARGIN + (half - 30) * side, half - 60)
    basin = Entry("one color per basin of a minimum", NEUTRAL, "area")
    kinds = [Entry(c.name, c.color) for c in critical_categories(2)]
    picture.legend([[*kinds, basin]])
    picture.write(path)


def add_basins(panel: Any, outputs: Any, room: tuple[float, float]) -> None:
    """The terrain in a color for the basin of each minimum."""
    relief = Relief(outputs.segmentation, "height")
    labels = array_of(outputs.segmentation.GetPointData(), "DescendingManifold")
    panel.AddActor(relief.labeled(labels, label_colors(int(labels.max()) + 1)))
    points = inner_points(outputs.critical_points)
    radius = 0.55 * point_radius(outputs.segmentation.GetBounds())
    relief.lift(points, 0.6 * radius)
    panel.AddActor(points_actor(points, critical_categories(2), radius))
    aim(panel, relief.points(), np.array([0.05, -0.5, 1.2]), UP, room)


class Relief:
    """The height field of a 2D image, exaggerated to a fixed part of the size of the map."""

    def __init__(self, image: vtkImageData, array: str) -> None:
        self._image = vtkImageData()
        self._image.CopyStructure(image)
        values = array_of(image.GetPointData(), array).astype(np.float64)
        self._low, spread = values.min(), float(np.ptp(values)) or 1.0
        self._factor = RELIEF * image.GetLength() / spread
        heights = (values - self._low) * self._factor
        self._image.GetPointData().SetScalars(named(heights, "height"))

        flat = vtkImageDataGeometryFilter()
        flat.SetInputData(self._image)
        raised = vtkWarpScalar()
        raised.SetInputConnection(flat.GetOutputPort())
        raised.UseNormalOn()
        raised.SetNormal(0.0, 0.0, 1.0)
        normals = vtkPolyDataNormals()
        normals.SetInputConnection(raised.GetOutputPort())
        normals.SplittingOff()
        normals.Update()
        self._surface = normals.GetOutput()

    def points(self) -> np.ndarray:
        """All points of the ground (n, 3)."""
        return points_of(self._surface)

    def actor(self) -> Any:
        """The ground, colored from valley to summit."""
        actor = surface_actor(self._surface, FAINT_COLOR)
        mapper = actor.GetMapper()
        mapper.ScalarVisibilityOn()
        mapper.SetLookupTable(ground_colors(self._image.GetScalarRange()))
        mapper.UseLookupTableScalarRangeOn()
        actor.GetProperty().SetSpecular(0.05)
        return actor

    def labeled(self, labels: np.ndarray, colors: np.ndarray) -> Any:
        """The ground with a color, red, green and blue in 0..1, for each label (n,)."""
        ground = vtkPolyData()
        ground.ShallowCopy(self._surface)
        pixels = np.clip(colors[labels] * 255.0, 0, 255).astype(np.uint8)
        ground.GetPointData().SetScalars(named(pixels, "colors"))
        actor = surface_actor(ground, FAINT_COLOR)
        actor.GetMapper().ScalarVisibilityOn()
        actor.GetMapper().SetColorModeToDirectScalars()
        actor.GetProperty().SetSpecular(0.05)
        return actor

    def lift(self, data: vtkPolyData, above: float) -> None:
        """Put points of the flat image on the ground, and a little above it."""
        points = points_of(data)
        points[:, 2] = sampled(self._image, "height", points) + above
        data.GetPoints().SetData(named(points, "Points"))


def ground_colors(heights: tuple[float, float]) -> Any:
    """Muted colors from valley to summit, so that what is drawn on the ground stands out."""
    table = vtkColorTransferFunction()
    stops: list[Color] = [
        (0.11, 0.18, 0.20), (0.20, 0.28, 0.27), (0.38, 0.40, 0.35), (0.50, 0.48, 0.44),
        (0.66, 0.64, 0.62),
    ]  # fmt: skip
    for position, color in zip(np.linspace(*heights, len(stops)), stops, strict=True):
        table.AddRGBPoint(position, *color)
    return table
