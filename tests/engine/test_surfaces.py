"""2-separatrices equal the oracle's surfaces: which cells, of which saddle, with which corners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles import surfaces as oracle
from oracles.everything import SURFACE_COLUMNS, assert_same_bits, quadrilaterals_of
from oracles.fields import (
    OPEN,
    Field,
    Periods,
    many,
    noise_fields,
    periodic_noise,
    rough_and_smooth,
    small_fields,
)
from oracles.lower_star import image_gradient

KINDS = ("descending", "ascending")


def polygons_of(surfaces: Any) -> list[tuple[int, int, tuple[int, ...]]]:
    """The engine's polygons, sorted: row of the saddle, id of the square or edge, corners."""
    corners = sx.to_host(surfaces.cell_id)[quadrilaterals_of(surfaces)]
    assert (np.diff(sx.to_host(surfaces.source)) >= 0).all()
    return sorted(
        (source, cell, tuple(sorted(ids)))
        for source, cell, ids in zip(
            sx.to_host(surfaces.source).tolist(),
            sx.to_host(surfaces.polygon_cell_id).tolist(),
            corners.tolist(),
            strict=True,
        )
    )


def assert_surfaces_are_the_oracles(values: Field, device: str, periodic: Periods = OPEN) -> None:
    gradient = image_gradient(values, periodic)
    if gradient.grid.dimension < 3:
        return
    found = sx.morse_smale(values, periodic=periodic, device=device)
    for kind in KINDS:
        polygons = polygons_of(found.separatrices(2, kind))
        assert polygons == oracle.polygons_of(gradient, kind), f"{kind} {periodic} {values!r}"


@many(200)
@given(small_fields(3, 4))
def test_surfaces_equal_the_oracles_on_drawn_fields(device: str, values: Field) -> None:
    assert_surfaces_are_the_oracles(values, device)


def test_surfaces_equal_the_oracles_on_noise(device: str) -> None:
    for values in noise_fields(400, seed=141, axes=(3,)):
        assert_surfaces_are_the_oracles(values, device)
    for values, periodic in periodic_noise(100, seed=211):
        assert_surfaces_are_the_oracles(values, device, periodic)


@pytest.mark.parametrize("shape", [(11, 10, 12), (2, 3, 50), (20, 20, 2), (16, 16, 16)])
def test_surfaces_equal_the_oracles_on_larger_fields(device: str, shape: tuple[int, ...]) -> None:
    for values in rough_and_smooth(shape, 142, noise=0.02)[:2]:
        assert_surfaces_are_the_oracles(values, device)


@pytest.mark.parametrize("kind", KINDS)
def test_polygons_go_round_their_corners_and_share_points(device: str, kind: str) -> None:
    values = np.random.default_rng(143).random((7, 8, 9))
    found = sx.morse_smale(values, spacing=(0.5, 1, 2), origin=(1, 2, 3), device=device)
    surfaces = found.separatrices(2, kind)
    cells, polygons = sx.to_host(surfaces.cell_id), quadrilaterals_of(surfaces)
    assert len(np.unique(cells)) == len(cells)
    assert np.unique(polygons).tolist() == list(range(len(cells)))
    place = np.stack(np.unravel_index(cells, found.domain.doubled_shape), axis=1)
    corners = place[polygons]
    sides = np.roll(corners, -1, axis=1) - corners
    assert ((sides != 0).sum(axis=2) == 1).all()  # each side along one axis: no bow-ties
    np.testing.assert_array_equal(
        sx.to_host(surfaces.points), (1, 2, 3) + place[:, ::-1] * (0.25, 0.5, 1.0)
    )
    np.testing.assert_array_equal(sx.to_host(surfaces.cell_dimension), (place % 2).sum(axis=1))


@pytest.mark.parametrize("kind", KINDS)
def test_a_volume_without_saddles_has_no_surfaces(device: str, kind: str) -> None:
    found = sx.morse_smale(np.arange(60.0).reshape(3, 4, 5), device=device)
    surfaces = found.separatrices(2, kind)
    assert surfaces.points.shape == (0, 3)
    assert quadrilaterals_of(surfaces).shape == (0, 4)
    assert len(surfaces.source) == 0


@pytest.mark.parametrize("shape", [(1,), (5,), (4, 5), (1, 4, 5), (4, 1, 5), (4, 5, 1)])
def test_surfaces_of_what_is_no_volume_are_refused(device: str, shape: tuple[int, ...]) -> None:
    found = sx.morse_smale(np.zeros(shape), device=device)
    with pytest.raises(sx.InputError, match="dimension must be 1, or 2 for a volume"):
        found.separatrices(2, "ascending")


def test_surfaces_do_not_depend_on_the_sizes_of_buffers(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = sx.morse_smale(np.random.default_rng(9).random((8, 8, 8)), device=device)
    row = found.critical.rows(2).start
    every = found.separatrices(2, "descending")
    monkeypatch.setattr("separatrix.morse.frontier.MAX_SLOTS", 1)
    halves = found.separatrices(2, "descending", sources=[*range(row, found.critical.rows(2).stop)])
    assert found.critical.counts[2] > 3
    both = [
        {name: sx.to_host(getattr(some, name)) for name in SURFACE_COLUMNS}
        for some in (halves, every)
    ]
    assert_same_bits(*both)
