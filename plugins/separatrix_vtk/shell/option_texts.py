"""What the texts of options mean: numbers within bounds, and choices; else one sentence.

The parsers are given to typer, whose own checks differ from version to version in what they say.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Any


class WrongOption(Exception):
    """An option or argument that cannot be; no ValueError: typer tells those its own way."""


Parser = Callable[[Any], Any]


def main_name(names: Sequence[str]) -> str:
    """The name of an option in sentences: its first long one; others are older, or a letter."""
    return next((name for name in names if name.startswith("--")), names[0])


def whole_number(option: str, low: int, high: int) -> Parser:
    """A parser of whole numbers from low to high."""

    def number(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        if re.fullmatch(r"[+-]?\d{1,18}", text.strip()) and low <= int(text) <= high:
            return int(text)
        raise WrongOption(
            f"{option} must be a whole number from {low} to {high}, not {shown(text)}"
        )

    return number


def real_number(
    option: str, low: float = -math.inf, *, above: bool = False, infinite: bool = False
) -> Parser:
    """A parser of finite numbers from low on; above: larger than low; infinite: inf as well."""
    bound = "" if low == -math.inf else f" above {low:g}" if above else f" from {low:g} up"

    def number(text: Any) -> Any:
        if not isinstance(text, str):
            return text
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        fits = (value > low if above else value >= low) and (math.isfinite(value) or infinite)
        if not fits:
            raise WrongOption(f"{option} must be a number{bound}, not {shown(text)}")
        return value

    return number


def word(option: str, words: Sequence[str]) -> Parser:
    """A parser of one of several words."""

    def choice(text: Any) -> Any:
        if text is None or text in words:
            return text
        raise WrongOption(
            f"{option} must be {either(words)}, not {shown(text)}{meant(text, words)}"
        )

    return choice


def device(option: str) -> Parser:
    """A parser of auto, cpu, cuda and cuda:N."""

    def name(text: Any) -> Any:
        if re.fullmatch(r"auto|cpu|cuda(:\d{1,4})?", str(text)):
            return text
        raise WrongOption(f"{option} must be auto, cpu, cuda or cuda:N, not {shown(text)}")

    return name


def meant(text: str, words: Iterable[str]) -> str:
    """The hint at the word that is close to the text, if one is."""
    close = get_close_matches(text, list(words), n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


def either(words: Sequence[str]) -> str:
    """Words as in a sentence: a, b or c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def shown(text: str) -> str:
    """A text within a sentence, which an empty one would leave without an end."""
    return text if text.strip() == text and text else repr(text)
