"""Errors and warnings: one sentence for people, and the same content as data for front ends.

    InputError("radii", "positive", -0.1, "Remove these balls.", where="[17]", count=3)
    radii must be positive; got radii[17] = -0.1 (3 invalid values). Remove these balls.

A sentence that is not about the value of one parameter is a message. In a message and in a remedy,
`{relative}` is the name of a parameter and `{relative=True}` a parameter set to a value; each front
end spells them its own way (`--relative`, "Threshold Mode") with `render`.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

LONGEST = 400  # characters of a message
NAME = re.compile(r"\{((?:--)?[A-Za-z_]\w*)(?:=([^{}]*))?\}")

Spelling = Callable[[str, str], str]


def as_in_python(name: str, value: str = "") -> str:
    """Spell a parameter, or a parameter with its value, as a keyword argument."""
    return f"{name}={value}" if value else name


def spelled(text: str, spell: Spelling = as_in_python) -> str:
    """Return a text with the parameters in braces spelled by a front end."""
    return NAME.sub(lambda found: spell(found[1], found[2] or ""), text)


def one_line(text: object) -> str:
    """Return a text as one line of at most about `LONGEST` characters."""
    line = " ".join(str(text).split())
    if len(line) > LONGEST:
        line = f"{line[: LONGEST * 2 // 3]} ... {line[-LONGEST // 4 :]}"
    return line


def plain(value: Any) -> Any:
    """Return a NumPy scalar or an array without dimensions in Python's type, others as they are."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    return value


class Words(str):
    """A description that an error contains without quotes: "shape (3, 4)"."""

    __slots__ = ()
    __repr__ = str.__str__


class SeparatrixError(Exception):
    """Base class of the errors that Separatrix raises.

    Attributes
    ----------
    parameter : str
        Name of the parameter in the engine; "" if the error is not about one parameter.
    expected, got
        What the parameter must be, and what it was. `got` is a simple value or a description.
    where : str
        The part of the parameter that is invalid, such as "[17]".
    count : int
        Number of invalid values, if more than one is counted.
    remedy : str
        What to do, with other parameters in braces.
    """

    def __init__(
        self,
        parameter: object = "",
        expected: str | None = None,
        got: Any = None,
        remedy: str = "",
        *,
        where: str = "",
        count: int = 0,
        message: str = "",
    ) -> None:
        if expected is None:  # SeparatrixError(message)
            parameter, message = "", message or str(parameter)
        self.parameter, self.expected, self.got = str(parameter), expected or "", _simple(got)
        self.remedy, self.where, self.count, self.message = remedy, where, count, message
        super().__init__(self.render())

    def render(self, spell: Spelling = as_in_python) -> str:
        """Return the sentence in one line, with parameters as a front end spells them."""
        if not self.expected:
            remedy = f" {self.remedy}" if self.remedy else ""
            return one_line(spelled(f"{self.message}{remedy}", spell))
        name, got = spell(self.parameter, ""), repr(self.got)
        if self.where:
            got = f"{name}{self.where} = {got}"
        if self.count:
            got += f" ({self.count:,} invalid value{'s' * (self.count > 1)})"
        text = f"{name} must be {spelled(self.expected, spell)}; got {got}."
        return one_line(f"{text} {spelled(self.remedy, spell)}")


class InputError(SeparatrixError, ValueError):
    """The input is invalid. The message states the expected and actual values, and a remedy."""

    def rename(self, names: Mapping[str, str], reword: Callable[[str], str] = str) -> None:
        """Give parameters other names, and change the words of the texts."""

        def spell(name: str, value: str) -> str:  # the braces stay, for `render`
            return f"{{{as_in_python(names.get(name, name), value)}}}"

        self.parameter = names.get(self.parameter, self.parameter)
        self.message, self.expected, self.remedy = (
            reword(spelled(text, spell)) for text in (self.message, self.expected, self.remedy)
        )
        self.args = (self.render(),)


class DeviceMemoryError(SeparatrixError, MemoryError):
    """Memory is insufficient. The message states the required amount and a remedy.

    Attributes
    ----------
    needed, free : int or None
        Required and free bytes, if known.
    """

    def __init__(
        self, message: object = "", *, needed: int | None = None, free: int | None = None
    ) -> None:
        self.needed, self.free = needed, free
        super().__init__(message)


class DeviceUnavailable(SeparatrixError, RuntimeError):
    """The requested device cannot be used. The message states the reason."""


class KernelError(SeparatrixError, RuntimeError):
    """The kernels could not be loaded, compiled, or run: a broken installation or a bug."""


class LongRunWarning(RuntimeWarning):
    """The computation will take minutes or longer; the message states how to shorten it."""

    def __init__(self, message: object = "") -> None:
        self.message = str(message)
        super().__init__(self.render())

    def render(self, spell: Spelling = as_in_python) -> str:
        """Return the sentence with parameters as a front end spells them."""
        return spelled(self.message, spell)


class Canceled(Exception):
    """Raised in a ``progress=`` callback to stop the computation; the running call passes it on."""


def wrong_shape(name: str, expected: str, array: Any, remedy: str = "") -> InputError:
    """Return the error about the shape of an array."""
    return InputError(name, expected, Words(f"shape {tuple(array.shape)}"), remedy)


def wrong_dtype(name: str, expected: str, array: Any, remedy: str = "") -> InputError:
    """Return the error about the dtype of an array."""
    return InputError(name, expected, Words(f"dtype {array.dtype}"), remedy)


def check_progress(progress: Any) -> None:
    """Raise InputError unless `progress` is None or callable."""
    if progress is not None and not callable(progress):
        got = Words(type(progress).__name__)
        raise InputError("progress", "callable as progress(fraction, stage)", got)


def shown(value: Any) -> Any:
    """Return a string, number, or None as it is, and words that name the type of other values."""
    is_simple = value is None or isinstance(value, (bool, int, float, complex, str))
    return value if is_simple else Words(f"an object of type {type(value).__name__}")


def as_sentence(text: str) -> str:
    """Return a text that begins with a capital letter and ends with a period."""
    return f"{text[:1].upper()}{text[1:]}."


def duration(seconds: float) -> str:
    """Return a duration, rounded, in the unit that a person would choose."""
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:,.0f} {unit}"
    return f"{max(seconds, 2):.0f} seconds"


def warn_caller(message: str, category: type[Warning]) -> None:
    """Issue a warning at the line that called the package."""
    package = str(Path(__file__).parent)
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _simple(value: Any) -> Any:
    """A value that can be pickled and keeps no data alive: itself, or its text."""
    value = plain(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)) and len(value) <= 8:
        return type(value)(map(_simple, value)) if type(value) in (list, tuple) else Words(value)
    return Words(one_line(repr(value)))
