"""The pictures of docs/images that no job of `make demo` draws, and the tiles of the README."""

from __future__ import annotations

from functools import cache
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

from examples.demo.mesh import add_mesh
from examples.demo.molecule import add_hills, density_and_complex
from examples.demo.palette import point_radius, separatrix_categories
from examples.demo.plane import plane_of_extrema
from examples.demo.prepare import (
    array_of,
    inner_points,
    named,
    points_of,
    polydata,
    smooth_polylines,
)
from examples.demo.protein import add_pockets, pockets_of
from examples.demo.rips import add_points_and_loops, barcode_of
from examples.demo.samples import OF_MESHES, SAMPLE_FOLDER
from examples.demo.scene import (
    TILE,
    Entry,
    Picture,
    aim,
    kinds_of_lines,
    kinds_of_points,
    lines_actor,
    points_actor,
    surface_actor,
)
from examples.demo.terrain import add_terrain, picture_of_terrain
from examples.demo.volume import add_complex, isosurface
from separatrix.plotting.palette import (
    Color,
    critical_categories,
    surface_categories,
    tint,
)
from separatrix_vtk import io
from separatrix_vtk.function_outputs import MorseSmaleOutputs
from separatrix_vtk.functions import morse_smale_complex

ROOM = (1.34, 0.90)  # of a tile
NEUTRAL: Color = (0.62, 0.70, 0.80)
FEW: dict[str, Any] = {"persistence": 0.1, "relative": True}
UP = np.array([0.0, 0.0, 1.0])


@cache
def complex_of(name: str, device: str, **settings: Any) -> MorseSmaleOutputs:
    """The complex of a sample, computed once for all pictures."""
    return morse_smale_complex(io.read(SAMPLE_FOLDER / name), device=device, **settings)


def draw_others(folder: Path, device: str) -> None:
    """The pictures of the pages that no job draws, and the tiles of the README."""
    terrain = complex_of("terrain.vti", device)
    picture_of_terrain(terrain, "height", folder / "terrain.png")
    picture_of_connectors(folder / "connectors.png", device)
    picture_of_surfaces(folder / "surfaces.png", device)
    for name, fill in TILES.items():
        picture = Picture(TILE)
        fill(picture.panel((0.0, 0.0, 1.0, 1.0)), device)
        picture.write(folder / f"tile_{name}.png")


# === tiles: pictures of one size, without words


def fill_volume(space: Any, device: str) -> None:
    """The complex of an atomic orbital."""
    outputs = complex_of("atomic_orbital.vti", device)
    add_complex(space, outputs, "psi", plane_of_extrema(outputs, "psi"), ROOM)


def fill_terrain(space: Any, device: str) -> None:
    """The simplified complex of a terrain."""
    add_terrain(space, complex_of("terrain.vti", device, **OF_MESHES), "height", ROOM)


def fill_mesh(space: Any, device: str) -> None:
    """The complex in the boundary of a ring."""
    add_mesh(space, complex_of("ring.vtu", device, **OF_MESHES), ROOM)


def fill_density(space: Any, device: str) -> None:
    """The hills of a molecule's density."""
    atoms = io.read(SAMPLE_FOLDER / "1crn.pdb")
    add_hills(space, atoms, *density_and_complex(atoms, device), ROOM)


def fill_pockets(space: Any, device: str) -> None:
    """The pockets of an enzyme."""
    add_pockets(space, pockets_of(io.read(SAMPLE_FOLDER / "1u71.pdb"), device), ROOM)


def fill_points(space: Any, device: str) -> None:
    """Points with the loops of their longest bars."""
    points = io.read(SAMPLE_FOLDER / "torus.csv")
    add_points_and_loops(space, points, barcode_of(points, device), ROOM)


TILES = {
    "volume": fill_volume,
    "terrain": fill_terrain,
    "mesh": fill_mesh,
    "density": fill_density,
    "pockets": fill_pockets,
    "points": fill_points,
}


# === saddle connectors and surfaces


def picture_of_connectors(path: Path, device: str) -> None:
    """Left two stars, whose saddles are Lagrange's points; right a connector of several V-paths."""
    outputs = complex_of("two_centers.vti", device)
    picture = Picture()
    width, half = picture.size[0], picture.size[0] // 2 + 30
    space = picture.panel((0.0, 0.0, half / width, 1.0))
    points, radius = add_stars(space, outputs)
    lines = smooth_polylines(outputs.separatrices_1, inner_only=True)
    space.AddActor(lines_actor(lines, separatrix_categories(3), 0.34 * radius))
    seen = np.concatenate([points_of(points), points_of(lines)])
    aim(space, seen, np.array([0.25, -1.0, 1.05]), UP, (0.74, 0.6))
    below = "five saddles: Lagrange's points; gray: potential of L1"
    picture.heading("Saddle connectors of two stars", below, room=half - 60)

    tangle = picture.panel((half / width, 0.0, 1.0, 1.0))
    paths, ends, count = most_branched(complex_of("noisy_field.vti", device, **FEW))
    seen = np.concatenate([points_of(paths), points_of(ends)])
    length = float(np.linalg.norm(np.ptp(seen, axis=0)))
    tangle.AddActor(lines_actor(paths, separatrix_categories(3), 0.009 * length))
    tangle.AddActor(points_actor(ends, critical_categories(3), 0.03 * length))
    aim(tangle, seen, np.array([0.4, -1.0, 0.5]), UP, (0.6, 0.6))
    below = f"between two saddles of noise: Multiplicity {count}"
    picture.heading("One connector that splits", below, half + 10)
    picture.legend([kinds_of_points(points), kinds_of_lines(lines)])
    picture.write(path)


def most_branched(outputs: MorseSmaleOutputs) -> tuple[vtkPolyData, vtkPolyData, int]:
    """The inner connector of most V-paths: its lines, its two saddles, and how many there are."""
    lines = outputs.separatrices_1
    cells = lines.GetCellData()
    count = array_of(cells, "Multiplicity").astype(np.int64)
    inner = array_of(cells, "NumberOfCriticalPointsOnBoundary") == 0
    chosen = int(np.argmax(np.where(inner, count, 0)))
    number = array_of(cells, "SeparatrixId")
    part = with_cells(lines, number == number[chosen])
    at_end = [array_of(cells, name)[chosen] for name in ("SourceId", "DestinationId")]
    data = outputs.critical_points.GetPointData()
    is_end = np.isin(array_of(data, "CellId"), at_end)
    ends = polydata(points_of(outputs.critical_points)[is_end], np.arange(3), "verts")
    kind = array_of(data, "CellDimension")[is_end]
    ends.GetPointData().AddArray(named(kind, "CellDimension"))
    return smooth_polylines(part, inner_only=True), ends, int(count[chosen])


def picture_of_surfaces(path: Path, device: str) -> None:
    """The surface of one saddle each: the wall between two basins, and half the orbits' plane."""
    outputs = complex_of(
        "two_centers.vti",
        device,
        compute_ascending_separatrices_2=True,
        compute_descending_separatrices_2=True,
    )
    picture = Picture()
    space = picture.panel((0.0, 0.0, 1.0, 1.0))
    points, radius = add_stars(space, outputs)
    lines = smooth_polylines(outputs.separatrices_1, inner_only=True)
    space.AddActor(lines_actor(lines, separatrix_categories(3), 0.2 * radius))
    seen, areas = [points_of(points)], []
    for category in surface_categories():
        surface = smooth_surface(
            outputs.separatrices_2, category.value, lowest_saddle(outputs, category.value)
        )
        color = tint(category.color, 0.2)
        space.AddActor(surface_actor(surface, color, 0.72))
        seen.append(points_of(surface))
        areas.append(Entry(f"{category.name}: its surface", color, "area"))
    aim(space, np.concatenate(seen), np.array([0.5, -1.0, 0.6]), UP, (1.46, 0.66))
    below = "one of each kind: a wall between two basins, and what descends from a 2-saddle"
    picture.heading("2-separatrices of the potential of two stars", below)
    picture.legend([kinds_of_points(points) + kinds_of_lines(lines)[1:], areas])
    picture.write(path)


def lowest_saddle(outputs: MorseSmaleOutputs, index: int) -> int:
    """The CellId of the lowest inner saddle of an index."""
    data = outputs.critical_points.GetPointData()
    inner = (array_of(data, "CellDimension") == index) & (array_of(data, "IsOnBoundary") == 0)
    values = np.where(inner, array_of(data, "potential"), np.inf)
    return int(array_of(data, "CellId")[np.argmin(values)])


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


def smooth_surface(surfaces: vtkPolyData, kind: int, saddle: int) -> vtkPolyData:
    """The polygons of one SeparatrixType from one saddle (CellId), smoothed, with normals."""
    cells = surfaces.GetCellData()
    chosen = array_of(cells, "SeparatrixType") == kind
    chosen &= array_of(cells, "SourceId") == saddle
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
