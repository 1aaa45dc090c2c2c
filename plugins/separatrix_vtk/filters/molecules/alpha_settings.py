"""What a user of alpha complexes can set: radii, growth, and what is to be computed."""

from __future__ import annotations

from typing import Any

from separatrix_vtk.base.filter import Filter
from separatrix_vtk.base.input_array import chosen_array
from separatrix_vtk.base.settings import ChoiceSetting, Setting
from separatrix_vtk.filters.molecules.balls import Choice
from separatrix_vtk.filters.points.point_set import what_to_do_with

AUTOMATIC = "Automatic"  # what ParaView's list of arrays calls none


class BallSettings(Filter):
    """Which atoms count, their radii, and how these grow."""

    TAKES = "vtkPointSet, vtkMolecule or vtkTable"
    IS_OF_POINTS = True

    radius_source = ChoiceSetting(
        "automatic",
        "array",
        "elements",
        "constant",
        documentation="where radii come from: an array of the points, the atoms' elements (Bondi's "
        "radii in Angstrom), or one for all; automatic takes the first that there is",
        name="RadiusSource",
    )
    element_array = Setting(
        "", "array of atomic numbers; by default atom_type or Atomic Numbers", name="ElementArray"
    )
    radius_overrides = Setting(
        "",
        "radii in Angstrom that replace those of elements, such as C=1.7, FE=2.05",
        name="RadiusOverrides",
    )
    constant_radius = Setting(
        1.0, "radius of all, in the unit of the points", name="ConstantRadius", at_least=0.0
    )
    use_hetatm = Setting(
        True, "take atoms that are marked as HETATM (ligands, ions, water) too", name="UseHetatm"
    )
    model = Setting(
        0,
        "which model of several, by its number in the array `model`; 0: the first; -1: all",
        name="Model",
        at_least=-1,
    )
    probe_radius = Setting(
        0.0,
        "a length that is added to every radius, in the unit of the points: 1.4 for water",
        name="ProbeRadius",
        at_least=0.0,
    )
    alpha = Setting(
        0.0,
        "by how much squared radii grow: a squared length, of either sign",
        name="Alpha",
    )
    resolution = Setting(
        1e-3,
        "step of the grid to which positions and radii are rounded, in the unit of the points",
        name="Resolution",
        at_least=0.0,
    )
    work_limit = Setting(
        1e11, "refuse if more tests than this are to be done", name="WorkLimit", at_least=1.0
    )
    fallback = ChoiceSetting(
        "refuse",
        "gudhi",
        documentation="what to do beyond the work limit: refuse, or have GUDHI, a package of its "
        "own, make the complete regular triangulation, which gives the same complex",
        name="Fallback",
    )

    def accepted_types(self, port: int) -> tuple[str, ...]:
        return ("vtkPointSet", "vtkTable", "vtkMolecule")

    def what_to_do_with(self, dataset: Any) -> str:
        return what_to_do_with(dataset)

    @property
    def search_options(self) -> dict[str, Any]:
        """How far the engine goes, by its own keywords."""
        return {
            "probe": self.probe_radius,
            "resolution": self.resolution,
            "work_limit": self.work_limit,
            "fallback": None if self.fallback == "refuse" else self.fallback,
        }

    @property
    def choice(self) -> Choice:
        """Which atoms count, and what says their radii."""
        name, _ = chosen_array(self.GetInputArrayInformation(0))
        return Choice(
            source=self.radius_source,
            radius_array="" if name == AUTOMATIC else name,
            element_array="" if self.element_array == AUTOMATIC else self.element_array,
            overrides=self.radius_overrides,
            constant=self.constant_radius,
            use_hetatm=self.use_hetatm,
            model=self.model,
        )


class AlphaSettings(BallSettings):
    """The settings of AlphaComplex."""

    largest_alpha = Setting(
        0.0,
        "up to which alpha to compute and to keep, a squared length: pockets and the diagram see "
        "as far; 0: alpha, and with pockets or diagram 12 squared largest radii or twice alpha",
        name="LargestAlpha",
    )
    compute_complex = Setting(True, "compute port 0, the cells", name="ComputeComplex")
    compute_boundary = Setting(True, "compute port 1 and Betti numbers", name="ComputeBoundary")
    compute_voids = Setting(True, "compute port 2 and Betti numbers", name="ComputeVoids")
    compute_pockets = Setting(False, "compute port 3", name="ComputePockets")
    compute_measures = Setting(
        True, "compute volume and area, in all and by atom", name="ComputeMeasures"
    )
    compute_diagram = Setting(False, "compute port 5", name="ComputeDiagram")
    keep_complex = Setting(
        True,
        "keep the complex, so that another alpha up to the largest takes a threshold alone",
        name="KeepComplex",
    )
