"""Pictures for the documentation: saddle connectors, surfaces, regions before and after.

    python -m separatrix_vtk.demo.gallery OUTPUT_DIR

Made of the samples of the source repository. Needs VTK 9.4 or newer to draw where there is no
display.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkFiltersCore import (
    vtkCleanPolyData,
    vtkPolyDataConnectivityFilter,
    vtkPolyDataNormals,
    vtkWindowedSincPolyDataFilter,
)

from separatrix_vtk.demo.__main__ import SAMPLE_FOLDER
from separatrix_vtk.demo.prepare import (
    array_of,
    counted,
    inner_points,
    points_of,
    smooth_polylines,
)
from separatrix_vtk.demo.scene import (
    FAINT_COLOR,
    Picture,
    aim,
    lines_actor,
    points_actor,
    surface_actor,
)
from separatrix_vtk.demo.terrain import Relief
from separatrix_vtk.demo.volume import isosurface
from separatrix_vtk.functions import MorseSmaleOutputs, morse_smale_complex
from separatrix_vtk.palette import (
    Color,
    critical_categories,
    label_colors,
    point_radius,
    separatrix_categories,
    surface_categories,
    tint,
)
from separatrix_vtk.shell.read import read_volume

SIZE = (900, 530)  # pixels
TITLE, SUBTITLE = SIZE[1] - 38, SIZE[1] - 66  # heights
NEUTRAL: Color = (0.62, 0.70, 0.80)
UP = np.array([0.0, 0.0, 1.0])


def main(arguments: list[str] | None = None) -> int:
    """Draw all pictures into a folder."""
    (folder,) = map(Path, sys.argv[1:] if arguments is None else arguments)
    folder.mkdir(parents=True, exist_ok=True)
    picture_of_connectors(folder / "connectors.png")
    picture_of_surfaces(folder / "surfaces.png")
    picture_of_simplification(folder / "simplification.png")
    return 0


def sample(name: str, **settings: Any) -> MorseSmaleOutputs:
    """The complex of a sample, on the CPU."""
    image = read_volume(SAMPLE_FOLDER / f"{name}.vti").as_image()
    return morse_smale_complex(image, device="cpu", **settings)


def picture_of_connectors(path: Path) -> None:
    """Two stars: connectors between the saddles, which are Lagrange's points."""
    outputs = sample("two_centres")
    picture = Picture(SIZE)
    space = picture.panel((0.0, 0.0, 1.0, 1.0))
    points, radius = add_stars(space, outputs)
    lines = smooth_polylines(outputs.separatrices_1, inner_only=True)
    space.AddActor(lines_actor(lines, separatrix_categories(3), 0.34 * radius))
    seen = np.concatenate([points_of(points), points_of(lines)])
    aim(space, seen, np.array([0.25, -1.0, 1.05]), UP, (1.2, 0.55))
    picture.text("Saddle connectors of the potential of two stars", (40, TITLE), 22)
    words = "all V-paths between 1-saddles and 2-saddles; the five saddles are Lagrange's points"
    picture.text(words, (40, SUBTITLE), 14, FAINT_COLOR)
    picture.legend([(c.name, c.color) for c in critical_categories(3)[:3]], (50, 104))
    picture.legend([(c.name, c.color) for c in separatrix_categories(3)[:2]], (200, 104))
    picture.write(path)


def picture_of_surfaces(path: Path) -> None:
    """The same: the wall between the stars' basins, and the plane of their orbits."""
    outputs = sample(
        "two_centres",
        compute_ascending_separatrices_2=True,
        compute_descending_separatrices_2=True,
    )
    picture = Picture(SIZE)
    space = picture.panel((0.0, 0.0, 1.0, 1.0))
    points, radius = add_stars(space, outputs)
    lines = smooth_polylines(outputs.separatrices_1, inner_only=True)
    space.AddActor(lines_actor(lines, separatrix_categories(3), 0.2 * radius))
    seen = [points_of(points)]
    for category in surface_categories():
        surface = smooth_surface(outputs.separatrices_2, category.value)
        space.AddActor(surface_actor(surface, tint(category.color, 0.2), 0.5))
        seen.append(points_of(surface))
    aim(space, np.concatenate(seen), np.array([0.35, -1.0, 0.8]), UP, (1.4, 0.62))
    picture.text("2-separatrices of the potential of two stars", (40, TITLE), 22)
    words = "ascending from 1-saddles: walls between basins; descending from 2-saddles; smoothed"
    picture.text(words, (40, SUBTITLE), 14, FAINT_COLOR)
    picture.legend([(c.name, c.color) for c in critical_categories(3)[:3]], (50, 104))
    picture.legend([(c.name, tint(c.color, 0.2)) for c in surface_categories()], (200, 104))
    picture.write(path)


def add_stars(space: Any, outputs: MorseSmaleOutputs) -> tuple[vtkPolyData, float]:
    """Add inner critical points and the equipotential through L1; the points and their radius."""
    points = inner_points(outputs.critical_points)
    radius = 1.1 * point_radius(outputs.segmentation.GetBounds())
    space.AddActor(points_actor(points, critical_categories(3), radius))
    data = outputs.critical_points.GetPointData()
    is_pass = (array_of(data, "CellDimension") == 1) & (array_of(data, "IsOnBoundary") == 0)
    lowest = np.flatnonzero(is_pass)[np.argmin(array_of(data, "potential")[is_pass])]
    level = float(array_of(data, "potential")[lowest])
    surface = isosurface(outputs.segmentation, "potential", level - 0.01)
    space.AddActor(surface_actor(inner_parts(surface, outputs), NEUTRAL, 0.22))
    return points, radius


def inner_parts(surface: vtkPolyData, outputs: MorseSmaleOutputs) -> vtkPolyData:
    """The connected parts of a surface that do not touch the bounds of the image."""
    parts = vtkPolyDataConnectivityFilter()
    parts.SetInputData(surface)
    parts.SetExtractionModeToAllRegions()
    parts.ColorRegionsOn()
    parts.Update()
    found = parts.GetOutput()
    points, region = points_of(found), array_of(found.GetPointData(), "RegionId")
    bounds = np.array(outputs.segmentation.GetBounds()).reshape(3, 2)
    touches = np.any((points <= bounds[:, 0] + 1e-6) | (points >= bounds[:, 1] - 1e-6), axis=1)
    inside = ~np.isin(region, np.unique(region[touches]))
    first = first_corners(found)
    return with_cells(found, inside[first])


def first_corners(data: vtkPolyData) -> np.ndarray:
    """The first corner of each polygon."""
    polygons = data.GetPolys()
    offsets = vtk_to_numpy(polygons.GetOffsetsArray())[:-1]
    return np.asarray(vtk_to_numpy(polygons.GetConnectivityArray())[offsets])


def picture_of_simplification(path: Path) -> None:
    """A terrain and its regions, before and after simplification."""
    picture = Picture(SIZE)
    half = SIZE[0] // 2
    for side, threshold in enumerate((0.0, 0.05)):
        outputs = sample("terrain", persistence_threshold=threshold, threshold_mode="relative")
        panel = picture.panel((0.5 * side, 0.0, 0.5 * (side + 1), 1.0))
        relief = Relief(outputs.segmentation, "height")
        labels = array_of(outputs.segmentation.GetPointData(), "DescendingManifold")
        panel.AddActor(relief.labelled(labels, label_colors(int(labels.max()) + 1)))
        points = inner_points(outputs.critical_points)
        radius = 0.42 * point_radius(outputs.segmentation.GetBounds())
        relief.lift(points, 0.6 * radius)
        panel.AddActor(points_actor(points, critical_categories(2), radius))
        aim(panel, relief.points(), np.array([0.05, -0.8, 1.0]), UP, (0.82, 0.72))
        title = "Basins of a terrain" if side == 0 else "Simplified at 5 % of its range"
        picture.text(title, (40 + half * side, TITLE), 22)
        words = counted(outputs.critical_points, dimension=2)
        picture.text(words, (40 + half * side, SUBTITLE), 14, FAINT_COLOR)
    for i, category in enumerate(critical_categories(2)):
        picture.legend([(category.name, category.color)], (50 + 140 * i, 40))
    picture.text("a colour for the basin of each minimum", (half + 40, 40), 15, FAINT_COLOR)
    picture.write(path)


def smooth_surface(surfaces: vtkPolyData, kind: int) -> vtkPolyData:
    """The polygons of one SeparatrixType whose saddle lies inside, smoothed, with normals."""
    cells = surfaces.GetCellData()
    chosen = array_of(cells, "SeparatrixType") == kind
    chosen &= array_of(cells, "NumberOfCriticalPointsOnBoundary") == 0
    part = vtkPolyData()
    part.ShallowCopy(surfaces)
    smooth = vtkWindowedSincPolyDataFilter()
    smooth.SetInputData(with_cells(part, chosen))
    smooth.SetNumberOfIterations(40)
    smooth.SetPassBand(0.02)
    smooth.BoundarySmoothingOn()
    smooth.NonManifoldSmoothingOn()
    normals = vtkPolyDataNormals()
    normals.SetInputConnection(smooth.GetOutputPort())
    normals.SplittingOff()
    normals.Update()
    return normals.GetOutput()


def with_cells(data: vtkPolyData, chosen: np.ndarray) -> vtkPolyData:
    """Polydata with some of its cells, chosen (cells,) bool, and the points that these need."""
    part = vtkPolyData()
    part.ShallowCopy(data)
    part.BuildCells()
    for cell in np.flatnonzero(~chosen):
        part.DeleteCell(int(cell))
    part.RemoveDeletedCells()
    clean = vtkCleanPolyData()
    clean.PointMergingOff()
    clean.SetInputData(part)
    clean.Update()
    return clean.GetOutput()


if __name__ == "__main__":
    sys.exit(main())
