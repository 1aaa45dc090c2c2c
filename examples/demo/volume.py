"""Picture of the Morse-Smale complex of a volume: in space, and its regions in a plane.

The picture omits critical points and lines on the boundary of the image, where only the data end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkContourFilter, vtkFlyingEdges3D
from vtkmodules.vtkImagingCore import vtkImageResize
from vtkmodules.vtkRenderingCore import vtkActor, vtkImageActor, vtkPolyDataMapper

from examples.demo.palette import point_radius, separatrix_categories
from examples.demo.plane import Plane, colored_regions, plane_of_extrema
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
    OVERSAMPLING,
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
)

ISOSURFACE_OPACITY = 0.26
WARM: Color = (1.00, 0.47, 0.14)
COLD: Color = (0.16, 0.55, 0.95)
NEUTRAL: Color = (0.62, 0.70, 0.80)
MAP = 0.57  # height of the plane, of the picture
CROWD = 40  # more critical points than that are drawn smaller


def picture_of_volume(outputs: Any, array: str, path: Path) -> None:
    """The complex in space, next to its regions in a plane. outputs: of `morse_smale_complex`."""
    picture, name = Picture(), array or "the field"
    plane = plane_of_extrema(outputs, array)
    space = picture.panel((0.0, 0.0, 0.6, 1.0))
    rows = add_complex(space, outputs, array, plane, (0.86, 0.64))
    map_ = picture.panel((0.6, 0.0, 1.0, 1.0))
    add_plane(map_, outputs, array, plane, radius_of(outputs))

    right = 0.6 * picture.size[0] + 16
    picture.heading(
        f"Morse-Smale complex of {name}", counted(outputs.critical_points), room=right - 80
    )
    picture.heading("Its regions", f"{plane.name}, by pair of extrema", right)
    omitted = "left: without the boundary, lines smoothed"
    picture.text(omitted, (right, 102), 13, FAINT_COLOR)
    picture.legend(rows)
    picture.write(path)


# === In space


def add_complex(
    space: Any, outputs: Any, array: str, plane: Plane, room: tuple[float, float]
) -> list[list[Entry]]:
    """Add the inner part of the complex and isosurfaces of the field; returns its legend."""
    points, radius = inner_points(outputs.critical_points), radius_of(outputs)
    in_view, surfaces = [points_of(points)], []
    for name, level, color in isosurface_levels(outputs, array):
        surface = isosurface(outputs.segmentation, array, level)
        space.AddActor(surface_actor(surface, color, ISOSURFACE_OPACITY))
        in_view.append(points_of(surface))
        surfaces.append(Entry(name, color, "area"))
    lines = smooth_polylines(outputs.separatrices_1, inner_only=True)
    space.AddActor(lines_actor(lines, separatrix_categories(3), 0.30 * radius))
    space.AddActor(points_actor(points, critical_categories(3), radius))
    from_ = plane.normal + 0.8 * plane.along - 0.35 * plane.across
    aim(space, np.concatenate(in_view), from_, plane.normal, room)
    return [kinds_of_points(points) + surfaces, kinds_of_lines(lines)]


def radius_of(outputs: Any) -> float:
    """The radius of a critical point: smaller if there are many."""
    crowd = max(inner_points(outputs.critical_points).GetNumberOfPoints() / CROWD, 1.0)
    return point_radius(outputs.segmentation.GetBounds()) / float(crowd ** (1 / 3))


def isosurface_levels(outputs: Any, array: str) -> list[tuple[str, float, Color]]:
    """Isosurfaces, named: both signs of a wave, else the level of the inner saddles."""
    values = array_of(outputs.segmentation.GetPointData(), array).astype(np.float64)
    low, high = float(values.min()), float(values.max())
    if low < 0.0 < high and min(-low, high) > 0.3 * max(-low, high):
        level = 0.36 * max(-low, high)
        reported = f"{array or 'field'} = {{}}{level:.2g}"
        return [(reported.format(""), level, WARM), (reported.format("\u2212"), -level, COLD)]
    data = outputs.critical_points.GetPointData()
    index = array_of(data, "CellDimension")
    saddle = (index > 0) & (index < 3)
    inner = saddle & (array_of(data, "IsOnBoundary") == 0)
    levels = array_of(data, array)[inner if inner.any() else saddle]
    level = float(np.median(levels)) if levels.size else 0.5 * (low + high)
    return [(f"{array or 'field'} = {level:.3g}", level, NEUTRAL)]


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
    camera.SetParallelScale(plane.half_width / MAP)
    renderer.ResetCameraClippingRange()
