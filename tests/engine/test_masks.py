"""Masked images: all results are those of the subcomplex of the remaining cells."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from benchmarks.measure import cut_into
from engine.image_complexes import assert_complex_is_the_oracles
from oracles.cubical import MaskedGrid, cell_dimension
from oracles.everything import assert_same_bits, bars_of, everything
from oracles.fields import OPEN, TORUS, Field, Periods, noise_fields, periodic_noise
from oracles.lower_star import lower_star_gradient
from oracles.reduction import pairs_of

Masked = tuple[Field, dict[str, Any]]  # values, and how they are masked


def masked_noise(count: int, seed: int) -> Iterator[Masked]:
    """Small images full of ties: few voxels masked, or few left; half of them with hidden cells."""
    random = np.random.default_rng(seed)
    images = [(values, OPEN) for values in noise_fields(count // 2, seed)]
    for values, periodic in [*images, *periodic_noise(count - len(images), seed)]:
        mask = random.random(values.shape) < random.choice((0.95, 0.8, 0.5))
        mask.ravel()[random.integers(mask.size)] = True
        options: dict[str, Any] = {"mask": mask, "periodic": periodic}
        if random.random() < 0.5:
            cells = cells_of(values.shape, periodic)
            options["cell_mask"] = random.random(cells) < 0.8
            if not grid_of(values, **options).rank:
                options["cell_mask"][...] = True
        yield values, options


def cells_of(shape: tuple[int, ...], periodic: Periods) -> tuple[int, ...]:
    """The shape of the array of top cells."""
    wraps = periodic[::-1][3 - len(shape) :]
    return tuple(max(n - 1 + w, 1) for n, w in zip(shape, wraps, strict=True))


def grid_of(
    values: Field, mask: Any = None, cell_mask: Any = None, periodic: Periods = OPEN
) -> MaskedGrid:
    mask = np.ones(values.shape, bool) if mask is None else mask
    return MaskedGrid(values, mask, cell_mask, periodic)


def bars_of_all_cells(grid: MaskedGrid, values: Field) -> Counter[tuple[int, float, float]]:
    """By reducing the boundary matrix of the whole domain."""
    cells = sorted(grid.cells(), key=lambda c: (grid.key(c)[0], cell_dimension(c)))
    place = {cell: k for k, cell in enumerate(cells)}
    pairs, essential = pairs_of({k: [place[f] for f in grid.facets(c)] for c, k in place.items()})
    value = [float(values.ravel()[grid.point(grid.owner(c))]) for c in cells]
    index = [cell_dimension(c) for c in cells]
    found = Counter((index[k], value[k], math.inf) for k in essential)
    finite = Counter((index[a], value[a], value[b]) for a, b in pairs if value[a] < value[b])
    return found + finite


def test_every_part_of_a_masked_complex_equals_the_oracles(device):
    for values, options in masked_noise(120, seed=401):
        grid = grid_of(values, **options)
        gradient = lower_star_gradient(grid)
        found = sx.morse_smale(values, **options, device=device)
        assert_complex_is_the_oracles(found, gradient, values, f"{options} {values!r}")
        euler = sum((-1) ** cell_dimension(c) for c in grid.cells())
        assert found.critical.euler_characteristic == euler


def test_the_diagram_of_a_masked_image_is_that_of_all_its_cells(device):
    for values, options in masked_noise(120, seed=402):
        expected = bars_of_all_cells(grid_of(values, **options), values)
        assert bars_of(sx.persistence_diagram(values, **options, device=device)) == expected
        found = sx.morse_smale(values, **options, device=device)
        assert bars_of(found.pair().nonzero()) == expected


@pytest.mark.parametrize("shape", [(30,), (20, 21), (12, 13, 14)])
@pytest.mark.parametrize("periodic", [OPEN, TORUS])
@pytest.mark.parametrize("share", [0.98, 0.7, 0.3])
def test_diagrams_of_masked_images_equal_those_of_gudhi(device, shape, periodic, share):
    gudhi = pytest.importorskip("gudhi")
    random = np.random.default_rng(len(shape))
    values, mask = random.integers(0, 9, shape), random.random(shape) < share
    periods = periodic[: len(shape)]
    complex_ = gudhi.PeriodicCubicalComplex(
        vertices=np.where(mask, values.astype(float), np.inf), periodic_dimensions=periods
    )
    pairs = complex_.persistence(homology_coeff_field=2, min_persistence=0)
    expected = Counter((k, b, d) for k, (b, d) in pairs if b < d)  # inf: not in the domain
    found = sx.persistence_diagram(values, mask=mask, periodic=periods, device=device)
    assert bars_of(found) == expected


def test_thin_bridges_and_rings_have_their_betti_numbers(device):
    solid = np.zeros((7, 9, 20), bool)
    solid[1:6, 1:6, 1:6] = solid[1:6, 1:6, 12:17] = True
    solid[3, 3, 6:12] = True  # a bridge of edges
    solid[2, 2, 2] = False  # a void
    solid[2:5, 7, 3:9] = True
    solid[3, 7, 4:8] = False  # a ring of edges
    solid[0, 0, 19] = True  # a voxel
    values = np.random.default_rng(5).random(solid.shape)
    found = sx.morse_smale(values, mask=solid, device=device)
    essential = sx.to_host(found.pair().dimension)[sx.to_host(found.pair().is_essential)]
    assert np.bincount(essential).tolist() == [3, 1, 1]
    flat = sx.morse_smale(np.zeros(solid.shape), mask=solid, device=device).simplify(1.0)
    assert flat.critical.counts == (3, 1, 1, 0)


def test_no_cell_of_an_output_has_a_masked_vertex_at_any_level(device):
    random = np.random.default_rng(7)
    values, mask = random.random((9, 10, 11)), random.random((9, 10, 11)) < 0.9
    values[~mask] = np.nan
    domain = {grid.cell_id(c) for grid in [grid_of(values, mask)] for c in grid.cells()}
    raw = sx.morse_smale(values, nan="mask", device=device)
    for found in (raw, raw.simplify(0.3), raw.simplify(2.0)):
        parts = [found.critical, *(found.separatrices(1, k) for k in ("descending", "ascending"))]
        parts += [found.separatrices(1, "saddle")]
        parts += [found.separatrices(2, kind) for kind in ("descending", "ascending")]
        for part in parts:
            assert domain.issuperset(sx.to_host(part.cell_id).tolist())
        for kind in ("descending", "morse_smale"):
            np.testing.assert_array_equal(sx.to_host(found.segmentation(kind)) >= 0, mask)
        np.testing.assert_array_equal(np.isnan(sx.to_host(found.simplified_field().values)), ~mask)
        assert found.regions("descending").size.sum() == mask.sum()
        assert np.isfinite(sx.to_host(found.regions("morse_smale").maximum)).all()
    assert raw.simplify(1.0, relative=True).persistence == np.ptp(values[mask])


def test_the_simplified_field_has_exactly_the_extrema_of_its_level(device):
    for values, options in masked_noise(60, seed=404):
        for level in (1.0, 3.0):
            found = sx.morse_smale(values, **options, device=device).simplify(level)
            simple = found.simplified_field()
            again = sx.morse_smale(simple.values, order=simple.order, **options, device=device)
            for index in (0, found.domain.dimension):
                vertices = [
                    sx.to_host(c.critical.vertex)[c.critical.rows(index)] for c in (found, again)
                ]
                np.testing.assert_array_equal(*map(np.sort, vertices))


def test_voxels_that_are_masked_may_have_any_values(device):
    for dtype in ("float32", "float64", "int64", "uint8", "longdouble"):
        random = np.random.default_rng(11)
        values = random.integers(0, 50, (6, 7, 8)).astype(dtype)
        mask = random.random(values.shape) < 0.8
        other = values.copy()
        limits = np.finfo(dtype) if other.dtype.kind == "f" else np.iinfo(dtype)
        other[~mask] = random.choice([limits.min, limits.max], int((~mask).sum()))
        if other.dtype.kind == "f":
            other[~mask] = random.choice([np.nan, np.inf, -np.inf, -np.nan], int((~mask).sum()))
        for order in ("index", "plateau"):
            options = {"mask": mask, "order": order, "device": device}
            both = [everything(v, **options) for v in (values, other)]
            for arrays in both:  # the padding of long doubles is arbitrary
                arrays["critical.value"] = arrays["critical.value"].astype(float)
            assert_same_bits(*both)
            one, two = (sx.morse_smale(v, **options).simplify(20.0) for v in (values, other))
            assert one.critical.counts == two.critical.counts
            np.testing.assert_array_equal(*(sx.to_host(c.critical.cell_id) for c in (one, two)))


def test_masked_entries_of_a_numpy_array_are_not_valid(device):
    values = np.random.default_rng(14).random((5, 6))
    given = np.ma.masked_greater(values, 0.8)
    expected = everything(values, mask=values <= 0.8, device=device)
    assert_same_bits(expected, everything(given, device=device))
    with pytest.raises(sx.InputError, match="without masked entries"):
        sx.discrete_gradient(given, mask=values > 0.1, device=device)


def test_a_mask_without_excluded_points_does_not_change_results(device):
    values = np.random.default_rng(12).random((5, 6, 7))
    every = {"mask": np.ones(values.shape, bool), "cell_mask": np.ones((4, 5, 6), bool)}
    whole, masked = everything(values, device=device), everything(values, **every, device=device)
    assert_same_bits(whole, masked)
    assert_same_bits(whole, everything(values, nan="mask", device=device))


def test_plateaus_end_where_the_mask_does(device):
    values = np.zeros((1, 5, 9))
    values[0, :, 4], values[0, 0, 0], values[0, 4, 8] = 1.0, -1.0, -2.0
    mask = values != 1
    found = sx.morse_smale(values, mask=mask, order="plateau", device=device)
    assert found.critical.counts == (2, 0, 0, 0)


@pytest.mark.parametrize("number", [2, 3, 99])
def test_masked_images_in_slabs_have_the_same_bits(device, number):
    for values, options in masked_noise(30, seed=403):
        whole = everything(values, **options, device="cpu")
        with cut_into(number):
            assert_same_bits(whole, everything(values, **options, device=device))


def test_a_single_remaining_voxel_is_a_minimum(device):
    mask = np.zeros((4, 5, 6), bool)
    mask[1, 2, 3] = True
    found = sx.morse_smale(np.full(mask.shape, 7), mask=mask, device=device)
    assert found.critical.counts == (1, 0, 0, 0)
    assert bars_of(found.pair()) == {(0, 7.0, math.inf): 1}
    assert (sx.to_host(found.segmentation("descending")) == np.where(mask, 0, -1)).all()


@pytest.mark.parametrize(
    "options", [{"mask": np.zeros((3, 4), bool)}, {"cell_mask": np.zeros((2, 3), bool)}]
)
def test_a_mask_of_all_points_is_an_error(device, options):
    with pytest.raises(sx.InputError, match="All points of the image are masked"):
        sx.discrete_gradient(np.zeros((3, 4)), **options, device=device)
    with pytest.raises(sx.InputError, match="All points of the image are masked"):
        sx.discrete_gradient(np.full(3, np.nan), nan="mask", device=device)


def test_nan_is_an_error_that_names_the_mask(device):
    values = np.zeros((3, 4))
    values[1, 2] = np.nan
    for kind in ("float32", "longdouble"):
        with pytest.raises(sx.InputError) as caught:
            sx.discrete_gradient(values.astype(kind), device=device)
        reported = "values[1, 2] = nan (1 invalid value). Set nan='mask' to exclude NaN values."
        assert reported in str(caught.value)
    values[0, 0] = np.inf
    for options in ({"nan": "mask"}, {"mask": ~np.isnan(values)}):
        with pytest.raises(sx.InputError) as caught:
            sx.discrete_gradient(values, **options, device=device)
        reported = (
            "values[0, 0] = inf (1 invalid value). Mask these points or replace their values."
        )
        assert str(caught.value).endswith(reported)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"mask": np.ones((4, 3), bool)}, r"mask must be an array of bool of shape \(3, 4\)"),
        ({"mask": np.ones((3, 4))}, "got dtype float64"),
        ({"cell_mask": np.ones((3, 4), bool)}, r"cell_mask must be .* shape \(2, 3\)"),
        ({"nan": "zero"}, "nan must be 'error' or 'mask'"),
    ],
)
def test_masks_of_another_kind_are_rejected(options, text):
    with pytest.raises(sx.InputError, match=text):
        sx.discrete_gradient(np.zeros((3, 4)), **options, device="cpu")


def test_a_mask_is_not_for_meshes():
    mesh = sx.TriangleMesh(np.eye(3), [[0, 1, 2]])
    for options in ({"mask": np.ones(3, bool)}, {"nan": "mask"}):
        with pytest.raises(sx.InputError, match="must be omitted with a mesh"):
            sx.discrete_gradient(np.zeros(3), domain=mesh, **options)
