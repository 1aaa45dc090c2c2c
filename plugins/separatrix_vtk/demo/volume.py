"""Picture of the Morse-Smale complex of a volume: in space, and its regions in a plane.

What lies on the boundary of the image is left out of the picture: data end there, nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkContourFilter, vtkFlyingEdges3D
from vtkmodules.vtkImagingCore import vtkImageResize
from vtkmodules.vtkRenderingCore import vtkActor, vtkImageActor, vtkPolyDataMapper

from separatrix_vtk.demo.plane import Plane, colored_regions, plane_of_extrema
from separatrix_vtk.demo.prepare import (
    array_of,
    counted,
    inner_points,
    named,
    points_of,
    smooth_polylines,
)
from separatrix_vtk.demo.scene import (
    FAINT_COLOR,
    OVERSAMPLING,
    Picture,
    aim,
    lines_actor,
    points_actor,
    surface_actor,
)
from separatrix_vtk.palette import (
    Color,
    critical_categories,
    point_radius,
    separatrix_categories,
)

ISOSURFACE_OPACITY = 0.26
WARM: Color = (1.00, 0.47, 0.14)
COLD: Color = (0.16, 0.55, 0.95)
NEUTRAL: Color = (0.62, 0.70, 0.80)
CROWD = 40  # more critical points than that are drawn smaller


def picture_of_volume(outputs: Any, array: str, path: Path) -> None:
    """The complex in space beside its regions in a plane. outputs: of `morse_smale_complex`."""
    picture = Picture()
    image, points = outputs.segmentation, outputs.critical_points
    plane = plane_of_extrema(outputs, array)
    shown = inner_points(points)
    crowd = max(shown.GetNumberOfPoints() / CROWD, 1.0)
    radius = point_radius(image.GetBounds()) / crowd ** (1 / 3)

    space = picture.panel((0.0, 0.0, 0.6, 1.0))
    in_view = [points_of(shown)]
    for level, color in isosurface_levels(outputs, array):
        surface = isosurface(image, array, level)
        space.AddActor(surface_actor(surface, color, ISOSURFACE_OPACITY))
        in_view.append(points_of(surface))
    lines = smooth_polylines(outputs.separatrices_1, inner_only=True)
    space.AddActor(lines_actor(lines, separatrix_categories(3), 0.30 * radius))
    space.AddActor(points_actor(shown, critical_categories(3), radius))
    from_ = plane.normal + 0.8 * plane.along - 0.35 * plane.across
    aim(space, np.concatenate(in_view), from_, plane.normal, (0.90, 0.70))

    map_ = picture.panel((0.6, 0.0, 1.0, 1.0))
    add_plane(map_, outputs, array, plane, radius)

    name = array or "the field"
    picture.text(f"Morse-Smale complex of {name}", (48, 946), 30)
    picture.text(
        f"{counted(points)}; those on the boundary not drawn, lines smoothed for display",
        (48, 908),
        16,
        FAINT_COLOR,
    )
    picture.text(f"Segmentation {plane.name}", (996, 946), 24)
    picture.text("a colour for each pair of a minimum and a maximum", (996, 908), 18, FAINT_COLOR)
    picture.legend([(c.name, c.color) for c in critical_categories(3)], (58, 156))
    picture.legend([(c.name, c.color) for c in separatrix_categories(3)], (228, 156))
    picture.write(path)


# === In space


def isosurface_levels(outputs: Any, array: str) -> list[tuple[float, Color]]:
    """Where to draw isosurfaces: both signs of a wave, else the level of the inner saddles."""
    values = array_of(outputs.segmentation.GetPointData(), array).astype(np.float64)
    low, high = float(values.min()), float(values.max())
    if low < 0.0 < high and min(-low, high) > 0.3 * max(-low, high):
        level = 0.36 * max(-low, high)
        return [(level, WARM), (-level, COLD)]
    data = outputs.critical_points.GetPointData()
    index = array_of(data, "CellDimension")
    saddle = (index > 0) & (index < 3)
    inner = saddle & (array_of(data, "IsOnBoundary") == 0)
    levels = array_of(data, array)[inner if inner.any() else saddle]
    level = float(np.median(levels)) if levels.size else 0.5 * (low + high)
    return [(level, NEUTRAL)]


def isosurface(image: vtkImageData, array: str, level: float) -> vtkPolyData:
    """An isosurface of the image, refined where it is coarse."""
    field = vtkImageData()
    field.CopyStructure(image)
    values = array_of(image.GetPointData(), array).astype(np.float64)
    field.GetPointData().SetScalars(named(values, array or "field"))
    refine = max(1, min(4, 160 // max(image.GetDimensions())))
    finer = vtkImageResize()
    finer.SetInputData(field)
    finer.SetResizeMethodToOutputDimensions()
    finer.SetOutputDimensions(*((n - 1) * refine + 1 for n in image.GetDimensions()))
    finer.BorderOff()
    surface = vtkFlyingEdges3D()
    surface.SetInputConnection(finer.GetOutputPort())
    surface.SetValue(0, level)
    surface.Update()
    return surface.GetOutput()


# === In a plane


def add_plane(renderer: Any, outputs: Any, array: str, plane: Plane, radius: float) -> None:
    """The regions that a plane cuts, level lines of the field, and the critical points near it."""
    colors, values = colored_regions(outputs.segmentation, array, plane)
    picture = plane.image_of(colors, "colors")
    actor = vtkImageActor()
    actor.SetInputData(picture)
    renderer.AddActor(actor)

    levels = vtkContourFilter()
    levels.SetInputData(plane.image_of(values, "values"))
    finite = values[np.isfinite(values)]
    levels.GenerateValues(14, float(finite.min()), float(finite.max()))
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(levels.GetOutputPort())
    mapper.ScalarVisibilityOff()
    lines = vtkActor()
    lines.SetMapper(mapper)
    lines.SetPosition(0.0, 0.0, 0.01 * radius)
    lines.GetProperty().SetColor(1.0, 1.0, 1.0)
    lines.GetProperty().SetOpacity(0.35)
    lines.GetProperty().SetLineWidth(1.0 * OVERSAMPLING)
    lines.GetProperty().LightingOff()
    renderer.AddActor(lines)

    near = inner_points(outputs.critical_points)
    plane.flatten(near, within=plane.depth, image=outputs.segmentation)
    renderer.AddActor(points_actor(near, critical_categories(3), radius))
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(0.0, 0.0, 0.0)
    camera.SetPosition(0.0, 0.0, 1.0)
    renderer.ResetCamera()
    camera.SetParallelScale(plane.half_width * 1000 / 570)
    renderer.ResetCameraClippingRange()
