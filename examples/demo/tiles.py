"""Pictures without words, of one size, for a grid: one of each kind of data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from examples.demo.mesh import add_mesh
from examples.demo.molecule import add_hills, density_and_complex
from examples.demo.plane import plane_of_extrema
from examples.demo.protein import add_pockets, pockets_of
from examples.demo.rips import add_points_and_loops, barcode_of
from examples.demo.samples import OF_MESHES, SAMPLE_FOLDER
from examples.demo.scene import TILE, Picture
from examples.demo.terrain import add_terrain
from examples.demo.volume import add_complex
from separatrix_vtk.functions import morse_smale_complex
from separatrix_vtk.io.point_files import read_points
from separatrix_vtk.io.volumes import read_mesh, read_volume

ROOM = (1.34, 0.90)


def empty_tile() -> tuple[Picture, Any]:
    """A picture and its one panel."""
    picture = Picture(TILE)
    return picture, picture.panel((0.0, 0.0, 1.0, 1.0))


def draw_tiles(folder: Path, device: str = "auto") -> None:
    """tile_volume.png, tile_terrain.png, tile_mesh.png, and those of three kinds of points."""
    image = read_volume(SAMPLE_FOLDER / "atomic_orbital.vti").as_image()
    outputs = morse_smale_complex(image, device=device)
    picture, space = empty_tile()
    add_complex(space, outputs, "psi", plane_of_extrema(outputs, "psi"), ROOM)
    picture.write(folder / "tile_volume.png")

    image = read_volume(SAMPLE_FOLDER / "terrain.vti").as_image()
    picture, space = empty_tile()
    outputs = morse_smale_complex(image, device=device, **OF_MESHES)
    add_terrain(space, outputs, "height", ROOM)
    picture.write(folder / "tile_terrain.png")

    mesh = read_mesh(SAMPLE_FOLDER / "ring.vtu")
    picture, space = empty_tile()
    add_mesh(space, morse_smale_complex(mesh, device=device, **OF_MESHES), ROOM)
    picture.write(folder / "tile_mesh.png")

    atoms, _ = read_points(SAMPLE_FOLDER / "1crn.pdb")
    picture, space = empty_tile()
    add_hills(space, atoms, *density_and_complex(atoms, device), ROOM)
    picture.write(folder / "tile_density.png")

    atoms, _ = read_points(SAMPLE_FOLDER / "1u71.pdb")
    picture, space = empty_tile()
    add_pockets(space, pockets_of(atoms, device), ROOM)
    picture.write(folder / "tile_pockets.png")

    points, _ = read_points(SAMPLE_FOLDER / "torus.csv")
    picture, space = empty_tile()
    add_points_and_loops(space, points, barcode_of(points, device), ROOM)
    picture.write(folder / "tile_points.png")
