"""Single arguments of public calls, checked: flags and numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from .errors import InputError


def checked_flag(value: Any, name: str) -> bool:
    """True or False, also as a NumPy bool or as 1 or 0. Raises InputError."""
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, Integral) and value in (0, 1)):
        return bool(value)
    raise InputError(name, "True or False", value)


def as_real(value: Any) -> float:
    """A real number as a float, infinite beyond its range; NaN for what is no number, or a bool."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    number: Any = value
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def checked_whole(value: Any, name: str, least: int, most: int) -> int:
    """A whole number from `least` to `most`, no bool. Raises InputError."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    number = int(value) if is_whole else least - 1
    if most < least:
        raise InputError(f"{name} must be one of those that there are, and there are none")
    if not least <= number <= most:
        raise InputError(f"{name} must be a whole number from {least} to {most:,}, not {value!r}")
    return number


def is_one_of(value: Any, choices: Iterable[Any]) -> bool:
    """Whether a value is one of a few texts or numbers; an array of them is none."""
    return isinstance(value, (str, Real)) and value in choices


def is_prime(number: int, most: int) -> bool:
    """Whether a whole number is a prime up to `most`."""
    return 2 <= number <= most and all(number % d for d in range(2, math.isqrt(number) + 1))
