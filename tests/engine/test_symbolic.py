"""Formulas from arithmetic with variables, compared with NumPy on the matrix of all pairs."""

import numpy as np
import pytest

import separatrix as sx
from engine.point_sets import mask_of, point_sets, random_pattern


def gaussian(x: np.ndarray, y: np.ndarray, sigma: float = 0.3) -> sx.PairFormula:
    xi, yj = sx.variables(x, axis=0), sx.variables(y, axis=1)
    return (-((xi - yj) ** 2).sum(-1) / (2 * sigma**2)).exp()


def dense(x: np.ndarray, y: np.ndarray, sigma: float = 0.3) -> np.ndarray:
    return np.exp(-((x[:, None] - y[None]) ** 2).sum(-1) / (2 * sigma**2))


@pytest.mark.parametrize("axis", [1, 0])
def test_reductions_are_those_of_the_matrix(device, axis):
    x, y, _ = point_sets(3, "float64")
    K, matrix = gaussian(x, y), dense(x, y)
    assert K.shape == matrix.shape
    np.testing.assert_allclose(K.to_dense(), matrix, rtol=1e-13)
    for name in ("sum", "mean", "min", "max", "argmin", "argmax"):
        found = sx.to_host(getattr(K, name)(axis=axis, device=device))
        np.testing.assert_allclose(found, getattr(np, name)(matrix, axis), rtol=1e-12)
    least = np.sort(matrix, axis).T if axis == 0 else np.sort(matrix, axis)
    np.testing.assert_allclose(sx.to_host(K.kmin(3, axis, device=device)), least[:, :3])
    nearest = np.argsort(matrix, axis, kind="stable")
    nearest = nearest.T if axis == 0 else nearest
    np.testing.assert_array_equal(sx.to_host(K.argkmin(3, axis, device=device)), nearest[:, :3])
    both = K.kmin_argkmin(3, axis, device=device)
    np.testing.assert_array_equal(sx.to_host(both[1]), nearest[:, :3])
    weights = np.arange(1.0, matrix.shape[axis] + 1)
    shaped = weights if axis == 1 else weights[:, None]
    expected = np.log((np.exp(matrix) * shaped).sum(axis))
    found = K.logsumexp(axis, weights, device=device)
    np.testing.assert_allclose(sx.to_host(found), expected, rtol=1e-12)


def test_a_product_has_the_bits_of_the_formula_by_name(device):
    x, y, values = point_sets()
    K = gaussian(x, y)
    expected = sx.to_host(sx.reduce("exp(-p[0] * d2)", x, y, values, parameters=1 / (2 * 0.3**2)))
    assert (K @ values).tobytes() == expected.tobytes()
    found = sx.to_host(K.reduce("sum", values=values, device=device))
    assert found.tobytes() == expected.tobytes()
    by_variable = K @ sx.variables(values, axis=1)
    np.testing.assert_allclose(by_variable, expected, rtol=1e-5, atol=1e-5)
    offsets = (sx.variables(x, axis=0) - sx.variables(y, axis=1)) * K @ values[:, 0]
    factors = dense(x, y)[..., None] * values[None, :, :1]
    np.testing.assert_allclose(offsets, ((x[:, None] - y) * factors).sum(1), rtol=1e-4, atol=1e-4)


def test_operations_equal_those_of_numpy():
    random = np.random.default_rng(0)
    x, y = random.uniform(0.1, 1, (7, 2)), random.uniform(0.1, 1, (9, 2))
    xi, yj = sx.variables(x[:, None]), sx.variables(y[None])
    a, b = x[:, None], y[None]
    far = ((a - b) ** 2).sum(-1)
    cases = [
        (2 - xi + 3 * yj / 4, 2 - a + 3 * b / 4),
        (1 / xi - yj**-2 + xi**0.5 + yj**1.5, 1 / a - b**-2 + a**0.5 + b**1.5),
        (2.0**xi + xi**yj + np.array([1.0, 2.0]) * yj, 2.0**a + a**b + np.array([1.0, 2.0]) * b),
        (xi | yj, (a * b).sum(-1)),
        (xi.dot(yj) + xi.norm() + yj.squared_norm(),
         (a * b).sum(-1) + np.sqrt((a * a).sum(-1)) + (b * b).sum(-1)),
        (xi.squared_distance(yj).sqrt() - xi.distance(yj), 0 * far),
        (xi[0] + yj[-1] * xi[1], a[..., 0] + b[..., 1] * a[..., 1]),
        (xi.concat(yj)[1:3], np.concatenate([a + 0 * b, b + 0 * a], -1)[..., 1:3]),
        ((xi < yj).where(xi.sin(), yj.cosh()), np.where(a < b, np.sin(a), np.cosh(b))),
        (~(xi <= yj) & (xi != 0.5) | (yj >= 0.9), ~(a <= b) & (a != 0.5) | (b >= 0.9)),
        (xi.minimum(yj).clamp(0.2, 0.5).atan2(yj),
         np.arctan2(np.clip(np.minimum(a, b), 0.2, 0.5), b)),
        (abs(xi - yj).sum() * (yj == yj)[0], abs(a - b).sum(-1)),
    ]  # fmt: skip
    for formula, expected in cases:
        expected = np.broadcast_to(expected, formula.shape)
        np.testing.assert_allclose(formula.to_dense(), expected, rtol=1e-12, atol=1e-14)
    every = cases[0][0]
    for formula, _ in cases[1:]:
        every = every.concat(formula)
    matrix = every.to_dense()
    np.testing.assert_allclose(every.sum(axis=1), matrix.sum(1), rtol=1e-11, atol=1e-13)


def test_pairs_are_those_of_a_pattern_or_a_radius(device):
    x, y, values = point_sets(3, "float64")
    K, matrix = gaussian(x, y), dense(x, y)
    pattern = random_pattern(len(x), len(y), 0)
    expected = (matrix * mask_of(pattern)) @ values
    for found in (K.within(pattern) @ values, K.reduce("sum", 1, values, pattern=pattern)):
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-12)
    near = ((x[:, None] - y[None]) ** 2).sum(-1) <= 0.3**2
    cells = sx.BlockPattern.from_cells(x, y, 0.3)
    for options in ({"radius": 0.3}, {"pattern": cells}):
        found = sx.to_host(K.sum(axis=1, device=device, **options))
        np.testing.assert_allclose(found, (matrix * near).sum(1), rtol=1e-11)
    six = sx.BlockPattern.dense(len(x), len(y)).to_keops()
    assert (K.within(six) @ values).tobytes() == (K @ values).tobytes()


def test_nothing_is_computed_before_a_reduction():
    many = np.zeros((2_000_000, 3), np.float32)
    assert gaussian(many, many).shape == (2_000_000, 2_000_000)
    assert "shape (2000000, 2000000)" in repr(gaussian(many, many))


X, Y = np.ones((4, 3)), np.ones((5, 3))
XI, YJ = (sx.variables(points, axis) for axis, points in enumerate((X, Y)))


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: XI[0:2] + YJ, "+ requires equal dimensions, or 1; got 2 and 3"),
        (lambda: XI.dot(YJ[0]), "dot requires equal dimensions; got 3 and 1"),
        (lambda: XI[3], "has 3 entries"),
        (lambda: XI[-4], "reads x"),
        (lambda: XI + None, "operand must be a number"),
        (lambda: XI * np.nan, "data must be finite numbers"),
        (lambda: XI[::2], "key must be an integer or a slice"),
        (lambda: XI + X, "Name its axis by sx.variables()"),
        (lambda: XI + sx.variables(Y, axis=0), "variables must be of one number of points"),
        (lambda: XI + sx.variables(Y.astype("f"), axis=1), "variables must be of one dtype"),
        (lambda: XI.exp(2), "exp has 1 argument; got 2"),
        (lambda: sx.variables(X), "axis must be 0 (rows), 1 (columns), or 2 (parameters)"),
        (lambda: sx.variables(X.astype(int), axis=0), "data must be an array of float32 or"),
        (lambda: XI.sum(axis=1), "formula must be a formula of variables of axis 0 and of axis 1"),
        (lambda: (XI + YJ).sum(axis=1, radius=1), "without the squared distance"),
        (lambda: (XI + YJ).sum(axis=1, boxsize=1), "without the squared distance"),
        (lambda: (XI + YJ).sum(axis=3), "axis must be 1"),
        (lambda: XI.squared_distance(YJ) @ np.ones(4), "values must be an array of shape (5,)"),
    ],
)
def test_invalid_formulas_are_rejected(build, words):
    with pytest.raises(sx.InputError) as raised:
        build()
    assert words in str(raised.value)


def test_a_formula_is_neither_a_number_nor_a_sequence():
    with pytest.raises(TypeError, match="no truth value"):
        bool(XI < YJ)
    with pytest.raises(TypeError, match="not iterable"):
        list(XI)
    with pytest.raises(AttributeError, match=r"no attribute 'exq'\. Did you mean 'exp'"):
        XI.exq()
    with pytest.raises(TypeError, match="has no option 'kay'"):
        XI.squared_distance(YJ).sum(axis=1, kay=1)


@pytest.mark.parametrize("reduction", ["sum", "logsumexp"])
def test_a_gradient_is_that_of_the_text(device, reduction):
    x, y, values = point_sets(3, "float64")
    xi, yj, s = sx.variables(x, axis=0), sx.variables(y, axis=1), sx.variables(2.0, axis=2)
    b = sx.variables(abs(values[:, 0]), axis=1)
    K = (-((xi - yj) ** 2).sum(-1) * s).exp()
    upstream = np.random.default_rng(0).random(len(x))
    options = {"reduction": reduction, "upstream": upstream, "device": device}
    found = K.gradient([xi, yj, b, s], values=b, **options)
    text = "exp(-s * d2)" + (" + log(b)" if reduction == "logsumexp" else " * b")
    named = {"parameters": {"s": 2.0}, "wrt": ["x", "y", "values", "s"], **options}
    expected = sx.gradient(text, x, y, abs(values[:, 0]), **named)
    for one, other in zip(found, expected.values(), strict=True):
        one, other = sx.to_host(one), sx.to_host(other)
        np.testing.assert_allclose(one.reshape(other.shape), other, rtol=1e-10, atol=1e-12)
    with pytest.raises(sx.InputError, match="of must be variables of the formula"):
        K.gradient(b, device=device)


def test_values_of_a_softmax_are_arrays_or_variables(device):
    x, y, values = point_sets(3, "float64")
    K, matrix = gaussian(x, y), np.exp(dense(x, y))
    expected = (matrix @ values) / matrix.sum(1, keepdims=True)
    for given in (values, sx.variables(values, axis=1)):
        found = K.reduce("softmax", values=given, device=device)
        np.testing.assert_allclose(sx.to_host(found), expected, rtol=1e-12, atol=1e-12)
    with pytest.raises(sx.InputError, match="values must be an array, or a variable of axis 1"):
        K.reduce("softmax", values=K, device=device)
