"""A molecule becomes a density, its simplified Morse-Smale complex, and a picture of both.

    python -m separatrix_vtk.demo.molecule PICTURE.png [--input FILE] [--device auto]

Left: a level surface of the density, in a colour for each hill. Right: what of the complex lies
inside that surface. Needs VTK 9.4 or newer to draw where there is no display.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData

from separatrix_vtk.demo.__main__ import SAMPLE_FOLDER
from separatrix_vtk.demo.plane import grid_coordinates
from separatrix_vtk.demo.point_command import draw_from_command_line
from separatrix_vtk.demo.prepare import array_of, named, points_of, polydata, smooth_polylines
from separatrix_vtk.demo.scene import (
    FAINT_COLOR,
    Picture,
    aim,
    lines_actor,
    points_actor,
    surface_actor,
)
from separatrix_vtk.demo.volume import isosurface
from separatrix_vtk.functions import morse_smale_complex
from separatrix_vtk.palette import (
    Color,
    critical_categories,
    label_colors,
    separatrix_categories,
)
from separatrix_vtk.point_functions import point_density

SAMPLE = SAMPLE_FOLDER / "1crn.pdb"
SIGMA, SPACING = 1.1, 0.35  # Angstrom
PERSISTENCE = 0.03  # of the range of the density
LEVEL = 0.28  # of the highest density
CLEAR: Color = (0.62, 0.70, 0.80)


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; 0, or 1 after a sentence on stderr."""
    return draw_from_command_line(
        "molecule", __doc__, SAMPLE, "atoms: .pdb, .vtp, .csv, ...", picture_of_molecule, arguments
    )


def picture_of_molecule(atoms: Any, name: str, path: Path, device: str = "auto") -> None:
    """Density of the atoms, its complex, and a picture of both."""
    weights = "atom_type" if atoms.GetPointData().HasArray("atom_type") else None
    image = point_density(atoms, weights, sigma=SIGMA, spacing=SPACING, device=device)
    complex = morse_smale_complex(
        image,
        "Density",
        device=device,
        persistence_threshold=PERSISTENCE,
        threshold_mode="relative",
    )
    level = LEVEL * array_of(image.GetPointData(), "Density").max()
    surface = isosurface(image, "Density", level)
    paint_hills(surface, complex.segmentation)
    points, lines = inside(complex, level)
    chain = points_of(atoms)
    from_, up = view_of(chain)
    in_view = points_of(surface)

    picture = Picture()
    hills = picture.panel((0.0, 0.0, 0.5, 1.0))
    actor = surface_actor(surface, CLEAR)
    actor.GetMapper().ScalarVisibilityOn()
    hills.AddActor(actor)
    aim(hills, in_view, from_, up, (0.74, 0.70))

    skeleton = picture.panel((0.5, 0.0, 1.0, 1.0))
    skeleton.AddActor(surface_actor(surface_without_colors(surface), CLEAR, 0.13))
    skeleton.AddActor(lines_actor(lines, separatrix_categories(3), 0.15))
    skeleton.AddActor(points_actor(points, critical_categories(3), 0.44))
    aim(skeleton, in_view, from_, up, (0.74, 0.70))

    kinds = array_of(points.GetPointData(), "CellDimension")
    n_maxima, n_saddles = int((kinds == 3).sum()), int((kinds == 2).sum())
    n_atoms = atoms.GetNumberOfPoints()
    picture.text(f"{name}: {n_atoms} atoms and the hills of their density", (48, 946), 30)
    picture.text(
        f"density of electrons, sigma {SIGMA} \u00c5; a colour for each hill, by its maximum",
        (48, 908), 17, FAINT_COLOR,
    )  # fmt: skip
    picture.text("Simplified Morse-Smale complex", (848, 946), 30)
    picture.text(
        f"{n_maxima} maxima, {n_saddles} 2-saddles and the ridges between them inside the surface",
        (848, 908), 17, FAINT_COLOR,
    )  # fmt: skip
    shown = [critical_categories(3)[3], critical_categories(3)[2]]
    picture.legend([(c.name, c.color) for c in shown], (858, 112))
    ridges = [c for c in separatrix_categories(3) if c.value == 2]
    picture.legend([("ridge: ascending to a maximum", c.color) for c in ridges], (858, 44))
    picture.write(path)


def view_of(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From where to look, and what is up: the longest axis upright, the shortest towards us."""
    _, _, axes = np.linalg.svd(places - places.mean(axis=0), full_matrices=False)
    return np.asarray(axes[2] + 0.35 * axes[1]), np.asarray(axes[0])


def paint_hills(surface: vtkPolyData, segmentation: Any) -> None:
    """Colour a surface by AscendingManifold of the nearest point of the image."""
    labels = array_of(segmentation.GetPointData(), "AscendingManifold")
    nx, ny, nz = segmentation.GetDimensions()
    at = np.rint(grid_coordinates(segmentation, points_of(surface))).astype(np.int64)
    x, y, z = np.clip(at, 0, np.array([nx, ny, nz]) - 1).T
    found = labels[(z * ny + y) * nx + x]
    colors = label_colors(int(found.max()) + 1)[found]
    surface.GetPointData().SetScalars(named((255 * colors).astype(np.uint8), "hill"))


def surface_without_colors(surface: vtkPolyData) -> vtkPolyData:
    """The same surface with its normals alone."""
    plain = vtkPolyData()
    plain.ShallowCopy(surface)
    plain.GetPointData().RemoveArray("hill")
    return plain


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
    begins = np.flatnonzero(np.diff(array_of(cells, "SeparatrixId"), prepend=-1))
    lines = smooth_polylines(separatrices, inner_only=False)
    lowest = array_of(cells, "SeparatrixFunctionMinimum")[begins]
    kept = (array_of(cells, "SeparatrixType")[begins] == 2) & (lowest > level)
    offsets = array_of_offsets(lines)
    pieces = [points_of(lines)[offsets[i] : offsets[i + 1]] for i in np.flatnonzero(kept)]
    lengths = [len(piece) for piece in pieces]
    chosen = polydata(
        np.concatenate([np.empty((0, 3)), *pieces]), np.cumsum([0, *lengths]), "lines"
    )
    chosen.GetCellData().AddArray(named(np.full(len(pieces), 2, np.int8), "SeparatrixType"))
    return chosen


def array_of_offsets(lines: vtkPolyData) -> np.ndarray:
    """Where each polyline begins among the points, and the end of the last."""
    from separatrix_vtk.base.arrays import from_vtk

    return from_vtk(lines.GetLines().GetOffsetsArray())


if __name__ == "__main__":
    sys.exit(main())
