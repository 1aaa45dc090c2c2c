"""Differences of values in outputs are exact for 64-bit integers, and finite."""

import warnings
from typing import Any

import numpy as np
import pytest

import separatrix_vtk
from filters.images import cell_array, image_with, noise, point_array
from filters.meshes import boxes, grid_of, values_in

SMALL = noise(5, 6, 7, dtype=np.uint8).astype(np.int64) % 10


def run(name: str, dataset: Any, **settings: Any) -> Any:
    filter = getattr(separatrix_vtk, name)(device="cpu", **settings)
    filter.SetInputDataObject(dataset)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        filter.Update()
    assert filter.last_error == ""
    return filter


def differences(values: np.ndarray) -> dict[str, list[float]]:
    """All that the filters report about the differences of an image."""
    image = image_with(values)
    complex = run("MorseSmaleComplex", image, compute_persistence_pairs=True)
    diagram = run("PersistenceDiagram", image)
    found = {
        "points": point_array(complex.GetOutput(0), "Persistence"),
        "lines": cell_array(complex.GetOutput(1), "SeparatrixFunctionDifference"),
        "graph": cell_array(complex.GetOutput(4), "Persistence"),
        "diagram": cell_array(diagram.GetOutput(0), "Persistence"),
        "curves": values_in(diagram.GetOutput(1).GetRowData(), "Persistence"),
    }
    return {name: array.astype(np.float64).tolist() for name, array in found.items()}


@pytest.mark.parametrize(("dtype", "shift"), [("int64", 2**62), ("uint64", 2**63)])
def test_differences_of_large_integers_are_those_of_small_ones(dtype, shift):
    assert differences(SMALL.astype(dtype) + np.array(shift, dtype)) == differences(SMALL)


def test_the_range_of_large_integers_on_a_mesh_is_exact():
    points, tets, values = boxes(2)
    whole = (values * 10).astype(np.int64)
    persistence = []
    for shift in (0, 2**62):
        diagram = run("PersistenceDiagram", grid_of(points, tets, whole + shift))
        persistence.append(cell_array(diagram.GetOutput(0), "Persistence").tolist())
    assert persistence[0] == persistence[1]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_differences_beyond_the_largest_number_are_that_number(dtype):
    largest = np.finfo(dtype).max
    found = differences((SMALL - 4.5).astype(dtype) / np.array(4.5, dtype) * largest)
    for name, numbers in found.items():
        assert np.isfinite(numbers).all(), name
    assert max(found["lines"]) == largest


def test_the_range_of_a_mesh_beyond_the_largest_number_is_that_number():
    points, tets, values = boxes(2)
    large = (values - 0.5) * 2 * np.finfo(np.float64).max
    diagram = run("PersistenceDiagram", grid_of(points, tets, large))
    assert np.isfinite(cell_array(diagram.GetOutput(0), "Persistence")).all()
