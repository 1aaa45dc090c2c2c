"""The examples of the documentation of public functions and classes print what they say."""

import doctest
import inspect
import io

import pytest

import separatrix as sx

FUNCTIONS = [name for name in sx.__all__ if inspect.isfunction(getattr(sx, name))]


def examples_of(name: str) -> list[doctest.DocTest]:
    found = doctest.DocTestFinder().find(getattr(sx, name), name, globs={})
    return [one for one in found if one.examples]


@pytest.mark.parametrize("name", sx.__all__)
def test_examples_print_their_expected_output(name):
    examples = examples_of(name)
    assert examples or name not in FUNCTIONS
    for one in examples:
        if "import torch" in (one.docstring or ""):
            pytest.importorskip("torch")
        reported = io.StringIO()
        assert doctest.DocTestRunner().run(one, out=reported.write).failed == 0, reported.getvalue()
