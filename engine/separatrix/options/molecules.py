"""Options of alpha complexes, alone and over time."""

from __future__ import annotations

from typing import Literal

from .declaration import Options
from .option import option
from .shared import ExecutionOptions, KeepOptions

RADIUS = "Growth of radii (length)"
SQUARED_RADIUS = "Growth of squared radii (squared length)"


class BallOptions(Options, first=True, group="Atoms"):
    """Atoms, their radii, and the growth of the radii."""

    radius_source: Literal["automatic", "array", "elements", "constant", "points", "weights"] = (
        option(
            default="automatic",
            summary="Source of the radii.",
            details="Array: the array {radius_array}. Elements: the van der Waals radii of Bondi "
            "in Angstrom, by atomic number. Constant: {constant_radius} for all atoms. Points: 0, "
            "for any set of points, with the finest {resolution} possible. Weights: squared radii "
            "of any sign in the array {weight_array}. Automatic: the selected array, otherwise an "
            'array "radius" with one component, otherwise the elements. The array radius with '
            "three components of ParaView's PDB reader does not contain Bondi's radii, so "
            "Automatic uses the elements.",
        )
    )
    radius_array: str | None = option(
        default=None,
        array_of="points",
        none_title="Automatic",
        needs=("radius_source", "automatic", "array"),
        summary="Point array of radii, positive and in the unit of the points.",
        details='By default, an array named "radius" is used.',
    )
    weight_array: str | None = option(
        default=None,
        array_of="points",
        needs=("radius_source", "weights"),
        summary="Point array of squared radii if {radius_source} is Weights; they may be negative.",
        details="A ball of weight w grows to the radius sqrt(w + {alpha}), and does not exist "
        "while w + {alpha} is negative. {probe} must be 0.",
    )
    element_array: str | None = option(
        default=None,
        array_of="points",
        none_title="Automatic",
        advanced=True,
        needs=("radius_source", "automatic", "elements"),
        summary="Point array of atomic numbers (1 hydrogen, 6 carbon, ...).",
        details='By default, an array named "atom_type" or "Atomic Numbers" is used, as molecule '
        "readers create it.",
    )
    radius_overrides: str = option(
        default="",
        advanced=True,
        needs=("radius_source", "automatic", "elements"),
        summary="Radii of elements in Angstrom that replace Bondi's, such as C=1.76, FE=2.05.",
        details='X is an unknown element. If set, an array named "radius" is not used '
        "automatically.",
    )
    constant_radius: float = option(
        default=1.0,
        above=0,
        usual=(0, None),
        needs=("radius_source", "constant"),
        summary="Radius of all atoms if {radius_source} is Constant, in the unit of the points.",
    )
    use_hetatm: bool = option(
        default=True,
        title="Use HETATM",
        summary="Also use the atoms that the file marks as HETATM: ligands, ions, and water.",
        details="A ligand fills the pocket that it occupies, and water fills cavities. The atoms "
        "are recognized by an array is_hetatm or ishetatm.",
    )
    model: int = option(
        default=0,
        at_least=-1,
        summary='Number of the model to use, by the array "model"; 0 uses the first model, and -1 '
        "uses all models together.",
        details="Using all models is slow and rarely useful, because they overlap.",
    )
    resolution: float = option(
        default=0.001,
        at_least=0,
        advanced=True,
        summary="Step of the grid to which positions and radii are rounded, in the unit of the "
        "points.",
        details="All computations on the rounded numbers are exact. 0.001 Angstrom preserves the "
        "coordinates of PDB files. Larger coordinates or radii require a larger step, which the "
        "error message states.",
    )
    box_source: Literal["none", "cell", "custom"] = option(
        default="none",
        title="Periodic Box",
        summary="Box in which the atoms repeat in all directions, if any.",
        details='Cell: the array "Cell" in the field data of the atoms, three lengths and three '
        "angles, which Separatrix Molecule Reader creates from CRYST1 and cell records. Custom: "
        "{box}. Outputs contain the atoms, followed by copies beyond the box. Voids are cavities, "
        "and pockets are all components of the empty space, cavities and channels.",
    )
    box: tuple[float, float, float, float, float, float] = option(
        default=(0.0, 0.0, 0.0, 90.0, 90.0, 90.0),
        needs=("box_source", "custom"),
        summary="Lengths of the box in the unit of the points, and its angles in degrees: a, b, "
        "c, alpha, beta, gamma.",
        details="The first vector is along x, and the second in the plane of x and y.",
    )
    probe: float = option(
        default=0.0,
        title="Probe Radius",
        at_least=0,
        group=RADIUS,
        summary="Length to add to each radius, in the unit of the points.",
        details="With 1.4 Angstrom, the radius of a water molecule, the area is the "
        "solvent-accessible surface, and voids contain the possible centers of such a molecule.",
    )
    alpha: float = option(
        default=0.0,
        unit="alpha",
        group=SQUARED_RADIUS,
        summary="Squared length to add to each squared radius: a ball of radius r grows to the "
        "radius sqrt(r^2 + alpha).",
        details="It may be negative, and it is not the probe radius. For molecules the unit is "
        "square Angstrom.",
    )


class SearchOptions(Options, group="Execution"):
    """Method and work limit of the search for simplices."""

    work_limit: float = option(
        default=1e11,
        at_least=1,
        advanced=True,
        summary="Maximum estimated number of tests of a local search.",
        details="Many tests result from balls that intersect many others, as with a large alpha or "
        "with overlapping models.",
    )
    method: Literal["auto", "local", "complete"] = option(
        default="auto",
        labels=("Automatic", "Local", "Complete"),
        advanced=True,
        summary="How to find the simplices; the complex is the same.",
        details="Local searches among the neighbors of each ball. Complete extracts the complex "
        "from the complete regular triangulation. Automatic searches locally unless balls meet so "
        "many others that this is slower or exceeds {work_limit}.",
    )


class AlphaComplexOptions(
    BallOptions, ExecutionOptions, SearchOptions, KeepOptions, group="Output"
):
    """Options of the alpha complex, in the order of its panel."""

    largest_alpha: float | None = option(
        default=None,
        none_number=0,
        group=SQUARED_RADIUS,
        summary="Largest alpha to compute, a squared length; by default {alpha}, or infinity if "
        "pockets or the diagram are computed, unless {method} is Local.",
        details="Infinity requires the complete triangulation. Any smaller {alpha} then follows "
        "without another computation.",
    )
    compute_complex: bool = option(
        default=True,
        summary='Compute the output "Complex": vertices, edges, triangles, and tetrahedra with '
        "their AlphaValue.",
        details="The other outputs do not depend on this option.",
    )
    compute_boundary: bool = option(
        default=True,
        summary='Compute the output "Boundary": the triangles next to empty space, with normals '
        "that point away from the solid.",
        details="The arrays contain the component of each triangle and the void that it faces.",
    )
    compute_voids: bool = option(
        default=True,
        summary='Compute the output "Voids": the walls of each enclosed piece of empty space, with '
        "its volume and area.",
        details="A space with an opening is not a void but a pocket.",
    )
    compute_pockets: bool = option(
        default=False,
        summary='Compute the output "Pockets": empty space that widens inward, with its walls and '
        "mouths.",
        details="Space that is wider than {largest_alpha}, if it is set, counts as outside. Voids "
        "are pockets without mouths.",
    )
    protrusion_radius: float | None = option(
        default=None,
        above=0,
        none_number=0,
        unit="length",
        of_extent=0.15,
        summary="Add ProtrusionId to the atoms: parts that widen outward from a neck, up to this "
        "radius, in the unit of the points.",
        details="Parts into which larger balls fit are the body, to which protrusions connect. In "
        "proteins, 4 to 8 Angstrom show side chains, loops, and small domains. Computes two "
        "complete triangulations.",
    )
    compute_measures: bool = option(
        default=True,
        summary="Add Volume and Area to the atoms, and TotalVolume and TotalArea to the field "
        "data.",
        details="They are in the cubed and squared unit of the points.",
    )
    compute_diagram: bool = option(
        default=False,
        summary='Compute the outputs "Diagram" and "Barcode": the alpha at which each component, '
        "loop, and void of the complex begins and ends.",
        details="Features that are still alive at {largest_alpha} are drawn up to it or, if it is "
        "infinite, up to the last event.",
    )


class AlphaTimeSeriesOptions(BallOptions, ExecutionOptions, SearchOptions, group="Output"):
    """Options of alpha complexes over time, in the order of their panel."""

    compute_measures: bool = option(
        default=True,
        summary="Add the columns TotalVolume and TotalArea, in the cubed and squared unit of the "
        "points.",
    )
    compute_topology: bool = option(
        default=True,
        summary="Add the columns Betti0, Betti1, and Betti2 (components, loops, and voids), "
        "VoidVolume, and VoidArea; in a periodic box also Betti3, which is 1 if it is covered.",
    )
    compute_pockets: bool = option(
        default=False,
        summary=(
            'Compute the output "Pockets": a table of the pockets and voids at all time steps, in '
            "which PocketId is the same for the same pocket."
        ),
        details=(
            "A pocket is the same as an earlier one if they share at least 30% of their lining "
            "atoms, even if it was closed in between."
        ),
    )
