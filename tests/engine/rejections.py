"""Assertions about errors of invalid input, for tables of invalid arguments."""

from collections.abc import Callable
from typing import Any

import pytest

import separatrix as sx


def assert_rejected(named: str, call: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """A call raises an InputError of this parameter and its part, or with these words."""
    with pytest.raises(sx.InputError) as raised:
        call(*arguments, **options)
    error = raised.value
    assert "\n" not in str(error)
    if error.parameter:
        assert f"{error.parameter}{error.where}" == named
    else:
        assert named in str(error)
