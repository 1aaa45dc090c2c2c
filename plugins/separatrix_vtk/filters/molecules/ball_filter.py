"""Base of the filters on alpha complexes: the selection of atoms, and their radii."""

from __future__ import annotations

from typing import Any

from separatrix.options.molecules import BallOptions, SearchOptions
from separatrix_vtk.base.computing import ComputingFilter
from separatrix_vtk.filters.molecules.balls import Choice
from separatrix_vtk.filters.points.point_set import what_to_do_with


class BallFilter(BallOptions, ComputingFilter, SearchOptions):
    """Base of the filters on balls, such as the atoms of a molecule."""

    TAKES = "vtkPointSet, vtkMolecule or vtkTable"
    IS_OF_POINTS = True

    def accepted_types(self, port: int) -> tuple[str, ...]:
        return ("vtkPointSet", "vtkTable", "vtkMolecule")

    def what_to_do_with(self, dataset: Any) -> str:
        return what_to_do_with(dataset)

    @property
    def search_options(self) -> dict[str, Any]:
        """Options of the search, as keywords of the engine."""
        return {
            "probe": self.probe,
            "resolution": self.resolution,
            "work_limit": self.work_limit,
            "fallback": None if self.fallback == "refuse" else self.fallback,
        }

    @property
    def choice(self) -> Choice:
        """Selection of atoms, and the source of their radii."""
        return Choice(
            source=self.radius_source,
            radius_array=self.radius_array or "",
            element_array=self.element_array or "",
            overrides=self.radius_overrides,
            constant=self.constant_radius,
            use_hetatm=self.use_hetatm,
            model=self.model,
        )
