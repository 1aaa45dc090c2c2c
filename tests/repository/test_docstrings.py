"""The docstrings of what `separatrix` exports are its manual: parameters, results, errors."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass

import pytest

import separatrix as sx

FUNCTIONS = [name for name in sx.__all__ if inspect.isfunction(getattr(sx, name))]
TABLES = [name for name in sx.__all__ if is_dataclass(getattr(sx, name))]
ELSEWHERE = re.compile(r"those of\s+:func:|as (?:in|for)\s+:(?:func|class):|as everywhere", re.I)
"""A docstring that sends the reader to another one for the parameters that it leaves out."""
NAMES_SUFFICE = ("DeviceReport",)
PLAIN = ("pinned_empty",)  # NumPy's parameters


def unnamed(text: str, names: list[str]) -> list[str]:
    """Names that a text does not have as words."""
    return [name for name in names if not re.search(rf"\b{name}\b", text)]


def test_a_name_counts_only_as_a_word():
    assert unnamed("lengths of x, y : float", ["x", "y", "length"]) == ["length"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_names_its_parameters_or_says_where_they_stand(name: str):
    function = getattr(sx, name)
    text = inspect.getdoc(function) or ""
    missing = unnamed(text, list(inspect.signature(function).parameters))
    assert ELSEWHERE.search(text) or name in PLAIN or not missing


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_whose_parameters_are_listed_says_what_it_returns(name: str):
    text = inspect.getdoc(getattr(sx, name)) or ""
    assert "Parameters\n---" not in text or re.search(r"\n(Returns|Yields)\n---", text)


@pytest.mark.parametrize("name", TABLES)
def test_a_dataclass_names_each_of_its_fields(name: str):
    kind = getattr(sx, name)
    own = [field.name for field in fields(kind) if not field.name.startswith("_")]
    texts = [inspect.getdoc(base) or "" for base in kind.__mro__ if is_dataclass(base)]
    assert name in NAMES_SUFFICE or unnamed(" ".join(texts), own) == []
