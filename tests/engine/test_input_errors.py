"""Bad input gets one sentence that says what came, where it is and what to do."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import separatrix as sx

GOOD = np.arange(24.0).reshape(2, 3, 4)


def message(values: Any, **options: Any) -> str:
    """The text of the InputError, which is one line and ends without a trace of Python."""
    with pytest.raises(sx.InputError) as raised:
        sx.morse_smale(values, **options)
    text = str(raised.value)
    assert "\n" not in text
    assert len(text) > 20
    with pytest.raises(sx.InputError, match=re.escape(text)):
        sx.discrete_gradient(values, **options)
    return text


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
def test_nan_and_infinity_are_refused_with_the_first_voxel_and_the_count(
    device: str, bad: float, dtype: str
) -> None:
    values = np.arange(60, dtype=dtype).reshape(3, 4, 5)
    values[1, 2, 3] = values[2, 0, 0] = values[2, 3, 4] = bad
    text = message(values, device=device)
    assert f"values[1, 2, 3] is {bad}" in text
    assert "3 such voxels" in text


def test_a_single_nan_is_counted_in_the_singular(device: str) -> None:
    values = np.zeros((300, 400), np.float32)
    values[299, 399] = np.nan
    text = message(values, device=device)
    assert "values[299, 399] is nan" in text
    assert "1 such voxel;" in text or "1 such voxel)" in text


def test_the_first_of_many_bad_voxels_is_the_first_in_memory_order(device: str) -> None:
    values = np.asfortranarray(np.random.default_rng(1).random((50, 60, 70)))
    values[7, 8, 9] = np.inf
    values[7:, 9:, :9] = np.nan
    count = int((~np.isfinite(values)).sum())
    text = message(values, device=device)
    assert "values[7, 8, 9] is inf" in text
    assert f"{count:,} such voxels" in text


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0, 4), (0, 0, 0)])
def test_an_empty_array_is_refused(device: str, shape: tuple[int, ...]) -> None:
    text = message(np.zeros(shape), device=device)
    assert "at least one voxel" in text
    assert str(shape) in text


@pytest.mark.parametrize("shape", [(), (1, 2, 3, 4), (1, 1, 1, 1, 1)])
def test_an_array_without_axes_or_with_more_than_three_is_refused(
    device: str, shape: tuple[int, ...]
) -> None:
    text = message(np.zeros(shape), device=device)
    assert "1, 2 or 3 axes" in text
    assert str(shape) in text


@pytest.mark.parametrize(
    "values",
    [
        GOOD.astype(complex),
        np.array([["a", "b"]]),
        np.array([[None, {}]]),
        np.array(["2020-01-01", "2021-01-01"], "datetime64[D]"),
        np.zeros(4, [("x", float), ("y", float)]),
    ],
    ids=["complex", "text", "objects", "dates", "records"],
)
def test_a_dtype_that_is_no_real_number_is_refused_by_name(device: str, values: Any) -> None:
    text = message(values, device=device)
    assert "real" in text or "numbers" in text
    assert str(values.dtype) in text


@pytest.mark.parametrize("values", [None, "volume.vti", {"a": 1}, [[1, 2], [3]], object()])
def test_what_is_no_array_is_refused(device: str, values: Any) -> None:
    assert "values" in message(values, device=device)


def test_masked_voxels_are_refused_with_their_count(device: str) -> None:
    text = message(np.ma.masked_greater(GOOD, 20), device=device)
    assert "3 masked" in text


@pytest.mark.parametrize(
    "spacing",
    [(0, 1, 1), (1, -1, 1), (1, 1, np.nan), (1, np.inf, 1), "abc", (1, 2, 3, 4), (), None],
    ids=str,
)
def test_a_wrong_spacing_is_refused(device: str, spacing: Any) -> None:
    text = message(GOOD, spacing=spacing, device=device)
    assert text.startswith("spacing must be")


@pytest.mark.parametrize("origin", [(0, np.nan, 0), (np.inf, 0, 0), "abc", (1, 2, 3, 4)], ids=str)
def test_a_wrong_origin_is_refused(device: str, origin: Any) -> None:
    assert message(GOOD, origin=origin, device=device).startswith("origin must be")


@pytest.mark.parametrize(
    "direction", [np.zeros((3, 3)), np.eye(2), np.full((3, 3), np.nan), "abc"], ids=str
)
def test_a_wrong_direction_is_refused(device: str, direction: Any) -> None:
    assert message(GOOD, direction=direction, device=device).startswith("direction must be")


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "cuda:-1", "", "cpu:0", 3, "opencl"])
def test_an_unknown_device_is_refused_with_the_known_ones(name: Any) -> None:
    text = message(GOOD, device=name)
    assert "'auto', 'cpu', 'cuda', or 'cuda:N'" in text
    assert repr(name) in text


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two", True])
def test_a_wrong_number_of_threads_is_refused(threads: Any) -> None:
    text = message(GOOD, device="cpu", threads=threads)
    assert "threads must be an integer from 1 to 1,024 or None" in text
    assert repr(threads) in text


@pytest.mark.parametrize("limit", [0, -5])
def test_a_memory_limit_that_is_not_positive_is_refused(device: str, limit: int) -> None:
    assert "memory_limit must be a positive number" in message(
        GOOD, device=device, memory_limit=limit
    )


@pytest.mark.parametrize("name", ["spacing", "origin"])
@pytest.mark.parametrize("numbers", [(0.5, 0.5), [2.0]])
def test_fewer_spacings_or_origins_than_axes_are_refused(
    device: str, name: str, numbers: Any
) -> None:
    text = message(np.zeros((2, 3, 4)), device=device, **{name: numbers})
    assert text == (
        f"{name} must be one number, or one for each of the 3 axes of values by x, y, z; "
        f"{len(numbers)} came: {numbers}"
    )


def test_one_spacing_for_all_axes_or_one_for_each_is_taken(device: str) -> None:
    image, line = np.zeros((3, 4)), np.zeros(5)
    for values, given, taken in (
        (np.zeros((2, 3, 4)), 2, (2, 2, 2)),
        (image, (0.5, 0.25), (0.5, 0.25, 1)),
        (image, (0.5, 0.25, 4), (0.5, 0.25, 4)),
        (line, [3], (3, 1, 1)),
    ):
        assert sx.morse_smale(values, spacing=given, device=device).domain.spacing == taken
    # A plane may lie anywhere in space.
    plane = sx.morse_smale(image, origin=(1, 2, 3), device=device)
    assert set(sx.to_host(plane.critical.position)[:, 2].tolist()) == {3.0}


def test_a_progress_that_cannot_be_called_is_refused(device: str) -> None:
    assert "progress must be callable" in message(GOOD, device=device, progress="yes")


@pytest.mark.parametrize("kind", ["Ascending", "minima", "", None, 3])
def test_an_unknown_segmentation_is_refused_with_the_known_ones(device: str, kind: Any) -> None:
    found = sx.morse_smale(GOOD, device=device)
    with pytest.raises(sx.InputError, match="ascending, descending, morse_smale") as raised:
        found.segmentation(kind)
    assert repr(kind) in str(raised.value)


@pytest.mark.parametrize("kind", ["both", "cells", None])
def test_an_unknown_kind_of_separatrix_is_refused_with_the_known_ones(
    device: str, kind: Any
) -> None:
    found = sx.morse_smale(GOOD, device=device)
    with pytest.raises(sx.InputError, match="ascending, descending") as raised:
        found.separatrices(1, kind)
    assert repr(kind) in str(raised.value)


@pytest.mark.parametrize("dimension", [0, 3, -1, "1", None])
def test_an_unknown_dimension_of_separatrix_is_refused(device: str, dimension: Any) -> None:
    found = sx.morse_smale(GOOD, device=device)
    with pytest.raises(sx.InputError, match="dimension must be 1"):
        found.separatrices(dimension, "descending")


@pytest.mark.parametrize("stride", [0, -1])
def test_a_stride_below_one_is_refused(device: str, stride: int) -> None:
    with pytest.raises(sx.InputError, match="stride must be a whole number from 1 on"):
        sx.discrete_gradient(GOOD, device=device).arrows(stride)


def test_more_voxels_than_vertex_ids_are_refused_with_the_limit() -> None:
    huge = np.broadcast_to(np.zeros((), np.uint8), (2048, 1024, 1024))  # no memory behind it
    text = message(huge, device="cpu")
    assert "2,147,483,648 voxels" in text
    assert "2,147,483,647" in text


def test_an_input_error_is_a_value_error_and_a_memory_error_is_a_memory_error() -> None:
    assert issubclass(sx.InputError, ValueError)
    assert issubclass(sx.DeviceMemoryError, MemoryError)
    assert issubclass(sx.DeviceUnavailable, RuntimeError)
    assert issubclass(sx.KernelError, RuntimeError)
    assert issubclass(sx.Cancelled, Exception)
    assert not issubclass(sx.Cancelled, (ValueError, RuntimeError))


def test_a_good_call_works_after_a_refused_one(device: str) -> None:
    message(np.array([np.nan, 1.0]), device=device)
    assert sx.morse_smale(GOOD, device=device).critical.counts == (1, 0, 0, 0)
