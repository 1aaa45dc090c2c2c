"""Periodic axes: results do not depend on the seam, and counts are those of products of circles.

Tests of gradients, segmentations, lines and surfaces compare periodic images with the oracles.
"""

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import quadrilaterals_of
from oracles.fields import EVERY_MIX, OPEN, TORUS
from oracles.lower_star import image_gradient

KINDS = ("descending", "ascending")


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
def test_negative_and_wide_values_tie_across_the_seam_as_in_the_oracle(device, dtype):
    random = np.random.default_rng(203)
    for _ in range(20):
        values = random.integers(0, 3, (3, 4, 5)).astype(dtype)
        if np.dtype(dtype).kind == "f":
            values[values == 0] = random.choice((0.0, -0.0), int((values == 0).sum()))
        codes = sx.discrete_gradient(values, periodic=TORUS, device=device).codes()
        assert sx.to_host(codes).ravel().tolist() == image_gradient(values, TORUS).codes()


@pytest.mark.parametrize("periodic", [TORUS, (True, False, True), (False, True, False)])
def test_lines_go_on_beyond_the_box_without_a_jump(device, periodic):
    values = np.random.default_rng(209).random((7, 8, 9))
    spacing, origin = (0.5, 1.0, 2.0), (10.0, 20.0, 30.0)
    found = sx.morse_smale(values, spacing=spacing, origin=origin, periodic=periodic, device=device)
    period = np.array(found.domain.dimensions) * spacing
    position = sx.to_host(found.critical.position)
    crossings = 0
    for kind in KINDS:
        lines = found.separatrices(1, kind)
        points, offsets = sx.to_host(lines.points), sx.to_host(lines.offsets)
        steps = np.delete(np.diff(points, axis=0) / spacing, offsets[1:-1] - 1, axis=0)
        assert (np.sort(abs(steps), axis=1) == (0, 0, 0.5)).all()
        np.testing.assert_array_equal(points[offsets[:-1]], position[sx.to_host(lines.source)])
        arrives = sx.to_host(lines.destination) >= 0
        ends, extrema = points[offsets[1:] - 1], position[sx.to_host(lines.destination)]
        turns = (ends - extrema)[arrives] / period
        assert (turns == turns.round()).all()
        assert not turns[:, ~np.array(periodic)].any()
        crossings += np.count_nonzero(turns)
        canonical = sx.to_host(found.domain.positions(lines.cell_id))
        assert (((points - canonical) / period) % 1 == 0).all()
    assert crossings > 10


def test_arrows_across_the_seam_are_as_short_as_all_others(device):
    gradient = sx.discrete_gradient(
        np.random.default_rng(210).random((5, 6, 7)), periodic=TORUS, device=device
    )
    arrows, codes = gradient.arrows(), sx.to_host(gradient.codes())
    assert len(arrows.tail) * 2 + len(gradient.critical) == codes.size
    assert (np.sort(abs(sx.to_host(arrows.vector)), axis=1) == (0, 0, 0.5)).all()
    ids = np.concatenate([sx.to_host(arrows.tail_cell_id), sx.to_host(arrows.head_cell_id)])
    assert len(np.unique(ids)) == 2 * len(arrows.tail)


@pytest.mark.parametrize("kind", KINDS)
def test_no_polygon_is_stretched_across_the_box(device, kind):
    values = np.random.default_rng(212).random((6, 7, 8))
    found = sx.morse_smale(values, periodic=(True, True, False), device=device)
    surfaces = found.separatrices(2, kind)
    points, polygons = sx.to_host(surfaces.points), quadrilaterals_of(surfaces)
    corners = points[polygons]
    sides = np.roll(corners, -1, axis=1) - corners
    assert ((sides != 0).sum(axis=2) == 1).all()
    assert abs(sides).max() == 1
    centers = sx.to_host(found.domain.positions(surfaces.polygon_cell_id))
    assert abs(corners - centers[:, None]).max() == 0.5
    period = np.array(found.domain.dimensions)
    canonical = sx.to_host(found.domain.positions(surfaces.cell_id))
    assert (((points - canonical) / period) % 1 == 0).all()
    assert np.unique(polygons).tolist() == list(range(len(points)))
    assert len(np.unique(points, axis=0)) == len(points)


@pytest.mark.parametrize("periodic", [OPEN, *EVERY_MIX])
def test_a_constant_field_has_the_betti_numbers_as_counts(device, periodic):
    # A product of circles and intervals: as many classes of each dimension as ways to pick circles.
    found = sx.morse_smale(np.zeros((5, 6, 7)), periodic=periodic, device=device)
    circles = sum(periodic)
    betti = {0: (1, 0, 0, 0), 1: (1, 1, 0, 0), 2: (1, 2, 1, 0), 3: (1, 3, 3, 1)}
    assert found.critical.counts == betti[circles]


@pytest.mark.parametrize("shift", [(1, 0, 0), (0, 3, 0), (0, 0, 5), (2, 4, 6)])
def test_rolling_a_torus_rolls_its_gradient(device, shift):
    values = np.random.default_rng(214).permutation(7 * 8 * 9).reshape(7, 8, 9)
    rolled = np.roll(values, shift, axis=(0, 1, 2))
    codes, codes_rolled = (
        sx.to_host(sx.discrete_gradient(v, periodic=TORUS, device=device).codes())
        for v in (values, rolled)
    )
    by_cells = tuple(2 * s for s in shift)
    np.testing.assert_array_equal(np.roll(codes, by_cells, axis=(0, 1, 2)), codes_rolled)


def test_images_and_lines_can_be_periodic(device):
    circle = sx.morse_smale([0, 2, 1, 3], periodic=(True,), device=device)
    assert circle.critical.counts == (2, 2, 0, 0)
    assert sx.to_host(circle.critical.position)[:, 0].tolist() == [0.0, 2.0, 1.5, 2.5]
    picture = sx.morse_smale(np.zeros((4, 5)), periodic=(True, True), device=device)
    assert picture.critical.counts == (1, 2, 1, 0)


@pytest.mark.parametrize("periodic", [[1], (True, False), np.array([1, 0, 0])])
def test_missing_axes_are_not_periodic(periodic):
    grid = sx.discrete_gradient(np.zeros((3, 3, 3)), periodic=periodic, device="cpu").domain
    assert grid.periodic == (True, False, False)


@pytest.mark.parametrize("periodic", [True, np.True_])
def test_one_boolean_applies_to_all_axes_longer_than_one(periodic):
    for shape, expected in (((3, 3, 3), (True,) * 3), ((4, 5), (True, True, False))):
        grid = sx.discrete_gradient(np.zeros(shape), periodic=periodic, device="cpu").domain
        assert grid.periodic == expected


@pytest.mark.parametrize(
    "periodic", ["x", ["yes"], (2, 0, 0), (True,) * 4, (), None, [[1], [1, 2]]]
)
def test_periods_that_are_not_booleans_are_rejected(periodic):
    with pytest.raises(sx.InputError, match="periodic must be up to three booleans in x, y"):
        sx.morse_smale(np.zeros((3, 3, 3)), periodic=periodic, device="cpu")


@pytest.mark.parametrize("axis", "xyz")
def test_a_last_layer_that_repeats_the_first_is_reported(device, axis):
    values, place = np.random.default_rng(210).random((6, 7, 8)), "zyx".index(axis)
    longer = np.concatenate([values, values.take([0], place)], axis=place)
    cut = ", ".join([":"] * place + [":-1"])
    for compute in (sx.discrete_gradient, sx.morse_smale, sx.persistence_diagram):
        with pytest.warns(UserWarning, match="have equal values") as warned:
            compute(longer, periodic=TORUS, device=device)
        assert len(warned) == 1
        assert warned[0].filename == __file__
        assert f"voxels along {axis} " in str(warned[0].message)
        assert str(warned[0].message).endswith(f"omit them: values[{cut}].")
    compute(longer, periodic=tuple(name != axis for name in "xyz"), device=device)
    nearly = longer.copy()
    nearly.flat[-1] += 1
    sx.discrete_gradient(nearly, periodic=TORUS, device=device)
    longer[(slice(None),) * place + ([0, -1],)] = 0.5  # which says nothing
    sx.discrete_gradient(longer, periodic=TORUS, device=device)


@pytest.mark.parametrize("shape", [(3, 3, 2), (3, 3, 1), (2,)])
def test_a_period_of_less_than_three_voxels_is_rejected(shape):
    text = f"periodic must be False for axes of fewer than 3 voxels.* x has {shape[-1]}"
    with pytest.raises(sx.InputError, match=text):
        sx.discrete_gradient(np.zeros(shape), periodic=(True, False, False), device="cpu")
