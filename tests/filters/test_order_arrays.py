"""The filters on fields order equal values by an array of ranks, by its name or by TTK's."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
import separatrix_vtk
from filters.images import cell_array, image_with, noise, point_array
from filters.meshes import boxes, grid_of, named
from oracles.fields import any_order

TIED = noise(5, 6, 7, dtype=np.uint8) // 12
RANKS = any_order(TIED, np.random.default_rng(71))
POINTS, TETS, VALUES = boxes(4)
STEPS = np.round(VALUES * 3).astype(np.int8)
STEP_RANKS = any_order(STEPS, np.random.default_rng(72))
FUNCTIONS = ("morse_smale_complex", "critical_points", "discrete_gradient", "persistence_diagram")


def with_order(dataset: Any, ranks: np.ndarray, name: str, *, cells: bool = False) -> Any:
    """The dataset with a further array."""
    attributes = dataset.GetCellData() if cells else dataset.GetPointData()
    attributes.AddArray(named(ranks.reshape(-1), name))
    return dataset


def points_of(function: str, outputs: Any) -> np.ndarray:
    """The points of the input that the first output of a function names, sorted."""
    several = isinstance(outputs, tuple)
    return np.sort(point_array(outputs[0] if several else outputs, "ttkVertexScalarField"))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("kind", ["image", "cells", "mesh"])
def test_results_are_those_of_the_ranks(function, kind):
    call = getattr(separatrix_vtk, function)
    options = {"device": "cpu"}
    if function == "persistence_diagram":
        options["show_zero_persistence"] = True
    if kind == "mesh":
        datasets = [grid_of(POINTS, TETS, v) for v in (STEPS, STEP_RANKS)]
        given = with_order(datasets[0], STEP_RANKS, "ranks")
    else:
        cells = kind == "cells"
        datasets = [image_with(v, cells=cells) for v in (TIED, RANKS)]
        given = with_order(datasets[0], RANKS, "ranks", cells=cells)
    found = call(given, active_name(given), order="array", order_array="ranks",
                 **options)  # fmt: skip
    expected = call(datasets[1], **options)
    np.testing.assert_array_equal(points_of(function, found), points_of(function, expected))


def active_name(dataset: Any) -> str:
    """The name of the first array of a dataset, its field."""
    data = dataset.GetPointData()
    return (data if data.GetNumberOfArrays() else dataset.GetCellData()).GetArrayName(0)


def test_an_order_is_found_by_the_name_of_the_field_as_in_ttk():
    image = with_order(image_with(TIED), RANKS, "field_Order")
    found = separatrix_vtk.morse_smale_complex(image, "field", order="array", device="cpu")
    expected = sx.morse_smale(TIED, order=RANKS, device="cpu")
    vertices = point_array(found.critical_points, "ttkVertexScalarField")
    np.testing.assert_array_equal(vertices, expected.critical.vertex)
    labels = point_array(found.segmentation, "AscendingManifold")
    np.testing.assert_array_equal(labels, expected.segmentation("ascending").ravel())
    pairs = separatrix_vtk.persistence_diagram(image, "field", order="array", device="cpu").diagram
    assert len(cell_array(pairs, "Birth")) - 1 == len(
        sx.persistence_diagram(TIED, order=RANKS, device="cpu")
    )


@pytest.mark.parametrize(
    ("ranks", "name", "text"),
    [
        (RANKS, "other", "The point array 'field_Order' was not found"),
        (RANKS + 1, "field_Order", "order_array must be a permutation of 0 to 209"),
        (RANKS.astype(float), "field_Order", "order_array must be an array of integers"),
        (RANKS[::-1], "field_Order", "order_array must be ascending with the values"),
    ],
)
def test_an_invalid_order_is_rejected_in_one_sentence(ranks, name, text):
    image = with_order(image_with(TIED), np.ascontiguousarray(ranks), name)
    for function in FUNCTIONS:
        with pytest.raises(sx.InputError, match=text):
            getattr(separatrix_vtk, function)(image, "field", order="array", device="cpu")
