"""Results of the functions with several outputs; the filters' documentation names their arrays."""

from __future__ import annotations

from collections import namedtuple
from typing import Any


class Drawn:
    """Base of results that draw themselves."""

    def plot(self: Any, target: Any = None) -> Any:
        """Draw the outputs with PyVista, diagrams and barcodes with Matplotlib.

        Parameters
        ----------
        target : pyvista.Plotter or matplotlib.axes.Axes, optional
            What to draw into; by default a new one.

        Returns
        -------
        pyvista.Plotter or matplotlib.axes.Axes
            The target; ``plotter.show()`` opens a window.
        """
        from separatrix_vtk.pictures import draw_outputs

        return draw_outputs(type(self).__name__.removesuffix("Outputs"), self, target)


class MorseSmaleOutputs(
    Drawn,
    namedtuple(
        "MorseSmaleOutputs",
        "critical_points separatrices_1 separatrices_2 segmentation graph regions",
    ),
):
    """Outputs of `morse_smale_complex`."""


class PersistenceDiagramOutputs(Drawn, namedtuple("PersistenceDiagramOutputs", "diagram curves")):
    """Outputs of `persistence_diagram`."""


class DiscreteGradientOutputs(
    Drawn, namedtuple("DiscreteGradientOutputs", "critical_points gradient arrows")
):
    """Outputs of `discrete_gradient`."""


class MeshRelationsOutputs(
    Drawn, namedtuple("MeshRelationsOutputs", "mesh edges triangles boundary relations statistics")
):
    """Outputs of `mesh_relations`."""


class RipsBarcodesOutputs(
    Drawn,
    namedtuple(
        "RipsBarcodesOutputs", "barcode diagram representatives bars betti_curves statistics"
    ),
):
    """Outputs of `rips_barcodes`."""


class DelaunayOutputs(Drawn, namedtuple("DelaunayOutputs", "tetrahedra hull hidden")):
    """Outputs of `delaunay`."""

    __slots__ = ()


class AlphaComplexOutputs(
    Drawn, namedtuple("AlphaComplexOutputs", "complex boundary voids pockets atoms diagram barcode")
):
    """Outputs of `alpha_complex`."""
