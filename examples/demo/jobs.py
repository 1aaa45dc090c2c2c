"""The jobs of `make demo`: each reads a sample, computes, writes files and draws a picture.

A job is a function with its title and its code, the lines that a user would write; its docstring is
what the page says about the picture.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from examples.demo import blocks, molecule, protein, rips
from examples.demo.charts import picture_of_diagram
from examples.demo.mesh import picture_of_mesh
from examples.demo.prepare import array_of
from examples.demo.samples import OF_MESHES, SAMPLE_FOLDER
from examples.demo.terrain import picture_of_simplification, picture_of_terrain
from examples.demo.volume import picture_of_volume
from separatrix_vtk import io
from separatrix_vtk.functions import morse_smale_complex, persistence_diagram

Counts = list[tuple[str, int]]
Result = TypeVar("Result")
IMAGES, MESHES, MOLECULES, POINTS = "Images and volumes", "Meshes", "Molecules", "Points"
KINDS = {2: ("minima", "saddles", "maxima"), 3: ("minima", "1-saddles", "2-saddles", "maxima")}


@dataclass
class Run:
    """One run of a job. seconds: of computing only, without reading, writing, and drawing."""

    path: Path
    folder: Path
    device: str
    keeps_files: bool = True
    input: str = ""
    counts: Counts = field(default_factory=list)
    seconds: float = 0.0
    files: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)

    def compute(self, work: Callable[[], Result]) -> Result:
        """The result of work(), whose time is measured."""
        begun = time.perf_counter()
        result = work()
        self.seconds += time.perf_counter() - begun
        return result

    def read(self, described: str = "") -> Any:
        """The input. described: its size, with {n} for the number of its points or rows."""
        data = io.read(self.path)
        if data.IsA("vtkImageData"):
            size = " x ".join(str(n) for n in data.GetDimensions() if n > 1)
        else:
            n = data.GetNumberOfRows() if data.IsA("vtkTable") else data.GetNumberOfPoints()
            size = described.format(n=f"{n:,}")
        self.input = f"{self.path.name}, {size}"
        return data

    def write(self, name: str, data: Any) -> None:
        """Write a dataset, or the outputs of a function, into the folder."""
        if self.keeps_files:
            io.write(self.folder / name, data)
            self.files.append(name)

    def draw(self, name: str, draw: Callable[..., None], *parts: Any) -> None:
        """Draw a picture into the folder; the path is the last argument of `draw`."""
        draw(*parts, self.folder / name)
        self.pictures.append(name)


@dataclass(frozen=True)
class Job:
    """A job: what it shows, in words and as code that runs in the root of the repository."""

    name: str
    family: str
    title: str
    sample: str
    code: str
    function: Callable[[Run], Counts]

    @property
    def seen(self) -> str:
        """The visible part of the picture."""
        return " ".join(inspect.getdoc(self.function).split())  # type: ignore[union-attr]

    def run(
        self, folder: Path, device: str, path: Path | None = None, keeps_files: bool = True
    ) -> Run:
        """Run it on the sample, or on the file `path`."""
        run = Run(path or SAMPLE_FOLDER / self.sample, folder, device, keeps_files)
        run.counts = self.function(run)
        return run


JOBS: dict[str, Job] = {}


def job(family: str, title: str, sample: str, code: str) -> Callable[[Any], Any]:
    """Add a function to the jobs, under its own name."""

    def add(function: Callable[[Run], Counts]) -> Callable[[Run], Counts]:
        name = function.__name__
        JOBS[name] = Job(name, family, title, sample, code.strip(), function)
        return function

    return add


def kinds_of(points: Any, dimension: int = 3) -> Counts:
    """The number of critical points of each kind."""
    index = array_of(points.GetPointData(), "CellDimension")
    return [(name, int((index == i).sum())) for i, name in enumerate(KINDS[dimension])]


@job(
    IMAGES, "Morse-Smale complex of a volume", "atomic_orbital.vti", """
import pyvista
import separatrix_vtk

image = pyvista.read("sample_data/atomic_orbital.vti")
complex = separatrix_vtk.morse_smale_complex(image)
complex.separatrices_1, complex.segmentation
""")  # fmt: skip
def volume(run: Run) -> Counts:
    """The wave function of a hydrogen atom: maxima and minima in its lobes, joined through saddles
    by lines of steepest ascent and descent. Right, the regions of points that share a minimum and a
    maximum, in the plane of the lobes.
    """
    image = run.read()
    outputs = run.compute(lambda: morse_smale_complex(image, device=run.device))
    run.write(f"{run.path.stem}.vtm", outputs)
    nx, ny, nz = image.GetDimensions()
    draw = picture_of_volume if nz > 1 else picture_of_terrain
    field = image.GetPointData().GetScalars()
    if min(nx, ny) == 1 or field is None:
        print("no picture: only point data of images and volumes are drawn", file=sys.stderr)
    else:
        run.draw(f"{run.path.stem}.png", draw, outputs, field.GetName())
    return kinds_of(outputs.critical_points, 3 if nz > 1 else 2)


@job(
    IMAGES, "Persistence diagram", "noisy_field.vti", """
import pyvista
import separatrix_vtk

image = pyvista.read("sample_data/noisy_field.vti")
pairs = separatrix_vtk.persistence_diagram(image)
pairs.diagram["Persistence"]
""")  # fmt: skip
def diagram(run: Run) -> Counts:
    """Each point is a feature of a noisy volume, with the values of its birth and death: noise is
    near the diagonal, features are far from it. The curves show the number of pairs that remain at
    each threshold.
    """
    image = run.read()
    outputs = run.compute(lambda: persistence_diagram(image, device=run.device))
    run.write("diagram.vtu", outputs.diagram)
    run.write("persistence_curves.csv", outputs.curves)
    run.draw("diagram.png", picture_of_diagram, outputs, "noise")
    kind = array_of(outputs.diagram.GetCellData(), "PairType")
    names = ("pairs minimum-saddle", "saddle-saddle", "saddle-maximum")
    return [(name, int((kind == i).sum())) for i, name in enumerate(names)]


@job(
    IMAGES, "Simplification of a terrain", "terrain.vti", """
import pyvista
import separatrix_vtk

image = pyvista.read("sample_data/terrain.vti")
complex = separatrix_vtk.morse_smale_complex(image, persistence=0.05, relative=True)
complex.segmentation["DescendingManifold"]
""")  # fmt: skip
def simplification(run: Run) -> Counts:
    """Left, each small depression has its own basin. Right, all pairs below 5% of the range of
    heights have been canceled.
    """
    image = run.read()
    outputs = run.compute(lambda: morse_smale_complex(image, device=run.device, **OF_MESHES))
    run.write("terrain.vtm", outputs)
    unsimplified = morse_smale_complex(image, device=run.device)
    run.draw("simplification.png", picture_of_simplification, unsimplified, outputs)
    before = ("critical points before", unsimplified.critical_points.GetNumberOfPoints())
    return [*kinds_of(outputs.critical_points, 2), before]


@job(
    MESHES, "Morse-Smale complex of a tetrahedral mesh", "ring.vtu", """
import pyvista
import separatrix_vtk

ring = pyvista.read("sample_data/ring.vtu")
complex = separatrix_vtk.morse_smale_complex(ring, persistence=0.05, relative=True)
relations = separatrix_vtk.mesh_relations(ring, relations="VV,FT")
""")  # fmt: skip
def mesh(run: Run) -> Counts:
    """The same for a temperature on a ring of tetrahedra: its complex in the boundary, and the
    basins of its minima in the lower half.
    """
    data = run.read("{n} points")
    outputs = run.compute(lambda: morse_smale_complex(data, device=run.device, **OF_MESHES))
    run.write("mesh.vtm", outputs)
    run.draw("mesh.png", picture_of_mesh, outputs, data.GetPointData().GetScalars().GetName())
    return kinds_of(outputs.critical_points)


@job(
    MOLECULES, "From atoms to the ridges of their density", "1crn.pdb", """
import separatrix_vtk

atoms = separatrix_vtk.read_molecule("sample_data/1crn.pdb")
image = separatrix_vtk.point_density(atoms, "atom_type", sigma=1.1, spacing=0.35)
complex = separatrix_vtk.morse_smale_complex(image, persistence=0.03, relative=True)
""")  # fmt: skip
def density(run: Run) -> Counts:
    """The atoms of crambin become an electron density, a sum of Gaussians on an image, with one
    color per hill. The ridges between the maxima follow the chain.
    """
    atoms = run.read("{n} atoms")
    image, complex = run.compute(lambda: molecule.density_and_complex(atoms, run.device))
    run.write("density.vti", image)
    run.write("molecule.vtm", complex)
    run.draw("molecule.png", molecule.draw_molecule, atoms, image, complex, name_of(run))
    points, ridges = molecule.inside(complex, molecule.level_of(image))
    return [*kinds_of(points)[2:], ("ridges", ridges.GetNumberOfLines())]


@job(
    MOLECULES, "Alpha complex", "1crn.pdb", """
import separatrix_vtk

atoms = separatrix_vtk.read_molecule("sample_data/1crn.pdb")
found = separatrix_vtk.alpha_complex(atoms, probe=1.4)
found.complex, found.voids
""")  # fmt: skip
def alpha(run: Run) -> Counts:
    """The atoms as balls, the complex with the same topology, and its pieces, tunnels, and voids.
    Right, and in the numbers, the complex of balls grown by the radius of a water molecule.
    """
    atoms = run.read("{n} atoms")
    bare, grown = run.compute(lambda: protein.growth_of(atoms, run.device))
    run.write("alpha_complex.vtm", grown)
    run.draw("alpha_complex.png", protein.draw_growth, bare, grown, name_of(run))
    return [("cells", grown.complex.GetNumberOfCells()), *protein.betti_counts(grown)]


@job(
    MOLECULES, "Pockets", "1u71.pdb", """
import separatrix_vtk

atoms = separatrix_vtk.read_molecule("sample_data/1u71.pdb")
found = separatrix_vtk.alpha_complex(atoms, probe=1.4, compute_pockets=True)
found.pockets.GetCellData().GetArray("Volume")
""")  # fmt: skip
def pockets(run: Run) -> Counts:
    """The cavities of dihydrofolate reductase that a water molecule fits into, with the mouths
    through which it enters. Right the largest, with the atoms that line it.
    """
    atoms = run.read("{n} atoms")
    found = run.compute(lambda: protein.pockets_of(atoms, run.device))
    run.write("pockets.vtm", found)
    run.draw("pockets.png", protein.draw_pockets, found, name_of(run))
    lining = int((array_of(found.atoms.GetPointData(), "PocketId") == 0).sum())
    (n_pockets,) = protein.numbers_of(found, "NumberOfPockets")
    return [("pockets and voids", int(n_pockets)), ("atoms that line the largest", lining)]


@job(
    POINTS, "Vietoris-Rips barcode with its loops", "torus.csv", """
import numpy as np
import separatrix as sx

points = np.loadtxt("sample_data/torus.csv", delimiter=",", skiprows=1)
bars = sx.rips_barcodes(points, max_dimension=2, representatives="longest")
bars.of_dimension(1), bars.representatives
""")  # fmt: skip
def barcode(run: Run) -> Counts:
    """The two long bars of dimension 1 are the two loops of a torus, drawn through the points from
    which it was found. All other bars are short, except for the essential component.
    """
    points = run.read("{n} points")
    outputs = run.compute(lambda: rips.barcode_of(points, run.device))
    run.write("barcode.vtm", outputs)
    run.write("bars.csv", outputs.bars)
    run.draw("barcode.png", rips.draw_barcode, points, outputs, name_of(run))
    dimension = array_of(outputs.bars.GetRowData(), "Dimension")
    names = ("components", "loops", "voids")
    return [(name, int((dimension == i).sum())) for i, name in enumerate(names)]


@job(
    POINTS, "Block-sparse sum", "", """
import separatrix as sx
from examples.demo.blocks import knot

points = knot()
pattern = sx.BlockPattern.from_cells(points, points, 0.4)
sums = sx.reduce("gaussian", points, points, pattern=pattern, radius=0.4, sigma=0.1)
""")  # fmt: skip
def sums(run: Run) -> Counts:
    """The sum of the Gaussians of 20,000 points at each point, over all points within a radius. No
    matrix is stored, and distant pairs are skipped. Right, all pairs as a square: only the bright
    ones are computed.
    """
    points = blocks.knot()
    run.input = f"a knot, {len(points):,} points"
    values, pattern = run.compute(lambda: blocks.sums_of(points, run.device))
    data = blocks.with_sums(points, values)
    run.write("gaussian_sums.vtp", data)
    run.draw("block_sparse.png", blocks.draw_sums, data, pattern)
    return [("tiles", len(pattern.intervals)), ("pairs", int(pattern.n_pairs))]


def name_of(run: Run) -> str:
    """Name of the input in titles."""
    names = {"1crn": "crambin", "1u71": "dihydrofolate reductase"}
    return names.get(run.path.stem, run.path.stem)
