"""Formulas of a random grammar, and each function over its whole range, compared to NumPy."""

from random import Random
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from separatrix.sums.evaluate import evaluate
from separatrix.sums.formulas import choose

SIZES = {"x": 3, "y": 3, "dx": 3, "b": 2, "u": 2, "v": 2, "w": 1, "s": 1, "t": 3, "d2": 1, "i": 1}
BOUNDED = ("exp", "sinh", "cosh", "asin", "acos")
ANY = ("sin", "cos", "tan", "atan", "tanh", "erf", "abs", "sign", "floor", "round", "step")


def formula(random: Random, size: int, depth: int) -> str:
    """A random text of a vector of `size` components."""

    def part(n: int = size) -> str:
        return formula(random, random.choice((n, 1)), depth - 1)

    kind = random.randrange(11) if depth else 0
    if kind == 0:
        name = random.choice([name for name in SIZES if SIZES[name] >= size])
        first = random.randrange(SIZES[name] - size + 1)
        ends = f"[{first}]" if size == 1 else f"[{first}:{first + size}]"
        number = random.choice(("2", "0.7", "1.5e-1"))
        return random.choice((f"{name}{ends}" if size < SIZES[name] else name, number))
    if kind == 1 and size == 1:
        n = random.choice((2, 3))
        a, b = (formula(random, n, depth - 1) for _ in range(2))
        names = ("dot", "squared_distance", "distance")
        pair = f"concat({a}, x)[0:{n}], concat({b}, y)[0:{n}]"  # exactly n components
        return random.choice([f"{random.choice(names)}({pair})", f"norm({a})", f"sum({a})"])
    if kind == 1:
        parts = ", ".join(formula(random, 1, depth - 1) for _ in range(size - 1))
        return f"concat({parts}, w, w, w)[0:{size}]"
    if kind == 2:
        return f"{random.choice(ANY)}({part()})"
    if kind == 3:
        return f"{random.choice(BOUNDED)}(clamp({part()}, -1, 1))"
    if kind == 4:
        return f"{random.choice(('sqrt', 'log'))}(abs({part()}) + 0.1)"
    if kind == 5:
        return f"{random.choice(('min', 'max', 'atan2'))}({part()}, {part()})"
    if kind == 6:
        sign = random.choice(("<", "<=", ">", "!=", "&&", "||"))
        return f"where({part()} {sign} {part()}, {part()}, {part()})"
    if kind == 7:
        return f"(-{part()} ** {random.choice((-2, 0, 1, 2, 3, 7))})"
    if kind == 8:
        return f"(abs({part()}) + 0.5) ** clamp({part()}, -2, 2)"
    return f"({part()} {random.choice('+-*/')} {part()})"


def arrays(dtype: str) -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    sizes = {"x": (60, 3), "y": (40, 3), "b": (40, 2), "u": (60, 2), "v": (40, 2), "w": (40, 1)}
    found = {name: random.uniform(-2, 2, size).astype(dtype) for name, size in sizes.items()}
    return {**found, "s": np.array([0.5]), "t": np.array([1.5, -0.25, 2.0])}


def texts(seed: int) -> str:
    """Four formulas and b as one, because each takes a compiler a second."""
    random = Random(seed)
    return f"concat({', '.join(formula(random, random.choice((1, 2, 3)), 4) for _ in range(4))}, b)"


def reduced(text: str, of: dict[str, np.ndarray], device: str, **options: Any) -> np.ndarray:
    parameters = {"s": 0.5, "t": of["t"]}
    given = {"of_x": {"u": of["u"]}, "of_y": {"v": of["v"], "w": of["w"]}, "parameters": parameters}
    found = sx.reduce(text, of["x"], of["y"], of["b"], device=device, **given, **options)
    return sx.to_host(found)


@pytest.mark.parametrize("seed", range(6))
def test_a_random_formula_has_the_values_of_numpy(seed, device):
    text, of = texts(seed), arrays("float64")
    sizes = {"axis": 1, "of_x": {"u": 2}, "of_y": {"v": 2, "w": 1}}
    tree = choose(text, {"s": 0.5, "t": of["t"]}, {}, 3, 2, **sizes).tree
    near = {name: array * (1 + 1e-12) for name, array in of.items()}
    expected, moved = (evaluate(tree, each, 60, 40) for each in (of, near))
    assert np.isfinite(expected).mean() > 0.9
    found = reduced(text, of, device)
    size = np.abs(expected).sum(1)
    bound = 1e-11 * (1 + size) + 2 * np.abs(moved - expected).sum(1)  # steps and poles nearby
    finite = np.isfinite(expected).all(1) & np.isfinite(bound)
    assert (abs(found - expected.sum(1)) <= bound)[finite].all()


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(12))
def test_a_random_formula_has_the_same_bits_on_the_gpu(cuda, seed, dtype):
    text, of = texts(seed), arrays(dtype)
    both = [reduced(text, of, device) for device in (cuda, "cpu")]
    np.testing.assert_array_equal(*both)  # NaN equals NaN


def samples(largest: float, dtype: str) -> np.ndarray:
    """Arguments of every size, multiples of pi/2 included, for which values are normal numbers."""
    random = np.random.default_rng(0)
    powers = 10.0 ** random.uniform(-37, 37, 4000) * random.choice([-1, 1], 4000)
    wide = [powers, powers**8, random.uniform(-10, 10, 4000), np.pi / 2 * np.arange(-99, 99), [0]]
    numbers = np.concatenate(wide if dtype == "float64" else [wide[0], *wide[2:]]).astype(dtype)
    return numbers[abs(numbers) <= largest]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("names", "largest"),
    [
        ("sin cos tan arctan", np.inf), ("tanh erf floor rint", np.inf),
        ("sinh cosh", 88), ("arcsin arccos", 1),
    ],
)  # fmt: skip
def test_a_function_is_accurate_to_four_units_in_the_last_place(names, largest, dtype, device):
    numbers, one = samples(largest, dtype), np.zeros((1, 1), dtype)
    calls = names.replace("arc", "a").replace("rint", "round").split()
    text = f"concat({', '.join(f'{name}(x)' for name in calls)})"
    found = sx.to_host(sx.reduce(text, numbers[:, None], one, device=device))
    for name, column in zip(names.split(), found.T, strict=True):
        if name == "erf":
            tree = choose("erf(x)", (), {}, 1, None).tree
            expected = evaluate(tree, {"x": numbers}, len(numbers), 1).ravel()
        else:
            expected = getattr(np, name)(numbers.astype(np.longdouble))
        unit = np.spacing(np.maximum(abs(expected).astype(dtype), np.finfo(dtype).tiny))
        assert (abs(column - expected) <= (4 if dtype == "float64" else 1) * unit).all(), name


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_and_angles_are_accurate(dtype, device):
    random = np.random.default_rng(0)
    a = (10.0 ** random.uniform(-30, 30, 4000)).astype(dtype)
    b = random.uniform(-1.2, 1.2, 4000).astype(dtype)
    points, one = np.stack([a, b], 1), np.zeros((1, 2), dtype)
    for text, function in (("x[0] ** x[1]", np.power), ("atan2(x[1], x[0])", None)):
        found = sx.to_host(sx.reduce(text, points, one, device=device))
        wide = a.astype(np.longdouble), b.astype(np.longdouble)
        expected = function(*wide) if function else np.arctan2(wide[1], wide[0])
        np.testing.assert_allclose(found, expected.astype(dtype), rtol=4 * np.finfo(dtype).eps)


def test_functions_have_their_limits(device):
    values = {
        "(0 * d2) ** 0": 1, "(0 * d2) ** 0.5": 0, "(0 * d2) ** -0.5": np.inf,
        "real(-8) ** (1 / 3)": np.nan, "(-2 - d2) ** (3 + d2)": -8, "(2 + d2) ** -1": 0.5,
        "atan2(d2, -1)": np.pi, "atan2(-1, d2)": -np.pi / 2, "atan2(1e999, 1e999)": np.pi / 4,
        "sin(1e999)": np.nan, "tanh(1e999)": 1, "erf(-1e999)": -1, "asin(1.5)": np.nan,
        "round(2.5) + round(-0.5) + floor(-0.5)": 1, "sinh(-1000)": -np.inf,
    }  # fmt: skip
    one = np.zeros((1, 1))
    found = sx.to_host(sx.reduce(f"concat({', '.join(values)})", one, one, device=device))
    np.testing.assert_allclose(found, [list(values.values())], rtol=1e-15)
