"""Results of the functions with several outputs; the filters' documentation names their arrays."""

from __future__ import annotations

from collections import namedtuple

MorseSmaleOutputs = namedtuple(
    "MorseSmaleOutputs", "critical_points separatrices_1 separatrices_2 segmentation graph regions"
)
PersistenceDiagramOutputs = namedtuple("PersistenceDiagramOutputs", "diagram curves")
DiscreteGradientOutputs = namedtuple("DiscreteGradientOutputs", "critical_points gradient arrows")
MeshRelationsOutputs = namedtuple(
    "MeshRelationsOutputs", "mesh edges triangles boundary relations statistics"
)
RipsBarcodesOutputs = namedtuple(
    "RipsBarcodesOutputs", "barcode diagram representatives bars betti_curves statistics"
)
AlphaComplexOutputs = namedtuple(
    "AlphaComplexOutputs", "complex boundary voids pockets atoms diagram"
)
