"""Results of the functions with several outputs; the filters' documentation names their arrays."""

from __future__ import annotations

from typing import Any, NamedTuple


class MorseSmaleOutputs(NamedTuple):
    """Outputs of MorseSmaleComplex."""

    critical_points: Any
    separatrices_1: Any
    separatrices_2: Any
    segmentation: Any
    graph: Any
    regions: Any


class PersistenceDiagramOutputs(NamedTuple):
    """Outputs of PersistenceDiagram."""

    diagram: Any
    curves: Any


class DiscreteGradientOutputs(NamedTuple):
    """Outputs of DiscreteGradient."""

    critical_points: Any
    gradient: Any
    arrows: Any


class MeshRelationsOutputs(NamedTuple):
    """Outputs of MeshRelations."""

    mesh: Any
    edges: Any
    triangles: Any
    boundary: Any
    relations: Any
    statistics: Any


class RipsBarcodesOutputs(NamedTuple):
    """Outputs of RipsBarcodes."""

    barcode: Any
    diagram: Any
    representatives: Any
    bars: Any
    betti_curves: Any
    statistics: Any


class AlphaComplexOutputs(NamedTuple):
    """Outputs of AlphaComplex."""

    complex: Any
    boundary: Any
    voids: Any
    pockets: Any
    atoms: Any
    diagram: Any
