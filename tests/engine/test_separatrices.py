"""Lines and surfaces have the points of their cells; `test_image_complex.py` has the oracles."""

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import SURFACE_COLUMNS, assert_same_bits, quadrilaterals_of

KINDS = ("descending", "ascending")


def test_points_and_dimensions_are_those_of_the_cells(device):
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
def test_a_field_without_saddles_has_no_lines(device, shape):
    found = sx.morse_smale(np.arange(np.prod(shape)).reshape(shape), device=device)
    for kind in KINDS:
        lines = found.separatrices(1, kind)
        assert lines.points.shape == (0, 3)
        assert sx.to_host(lines.offsets).tolist() == [0]
        assert len(lines.source) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_polygons_go_round_their_corners_and_share_points(device, kind):
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
def test_a_volume_without_saddles_has_no_surfaces(device, kind):
    found = sx.morse_smale(np.arange(60.0).reshape(3, 4, 5), device=device)
    surfaces = found.separatrices(2, kind)
    assert surfaces.points.shape == (0, 3)
    assert quadrilaterals_of(surfaces).shape == (0, 4)
    assert len(surfaces.source) == 0


@pytest.mark.parametrize("shape", [(1,), (5,), (4, 5), (1, 4, 5), (4, 1, 5), (4, 5, 1)])
def test_surfaces_require_a_volume(device, shape):
    found = sx.morse_smale(np.zeros(shape), device=device)
    with pytest.raises(sx.InputError, match="dimension must be 1, or 2 for a volume"):
        found.separatrices(2, "ascending")


def test_surfaces_do_not_depend_on_the_sizes_of_buffers(device, monkeypatch):
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
