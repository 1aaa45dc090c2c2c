"""Pictures of proteins: balls, their alpha complexes at several sizes, and pockets.

    python -m separatrix_vtk.demo.protein OUTPUT_DIR [--device auto]

Made of the samples of the source repository. Needs VTK 9.4 or newer to draw where there is no
display.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkFiltersCore import vtkTubeFilter
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper, vtkPolyDataMapper

from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.demo.__main__ import USER_ERRORS
from separatrix_vtk.demo.molecule import view_of
from separatrix_vtk.demo.prepare import array_of, named, points_of, polydata
from separatrix_vtk.demo.scene import FAINT_COLOR, Picture, aim, shaded, surface_actor
from separatrix_vtk.molecule_functions import AlphaComplexOutputs, alpha_complex
from separatrix_vtk.palette import BLUE, GREY, ORANGE, SKY_BLUE, Color, label_colors, tint
from separatrix_vtk.shell.point_files import read_points

SAMPLES = Path(__file__).resolve().parents[3] / "sample_data"
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
MOUTH: Color = SKY_BLUE
N_POCKETS = 6  # that are drawn, the largest


def main(arguments: list[str] | None = None) -> int:
    """Draw both pictures; 0, or 1 after a sentence on stderr."""
    summary, _, description = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m separatrix_vtk.demo.protein",
        description=summary,
        epilog=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR", help="folder for the pictures")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N")
    options = parser.parse_args(arguments)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        picture_of_growth(options.output / "alpha_complex.png", options.device)
        picture_of_pockets(options.output / "pockets.png", options.device)
    except (*USER_ERRORS, OSError, RuntimeError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    print(options.output / "alpha_complex.png", options.output / "pockets.png", sep="\n")
    return 0


def picture_of_growth(path: Path, device: str = "auto") -> None:
    """Crambin: its balls, the complex of these, and that of balls grown by a water's radius."""
    atoms, _ = read_points(SAMPLES / "1crn.pdb")
    bare = alpha_complex(atoms, device=device)
    grown = alpha_complex(atoms, probe_radius=WATER, device=device)
    places = points_of(atoms)
    from_, up = view_of(places)
    reach = np.concatenate([places + shift for shift in 1.7 * np.vstack([np.eye(3), -np.eye(3)])])

    picture = Picture()
    panels = [picture.panel((i / 3, 0.0, (i + 1) / 3, 1.0)) for i in range(3)]
    shown = [
        [balls_actor(bare.atoms)],
        complex_actors(bare.complex),
        complex_actors(grown.complex),
    ]
    for panel, actors in zip(panels, shown, strict=True):
        for actor in actors:
            panel.AddActor(actor)
        aim(panel, reach, from_, up, (0.45, 0.62))

    (volume,) = numbers_of(bare, "TotalVolume")
    n_atoms = atoms.GetNumberOfPoints()
    title(picture, 0, "The balls of crambin", f"{n_atoms} atoms: {volume:,.0f} \u00c5\u00b3 in all")
    title(picture, 1, "Their alpha complex", betti_text(bare))
    title(picture, 2, f"With a probe of {WATER} \u00c5", betti_text(grown))
    area, in_voids = numbers_of(grown, "TotalArea", "VoidArea")
    picture.legend([(NAMES[element], color) for element, color in SHADES.items()], (58, 150))
    picture.legend(
        [
            ("triangle of a tetrahedron", SOLID),
            ("triangle of no tetrahedron", THIN),
            ("edge of no triangle", BAR),
        ],
        (591, 150),
    )
    words = f"area that water reaches: {area - in_voids:,.0f} \u00c5\u00b2"
    picture.text(words, (1115, 150), 19)
    picture.write(path)


def betti_text(found: AlphaComplexOutputs) -> str:
    """Pieces, tunnels and voids in words."""
    words = []
    for name, number in zip(
        ("piece", "tunnel", "void"), numbers_of(found, "Betti0", "Betti1", "Betti2"), strict=True
    ):
        words.append(f"{number:.0f} {name}{'s' * (number != 1)}")
    return ", ".join(words)


def complex_actors(complex: Any) -> list[Any]:
    """What of a complex is seen: sides of tetrahedra, single triangles, single edges."""
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
    from separatrix_vtk.molecules.cells import cells_of

    corners = places[triangles].reshape(-1, 3)
    surface = polydata(corners, np.array([0]), "verts")
    surface.SetVerts(None)
    surface.SetPolys(cells_of(3 * np.arange(len(triangles) + 1), np.arange(len(corners))))
    return surface


def tubes_actor(places: np.ndarray, edges: np.ndarray, color: Color, radius: float) -> Any:
    """Edges (m, 2) as tubes of one colour."""
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
    """Atoms as spheres of their grown radius, times `size`, coloured by element."""
    data = atoms.GetPointData()
    elements = array_of(data, "atom_type")
    chosen = np.ones(len(elements), bool) if chosen is None else chosen
    colors = np.array([SHADES.get(int(e), GREY) for e in elements[chosen]]).reshape(-1, 3)
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


def picture_of_pockets(path: Path, device: str = "auto") -> None:
    """Dihydrofolate reductase and the largest of its pockets, with what lines it."""
    atoms, _ = read_points(SAMPLES / "1u71.pdb")
    found = alpha_complex(atoms, probe_radius=WATER, compute_pockets=True, device=device)
    cells = found.pockets.GetCellData()
    pocket, is_mouth = array_of(cells, "PocketId"), array_of(cells, "IsMouth") == 1
    triangles = from_vtk(found.pockets.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    corners = points_of(found.pockets)
    colors = [THIN, *((float(r), float(g), float(b)) for r, g, b in label_colors(N_POCKETS)[1:])]
    places = points_of(atoms)
    mouth = corners[triangles[(pocket == 0) & is_mouth]].reshape(-1, 3).mean(axis=0)
    from_, up = mouth - places.mean(axis=0), view_of(places)[1]

    picture = Picture()
    left, right = picture.panel((0.0, 0.0, 0.5, 1.0)), picture.panel((0.5, 0.0, 1.0, 1.0))
    left.AddActor(surface_actor(boundary_of(found), CLEAR, 0.16))
    for number in range(N_POCKETS):
        walls = triangles_of(corners, triangles[(pocket == number) & ~is_mouth])
        left.AddActor(surface_actor(walls, colors[number]))
        opens = triangles_of(corners, triangles[(pocket == number) & is_mouth])
        left.AddActor(surface_actor(opens, MOUTH, 0.55))
    aim(left, places, from_, up, (0.72, 0.66))

    lining = array_of(found.atoms.GetPointData(), "PocketId") == 0
    right.AddActor(balls_actor(found.atoms, lining, 0.14))
    walls = triangles_of(corners, triangles[(pocket == 0) & ~is_mouth])
    right.AddActor(surface_actor(walls, colors[0], 0.8))
    opens = triangles_of(corners, triangles[(pocket == 0) & is_mouth])
    right.AddActor(surface_actor(opens, MOUTH, 0.55))
    aim(right, places[lining], from_, up, (0.66, 0.60))

    volume, n_mouths = (array_of(cells, name)[0] for name in ("Volume", "NumberOfMouths"))
    (n_pockets,) = numbers_of(found, "NumberOfPockets")
    picture.text("Pockets of dihydrofolate reductase", (48, 946), 28)
    picture.text(
        f"{len(places):,} atoms, probe {WATER} \u00c5: {n_pockets:.0f} pockets and voids, of which "
        f"the {N_POCKETS} largest",
        (48, 908), 16, FAINT_COLOR,
    )  # fmt: skip
    picture.text("The largest: the inhibitor of 1U71 sits here", (848, 946), 28)
    picture.text(
        f"{lining.sum()} atoms line it, {n_mouths} mouths open it; {volume:.0f} \u00c5\u00b3 have "
        "room for the middle of a water",
        (848, 908), 16, FAINT_COLOR,
    )  # fmt: skip
    picture.legend([("wall", colors[0]), ("mouth", MOUTH)], (858, 102))
    picture.legend([(NAMES[element], SHADES[element]) for element in (6, 7)], (1010, 102))
    picture.legend([(NAMES[element], SHADES[element]) for element in (8, 16)], (1180, 102))
    picture.write(path)


def boundary_of(found: AlphaComplexOutputs) -> vtkPolyData:
    """The outer boundary."""
    void = array_of(found.boundary.GetCellData(), "VoidId")
    items = from_vtk(found.boundary.GetPolys().GetConnectivityArray()).reshape(-1, 3)
    return triangles_of(points_of(found.boundary), items[void == -1])


def title(picture: Picture, panel: int, words: str, below: str) -> None:
    """The two lines above one of three panels."""
    left = 48 + panel * 1600 / 3
    picture.text(words, (left, 946), 28)
    picture.text(below, (left, 908), 16, FAINT_COLOR)


def numbers_of(found: AlphaComplexOutputs, *names: str) -> list[float]:
    """Numbers of the field data of a complex."""
    fields = found.complex.GetFieldData()
    return [float(fields.GetArray(name).GetTuple1(0)) for name in names]


if __name__ == "__main__":
    sys.exit(main())
