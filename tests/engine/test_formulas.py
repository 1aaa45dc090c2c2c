"""Formulas: own exponential and logarithm, the table, expressions and their compilation."""

import os
import re
import stat
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.point_sets import point_sets
from separatrix.device import local_compiler
from separatrix.kernels import compiler, source
from separatrix.sums.evaluate import evaluate
from separatrix.sums.formulas import choose


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """A cache folder of the tests' own."""
    folder = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("SEPARATRIX_CACHE", str(folder))
    return folder


def of_numbers(expression: str, numbers: np.ndarray, device: str) -> np.ndarray:
    """The expression of x[0] for each number: sums of one pair."""
    one = np.zeros((1, 1), numbers.dtype)
    return sx.to_host(sx.reduce(expression, numbers.reshape(-1, 1), one, device=device))


def refusal(formula: Any, **options: Any) -> str:
    x, y, _ = point_sets()
    with pytest.raises(sx.InputError) as raised:
        sx.reduce(formula, x, y, device="cpu", **options)
    text = str(raised.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_exponential_is_accurate(device, dtype):
    random = np.random.default_rng(0)
    numbers = np.concatenate([random.uniform(-79, 88, 20000), random.uniform(-1, 1, 20000)])
    numbers = numbers.astype(dtype)
    found = of_numbers("exp(x[0])", numbers, device).astype(float)
    expected = np.exp(numbers.astype(np.longdouble)).astype(float)
    error = np.abs(found / expected - 1)
    bound = 2.5e-7 + 6e-8 * np.abs(numbers) * 1.45 if dtype == "float32" else 6e-16
    assert (error <= bound).all(), error.max()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_exponential_is_clamped_below_and_infinite_above(device, dtype):
    low = np.array([-80.0, -1e4, -3e38], dtype) * (9 if dtype == "float64" else 1)
    found = of_numbers("exp(x[0])", low, device)
    assert found[0] == found[1] == found[2]
    assert 0 < found[0] < 1e-34
    assert found[0] >= np.finfo(dtype).tiny
    high = np.array([89.0, 1e30] if dtype == "float32" else [710.0, 1e300], dtype)
    assert (of_numbers("exp(x[0])", high, device) == np.inf).all()
    assert of_numbers("exp(x[0])", np.zeros(1, dtype), device) == 1


def test_the_logarithm_and_the_root_are_accurate(device):
    random = np.random.default_rng(0)
    numbers = 10.0 ** random.uniform(-300, 300, 20000)
    found = of_numbers("log(x[0])", numbers, device)
    np.testing.assert_allclose(found, np.log(numbers), rtol=4e-16, atol=4e-16)
    near_one = 1 + random.uniform(-1e-3, 1e-3, 1000)
    np.testing.assert_allclose(
        of_numbers("log(x[0])", near_one, device), np.log(near_one), rtol=1e-12, atol=4e-16
    )
    assert of_numbers("log(x[0])", np.array([0.0]), device) == -np.inf
    np.testing.assert_array_equal(of_numbers("sqrt(x[0])", numbers, device), np.sqrt(numbers))
    singles = numbers[abs(np.log10(numbers)) < 30].astype(np.float32)
    np.testing.assert_array_equal(of_numbers("sqrt(x[0])", singles, device), np.sqrt(singles))


def test_the_table_names_every_formula_of_the_kernels():
    table = sx.formulas()
    assert list(source.formulas()) == list(table)
    for name, formula in table.items():
        assert formula.name == name
        assert formula.expression
        assert len(formula.description) > 5
    assert table["shifted_gaussian"].parameters == ("sigma", "cutoff")
    assert table["power"].reads_values
    assert not table["gaussian"].reads_values
    lines = str(table).splitlines()
    assert len(lines) == len(table)
    assert max(map(len, lines)) < 140
    assert lines[2].split(maxsplit=1) == ["gaussian(sigma)", table["gaussian"].description]


@pytest.mark.parametrize("axis", [1, 0])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_expression_reads_points_values_parameters_and_indices(device, axis, dtype):
    x, y, values = point_sets(2, dtype)
    if axis == 0:
        values = np.random.default_rng(0).random((len(x), 5)).astype(dtype)
    text = "(i < j) * (b[0] * dx[1] - b[2] * x[0]) + min(y[1], p[1]) * real(2) / 4 + 0.25"
    found = sx.reduce(text, x, y, values, parameters=(7, 0.5), axis=axis, device=device)
    i, j = np.arange(len(x))[:, None], np.arange(len(y))[None]
    b = values[None] if axis == 1 else values[:, None]
    dx = x[:, None] - y[None]
    pairs = (i < j) * (b[..., 0] * dx[..., 1] - b[..., 2] * x[:, None, 0])
    pairs = pairs + np.minimum(y[None, :, 1], 0.5) * 0.5 + 0.25
    np.testing.assert_allclose(sx.to_host(found), pairs.sum(axis), rtol=1e-4, atol=1e-4)


def test_an_expression_has_the_bits_of_the_equivalent_built_in_formula(device):
    x, y, values = point_sets()
    rate = 1 / (2 * 0.3**2)
    for name, text, named in (
        ("gaussian", "exp(-p[0] * d2)", {"sigma": 0.3}),
        ("distance", "sqrt(d2)", {}),
    ):
        built_in = sx.reduce(name, x, y, values, device=device, **named)
        written = sx.reduce(text, x, y, values, parameters=(rate,), device=device)
        assert sx.to_host(built_in).tobytes() == sx.to_host(written).tobytes()


@pytest.mark.parametrize(
    ("text", "of_pair"),
    [
        ("1/2*d2", lambda d2, i, j: d2 / 2),
        ("exp(1) + d2", lambda d2, i, j: np.e + d2),
        ("sqrt(2)*d2 - 010", lambda d2, i, j: np.sqrt(2) * d2 - 10),
        ("i % 3 == j % 3", lambda d2, i, j: i % 3 == j % 3),
        ("i % j == 0 || i < 2", lambda d2, i, j: (i % np.maximum(j, 1) == 0) | (j == 0) | (i < 2)),
        ("3 / (j + 1)", lambda d2, i, j: 3 / (j + 1)),
        ("j < 2 ? 1 : d2", lambda d2, i, j: np.where(j < 2, 1, d2)),
        ("2 - -(i - j) * 3 - 1.5e0", lambda d2, i, j: 2 + (i - j) * 3 - 1.5),
        ("min(i, j) + max(1, d2) - abs(i - j)",
         lambda d2, i, j: np.minimum(i, j) + np.maximum(1, d2) - abs(i - j)),
        ("!(i < j) & 1 ^ (d2 > .5)", lambda d2, i, j: (i >= j) ^ (d2 > 0.5)),
    ],
)  # fmt: skip
def test_an_expression_equals_the_oracle(text, of_pair, device):
    """Whole numbers are exact among themselves, and real in a division or with a real operand."""
    x, y, _ = point_sets(3, "float64")
    x, y = x[:9], y[:21]
    d2 = ((x[:, None] - y[None]) ** 2).sum(2)
    i, j = np.arange(9)[:, None], np.arange(21)[None]
    expected = np.broadcast_to(of_pair(d2, i, j), d2.shape).sum(1)
    np.testing.assert_allclose(sx.to_host(sx.reduce(text, x, y, device=device)), expected)


@pytest.mark.parametrize(
    "text",
    [
        "norm(x - 2 * y) + dot(x[0:2], dx[1:3]) + squared_distance(x, p[0] * y) ** 2",
        "sum(concat(x, d2, -y)[1:6] ** 3) / (1 + d2 ** -2 + x[0] ** 0)",
        "sum(where(x < y, clamp(x, .2, p[0]), b[0:3])) + step(dx[0]) - sign(dx[1])",
        *sx.formulas(),
    ],
)
def test_the_tree_of_a_formula_has_the_values_of_the_kernels(text, device):
    x, y, values = point_sets(3, "float64")
    named = sx.formulas()[text].parameters if text in sx.formulas() else ()
    p = dict.fromkeys(named, 0.7) if text in sx.formulas() else (0.7,)
    chosen = choose(text, p, {}, 3, 5)
    b = values if chosen.reads_values else None
    found = sx.to_host(sx.reduce(text, x, y, b, parameters=p, device=device))
    arrays = {"x": x, "y": y, "b": values, "p": np.array(chosen.p)}
    expected = evaluate(chosen.tree, arrays, len(x), len(y))[..., 0].sum(1)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("rate", [0.7, -0.7])
def test_an_exponential_may_grow_or_decay(rate, device):
    x, y, _ = point_sets(3, "float64")
    d2 = ((x[:, None] - y[None]) ** 2).sum(2, keepdims=True)
    text = "exp(concat(-p[0] * d2, -sqrt(d2) / p[0] ** 2, -d2, -p[0], p[0] * -d2 - d2, d2 * p[0]))"
    parts = (-rate * d2, -np.sqrt(d2) / rate**2, -d2, -rate + 0 * d2, -rate * d2 - d2, d2 * rate)
    found = sx.reduce(text, x, y, parameters=rate, device=device)
    expected = np.exp(np.concatenate(parts, axis=2)).sum(1)
    np.testing.assert_allclose(sx.to_host(found), expected, rtol=1e-12)


def test_names_of_variables_are_in_no_code():
    sizes = {"of_x": {"system": 2}, "of_y": {"asm": 1}}
    chosen = choose("system * asm + goto", {"goto": 1.0}, {}, 3, None, **sizes)
    assert not re.search("system|asm|goto", chosen.code)
    assert "x[3] * y[3]" in chosen.code


@pytest.mark.parametrize("axis", [1, 0])
@pytest.mark.parametrize("reduction", ["sum", "min", "argmax", "logsumexp"])
def test_a_formula_of_named_variables_has_several_results(device, reduction, axis):
    x, y, _ = point_sets(2, "float64")
    random = np.random.default_rng(1)
    u, v, w = random.random((len(x), 5)), random.random((len(y), 5)), random.random(len(y))
    text = "exp(-squared_distance(u, v) / s) * concat(w * dx, u + weight * v)"
    parameters = {"s": 0.3, "weight": [1.0, 2.0, 3.0, 4.0, 5.0]}
    found = sx.reduce(
        text, x, y, of_x={"u": u}, of_y={"v": v, "w": w}, parameters=parameters,
        axis=axis, reduction=reduction, device=device,
    )  # fmt: skip
    far = ((u[:, None] - v[None]) ** 2).sum(-1, keepdims=True)
    dx, both = x[:, None] - y[None], u[:, None] + np.arange(1, 6) * v[None]
    pairs = np.exp(-far / 0.3) * np.concatenate([w[None, :, None] * dx, both], -1)
    by_numpy = {"logsumexp": lambda pairs, axis: np.log(np.exp(pairs).sum(axis))}
    expected = by_numpy.get(reduction, getattr(np, reduction, None))(pairs, axis)
    np.testing.assert_allclose(sx.to_host(found), expected, rtol=1e-11)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"of_x": {"u": np.ones(3)}}, "u must be an array of shape (157,) or (157, d)"),
        ({"of_x": {"u": np.ones(157)}}, "u must be an array of float32"),
        ({"of_x": {"exp": np.ones(157, "f")}}, "of_x must be a dict of names that have no other"),
        ({"of_x": {"d 2": np.ones(157, "f")}}, "of_x must be a dict of names to arrays"),
        ({"of_y": {"u": np.ones(273, "f")}, "parameters": {"u": 1}}, "have no other meaning"),
        ({"of_y": [np.ones(273, "f")]}, "of_y must be a dict"),
        ({"parameters": {"s": "1"}}, "s must be numbers"),
        ({"reduction": "collect"}, "reduction must be one of the others for a formula of 3"),
        ({"values": np.ones(273, "f")}, "values must be read by a formula of 3 components"),
    ],
)
def test_invalid_variables_are_rejected(options, words):
    assert words in refusal("dx + 0", **options)


@pytest.mark.parametrize("text", ["i % j", "i % (j - j)", "(d2 < 1) % (d2 < 2)", "i / j < 1",
                                  "(d2 > 9) / (d2 > 9) < 1", "10 / (j - i) > 1"])  # fmt: skip
def test_no_division_stops_the_process(text):
    """Columns beyond the last have index 0; the sums may be infinite or NaN."""
    x, _, _ = point_sets()
    assert sx.reduce(text, x[:20], x[:20], device="cpu").shape == (20,)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("x[1e9]", "x must be followed by a number"),
        ("x[3.0]", "x must be followed by a number"),
        ("x[1 + 1]", "x must be followed by a number"),
        ("x[1][2]", "found '[' (character 5)"),
        ("d2) + (d2", "expected an operator, found ')' (character 3)"),
        ("d2), (1.0", "expected an operator, found ')'"),
        ("d2, d2", "expected an operator, found ','"),
        ("i = 3", "found '=' (character 3). Use == for comparisons"),
        ("d2 += 1", "expected a value, found '='"),
        ("d2++", "found '++'"),
        ("i < 2 and j", "found 'and' (character 7). Use &&"),
        ("d2^2", "^ requires integers (i, j, or literals without a point); use ** for powers"),
        ("i << 2", "found '<<'"),
        ("d2 +", "expected a value, found the end"),
        ("x[0] y[0]", "expected an operator, found 'y' (character 6)"),
        ("(((", "expected a value, found the end"),
        ("(d2", "expected an operator or ')', found the end"),
        ("d2 % 2", "% requires integers"),
        ("min(d2)", "min has 2 arguments; got 1"),
        ("d2(1)", "expected an operator, found '('"),
        ("(" * 300 + "d2" + ")" * 300, "the nesting depth exceeds 60"),
    ],
)
def test_a_syntax_error_in_an_expression_is_located(formula, words):
    assert words in refusal(formula)


def test_a_compile_error_quotes_the_formula_and_the_compiler(device):
    x, y, _ = point_sets()
    with pytest.raises(sx.InputError, match=re.escape("The formula 'd2 +* 2' does not compile: ")):
        sx.reduce("d2 +* 2", x, y, device=device)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("gausian", ["got 'gausian'", "Did you mean 'gaussian'?", "wendland"]),
        ("exq(d2)", ["unknown name 'exq'", "Did you mean 'exp'"]),
        ("d2; system(0)", ["one expression", "';'"]),
        ("d2 } {", ["one expression"]),
        ("d2 \\\n + 1", ["one expression"]),
        ("#include <x>", ["one expression", "'#'"]),
        ("x[3]", ["reads x[3]", "x has 3 entries"]),
        ("p[0] * d2", ["reads p[0]", "p has 0 entries"]),
        ("b[0]", ["values must be given, because the formula 'b[0]' reads b"]),
        ("x[i]", ["x must be followed by a number"]),
        ("x[0:2] - y", ["- requires equal dimensions, or 1; got 2 and 3"]),
        ("x[1:4]", ["it reads x[1:4]; x has 3 entries"]),
        ("dot(x, d2)", ["dot requires equal dimensions; got 3 and 1"]),
        ("", ["formula must be one expression, or one of", "gaussian"]),
        (7, ["formula must be one expression, or one of", "7"]),
        ("gaussian", ["sigma must be given for formula 'gaussian'"]),
        ("power", ["values must be given for formula 'power'"]),
        ("d2" + " + d2" * 500, ["2000 characters"]),
    ],
)
def test_an_invalid_formula_is_rejected(formula, words):
    text = refusal(formula)
    for word in words:
        assert word in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sigma": 0.0}, ["sigma must be a positive finite number; got 0.0"]),
        ({"sigma": -1}, ["sigma", "-1"]),
        ({"sigma": np.nan}, ["sigma", "nan"]),
        ({"sigma": "wide"}, ["sigma", "'wide'"]),
        (
            {"parameters": (1.0, 2.0)},
            ["no more numbers than formula 'gaussian' has parameters (sigma); got (1.0, 2.0)"],
        ),
        ({"parameters": {"sigmas": 2.0}}, ["sigmas", "Did you mean 'sigma'?"]),
        ({"parameters": (np.inf,)}, ["parameters must be finite"]),
        ({"parameters": (10**400,)}, ["parameters must be finite"]),
    ],
)
def test_invalid_parameters_of_formulas_are_rejected(options, words):
    text = refusal("gaussian", **options)
    for word in words:
        assert word in text


def test_parameters_may_be_an_array(device):
    x, y, _ = point_sets()
    for numbers in (np.array([2.0, 3.0]), np.array([2, 3], np.float32), [np.float32(2), 3]):
        given = {"a": np.array(2.0), "p": numbers}
        found = sx.reduce("p[0] + p[1] + a - 2", x, y, parameters=given, device=device)
        assert sx.to_host(found)[0] == 5 * len(y)


def test_named_parameters_of_an_expression_are_rejected():
    x, y, _ = point_sets()
    with pytest.raises(TypeError, match=r"has no option 'sigma'; an expression has no named param"):
        sx.reduce("d2 * 2", x, y, sigma=1.0, device="cpu")


def test_without_a_compiler_the_built_ins_are_named(monkeypatch):
    x, y, _ = point_sets()
    monkeypatch.setenv("CXX", "no-such-compiler")
    local_compiler.load_compiled.cache_clear()
    with pytest.raises(sx.KernelError, match=r"no-such-compiler.*require no compiler: .*gaussian"):
        sx.reduce("d2 * 1.5", x, y, device="cpu")
    sx.reduce("gaussian", x, y, sigma=1.0, device="cpu")


def test_only_the_user_can_write_to_a_compiled_formula(own_cache):
    x, y, _ = point_sets()
    local_compiler.load_compiled.cache_clear()
    sx.reduce("d2 * 3.25", x, y, device="cpu")
    libraries = list(own_cache.glob("*.so"))
    assert libraries
    assert [p.suffix for p in own_cache.iterdir()] == [".so"] * len(libraries)
    assert stat.S_IMODE(own_cache.stat().st_mode) == 0o700
    before = {p: p.stat().st_mtime_ns for p in libraries}
    local_compiler.load_compiled.cache_clear()
    sx.reduce("d2 * 3.25", x, y, device="cpu")
    assert {p: p.stat().st_mtime_ns for p in own_cache.glob("*.so")} == before


def test_two_processes_can_compile_a_formula_concurrently(tmp_path):
    script = (
        "import numpy as np, separatrix as sx\n"
        "x = np.arange(6.0).reshape(2, 3)\n"
        "print(sx.reduce('d2 * 7.75', x, x, device='cpu').tolist())\n"
    )
    environment = {
        **os.environ,
        "SEPARATRIX_CACHE": str(tmp_path / "both"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for process in running:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        assert out.strip() == "[209.25, 209.25]"
    assert len(list((tmp_path / "both").iterdir())) == 1


def test_an_error_in_the_formula_precedes_other_errors():
    log = "written.h:1:2: error: expected ')'\nformula:1:3: error: no \u2018z\u2019 here\n"
    assert compiler.first_error(log) == "no 'z' here"
    assert compiler.first_error("a.h:1: error: one\nb.h:1: error: two") == "one"
