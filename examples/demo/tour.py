"""The jobs of `make demo` in their order, with what is seen and the code a user would write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from examples.demo import jobs
from examples.demo.jobs import Found


@dataclass(frozen=True)
class Job:
    """A thing to show: its family, title, two sentences, the same in few lines, and how it is done.

    run takes a folder for its files and a device. The code runs in the root of the repository.
    """

    family: str
    title: str
    seen: str
    code: str
    run: Callable[[Path, str], Found]


JOBS = (
    Job(
        "Images and volumes",
        "Morse-Smale complex of a volume",
        "The wave function of a hydrogen atom: maxima and minima in its lobes, joined through "
        "saddles by the lines of steepest ascent and descent. Right, the regions of points that "
        "share a minimum and a maximum, in the plane of the lobes.",
        """import pyvista
import separatrix_vtk

image = pyvista.read("sample_data/atomic_orbital.vti")
complex = separatrix_vtk.morse_smale_complex(image)
complex.separatrices_1, complex.segmentation""",
        jobs.show_volume,
    ),
    Job(
        "Images and volumes",
        "Persistence diagram",
        "Each point is a feature of a noisy volume, born at one value and ended at another: near "
        "the diagonal is noise, far from it what matters. The curves tell how many are left when "
        "those below a threshold are taken away.",
        """import pyvista
import separatrix_vtk

image = pyvista.read("sample_data/noisy_field.vti")
pairs = separatrix_vtk.persistence_diagram(image)
pairs.diagram["Persistence"]""",
        jobs.show_diagram,
    ),
    Job(
        "Images and volumes",
        "Simplification of a terrain",
        "Left, every little hollow has a basin of its own. Right, what is left after all pairs "
        "of less than 5 % of the range of heights have been canceled.",
        """import pyvista
import separatrix_vtk

image = pyvista.read("sample_data/terrain.vti")
complex = separatrix_vtk.morse_smale_complex(
    image, persistence=0.05, relative=True
)
complex.segmentation["DescendingManifold"]""",
        jobs.show_simplification,
    ),
    Job(
        "Meshes",
        "Morse-Smale complex of a tetrahedral mesh",
        "The same for a temperature on a ring of tetrahedra: its complex in the boundary, and "
        "the basins of its minima in the lower half.",
        """import pyvista
import separatrix_vtk

ring = pyvista.read("sample_data/ring.vtu")
complex = separatrix_vtk.morse_smale_complex(
    ring, persistence=0.05, relative=True
)
relations = separatrix_vtk.mesh_relations(ring, relations="VV,FT")""",
        jobs.show_mesh,
    ),
    Job(
        "Molecules",
        "From atoms to the ridges of their density",
        "The atoms of crambin become a density of electrons, a sum of gaussians on an image, in "
        "a color for each of its hills. The ridges between the maxima follow the chain.",
        """import separatrix_vtk

atoms = separatrix_vtk.read_molecule("sample_data/1crn.pdb")
image = separatrix_vtk.point_density(atoms, "atom_type", sigma=1.1, spacing=0.35)
complex = separatrix_vtk.morse_smale_complex(
    image, persistence=0.03, relative=True
)""",
        jobs.show_density,
    ),
    Job(
        "Molecules",
        "Alpha complex",
        "The atoms as balls, the complex that has their shape, exactly, with its pieces, tunnels "
        "and voids. Right, and in the numbers, that of balls grown by the radius of a molecule of "
        "water.",
        """import separatrix_vtk

atoms = separatrix_vtk.read_molecule("sample_data/1crn.pdb")
found = separatrix_vtk.alpha_complex(atoms, probe=1.4)
found.complex, found.voids""",
        jobs.show_growth,
    ),
    Job(
        "Molecules",
        "Pockets",
        "The cavities of dihydrofolate reductase that a water fits into, with the mouths through "
        "which it gets there. Right the largest, with the atoms that line it.",
        """import separatrix_vtk

atoms = separatrix_vtk.read_molecule("sample_data/1u71.pdb")
found = separatrix_vtk.alpha_complex(atoms, probe=1.4, compute_pockets=True)
found.pockets.GetCellData().GetArray("Volume")""",
        jobs.show_pockets,
    ),
    Job(
        "Points",
        "Vietoris-Rips barcode with its loops",
        "The two long bars of dimension 1 are the two loops of a torus, drawn through the points "
        "from which it was found. All else is short, but the one piece that never ends.",
        """import numpy as np
import separatrix as sx

points = np.loadtxt("sample_data/torus.csv", delimiter=",", skiprows=1)
bars = sx.rips_barcodes(points, max_dimension=2, representatives="longest")
bars.of_dimension(1), bars.representatives""",
        jobs.show_barcode,
    ),
    Job(
        "Points",
        "Block-sparse sum",
        "A gaussian of each of 20,000 points at all others within a radius: no matrix is stored, "
        "and what is far is never looked at. Right, all pairs as a square: only what is bright is "
        "computed.",
        """import separatrix as sx
from examples.demo.blocks import knot

points = knot()
pattern = sx.BlockPattern.from_cells(points, points, 0.4)
sums = sx.reduce("gaussian", points, points, pattern=pattern, radius=0.4, sigma=0.1)""",
        jobs.show_sums,
    ),
)
