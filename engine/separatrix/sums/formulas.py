"""Formulas of a pair of points: the built-in ones, and validation of custom expressions.

A formula is one expression of the names in kernels/sums/pairs.h. The host library contains the
built-in formulas; custom expressions (expression.py) are compiled on first use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..arguments import as_real
from ..errors import InputError, Words
from ..kernels import source
from ..options import unknown_option
from .checks import other_unit, positive
from .expression import NAMES, Meaning, did_you_mean, does_not_compile, names_in, parsed
from .generate import statements
from .tree import (
    PARAMETER,
    FormulaError,
    Node,
    X,
    Y,
    binary,
    call,
    constant,
    dot,
    in_order,
    variable,
)

MAX_PARAMETERS = 8


@dataclass(frozen=True)
class Formula:
    """A built-in formula with its parameters, which are lengths.

    `expression` reads ``p``, which is computed from the parameters; see `description`.
    """

    name: str
    expression: str
    parameters: tuple[str, ...]
    description: str

    @property
    def reads_values(self) -> bool:
        """Whether it reads ``b``; otherwise a sum multiplies it by the values."""
        return "b" in names_in(self.expression)


class Formulas(dict[str, Formula]):
    """Formulas by name, printed one per line."""

    def __repr__(self) -> str:
        called = [f"{name}({', '.join(formula.parameters)})" for name, formula in self.items()]
        width = max(map(len, called), default=0)
        lines = zip(called, self.values(), strict=True)
        return "\n".join(f"{call:{width}}  {formula.description}" for call, formula in lines)


@dataclass(frozen=True)
class Chosen:
    """A formula with its numbers."""

    name: str | None  # of a built-in formula
    expression: str
    p: tuple[float, ...]
    reads_values: bool
    tree: Node
    code: str = ""  # C++ text of an expression
    is_swapped: bool = False  # axis 0: rows are y, columns are x

    @property
    def reads_products(self) -> bool:
        """Whether it reads squared distances, whose range is checked."""
        return any(node.op == "dot" for node in in_order(self.tree))

    @property
    def text(self) -> str:
        """Text that replaces sums/written.h, before the shape of the problem."""
        if self.name is not None:
            return f"typedef formulas::{self.name} PairFormula;\n"
        opens = "FORMULA_OPENS_SWAPPED" if self.is_swapped else "FORMULA_OPENS"
        return (
            f'{opens}(written)\n#line 1 "formula"\n{self.code}\n'
            '#line 1 "written.h"\nFORMULA_CLOSES\ntypedef formulas::written PairFormula;\n'
        )


def _gaussian(sigma: float) -> tuple[float, ...]:
    return (1 / (2 * sigma * sigma),)


def _shifted_gaussian(sigma: float, cutoff: float) -> tuple[float, ...]:
    rate = 1 / (2 * sigma * sigma)
    return (rate, cutoff * cutoff, math.exp(-rate * cutoff * cutoff))


_ROWS: dict[str, tuple[Callable[..., tuple[float, ...]], tuple[str, ...], str]] = {
    "squared_distance": (lambda: (), (), "squared distance d2"),
    "distance": (lambda: (), (), "distance sqrt(d2)"),
    "gaussian": (_gaussian, ("sigma",), "exp(-d2 / (2 sigma^2))"),
    "shifted_gaussian": (
        _shifted_gaussian,
        ("sigma", "cutoff"),
        "exp(-d2 / (2 sigma^2)) - exp(-cutoff^2 / (2 sigma^2)) up to the cutoff, 0 beyond: no step",
    ),
    "laplacian": (lambda sigma: (1 / sigma,), ("sigma",), "exp(-sqrt(d2) / sigma)"),
    "power": (lambda: (), (), "power distance d2 - b[0], b[0] the squared radius of y"),
    "within": (lambda radius: (radius * radius,), ("radius",), "1 if d2 <= radius^2, else 0"),
    "wendland": (
        lambda radius: (1 / radius, radius * radius),
        ("radius",),
        "(1 - q)^4 (4 q + 1) with q = sqrt(d2) / radius, 0 from q = 1 on (Wendland 1995, C2)",
    ),
}


EXPECTED = f"one expression, or one of {', '.join(_ROWS)}"


def formulas() -> dict[str, Formula]:
    """Return the built-in formulas by name; when printed, with their descriptions.

    Returns
    -------
    dict of str to Formula

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.formulas()["gaussian"].parameters
    ('sigma',)
    """
    expressions = source.formulas()
    return Formulas(
        (name, Formula(name, expressions[name], parameters, description))
        for name, (_, parameters, description) in _ROWS.items()
    )


def choose(
    formula: Any,
    parameters: Any,
    named: dict[str, Any],
    n_dimensions: int,
    n_values: int | None,
    options: Iterable[str] = (),
) -> Chosen:
    """Return a validated formula with its numbers; raise InputError, or TypeError for `named`."""
    if not isinstance(formula, str) or not formula.strip():
        raise InputError("formula", EXPECTED, formula)
    text = formula.strip()
    if text in _ROWS:
        return _built_in(text, parameters, named, n_dimensions, n_values, options)
    if text.isidentifier() and text not in NAMES:
        raise InputError("formula", EXPECTED, formula, did_you_mean(text, _ROWS))
    p = _numbers(parameters)
    if named:
        raise TypeError(
            f"{unknown_option('reduce()', next(iter(named)), options)}; an expression has no named "
            "parameters, so set parameters=(...), which it reads as p[0], p[1], ..."
        )
    if "b" in names_in(text) and n_values is None:
        raise InputError("values", f"given, because the formula {text!r} reads b", None)
    names = _meanings(n_dimensions, n_values or 0, len(p))
    tree = parsed(text, names)
    if tree.dimension > 1:
        reason = f"its value has {tree.dimension} components; apply sum() or dot() to it"
        raise does_not_compile(text, reason)
    try:
        lines, values = statements(
            tree, {name: (name, 0) for name in ("x", "y", "b", "p")}, n_dimensions
        )
    except FormulaError as error:
        raise does_not_compile(text, str(error)) from None
    code = "\n".join([*lines, f"return {values[0]};"])
    return Chosen(None, text, p, "b" in names_in(text), tree, code)


def _meanings(n_dimensions: int, n_values: int, n_p: int) -> dict[str, Meaning]:
    """Return the nodes that the names of an expression stand for."""
    x, y = variable("x", X, n_dimensions), variable("y", Y, n_dimensions)
    dx = binary("-", x, y)
    b, p = variable("b", Y, n_values), variable("p", PARAMETER, n_p)
    return {"x": x, "y": y, "dx": dx, "d2": dot(dx, dx), "b": b, "p": p}


# Functions of kernels/sums/pairs.h that only the built-in formulas call.
_OF_KERNELS: dict[str, Meaning] = {
    "decay": lambda a, rate: call("exp", binary("*", binary("-", constant(0), a), rate)),
    "fourth_power": lambda a: binary("**", a, constant(4)),
    "fused": lambda a, b, c: binary("+", binary("*", a, b), c),
}


def _built_in(
    name: str,
    parameters: Any,
    named: dict[str, Any],
    n_dimensions: int,
    n_values: int | None,
    options: Iterable[str],
) -> Chosen:
    make, wanted, _ = _ROWS[name]
    listed = ", ".join(wanted) or "none"
    if isinstance(parameters, dict):
        given = dict(parameters)
    else:
        numbers = _numbers(parameters)
        given = dict(zip(wanted, numbers, strict=False))
        if len(numbers) > len(wanted):
            expected = f"the {len(wanted)} parameters of formula {name!r} ({listed})"
            raise InputError("parameters", expected, numbers)
    for key in given:
        if key not in wanted:
            expected = f"a dict with the parameters of formula {name!r} ({listed})"
            got = Words(f"one with {key!r}")
            raise InputError("parameters", expected, got, did_you_mean(key, wanted))
    for key in named:
        if key not in wanted:
            raise TypeError(unknown_option("reduce()", key, [*wanted, *options]))
    given.update(named)
    for key in wanted:
        if key not in given:
            raise InputError(key, f"given for formula {name!r}, a positive length", None)
    numbers = tuple(positive(given[key], key) for key in wanted)
    chosen = formulas()[name]
    if chosen.reads_values and n_values is None:
        expected = f"given for formula {name!r}, which is the {chosen.description}"
        raise InputError("values", expected, None)
    p = make(*numbers)
    names = _OF_KERNELS | _meanings(n_dimensions, n_values or 0, len(p))
    return Chosen(name, chosen.expression, p, chosen.reads_values, parsed(chosen.expression, names))


def _numbers(parameters: Any) -> tuple[float, ...]:
    if isinstance(parameters, Real):
        parameters = (parameters,)
    if isinstance(parameters, np.ndarray) and parameters.ndim == 1:
        parameters = parameters.tolist()
    if isinstance(parameters, str | dict) or not isinstance(parameters, Sequence | tuple):
        expected = "numbers, or for a formula by name a dict of its parameters"
        raise InputError("parameters", expected, parameters)
    for k, value in enumerate(parameters):
        if not isinstance(value, Real) or not math.isfinite(as_real(value + 0)):
            raise InputError("parameters", "finite numbers", value, where=f"[{k}]")
    if len(parameters) > MAX_PARAMETERS:
        raise InputError("parameters", f"at most {MAX_PARAMETERS} numbers", parameters)
    return tuple(map(float, parameters))


def check_parameters(chosen: Chosen, dtype: np.dtype) -> None:
    """Reject parameters that leave the range of a dtype. Raises InputError."""
    limits = np.finfo(dtype)
    for q, value in enumerate(chosen.p):
        may_vanish = chosen.name == "shifted_gaussian" and q == 2  # the value at a far cutoff
        is_small = 0 < abs(value) < float(limits.tiny) and not may_vanish
        if is_small or abs(value) > float(limits.max):
            expected = f"in the range of {dtype} for formula {chosen.name or chosen.expression!r}"
            raise InputError("p", expected, value, other_unit(dtype), where=f"[{q}]")
