"""Filters as functions: run on a dataset, return all outputs, raise an exception on errors.

Signature and documentation come from the declarations of the options. A PyVista dataset gives
PyVista datasets. Nothing is copied: outputs share arrays with the input.
"""

from __future__ import annotations

import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from inspect import Parameter
from types import MappingProxyType
from typing import Any, TextIO

from separatrix import InputError
from separatrix.errors import check_progress
from separatrix.options import Option, known_keywords, options_of
from separatrix_vtk.base.datasets import in_pyvista_terms, is_from_pyvista, wrapper_for
from separatrix_vtk.base.filter import Filter, Progress

WIDTH, WIDTH_OF_BAR = 92, 24
OF_EVERY_CALL = {
    "progress": (
        Parameter("progress", Parameter.KEYWORD_ONLY, default=None, annotation="Progress | None"),
        "callable, optional",
        "Called with the completed fraction and the name of a stage. It may raise "
        "`separatrix.Canceled` to stop the computation.",
    ),
    "progress_bar": (
        Parameter("progress_bar", Parameter.KEYWORD_ONLY, default=False, annotation="bool"),
        "bool, default False",
        "Whether to show the progress on stderr.",
    ),
}

Function = Callable[..., Any]


def function_of(
    filter: type[Filter],
    *inputs: Callable[..., Any],
    parameter_of: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[Function], Function]:
    """Decorate a function that has a docstring and no body: it then runs a filter.

    Its parameters are those of `inputs` after the filter, and by keyword the options of the filter
    that are neither among these nor in `parameter_of`: the parameter by which the function sets an
    option, and that its errors name instead. The first of `inputs` returns the dataset to run the
    filter on; their docstrings describe their parameters after the first paragraph. A return
    annotation other than Any is the class of several outputs.
    """
    given_by = [list(inspect.signature(one).parameters.values())[1:] for one in inputs]
    given = [parameter for parameters in given_by for parameter in parameters]
    taken = {one.name for one in given} | set(parameter_of)
    spelling = {"input": given[0].name, **parameter_of}
    options = [
        one
        for one in options_of(filter).values()
        if not one.pipeline_only and one.name not in taken
    ]

    def decorate(documented: Function) -> Function:
        returned = inspect.get_annotations(documented, eval_str=True)["return"]
        name = documented.__name__
        signature = inspect.Signature(
            [*given, *map(_parameter, options), *(one for one, *_ in OF_EVERY_CALL.values())],
            return_annotation=documented.__annotations__["return"],
        )

        @functools.wraps(documented)
        def call(*arguments: Any, **keywords: Any) -> Any:
            try:
                values = signature.bind(*arguments, **keywords).arguments
            except TypeError as error:
                raise TypeError(f"{name}(): {error}") from None
            progress, is_shown = values.pop("progress", None), values.pop("progress_bar", False)
            passed = {one.name: values.pop(one.name) for one in given if one.name in values}
            try:
                made = filter(**values)
                dataset, *_ = (
                    take(made, **{one.name: passed[one.name] for one in own if one.name in passed})
                    for take, own in zip(inputs, given_by, strict=True)
                )
                check_progress(progress)
                with progress_bar(name, progress) if is_shown else nullcontext(progress) as report:
                    outputs = [*map(wrapper_for(dataset), made.run(dataset, report))]
            except InputError as error:
                in_pyvista = is_from_pyvista(passed.get(given[0].name))
                error.rename(spelling, in_pyvista_terms if in_pyvista else str)
                raise
            return outputs[0] if returned is Any else returned(*outputs)

        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__doc__ = _documentation(documented, inputs, options)
        return known_keywords(call)

    return decorate


@contextmanager
def progress_bar(
    title: str, then: Progress | None, stream: TextIO | None = None
) -> Iterator[Progress]:
    """A `progress=` that prints a bar on stderr, and calls another one."""
    shown, longest = (-1, ""), 0

    def draw(percent: int, stage: str) -> None:
        nonlocal longest
        done = "#" * (percent * WIDTH_OF_BAR // 100)
        line = f"{title}: {percent:3d}% |{done:<{WIDTH_OF_BAR}}| {stage}"
        longest = max(longest, len(line))  # the previous line is overwritten
        print(f"\r{line:<{longest}}", end="", file=stream or sys.stderr, flush=True)

    def step(fraction: float, stage: str) -> None:
        nonlocal shown
        reached = (int(100 * min(max(fraction, 0.0), 1.0)), stage)
        if reached != shown:
            shown = reached
            draw(*reached)
        if then is not None:
            then(fraction, stage)

    try:
        yield step
        draw(100, "")
    finally:
        print(file=stream or sys.stderr)


def _parameter(option: Option) -> Parameter:
    kind = Parameter.KEYWORD_ONLY
    return Parameter(option.name, kind, default=option.default, annotation=option.hint)


def _documentation(documented: Function, inputs: Iterable[Function], options: list[Option]) -> str:
    summary, _, results = inspect.cleandoc(documented.__doc__ or "").partition("\n\n")
    lines = [summary, "", "Parameters", "----------"]
    for one in inputs:
        lines += (inspect.getdoc(one) or "").partition("\n\n")[2].splitlines()
    for option in options:
        lines += [f"{option.name} : {_kind(option)}", *_wrapped(_text(option))]
    for name, (_, kind, text) in OF_EVERY_CALL.items():
        lines += [f"{name} : {kind}", *_wrapped(text)]
    return "\n".join([*lines, "", results])


def _wrapped(text: str) -> list[str]:
    indent = " " * 4
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent)


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
    if option.default in (None, ()):
        return f"{text}, optional"
    return f"{text}, default {source_of(option.default)}"


def source_of(value: object) -> str:
    """Return a value as source, with double quotes."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
