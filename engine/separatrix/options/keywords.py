"""Unknown keywords: a TypeError that suggests the closest one; Python itself does so since 3.13."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def unknown_option(called: str, name: str, known: Iterable[str]) -> str:
    """Return the sentence about an option that does not exist."""
    close = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.7)
    return f"{called} has no option {name!r}" + (f"; did you mean {close[0]!r}?" if close else "")


def known_keywords(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a public function: an unknown keyword raises TypeError with a suggestion."""
    names = set(inspect.signature(function).parameters)

    @functools.wraps(function)
    def called(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        for name in keywords.keys() - names:
            is_class = function.__name__ == "__init__"
            named = type(arguments[0]).__name__ if is_class else f"{function.__name__}()"
            raise TypeError(unknown_option(named, name, names))
        return function(*arguments, **keywords)

    return called
