"""The Morse-Smale complex of an image: critical points, separatrices and segmentation.

Ports, arrays and codes are TTK's. (id) is vtkIdType, (i8) signed char, (i32) int, (f) the field's
type.

port 0  Critical Points   vertices, one a critical cell, at the cell's centre
    point   <the field> (f)        value at the cell's highest vertex
            CellDimension (i8)     0 minimum, 1 and 2 saddles, 3 maximum (2D: 2 is the maximum)
            CellId (id)            index of the cell in the doubled grid, x fastest
            IsOnBoundary (i8)      1 if the cell lies in the boundary of the image
            ttkVertexScalarField (id)  point id of the highest vertex (cell data: cell id)
            CriticalType (i8)      0 minimum, 1 and 2 saddles, 3 maximum, in 2D too
            ManifoldSize (id)      how many labels name this extremum; 0 for saddles;
                                   -1 unless both ascending and descending segmentation are on
port 1  1-Separatrices    lines of two points through cell centres, from a saddle to an extremum
    point   ttkMaskScalarField (i8)  0 at the two ends of a separatrix, else 1
            CellDimension (i8), CellId (id)
    cell    SourceId (id)          CellId of the saddle
            DestinationId (id)     CellId of the extremum; -1 where the line leaves the image
            SeparatrixId (id)      0, 1, ... a number for each separatrix
            SeparatrixType (i8)    0 descending to a minimum, 2 ascending to a maximum (2D: 1)
            SeparatrixFunctionMaximum, -Minimum (f)  highest and lowest value of its cells
            SeparatrixFunctionDifference  their difference (signed integers: int64 or double)
            NumberOfCriticalPointsOnBoundary (i8)  how many of its two ends: 0, 1 or 2
port 2  2-Separatrices    polygons (3D only), a surface a saddle
    cell    as port 1, without DestinationId. SeparatrixType: 1 ascending from a 1-saddle,
            2 descending from a 2-saddle. NumberOfCriticalPointsOnBoundary counts the saddle alone.
port 3  Segmentation      the input image with labels added, as point data (of cell data: cell data)
            DescendingManifold (i32)  which minimum is reached by descending: row among the minima
            AscendingManifold (i32)   which maximum is reached by ascending, -1 out of the image
            MorseSmaleManifold (i32)  number of the pair of both
    cell    AscendingManifold (i32)   if top cell labels are on: exact label of each voxel

An array of the input with one of these names is replaced in the output; the input keeps its own.
TTK differs: it takes the lowest vertex of a saddle for SeparatrixFunctionMinimum and leaves out
lines that leave the domain.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import separatrix as sx
from separatrix_vtk.base.arrays import add, to_vtk
from separatrix_vtk.base.settings import Setting
from separatrix_vtk.grid.grid_filter import GridFilter
from separatrix_vtk.grid.image import ImageField
from separatrix_vtk.grid.outputs import (
    ASCENDING,
    ASCENDING_2D,
    ASCENDING_SURFACE,
    DESCENDING,
    DESCENDING_SURFACE,
    on_host,
    write_critical_points,
    write_lines,
    write_surfaces,
)

ARRAY_OF_KIND = {
    "descending": "DescendingManifold",
    "ascending": "AscendingManifold",
    "cells": "MorseSmaleManifold",
}


class MorseSmaleComplex(GridFilter):
    """Morse-Smale complex of 1D, 2D or 3D image data.

    Input: vtkImageData with a scalar field, chosen by SetInputArrayToProcess (else the active
    scalars). Outputs: 0 critical points, 1 1-separatrices, 2 2-separatrices, 3 segmentation; what
    is switched off is not computed and its output is empty.

    >>> complex = MorseSmaleComplex(device="cpu")
    >>> complex.SetInputConnection(source.GetOutputPort())
    >>> complex.Update()
    >>> complex.GetOutput(3).GetPointData().GetArray("MorseSmaleManifold")
    """

    OUTPUTS = (
        ("Critical Points", "vtkPolyData"),
        ("1-Separatrices", "vtkPolyData"),
        ("2-Separatrices", "vtkPolyData"),
        ("Segmentation", "vtkImageData"),
    )

    compute_critical_points = Setting(
        True, "fill port 0 with the critical points", name="ComputeCriticalPoints"
    )
    compute_descending_separatrices_1 = Setting(
        True,
        "put lines from 1-saddles down to minima on port 1",
        name="ComputeDescendingSeparatrices1",
    )
    compute_ascending_separatrices_1 = Setting(
        True,
        "put lines from the saddles below maxima up to maxima on port 1",
        name="ComputeAscendingSeparatrices1",
    )
    compute_descending_separatrices_2 = Setting(
        False,
        "put surfaces that descend from 2-saddles on port 2 (3D)",
        name="ComputeDescendingSeparatrices2",
    )
    compute_ascending_separatrices_2 = Setting(
        False,
        "put surfaces that ascend from 1-saddles on port 2 (3D)",
        name="ComputeAscendingSeparatrices2",
    )
    compute_ascending_segmentation = Setting(
        True,
        "label each point with the maximum reached by ascending",
        name="ComputeAscendingSegmentation",
    )
    compute_descending_segmentation = Setting(
        True,
        "label each point with the minimum reached by descending",
        name="ComputeDescendingSegmentation",
    )
    compute_final_segmentation = Setting(
        True,
        "label each point with its pair of minimum and maximum",
        name="ComputeFinalSegmentation",
    )
    compute_top_cell_labels = Setting(
        False,
        "label each voxel exactly with its maximum, as cell data (point data input only)",
        name="ComputeTopCellLabels",
    )

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        image, field = self.read_field(inputs[0])
        points, lines, surfaces, segmentation = outputs
        complex = sx.morse_smale(
            field.values, **field.engine_arguments(), **self.engine_options(0.0, 0.4)
        )
        critical = on_host(complex.critical)
        segmentation.ShallowCopy(image)
        self._label(complex, field, segmentation)
        if self.compute_critical_points:
            sizes = self._manifold_sizes(complex)
            write_critical_points(points, critical, field, complex.grid.dimension, sizes)
        if families := self._lines(complex):
            write_lines(lines, families, critical, field, complex.grid)
        if families := self._surfaces(complex):
            write_surfaces(surfaces, families, critical, field, complex.grid)
        self.keep_report(complex)

    def _label(self, complex: Any, field: ImageField, segmentation: Any) -> None:
        wanted = {
            "descending": self.compute_descending_segmentation,
            "ascending": self.compute_ascending_segmentation,
            "cells": self.compute_final_segmentation,
        }
        kinds = [kind for kind, on in wanted.items() if on]
        for i, kind in enumerate(kinds):
            progress = self.steps(0.4 + 0.3 * i / len(kinds), 0.4 + 0.3 * (i + 1) / len(kinds))
            labels = sx.to_host(complex.segmentation(kind, progress=progress))
            add(field.attributes_of(segmentation), to_vtk(labels.reshape(-1), ARRAY_OF_KIND[kind]))
        if self.compute_top_cell_labels and field.of_cells:
            self.warn(
                "top cell labels were left out: they label the voxels between the points that "
                "carry the field, and this field is cell data"
            )
        elif self.compute_top_cell_labels:
            labels = sx.to_host(complex.top_cell_labels(progress=self.steps(0.7, 0.7)))
            add(segmentation.GetCellData(), to_vtk(labels.reshape(-1), ARRAY_OF_KIND["ascending"]))

    def _manifold_sizes(self, complex: Any) -> np.ndarray:
        if self.compute_ascending_segmentation and self.compute_descending_segmentation:
            return sx.to_host(complex.manifold_sizes())
        return np.full(len(complex.critical), -1)

    def _lines(self, complex: Any) -> list[tuple[int, Any]]:
        dimension = complex.grid.dimension
        wanted = [
            (self.compute_descending_separatrices_1, "descending", DESCENDING, 0.7, 1),
            (
                self.compute_ascending_separatrices_1,
                "ascending",
                ASCENDING if dimension == 3 else ASCENDING_2D,
                0.8,
                2,
            ),
        ]
        return [
            (code, on_host(complex.separatrices(1, kind, progress=self.steps(begin, begin + 0.1))))
            for on, kind, code, begin, least_dimension in wanted
            if on and dimension >= least_dimension
        ]

    def _surfaces(self, complex: Any) -> list[tuple[int, Any]]:
        wanted = [
            (self.compute_descending_separatrices_2, "descending", DESCENDING_SURFACE, 0.9),
            (self.compute_ascending_separatrices_2, "ascending", ASCENDING_SURFACE, 0.95),
        ]
        return [
            (code, on_host(complex.separatrices(2, kind, progress=self.steps(begin, begin + 0.05))))
            for on, kind, code, begin in wanted
            if on and complex.grid.dimension == 3
        ]
