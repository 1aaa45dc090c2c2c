"""Reductions over pairs against a dense oracle in float64."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.point_sets import mask_of, point_sets, random_pattern
from engine.rejections import assert_rejected
from oracles.pairs import FORMULAS, reduced
from oracles.point_sets import squared_distances

REDUCTIONS = ["sum", "min", "max", "argmin", "argmax", "logsumexp", "kmin", "argkmin", "count"]
REDUCTIONS += ["collect", "mean", "min_argmin", "max_argmax", "kmin_argkmin"]
TOLERANCE = {"float32": 2e-5, "float64": 1e-12}


def assert_agrees(found: Any, expected: Any, pairs: np.ndarray, dtype: str, what: str) -> None:
    """Equal up to rounding; indices may differ where rounding makes or breaks a tie."""
    if isinstance(expected, list):
        lists = np.split(sx.to_host(found.items), sx.to_host(found.offsets)[1:-1])
        assert [items.tolist() for items in lists] == expected
        return
    if isinstance(expected, tuple):
        for part, expected_part in zip(found, expected, strict=True):
            assert_agrees(part, expected_part, pairs, dtype, what)
        return
    found = sx.to_host(found)
    assert found.shape == expected.shape
    if found.dtype != np.int64:
        assert found.dtype == dtype
        np.testing.assert_allclose(
            found, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype], err_msg=what
        )
    elif "count" in what or dtype == "float64":
        np.testing.assert_array_equal(found, expected, err_msg=what)
    else:
        np.testing.assert_array_equal(found < 0, expected < 0, err_msg=what)
        rows = np.arange(len(found)).reshape(-1, *[1] * (found.ndim - 1))
        np.testing.assert_allclose(pairs[rows, found], pairs[rows, expected], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("formula", list(FORMULAS))
def test_every_reduction_of_every_formula_agrees_with_the_oracle(device, formula, dtype):
    x, y, _ = point_sets(dtype=dtype)
    function, named = FORMULAS[formula]
    pairs = function(squared_distances(x, y), **named)
    pattern = random_pattern(len(x), len(y), seed=3)
    mask = mask_of(pattern)
    assert 0 < mask.sum() < mask.size
    assert not mask.any(axis=1).all()
    for reduction in REDUCTIONS:
        k = 4 if "kmin" in reduction else None
        for axis in (1, 0):
            options = {"reduction": reduction, "k": k, "axis": axis}
            found = sx.reduce(
                formula, x, y, pattern=pattern, parameters=named, device=device, **options
            )
            own, own_mask = (pairs, mask) if axis == 1 else (pairs.T, mask.T)
            expected = reduced(own, own_mask, reduction, k or 1)
            assert_agrees(found, expected, own, dtype, f"{formula} {reduction} axis {axis}")


@pytest.mark.parametrize("axis", [1, 0])
def test_every_reduction_of_a_vector_is_that_of_its_components(device, axis):
    x, y, _ = point_sets(dtype="float64")
    pattern = random_pattern(len(x), len(y), seed=3)
    both = [squared_distances(x, y), x[:, None, 0] - 2 * y[None, :, 1]]
    for reduction in set(REDUCTIONS) - {"count", "collect"}:
        k = 3 if "kmin" in reduction else None
        options = {"reduction": reduction, "k": k, "axis": axis, "device": device}
        found = sx.reduce("concat(d2, x[0] - 2 * y[1])", x, y, pattern=pattern, **options)
        for e, pairs in enumerate(both):
            own, mask = (pairs, mask_of(pattern)) if axis == 1 else (pairs.T, mask_of(pattern).T)
            expected = reduced(own, mask, reduction, k or 1)
            part = tuple(a[:, e] for a in found) if isinstance(found, tuple) else found[:, e]
            assert_agrees(part, expected, own, "float64", reduction)


@pytest.mark.parametrize("n_dimensions", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("seed", range(3))
def test_any_number_of_dimensions(device, n_dimensions, seed):
    x, y, values = point_sets(n_dimensions, "float64", seed)
    pattern = random_pattern(len(x), len(y), seed)
    mask = mask_of(pattern)
    d2 = squared_distances(x, y)
    found = sx.reduce("gaussian", x, y, values, sigma=0.5, pattern=pattern, device=device)
    np.testing.assert_allclose(
        sx.to_host(found), (np.exp(-2 * d2) * mask) @ values, rtol=1e-11, atol=1e-11
    )
    nearest = sx.reduce("distance", x, y, reduction="argmin", pattern=pattern, device=device)
    np.testing.assert_array_equal(sx.to_host(nearest), reduced(d2, mask, "argmin"))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(
    "pairs", ["groups", "keops", "batches", "triangle", "box", "box of groups", "box of cells"]
)
def test_every_reduction_is_over_the_pairs_of_any_pattern(device, pairs, axis):
    n = 600 if pairs == "triangle" else 60  # several tiles on the diagonal
    x, y = np.random.default_rng(0).random((2, n, 3))
    dx, radius, pattern = x[:, None] - y, None, None
    if pairs in ("groups", "keops", "box of groups"):
        pattern = sx.BlockPattern.from_mask([0, 10, 30, 60], [0, 25, 60], [[0, 1], [2, 0]])
    elif pairs == "batches":
        pattern = sx.BlockPattern.block_diagonal([0, 20, 40, 60], [0, 10, 30, 60])
    elif pairs == "triangle":
        pattern = sx.BlockPattern.upper_triangle(n)
    mask = np.ones((n, n), bool) if pattern is None else pattern.to_dense()
    if "box" in pairs:
        dx, radius = dx - np.round(dx), 0.3
        mask &= (dx**2).sum(2) <= radius**2
    if pairs == "box of cells":
        pattern = sx.BlockPattern.from_cells(x, y, radius, boxsize=1, device=device)
    given = {"pattern": pattern.to_keops() if pairs == "keops" else pattern, "radius": radius}
    values = np.exp(-2 * (dx**2).sum(2))
    own, own_mask = (values, mask) if axis else (values.T, mask.T)
    for reduction in REDUCTIONS:
        for k in (1, 5, 64) if "kmin" in reduction else (None,):
            found = sx.reduce(
                "gaussian", x, y, sigma=0.5, reduction=reduction, k=k, axis=axis, **given,
                boxsize=1 if "box" in pairs else None, device=device,
            )  # fmt: skip
            expected = reduced(own, own_mask, reduction, k or 1)
            assert_agrees(found, expected, own, "float64", f"{pairs} {reduction}")


@pytest.mark.parametrize("n_columns", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("accumulate", [None, "float64", "compensated"])
def test_sums_of_vectors_of_values(device, n_columns, accumulate):
    x, y, _ = point_sets()
    values = np.random.default_rng(5).standard_normal((len(y), n_columns)).astype(np.float32)
    kernel = np.exp(-squared_distances(x, y) / (2 * 0.09))
    found = sx.reduce("gaussian", x, y, values, sigma=0.3, accumulate=accumulate, device=device)
    assert found.shape == (len(x), n_columns)
    np.testing.assert_allclose(sx.to_host(found), kernel @ values, rtol=3e-5, atol=3e-5)
    for column in range(n_columns):
        flat = sx.reduce(
            "gaussian", x, y, values[:, column], sigma=0.3, accumulate=accumulate, device=device
        )
        np.testing.assert_array_equal(sx.to_host(flat), sx.to_host(found)[:, column])


def test_a_mean_of_vectors_of_values_is_over_the_pairs(device):
    x, y, values = point_sets(2, "float64")
    d2 = squared_distances(x, y)
    mask = d2 <= 0.05**2
    options = {"reduction": "mean", "radius": 0.05, "device": device}
    found = sx.reduce("gaussian", x, y, values, sigma=0.1, accumulate="compensated", **options)
    count = mask.sum(1, keepdims=True)
    assert count.min() == 0 < count.max()
    with np.errstate(invalid="ignore"):
        expected = ((np.exp(-d2 / 0.02) * mask) @ values) / count
    np.testing.assert_allclose(sx.to_host(found), expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [1, 0])
@pytest.mark.parametrize("shape", [(), (1,), (5,)])
def test_values_weight_exponentials(device, axis, dtype, shape):
    x, y, _ = point_sets(2, dtype)
    pattern = random_pattern(len(x), len(y), seed=3)
    values = np.random.default_rng(0).random((len(y if axis == 1 else x), *shape)).astype(dtype)
    values[::3] = 0
    pairs = 300 - 40 * squared_distances(x, y)
    own, mask = (pairs, mask_of(pattern)) if axis == 1 else (pairs.T, mask_of(pattern).T)
    weights = np.exp(own - 300) * mask
    options = {"pattern": pattern, "axis": axis, "device": device, "parameters": (40.0,)}
    with np.errstate(all="ignore"):
        total = weights @ values.astype(float)
        count = weights.sum(1).reshape(-1, *[1] * len(shape))
        expected = {"logsumexp": 300 + np.log(total), "softmax": total / count}
    for reduction, result in expected.items():
        found = sx.reduce("300 - p[0] * d2", x, y, values, reduction=reduction, **options)
        assert found.dtype == dtype
        tolerance = 1e-10 if dtype == "float64" else 1e-4
        np.testing.assert_allclose(sx.to_host(found), result, rtol=tolerance, atol=tolerance)


def test_the_power_distance_reads_values(device):
    x, y, values = point_sets(dtype="float64")
    pairs = squared_distances(x, y) - values[:, 0]
    found = sx.reduce("power", x, y, values[:, 0].copy(), reduction="min", device=device)
    np.testing.assert_allclose(sx.to_host(found), pairs.min(1), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [1, 0])
def test_a_radius_is_a_property_of_the_points_and_not_of_the_pattern(device, dtype, axis):
    random = np.random.default_rng(9)
    x, y = (random.random((n, 3)).astype(dtype) for n in (900, 800))
    d2 = squared_distances(x, y)
    mask = d2 <= 0.15**2
    assert 0 < mask.sum() < mask.size / 10
    own, own_mask = (d2, mask) if axis == 1 else (d2.T, mask.T)
    for pattern in (
        None,
        sx.BlockPattern.dense(len(x), len(y)),
        sx.BlockPattern.from_cells(x, y, 0.15, reach=3),
    ):
        for reduction in ("sum", "count", "argmin", "collect", "max"):
            found = sx.reduce(
                "squared_distance", x, y, reduction=reduction, pattern=pattern, radius=0.15,
                axis=axis, device=device,
            )  # fmt: skip
            assert_agrees(found, reduced(own, own_mask, reduction), own, dtype, reduction)


def test_a_closed_radius_includes_lattice_points_at_that_distance(device):
    axis = np.arange(6.0)
    lattice = np.stack(np.meshgrid(axis, axis, axis), -1).reshape(-1, 3)
    for dtype in ("float32", "float64"):
        points = lattice.astype(dtype)
        found = sx.reduce("within", points, points, reduction="count", radius=5.0, device=device)
        expected = (squared_distances(points, points) <= 25).sum(1)
        np.testing.assert_array_equal(sx.to_host(found), expected)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize(("m", "n"), [(0, 0), (0, 3), (3, 0), (1, 1), (1, 40), (40, 1)])
def test_empty_and_tiny_sets(device, reduction, m, n):
    random = np.random.default_rng(1)
    x, y = random.random((m, 3)), random.random((n, 3)) + 2
    k = 3 if "kmin" in reduction else None
    for axis in (1, 0):
        found = sx.reduce("distance", x, y, reduction=reduction, k=k, axis=axis, device=device)
        d = np.sqrt(squared_distances(x, y))
        own = d if axis == 1 else d.T
        expected = reduced(own, np.ones_like(own, bool), reduction, k or 1)
        if isinstance(expected, list) and not expected:
            assert sx.to_host(found.offsets).tolist() == [0]
        else:
            assert_agrees(found, expected, own, "float64", reduction)


def test_ties_go_to_the_lower_index_of_the_callers(device):
    # Every point four times, in random order and through sorted cells.
    random = np.random.default_rng(4)
    lattice = random.permutation(np.repeat(random.integers(0, 3, (30, 3)), 4, 0)).astype(np.float32)
    pattern = sx.BlockPattern.from_cells(lattice, radius=1.0)
    d2 = squared_distances(lattice, lattice)
    for reduction, k in (("argmin", None), ("argmax", None), ("argkmin", 9)):
        found = sx.reduce(
            "squared_distance", lattice, lattice, reduction=reduction, k=k, pattern=pattern,
            device=device,
        )  # fmt: skip
        np.testing.assert_array_equal(
            sx.to_host(found), reduced(d2, d2 <= 1, reduction, k or 1), err_msg=reduction
        )


def test_a_log_of_sums_does_not_overflow(device):
    x, y, _ = point_sets(dtype="float32")
    pairs = 1e4 * squared_distances(x, y) - 3e4
    found = sx.reduce(
        "p[0] * d2 - 30000.0", x, y, parameters=(1e4,), reduction="logsumexp", device=device
    )
    expected = reduced(pairs, np.ones_like(pairs, bool), "logsumexp")
    np.testing.assert_allclose(sx.to_host(found), expected, rtol=1e-5)


def test_compensated_sums_preserve_digits_that_plain_sums_lose(device):
    n = 4096
    y, x = np.zeros((n, 3)), np.zeros((1, 3))
    values = np.tile([1e16, 1.0, -1e16, 1.0], n // 4)
    values = values[np.random.default_rng(0).permutation(n)]
    found = sx.reduce("gaussian", x, y, values, sigma=1.0, accumulate="compensated", device=device)
    assert float(found[0]) == n // 2
    plain = sx.reduce("gaussian", x, y, values, sigma=1.0, device=device)
    assert float(plain[0]) != n // 2


@pytest.mark.parametrize("n_dimensions", [2, 3, 5])
def test_a_radius_means_the_same_to_every_function(device, n_dimensions):
    """On a lattice of tenths, distances differ from the radius by rounding alone."""
    x = np.random.default_rng(0).integers(0, 6, (300, n_dimensions)) * 0.1
    d2 = np.zeros((300, 300))
    for axis in range(n_dimensions):
        d2 += (x[:, None, axis] - x[None, :, axis]) ** 2
    for radius in (0.1, 0.3, float(np.sqrt(0.02)), float(np.sqrt(0.05))):
        counts = sx.reduce("1", x, x, reduction="count", radius=radius, device=device)
        np.testing.assert_array_equal(sx.to_host(counts), (d2 <= radius * radius).sum(1))
    order = np.lexsort((np.broadcast_to(np.arange(300), d2.shape), d2))[:, :7]
    nearest = sx.reduce("squared_distance", x, x, reduction="argkmin", k=7, device=device)
    np.testing.assert_array_equal(sx.to_host(nearest), order)


def test_the_least_is_decided_in_float64_for_float32_points(device):
    x = (np.random.default_rng(0).random((400, 3)) + 100).astype(np.float32)
    options = {"reduction": "argmin", "device": device}
    first = sx.to_host(sx.reduce("squared_distance", x[:200], x[200:], **options))
    options["reduction"] = "argkmin"
    k_first = sx.to_host(sx.reduce("squared_distance", x[:200], x[200:], k=1, **options))
    wide = x.astype(float)
    d2 = ((wide[:200, None] - wide[None, 200:]) ** 2).sum(2)
    np.testing.assert_array_equal(first, k_first[:, 0])
    np.testing.assert_array_equal(first, d2.argmin(1))
    # Two columns whose values in float32 are one: the second is the greater.
    y = np.array([[1.0], [np.nextafter(np.float32(1), np.float32(2))]], np.float32)
    text = "1e9 + x[0] * y[0]"
    greatest = sx.reduce(text, y[:1], y, reduction="argmax", device=device)
    assert sx.to_host(greatest).tolist() == [1]
    assert sx.to_host(sx.reduce(text, y[:1], y, reduction="max", device=device)).dtype == np.float32


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_dimensions", [2, 3, 5])
def test_pairs_of_a_periodic_box_are_those_of_nearest_images(device, n_dimensions, dtype, axis):
    x, y, _ = point_sets(n_dimensions, dtype)
    x, y, boxsize, radius = 3 * x - 1, 3 * y - 1, [1.5, 0, 2, 1.25, 0][:n_dimensions], 0.55
    along = x[:, None].astype(float) - y
    for a, length in enumerate(boxsize):
        along[..., a] -= length * np.round(along[..., a] / length) if length else 0
    d2 = (along**2).sum(-1)
    mask, values = d2 <= radius**2, np.exp(-2 * d2)
    own, other = (x, y) if axis else (y, x)
    factors = np.random.default_rng(2).random(len(other)).astype(dtype)
    options = {"radius": radius, "boxsize": boxsize, "axis": axis, "device": device}
    summed = (values * mask * (factors if axis else factors[:, None])).sum(axis)
    found = sx.to_host(sx.reduce("gaussian", x, y, factors, sigma=0.5, **options))
    atol = 2e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found, summed, rtol=0, atol=atol)
    if n_dimensions < 5:
        pattern = sx.BlockPattern.from_cells(x, y, radius, boxsize=boxsize, device=device)
        paired = sx.reduce(
            "gaussian", x, y, factors, sigma=0.5, pattern=pattern, axis=axis, device=device
        )
        np.testing.assert_allclose(sx.to_host(paired), summed, rtol=0, atol=atol)
    if dtype == "float64":
        counts = sx.reduce("squared_distance", x, y, reduction="count", **options)
        assert (sx.to_host(counts) == (mask & (d2 > 0)).sum(axis)).all()
        nearest = sx.to_host(sx.reduce("squared_distance", x, y, reduction="argmin", **options))
        within = np.where(mask, d2, np.inf) if axis else np.where(mask, d2, np.inf).T
        some = within.min(axis=1) < np.inf
        assert ((nearest >= 0) == some).all()
        best = within[np.arange(len(own)), nearest]
        np.testing.assert_allclose(best[some], within.min(axis=1)[some], atol=1e-12)
        slopes = sx.gradient("gaussian", x, y, sigma=0.5, **options)
        expected = (-4 * values * mask)[..., None] * along
        np.testing.assert_allclose(sx.to_host(slopes), expected.sum(1), atol=1e-11)


@pytest.mark.parametrize("reduction", ["sum", "mean", "logsumexp", "softmax"])
@pytest.mark.parametrize("axis", [0, 1])
def test_values_of_no_points_are_reduced(device, reduction, axis):
    x, y, values = (array[:0] for array in point_sets(3, "float64"))
    other = np.ones((4, 3))
    options = {"reduction": reduction, "axis": axis, "sigma": 1.0, "device": device}
    nothing = {"sum": 0, "mean": np.nan, "logsumexp": -np.inf, "softmax": np.nan}[reduction]
    for columns in (values, values[:, 0]):
        points = (other, y) if axis else (x, other)
        found = sx.to_host(sx.reduce("gaussian", *points, columns, **options))
        np.testing.assert_array_equal(found, np.full((4, *columns.shape[1:]), nothing))
        assert sx.reduce("gaussian", x, y, columns, **options).shape == columns.shape
    assert sx.variables(x, axis=0).shape == (0, 1, 3)
    if reduction in ("sum", "logsumexp"):
        wrt = ["x", "y", "values", "sigma"]
        found = sx.gradient("gaussian", *points, values, wrt=wrt, **options)
        for name, like in zip(wrt, (*points, values, np.zeros(1)), strict=True):
            np.testing.assert_array_equal(sx.to_host(found[name]), np.zeros_like(like))


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("with_pattern", [False, True])
@pytest.mark.parametrize("radius", [None, 0.55])
def test_all_pairs_and_patterns_of_a_periodic_box_are_those_of_nearest_images(
    device, radius, with_pattern, axis
):
    x, y, _ = point_sets(3, "float64")
    x, y, box = 3 * x - 1, 3 * y - 1, np.array([1.5, np.inf, 2])
    along = x[:, None] - y
    along -= np.where(box < np.inf, box, 0) * np.round(along / box)
    d2 = (along**2).sum(-1)
    pattern = random_pattern(len(x), len(y), seed=3) if with_pattern else None
    mask = (d2 <= (radius or np.inf) ** 2) & (mask_of(pattern) if pattern else True)
    inside = x - np.where(box < np.inf, box, 0) * np.floor(x / box)
    values = np.exp(-d2) * (inside[:, None] - along)[..., 0]  # of x[0] - dx[0], the image y[0]
    pairs, mask = (values, mask) if axis else (values.T, mask.T)
    options = {"pattern": pattern, "radius": radius, "axis": axis, "device": device}
    options["boxsize"] = (1.5, 0, 2)
    for reduction in ("sum", "mean", "logsumexp", "min", "max", "kmin", "count", "collect"):
        k = {"k": 5} if reduction == "kmin" else {}
        found = sx.reduce("exp(-d2) * y[0]", x, y, reduction=reduction, **k, **options)
        expected = reduced(pairs, mask, reduction, 5)
        if reduction == "collect":
            assert [row.tolist() for row in found] == expected
        else:
            np.testing.assert_allclose(sx.to_host(found), expected, rtol=1e-11, atol=1e-12)
    if axis:
        slopes = sx.gradient("gaussian", x, y, sigma=0.5, wrt=["x", "y"], **options)
        pulls = (-4 * np.exp(-2 * d2) * mask)[..., None] * along
        np.testing.assert_allclose(sx.to_host(slopes["x"]), pulls.sum(1), atol=1e-11)
        np.testing.assert_allclose(sx.to_host(slopes["y"]), -pulls.sum(0), atol=1e-11)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"radius": 0.5}, "radius"),
        ({"pattern": sx.BlockPattern.from_cells(np.zeros((3, 2)), radius=0.1)}, "pattern"),
        (
            {
                "pattern": sx.BlockPattern.from_cells(
                    np.zeros((3, 2)), radius=0.1, boxsize=2.0, device="cpu"
                )
            },
            "pattern",
        ),
        ({"math": "tensor"}, "math"),
        ({"boxsize": 1e-30}, "boxsize"),
    ],
)
def test_options_that_do_not_fit_a_periodic_box_are_rejected(device, options, named):
    x = np.zeros((3, 2), np.float32)
    options = {"boxsize": 1.0, **options}
    assert_rejected(named, sx.reduce, "exp(-d2)", x, x, device=device, **options)


def test_pairs_of_vectors_are_counted_by_component(device):
    x, y, _ = point_sets(3, "float64")
    counts = sx.to_host(sx.reduce("x < y", x, y, reduction="count", device=device))
    np.testing.assert_array_equal(counts, (x[:, None] < y).sum(1))
    with pytest.raises(sx.InputError, match=r"Collect one component, such as \(x < y\)\[0\], or"):
        sx.reduce("x < y", x, y, reduction="collect", device=device)


@pytest.mark.gpu
@pytest.mark.parametrize("reduction", ["sum", "logsumexp", "argmin", "kmin"])
def test_reductions_in_a_periodic_box_have_the_same_bits_on_a_gpu(cuda, reduction):
    x, y = np.random.default_rng(4).random((2, 3000, 3), np.float32) * 3
    k = {"k": 4} if reduction == "kmin" else {}
    options = {"reduction": reduction, "boxsize": (2.5, 0, 1), "sigma": 0.1, **k}
    batches = sx.BlockPattern.block_diagonal([0, 900, 3000])
    for pairs in ({"radius": 0.3}, {}, {"radius": 0.3, "pattern": batches}):
        one, two = (
            sx.reduce("gaussian", x, y, device=d, **pairs, **options) for d in ("cpu", cuda)
        )
        assert one.tobytes() == sx.to_host(two).tobytes()
