"""Periodic axes: every result equals the oracle's on the wrapped complex; nothing ends or jumps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.cubical import CubicalGrid, cell_dimension
from oracles.everything import assert_same_bits, everything, quadrilaterals_of
from oracles.fields import Field
from oracles.lower_star import Gradient, lower_star_gradient
from oracles.surfaces import (
    ascending_surfaces,
    corners_of_dual,
    corners_of_square,
    descending_surfaces,
)
from oracles.walks import (
    ascending_separatrices,
    descending_separatrices,
    manifold_sizes,
    maximum_labels,
    minimum_labels,
    morse_smale_labels,
    top_cell_labels,
)

Periods = tuple[bool, bool, bool]
KINDS = ("descending", "ascending")
TORUS = (True, True, True)
EVERY_MIX = [(bool(k & 1), bool(k & 2), bool(k & 4)) for k in range(1, 8)]


def periodic_noise(count: int, seed: int) -> Iterator[tuple[Field, Periods]]:
    """Small images of few values and which axes of theirs are periodic, at least one."""
    random = np.random.default_rng(seed)
    for k in range(count):
        px, py, pz = EVERY_MIX[k % 7]
        shape = tuple(
            int(random.integers(3, 7)) if wraps else int(random.integers(1, 5))
            for wraps in (pz, py, px)
        )
        levels = int(random.choice((2, 3, 5, 20, 1000)))
        yield random.integers(0, levels, shape, dtype=np.int16), (px, py, pz)


def oracle(values: Field, periodic: Periods) -> Gradient:
    return lower_star_gradient(CubicalGrid(values, periodic))


def assert_gradient_is_the_oracles(values: Field, periodic: Periods, device: str) -> None:
    expected = oracle(values, periodic)
    gradient = sx.discrete_gradient(values, periodic=periodic, device=device)
    codes = sx.to_host(gradient.codes())
    assert codes.shape == expected.grid.doubled[::-1] == gradient.grid.doubled_shape
    assert codes.ravel().tolist() == expected.codes(), f"{periodic} {values!r}"
    critical = [expected.grid.cell_id(cell) for cell in expected.critical]
    assert sx.to_host(gradient.critical.cell_id).tolist() == critical, f"{periodic} {values!r}"


def test_codes_and_critical_cells_equal_the_oracle_on_noise(device: str) -> None:
    for values, periodic in periodic_noise(300, seed=201):
        assert_gradient_is_the_oracles(values, periodic, device)


AROUND_TILES = [(6, 4, 34), (3, 11, 35), (3, 3, 67), (4, 18, 3), (11, 3, 3)]


@pytest.mark.parametrize("shape", AROUND_TILES)
def test_codes_equal_the_oracle_where_tiles_end_at_the_seam(
    device: str, shape: tuple[int, int, int]
) -> None:
    random = np.random.default_rng(202)
    for periodic, levels in ((TORUS, 3), (TORUS, 30_000), ((True, False, True), 5)):
        values = random.integers(0, levels, shape, dtype=np.int16)
        assert_gradient_is_the_oracles(values, periodic, device)


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
def test_negative_and_wide_values_tie_across_the_seam_as_the_oracle_says(
    device: str, dtype: str
) -> None:
    random = np.random.default_rng(203)
    for _ in range(20):
        values = random.integers(0, 3, (3, 4, 5)).astype(dtype)
        if np.dtype(dtype).kind == "f":
            values[values == 0] = random.choice((0.0, -0.0), int((values == 0).sum()))
        assert_gradient_is_the_oracles(values, TORUS, device)


def test_every_column_of_the_critical_cells_equals_the_oracle(device: str) -> None:
    for values, periodic in periodic_noise(120, seed=204):
        expected = oracle(values, periodic)
        grid, cells = expected.grid, expected.critical
        critical = sx.morse_smale(values, periodic=periodic, device=device).critical
        owners = [grid.point(grid.owner(c)) for c in cells]
        assert sx.to_host(critical.index).tolist() == [cell_dimension(c) for c in cells]
        assert sx.to_host(critical.vertex).tolist() == owners
        assert sx.to_host(critical.value).tolist() == values.ravel()[owners].tolist()
        assert sx.to_host(critical.on_boundary).tolist() == [grid.on_boundary(c) for c in cells]
        np.testing.assert_array_equal(sx.to_host(critical.position), np.array(cells) / 2)


def test_labels_and_sizes_equal_the_walks(device: str) -> None:
    for values, periodic in periodic_noise(140, seed=205):
        gradient = oracle(values, periodic)
        found = sx.morse_smale(values, periodic=periodic, device=device)
        labels = {kind: sx.to_host(found.segmentation(kind)) for kind in (*KINDS, "morse_smale")}
        where = f"{periodic} {values!r}"
        assert labels["descending"].ravel().tolist() == minimum_labels(gradient), where
        assert labels["ascending"].ravel().tolist() == maximum_labels(gradient), where
        assert labels["morse_smale"].ravel().tolist() == morse_smale_labels(gradient), where
        top = sx.to_host(found.cell_labels())
        lengths = zip(values.shape, periodic[::-1], strict=True)
        assert top.shape == tuple(max(n - 1 + wraps, 1) for n, wraps in lengths)
        assert top.ravel().tolist() == list(top_cell_labels(gradient).values()), where
        assert sx.to_host(found.manifold_sizes()).tolist() == manifold_sizes(gradient), where


def test_long_paths_through_many_tiles_and_seams_end_where_the_walks_end(device: str) -> None:
    random = np.random.default_rng(206)
    for shape in ((9, 10, 34), (3, 17, 66)):
        _, y, x = np.indices(shape)
        values = np.sin(2 * np.pi * (x / shape[2] + y / shape[1])) + 0.02 * random.random(shape)
        gradient = oracle(values, TORUS)
        found = sx.morse_smale(values, periodic=TORUS, device=device)
        down, up = (sx.to_host(found.segmentation(kind)).ravel() for kind in KINDS)
        assert down.tolist() == minimum_labels(gradient)
        assert up.tolist() == maximum_labels(gradient)


def test_nothing_is_outside_a_torus_nor_in_its_boundary(device: str) -> None:
    values = np.random.default_rng(207).random((9, 10, 11))
    found = sx.morse_smale(values, periodic=TORUS, device=device)
    assert not sx.to_host(found.critical.on_boundary).any()
    assert (sx.to_host(found.segmentation("ascending")) >= 0).all()
    assert (sx.to_host(found.cell_labels()) >= 0).all()
    assert (sx.to_host(found.separatrices(1, "ascending").destination) >= 0).all()


def lines_of(gradient: Gradient, kind: str) -> list[tuple[int, int, tuple[int, ...]]]:
    """The oracle's paths: source row, destination row or -1, cell ids; sorted."""
    grid = gradient.grid
    row = {cell: k for k, cell in enumerate(gradient.critical)}
    paths = []
    if kind == "descending":
        paths = descending_separatrices(gradient)
    elif grid.dimension > 1:
        paths = ascending_separatrices(gradient)
    ends = [row[p[-1]] if p[-1] in row and len(p) > 1 else -1 for p in paths]
    return sorted(
        (row[p[0]], end, tuple(map(grid.cell_id, p))) for p, end in zip(paths, ends, strict=True)
    )


def test_lines_pass_the_cells_of_the_oracles_paths(device: str) -> None:
    for values, periodic in periodic_noise(140, seed=208):
        gradient = oracle(values, periodic)
        found = sx.morse_smale(values, periodic=periodic, device=device)
        for kind in KINDS:
            lines = found.separatrices(1, kind)
            cells = np.split(sx.to_host(lines.cell_id), sx.to_host(lines.offsets)[1:-1])
            ends = zip(
                sx.to_host(lines.source).tolist(),
                sx.to_host(lines.destination).tolist(),
                cells,
                strict=False,  # without lines there is one empty run of cells
            )
            rows = sorted((s, d, tuple(c.tolist())) for s, d, c in ends)
            assert rows == lines_of(gradient, kind), f"{kind} {periodic} {values!r}"


@pytest.mark.parametrize("periodic", [TORUS, (True, False, True), (False, True, False)])
def test_lines_go_on_beyond_the_box_without_a_jump(device: str, periodic: Periods) -> None:
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


def test_arrows_across_the_seam_are_as_short_as_all_others(device: str) -> None:
    gradient = sx.discrete_gradient(
        np.random.default_rng(210).random((5, 6, 7)), periodic=TORUS, device=device
    )
    arrows, codes = gradient.arrows(), sx.to_host(gradient.codes())
    assert len(arrows.tail) * 2 + len(gradient.critical) == codes.size
    assert (np.sort(abs(sx.to_host(arrows.vector)), axis=1) == (0, 0, 0.5)).all()
    ids = np.concatenate([sx.to_host(arrows.tail_cell_id), sx.to_host(arrows.head_cell_id)])
    assert len(np.unique(ids)) == 2 * len(arrows.tail)


def test_surfaces_have_the_polygons_of_the_oracle(device: str) -> None:
    for values, periodic in periodic_noise(100, seed=211):
        if min(values.shape) == 1:
            continue
        gradient = oracle(values, periodic)
        grid = gradient.grid
        row = {cell: k for k, cell in enumerate(gradient.critical)}
        found = sx.morse_smale(values, periodic=periodic, device=device)
        for kind in KINDS:
            descending = kind == "descending"
            walked = (descending_surfaces if descending else ascending_surfaces)(gradient)
            corners = corners_of_square if descending else corners_of_dual
            expected = sorted(
                (row[s], grid.cell_id(c), tuple(sorted(map(grid.cell_id, corners(gradient, c)))))
                for s, cells in walked.items()
                for c in cells
            )
            assert polygons_of(found.separatrices(2, kind)) == expected, f"{periodic} {values!r}"


def polygons_of(surfaces: Any) -> list[tuple[int, int, tuple[int, ...]]]:
    corners = sx.to_host(surfaces.cell_id)[quadrilaterals_of(surfaces)].tolist()
    source, cell = sx.to_host(surfaces.source), sx.to_host(surfaces.polygon_cell_id)
    return sorted(
        (s, c, tuple(sorted(ids)))
        for s, c, ids in zip(source.tolist(), cell.tolist(), corners, strict=True)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_no_polygon_is_stretched_across_the_box(device: str, kind: str) -> None:
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


@pytest.mark.parametrize("periodic", EVERY_MIX)
def test_the_euler_characteristic_is_zero(device: str, periodic: Periods) -> None:
    random = np.random.default_rng(213)
    for values in (random.random((20, 21, 35)), random.integers(0, 3, (9, 40, 12))):
        found = sx.morse_smale(values, periodic=periodic, device=device)
        assert found.critical.euler_characteristic == found.domain.euler_characteristic == 0


@pytest.mark.parametrize("periodic", [(False, False, False), *EVERY_MIX])
def test_a_constant_field_has_the_betti_numbers_as_counts(device: str, periodic: Periods) -> None:
    # A product of circles and intervals: as many classes of each dimension as ways to pick circles.
    found = sx.morse_smale(np.zeros((5, 6, 7)), periodic=periodic, device=device)
    circles = sum(periodic)
    betti = {0: (1, 0, 0, 0), 1: (1, 1, 0, 0), 2: (1, 2, 1, 0), 3: (1, 3, 3, 1)}
    assert found.critical.counts == betti[circles]


@pytest.mark.parametrize("shift", [(1, 0, 0), (0, 3, 0), (0, 0, 5), (2, 4, 6)])
def test_rolling_a_torus_rolls_its_gradient(device: str, shift: tuple[int, int, int]) -> None:
    values = np.random.default_rng(214).permutation(7 * 8 * 9).reshape(7, 8, 9)
    rolled = np.roll(values, shift, axis=(0, 1, 2))
    codes, codes_rolled = (
        sx.to_host(sx.discrete_gradient(v, periodic=TORUS, device=device).codes())
        for v in (values, rolled)
    )
    by_cells = tuple(2 * s for s in shift)
    np.testing.assert_array_equal(np.roll(codes, by_cells, axis=(0, 1, 2)), codes_rolled)


@pytest.mark.parametrize("periodic", EVERY_MIX)
def test_critical_cells_are_gudhis_births_and_deaths(device: str, periodic: Periods) -> None:
    gudhi = pytest.importorskip("gudhi")
    random = np.random.default_rng(215)
    for values in (random.random((8, 9, 10)), random.integers(0, 4, (8, 9, 10))):
        rank = np.empty(values.size, np.int64)
        rank[np.argsort(values, axis=None, kind="stable")] = np.arange(values.size)
        peer = gudhi.PeriodicCubicalComplex(
            vertices=rank.reshape(values.shape).astype(float),
            periodic_dimensions=list(periodic[::-1]),
        )
        events: Counter[tuple[int, int]] = Counter()
        for dimension, (birth, death) in peer.persistence(2, 0):
            events[dimension, int(birth)] += 1
            if np.isfinite(death):
                events[dimension + 1, int(death)] += 1
        critical = sx.discrete_gradient(values, periodic=periodic, device=device).critical
        owners = rank[sx.to_host(critical.vertex)]
        index = sx.to_host(critical.index)
        assert Counter(zip(index.tolist(), owners.tolist(), strict=True)) == events


def test_pictures_and_lines_may_be_periodic_too(device: str) -> None:
    circle = sx.morse_smale([0, 2, 1, 3], periodic=(True,), device=device)
    assert circle.critical.counts == (2, 2, 0, 0)
    assert sx.to_host(circle.critical.position)[:, 0].tolist() == [0.0, 2.0, 1.5, 2.5]
    picture = sx.morse_smale(np.zeros((4, 5)), periodic=(True, True), device=device)
    assert picture.critical.counts == (1, 2, 1, 0)


@pytest.mark.parametrize("periodic", [[1], (True, False), np.array([1, 0, 0])])
def test_missing_axes_are_not_periodic(periodic: Any) -> None:
    grid = sx.discrete_gradient(np.zeros((3, 3, 3)), periodic=periodic, device="cpu").grid
    assert grid.periodic == (True, False, False)


@pytest.mark.parametrize("periodic", [True, np.True_])
def test_one_truth_value_is_for_all_axes_that_have_an_extent(periodic: Any) -> None:
    for shape, expected in (((3, 3, 3), (True,) * 3), ((4, 5), (True, True, False))):
        grid = sx.discrete_gradient(np.zeros(shape), periodic=periodic, device="cpu").grid
        assert grid.periodic == expected


def test_one_spacing_is_for_all_axes() -> None:
    grid = sx.discrete_gradient(np.zeros((3, 3, 3)), spacing=0.5, device="cpu").grid
    assert grid.spacing == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    "periodic", ["x", ["yes"], (2, 0, 0), (True,) * 4, (), None, [[1], [1, 2]]]
)
def test_periods_that_are_no_truth_values_are_refused(periodic: Any) -> None:
    with pytest.raises(sx.InputError, match="periodic must be up to three truth values, by x, y"):
        sx.morse_smale(np.zeros((3, 3, 3)), periodic=periodic, device="cpu")


@pytest.mark.parametrize("shape", [(3, 3, 2), (3, 3, 1), (2,)])
def test_a_period_of_less_than_three_voxels_is_refused(shape: tuple[int, ...]) -> None:
    text = f"a periodic axis must have at least 3 voxels, x has {shape[-1]}"
    with pytest.raises(sx.InputError, match=text):
        sx.discrete_gradient(np.zeros(shape), periodic=(True, False, False), device="cpu")


def periodic_images() -> list[tuple[Field, Periods]]:
    random = np.random.default_rng(216)
    z, y, x = np.mgrid[0 : 2 * np.pi : 30j, 0 : 2 * np.pi : 34j, 0 : 2 * np.pi : 70j]
    smooth = (np.sin(x) * np.cos(y) * np.sin(z + 1) + 0.02 * random.random(x.shape)).astype("f4")
    return [
        (random.random((20, 33, 40)), TORUS),
        (random.integers(0, 3, (17, 18, 66), dtype=np.uint8), (True, False, True)),
        (smooth, TORUS),
        (random.integers(0, 9, (60, 70)), (True, True, False)),
    ]


@pytest.mark.parametrize("threads", [2, 5])
def test_periodic_results_have_the_same_bits_with_any_number_of_threads(threads: int) -> None:
    for values, periodic in periodic_images():
        one = everything(values, periodic=periodic, device="cpu", threads=1)
        more = everything(values, periodic=periodic, device="cpu", threads=threads)
        assert_same_bits(one, more)


@pytest.mark.gpu
def test_both_devices_agree_on_periodic_images(cuda: str) -> None:
    for values, periodic in [*periodic_images(), *periodic_noise(100, seed=217)]:
        on_cpu = everything(values, periodic=periodic, device="cpu")
        assert_same_bits(on_cpu, everything(values, periodic=periodic, device=cuda))
