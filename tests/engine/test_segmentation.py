"""Labels of vertices and top cells, and their counts, equal a walk along the V-paths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.cubical import CubicalGrid
from oracles.fields import Field, any_small_fields, many, noise_fields
from oracles.lower_star import lower_star_gradient
from oracles.walks import (
    manifold_sizes,
    maximum_labels,
    minimum_labels,
    morse_smale_labels,
    top_cell_labels,
)


def assert_labels_are_the_walks(values: Field, device: str) -> None:
    gradient = lower_star_gradient(CubicalGrid(values))
    found = sx.morse_smale(values, device=device)
    expected = {
        "descending": minimum_labels(gradient),
        "ascending": maximum_labels(gradient),
        "morse_smale": morse_smale_labels(gradient),
    }
    for kind, labels in expected.items():
        segmentation = sx.to_host(found.segmentation(kind))
        assert segmentation.shape == values.shape
        assert segmentation.dtype == np.int32
        assert segmentation.ravel().tolist() == labels, f"{kind} of {values!r}"
    top = sx.to_host(found.cell_labels())
    assert top.dtype == np.int32
    assert top.shape == tuple(max(n - 1, 1) for n in (1,) * (3 - values.ndim) + values.shape)
    assert top.ravel().tolist() == list(top_cell_labels(gradient).values()), f"{values!r}"
    sizes = sx.to_host(found.manifold_sizes())
    assert sizes.dtype == np.int64
    assert sizes.tolist() == manifold_sizes(gradient), f"{values!r}"


@many(500)
@given(any_small_fields())
def test_labels_equal_the_walks_on_drawn_fields(device: str, values: Field) -> None:
    assert_labels_are_the_walks(values, device)


@pytest.mark.parametrize("seed", [31, 32])
def test_labels_equal_the_walks_on_noise(device: str, seed: int) -> None:
    for values in noise_fields(1000, seed):
        assert_labels_are_the_walks(values, device)


@pytest.mark.parametrize("shape", [(12, 11, 10), (2, 3, 50), (40, 41), (3, 100), (400,)])
@pytest.mark.parametrize("smooth", [False, True])
def test_labels_equal_the_walks_on_larger_fields(
    device: str, shape: tuple[int, ...], smooth: bool
) -> None:
    values = np.random.default_rng(33).random(shape)
    if smooth:  # long V-paths
        axes = np.meshgrid(*[np.linspace(0, 6, n) for n in shape], indexing="ij")
        values = 0.05 * values + np.prod([np.cos(axis) for axis in axes], axis=0)
    assert_labels_are_the_walks(values, device)


def test_each_segmentation_is_right_when_it_is_the_only_one_asked_for(device: str) -> None:
    values = np.random.default_rng(34).integers(0, 5, (6, 7, 8))
    together = sx.morse_smale(values, device=device)
    kinds = ("descending", "ascending", "morse_smale")
    kept = {kind: sx.to_host(together.segmentation(kind)) for kind in kinds}
    for kind in kinds:
        alone = sx.morse_smale(values, device=device).segmentation(kind)
        np.testing.assert_array_equal(sx.to_host(alone), kept[kind])
    alone = sx.morse_smale(values, device=device)
    np.testing.assert_array_equal(
        sx.to_host(alone.manifold_sizes()), sx.to_host(together.manifold_sizes())
    )
    alone = sx.morse_smale(values, device=device)
    np.testing.assert_array_equal(
        sx.to_host(alone.cell_labels()), sx.to_host(together.cell_labels())
    )


def test_labels_number_the_extrema_in_the_order_of_the_critical_cells(device: str) -> None:
    values = np.random.default_rng(35).random((7, 8, 9))
    found = sx.morse_smale(values, device=device)
    vertices, index = sx.to_host(found.critical.vertex), sx.to_host(found.critical.index)
    minima = vertices[index == 0]
    descending = sx.to_host(found.segmentation("descending")).ravel()
    assert descending[minima].tolist() == list(range(len(minima)))
    tops = sx.to_host(found.cell_labels())
    z, y, x = np.unravel_index(
        sx.to_host(found.critical.cell_id)[index == 3], found.domain.doubled_shape
    )
    assert tops[z // 2, y // 2, x // 2].tolist() == list(range(found.critical.counts[3]))


def test_sizes_of_the_basins_add_up_to_the_vertices(device: str) -> None:
    values = np.random.default_rng(36).random((15, 16, 17))
    found = sx.morse_smale(values, device=device)
    sizes, index = sx.to_host(found.manifold_sizes()), sx.to_host(found.critical.index)
    outside = int((sx.to_host(found.segmentation("ascending")) == -1).sum())
    assert sizes[index == 0].sum() == values.size
    assert sizes[index == 3].sum() + outside == values.size
    assert not sizes[(index == 1) | (index == 2)].any()


def test_a_returned_array_is_the_callers_own_or_the_same_again(device: str) -> None:
    values = np.random.default_rng(37).random((4, 5, 6))
    found = sx.morse_smale(values, device=device)
    first = sx.to_host(found.segmentation("ascending")).copy()
    np.testing.assert_array_equal(sx.to_host(found.segmentation("ascending")), first)
