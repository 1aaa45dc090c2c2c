"""Source of the functions and of PyVista's accessor: one explicit keyword per option."""

from __future__ import annotations

import importlib
import re
import textwrap
from collections.abc import Iterable

from separatrix.options import Option, Options, options_of
from separatrix_vtk.generate.function_texts import FUNCTIONS, Function

WIDTH = 100
HEAD = '''\
"""{}

Written by `make generated` from the declarations in `separatrix.options`.
"""

from __future__ import annotations

'''
TAIL = """\
    progress: Progress | None = None,
    progress_bar: bool = False,
"""
OF_EVERY_CALL = (
    "progress : callable, optional",
    "    Called with the completed fraction and the name of a stage. It may raise",
    "    `separatrix.Cancelled` to stop the computation.",
    "progress_bar : bool, default False",
    "    Whether to show the progress on stderr.",
)


def functions_source() -> str:
    """Return the source of `separatrix_vtk.functions`."""
    head = HEAD.format("Filters as functions: a dataset in, its outputs out, errors as exceptions.")
    returned = sorted({one.returns for one in FUNCTIONS.values() if one.returns != "Any"})
    prepared = sorted({one.prepare.partition("(")[0] for one in FUNCTIONS.values()} - {"None"})
    imports = [
        "import os",
        "from collections.abc import Iterable",
        "from typing import Any, Literal\n",
        "from separatrix.options import known_keywords",
        "from separatrix_vtk.base.call import run",
        "from separatrix_vtk.base.filter import Progress",
        *sorted(
            f"from separatrix_vtk.{one.module} import {one.filter}" for one in FUNCTIONS.values()
        ),
        _import("separatrix_vtk.function_inputs", prepared),
        _import("separatrix_vtk.function_outputs", returned),
    ]
    sources = (_function(name, one) for name, one in FUNCTIONS.items())
    return head + "\n".join(imports) + "\n\n\n" + "\n\n".join(sources)


def accessor_source() -> str:
    """Return the source of `separatrix_vtk.accessor`."""
    head = HEAD.format("The functions on one PyVista dataset, as methods.").replace(
        "import os\n", ""
    )
    returned = sorted({one.returns for one in FUNCTIONS.values() if one.returns != "Any"})
    names = [name for name in FUNCTIONS if name != "read_molecule"]
    imports = [
        "from collections.abc import Iterable",
        "from typing import Any, Literal\n",
        "from separatrix.options import known_keywords",
        "from separatrix_vtk import functions",
        "from separatrix_vtk.base.filter import Progress",
        _import("separatrix_vtk.function_outputs", returned),
    ]
    head += "\n".join(imports) + "\n\n\n"
    head += 'class Methods:\n    """Methods of `mesh.separatrix`."""\n\n'
    head += "    def __init__(self, dataset: Any) -> None:\n        self._dataset = dataset\n\n"
    return head + "\n".join(_method(name, FUNCTIONS[name]) for name in names)


def _import(module: str, names: list[str]) -> str:
    lines = "".join(f"    {name},\n" for name in names)
    return f"from {module} import (\n{lines})"


def owner_of(function: Function) -> type[Options]:
    """Return the filter of a function."""
    module = importlib.import_module(f"separatrix_vtk.{function.module}")
    return getattr(module, function.filter)


def _options(function: Function) -> list[Option]:
    """The options that are keywords of a function and not among its inputs."""
    return [
        one
        for one in options_of(owner_of(function)).values()
        if not one.pipeline_only and one.name not in (*function.inputs, *function.omitted)
    ]


def _signature(function: Function, *, is_method: bool = False) -> str:
    inputs = [f"    {name}: {text[0]},\n" for name, text in function.inputs.items()]
    inputs.insert(function.positional, "    *,\n")
    width = WIDTH - 4 if is_method else WIDTH
    keywords = [_keyword(one, width) for one in _options(function)]
    return "".join([*inputs[is_method:], *keywords, TAIL])


def _keyword(option: Option, width: int) -> str:
    line = f"    {option.name}: {_type(option)} = {source_of(option.default)},\n"
    if len(line) <= width + 1:
        return line
    head, _, rest = line.partition("[")
    choices, _, tail = rest.partition("]")
    return f"{head}[\n        {choices}\n    ]{tail}"


def _function(name: str, function: Function) -> str:
    options = _options(function)
    passed = {**function.first, **{one.name: one.name for one in options}}
    given = "".join(f"        {option}={source},\n" for option, source in passed.items())
    ran = f'run("{name}", filter, dataset, progress, progress_bar)'
    result = f"{ran}[0]" if function.returns == "Any" else f"{function.returns}(*{ran})"
    if len(f"    return {result}") > WIDTH:
        inner = result.removeprefix(f"{function.returns}(").removesuffix(")")
        result = f"{function.returns}(\n        {inner}\n    )"
    return (
        f"@known_keywords\ndef {name}(\n{_signature(function)}) -> {function.returns}:\n"
        + _documentation(function, list(function.inputs))
        + f"    filter = {function.filter}(\n{given}    )\n"
        + f"    dataset = {function.prepare}\n    return {result}\n"
    )


def _method(name: str, function: Function) -> str:
    others = list(function.inputs)[1:]
    passed = [*others, *(one.name for one in _options(function)), "progress", "progress_bar"]
    given = "".join(f"        {one}={one},\n" for one in passed)
    text = (
        f"@known_keywords\ndef {name}(\n    self,\n"
        f"{_signature(function, is_method=True)}) -> {function.returns}:\n"
        + re.sub(
            rf"(?m)^(    (?:>>>|\.\.\.) .*?)\b{name}\(([\w.]+(?:\(\))?)(?:, )?",
            rf"\1\2.separatrix.{name}(",
            _documentation(function, others),
        )
        + f"    return functions.{name}(\n        self._dataset,\n{given}    )\n"
    )
    return textwrap.indent(text, "    ", lambda line: line.strip() != "")


def _documentation(function: Function, inputs: Iterable[str]) -> str:
    lines = [f'"""{function.summary}', "", "Parameters", "----------"]
    for name in inputs:
        _, kind, text = function.inputs[name]
        lines += [f"{name} : {kind}", *_wrapped(text)]
    for option in _options(function):
        lines += [f"{option.name} : {_kind(option)}", *_wrapped(_text(option))]
    lines += [*OF_EVERY_CALL, "", "Returns", "-------"]
    lines += [function.returns.replace("Any", "dataset"), *_wrapped(function.result)]
    lines += ["", "Examples", "--------", *function.example.splitlines(), '"""']
    return "".join(f"    {line}\n" if line else "\n" for line in lines)


def _wrapped(text: str) -> list[str]:
    indent = " " * 4
    return textwrap.wrap(text, WIDTH - 8, initial_indent=indent, subsequent_indent=indent)


def _text(option: Option) -> str:
    text = option.help(lambda name, value: f"`{name}={value}`" if value else f"`{name}`")
    is_bounded = option.at_most is not None or option.above is not None or len(option.choices) > 4
    return f"{text} Must be {option.described()}." if is_bounded else text


def _kind(option: Option) -> str:
    """The type of an option as numpydoc writes it."""
    if option.choices:
        shown = [*option.choices, *([option.accepts] if option.accepts else [])]
        text = "{" + ", ".join(map(source_of, shown)) + "}" if len(shown) < 5 else "str"
    elif option.length is not None:
        count = f"{option.length} " if option.length else ""
        text = f"sequence of {count}{option.kind.__name__}"
    else:
        text = option.kind.__name__
    return f"{text}, optional" if option.default in (None, ()) else (
        f"{text}, default {source_of(option.default)}"
    )  # fmt: skip


def _type(option: Option) -> str:
    return option.hint.replace("'", '"')


def source_of(value: object) -> str:
    """Return a value as source, with double quotes."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
