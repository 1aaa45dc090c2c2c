"""A complex at a level equals explicit reversal of V-paths, one cancellation after the other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

import separatrix as sx
from oracles.cubical import cell_dimension
from oracles.fields import Field, any_small_fields, many, noise_fields
from oracles.lower_star import Gradient, image_gradient
from oracles.simplification import Cancellation, at_level_of, cancellations, cancelled_pairs
from oracles.walks import (
    manifold_sizes,
    maximum_labels,
    minimum_labels,
    morse_smale_labels,
    top_cell_labels,
)


def levels_of(pairs: list[Cancellation]) -> list[float]:
    """Levels just past every third of the pairs, and one past all of them."""
    found = sorted({pair.persistence for pair in pairs})
    return [level + 0.5 for level in [*found[::3], *found[-1:]]] or [1.0]


def assert_levels_are_reversals(values: Field, device: str) -> None:
    """At some levels: codes, critical cells and all labels."""
    gradient = image_gradient(values)
    grid = gradient.grid
    raw = sx.morse_smale(values, device=device)
    pairs = cancellations(gradient, values)
    for level in levels_of(pairs):
        found = raw.simplify(level)
        expected = at_level_of(found, gradient)
        assert sx.to_host(found.critical.cell_id).tolist() == [
            grid.cell_id(c) for c in expected.critical
        ]
        extremal = (0, grid.dimension)
        gone = [p for p in pairs if p.persistence < level]
        assert not any(
            c in expected.critical
            for p in gone
            for c in (p.upper, p.lower)
            if cell_dimension(c) in extremal
        )
        assert_same_complex(found, expected, f"level {level} of {values!r}")


def assert_same_complex(found: Any, expected: Gradient, which: str) -> None:
    """Codes and labels of a complex are those of a gradient of the oracle."""
    labels = {
        "descending": minimum_labels(expected),
        "ascending": maximum_labels(expected),
        "morse_smale": morse_smale_labels(expected),
    }
    for kind, right in labels.items():
        assert sx.to_host(found.segmentation(kind)).ravel().tolist() == right, f"{kind}, {which}"
    tops = sx.to_host(found.cell_labels()).ravel().tolist()
    assert tops == list(top_cell_labels(expected).values()), which
    assert sx.to_host(found.manifold_sizes()).tolist() == manifold_sizes(expected), which
    assert sx.to_host(found.gradient.codes()).ravel().tolist() == expected.codes(), which
    assert found.critical.euler_characteristic == 1


@many(60)
@given(any_small_fields())
def test_levels_equal_explicit_reversal_on_drawn_fields(device: str, values: Field) -> None:
    assert_levels_are_reversals(values, device)


@pytest.mark.parametrize("seed", [311, 312])
def test_levels_equal_explicit_reversal_on_noise(device: str, seed: int) -> None:
    for values in noise_fields(60, seed):
        assert_levels_are_reversals(values, device)


def test_events_are_the_pairs_by_persistence_dimension_and_order(device: str) -> None:
    for values in noise_fields(120, 313):
        gradient = image_gradient(values)
        extremal = (0, gradient.grid.dimension)
        expected = [
            (p.upper, p.lower)
            for p in cancellations(gradient, values)
            if cell_dimension(p.upper) in extremal or cell_dimension(p.lower) in extremal
        ]
        found = cancelled_pairs(
            sx.morse_smale(values, persistence=0.5, device=device), gradient.grid
        )
        chosen = [
            (upper, lower)
            for upper, lower in found
            if cell_dimension(upper) in extremal or cell_dimension(lower) in extremal
        ]
        assert chosen == expected, f"{values!r}"
