"""Lines of the 1-separatrices are limited in number; the graph is not."""

from __future__ import annotations

import numpy as np

import separatrix_vtk
from filters.images import image_with, message_window, noise, point_array
from filters.meshes import values_in


def lines_of(most_points: int | None) -> tuple[separatrix_vtk.MorseSmaleComplex, str]:
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu", most_line_points=most_points)
    filter.SetInputDataObject(image_with(noise(9, 10, 11)))
    with message_window() as told:
        filter.Update()
    return filter, told.GetOutput()


def test_lines_of_the_least_persistent_saddles_are_omitted() -> None:
    (whole, nothing), (few, told) = lines_of(None), lines_of(500)
    assert nothing == ""
    assert whole.GetOutput(1).GetNumberOfPoints() > 1000
    assert 0 < few.GetOutput(1).GetNumberOfPoints() <= 500
    n_left_out = few.report["saddles_without_lines"]
    assert whole.report["saddles_without_lines"] == 0
    assert f"The lines of the {n_left_out:,} least persistent saddles were left out" in told
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
    assert len(sources[0] - sources[1]) <= n_left_out
    assert np.median(sorted(drawn)) > np.median([persistence[cell] for cell in sources[0]])
    assert few.GetOutput(4).GetNumberOfCells() == whole.GetOutput(4).GetNumberOfCells()


def test_within_the_limit_all_lines_are_drawn() -> None:
    (whole, _), (default, told) = lines_of(None), lines_of(200_000)
    assert default.GetOutput(1).GetNumberOfPoints() == whole.GetOutput(1).GetNumberOfPoints()
    assert told == ""
    assert separatrix_vtk.MorseSmaleComplex().most_line_points == 200_000
