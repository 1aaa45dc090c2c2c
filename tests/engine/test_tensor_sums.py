"""Sums with squared distances from tensor cores: within the stated bound of float64."""

import numpy as np
import pytest

import separatrix as sx


def clouds(m: int, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(m + n + d)
    x, y = random.normal(3.0, 1.0, (m, d)), random.normal(3.0, 1.0, (n, d))
    return x.astype(np.float32), y.astype(np.float32)


def squared_distances(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """In float64, and the stated bound of their error."""
    x, y = x.astype(np.float64), y.astype(np.float64)
    largest = max(((each - y.mean(axis=0)) ** 2).sum(axis=1).max() for each in (x, y))
    return ((x[:, None] - y[None]) ** 2).sum(axis=2), largest * 2.0**-18


@pytest.mark.gpu
@pytest.mark.parametrize("d", [1, 8, 16, 33, 64, 100])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (17, 5), (300, 5000)])
@pytest.mark.parametrize("n_values", [0, 1, 6])
def test_sums_on_tensor_cores_are_within_the_bound(d, m, n, n_values):
    x, y = clouds(m, n, d)
    d2, bound = squared_distances(x, y)
    values = np.random.default_rng(0).random((n, n_values)).astype(np.float32)
    factors = values.astype(np.float64) if n_values else np.ones((n, 1))
    sigma = float(np.sqrt(d))
    where = {"math": "tensor", "device": "cuda"}
    found = sx.reduce("gaussian", x, y, values if n_values else None, sigma=sigma, **where)
    found = sx.to_host(found).reshape(m, -1)
    expected = np.exp(-d2 / (2 * sigma**2)) @ factors
    np.testing.assert_allclose(found, expected, rtol=bound / (2 * sigma**2) + 2e-6)
    found = sx.reduce("d2", x, y, reduction="mean", **where)
    np.testing.assert_allclose(sx.to_host(found), d2.mean(axis=1), rtol=2e-6, atol=bound)


@pytest.mark.gpu
def test_blocks_on_tensor_cores_are_those_of_the_pattern():
    x, y = clouds(1000, 3000, 20)
    labels = [np.sort(np.random.default_rng(1).integers(0, 9, len(p))) for p in (x, y)]
    rows, columns = (sx.cluster(p, labels=of) for p, of in zip((x, y), labels, strict=True))
    pairs = np.random.default_rng(2).random((9, 9)) < 0.4
    pattern = sx.BlockPattern.from_mask(rows, columns, pairs)
    given = {"sigma": 4.0, "pattern": pattern, "device": "cuda"}
    exact, found = (sx.reduce("gaussian", x, y, **given, math=m) for m in ("exact", "tensor"))
    np.testing.assert_allclose(sx.to_host(found), sx.to_host(exact), rtol=1e-5)


@pytest.mark.parametrize(
    ("formula", "options"),
    [
        ("x[0] * d2", {}),
        ("i + d2", {}),
        ("d2", {"reduction": "max"}),
        ("d2", {"accumulate": "float64"}),
        ("d2", {"float64": True}),
    ],
)
def test_tensor_cores_are_rejected_for_unsupported_reductions(formula, options):
    dtype = np.float64 if options.pop("float64", False) else np.float32
    x = np.ones((3, 8), dtype)
    with pytest.raises(sx.InputError, match="math must be"):
        sx.reduce(formula, x, x, math="tensor", **options)


def test_on_the_cpu_tensor_sums_are_exact_ones():
    x, y = clouds(20, 30, 12)
    given = {"sigma": 3.0, "device": "cpu"}
    exact = sx.reduce("gaussian", x, y, **given)
    assert sx.reduce("gaussian", x, y, **given, math="tensor").tobytes() == exact.tobytes()
