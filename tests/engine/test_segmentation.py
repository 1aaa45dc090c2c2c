"""Labels of vertices and top cells, and their counts, equal a walk along the V-paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.fields import (
    OPEN,
    TORUS,
    Field,
    Periods,
    any_small_fields,
    many,
    noise_fields,
    periodic_noise,
    rough_and_smooth,
)
from oracles.lower_star import image_gradient
from oracles.walks import (
    manifold_sizes,
    maximum_labels,
    minimum_labels,
    morse_smale_labels,
    top_cell_labels,
)


def assert_labels_are_the_walks(values: Field, device: str, periodic: Periods = OPEN) -> None:
    gradient = image_gradient(values, periodic)
    found = sx.morse_smale(values, periodic=periodic, device=device)
    expected = {
        "descending": minimum_labels(gradient),
        "ascending": maximum_labels(gradient),
        "morse_smale": morse_smale_labels(gradient),
    }
    for kind, labels in expected.items():
        segmentation = sx.to_host(found.segmentation(kind))
        assert segmentation.shape == values.shape
        assert segmentation.dtype == np.int32
        assert segmentation.ravel().tolist() == labels, f"{kind} {periodic} {values!r}"
    top = sx.to_host(found.cell_labels())
    assert top.dtype == np.int32
    lengths = zip((1,) * (3 - values.ndim) + values.shape, periodic[::-1], strict=True)
    assert top.shape == tuple(max(n - 1 + wraps, 1) for n, wraps in lengths)
    assert top.ravel().tolist() == list(top_cell_labels(gradient).values()), f"{values!r}"
    sizes = sx.to_host(found.manifold_sizes())
    assert sizes.dtype == np.int64
    assert sizes.tolist() == manifold_sizes(gradient), f"{values!r}"


@many(300)
@given(any_small_fields())
def test_labels_equal_the_walks_on_drawn_fields(device: str, values: Field) -> None:
    assert_labels_are_the_walks(values, device)


def test_labels_equal_the_walks_on_noise(device: str) -> None:
    for values in noise_fields(400, seed=31):
        assert_labels_are_the_walks(values, device)
    for values, periodic in periodic_noise(140, seed=205):
        assert_labels_are_the_walks(values, device, periodic)


@pytest.mark.parametrize("shape", [(12, 11, 10), (2, 3, 50), (40, 41), (3, 100), (400,)])
def test_labels_equal_the_walks_on_larger_fields(device: str, shape: tuple[int, ...]) -> None:
    for values in rough_and_smooth(shape, 33)[:2]:
        assert_labels_are_the_walks(values, device)


@pytest.mark.parametrize("shape", [(5, 6, 34), (3, 9, 66)])
def test_long_paths_through_many_tiles_and_seams_end_where_the_walks_end(
    device: str, shape: tuple[int, ...]
) -> None:
    _, y, x = np.indices(shape)
    values = np.sin(2 * np.pi * (x / shape[2] + y / shape[1]))
    values += 0.02 * np.random.default_rng(206).random(shape)
    assert_labels_are_the_walks(values, device, TORUS)


def test_each_result_is_the_same_when_it_is_the_only_one_requested(device: str) -> None:
    values = np.random.default_rng(34).integers(0, 5, (6, 7, 8))
    together = sx.morse_smale(values, device=device)
    calls: list[Callable[[sx.MorseSmaleComplex], Any]] = [
        lambda found: found.segmentation("descending"),
        lambda found: found.segmentation("ascending"),
        lambda found: found.segmentation("morse_smale"),
        lambda found: found.manifold_sizes(),
        lambda found: found.cell_labels(),
    ]
    kept = [sx.to_host(call(together)).copy() for call in calls]
    for call, expected in zip(calls, kept, strict=True):
        alone = call(sx.morse_smale(values, device=device))
        np.testing.assert_array_equal(sx.to_host(alone), expected)
        np.testing.assert_array_equal(sx.to_host(call(together)), expected)
