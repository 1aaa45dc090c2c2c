"""Lines of the 1-separatrices are limited in number; the graph is not."""

from typing import Any

import numpy as np

import separatrix_vtk
from filters.images import image_with, message_window, noise, point_array
from filters.meshes import values_in


def lines_of(most_points: int | None) -> tuple[separatrix_vtk.MorseSmaleComplex, str]:
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu", most_line_points=most_points)
    filter.SetInputDataObject(image_with(noise(9, 10, 11)))
    with message_window() as reported:
        filter.Update()
    return filter, reported.GetOutput()


def test_lines_of_the_least_persistent_saddles_are_omitted():
    (whole, nothing), (few, reported) = lines_of(None), lines_of(500)
    assert nothing == ""
    assert whole.GetOutput(1).GetNumberOfPoints() > 1000
    assert 0 < few.GetOutput(1).GetNumberOfPoints() <= 500
    n_omitted = few.report["saddles_without_lines"]
    assert whole.report["saddles_without_lines"] == 0
    assert f"The lines of the {n_omitted:,} least persistent saddles were omitted" in reported
    points = few.GetOutput(0)
    persistence = dict(
        zip(point_array(points, "CellId"), point_array(points, "Persistence"), strict=True)
    )
    sources = [
        set(values_in(filter.GetOutput(1).GetCellData(), "SourceId").tolist())
        for filter in (whole, few)
    ]
    drawn = {persistence[cell] for cell in sources[1]}
    assert sources[1] < sources[0]
    assert len(sources[0] - sources[1]) <= n_omitted
    assert np.median(sorted(drawn)) > np.median([persistence[cell] for cell in sources[0]])
    assert few.GetOutput(4).GetNumberOfCells() == whole.GetOutput(4).GetNumberOfCells()


def test_the_most_persistent_saddles_have_all_their_lines():
    """A connector belongs to its less persistent saddle. Ties are resolved by row."""
    (whole, _), (few, _) = lines_of(None), lines_of(500)
    points, lines = whole.GetOutput(0), whole.GetOutput(1)
    cells, dimensions = point_array(points, "CellId"), point_array(points, "CellDimension")
    order = np.argsort(-point_array(points, "Persistence"), kind="stable")
    rank = {cells[row]: k for k, row in enumerate(order) if dimensions[row] in (1, 2)}
    latest = [max(rank[end] for end in ends if end in rank) for ends in ends_of(lines)]
    lengths = [lines.GetCell(k).GetNumberOfPoints() for k in range(len(latest))]
    n_points = np.cumsum(np.bincount(latest, lengths))
    is_drawn = n_points[latest] <= 500
    assert is_drawn.sum() > 10
    drawn = [ends for ends, kept in zip(ends_of(lines), is_drawn, strict=True) if kept]
    assert drawn == ends_of(few.GetOutput(1))


def ends_of(lines: Any) -> list[tuple[int, int]]:
    data = lines.GetCellData()
    return list(zip(values_in(data, "SourceId"), values_in(data, "DestinationId"), strict=True))


def test_within_the_limit_all_lines_are_drawn():
    (whole, _), (default, reported) = lines_of(None), lines_of(100_000)
    assert default.GetOutput(1).GetNumberOfPoints() == whole.GetOutput(1).GetNumberOfPoints()
    assert reported == ""
    assert separatrix_vtk.MorseSmaleComplex().most_line_points == 100_000
