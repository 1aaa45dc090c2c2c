"""Validation of single arguments: flags and numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from .errors import InputError, plain

OPEN_RANGES = {0: "a non-negative integer", 1: "a positive integer"}


def checked_flag(value: Any, name: str) -> bool:
    """Return a flag, which may be a NumPy bool or 1 or 0. Raises InputError."""
    flag = plain(value)
    if isinstance(flag, Integral) and flag in (0, 1):
        return bool(flag)
    raise InputError(name, "True or False", value)


def as_real(value: Any) -> float:
    """Return a real number as a float: inf beyond its range, NaN for other types and bools.

    It may be a NumPy scalar or an array without dimensions.
    """
    value = plain(value)
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    number: Any = value
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def checked_whole(value: Any, name: str, least: int, most: int | None = None) -> int:
    """Return an integer from `least` to `most`, which may be a NumPy integer. Raises InputError."""
    whole = plain(value)
    try:
        number = least - 1 if isinstance(whole, bool) else operator.index(whole)
    except TypeError:
        number = least - 1
    if number >= least and (most is None or number <= most):
        return number
    if most is not None and most < least:
        raise InputError(name, "an existing index", value, "None exists.")
    expected = f"an integer from {least:,} to {most:,}" if most is not None else OPEN_RANGES[least]
    raise InputError(name, expected, value)


def is_one_of(value: Any, choices: Iterable[Any]) -> bool:
    """Return whether a value is one of some strings or numbers; arrays are not."""
    return isinstance(value, (str, Real)) and value in choices


def check_one_of(name: str, value: Any, choices: Iterable[str]) -> None:
    """Raise InputError unless a value is one of some strings."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(name, f"one of {', '.join(choices)}", value)


def is_prime(number: int, most: int) -> bool:
    """Return whether an integer is a prime up to `most`."""
    return 2 <= number <= most and all(number % d for d in range(2, math.isqrt(number) + 1))
