"""Connectors as lines: the cells of all V-paths between two saddles, each once, and in order."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.connectors import connector_cells, v_paths
from oracles.cubical import CubicalGrid
from oracles.everything import LINE_COLUMNS, assert_same_bits
from oracles.fields import Field, many, noise_fields, small_fields
from oracles.lower_star import lower_star_gradient
from separatrix.morse.connectors.table import Connectors, trace_connectors
from separatrix.morse.separatrices import lines_of_connectors


def drawn(values: Field, **options: Any) -> tuple[sx.DiscreteGradient, Connectors, Any]:
    gradient = sx.discrete_gradient(values, **options)
    with gradient.session.call(None, {}):
        connectors = trace_connectors(gradient)
        polylines, numbers = gradient.draw_connectors(connectors)
        return gradient, connectors, lines_of_connectors(gradient, polylines, connectors, numbers)


def pieces_of(lines: Any) -> list[list[int]]:
    """Cell ids of each line."""
    cells, offsets = sx.to_host(lines.cell_id), sx.to_host(lines.offsets)
    return [line.tolist() for line in np.split(cells, offsets[1:-1])] if len(offsets) > 1 else []


def assert_lines_are_the_oracles(values: Field, device: str) -> None:
    walked = lower_star_gradient(CubicalGrid(values))
    grid = walked.grid
    expected = connector_cells(walked)
    _, _, lines = drawn(values, device=device)
    number, pieces = sx.to_host(lines.separatrix).tolist(), pieces_of(lines)
    found: list[list[list[int]]] = [[] for _ in expected]
    for k, piece in zip(number, pieces, strict=True):
        found[k].append(piece)
    assert number == sorted(number)
    row = {cell: k for k, cell in enumerate(walked.critical)}
    squares = [c for c in walked.critical if sum(x % 2 for x in c) == 2]
    edges = [c for c in walked.critical if sum(x % 2 for x in c) == 1]
    source, destination = (sx.to_host(a) for a in (lines.source, lines.destination))
    for k, ((p, q), cells) in enumerate(sorted(expected.items())):
        here = np.flatnonzero(np.array(number) == k)
        assert set(source[here].tolist()) == {row[edges[q]]}
        assert set(destination[here].tolist()) == {row[squares[p]]}
        assert {c for piece in found[k] for c in piece} == set(map(grid.cell_id, cells))
        inner = Counter(c for piece in found[k] for c in piece[1:-1])
        ends = {c for piece in found[k] for c in (piece[0], piece[-1])}
        assert max(inner.values(), default=1) == 1
        assert not inner.keys() & ends
        # Steps up along the lines are the steps down along V-paths, each once.
        down = {
            (grid.cell_id(a), grid.cell_id(b))
            for path in v_paths(walked, squares[p])
            if path[-1] == edges[q]
            for a, b in pairwise(path)
        }
        up = Counter(pair for piece in found[k] for pair in zip(piece[1:], piece, strict=False))
        assert set(up) == down
        assert max(up.values()) == 1
        assert grid.cell_id(edges[q]) in {piece[0] for piece in found[k]}
        assert grid.cell_id(squares[p]) in {piece[-1] for piece in found[k]}


@many(150)
@given(small_fields(3, 4))
def test_lines_equal_the_oracles_on_drawn_fields(device: str, values: Field) -> None:
    if min(values.shape) > 1:
        assert_lines_are_the_oracles(values, device)


def test_lines_equal_the_oracles_on_noise(device: str) -> None:
    for values in noise_fields(300, seed=171, axes=(3,)):
        if min(values.shape) > 1:
            assert_lines_are_the_oracles(values, device)


@pytest.mark.parametrize("shape", [(9, 8, 10), (2, 3, 30), (12, 12, 2)])
def test_lines_equal_the_oracles_on_larger_fields(device: str, shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(172)
    axes = np.meshgrid(*[np.linspace(0, 6, n) for n in shape], indexing="ij")
    smooth = np.prod([np.cos(axis) for axis in axes], axis=0) + 0.02 * random.random(shape)
    for values in (random.random(shape), smooth, random.integers(0, 3, shape)):
        assert_lines_are_the_oracles(values, device)


def test_a_junction_parts_a_network_into_lines_that_share_it(device: str) -> None:
    # A network of several lines is found where there are several V-paths, and one line where one.
    _, connectors, lines = drawn(np.random.default_rng(173).random((12, 12, 12)), device=device)
    n_lines = np.bincount(sx.to_host(lines.separatrix), minlength=connectors.lower.size)
    paths = sx.to_host(connectors.multiplicity)
    assert (n_lines[paths == 1] == 1).all()
    assert (n_lines[paths > 1] > 1).all()
    assert (paths > 1).any()


def test_saddles_of_one_step_are_joined_by_a_line_of_two_points(device: str) -> None:
    gradient, _, lines = drawn(np.random.default_rng(174).random((9, 9, 9)), device=device)
    pieces = [piece for piece in pieces_of(lines) if len(piece) == 2]
    critical = set(sx.to_host(gradient.critical.cell_id).tolist())
    assert any(set(piece) <= critical for piece in pieces)


def test_points_lie_at_the_centers_of_the_cells(device: str) -> None:
    values = np.random.default_rng(175).random((7, 8, 9))
    gradient, _, lines = drawn(values, spacing=(0.5, 1, 2), origin=(1, 2, 3), device=device)
    cells = sx.to_host(lines.cell_id)
    place = np.stack(np.unravel_index(cells, gradient.grid.doubled_shape), axis=1)
    np.testing.assert_array_equal(
        sx.to_host(lines.points), (1, 2, 3) + place[:, ::-1] * (0.25, 0.5, 1.0)
    )
    np.testing.assert_array_equal(sx.to_host(lines.cell_dimension), (place % 2).sum(axis=1))


def columns_of(lines: Any) -> dict[str, Any]:
    return {name: sx.to_host(getattr(lines, name)) for name in LINE_COLUMNS}


def test_the_tables_of_lines_have_the_promised_dtypes(device: str) -> None:
    for values in (np.random.default_rng(176).random((6, 6, 6)), np.zeros((3, 3, 3)), np.eye(5)):
        found = columns_of(drawn(values, device=device)[2])
        dtypes = [np.float64, np.int64, np.int8, *[np.int64] * 4]
        assert [array.dtype for array in found.values()] == dtypes
        assert found["points"].shape == (len(found["cell_id"]), 3)
        assert found["offsets"][0] == 0
        assert found["offsets"][-1] == len(found["cell_id"])


def test_lines_drawn_in_halves_are_the_same(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(177).random((14, 14, 14))
    expected = columns_of(drawn(values, device=device)[2])
    monkeypatch.setattr("separatrix.morse.connectors.networks.MAX_CONNECTORS", 100)
    assert_same_bits(columns_of(drawn(values, device=device)[2]), expected)
    monkeypatch.undo()
    monkeypatch.setattr("separatrix.morse.frontier.MAX_SLOTS", 1 << 12)
    assert_same_bits(columns_of(drawn(values, device=device)[2]), expected)


def line_fields() -> list[Field]:
    random = np.random.default_rng(178)
    z, y, x = np.mgrid[0:6:30j, 0:6:32j, 0:6:34j]
    smooth = np.sin(x) * np.cos(y) * np.sin(z + 1) + 0.02 * random.random(x.shape)
    return [random.random((30, 30, 30)), random.integers(0, 3, (30, 30, 30)), smooth]


@pytest.mark.parametrize("threads", [2, 5])
def test_lines_have_the_same_bits_with_any_number_of_threads(threads: int) -> None:
    for values in line_fields():
        one = columns_of(drawn(values, device="cpu", threads=1)[2])
        assert_same_bits(columns_of(drawn(values, device="cpu", threads=threads)[2]), one)


@pytest.mark.gpu
def test_both_devices_draw_the_same_connectors(cuda: str) -> None:
    for values in line_fields():
        expected = columns_of(drawn(values, device="cpu")[2])
        assert_same_bits(columns_of(drawn(values, device=cuda)[2]), expected)
