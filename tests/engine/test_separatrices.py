"""1-separatrices equal the oracle's paths, cell by cell, from saddle to extremum or outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.cubical import CubicalGrid
from oracles.fields import Field, any_small_fields, many, noise_fields
from oracles.lower_star import lower_star_gradient
from oracles.walks import ascending_separatrices, descending_separatrices

Line = tuple[int, int, tuple[int, ...]]  # source row, destination row or -1, cell ids


def lines_of(separatrices: Any) -> list[Line]:
    """The engine's polylines, sorted."""
    cells, offsets = sx.to_host(separatrices.cell_id).tolist(), sx.to_host(separatrices.offsets)
    ends = zip(
        sx.to_host(separatrices.source).tolist(),
        sx.to_host(separatrices.destination).tolist(),
        strict=True,
    )
    runs = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    return sorted((s, d, tuple(cells[a:b])) for (s, d), (a, b) in zip(ends, runs, strict=True))


def expected_lines(values: Field, kind: str) -> list[Line]:
    """The oracle's paths, sorted. A line (one axis) has descending ones only."""
    gradient = lower_star_gradient(CubicalGrid(values))
    grid = gradient.grid
    row = {cell: k for k, cell in enumerate(gradient.critical)}
    if kind == "descending":
        paths = descending_separatrices(gradient)
    else:
        paths = ascending_separatrices(gradient) if grid.dimension > 1 else []
    ends = [row[p[-1]] if p[-1] in row and len(p) > 1 else -1 for p in paths]
    ids = [tuple(grid.cell_id(c) for c in p) for p in paths]
    return sorted((row[p[0]], end, cells) for p, end, cells in zip(paths, ends, ids, strict=True))


def assert_lines_are_the_oracles(values: Field, device: str) -> None:
    found = sx.morse_smale(values, device=device)
    for kind in ("descending", "ascending"):
        lines = lines_of(found.separatrices(1, kind))
        assert lines == expected_lines(values, kind), f"{kind} of {values!r}"


@many(500)
@given(any_small_fields())
def test_lines_equal_the_oracles_paths_on_drawn_fields(device: str, values: Field) -> None:
    assert_lines_are_the_oracles(values, device)


@pytest.mark.parametrize("seed", [41, 42])
def test_lines_equal_the_oracles_paths_on_noise(device: str, seed: int) -> None:
    for values in noise_fields(800, seed, axes=(1, 2, 2, 3, 3)):
        assert_lines_are_the_oracles(values, device)


@pytest.mark.parametrize("shape", [(11, 10, 12), (2, 3, 50), (40, 41), (1, 30, 30), (30, 1, 30)])
def test_lines_equal_the_oracles_paths_on_larger_fields(
    device: str, shape: tuple[int, ...]
) -> None:
    noise = np.random.default_rng(43).random(shape)
    axes = np.meshgrid(*[np.linspace(0, 6, n) for n in shape], indexing="ij")
    smooth = 0.05 * noise + np.prod([np.cos(axis) for axis in axes], axis=0)
    assert_lines_are_the_oracles(noise, device)
    assert_lines_are_the_oracles(smooth, device)


def test_every_saddle_has_two_lines_of_each_kind_that_starts_there(device: str) -> None:
    found = sx.morse_smale(np.random.default_rng(44).random((9, 9, 9)), device=device)
    _, c1, c2, _ = found.critical.counts
    index = sx.to_host(found.critical.index)
    for kind, count, saddle in (("descending", c1, 1), ("ascending", c2, 2)):
        source = sx.to_host(found.separatrices(1, kind).source)
        assert np.bincount(source, minlength=index.size)[index == saddle].tolist() == [2] * count


def test_points_and_dimensions_are_those_of_the_cells(device: str) -> None:
    values = np.random.default_rng(45).random((6, 7, 8))
    found = sx.morse_smale(values, spacing=(0.5, 1.0, 2.0), origin=(1.0, 2.0, 3.0), device=device)
    for kind in ("descending", "ascending"):
        lines = found.separatrices(1, kind)
        cells = sx.to_host(lines.cell_id)
        z, y, x = np.unravel_index(cells, found.domain.doubled_shape)
        expected = np.stack([1 + x * 0.25, 2 + y * 0.5, 3 + z * 1.0], axis=1)
        np.testing.assert_array_equal(sx.to_host(lines.points), expected)
        dimensions = (x % 2 + y % 2 + z % 2).astype(np.int8)
        np.testing.assert_array_equal(sx.to_host(lines.cell_dimension), dimensions)


def test_the_tables_have_the_promised_dtypes_and_lengths(device: str) -> None:
    found = sx.morse_smale(np.random.default_rng(46).random((5, 5, 5)), device=device)
    lines = found.separatrices(1, "ascending")
    dtypes = [
        (lines.points.dtype, np.float64),
        (lines.cell_id.dtype, np.int64),
        (lines.cell_dimension.dtype, np.int8),
        (lines.offsets.dtype, np.int64),
        (lines.source.dtype, np.int64),
        (lines.destination.dtype, np.int64),
    ]
    assert all(found == expected for found, expected in dtypes)
    offsets = sx.to_host(lines.offsets)
    assert offsets[0] == 0
    assert offsets[-1] == len(lines.cell_id) == len(lines.points) == len(lines.cell_dimension)
    assert len(offsets) - 1 == len(lines.source) == len(lines.destination)
    assert (np.diff(offsets) > 0).all()


@pytest.mark.parametrize("shape", [(1,), (1, 1, 1), (5,), (4, 4), (3, 3, 3)])
def test_a_field_without_saddles_has_no_lines(device: str, shape: tuple[int, ...]) -> None:
    found = sx.morse_smale(np.arange(np.prod(shape)).reshape(shape), device=device)
    for kind in ("descending", "ascending"):
        lines = found.separatrices(1, kind)
        assert lines.points.shape == (0, 3)
        assert sx.to_host(lines.offsets).tolist() == [0]
        assert len(lines.source) == 0


def test_a_saddle_in_the_boundary_leaves_the_box_at_once(device: str) -> None:
    # Minima in opposite corners of a square: the saddle is the edge x = 1 (doubled 2, 1: id 5).
    lines = lines_of(
        sx.morse_smale(np.array([[0, 2], [3, 1]]), device=device).separatrices(1, "ascending")
    )
    assert lines == [(2, -1, (5,)), (2, -1, (5, 4, 7))]
