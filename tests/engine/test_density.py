"""Densities of points on images: against sums over all points, and what topology needs of them."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.rejections import assert_rejected
from oracles.pairs import shifted_gaussian, wendland

KERNELS: list[dict[str, Any]] = [
    {"kernel": "gaussian", "sigma": 0.7},
    {"kernel": "gaussian", "sigma": 0.9, "cutoff": 1.5},
    {"kernel": "wendland", "cutoff": 2.3},
    {"kernel": "laplacian", "sigma": 0.4},
    {"kernel": "epanechnikov", "cutoff": 2.1},
    {"kernel": "cubic_spline", "sigma": 1.1},
]
LENGTHS = np.linspace(0.3, 1.4, 60)
PER_POINT: list[dict[str, Any]] = [
    {"kernel": name, length: LENGTHS}
    for name, length in (
        ("gaussian", "sigma"), ("laplacian", "sigma"), ("epanechnikov", "cutoff"),
        ("wendland", "cutoff"), ("cubic_spline", "sigma"),
    )
]  # fmt: skip


def value(kernel: str, d2: Any, sigma: float = 0.0, cutoff: float = 0.0) -> Any:
    """A kernel at squared distances, 1 at its point but for the value at the cutoff."""
    if kernel == "wendland":
        return wendland(d2, cutoff)
    if kernel == "gaussian":
        return shifted_gaussian(d2, sigma, cutoff or 4 * sigma)
    if kernel == "laplacian":
        return np.maximum(np.exp(-np.sqrt(d2) / sigma) - np.exp(-(cutoff or 8 * sigma) / sigma), 0)
    if kernel == "epanechnikov":
        return np.maximum(1 - d2 / cutoff**2, 0)
    q = np.sqrt(d2) / sigma
    return np.maximum(2 - q, 0) ** 3 / 4 - np.maximum(1 - q, 0) ** 3


def dense(points: np.ndarray, weights: np.ndarray, image: Any, options: dict[str, Any]) -> Any:
    """The sum over all points at every voxel, in float64, not normalized."""
    shape = image.values.shape
    axes = [
        image.origin[a] + image.spacing[a] * np.arange(shape[-1 - a]) for a in range(len(shape))
    ]
    voxels = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, len(axes))
    return sums_at(voxels, points, weights, options).reshape(shape[::-1]).T


def sums_at(at: Any, points: Any, weights: Any, options: dict[str, Any]) -> np.ndarray:
    """The sum over all points at each place."""
    total = np.zeros(len(at))
    for i, (point, weight) in enumerate(zip(points, weights, strict=True)):
        own = {k: v[i] if isinstance(v, np.ndarray) else v for k, v in options.items()}
        total += weight * value(d2=((at - point) ** 2).sum(-1), **own)
    return total


def points_and_weights(n: int, n_axes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.random((n, n_axes)) * [9, 7, 8][:n_axes] + 100, random.standard_normal(n)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_axes", [2, 3])
@pytest.mark.parametrize("options", KERNELS + PER_POINT, ids=lambda options: options["kernel"])
def test_every_voxel_has_the_sum_over_all_points(device, options, n_axes, dtype):
    points, weights = points_and_weights(60, n_axes)
    for shape in (
        {"spacing": 0.43},
        {"spacing": [0.5, 0.31, 0.62][:n_axes], "padding": 0.2},
        {"dimensions": [17, 9, 21][:n_axes]},
        {"dimensions": [40, 3, 5][:n_axes], "spacing": 0.3, "origin": [101, 102, 103][:n_axes]},
    ):
        image = sx.density(
            points, weights, normalize=False, dtype=dtype, device=device, **shape, **options
        )
        expected = dense(points, weights, image, options)
        assert image.values.dtype == dtype
        atol = 2e-5 if dtype == "float32" else 1e-12
        np.testing.assert_allclose(sx.to_host(image.values), expected, rtol=0, atol=atol)


@pytest.mark.parametrize("options", KERNELS, ids=str)
@pytest.mark.parametrize("n_axes", [2, 3])
def test_the_density_at_points_is_the_sum_over_all_points(device, options, n_axes):
    points, weights = points_and_weights(400, n_axes)
    at, _ = points_and_weights(80, n_axes, seed=5)
    at[:3] = points[:3]
    length = "sigma" if "sigma" in options else "cutoff"
    each = {**options, length: np.random.default_rng(1).random(400) + 0.4}
    each = options if len(options) > 2 else each
    for chosen in (options, each):
        found, slopes = sx.density_at(
            at, points, weights, gradient=True, normalize=False, device=device, **chosen
        )
        expected = sums_at(at, points, weights, chosen)
        np.testing.assert_allclose(sx.to_host(found), expected, rtol=0, atol=1e-12)
        for axis in range(n_axes):
            step = 1e-6 * np.eye(n_axes)[axis]
            ahead, behind = (sums_at(at + s, points, weights, chosen) for s in (step, -step))
            smooth = np.ones(len(at), bool)
            smooth[:3] = options["kernel"] != "laplacian"  # with a cusp at a point
            np.testing.assert_allclose(
                sx.to_host(slopes)[smooth, axis], ((ahead - behind) / 2e-6)[smooth], atol=2e-4
            )


@pytest.mark.parametrize("length", ["sigma", "cutoff"])
def test_lengths_may_differ_by_a_factor_of_a_thousand(device, length):
    points, weights = points_and_weights(60)
    kernel = {"sigma": "cubic_spline", "cutoff": "wendland"}[length]
    options = {"kernel": kernel, length: np.random.default_rng(2).permutation(LENGTHS**5 * 10)}
    options[length][7] = options[length].max() / 1000
    settings = {"normalize": False, "device": device, **options}
    found = sx.to_host(sx.density_at(points, points, weights, **settings)[0])
    np.testing.assert_allclose(found, sums_at(points, points, weights, options), atol=1e-12)
    image = sx.density(points, weights, dimensions=(9, 9, 9), dtype="float64", **settings)
    expected = dense(points, weights, image, options)
    np.testing.assert_allclose(sx.to_host(image.values), expected, atol=1e-12)


@pytest.mark.parametrize("options", KERNELS + PER_POINT, ids=lambda options: options["kernel"])
@pytest.mark.parametrize("boxsize", [4.0, (4.0, 0, 3.0)])
def test_all_images_of_a_periodic_box_contribute(device, options, boxsize):
    points, weights = np.random.default_rng(3).random((12, 3)) * 9 - 3, np.ones(12)
    box = np.broadcast_to(boxsize, 3)
    shifts = np.stack(np.meshgrid(*[np.arange(-5, 6) * (length > 0) for length in box]), -1)
    shifts = np.unique(shifts.reshape(-1, 3), axis=0) * box
    shifts = shifts[(abs(shifts) < 13).all(axis=1)]
    inside = np.where(box > 0, points - box * np.floor(points / np.where(box > 0, box, 1)), points)
    everywhere = (inside + shifts[:, None]).reshape(-1, 3)
    options = {k: v[::5] if isinstance(v, np.ndarray) else v for k, v in options.items()}
    repeated = {
        k: np.tile(v, len(shifts)) if isinstance(v, np.ndarray) else v for k, v in options.items()
    }
    expected = sums_at(inside[:5], everywhere, np.ones(len(everywhere)), repeated)
    settings = {"normalize": False, "boxsize": boxsize, "device": device, **options}
    found, _ = sx.density_at(points[:5], points, weights, **settings)
    np.testing.assert_allclose(sx.to_host(found), expected, rtol=1e-10)
    image = sx.density(points, weights, spacing=0.7, dtype="float64", **settings)
    assert image.values.shape[2] * image.spacing[0] == pytest.approx(4.0)
    assert image.origin[0] == 0
    nx, ny, nz = image.values.shape[::-1]
    corner = np.array(image.origin) + np.array(image.spacing) * [nx - 1, ny // 2, nz - 1]
    value_there = sums_at(corner[None], everywhere, np.ones(len(everywhere)), repeated)
    np.testing.assert_allclose(
        sx.to_host(image.values)[-1, ny // 2, -1], value_there[0], rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("options", KERNELS, ids=str)
@pytest.mark.parametrize("n_axes", [2, 3])
def test_the_density_integrates_to_the_sum_of_the_weights(device, options, n_axes):
    points, weights = points_and_weights(200, n_axes)
    image = sx.density(points, abs(weights), spacing=0.2, device=device, **options)
    mass = float(image.values.astype(np.float64).sum()) * 0.2**n_axes
    # A kernel with a kink at a short cutoff has the larger quadrature error.
    assert mass == pytest.approx(abs(weights).sum(), rel=2e-3 if "cutoff" in options else 1e-5)


@pytest.mark.parametrize("options", [KERNELS[0], *KERNELS[2:]], ids=str)
def test_the_gradient_is_that_of_the_density(device, options):
    points, weights = points_and_weights(5, seed=2)
    step = 0.02
    shape = {"dimensions": (3, 3, 3), "spacing": step, "dtype": "float64", "device": device}
    for center in ([104, 103, 104], points[0] + 0.3, points[1] - 0.7):
        origin = np.asarray(center) - step
        image = sx.density(points, weights, gradient=True, origin=origin, **shape, **options)
        values, slopes = sx.to_host(image.values), sx.to_host(image.gradient)
        for axis in range(3):
            line = values.swapaxes(0, 2 - axis)[:, 1, 1]
            difference = (line[2] - line[0]) / (2 * step)
            assert slopes[1, 1, 1, axis] == pytest.approx(difference, abs=1e-3)


def test_values_do_not_depend_on_whether_the_gradient_is_requested(device):
    points, weights = points_and_weights(100)
    plain, both = (
        sx.density(points, weights, sigma=0.8, gradient=g, device=device) for g in (False, True)
    )
    assert sx.to_host(plain.values).tobytes() == sx.to_host(both.values).tobytes()
    assert plain.gradient is None
    flat = sx.density(points[:, :2], weights, sigma=0.8, gradient=True, device=device)
    assert flat.gradient.shape == (*flat.values.shape, 2)


def inner_critical_points(values: np.ndarray, device: str) -> list[int]:
    """Numbers of critical cells per index inside the box where the density is not 0."""
    critical = sx.morse_smale(values, device=device).critical
    inner = ~sx.to_host(critical.on_boundary) & (sx.to_host(critical.value) > 0)
    return np.bincount(sx.to_host(critical.index)[inner], minlength=4).tolist()


@pytest.mark.parametrize("options", [*KERNELS[:3], KERNELS[5]], ids=str)
def test_the_sphere_of_a_cutoff_has_no_critical_point(device, options):
    points = np.array([[0.0, 0.0, 0.0], [2.3, 0.2, -0.3]])
    image = sx.density(points, spacing=0.17, dtype="float64", device=device, **options)
    minima, saddles, upper_saddles, maxima = inner_critical_points(image.values, device)
    assert (minima, saddles) == (0, 0)
    assert 1 <= maxima <= 2
    assert upper_saddles == maxima - 1


def test_a_gaussian_that_is_merely_cut_off_has_false_critical_points(device):
    # So the test above can fail: the value at 2.5 sigma is given back within each cutoff.
    points = np.random.default_rng(0).random((12, 3)) * 4
    image = sx.density(
        points, sigma=0.7, cutoff=1.75, spacing=0.2, normalize=False, dtype="float64", device=device
    )
    axes = [image.origin[a] + 0.2 * np.arange(image.values.shape[2 - a]) for a in range(3)]
    voxels = np.stack(np.meshgrid(*axes, indexing="ij"), -1).transpose(2, 1, 0, 3)
    d2 = ((voxels[..., None, :] - points) ** 2).sum(-1)
    stepped = sx.to_host(image.values) + np.exp(-(2.5**2) / 2) * (d2 < 1.75**2).sum(-1)
    assert inner_critical_points(image.values, device)[0] == 0
    assert inner_critical_points(stepped, device)[0] > 0


def test_a_single_gaussian_has_one_maximum_and_an_even_slope(device):
    image = sx.density(np.zeros((1, 3)), sigma=1.0, dimensions=(41, 41, 41), device=device)
    critical = sx.morse_smale(image.values, device=device).critical
    assert critical.counts[3] == 1
    line = sx.to_host(image.values)[20, 20, 20:]
    assert (np.diff(line)[:-1] < 0).all()
    assert line[-1] == 0


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("options", KERNELS + PER_POINT, ids=lambda options: options["kernel"])
def test_the_gpu_returns_the_same_bits_as_the_cpu(cuda, options, dtype):
    for n_axes, n in ((2, 5000), (3, 20_000)):
        points, weights = points_and_weights(n, n_axes)
        options = {
            k: np.resize(v, n) if isinstance(v, np.ndarray) else v for k, v in options.items()
        }
        found = [
            sx.density(
                points, weights, spacing=0.13, gradient=True, dtype=dtype, device=d, **options
            )
            for d in ("cpu", cuda)
        ]
        pairs = [
            sx.density_at(points, points, weights, gradient=True, boxsize=20, device=d, **options)
            for d in ("cpu", cuda)
        ]
        for one, other in zip(*pairs, strict=True):
            assert one.tobytes() == sx.to_host(other).tobytes()
        for name in ("values", "gradient"):
            on_cpu, on_gpu = (sx.to_host(getattr(image, name)) for image in found)
            assert on_cpu.tobytes() == on_gpu.tobytes(), name


def test_no_points_give_an_image_of_zeros(device):
    image = sx.density(
        np.zeros((0, 3)), sigma=1.0, dimensions=(4, 5, 6), spacing=1.0, device=device
    )
    assert image.values.shape == (6, 5, 4)
    assert not image.values.any()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({}, "sigma"),
        ({"sigma": 0}, "sigma"),
        ({"kernel": "wendland"}, "cutoff"),
        ({"kernel": "wendlnd"}, "kernel"),
        ({"sigma": 1, "cutoff": -2}, "cutoff"),
        ({"sigma": 1, "spacing": 0}, "spacing"),
        ({"sigma": 1, "spacing": (1, 1)}, "spacing"),
        ({"sigma": 1, "dimensions": (3, 0, 3)}, "dimensions"),
        ({"sigma": 1, "origin": (0, np.nan, 0)}, "origin"),
        ({"sigma": 1, "padding": -1}, "padding"),
        ({"sigma": 1, "dtype": "int32"}, "dtype"),
        ({"sigma": 1, "dtype": "f4,,f4"}, "dtype"),
        ({"sigma": 1, "dtype": "(99999999999,)f4"}, "dtype"),
        ({"sigma": 1, "spacing": 1e-4}, "The number of voxels is"),
        ({"sigma": 1e5, "spacing": 1.0, "padding": 0.0}, "cutoff"),
        ({"sigma": 1, "cutoff": 1e-3}, "cutoff"),
        ({"sigma": 1e110, "cutoff": 1}, "cutoff"),
        ({"sigma": 1e-200}, "sigma"),
        ({"sigma": 1e110}, "out of the range of float32"),
        ({"sigma": np.geomspace(1e-16, 1, 60)}, "sigma"),
        ({"sigma": 1e-110, "dimensions": (3, 3, 3)}, "times the length of the kernel"),
        ({"sigma": 1, "spacing": 1e-320}, "spacing"),
        ({"sigma": 1, "spacing": 1e-140}, "Increase spacing"),
        ({"sigma": 1, "spacing": 1e-140, "dimensions": (2, 2, 2)}, "The number of cells"),
        ({"sigma": 1, "spacing": "abc"}, "spacing"),
        ({"sigma": 1, "spacing": ("a", "b", "c")}, "spacing"),
        ({"sigma": 1, "dimensions": (np.inf, 2, 2)}, "dimensions"),
        ({"sigma": 1, "padding": 1e300}, "padding"),
        ({"sigma": 1, "origin": (1e300, 0, 0)}, "origin"),
        ({"sigma": 1, "weights": np.ones(3)}, "weights"),
        ({"sigma": 1, "weights": 2.0}, "weights"),
        ({"sigma": 1, "weights": np.ones(60, complex)}, "weights"),
        ({"sigma": 1, "weights": "w"}, "weights"),
        ({"sigma": 1e-30}, "more than 10^15; the maximum"),
        ({"kernel": "wendland", "cutoff": 1e-30}, "Increase cutoff, from which"),
        ({"sigma": 1, "dimensions": (10**5,) * 3}, "(100000x100000x100000)"),
    ],
)
def test_invalid_options_are_rejected(device, options, named):
    points, _ = points_and_weights(60)
    assert_rejected(named, sx.density, points, device=device, **options)


def test_an_image_beyond_the_memory_limit_is_rejected_with_the_figure(device):
    points, _ = points_and_weights(60)
    with pytest.raises(sx.DeviceMemoryError, match=r"requires [\d,]+ bytes.*memory_limit"):
        sx.density(points, sigma=1.0, memory_limit=1000, device=device)


def test_points_and_weights_that_are_not_finite_are_rejected(device):
    points, weights = points_and_weights(60)
    weights[7] = np.nan
    with pytest.raises(sx.InputError, match=r"weights\[7\] = nan"):
        sx.density(points, weights, sigma=1.0, device=device)
    points[3, 1] = np.inf
    with pytest.raises(sx.InputError, match=r"points\[3, 1\] = inf"):
        sx.density(points, sigma=1.0, device=device)


@pytest.mark.parametrize("kernel", [{"sigma": 0.1}, {"kernel": "wendland", "cutoff": 0.4}])
@pytest.mark.parametrize("n_axes", [2, 3])
def test_the_unit_of_length_only_scales_a_density(device, kernel, n_axes):
    """In meters a box of galaxies is 3e21 long and one of molecules 1e-13."""
    points = np.random.default_rng(0).random((80, n_axes))
    weights = np.random.default_rng(1).random(80)
    expected = sx.density(points, weights, **kernel, gradient=True, device=device)
    for unit in (3e21, 1e-13, 2.0**40):
        scaled = {k: v if k == "kernel" else v * unit for k, v in kernel.items()}
        heavy = weights * (unit**n_axes * 1e3)
        image = sx.density(points * unit, heavy, **scaled, gradient=True, device=device)
        values, wanted = sx.to_host(image.values) / 1e3, sx.to_host(expected.values)
        assert values.shape == wanted.shape
        np.testing.assert_allclose(values, wanted, rtol=1e-3, atol=1e-4 * wanted.max())
        slopes, wanted = sx.to_host(image.gradient), sx.to_host(expected.gradient)
        slopes = slopes.astype(float) * (unit / 1e3)
        np.testing.assert_allclose(slopes, wanted, atol=1e-3 * abs(wanted).max())


@pytest.mark.parametrize("dtypes", [("float16", "int32"), ("int64", "uint8"), ("float32", "f8")])
def test_points_and_weights_may_have_any_real_dtype(dtypes, device):
    rng = np.random.default_rng(2)
    points, weights = rng.integers(0, 9, (40, 3)), rng.integers(0, 9, 40)
    expected = sx.density(points.astype(float), weights.astype(float), sigma=1.0, device=device)
    found = sx.density(
        points.astype(dtypes[0]), weights.astype(dtypes[1]), sigma=1.0, device=device
    )
    assert sx.to_host(found.values).tobytes() == sx.to_host(expected.values).tobytes()


def test_a_density_out_of_the_range_of_its_dtype_is_rejected(device):
    points = np.random.default_rng(0).random((20, 3)) * 3e21
    with pytest.raises(
        sx.InputError, match=r"largest density is .*e-63, out of the range of float32"
    ):
        sx.density(points, sigma=3e20, device=device)
    image = sx.density(points, sigma=3e20, dtype="float64", device=device)
    total = sx.to_host(image.values).sum() * np.prod(image.spacing)
    assert abs(total - 20) < 0.1


@pytest.mark.parametrize("dtype", ["<f4", ">f4", ">f8"])
def test_a_density_has_the_order_of_bytes_of_the_machine(dtype, device):
    points, _ = points_and_weights(20)
    image = sx.density(points, sigma=1.0, spacing=1.0, dtype=dtype, device=device)
    plain = sx.density(points, sigma=1.0, spacing=1.0, dtype="f" + dtype[2], device=device)
    assert image.values.dtype.isnative
    np.testing.assert_array_equal(sx.to_host(image.values), sx.to_host(plain.values))


def test_lengths_may_be_numbers_of_numpy(device):
    points, _ = points_and_weights(20)
    one = np.float32(1)
    image = sx.density(points, sigma=one, padding=one, spacing=one, device=device)
    assert image.spacing == (1.0, 1.0, 1.0)
