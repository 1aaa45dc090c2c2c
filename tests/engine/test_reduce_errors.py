"""Errors of invalid input to reductions name the parameter and the place."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.rejections import assert_rejected

X = np.random.default_rng(0).random((5, 3))
Y = np.random.default_rng(1).random((7, 3))
COVER = sx.BlockPattern([[0, 5]], [0, 1], [[0, 7]], 5, 7, radius=0.1)


def reduced(device: str, *arrays: Any, formula: str = "gaussian", **options: Any) -> Any:
    if formula == "gaussian":
        options.setdefault("sigma", 0.1)
    x, y, *values = (*arrays, *(X, Y)[len(arrays) :])
    return sx.reduce(formula, x, y, *values, device=device, **options)


@pytest.mark.parametrize(
    ("arrays", "named"),
    [
        ((X[0], Y), "x"),
        ((X, Y[:, :2]), "y"),
        ((X, Y[:, :0]), "y"),
        ((X.astype(int), Y), "x"),
        ((X.astype(np.float32), Y), "y"),
        ((X, Y, Y[:6, 0]), "values"),
        ((X, Y, np.ones((7, 0))), "values"),
        ((X, Y, np.ones((7, 2, 2))), "values"),
        ((X, Y, np.ones(7, np.float32)), "values"),
        ((X, [["a"]]), "y"),
    ],
)
def test_invalid_shapes_and_dtypes_are_rejected(device, arrays, named):
    assert_rejected(named, reduced, device, *arrays)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_rejected_with_the_first(device, bad):
    y = Y.copy()
    y[4, 1] = y[6, 2] = bad
    assert_rejected("y[4, 1]", reduced, device, X, y)
    b = np.ones(7)
    b[3] = bad
    assert_rejected("values[3]", reduced, device, X, Y, b)


def test_negative_weights_have_no_logarithm(device):
    values = np.array([1.0, 2, 3, -4, 5, -6, 7])
    with pytest.raises(sx.InputError, match=r"at least 0 .*got values\[3\] = -4.0 \(2 inv"):
        reduced(device, X, Y, values, reduction="logsumexp")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"reduction": "summ"}, "reduction"),
        ({"reduction": 3}, "reduction"),
        ({"axis": 2}, "axis"),
        ({"accumulate": "double"}, "accumulate"),
        ({"accumulate": "float64", "reduction": "min"}, "accumulate"),
        ({"math": "quick"}, "math"),
        ({"reduction": "softmax"}, "values"),
        ({"reduction": "kmin"}, "k"),
        ({"reduction": "kmin", "k": 65}, "k"),
        ({"reduction": "argkmin", "k": 0}, "k"),
        ({"reduction": "argkmin", "k": True}, "k"),
        ({"k": 3}, "k"),
        ({"parameters": 0.2, "sigma": 0.1}, "sigma"),
        ({"parameters": (0.1, 0.2)}, "parameters"),
        ({"radius": -1.0}, "radius"),
        ({"radius": np.nan}, "radius"),
        ({"pattern": 3}, "pattern"),
        ({"pattern": np.ones((5, 7))}, "pattern"),
        ({"pattern": sx.BlockPattern.dense(5, 8)}, "pattern"),
        ({"pattern": COVER, "radius": 0.2}, "radius"),
    ],
)
def test_invalid_options_are_rejected(device, options, named):
    assert_rejected(named, reduced, device, **options)


def test_values_that_the_formula_does_not_use_are_rejected(device):
    assert_rejected("values", reduced, device, X, Y, np.ones(7), reduction="min")


def test_a_list_larger_than_the_memory_is_rejected_with_its_size(device):
    with pytest.raises(sx.DeviceMemoryError, match=r"A list of 35 pairs requires (280|840) bytes"):
        sx.reduce("distance", X, Y, reduction="collect", memory_limit=100, device=device)


@pytest.mark.parametrize(
    ("scale", "dtype", "options", "named"),
    [
        (1e30, "float32", {"reduction": "min"}, "the largest coordinate of x"),
        (1e-22, "float32", {}, "the largest coordinate of x"),
        (1e200, "float64", {"reduction": "argmin"}, "the largest coordinate of x"),
        (1, "float32", {"formula": "gaussian", "sigma": 1e-20}, "p[0]"),
        (1, "float32", {"formula": "exp(d2 * p[0])", "parameters": (1e40,)}, "p[0]"),
        (1, "float64", {"formula": "gaussian", "sigma": 1e-200}, "sigma"),
        (1, "float64", {"formula": "gaussian", "sigma": 10**400}, "sigma"),
        (1, "float64", {"radius": 1e200}, "radius"),
        (1, "float32", {"radius": 1e-23}, "radius"),
    ],
)
def test_lengths_whose_squares_overflow_are_rejected(device, scale, dtype, options, named):
    x, y = ((scale * points).astype(dtype) for points in (X, Y))
    assert_rejected(named, reduced, device, x, y, **{"formula": "squared_distance", **options})


def test_neighbors_of_large_and_small_float32_points_are_decided_in_float64(device):
    expected = ((X[:, None] - Y[None]) ** 2).sum(2).argmin(1)
    for scale in (1e30, 1e-30):
        x, y = ((scale * points).astype(np.float32) for points in (X, Y))
        found = sx.reduce("squared_distance", x, y, reduction="argmin", device=device)
        np.testing.assert_array_equal(sx.to_host(found), expected)


def test_numbers_that_are_not_lengths_may_have_any_size(device):
    x = np.array([[1e30]], np.float32)
    assert sx.to_host(sx.reduce("x[0] + y[0]", x, x, device=device)) == np.float32(2e30)
