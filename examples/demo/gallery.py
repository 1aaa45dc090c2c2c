"""All pictures of docs/images, made anew.

    python -m examples.demo.gallery OUTPUT_DIR [--width 1350] [--window]

Made of the samples of the source repository. Needs VTK 9.4 or newer to draw where there is no
display, and for --window ParaView, Xvfb and openbox.
"""

from __future__ import annotations

import argparse
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

from examples.demo import blocks, molecule, protein, rips
from examples.demo.charts import picture_of_diagram
from examples.demo.mesh import picture_of_mesh
from examples.demo.prepare import (
    array_of,
    counted,
    inner_points,
    named,
    points_of,
    polydata,
    smooth_polylines,
)
from examples.demo.samples import OF_MESHES, SAMPLE_FOLDER, USER_ERRORS
from examples.demo.scene import (
    MARGIN,
    SIZE,
    Entry,
    Picture,
    aim,
    kinds_of_lines,
    kinds_of_points,
    lines_actor,
    points_actor,
    surface_actor,
)
from examples.demo.terrain import Relief, picture_of_terrain
from examples.demo.tiles import draw_tiles
from examples.demo.volume import isosurface, picture_of_volume
from examples.demo.window import picture_of_window
from separatrix_vtk.function_outputs import MorseSmaleOutputs
from separatrix_vtk.functions import morse_smale_complex, persistence_diagram
from separatrix_vtk.io.point_files import read_points
from separatrix_vtk.io.volumes import read_mesh, read_volume
from separatrix_vtk.paraview.palette import (
    Color,
    critical_categories,
    label_colors,
    point_radius,
    separatrix_categories,
    surface_categories,
    tint,
)

NEUTRAL: Color = (0.62, 0.70, 0.80)
FEW: dict[str, Any] = {"persistence": 0.1, "relative": True}
UP = np.array([0.0, 0.0, 1.0])


def main(arguments: list[str] | None = None) -> int:
    """Draw all pictures into a folder; 0, or 1 after a sentence on stderr."""
    summary, _, description = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m examples.demo.gallery",
        description=summary,
        epilog=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR", help="folder for the pictures")
    parser.add_argument(
        "--width", type=int, default=1350, help="of a picture in pixels (default: 1350)"
    )
    parser.add_argument("--window", action="store_true", help="that of ParaView's window too")
    options = parser.parse_args(arguments)
    Picture.pixels = options.width / SIZE[0]
    if options.output.exists() and not options.output.is_dir():
        parser.error(f"{options.output} is a file; name a folder for the pictures")
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        draw_all(options.output)
        if options.window:
            picture_of_window(options.output / "paraview.png")
    except (*USER_ERRORS, OSError, RuntimeError) as error:
        print(f"gallery: {error}", file=sys.stderr)
        return 1
    return 0


def draw_all(folder: Path) -> None:
    """The pictures of the pages, and the tiles of the front page."""
    picture_of_volume(sample("atomic_orbital"), "psi", folder / "atomic_orbital.png")
    picture_of_terrain(sample("terrain"), "height", folder / "terrain.png")
    picture_of_connectors(folder / "connectors.png")
    picture_of_surfaces(folder / "surfaces.png")
    picture_of_simplification(folder / "simplification.png")
    image = read_volume(SAMPLE_FOLDER / "noisy_field.vti").as_image()
    picture_of_diagram(persistence_diagram(image, device="cpu"), "noise", folder / "diagram.png")
    picture_of_mesh(ring(), "temperature", folder / "mesh.png")
    atoms, _ = read_points(SAMPLE_FOLDER / "1crn.pdb")
    molecule.picture_of_molecule(atoms, "crambin", folder / "molecule.png", "cpu")
    protein.picture_of_growth(folder / "alpha_complex.png", "cpu")
    protein.picture_of_pockets(folder / "pockets.png", "cpu")
    points, _ = read_points(SAMPLE_FOLDER / "torus.csv")
    rips.picture_of_barcode(points, "torus", folder / "barcode.png", "cpu")
    knot = blocks.knot()
    sums, pattern = blocks.sums_of(knot, "cpu")
    blocks.draw_sums(blocks.with_sums(knot, sums), pattern, folder / "block_sparse.png")
    draw_tiles(folder, "cpu")


def ring() -> MorseSmaleOutputs:
    """The complex of the mesh among the samples."""
    mesh = read_mesh(SAMPLE_FOLDER / "ring.vtu")
    return morse_smale_complex(mesh, device="cpu", **OF_MESHES)


def sample(name: str, **settings: Any) -> MorseSmaleOutputs:
    """The complex of a sample, on the CPU."""
    image = read_volume(SAMPLE_FOLDER / f"{name}.vti").as_image()
    return morse_smale_complex(image, device="cpu", **settings)


def picture_of_connectors(path: Path) -> None:
    """Left two stars, whose saddles are Lagrange's points; right a connector of several V-paths."""
    outputs = sample("two_centers")
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
    paths, ends, count = most_branched(sample("noisy_field", **FEW))
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


def picture_of_surfaces(path: Path) -> None:
    """The surface of one saddle each: the wall between two basins, and half the orbits' plane."""
    outputs = sample(
        "two_centers",
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


def picture_of_simplification(
    path: Path, complexes: tuple[MorseSmaleOutputs, MorseSmaleOutputs] | None = None
) -> None:
    """A terrain and its regions, before and after simplification. complexes: of both, if there."""
    picture = Picture()
    half = picture.size[0] / 2
    for side, outputs in enumerate(
        complexes or (sample("terrain"), sample("terrain", **OF_MESHES))
    ):
        panel = picture.panel((0.5 * side, 0.0, 0.5 * (side + 1), 1.0))
        add_basins(panel, outputs, (0.74, 0.62))
        title = "Basins of a terrain" if side == 0 else "Simplified at 5 % of its range"
        words = counted(outputs.critical_points, dimension=2)
        picture.heading(title, words, MARGIN + (half - 30) * side, half - 60)
    basin = Entry("a color for the basin of each minimum", NEUTRAL, "area")
    kinds = [Entry(c.name, c.color) for c in critical_categories(2)]
    picture.legend([[*kinds, basin]])
    picture.write(path)


def add_basins(panel: Any, outputs: MorseSmaleOutputs, room: tuple[float, float]) -> None:
    """The terrain in a color for the basin of each minimum."""
    relief = Relief(outputs.segmentation, "height")
    labels = array_of(outputs.segmentation.GetPointData(), "DescendingManifold")
    panel.AddActor(relief.labeled(labels, label_colors(int(labels.max()) + 1)))
    points = inner_points(outputs.critical_points)
    radius = 0.55 * point_radius(outputs.segmentation.GetBounds())
    relief.lift(points, 0.6 * radius)
    panel.AddActor(points_actor(points, critical_categories(2), radius))
    aim(panel, relief.points(), np.array([0.05, -0.5, 1.2]), UP, room)


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


if __name__ == "__main__":
    sys.exit(main())
