"""Separatrix Distance Reader in ParaView: points, and distances for Rips Barcodes."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

import separatrix
import separatrix_vtk

SCRIPT = """
from paraview.simple import *
found = {}
for path in sys.argv[1:]:
    source = OpenDataFile(path)
    source.UpdatePipeline()
    barcodes = SeparatrixRipsBarcodes(source)
    barcodes.UpdatePipeline()
    made = barcodes.GetClientSideObject()
    bars = [list(bar) for bar in zip(*(
        [made.GetOutput(3).GetRowData().GetArray(name).GetTuple1(i)
         for i in range(made.GetOutput(3).GetNumberOfRows())]
        for name in ("Dimension", "Birth", "Death")))]
    found[path] = dict(
        kind=type(source).__name__, output=source.GetClientSideObject().GetOutput().GetClassName(),
        bars=bars, error=made.last_error, drawn=made.GetOutput(2).GetNumberOfPoints(),
        diagonal=made.GetOutput(2).GetLength(), text=made.GetResult())
report(found=found)
"""
SQUARE = np.array([(0.0, 0.0), (3.0, 0.0), (3.0, 4.0), (0.0, 4.0)])


def test_files_that_are_not_a_table_are_rejected_and_changed_ones_read_again(tmp_path):
    path = tmp_path / "edges.sparse"
    path.write_text("0 1 2.5")
    reader = separatrix_vtk.DistanceReader(file_name=path)
    with pytest.raises(separatrix.InputError, match=r"edges\.sparse: sparse distances are not"):
        reader.run()
    with pytest.raises(
        separatrix.InputError, match=r"edges\.sparse: contains a table of 1 x 3 num"
    ):
        separatrix_vtk.DistanceReader(file_name=path, format="distance").run()
    reader.format = "lower-distance"
    (table,) = reader.run()
    assert table.GetNumberOfColumns() == 3
    path.write_text("0 1 2.5 1 1 1")
    (table,) = reader.run()
    assert table.GetNumberOfColumns() == 4


@pytest.mark.paraview
def test_files_of_points_and_distances_open_and_have_the_same_barcode(pvpython, tmp_path):
    distances = np.linalg.norm(SQUARE[:, None] - SQUARE, axis=2)
    rows = {
        "square.point_cloud": SQUARE,
        "square.distance_matrix": distances,
        "square.lower_distance_matrix": [distances[i, :i] for i in range(1, 4)],
        "three.distance_matrix": distances[:3, :3],  # also a table of points, but for its name
    }
    paths = []
    for name, numbers in rows.items():
        text = "\n".join(" ".join(map(str, row)) for row in numbers)
        paths += [tmp_path / name, tmp_path / f"{name}.gz"]
        paths[-2].write_text(text)
        paths[-1].write_bytes(gzip.compress(text.encode()))
    run = pvpython(SCRIPT, *paths)
    assert "ERROR" not in run.text
    three = [[0, 0, 3], [0, 0, 4], [0, 0, np.inf]]
    whole = [[0, 0, 3], *three, [1, 4, 5]]
    for path in paths:
        found = run.report["found"][str(path)]
        assert found["error"] == ""
        assert found["kind"] == "SeparatrixDistanceReader"
        is_points = "point_cloud" in path.name
        assert found["output"] == ("vtkPolyData" if is_points else "vtkTable")
        assert found["drawn"] > 0
        assert ("Positions are approximate" in found["text"]) != is_points
        if "three" not in path.name:
            assert found["diagonal"] >= 5.0 - 1e-9  # of any box around the square
        assert sorted(found["bars"]) == (three if "three" in path.name else whole), path.name
