"""Elements of pictures: an off-screen window, critical points, lines, regions.

A picture is laid out in units of which 900 make its width, about the pixels that a README gives it,
so that what is readable here is so there. It is drawn at twice its size and averaged down, which
smooths every edge on every driver.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import vtkmodules.vtkRenderingContextOpenGL2
import vtkmodules.vtkRenderingFreeType
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (each gives its factories)
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints, vtkVersion
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkTubeFilter
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkImagingCore import vtkImageShrink3D
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkRenderingCore import (
    vtkActor,
    vtkActor2D,
    vtkGlyph3DMapper,
    vtkLightKit,
    vtkPolyDataMapper,
    vtkPolyDataMapper2D,
    vtkRenderer,
    vtkRenderWindow,
    vtkTextActor,
    vtkTextProperty,
    vtkTextRenderer,
    vtkWindowToImageFilter,
)

from examples.demo.palette import separatrix_categories
from separatrix.plotting.palette import (
    Category,
    Color,
    critical_categories,
)
from separatrix.plotting.scenes import OFFSCREEN_LIBRARIES, can_be_loaded
from separatrix_vtk.io.writers import write_picture
from separatrix_vtk.paraview.palette import lookup_table

SIZE = (900, 560)  # of a picture, in units
TILE = (480, 330)  # of a picture without words
OVERSAMPLING = 2
BACKGROUND: tuple[Color, Color] = ((0.020, 0.027, 0.047), (0.094, 0.122, 0.176))  # bottom, top
TEXT_COLOR: Color = (0.87, 0.90, 0.94)
FAINT_COLOR: Color = (0.58, 0.64, 0.72)
MARGIN = 40  # units
TITLE, SUBTITLE, WORDS = 22, 15, 16  # heights of letters, units
QUARTER_TURN = np.array([[0.0, 1.0], [-1.0, 0.0]])
ROW = 29  # of a legend, units


class Entry(NamedTuple):
    """An entry of a legend: words, a color, and the form of the items with this color.

    mark: "ball", "line", "area", or "arrow" and "up" for what does not end.
    """

    words: str
    color: Color
    mark: str = "ball"


def entries(categories: Iterable[Category], mark: str, shown: Any) -> list[Entry]:
    """Those categories whose value is among those that are shown."""
    values = np.unique(shown)
    return [Entry(c.name, c.color, mark) for c in categories if c.value in values]


def kinds_of_points(points: vtkPolyData, dimension: int = 3) -> list[Entry]:
    """Legend entries of the kinds of critical points."""
    shown = vtk_to_numpy(points.GetPointData().GetArray("CellDimension"))
    return entries(critical_categories(dimension), "ball", shown)


def kinds_of_lines(lines: vtkPolyData, dimension: int = 3) -> list[Entry]:
    """Legend entries of the kinds of separatrices."""
    kinds = lines.GetCellData().GetArray("SeparatrixType")
    shown = vtk_to_numpy(kinds) if kinds is not None else []
    return entries(separatrix_categories(dimension), "line", shown)


class Picture:
    """An off-screen window. Viewports are (left, bottom, right, top) in 0..1, places in units."""

    pixels = 1.5  # a unit of a finished picture

    def __init__(self, size: tuple[int, int] = SIZE) -> None:
        choose_offscreen_driver()
        self.size = size
        self.scale = self.pixels * OVERSAMPLING  # what is drawn, of a unit
        self.window = vtkRenderWindow()
        self.window.SetOffScreenRendering(1)
        self.window.SetMultiSamples(0)
        self.window.SetNumberOfLayers(2)
        # A multiple: where rows are left over, vtkImageShrink3D damages memory (VTK 9.7).
        self.window.SetSize(*(OVERSAMPLING * round(length * self.pixels) for length in size))
        self._overlay = vtkRenderer()
        self._overlay.SetLayer(1)
        self._overlay.InteractiveOff()
        self.window.AddRenderer(self._overlay)

    def panel(self, viewport: tuple[float, float, float, float]) -> Any:
        """A renderer for a part of the window; translucent things are drawn in right order."""
        renderer = vtkRenderer()
        renderer.SetViewport(*viewport)
        renderer.SetBackground(*BACKGROUND[0])
        renderer.SetBackground2(*BACKGROUND[1])
        renderer.GradientBackgroundOn()
        renderer.SetUseDepthPeeling(True)
        renderer.SetMaximumNumberOfPeels(12)
        renderer.SetOcclusionRatio(0.0)
        self.window.AddRenderer(renderer)
        return renderer

    def heading(self, words: str, below: str, left: float = MARGIN, room: float = 0.0) -> None:
        """A title and a line below it; room: their width, by default up to the right margin."""
        room, top = room or self.size[0] - MARGIN - left, self.size[1]
        self.text(words, (left, top - 36), TITLE, room=room)
        self.text(below, (left, top - 65), SUBTITLE, FAINT_COLOR, room=room)

    def text(
        self,
        words: str,
        place: tuple[float, float],
        size: float = WORDS,
        color: Color = TEXT_COLOR,
        room: float = 0.0,
    ) -> None:
        """Write words; `place` is their left end on the middle line. Smaller if room is short."""
        wide = width_of(words, size)
        if 0 < room < wide:
            size *= room / wide
        actor = vtkTextActor()
        actor.SetInput(words)
        style = actor.GetTextProperty()
        style.SetFontFamilyToArial()
        style.SetFontSize(round(size * self.scale))
        style.SetColor(*color)
        style.SetVerticalJustificationToCentered()
        actor.SetPosition(place[0] * self.scale, place[1] * self.scale)
        self._overlay.AddViewProp(actor)

    def mark(self, place: tuple[float, float], entry: Entry) -> None:
        """A ball, a line, or an area of a color at a position."""
        if entry.mark == "ball":
            turn = np.linspace(0.0, 2 * np.pi, 64, endpoint=False)
            self.polygon(place, 7.5 * np.stack([np.cos(turn), np.sin(turn)], axis=1), entry.color)
            return
        wide, high = (7.0, 7.0) if entry.mark == "area" else (11.0, 2.5)
        corners = np.array([[-wide, -high], [wide, -high], [wide, high], [-wide, high]])
        if entry.mark in ("arrow", "up"):
            tip = np.array([[2.0, -7.0], [12.0, 0.0], [2.0, 7.0]])
            corners[1:3, 0] = 3.0
            if entry.mark == "up":
                tip, corners = tip @ QUARTER_TURN, corners @ QUARTER_TURN
            self.polygon(place, tip, entry.color)
        self.polygon(place, corners, entry.color)

    def polygon(self, place: tuple[float, float], corners: np.ndarray, color: Color) -> None:
        """A convex polygon; corners (n, 2) from its place."""
        points, polygon, data = vtkPoints(), vtkCellArray(), vtkPolyData()
        for x, y in (np.asarray(place) + corners) * self.scale:
            points.InsertNextPoint(x, y, 0.0)
        polygon.InsertNextCell(len(corners), range(len(corners)))
        data.SetPoints(points)
        data.SetPolys(polygon)
        mapper = vtkPolyDataMapper2D()
        mapper.SetInputData(data)
        actor = vtkActor2D()
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*color)
        self._overlay.AddViewProp(actor)

    def legend(self, rows: list[list[Entry]], left: float = MARGIN, room: float = 0.0) -> None:
        """Rows of marks and words above the lower margin, closer together where room is short."""
        room = room or self.size[0] - MARGIN - left
        for number, row in enumerate(reversed(rows)):
            y = 32 + ROW * number
            widths = [32 + width_of(entry.words, WORDS) for entry in row]
            gap = min(30.0, (room - sum(widths)) / max(len(row) - 1, 1))
            shrink = min(1.0, (room - 32 * len(row)) / (sum(widths) - 32 * len(row) + 1e-9))
            x = left + 9.0
            for entry, width in zip(row, widths, strict=True):
                self.mark((x, y), entry)
                self.text(entry.words, (x + 20, y), WORDS * (shrink if gap < 0 else 1.0))
                x += 32 + (width - 32) * shrink if gap < 0 else width + gap

    def write(self, path: Path) -> None:
        """Draw everything and write a PNG."""
        self.window.Render()
        pixels = vtkWindowToImageFilter()
        pixels.SetInput(self.window)
        pixels.ReadFrontBufferOff()
        pixels.ShouldRerenderOff()
        smaller = vtkImageShrink3D()
        smaller.SetInputConnection(pixels.GetOutputPort())
        smaller.SetShrinkFactors(OVERSAMPLING, OVERSAMPLING, 1)
        smaller.MeanOn()
        writer = vtkPNGWriter()
        writer.SetCompressionLevel(9)
        writer.SetInputConnection(smaller.GetOutputPort())
        write_picture(path, writer)
        self.window.Finalize()


def width_of(words: str, size: float) -> float:
    """Width of a line of text, in units."""
    style = vtkTextProperty()
    style.SetFontFamilyToArial()
    style.SetFontSize(round(10 * size))
    box = [0, 0, 0, 0]
    vtkTextRenderer.GetInstance().GetBoundingBox(style, words, box, 72)
    return (box[1] - box[0]) / 10


def choose_offscreen_driver() -> None:
    """Let VTK draw without a display, by EGL or OSMesa, unless its environment variable is set."""
    if "VTK_DEFAULT_OPENGL_WINDOW" in os.environ:
        return
    version = (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion())
    if version >= (9, 4):  # older ones know the display only
        for window, libraries in OFFSCREEN_LIBRARIES.items():
            if any(map(can_be_loaded, libraries)):
                os.environ["VTK_DEFAULT_OPENGL_WINDOW"] = window
                return
    if not os.environ.get("DISPLAY"):
        raise RuntimeError(
            "no picture can be drawn: there is no display, and VTK 9.4 or newer with libEGL or "
            "libOSMesa was not found either; on Debian and Ubuntu: "
            "sudo apt-get install libegl1 libgl1-mesa-dri"
        )


def aim(
    renderer: Any,
    points: np.ndarray,
    from_: np.ndarray,
    up: np.ndarray,
    room: tuple[float, float],
    up_by: float = 0.0,
) -> None:
    """Light the scene and look at points (n, 3) from a direction, so that they just fill the room.

    room: width and height as parts of the panel's height; up_by: of that too, from its middle.
    """
    lights = vtkLightKit()
    lights.SetKeyLightIntensity(0.95)
    lights.SetKeyToFillRatio(2.2)
    lights.AddLightsToRenderer(renderer)
    toward = from_ / np.linalg.norm(from_)
    right = np.cross(up, toward)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(toward, right), toward])
    seen = points @ axes.T
    camera = renderer.GetActiveCamera()
    half_angle = np.tan(np.radians(camera.GetViewAngle() / 2))
    middle, distance = 0.5 * (seen.min(axis=0) + seen.max(axis=0)), 0.0
    for _ in range(4):  # what is near looks larger, so the middle moves a little
        x, y, z = (seen - middle).T
        distance = float(
            np.max(z + np.maximum(np.abs(x) / room[0], np.abs(y) / room[1]) / half_angle)
        )
        shown = (seen - middle)[:, :2] / (distance - z)[:, None]
        middle[:2] += 0.5 * (shown.min(axis=0) + shown.max(axis=0)) * distance
    camera.SetFocalPoint(*(middle @ axes))
    camera.SetPosition(*((middle + [0.0, 0.0, distance]) @ axes))
    camera.SetViewUp(*axes[1])
    camera.SetWindowCenter(0.0, -2 * up_by)
    renderer.ResetCameraClippingRange()


# === Things to draw


def surface_actor(surface: vtkPolyData, color: Color, opacity: float = 1.0) -> Any:
    """A shaded surface of one color."""
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(surface)
    mapper.ScalarVisibilityOff()
    actor = shaded(vtkActor(), mapper)
    actor.GetProperty().SetColor(*color)
    actor.GetProperty().SetOpacity(opacity)
    return actor


def points_actor(points: vtkPolyData, categories: list[Category], radius: float) -> Any:
    """Critical points as spheres colored by CellDimension."""
    sphere = vtkSphereSource()
    sphere.SetRadius(radius)
    sphere.SetThetaResolution(40)
    sphere.SetPhiResolution(40)
    mapper = vtkGlyph3DMapper()
    mapper.SetInputData(points)
    mapper.SetSourceConnection(sphere.GetOutputPort())
    mapper.ScalingOff()
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray("CellDimension")
    mapper.SetLookupTable(lookup_table(categories))
    mapper.UseLookupTableScalarRangeOn()
    return shaded(vtkActor(), mapper, specular=0.6)


def lines_actor(lines: vtkPolyData, categories: list[Category], radius: float) -> Any:
    """Polylines as tubes colored by SeparatrixType."""
    tubes = vtkTubeFilter()
    tubes.SetInputData(lines)
    tubes.SetRadius(radius)
    tubes.SetNumberOfSides(14)
    tubes.CappingOn()
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(tubes.GetOutputPort())
    mapper.SetScalarModeToUseCellFieldData()
    mapper.SelectColorArray("SeparatrixType")
    mapper.SetLookupTable(lookup_table(categories))
    mapper.UseLookupTableScalarRangeOn()
    return shaded(vtkActor(), mapper)


def shaded(actor: Any, mapper: Any, specular: float = 0.3) -> Any:
    """The actor with its mapper and a soft gloss."""
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    look.SetAmbient(0.16)
    look.SetDiffuse(0.9)
    look.SetSpecular(specular)
    look.SetSpecularPower(40.0)
    return actor
