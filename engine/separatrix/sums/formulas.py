"""Formulas of a pair: the table of built-ins, and the check of a caller's own expression.

A formula is one C++ expression over the names of kernels/sums/pairs.h. Built-ins are compiled into
the host library; a caller's expression (expression.py) is compiled when it is first used.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels import source
from .expression import NAMES, closest, compiled_text, names_in

MAX_PARAMETERS = 8
SHORTEST, LONGEST = 1e-150, 1e150  # lengths whose squares are in the range of float64


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
        return "b" in names_in(self.expression)


class Formulas(dict[str, Formula]):
    """Formulas by name; printed, a line each."""

    def __repr__(self) -> str:
        called = [f"{name}({', '.join(formula.parameters)})" for name, formula in self.items()]
        width = max(map(len, called), default=0)
        lines = zip(called, self.values(), strict=True)
        return "\n".join(f"{call:{width}}  {formula.description}" for call, formula in lines)


@dataclass(frozen=True)
class Chosen:
    """A formula with its numbers: a built-in's name, or None and the caller's expression.

    `code` is the C++ text of such an expression.
    """

    name: str | None
    expression: str
    p: tuple[float, ...]
    reads_values: bool
    code: str = ""
    is_swapped: bool = False  # axis 0: rows are y, columns are x

    @property
    def text(self) -> str:
        """What stands in the place of sums/written.h before the shape of the problem."""
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


def formulas() -> dict[str, Formula]:
    """The built-in formulas, by name; printed, the table says of each what it is.

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
    if text.isidentifier() and text not in NAMES:
        raise InputError(f"there is no formula {text!r}{closest(text, _ROWS)}")
    p = _numbers(parameters)
    if named:
        raise InputError(
            f"{next(iter(named))} is no option of reduce, and an expression has no named "
            "parameters; give numbers as parameters=(...), read as p[0], p[1], ..."
        )
    code = compiled_text(text, n_dimensions, n_values, len(p))
    return Chosen(None, text, p, "b" in names_in(text), code)


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
    """A positive length, whose square is finite and not 0, as a float. Raises InputError."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0 < value < math.inf:
        raise InputError(f"{name} must be a positive finite number, not {value!r}")
    if not isinstance(value, int):
        value = float(value)
    if not SHORTEST <= value <= LONGEST:
        raise InputError(
            f"{name} must be {SHORTEST:g} to {LONGEST:g}, so that its square is in the range of "
            f"float64, not {value!r}; choose another unit of length"
        )
    return float(value)


def _numbers(parameters: Any) -> tuple[float, ...]:
    if isinstance(parameters, Real):
        parameters = (parameters,)
    if isinstance(parameters, np.ndarray) and parameters.ndim == 1:
        parameters = parameters.tolist()
    if isinstance(parameters, str | dict) or not isinstance(parameters, Sequence | tuple):
        raise InputError(
            "parameters must be a sequence of numbers, or for a formula by name a dict of its "
            f"named ones, not {parameters!r}"
        )
    for k, value in enumerate(parameters):
        if not isinstance(value, Real) or not _is_finite(value):
            raise InputError(f"parameters must be finite numbers: parameters[{k}] is {value!r}")
    if len(parameters) > MAX_PARAMETERS:
        raise InputError(f"there may be {MAX_PARAMETERS} parameters, got {len(parameters)}")
    return tuple(map(float, parameters))


def _is_finite(value: Real) -> bool:
    """Whether it is finite as float64: not every whole number of Python is."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
