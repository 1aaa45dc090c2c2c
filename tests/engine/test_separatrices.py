"""1-separatrices equal the oracle's paths, cell by cell, from saddle to extremum or outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles import walks
from oracles.fields import (
    OPEN,
    Field,
    Periods,
    any_small_fields,
    many,
    noise_fields,
    periodic_noise,
    rough_and_smooth,
)
from oracles.lower_star import image_gradient

KINDS = ("descending", "ascending")


def lines_of(separatrices: Any) -> list[tuple[int, int, tuple[int, ...]]]:
    """The engine's polylines, sorted: source row, destination row or -1, cell ids."""
    cells, offsets = sx.to_host(separatrices.cell_id).tolist(), sx.to_host(separatrices.offsets)
    ends = zip(
        sx.to_host(separatrices.source).tolist(),
        sx.to_host(separatrices.destination).tolist(),
        strict=True,
    )
    runs = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    return sorted((s, d, tuple(cells[a:b])) for (s, d), (a, b) in zip(ends, runs, strict=True))


def assert_lines_are_the_oracles(values: Field, device: str, periodic: Periods = OPEN) -> None:
    gradient = image_gradient(values, periodic)
    found = sx.morse_smale(values, periodic=periodic, device=device)
    for kind in KINDS:
        lines = lines_of(found.separatrices(1, kind))
        assert lines == walks.lines_of(gradient, kind), f"{kind} {periodic} {values!r}"


@many(300)
@given(any_small_fields())
def test_lines_equal_the_oracles_paths_on_drawn_fields(device: str, values: Field) -> None:
    assert_lines_are_the_oracles(values, device)


def test_lines_equal_the_oracles_paths_on_noise(device: str) -> None:
    for values in noise_fields(400, seed=41, axes=(1, 2, 2, 3, 3)):
        assert_lines_are_the_oracles(values, device)
    for values, periodic in periodic_noise(140, seed=208):
        assert_lines_are_the_oracles(values, device, periodic)


@pytest.mark.parametrize("shape", [(11, 10, 12), (2, 3, 50), (40, 41), (1, 30, 30), (30, 1, 30)])
def test_lines_equal_the_oracles_paths_on_larger_fields(
    device: str, shape: tuple[int, ...]
) -> None:
    for values in rough_and_smooth(shape, 43)[:2]:
        assert_lines_are_the_oracles(values, device)


def test_points_and_dimensions_are_those_of_the_cells(device: str) -> None:
    values = np.random.default_rng(45).random((6, 7, 8))
    found = sx.morse_smale(values, spacing=(0.5, 1.0, 2.0), origin=(1.0, 2.0, 3.0), device=device)
    for kind in (*KINDS, "saddle"):
        lines = found.separatrices(1, kind)
        cells = sx.to_host(lines.cell_id)
        assert sx.to_host(lines.offsets)[[0, -1]].tolist() == [0, len(cells)]
        z, y, x = np.unravel_index(cells, found.domain.doubled_shape)
        expected = np.stack([1 + x * 0.25, 2 + y * 0.5, 3 + z * 1.0], axis=1)
        np.testing.assert_array_equal(sx.to_host(lines.points), expected)
        dimensions = (x % 2 + y % 2 + z % 2).astype(np.int8)
        np.testing.assert_array_equal(sx.to_host(lines.cell_dimension), dimensions)


@pytest.mark.parametrize("shape", [(1,), (1, 1, 1), (5,), (4, 4), (3, 3, 3)])
def test_a_field_without_saddles_has_no_lines(device: str, shape: tuple[int, ...]) -> None:
    found = sx.morse_smale(np.arange(np.prod(shape)).reshape(shape), device=device)
    for kind in ("descending", "ascending"):
        lines = found.separatrices(1, kind)
        assert lines.points.shape == (0, 3)
        assert sx.to_host(lines.offsets).tolist() == [0]
        assert len(lines.source) == 0
