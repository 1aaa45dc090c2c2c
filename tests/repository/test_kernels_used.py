"""Every entry point of the kernel headers is launched by the engine."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from separatrix.kernels import source

ENGINE = Path(__file__).resolve().parents[2] / "engine" / "separatrix"
TABLES = (source.kernels, source.block_kernels, source.host_tasks, source.host_loops)
WIDTH = r"_(16|32)$"
"""Endings of the names of tasks that have a form for each width of their items."""
LEAST_LETTERS = 4
"""Fixed letters that a name put together at run time must have, to name kernels by them."""


def names_in(text: str) -> Iterator[str]:
    """Patterns of the names in the strings of a source; a gap of an f-string is any word."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.escape(node.value)
        elif isinstance(node, ast.JoinedStr):
            fixed = [
                re.escape(part.value) if isinstance(part, ast.Constant) else r"\w+"
                for part in node.values
            ]
            if len(re.sub(r"[^a-z]", "", "".join(fixed).replace(r"\w+", ""))) >= LEAST_LETTERS:
                yield "".join(fixed)


@cache
def patterns_of_the_engine() -> set[str]:
    """Patterns of all sources that could be names."""
    sources = [path.read_text(encoding="utf-8") for path in ENGINE.rglob("*.py")]
    found = {pattern for text in sources for pattern in names_in(text)}
    return {pattern for pattern in found if re.fullmatch(r"(\w|\\w\+)+", pattern)}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_entry_point_of_the_kernels_is_launched(table):
    patterns = patterns_of_the_engine()
    plain = {pattern for pattern in patterns if "\\" not in pattern}
    gapped = re.compile("|".join(sorted(patterns - plain)))

    def is_launched(name):
        return name in plain or bool(gapped.fullmatch(name))

    left_over = [
        name
        for name in table()
        if not is_launched(name) and not is_launched(re.sub(WIDTH, "", name))
    ]
    assert left_over == []


def test_every_header_is_included_or_launched_from():
    units = [path.read_text(encoding="utf-8") for path in (ENGINE / "kernels").rglob("*.cpp")]
    included = {
        name
        for text in [*units, *source.headers().values()]
        for name in re.findall(r'#include "([\w/]+\.h)"', text)
    }
    entered = {kernel.header for table in TABLES for kernel in table().values()}
    assert set(source.headers()) <= included | entered
