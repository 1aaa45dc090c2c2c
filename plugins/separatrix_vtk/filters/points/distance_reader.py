"""Reader of points and distance matrices in Ripser's formats, for ParaView and VTK.

port 0  Points or Distances
    points in up to three dimensions: vtkPolyData, one vertex per point
    points in more dimensions: a table with a column per coordinate, x0, x1, ... (d)
    distances: a table with a column per point, p0, p1, ... (d)
        field   DistanceMatrix (i64)  1, so that other filters take the columns as distances
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.errors import SeparatrixError
from separatrix.options import DistanceReaderOptions
from separatrix_vtk.base.arrays import add_numbers, fill_polydata, to_vtk
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Reader
from separatrix_vtk.filters.points.rips_input import DISTANCE_MATRIX, in_space
from separatrix_vtk.io.rips_files import read_rips

SPARSE = "Compute their barcode with `separatrix rips`, or with `separatrix.rips_barcodes`."
Content = tuple[np.ndarray, bool, str]  # the array, whether it contains distances, a warning


class DistanceReader(DistanceReaderOptions, Reader):
    """Read points or a distance matrix for Rips barcodes.

    The module docstring describes the output, `separatrix_vtk.io.rips_files` the formats.

    Examples
    --------
    >>> circles = DistanceReader(file_name="sample_data/linked_circles.csv")
    >>> circles.Update()
    >>> circles.GetOutput().GetNumberOfPoints()
    120
    """

    OUTPUTS = (("Points or Distances", "vtkTable"),)

    def made_type(self, port: int, source: Any) -> str:
        """Return vtkPolyData for points in space; errors are reported when the file is used."""
        with suppress(SeparatrixError, MemoryError):
            array, is_distances, _ = self.content(self.format)
            if not is_distances and array.shape[1] <= 3:
                return "vtkPolyData"
        return "vtkTable"

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        array, is_distances, warning = self.content(self.format)
        if warning:
            self.warn(warning)
        if outputs[0].IsA("vtkPolyData"):
            fill_polydata(outputs[0], in_space(array), vertices=True)
        else:
            letter = "p" if is_distances else "x"
            for i, column in enumerate(np.ascontiguousarray(array.T)):
                outputs[0].AddColumn(to_vtk(column, f"{letter}{i}"))
        if is_distances:
            add_numbers(outputs[0], {DISTANCE_MATRIX: 1})
        self._report = {"n_points": len(array), "is_distances": is_distances}

    def read(self, path: Path) -> Content:
        given, warning = read_rips(path, self.format)
        if "sparse" in given:
            raise FilterError(f"{path}: sparse distances are not a table. {SPARSE}")
        is_distances = "distances" in given
        array = given["distances" if is_distances else "points"]
        return array.astype(np.float64, copy=False), is_distances, warning
