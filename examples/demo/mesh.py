"""Picture of the Morse-Smale complex of a tetrahedral mesh: in its boundary, and its regions.

The right half shows the tetrahedra below a plane, each in the color of the minimum that its lowest
point descends to.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkFiltersCore import vtkPolyDataNormals

from examples.demo.palette import point_radius, separatrix_categories
from examples.demo.prepare import array_of, counted, named, points_of, smooth_polylines
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
    label_colors,
)
from separatrix_vtk.base.arrays import fill_polydata
from separatrix_vtk.filters.mesh.cells import mesh_cells
from separatrix_vtk.functions import mesh_relations

GLASS: Color = (0.62, 0.70, 0.80)
GLASS_OPACITY = 0.16
EDGE_COLOR: Color = (0.06, 0.08, 0.12)
ROOM = (0.72, 0.62)
FROM, UP = np.array([0.1, -1.0, 1.15]), np.array([0.0, 0.0, 1.0])


def picture_of_mesh(outputs: Any, array: str, path: Path) -> None:
    """The complex inside the boundary, next to the regions. outputs: of `morse_smale_complex`."""
    picture, mesh = Picture(), outputs.segmentation
    space = picture.panel((0.0, 0.0, 0.5, 1.0))
    rows = add_mesh(space, outputs, ROOM)
    cut = picture.panel((0.5, 0.0, 1.0, 1.0))
    cut.AddActor(regions_actor(mesh, array))
    aim(cut, points_of(boundary_of(mesh)), FROM, UP, ROOM)

    half = picture.size[0] / 2
    title = f"Morse-Smale complex of {array}"
    picture.heading(title, counted(outputs.critical_points), room=half - 60)
    words = f"a color each, in the lower half of {mesh.GetNumberOfCells():,} tetrahedra"
    picture.heading("Basins of the minima", words, half + 10)
    picture.text(
        "lines smoothed; those that run out of the mesh omitted", (half + 10, 104), 13, FAINT_COLOR
    )
    picture.legend(rows)
    picture.write(path)


def add_mesh(space: Any, outputs: Any, room: tuple[float, float]) -> list[list[Entry]]:
    """The complex in the boundary of the mesh; rows of its legend."""
    radius = 0.85 * point_radius(outputs.segmentation.GetBounds())
    boundary = boundary_of(outputs.segmentation)
    space.AddActor(surface_actor(boundary, GLASS, GLASS_OPACITY))
    lines = smooth_polylines(outputs.separatrices_1, inner_only=False, ending=True)
    space.AddActor(lines_actor(lines, separatrix_categories(3), 0.3 * radius))
    space.AddActor(points_actor(outputs.critical_points, critical_categories(3), radius))
    aim(space, points_of(boundary), FROM, UP, room)
    return [kinds_of_points(outputs.critical_points), kinds_of_lines(lines)]


def boundary_of(mesh: Any) -> vtkPolyData:
    """The boundary of a mesh, to be shaded smoothly."""
    return with_normals(mesh_relations(mesh, device="cpu").boundary)


def with_normals(surface: vtkPolyData) -> vtkPolyData:
    """A surface that is shaded smoothly."""
    normals = vtkPolyDataNormals()
    normals.SetInputData(surface)
    normals.SetFeatureAngle(50.0)
    normals.Update()
    return normals.GetOutput()


def regions_actor(mesh: Any, array: str) -> Any:
    """The boundary of the tetrahedra below the middle, colored by region, with their edges."""
    cells = mesh_cells(mesh)
    height = cells.points[cells.corners].mean(axis=1)[:, 2]
    low, high = mesh.GetBounds()[4:]
    corners = cells.corners[height < 0.5 * (low + high)]
    values = array_of(mesh.GetPointData(), array)
    label = array_of(mesh.GetPointData(), "DescendingManifold")
    lowest = corners[np.arange(len(corners)), values[corners].argmin(axis=1)]
    faces = np.concatenate([np.delete(corners, k, axis=1) for k in range(4)])
    owner = np.tile(label[lowest], 4)
    _, first, count = np.unique(
        np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True
    )
    outer = first[count == 1]
    surface = vtkPolyData()
    n = len(outer)
    fill_polydata(surface, cells.points, polygons=(3 * np.arange(n + 1), faces[outer].reshape(-1)))
    colors = label_colors(int(label.max()) + 1)[owner[outer]]
    surface.GetCellData().SetScalars(
        named((255 * np.clip(colors, 0, 1)).astype(np.uint8), "colors")
    )
    actor = surface_actor(surface, GLASS)
    actor.GetMapper().ScalarVisibilityOn()
    actor.GetMapper().SetColorModeToDirectScalars()
    look = actor.GetProperty()
    look.SetInterpolationToFlat()
    look.EdgeVisibilityOn()
    look.SetEdgeColor(*EDGE_COLOR)
    look.SetLineWidth(0.6 * OVERSAMPLING)
    look.SetSpecular(0.05)
    return actor
