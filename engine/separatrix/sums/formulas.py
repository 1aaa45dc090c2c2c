"""Validation of a formula of pairs of points: a built-in one, or an expression, with its numbers.

A formula is one expression of the names in kernels/sums/pairs.h. The host library contains the
built-in formulas; custom expressions (expression.py) are compiled on first use.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np

from ..arguments import as_real
from ..errors import InputError, Words
from ..options import unknown_option
from .bound_formula import BoundFormula, bind_formula
from .built_in import ROWS, formula_of
from .checks import other_unit, positive
from .evaluate import evaluate
from .expression import NAMES, Meaning, did_you_mean, does_not_compile, names_in, parsed
from .tree import (
    PARAMETER,
    FormulaError,
    Node,
    X,
    Y,
    call,
    concat,
    constant,
    dot,
    variable,
)

MAX_PARAMETERS = 1024
KEPT = 256  # formulas with their numbers, since parsing takes longer than many a reduction
EMPTY: Mapping[str, int] = MappingProxyType({})
Sizes = tuple[tuple[str, int], ...]


EXPECTED = f"one expression, or one of {', '.join(ROWS)}"


def choose(
    formula: Any,
    parameters: Any,
    named: dict[str, Any],
    n_dimensions: int,
    n_values: int | None,
    caller: Any = None,
    axis: int = 1,
    of_x: Mapping[str, int] = EMPTY,
    of_y: Mapping[str, int] = EMPTY,
    in_lengths: bool = False,
) -> BoundFormula:
    """Return a validated formula with its numbers; raise InputError, or TypeError for `named`.

    A formula is a text or a tree. `of_x` and `of_y` have the dimensions of variables by name. With
    `in_lengths`, the tree of a built-in formula reads its lengths, instead of the numbers that the
    kernels read.
    """
    is_tree = isinstance(formula, Node)
    if not is_tree and (not isinstance(formula, str) or not formula.strip()):
        raise InputError("formula", EXPECTED, formula)
    text = "a formula of variables" if is_tree else formula.strip()
    if text in ROWS:
        return _built_in(text, parameters, named, n_dimensions, n_values, caller, axis, in_lengths)
    parameter_names = parameters if isinstance(parameters, dict) else ()
    if text.isidentifier() and text not in {*NAMES, *of_x, *of_y, *parameter_names}:
        raise InputError("formula", EXPECTED, formula, did_you_mean(text, ROWS))
    if named:
        name = next(iter(named))
        raise TypeError(
            f"{_no_option(caller, name)}; an expression has no named parameters "
            f"as keywords, so set parameters={{{name!r}: ...}}, or parameters=(...) for p[0], ..."
        )
    if "b" in names_in(text) and n_values is None:
        raise InputError("values", f"given, because the formula {text!r} reads b", None)
    given = parameters if isinstance(parameters, dict) else {"p": parameters}
    vectors = {
        name: _numbers(numbers, "parameters" if numbers is parameters else name)
        for name, numbers in given.items()
    }
    sizes = tuple((name, len(vector)) for name, vector in vectors.items())
    p = tuple(number for vector in vectors.values() for number in vector)
    if len(p) > MAX_PARAMETERS:
        expected = f"at most {MAX_PARAMETERS} numbers together"
        raise InputError("parameters", expected, Words(f"{len(p)} numbers"))
    shapes = (n_dimensions, n_values or 0, axis, sizes, tuple(of_x.items()), tuple(of_y.items()))
    try:
        if not is_tree:
            return _expression(text, p, *shapes)
        return bind_formula(formula, text, p, _meanings(*shapes)[1], n_dimensions, axis)
    except FormulaError as error:
        raise does_not_compile(text, str(error)) from None


@lru_cache(KEPT)
def _expression(text: str, p: tuple[float, ...], n_dimensions: int, *shapes: Any) -> BoundFormula:
    names, layout = _meanings(n_dimensions, *shapes)
    return bind_formula(parsed(text, names), text, p, layout, n_dimensions, axis=shapes[1])


def _meanings(
    n_dimensions: int,
    n_values: int,
    axis: int,
    parameters: Sizes,
    of_x: Sizes = (),
    of_y: Sizes = (),
) -> tuple[dict[str, Meaning], dict[str, tuple[str, int]]]:
    """Return the nodes that the names of an expression stand for, and the layout of variables."""
    x, y = variable("x", X, n_dimensions), variable("y", Y, n_dimensions)
    dx = x - y
    names: dict[str, Meaning] = {
        "x": x,
        "y": y,
        "dx": dx,
        "d2": dot(dx, dx),
        "b": variable("b", Y if axis == 1 else X, n_values),
    }
    layout = {"x": ("x", 0), "y": ("y", 0), "b": ("b", 0)}
    for array, owner, sizes in (("x", X, of_x), ("y", Y, of_y), ("p", PARAMETER, parameters)):
        first = 0 if owner == PARAMETER else max(3, n_dimensions)
        for name, size in sizes:
            parameter = {X: "of_x", Y: "of_y"}.get(owner, "parameters")
            if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
                raise InputError(parameter, "a dict of names to arrays", Words(f"the key {name!r}"))
            if (name in NAMES and name != "p") or name in names:
                expected = "a dict of names that have no other meaning"
                raise InputError(parameter, expected, Words(f"the key {name!r}"))
            names[name], layout[name] = variable(name, owner, size), (array, first)
            first += size
    return names, layout


# Functions of kernels/sums/pairs.h that only the built-in formulas call.
_OF_KERNELS: dict[str, Meaning] = {
    "decay": lambda a, rate: call("exp", (0 - a) * rate),
    "fourth_power": lambda a: a**4,
    "fused": lambda a, b, c: a * b + c,
}


def _built_in(
    name: str,
    parameters: Any,
    named: dict[str, Any],
    n_dimensions: int,
    n_values: int | None,
    caller: Any,
    axis: int,
    in_lengths: bool,
) -> BoundFormula:
    wanted = ROWS[name][1]
    listed = ", ".join(wanted) or "none"
    if isinstance(parameters, dict):
        given = dict(parameters)
    else:
        numbers = _numbers(parameters)
        given = dict(zip(wanted, numbers, strict=False))
        if len(numbers) > len(wanted):
            expected = f"no more numbers than formula {name!r} has parameters ({listed})"
            raise InputError("parameters", expected, numbers)
    for key in given:
        if key not in wanted:
            expected = f"a dict with the parameters of formula {name!r} ({listed})"
            got = Words(f"one with {key!r}")
            raise InputError("parameters", expected, got, did_you_mean(key, wanted))
    for key in named:
        if key not in wanted:
            raise TypeError(_no_option(caller, key, wanted))
        if key in given:
            raise InputError(key, "given once", Words("another one in parameters"))
    given.update(named)
    for key in wanted:
        if key not in given:
            raise InputError(key, f"given for formula {name!r}, a positive length", None)
    numbers = tuple(positive(given[key], key) for key in wanted)
    chosen = formula_of(name)
    if chosen.reads_values and n_values is None:
        expected = f"given for formula {name!r}, which is the {chosen.description}"
        raise InputError("values", expected, None)
    return _built_in_of(name, numbers, n_dimensions, n_values or 0, axis, in_lengths)


@lru_cache(KEPT)
def _built_in_of(
    name: str,
    numbers: tuple[float, ...],
    n_dimensions: int,
    n_values: int,
    axis: int,
    in_lengths: bool,
) -> BoundFormula:
    numbers_read, wanted, _ = ROWS[name]
    chosen = formula_of(name)
    variables: dict[str, Meaning] = {key: variable(key, PARAMETER) for key in wanted}
    read = [parsed(text, variables) for text in numbers_read]
    if in_lengths:
        sizes = tuple((key, 1) for key in wanted)
        names, layout = _meanings(n_dimensions, n_values, axis, sizes)
        names["p"] = concat(*read) if read else constant(0)
        tree = parsed(chosen.expression, _OF_KERNELS | names)
        return bind_formula(tree, chosen.expression, numbers, layout, n_dimensions, axis)
    arrays = {key: np.array(number) for key, number in zip(wanted, numbers, strict=True)}
    p = tuple(float(evaluate(each, arrays, 1, 1)[0, 0, 0]) for each in read)
    names, layout = _meanings(n_dimensions, n_values, axis, (("p", len(p)),))
    tree = parsed(chosen.expression, _OF_KERNELS | names)
    return BoundFormula(name, chosen.expression, p, tree, layout, n_dimensions, axis == 0)


def _no_option(caller: Any, name: str, lengths: Iterable[str] = ()) -> str:
    """Return the sentence about a keyword that a function does not have."""
    return unknown_option(f"{caller.__name__}()", name, [*lengths, *caller.__kwdefaults__])


def _numbers(parameters: Any, name: str = "parameters") -> tuple[float, ...]:
    if isinstance(parameters, Real):
        parameters = (parameters,)
    if isinstance(parameters, np.ndarray) and parameters.ndim <= 1:
        parameters = parameters.reshape(-1).tolist()
    if isinstance(parameters, str | dict) or not isinstance(parameters, Sequence | tuple):
        raise InputError(name, "numbers, or a dict of parameters by name", parameters)
    for k, value in enumerate(parameters):
        if not isinstance(value, Real) or not math.isfinite(as_real(value + 0)):
            raise InputError(name, "finite numbers", value, where=f"[{k}]")
    return tuple(map(float, parameters))


def check_parameters(chosen: BoundFormula, dtype: np.dtype) -> None:
    """Reject parameters that leave the range of a dtype. Raises InputError."""
    limits = np.finfo(dtype)
    for q, value in enumerate(chosen.p):
        may_vanish = chosen.name == "shifted_gaussian" and q == 2  # the value at a far cutoff
        is_small = 0 < abs(value) < float(limits.tiny) and not may_vanish
        if is_small or abs(value) > float(limits.max):
            expected = f"in the range of {dtype} for formula {chosen.name or chosen.expression!r}"
            raise InputError("p", expected, value, other_unit(dtype), where=f"[{q}]")
