"""The density of a molecule, its simplified Morse-Smale complex, and a picture of both.

Left: an isosurface of the density, with one color per hill. Right: the part of the complex inside
that surface. Drawing without a display requires VTK 9.4 or newer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData

from examples.demo.palette import separatrix_categories
from examples.demo.plane import grid_coordinates
from examples.demo.prepare import array_of, named, points_of, polydata, smooth_polylines
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
from examples.demo.volume import isosurface
from separatrix.plotting.palette import (
    Color,
    critical_categories,
    label_colors,
)
from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.functions import morse_smale_complex, point_density

SIGMA, SPACING = 1.1, 0.35  # Angstrom
PERSISTENCE = 0.03  # of the range of the density
LEVEL = 0.28  # of the highest density
ROOM = (0.72, 0.66)  # of a panel
CLEAR: Color = (0.62, 0.70, 0.80)


def density_and_complex(atoms: Any, device: str = "auto") -> tuple[Any, Any]:
    """The density of the atoms on an image, and its simplified complex."""
    weights = "atom_type" if atoms.GetPointData().HasArray("atom_type") else None
    image = point_density(atoms, weights, sigma=SIGMA, spacing=SPACING, device=device)
    complex = morse_smale_complex(
        image,
        "Density",
        device=device,
        persistence=PERSISTENCE,
        relative=True,
    )
    return image, complex


def draw_molecule(atoms: Any, image: Any, complex: Any, name: str, path: Path) -> None:
    """The picture of a density and a complex that are there."""
    picture = Picture()
    hills = picture.panel((0.0, 0.0, 0.5, 1.0))
    add_hills(hills, atoms, image, complex, ROOM)
    skeleton = picture.panel((0.5, 0.0, 1.0, 1.0))
    points, row = add_ridges(skeleton, atoms, image, complex, ROOM)

    half = picture.size[0] / 2
    words = f"of {atoms.GetNumberOfPoints()} atoms, sigma {SIGMA} \u00c5; a color for each hill"
    picture.heading(f"{name}: electron density", words, room=half - 60)
    kinds = array_of(points.GetPointData(), "CellDimension")
    words = f"{(kinds == 3).sum()} maxima, {(kinds == 2).sum()} 2-saddles inside the surface"
    picture.heading("Its Morse-Smale complex", words, half + 10)
    picture.text(
        f"surface: density {LEVEL * 100:.0f} % of the highest; "
        f"complex: simplified at {PERSISTENCE * 100:.0f} %, above that surface; lines smoothed",
        (MARGIN, 64), 13, FAINT_COLOR,
    )  # fmt: skip
    picture.legend([row])
    picture.write(path)


def add_hills(hills: Any, atoms: Any, image: Any, complex: Any, room: tuple[float, float]) -> None:
    """A level surface of the density, in a color for each hill."""
    surface = level_surface(image)
    paint_hills(surface, complex.segmentation)
    actor = surface_actor(surface, CLEAR)
    actor.GetMapper().ScalarVisibilityOn()
    hills.AddActor(actor)
    aim(hills, points_of(surface), *view_of(points_of(atoms)), room)


def add_ridges(
    skeleton: Any, atoms: Any, image: Any, complex: Any, room: tuple[float, float]
) -> tuple[vtkPolyData, list[Entry]]:
    """Add the critical points inside that surface, and a legend."""
    surface = level_surface(image)
    points, lines = inside(complex, level_of(image))
    skeleton.AddActor(surface_actor(surface, CLEAR, 0.13))
    skeleton.AddActor(lines_actor(lines, separatrix_categories(3), 0.15))
    skeleton.AddActor(points_actor(points, critical_categories(3), 0.44))
    aim(skeleton, points_of(surface), *view_of(points_of(atoms)), room)
    return points, kinds_of_points(points) + kinds_of_lines(lines)


def level_of(image: Any) -> float:
    """The density at the surface that is drawn."""
    return LEVEL * float(array_of(image.GetPointData(), "Density").max())


def level_surface(image: Any) -> vtkPolyData:
    """The surface of that density."""
    return isosurface(image, "Density", level_of(image))


def view_of(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """View direction and view-up vector: the longest axis is up, the shortest faces the viewer."""
    _, _, axes = np.linalg.svd(places - places.mean(axis=0), full_matrices=False)
    return np.asarray(axes[2] + 0.35 * axes[1]), np.asarray(axes[0])


def paint_hills(surface: vtkPolyData, segmentation: Any) -> None:
    """Color a surface by AscendingManifold of the nearest point of the image."""
    labels = array_of(segmentation.GetPointData(), "AscendingManifold")
    nx, ny, nz = segmentation.GetDimensions()
    at = np.rint(grid_coordinates(segmentation, points_of(surface))).astype(np.int64)
    x, y, z = np.clip(at, 0, np.array([nx, ny, nz]) - 1).T
    found = labels[(z * ny + y) * nx + x]
    colors = label_colors(int(found.max()) + 1)[found]
    surface.GetPointData().SetScalars(named((255 * colors).astype(np.uint8), "hill"))


def inside(complex: Any, level: float) -> tuple[vtkPolyData, vtkPolyData]:
    """Maxima and 2-saddles above a level, and the smoothed ridges that join them."""
    data = complex.critical_points.GetPointData()
    kinds, values = array_of(data, "CellDimension"), array_of(data, "Density")
    kept = (kinds >= 2) & (values > level)
    points = polydata(points_of(complex.critical_points)[kept], np.arange(kept.sum() + 1), "verts")
    points.GetPointData().AddArray(named(kinds[kept], "CellDimension"))
    return points, ridges_above(complex.separatrices_1, level)


def ridges_above(separatrices: vtkPolyData, level: float) -> vtkPolyData:
    """Ascending separatrices that nowhere lie below a level, each a smoothed polyline."""
    cells = separatrices.GetCellData()
    lines = smooth_polylines(separatrices, inner_only=False)
    lowest = array_of(cells, "SeparatrixFunctionMinimum")
    kept = (array_of(cells, "SeparatrixType") == 2) & (lowest > level)
    offsets = from_vtk(lines.GetLines().GetOffsetsArray())
    pieces = [points_of(lines)[offsets[i] : offsets[i + 1]] for i in np.flatnonzero(kept)]
    lengths = [len(piece) for piece in pieces]
    chosen = polydata(
        np.concatenate([np.empty((0, 3)), *pieces]), np.cumsum([0, *lengths]), "lines"
    )
    chosen.GetCellData().AddArray(named(np.full(len(pieces), 2, np.int8), "SeparatrixType"))
    return chosen
