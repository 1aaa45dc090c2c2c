"""Bad input to reductions gets one sentence that says what came, where it is and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import separatrix as sx

X = np.random.default_rng(0).random((5, 3))
Y = np.random.default_rng(1).random((7, 3))
COVER = sx.BlockPattern([[0, 5]], [0, 1], [[0, 7]], 5, 7, radius=0.1)


def message(device: str, *arrays: Any, formula: str = "gaussian", **options: Any) -> str:
    """The text of the InputError, on one line."""
    if formula == "gaussian":
        options.setdefault("sigma", 0.1)
    x, y, *values = (*arrays, *(X, Y)[len(arrays) :])
    with pytest.raises(sx.InputError) as raised:
        sx.reduce(formula, x, y, *values, device=device, **options)
    text = str(raised.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ((X[0], Y), ["x must be an array of shape (n, D)", "(3,)"]),
        ((X, Y[:, :2]), ["y must be an array of shape (n, 3), like x", "(7, 2)"]),
        ((X, Y[:, :0]), ["y must be an array of shape (n, D)", "(7, 0)"]),
        (
            (X.astype(int), Y),
            ["x must be an array of float32 or float64; got dtype int64", "astype"],
        ),
        ((X.astype(np.float32), Y), ["y must be an array of float32, like x; got dtype float64"]),
        ((X, Y, Y[:6, 0]), ["values must be an array of shape (7,) or (7, E)", "(6,)"]),
        ((X, Y, np.ones((7, 0))), ["values must be an array of shape", "(7, 0)"]),
        ((X, Y, np.ones((7, 2, 2))), ["values must be an array of shape", "(7, 2, 2)"]),
        ((X, Y, np.ones(7, np.float32)), ["float64, the dtype of the points; got dtype float32"]),
        ((X, [["a"]]), ["y must be"]),
    ],
)
def test_wrong_shapes_and_dtypes_are_refused(
    device: str, arrays: tuple[Any, ...], words: list[str]
) -> None:
    text = message(device, *arrays)
    for word in words:
        assert word in text


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused_with_the_first_and_the_count(
    device: str, bad: float
) -> None:
    y = Y.copy()
    y[4, 1] = y[6, 2] = bad
    text = message(device, X, y)
    assert f"y[4, 1] = {bad}" in text
    assert "2 invalid values" in text
    b = np.ones(7)
    b[3] = bad
    text = message(device, X, Y, b)
    assert f"values[3] = {bad} (1 invalid value)" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reduction": "summ"}, ["got 'summ'", "Did you mean 'sum'?", "argkmin"]),
        ({"reduction": 3}, ["reduction must be one of", "got 3"]),
        ({"axis": 2}, ["axis must be 1", "got 2"]),
        ({"accumulate": "double"}, ["accumulate must be", "'double'"]),
        (
            {"accumulate": "float64", "reduction": "min"},
            ["accumulate must be None for reduction='min'"],
        ),
        ({"math": "quick"}, ["math must be 'exact' or 'fast'"]),
        ({"reduction": "kmin"}, ["k must be an integer from 1 to 32", "None"]),
        ({"reduction": "kmin", "k": 33}, ["k must be an integer from 1 to 32", "33"]),
        ({"reduction": "argkmin", "k": 0}, ["k must be an integer from 1 to 32", "0"]),
        ({"reduction": "argkmin", "k": True}, ["k must be an integer from 1 to 32", "True"]),
        ({"k": 3}, ["k must be None for reduction='sum'"]),
        ({"radius": -1.0}, ["radius must be", "-1.0"]),
        ({"radius": np.nan}, ["radius must be", "nan"]),
        ({"pattern": 3}, ["pattern must be a BlockPattern or None; got 3"]),
        ({"pattern": np.ones((5, 7))}, ["BlockPattern or None; got an object of type ndarray."]),
        (
            {"pattern": sx.BlockPattern.dense(5, 8)},
            ["pattern must be a pattern of 5 x 7 points; got a pattern of 5 x 8"],
        ),
        ({"pattern": COVER, "radius": 0.2}, ["at most 0.1, which pattern covers; got 0.2"]),
    ],
)
def test_options_that_can_not_be_are_refused(
    device: str, options: dict[str, Any], words: list[str]
) -> None:
    text = message(device, **options)
    for word in words:
        assert word in text


def test_values_that_nothing_reads_are_refused(device: str) -> None:
    text = message(device, X, Y, np.ones(7), reduction="min")
    assert "values must be None for min of 'gaussian'" in text


def test_a_list_that_memory_has_no_room_for_is_refused_with_the_figure(device: str) -> None:
    with pytest.raises(sx.DeviceMemoryError, match=r"A list of 35 pairs requires (280|840) bytes"):
        sx.reduce("distance", X, Y, reduction="collect", memory_limit=100, device=device)


@pytest.mark.parametrize(
    ("scale", "dtype", "options", "words"),
    [
        (
            1e30,
            "float32",
            {"reduction": "min"},
            "the largest coordinate of x must be from 1e-18 to 1e+18",
        ),
        (1e-22, "float32", {}, "float32 must represent its square; got 9"),
        (1e200, "float64", {"reduction": "argmin"}, "must be from 1e-150 to 1e+150"),
        (
            1,
            "float32",
            {"formula": "gaussian", "sigma": 1e-20},
            "in the range of float32 for formula 'gaussian'",
        ),
        (1, "float32", {"formula": "exp(d2 * p[0])", "parameters": (1e40,)}, "p[0] = 1e+40"),
        (
            1,
            "float64",
            {"formula": "gaussian", "sigma": 1e-200},
            "sigma must be from 1e-150 to 1e+150",
        ),
        (1, "float64", {"formula": "gaussian", "sigma": 10**400}, "sigma must be from 1e-150"),
        (1, "float64", {"radius": 1e200}, "radius must be from 1e-150 to 1e+150"),
        (1, "float32", {"radius": 1e-23}, "another unit of length or float64 points"),
    ],
)
def test_lengths_whose_squares_leave_the_range_are_refused(
    device: str, scale: float, dtype: str, options: dict[str, Any], words: str
) -> None:
    x, y = ((scale * points).astype(dtype) for points in (X, Y))
    options = {"formula": "squared_distance", **options}
    assert words in message(device, x, y, **options)


def test_neighbors_of_large_and_small_float32_points_are_decided_in_float64(device: str) -> None:
    expected = ((X[:, None] - Y[None]) ** 2).sum(2).argmin(1)
    for scale in (1e30, 1e-30):
        x, y = ((scale * points).astype(np.float32) for points in (X, Y))
        found = sx.reduce("squared_distance", x, y, reduction="argmin", device=device)
        np.testing.assert_array_equal(sx.to_host(found), expected)


def test_numbers_that_are_no_lengths_may_have_any_size(device: str) -> None:
    x = np.array([[1e30]], np.float32)
    assert sx.to_host(sx.reduce("x[0] + y[0]", x, x, device=device)) == np.float32(2e30)
