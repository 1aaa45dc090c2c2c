"""Gradients of sums over pairs, against finite differences of dense NumPy and of trees."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

import separatrix as sx
from engine.point_sets import mask_of, point_sets, random_pattern
from engine.rejections import assert_rejected
from engine.test_formula_grammar import arrays, formula
from oracles.everything import assert_same_bits
from oracles.point_sets import squared_distances
from reliability.whole_results import arrays_of
from separatrix.sums.derivative import derivatives
from separatrix.sums.evaluate import evaluate
from separatrix.sums.expression import parsed
from separatrix.sums.formulas import choose
from separatrix.sums.tree import PARAMETER, X, Y, binary, dot, variable

TREES = [
    "exp(-d2) - 3 / (1 + d2)", "sqrt(d2) * b[1]", "log(d2 + 1)", "sin(x[0]) * cos(y[1])",
    "tan(x[0] * .3)", "asin(x[1] * .2) + acos(y[0] * .3) + atan(d2)", "atan2(x[0], y[1])",
    "sinh(x[0] - y[0]) * cosh(x[1])", "tanh(d2)", "erf(x[0] - p[0])",
    "abs(x[1] - y[1]) * sign(x[0])", "min(x[0], -y[1]) + max(d2, b[0])",
    "clamp(x[0], p[1], 0.3)", "where(x[0] < -y[0], d2, x[1] * 3)", "where(x[0], d2, x[1])",
    "norm(x) * sum(y)", "(d2 + .5) ** b[1]", "d2 ** 3 + d2 ** 1 + d2 ** -2 + d2 ** 0.5 + d2 ** 0",
    "dot(concat(x, b), concat(y, p))", "floor(x[0] * 9) * x[1] + round(x[0] * 5) + step(x[0])",
    "concat(x * b[0], d2 * y, p / x)", "real(i < j) * d2 + i * x[0]", "squared_norm(x - y * p)",
    "sum(exp(x)) * y", "x[0:1] * x - -y",
]  # fmt: skip


def differences(function: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """Central differences of a function of an array."""
    found = np.zeros(at.shape)
    for place in np.ndindex(at.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = np.array(at, float)
            moved[place] += step
            ends.append(function(moved))
        found[place] = (ends[0] - ends[1]) / 2e-6
    return found


@pytest.mark.parametrize("text", TREES)
def test_a_derivative_of_a_tree_agrees_with_finite_differences(text):
    random = np.random.default_rng(0)
    owners = {"x": X, "y": Y, "b": Y, "p": PARAMETER}
    names = {name: variable(name, owner, 2) for name, owner in owners.items()}
    names["d2"] = dot(*[binary("-", names["x"], names["y"])] * 2)
    tree = parsed(text, names)
    arrays = {
        "x": random.random((4, 2)) + 0.1, "y": random.random((3, 2)) - 0.9,
        "b": random.random((3, 2)) + 0.1, "p": random.random(2) * 0.2,
        "seed": random.standard_normal((4, tree.dimension)),
    }  # fmt: skip
    found = derivatives(tree, variable("seed", X, tree.dimension), list(owners))
    for (name, owner), derivative in zip(owners.items(), found, strict=True):

        def weighted(array, name=name):
            values = evaluate(tree, arrays | {name: array}, 4, 3)
            return float((values * arrays["seed"][:, None]).sum())

        expected = differences(weighted, arrays[name])
        if derivative is None:
            assert not expected.any()
            continue
        pairs = evaluate(derivative, arrays, 4, 3)
        along = {X: 1, Y: 0, PARAMETER: (0, 1)}[owner]
        np.testing.assert_allclose(pairs.sum(along), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(60))
def test_derivatives_of_random_formulas_agree_with_differences(seed):
    random = Random(seed)
    text, of = formula(random, random.choice((1, 2, 3)), 4), arrays("float64")
    sizes = {"axis": 1, "of_x": {"u": 2}, "of_y": {"v": 2, "w": 1}}
    tree = choose(text, {"s": 0.5, "t": of["t"]}, {}, 3, 2, **sizes).tree
    n = tree.dimension
    steps = {name: np.random.default_rng(1).standard_normal(a.shape) for name, a in of.items()}
    of["seed"] = np.random.default_rng(2).standard_normal(n)
    found = np.zeros((60, 40))
    slopes = derivatives(tree, variable("seed", PARAMETER, n), list(steps))
    for (name, step), part in zip(steps.items(), slopes, strict=True):
        if part is not None:
            owner = {"x": X, "u": X, "s": PARAMETER, "t": PARAMETER}.get(name, Y)
            along = dot(part, variable("step", owner, part.dimension))
            found = found + evaluate(along, of | {"step": step}, 60, 40)[..., 0]

    def moved(h):
        return evaluate(tree, of | {m: of[m] + h * steps[m] for m in steps}, 60, 40) @ of["seed"]

    expected, size = (moved(1e-6) - moved(-1e-6)) / 2e-6, abs(moved(0))
    agrees = abs(found - expected) <= 1e-4 * (abs(expected) + size + 1)
    assert agrees[np.isfinite(expected)].mean() > 0.98  # others are at steps and poles


def gaussian_sum(
    reduction: str, mask: np.ndarray, axis: int
) -> Callable[[dict[str, np.ndarray]], np.ndarray]:
    """Dense sums of values * exp(-d2 / (2 sigma^2)), or of its exponentials."""

    def results(of: dict[str, np.ndarray]) -> np.ndarray:
        pairs = np.exp(-squared_distances(of["x"], of["y"]) / (2 * of["sigma"] ** 2))
        pairs = np.where(mask, np.exp(pairs) if reduction == "logsumexp" else pairs, 0)
        total = (pairs if axis == 1 else pairs.T) @ of["values"]
        return np.log(np.where(total > 0, total, 1)) if reduction == "logsumexp" else total

    return results


@pytest.mark.parametrize("axis", [1, 0])
@pytest.mark.parametrize("reduction", ["sum", "logsumexp"])
def test_gradients_agree_with_finite_differences(device, reduction, axis):
    random = np.random.default_rng(1)
    x, y = random.random((9, 2)), random.random((7, 2))
    pattern = random_pattern(9, 7, seed=2)
    mask = mask_of(pattern)
    values = random.random((7 if axis == 1 else 9, 2))
    of = {"x": x, "y": y, "values": values, "sigma": np.array([0.4])}
    upstream = random.standard_normal((9 if axis == 1 else 7, 2))
    found = sx.gradient(
        "gaussian", x, y, values, sigma=0.4, wrt=list(of), upstream=upstream, pattern=pattern,
        reduction=reduction, axis=axis, device=device,
    )  # fmt: skip
    results = gaussian_sum(reduction, mask, axis)
    for name, at in of.items():
        expected = differences(
            lambda array, name=name: (results(of | {name: array}) * upstream).sum(), at
        )
        assert found[name].shape == at.shape
        np.testing.assert_allclose(sx.to_host(found[name]), expected, rtol=1e-6, atol=1e-8)


def test_gradients_of_vectors_and_named_variables(device):
    random = np.random.default_rng(1)
    x, y, w, s = random.random((6, 3)), random.random((5, 3)), random.random(5), random.random(6)
    options = {"of_x": {"s": s}, "of_y": {"w": w}, "device": device}
    options["parameters"] = {"a": 2.0, "c": (1.0, 3.0, 5.0)}
    found = sx.gradient("s * w * (x - c) * exp(-a * d2)", x, y, wrt=["s", "w", "c"], **options)
    kernel = np.exp(-2 * squared_distances(x, y))
    rest = x - [1.0, 3.0, 5.0]
    expected = {
        "s": (kernel @ w) * rest.sum(1),
        "w": kernel.T @ (s * rest.sum(1)),
        "c": np.full(3, -(s @ kernel @ w)),
    }
    for name, array in expected.items():
        assert found[name].shape == array.shape
        np.testing.assert_allclose(sx.to_host(found[name]), array, rtol=1e-12)
    unread = sx.gradient("w * s", x, y, **options)
    np.testing.assert_array_equal(sx.to_host(unread), np.zeros_like(x))


def test_gradients_are_of_the_nearest_images_in_a_periodic_box(device):
    x, y, values = point_sets(2, "float64")
    options = {"radius": 0.4, "boxsize": (1.0, 0.9), "device": device}
    found = sx.gradient("exp(-d2)", x, y, values[:, 0], wrt=["x", "y", "values"], **options)
    dx = x[:, None] - y[None]
    dx -= np.round(dx / [1.0, 0.9]) * [1.0, 0.9]
    d2 = (dx**2).sum(2)
    kernel = np.exp(-d2) * (d2 <= 0.4**2)
    slopes = -2 * dx * (kernel * values[:, 0])[..., None]
    for name, expected in (("x", slopes.sum(1)), ("y", -slopes.sum(0)), ("values", kernel.sum(0))):
        np.testing.assert_allclose(sx.to_host(found[name]), expected, rtol=1e-10, atol=1e-11)
    place = "y[0] * x[1] * exp(-d2)"  # of the image of y, also if x is reduced over
    slopes = sx.gradient(place, x[:9], y[:8], wrt=["x", "y"], **options)
    of = {"x": x[:9], "y": y[:8]}
    for name, slope in slopes.items():

        def summed(array, name=name):
            return float(sx.reduce(place, **(of | {name: array}), **options).sum())

        np.testing.assert_allclose(sx.to_host(slope), differences(summed, of[name]), atol=1e-7)


def test_the_gradient_of_a_distance_of_0_is_0(device):
    x, _, _ = point_sets()
    found = sx.gradient("distance", x[:1], x[:1], device=device)
    assert sx.to_host(found).tolist() == [[0, 0, 0]]


def test_the_gradient_of_points_without_weight_is_0(device):
    x, y, values = point_sets(3, "float32")
    options = {"wrt": ["x", "y"], "reduction": "logsumexp", "device": device}
    found = sx.gradient("1e4 * d2", x, y, 0 * values[:, 0], **options)
    for slopes in found.values():
        assert not sx.to_host(slopes).any()


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("reduction", ["sum", "logsumexp"])
def test_gradients_have_the_same_bits_on_the_gpu(cuda, reduction, dtype):
    x, y, values = point_sets(3, dtype)
    wrt = ["x", "y", "values", "sigma"]
    options = {"sigma": 0.3, "wrt": wrt, "radius": 0.6, "reduction": reduction}
    on_cpu, on_gpu = (
        sx.gradient("gaussian", x, y, abs(values[:, :2]), device=device, **options)
        for device in ("cpu", cuda)
    )
    assert_same_bits(arrays_of(on_gpu), arrays_of(on_cpu))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"wrt": "z"}, "wrt"),
        ({"wrt": 3}, "wrt"),
        ({"wrt": ["x", "values"]}, "wrt"),
        ({"reduction": "max"}, "reduction"),
        ({"upstream": np.ones(3)}, "upstream"),
        ({"upstream": np.ones(4, np.float32)}, "upstream"),
        ({"upstream": np.array([1, 2, np.nan, 4])}, "upstream[2]"),
    ],
)
def test_invalid_options_of_gradients_are_rejected(device, options, named):
    x = np.random.default_rng(0).random((4, 3))
    assert_rejected(named, sx.gradient, "gaussian", x, x, sigma=1.0, device=device, **options)
