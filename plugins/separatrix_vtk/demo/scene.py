"""What pictures are made of: an off-screen window, critical points, lines, regions, a legend.

Everything is drawn at twice the size and averaged down, which smooths every edge on every driver.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

import numpy as np
import vtkmodules.vtkRenderingContextOpenGL2
import vtkmodules.vtkRenderingFreeType
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (each gives its factories)
from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkFiltersCore import vtkTubeFilter
from vtkmodules.vtkFiltersSources import vtkRegularPolygonSource, vtkSphereSource
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
    vtkWindowToImageFilter,
)

from separatrix_vtk.palette import Category, Color, lookup_table

SIZE = (1600, 1000)  # pixels of a finished picture
OVERSAMPLING = 2
BACKGROUND: tuple[Color, Color] = ((0.020, 0.027, 0.047), (0.094, 0.122, 0.176))  # bottom, top
TEXT_COLOR: Color = (0.87, 0.90, 0.94)
FAINT_COLOR: Color = (0.58, 0.64, 0.72)
OFFSCREEN_LIBRARIES = {
    "vtkEGLRenderWindow": ("libEGL.so.1", "libEGL.so"),
    "vtkOSOpenGLRenderWindow": ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"),
}
MIDDLE = 0.03  # how far above the middle of the window a scene stands, in heights of the window


class Picture:
    """An off-screen window. Viewports are (left, bottom, right, top) in 0..1, places in pixels."""

    def __init__(self, size: tuple[int, int] = SIZE) -> None:
        choose_offscreen_driver()
        self.window = vtkRenderWindow()
        self.window.SetOffScreenRendering(1)
        self.window.SetMultiSamples(0)
        self.window.SetNumberOfLayers(2)
        self.window.SetSize(size[0] * OVERSAMPLING, size[1] * OVERSAMPLING)
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

    def text(
        self, words: str, place: tuple[float, float], size: int = 22, color: Color = TEXT_COLOR
    ) -> None:
        """Write words; `place` is their left end on the middle line."""
        actor = vtkTextActor()
        actor.SetInput(words)
        style = actor.GetTextProperty()
        style.SetFontFamilyToArial()
        style.SetFontSize(size * OVERSAMPLING)
        style.SetColor(*color)
        style.SetVerticalJustificationToCentered()
        actor.SetPosition(place[0] * OVERSAMPLING, place[1] * OVERSAMPLING)
        self._overlay.AddViewProp(actor)

    def disc(self, place: tuple[float, float], radius: float, color: Color) -> None:
        """A filled circle round a place."""
        source = vtkRegularPolygonSource()
        source.SetNumberOfSides(64)
        source.SetRadius(radius * OVERSAMPLING)
        source.SetCenter(place[0] * OVERSAMPLING, place[1] * OVERSAMPLING, 0.0)
        mapper = vtkPolyDataMapper2D()
        mapper.SetInputConnection(source.GetOutputPort())
        actor = vtkActor2D()
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*color)
        self._overlay.AddViewProp(actor)

    def legend(self, entries: list[tuple[str, Color]], place: tuple[float, float]) -> None:
        """Discs and words, from `place` downwards."""
        for row, (words, color) in enumerate(entries):
            y = place[1] - 34 * row
            self.disc((place[0], y), 9, color)
            self.text(words, (place[0] + 24, y), 19)

    def write(self, path: Path) -> None:
        """Draw everything and write a PNG."""
        self.window.Render()
        pixels = vtkWindowToImageFilter()
        pixels.SetInput(self.window)
        pixels.ReadFrontBufferOff()
        smaller = vtkImageShrink3D()
        smaller.SetInputConnection(pixels.GetOutputPort())
        smaller.SetShrinkFactors(OVERSAMPLING, OVERSAMPLING, 1)
        smaller.MeanOn()
        writer = vtkPNGWriter()
        writer.SetCompressionLevel(9)
        writer.SetFileName(str(path))
        writer.SetInputConnection(smaller.GetOutputPort())
        writer.Write()
        self.window.Finalize()


def choose_offscreen_driver() -> None:
    """Let VTK draw where there is no display: by EGL or OSMesa. Its environment variable wins."""
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


def can_be_loaded(library: str) -> bool:
    """Whether the system's loader finds a library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def aim(
    renderer: Any, points: np.ndarray, from_: np.ndarray, up: np.ndarray, room: tuple[float, float]
) -> None:
    """Light the scene and look at points (n, 3) from a direction, so that they just fill the room.

    room: width and height as parts of the panel's height, in a place a little above its middle.
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
    camera.SetWindowCenter(0.0, -2 * MIDDLE)
    renderer.ResetCameraClippingRange()


# === Things to draw


def surface_actor(surface: vtkPolyData, color: Color, opacity: float = 1.0) -> Any:
    """A shaded surface of one colour."""
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(surface)
    mapper.ScalarVisibilityOff()
    actor = shaded(vtkActor(), mapper)
    actor.GetProperty().SetColor(*color)
    actor.GetProperty().SetOpacity(opacity)
    return actor


def points_actor(points: vtkPolyData, categories: list[Category], radius: float) -> Any:
    """Critical points as spheres coloured by CellDimension."""
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
    """Polylines as tubes coloured by SeparatrixType."""
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
