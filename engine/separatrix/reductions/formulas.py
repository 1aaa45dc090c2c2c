"""Formulas of a pair: the table of built-ins, and the check of a caller's own expression.

A formula is one C++ expression over the names of kernels/pairs.h. Built-ins are compiled into the
host library; a caller's expression is compiled when it is first used. It is code: take none from a
stranger. The check keeps it one expression over known names with indices in bounds.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from ..errors import InputError
from ..kernels import source

MAX_PARAMETERS = 8
POINT_NAMES = ("x", "y", "dx")
NAMES = (*POINT_NAMES, "d2", "b", "p", "i", "j", "real", "true", "false")
FUNCTIONS = ("exp", "log", "sqrt", "min", "max", "abs")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(
    r"(?<![\w.])(\d+\.\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)"
)


@dataclass(frozen=True)
class Formula:
    """A formula by name: what it says, and the numbers it takes, all in the unit of lengths.

    `expression` reads ``p``, which is made of the parameters: see `description`.
    """

    name: str
    expression: str
    parameters: tuple[str, ...]
    description: str

    @property
    def reads_values(self) -> bool:
        """Whether it reads ``b``; if not, a sum multiplies it by the values."""
        return "b" in _NAME.findall(self.expression)


@dataclass(frozen=True)
class Chosen:
    """A formula with its numbers: a built-in's name, or None and the caller's expression."""

    name: str | None
    expression: str
    p: tuple[float, ...]
    reads_values: bool
    is_swapped: bool = False  # axis 0: rows are y, columns are x

    @property
    def text(self) -> str:
        """What stands in the place of written.h before the shape of the problem."""
        if self.name is not None:
            return f"typedef formulas::{self.name} PairFormula;\n"
        opens = "FORMULA_OPENS_SWAPPED" if self.is_swapped else "FORMULA_OPENS"
        return (
            f'{opens}(written)\n#line 1 "formula"\n{as_real(self.expression)}\n'
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


def formulas() -> dict[str, Formula]:
    """The built-in formulas, by name.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.formulas()["gaussian"].parameters
    ('sigma',)
    """
    expressions = source.formulas()
    return {
        name: Formula(name, expressions[name], parameters, description)
        for name, (_, parameters, description) in _ROWS.items()
    }


def choose(
    formula: Any, parameters: Any, named: dict[str, Any], n_dimensions: int, n_values: int | None
) -> Chosen:
    """The formula asked for, checked with all its numbers. Raises InputError."""
    if not isinstance(formula, str) or not formula.strip():
        raise InputError(
            f"formula must be a name ({', '.join(_ROWS)}) or one C++ expression, not {formula!r}"
        )
    text = formula.strip()
    if text in _ROWS:
        return _built_in(text, parameters, named, n_values)
    if _NAME.fullmatch(text) and text not in NAMES:
        raise InputError(f"there is no formula {text!r}{closest(text, _ROWS)}")
    p = _numbers(parameters)
    if named:
        raise InputError(
            f"{next(iter(named))} is no option of reduce, and an expression has no named "
            "parameters; give numbers as parameters=(...), read as p[0], p[1], ..."
        )
    _check_expression(text, n_dimensions, n_values, len(p))
    return Chosen(None, text, p, "b" in _NAME.findall(text))


def closest(name: Any, known: Any) -> str:
    """What to add to a refusal: the nearest of the known names, then all of them."""
    near = difflib.get_close_matches(str(name), list(known), 1)
    hint = f"; did you mean {near[0]!r}?" if near else ";"
    return f"{hint} there are {', '.join(known)}"


def as_real(expression: str) -> str:
    """The expression with its decimal numbers in the precision of the call."""
    return _NUMBER.sub(r"real(\1)", expression)


def _built_in(name: str, parameters: Any, named: dict[str, Any], n_values: int | None) -> Chosen:
    make, wanted, _ = _ROWS[name]
    given = dict(parameters) if isinstance(parameters, dict) else {}
    if not isinstance(parameters, dict) and len(_numbers(parameters)):
        given = dict(zip(wanted, _numbers(parameters), strict=False))
        if len(given) != len(_numbers(parameters)):
            raise InputError(
                f"formula {name!r} takes {len(wanted)} parameters ({', '.join(wanted) or 'none'}), "
                f"got {len(_numbers(parameters))}"
            )
    given.update(named)
    for key in given:
        if key not in wanted:
            takes = f"takes {', '.join(wanted)}" if wanted else "takes no parameters"
            near = difflib.get_close_matches(str(key), wanted, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InputError(f"{key} is no option of reduce, and formula {name!r} {takes}{hint}")
    for key in wanted:
        if key not in given:
            raise InputError(f"formula {name!r} needs {key}, a positive length; give {key}=...")
    numbers = [positive(given[key], key) for key in wanted]
    chosen = formulas()[name]
    if chosen.reads_values and n_values is None:
        raise InputError(f"formula {name!r} reads values: {chosen.description}; give values (n,)")
    return Chosen(name, chosen.expression, make(*numbers), chosen.reads_values)


def positive(value: Any, name: str) -> float:
    """A positive finite length as a float. Raises InputError."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value <= 0:
        raise InputError(f"{name} must be a positive finite number, not {value!r}")
    return float(value)


def _numbers(parameters: Any) -> tuple[float, ...]:
    if isinstance(parameters, Real):
        parameters = (parameters,)
    if isinstance(parameters, str | dict) or not isinstance(parameters, Sequence | tuple):
        raise InputError(
            "parameters must be a sequence of numbers, or for a formula by name a dict of its "
            f"named ones, not {parameters!r}"
        )
    for k, value in enumerate(parameters):
        if not isinstance(value, Real) or not math.isfinite(value):
            raise InputError(f"parameters must be finite numbers: parameters[{k}] is {value!r}")
    if len(parameters) > MAX_PARAMETERS:
        raise InputError(f"there may be {MAX_PARAMETERS} parameters, got {len(parameters)}")
    return tuple(map(float, parameters))


def _check_expression(text: str, n_dimensions: int, n_values: int | None, n_p: int) -> None:
    """One expression, over known names, every index a number in bounds. Raises InputError."""
    where = f"the formula {text!r}"
    for token in (";", "{", "}", "#", "\\", '"', "'", "\n", "`", "@", "$"):
        if token in text:
            raise InputError(f"{where} must be one C++ expression: {token!r} can't stand in it")
    if len(text) > 2000:
        raise InputError(f"a formula may have 2000 characters, got {len(text)}")
    if "b" in _NAME.findall(text) and n_values is None:
        raise InputError(f"{where} reads b, but no values were given")
    bounds = dict.fromkeys(POINT_NAMES, n_dimensions) | {"b": n_values or 0, "p": n_p}
    for match in _NAME.finditer(re.sub(_NUMBER, "0", text)):
        name = match[0]
        if name not in (*NAMES, *FUNCTIONS):
            raise InputError(
                f"{where} has the unknown name {name!r}{closest(name, (*NAMES[:8], *FUNCTIONS))}"
            )
        if name not in bounds:
            continue
        index = re.match(r"\s*\[\s*(\d+)\s*\]", re.sub(_NUMBER, "0", text)[match.end() :])
        if index is None:
            raise InputError(f"{where}: {name} must be followed by a number in brackets: {name}[0]")
        if int(index[1]) >= bounds[name]:
            raise InputError(
                f"{where} reads {name}[{int(index[1])}], but {name} has {bounds[name]} entries"
            )
