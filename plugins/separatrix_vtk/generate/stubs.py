"""Stubs for type checkers and editors: the functions and the accessor of PyVista."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from inspect import Parameter
from typing import Any

import separatrix_vtk
from separatrix_vtk import functions
from separatrix_vtk.accessor import Methods
from separatrix_vtk.base.function import source_of

WIDTH = 100
HEAD = '''\
"""{}

Written by `make generated` (plugins/separatrix_vtk/generate/stubs.py).
"""

'''
IMPORTS = """\
from collections.abc import Iterable
from typing import Any, Literal

from separatrix_vtk.base.filter import Progress
"""


def functions_stub() -> str:
    """Return the stub of `separatrix_vtk.functions`. Raises ValueError if one is not public."""
    head = HEAD.format("Functions of `separatrix_vtk`, for type checkers and editors.")
    made = [
        one
        for _, one in sorted(vars(functions).items())
        if getattr(one, "__module__", "") == functions.__name__
    ]
    names = [one.__name__ for one in made]
    if hidden := set(names) - set(separatrix_vtk.MODULE_OF):
        raise ValueError(
            f"{', '.join(sorted(hidden))}: declared in functions.py, but not imported in "
            "separatrix_vtk/__init__.pyi"
        )
    listed = "".join(f"    {source_of(name)},\n" for name in names)
    public = f"__all__ = [\n{listed}]\n"
    head = f"{head}import os\n{IMPORTS}{_outputs(made)}\n{public}\n"
    return head + "\n".join(map(_function, made))


def accessor_stub() -> str:
    """Return the stub of `separatrix_vtk.accessor`."""
    head = HEAD.format("Methods of `mesh.separatrix`, for type checkers and editors.")
    made = [one for name, one in vars(Methods).items() if not name.startswith("_")]
    methods = "\n".join(textwrap.indent(_function(one, WIDTH - 4), "    ") for one in made)
    return (
        f"{head}{IMPORTS}{_outputs(made)}\n"
        "class Methods:\n    def __init__(self, dataset: Any) -> None: ...\n" + methods
    )


def _outputs(made: list[Callable[..., Any]]) -> str:
    names = {inspect.signature(one).return_annotation for one in made} - {"Any"}
    lines = "".join(f"    {name},\n" for name in sorted(names))
    return f"from separatrix_vtk.function_outputs import (\n{lines})\n"


def _function(function: Callable[..., Any], width: int = WIDTH) -> str:
    """Signature and summary of a function."""
    signature = inspect.signature(function)
    lines, is_keyword = [], False
    for one in signature.parameters.values():
        if one.kind is Parameter.KEYWORD_ONLY and not is_keyword:
            lines.append("*,")
            is_keyword = True
        lines.append(_parameter(one, width))
    listed = textwrap.indent("\n".join(lines), "    ")
    summary = (inspect.getdoc(function) or "").partition("\n")[0]
    return (
        f"def {function.__name__}(\n{listed}\n) -> {signature.return_annotation}:\n"
        f'    """{summary}"""\n'
    )


def _parameter(one: Parameter, width: int) -> str:
    hint = "" if one.annotation is Parameter.empty else f": {one.annotation}"
    text = one.name + hint.replace("'", '"')
    if one.default is not Parameter.empty:
        text += f" = {source_of(one.default)}"
    if len(text) + 5 <= width:
        return f"{text},"
    head, _, rest = text.partition("[")
    choices, _, tail = rest.partition("]")
    return f"{head}[\n    {choices}\n]{tail},"
