"""Pictures of proteins: balls, their alpha complexes at several sizes, and pockets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkFiltersCore import vtkTubeFilter
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper, vtkPolyDataMapper

from examples.demo.molecule import view_of
from examples.demo.prepare import array_of, named, points_of, polydata
from examples.demo.scene import (
    FAINT_COLOR,
    MARGIN,
    SUBTITLE,
    Entry,
    Picture,
    aim,
    shaded,
    surface_actor,
)
from separatrix.plotting.palette import BLUE, GRAY, ORANGE, SKY_BLUE, Color, label_colors, tint
from separatrix_vtk.base.arrays import cells_of, from_vtk
from separatrix_vtk.function_outputs import AlphaComplexOutputs
from separatrix_vtk.functions import alpha_complex

WATER = 1.4  # Angstrom
SHADES: dict[int, Color] = {
    6: (0.56, 0.60, 0.66),
    7: BLUE,
    8: (0.80, 0.25, 0.20),
    16: (0.94, 0.86, 0.30),
}
NAMES = {6: "carbon", 7: "nitrogen", 8: "oxygen", 16: "sulfur"}
SOLID: Color = tint(BLUE, 0.25)
THIN: Color = ORANGE
BAR: Color = (0.80, 0.84, 0.90)
CLEAR: Color = (0.62, 0.70, 0.80)
DIM: Color = (0.27, 0.31, 0.37)  # as the clear boundary looks
LARGEST: Color = THIN
MOUTH: Color = SKY_BLUE
N_POCKETS = 6  # that are drawn, the largest


def growth_of(atoms: Any, device: str = "auto") -> tuple[AlphaComplexOutputs, AlphaComplexOutputs]:
    """The alpha complex of atoms, and that of atoms grown by a water's radius."""
    bare = alpha_complex(atoms, device=device)
    return bare, alpha_complex(atoms, probe=WATER, device=device)


def draw_growth(
    bare: AlphaComplexOutputs, grown: AlphaComplexOutputs, name: str, path: Path
) -> None:
    """The picture of complexes that are there."""
    places = points_of(bare.atoms)
    from_, up = view_of(places)
    reach = np.concatenate([places + shift for shift in 1.7 * np.vstack([np.eye(3), -np.eye(3)])])
    picture = Picture()
    for number, actors in enumerate(
        ([balls_actor(bare.atoms)], complex_actors(bare.complex), complex_actors(grown.complex))
    ):
        panel = picture.panel((number / 3, 0.0, (number + 1) / 3, 1.0))
        for actor in actors:
            panel.AddActor(actor)
        aim(panel, reach, from_, up, (0.45, 0.64))

    third, (volume,) = picture.size[0] / 3, numbers_of(bare, "TotalVolume")
    area, in_voids = numbers_of(grown, "TotalArea", "VoidArea")
    headings = (
        (f"The balls of {name}", f"{len(places)} atoms, {volume:,.0f} \u00c5\u00b3"),
        ("Their alpha complex", betti_text(bare)),
        (f"Grown by {WATER} \u00c5", betti_text(grown)),
    )
    for number, (title, below) in enumerate(headings):
        picture.heading(title, below, MARGIN + number * (third - 12), third - 30)
    cells = [("side of a tetrahedron", SOLID, "area"), ("triangle alone", THIN, "area")]
    cells.append(("edge alone", BAR, "line"))
    words = f"area that water reaches: {area - in_voids:,.0f} \u00c5\u00b2"
    picture.text(words, (2 * third + 16, 92), SUBTITLE, FAINT_COLOR)
    picture.legend([elements_of(bare.atoms), [Entry(*cell) for cell in cells]])
    picture.write(path)


def elements_of(atoms: vtkPolyData, chosen: np.ndarray | None = None) -> list[Entry]:
    """The elements of atoms, by their colors."""
    numbers = array_of(atoms.GetPointData(), "atom_type")
    there = np.unique(numbers if chosen is None else numbers[chosen])
    return [Entry(NAMES[number], SHADES[number]) for number in SHADES if number in there]


def betti_text(found: AlphaComplexOutputs) -> str:
    """Pieces, tunnels and voids in words."""
    return ", ".join(f"{number} {name}" for name, number in betti_counts(found))


def betti_counts(found: AlphaComplexOutputs) -> list[tuple[str, int]]:
    """Pieces, tunnels and voids by name."""
    numbers = map(int, numbers_of(found, "Betti0", "Betti1", "Betti2"))
    names = ("piece", "tunnel", "void")
    return [(name + "s" * (n != 1), n) for name, n in zip(names, numbers, strict=True)]


def complex_actors(complex: Any) -> list[Any]:
    """Visible simplices of a complex: sides of tetrahedra, single triangles, single edges."""
    cells = complex.GetCellData()
    dimension, kind = array_of(cells, "CellDimension"), array_of(cells, "Kind")
    counts = np.bincount(dimension, minlength=4)
    offsets = np.cumsum([0, *(counts * [1, 2, 3, 4])])
    items = from_vtk(complex.GetCells().GetConnectivityArray())
    places = points_of(complex)
    edges = items[offsets[1] : offsets[2]].reshape(-1, 2)[kind[dimension == 1] == 0]
    triangles = items[offsets[2] : offsets[3]].reshape(-1, 3)
    kinds = kind[dimension == 2]
    return [
        surface_actor(triangles_of(places, triangles[kinds == 1]), SOLID),
        surface_actor(triangles_of(places, triangles[kinds == 0]), THIN),
        tubes_actor(places, edges, BAR, 0.09),
    ]


def triangles_of(places: np.ndarray, triangles: np.ndarray) -> vtkPolyData:
    """Triangles (m, 3), each with corners of its own, so that each has one shade."""
    corners = places[triangles].reshape(-1, 3)
    surface = polydata(corners, np.array([0]), "verts")
    surface.SetVerts(None)
    surface.SetPolys(cells_of(3 * np.arange(len(triangles) + 1), np.arange(len(corners))))
    return surface


def tubes_actor(places: np.ndarray, edges: np.ndarray, color: Color, radius: float) -> Any:
    """Edges (m, 2) as tubes of one color."""
    lines = polydata(places[edges].reshape(-1, 3), np.arange(len(edges) + 1) * 2, "lines")
    tubes = vtkTubeFilter()
    tubes.SetInputData(lines)
    tubes.SetRadius(radius)
    tubes.SetNumberOfSides(12)
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(tubes.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor = shaded(vtkActor(), mapper)
    actor.GetProperty().SetColor(*color)
    return actor


def balls_actor(atoms: vtkPolyData, chosen: np.ndarray | None = None, size: float = 1.0) -> Any:
    """Atoms as spheres of their grown radius, times `size`, colored by element."""
    data = atoms.GetPointData()
    elements = array_of(data, "atom_type")
    chosen = np.ones(len(elements), bool) if chosen is None else chosen
    colors = np.array([SHADES.get(int(e), GRAY) for e in elements[chosen]]).reshape(-1, 3)
    shown = polydata(points_of(atoms)[chosen], np.arange(chosen.sum() + 1), "verts")
    shown.GetPointData().SetScalars(named((255 * colors).astype(np.uint8), "color"))
    shown.GetPointData().AddArray(named(size * array_of(data, "GrownRadius")[chosen], "radius"))
    sphere = vtkSphereSource()
    sphere.SetRadius(1.0)
    sphere.SetThetaResolution(48)
    sphere.SetPhiResolution(48)
    mapper = vtkGlyph3DMapper()
    mapper.SetInputData(shown)
    mapper.SetSourceConnection(sphere.GetOutputPort())
    mapper.SetScaleModeToScaleByMagnitude()
    mapper.SetScaleArray("radius")
    mapper.SetScalarModeToUsePointData()
    return shaded(vtkActor(), mapper, specular=0.45)


def pockets_of(atoms: Any, device: str = "auto") -> AlphaComplexOutputs:
    """The alpha complex of atoms grown by a water's radius, with its pockets."""
    found: AlphaComplexOutputs = alpha_complex(
        atoms, probe=WATER, compute_pockets=True, device=device
    )
    return found


def draw_pockets(found: AlphaComplexOutputs, name: str, path: Path) -> None:
    """The picture of pockets that are there."""
    picture = Picture()
    add_pockets(picture.panel((0.0, 0.0, 0.5, 1.0)), found, (0.72, 0.66))
    right = picture.panel((0.5, 0.0, 1.0, 1.0))
    lining = array_of(found.atoms.GetPointData(), "PocketId") == 0
    right.AddActor(balls_actor(found.atoms, lining, 0.14))
    for actor in pocket_actors(found, 0, LARGEST, 0.8):
        right.AddActor(actor)
    aim(right, points_of(found.atoms)[lining], *view_of_pockets(found), (0.70, 0.58))

    cells, half = found.pockets.GetCellData(), picture.size[0] / 2
    volume, n_mouths = (array_of(cells, name)[0] for name in ("Volume", "NumberOfMouths"))
    (n_pockets,) = numbers_of(found, "NumberOfPockets")
    n_atoms = found.atoms.GetNumberOfPoints()
    words = (
        f"{n_atoms:,} atoms, probe {WATER} \u00c5: {N_POCKETS} of {n_pockets:.0f} pockets and voids"
    )
    picture.heading(f"Pockets of {name}", words, room=half - 60)
    room = f"{volume:.0f} \u00c5\u00b3 for the center of a water molecule"
    words = f"{lining.sum()} atoms line it, {n_mouths} mouths, {room}"
    picture.heading("The largest: an inhibitor sits here", words, half + 10)
    others = Entry(f"{N_POCKETS - 1} others, a color each", other_color(1), "area")
    picture.legend(
        [
            [Entry("largest pocket", LARGEST, "area"), others],
            [Entry("mouth", MOUTH, "area"), Entry("outside of the protein", DIM, "area")],
        ],
        room=half - 60,
    )
    picture.legend([elements_of(found.atoms, lining)], half + 10)
    picture.write(path)


def add_pockets(space: Any, found: AlphaComplexOutputs, room: tuple[float, float]) -> None:
    """The largest pockets in the boundary of the protein."""
    space.AddActor(surface_actor(boundary_of(found), CLEAR, 0.16))
    for number in range(N_POCKETS):
        for actor in pocket_actors(found, number, other_color(number) if number else LARGEST):
            space.AddActor(actor)
    aim(space, points_of(found.atoms), *view_of_pockets(found), room)


def pocket_actors(
    found: AlphaComplexOutputs, number: int, color: Color, opacity: float = 1.0
) -> list[Any]:
    """The walls and the mouths of a pocket."""
    cells, corners = found.pockets.GetCellData(), points_of(found.pockets)
    here, is_mouth = array_of(cells, "PocketId") == number, array_of(cells, "IsMouth") == 1
    triangles = from_vtk(found.pockets.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    walls = triangles_of(corners, triangles[here & ~is_mouth])
    opens = triangles_of(corners, triangles[here & is_mouth])
    return [surface_actor(walls, color, opacity), surface_actor(opens, MOUTH, 0.55)]


def other_color(number: int) -> Color:
    """The color of a pocket that is not the largest."""
    red, green, blue = label_colors(N_POCKETS)[number]
    return (float(red), float(green), float(blue))


def view_of_pockets(found: AlphaComplexOutputs) -> tuple[np.ndarray, np.ndarray]:
    """Into the mouths of the largest pocket, and what is up."""
    cells, places = found.pockets.GetCellData(), points_of(found.atoms)
    triangles = from_vtk(found.pockets.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    opens = (array_of(cells, "PocketId") == 0) & (array_of(cells, "IsMouth") == 1)
    mouth = points_of(found.pockets)[triangles[opens]].reshape(-1, 3).mean(axis=0)
    return mouth - places.mean(axis=0), view_of(places)[1]


def boundary_of(found: AlphaComplexOutputs) -> vtkPolyData:
    """The outer boundary."""
    void = array_of(found.boundary.GetCellData(), "VoidId")
    items = from_vtk(found.boundary.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    return triangles_of(points_of(found.boundary), items[void == -1])


def numbers_of(found: AlphaComplexOutputs, *names: str) -> list[float]:
    """Numbers of the field data of a complex."""
    fields = found.complex.GetFieldData()
    return [float(fields.GetArray(name).GetTuple1(0)) for name in names]
