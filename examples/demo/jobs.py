"""What `make demo` does: a job a capability, each from a sample to numbers, files and a picture."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from examples.demo.blocks import draw_sums, knot, sums_of, with_sums
from examples.demo.charts import picture_of_diagram
from examples.demo.gallery import picture_of_simplification
from examples.demo.mesh import picture_of_mesh
from examples.demo.molecule import density_and_complex, draw_molecule, inside, level_of
from examples.demo.prepare import array_of
from examples.demo.protein import (
    betti_counts,
    draw_growth,
    draw_pockets,
    growth_of,
    numbers_of,
    pockets_of,
)
from examples.demo.rips import barcode_of, draw_barcode
from examples.demo.samples import OF_MESHES, SAMPLE_FOLDER
from examples.demo.volume import picture_of_volume
from separatrix_vtk.functions import morse_smale_complex, persistence_diagram
from separatrix_vtk.io.point_files import read_points
from separatrix_vtk.io.volumes import read_mesh, read_volume
from separatrix_vtk.io.writers import write_blocks, write_dataset

Counts = list[tuple[str, int]]
KINDS = ("minima", "1-saddles", "2-saddles", "maxima")
OF_PLANES = ("minima", "saddles", "maxima")


@dataclass(frozen=True)
class Found:
    """What came of a job. seconds: computing alone, without reading, writing and drawing."""

    input: str
    counts: Counts
    seconds: float
    files: list[str]
    pictures: list[str]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What work() gives, and how many seconds it took."""
    begun = time.perf_counter()
    return work(), time.perf_counter() - begun


def kinds_of(points: Any, names: tuple[str, ...] = KINDS) -> Counts:
    """How many critical points of each kind there are."""
    index = array_of(points.GetPointData(), "CellDimension")
    return [(name, int((index == i).sum())) for i, name in enumerate(names)]


def named_blocks(outputs: Any) -> list[tuple[str, Any]]:
    """The outputs of a function that have something in them, by name."""
    return [
        (name.replace("_", " "), data)
        for name, data in zip(outputs._fields, outputs, strict=True)
        if data.IsA("vtkTable") or data.GetNumberOfPoints()
    ]


def show_volume(folder: Path, device: str) -> Found:
    """The wave function of an atom."""
    image = read_volume(SAMPLE_FOLDER / "atomic_orbital.vti").as_image()
    outputs, seconds = timed(lambda: morse_smale_complex(image, device=device))
    write_blocks(folder / "atomic_orbital.vtm", named_blocks(outputs))
    picture_of_volume(outputs, "psi", folder / "atomic_orbital.png")
    told, counts = "atomic_orbital.vti, 40 x 40 x 40", kinds_of(outputs.critical_points)
    return Found(told, counts, seconds, ["atomic_orbital.vtm"], ["atomic_orbital.png"])


def show_diagram(folder: Path, device: str) -> Found:
    """Pairs of a noisy volume."""
    image = read_volume(SAMPLE_FOLDER / "noisy_field.vti").as_image()
    outputs, seconds = timed(lambda: persistence_diagram(image, device=device))
    write_dataset(folder / "diagram.vtu", outputs.diagram)
    write_dataset(folder / "persistence_curves.csv", outputs.curves)
    picture_of_diagram(outputs, "noise", folder / "diagram.png")
    kind = array_of(outputs.diagram.GetCellData(), "PairType")
    names = ("pairs minimum-saddle", "saddle-saddle", "saddle-maximum")
    counts = [(name, int((kind == i).sum())) for i, name in enumerate(names)]
    files = ["diagram.vtu", "persistence_curves.csv"]
    return Found("noisy_field.vti, 40 x 40 x 40", counts, seconds, files, ["diagram.png"])


def show_simplification(folder: Path, device: str) -> Found:
    """A terrain at 5 % of its range."""
    image = read_volume(SAMPLE_FOLDER / "terrain.vti").as_image()
    outputs, seconds = timed(lambda: morse_smale_complex(image, device=device, **OF_MESHES))
    write_blocks(folder / "terrain.vtm", named_blocks(outputs))
    raw = morse_smale_complex(image, device=device)
    picture_of_simplification(folder / "simplification.png", (raw, outputs))
    counts = kinds_of(outputs.critical_points, OF_PLANES)
    counts.append(("critical points before", raw.critical_points.GetNumberOfPoints()))
    told = "terrain.vti, 241 x 193"
    return Found(told, counts, seconds, ["terrain.vtm"], ["simplification.png"])


def show_mesh(folder: Path, device: str) -> Found:
    """The temperature of a ring of tetrahedra."""
    mesh = read_mesh(SAMPLE_FOLDER / "ring.vtu")
    outputs, seconds = timed(lambda: morse_smale_complex(mesh, device=device, **OF_MESHES))
    write_blocks(folder / "mesh.vtm", named_blocks(outputs))
    picture_of_mesh(outputs, "temperature", folder / "mesh.png")
    told = f"ring.vtu, {mesh.GetNumberOfCells():,} tetrahedra"
    return Found(told, kinds_of(outputs.critical_points), seconds, ["mesh.vtm"], ["mesh.png"])


def show_density(folder: Path, device: str) -> Found:
    """From atoms to the ridges of their density."""
    atoms, _ = read_points(SAMPLE_FOLDER / "1crn.pdb")
    (image, complex), seconds = timed(lambda: density_and_complex(atoms, device))
    write_dataset(folder / "density.vti", image)
    write_blocks(folder / "molecule.vtm", named_blocks(complex))
    draw_molecule(atoms, image, complex, "crambin", folder / "molecule.png")
    points, ridges = inside(complex, level_of(image))
    counts = kinds_of(points)[2:] + [("ridges", ridges.GetNumberOfLines())]
    files = ["density.vti", "molecule.vtm"]
    told = f"1crn.pdb, {atoms.GetNumberOfPoints()} atoms"
    return Found(told, counts, seconds, files, ["molecule.png"])


def show_growth(folder: Path, device: str) -> Found:
    """The alpha complex of a protein's atoms, as they are and grown by a probe."""
    atoms, _ = read_points(SAMPLE_FOLDER / "1crn.pdb")
    (bare, grown), seconds = timed(lambda: growth_of(atoms, device))
    write_blocks(folder / "alpha_complex.vtm", named_blocks(grown))
    draw_growth(bare, grown, folder / "alpha_complex.png")
    counts = [("cells", grown.complex.GetNumberOfCells()), *betti_counts(grown)]
    told = f"1crn.pdb, {atoms.GetNumberOfPoints()} atoms"
    return Found(told, counts, seconds, ["alpha_complex.vtm"], ["alpha_complex.png"])


def show_pockets(folder: Path, device: str) -> Found:
    """The pockets of an enzyme."""
    atoms, _ = read_points(SAMPLE_FOLDER / "1u71.pdb")
    found, seconds = timed(lambda: pockets_of(atoms, device))
    write_blocks(folder / "pockets.vtm", named_blocks(found))
    draw_pockets(found, folder / "pockets.png")
    lining = int((array_of(found.atoms.GetPointData(), "PocketId") == 0).sum())
    counts = [("pockets and voids", int(*numbers_of(found, "NumberOfPockets")))]
    counts.append(("atoms that line the largest", lining))
    told = f"1u71.pdb, {atoms.GetNumberOfPoints():,} atoms"
    return Found(told, counts, seconds, ["pockets.vtm"], ["pockets.png"])


def show_barcode(folder: Path, device: str) -> Found:
    """Points of a torus and the loops of their longest bars."""
    points, _ = read_points(SAMPLE_FOLDER / "torus.csv")
    outputs, seconds = timed(lambda: barcode_of(points, device))
    write_blocks(folder / "barcode.vtm", named_blocks(outputs))
    write_dataset(folder / "bars.csv", outputs.bars)
    draw_barcode(points, outputs, "torus", folder / "barcode.png")
    dimension = array_of(outputs.bars.GetRowData(), "Dimension")
    names = ("components", "loops", "voids")
    counts = [(name, int((dimension == i).sum())) for i, name in enumerate(names)]
    told = f"torus.csv, {points.GetNumberOfRows()} points"
    return Found(told, counts, seconds, ["barcode.vtm", "bars.csv"], ["barcode.png"])


def show_sums(folder: Path, device: str) -> Found:
    """A gaussian sum over the near pairs of points on a knot."""
    points = knot()
    (sums, pattern), seconds = timed(lambda: sums_of(points, device))
    data = with_sums(points, sums)
    write_dataset(folder / "gaussian_sums.vtp", data)
    draw_sums(data, pattern, folder / "block_sparse.png")
    counts = [("tiles", len(pattern.intervals)), ("pairs", int(pattern.n_pairs))]
    told = f"a knot, {len(points):,} points"
    return Found(told, counts, seconds, ["gaussian_sums.vtp"], ["block_sparse.png"])
