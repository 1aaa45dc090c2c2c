"""Options that several commands share, as groups: a parameter of a group's type has them all.

    @capability(see="docs/rips.md")
    def rips(input: ..., *, execution: Execution, telling: Telling) -> None: ...

is a command with the options of Execution and Telling among its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import wraps
from typing import Any, ClassVar, get_args, get_type_hints

from separatrix_vtk.shell.ends import plain_errors

Command = Callable[..., None]


class Group:
    """The base of dataclasses whose fields are options; TITLE stands above them in the manual."""

    TITLE: ClassVar[str] = ""


@dataclass(frozen=True)
class Manual:
    """What the manual says of a command besides its docstring and its options.

    ports: those of --port, and what they hold; json: key -> meaning; see: pages of the docs.
    """

    ports: Mapping[str, str] = field(default_factory=dict)
    json: Mapping[str, str] = field(default_factory=dict)
    see: str = ""


def capability(
    *, ports: Mapping[str, str] | None = None, json: Mapping[str, str] | None = None, see: str = ""
) -> Callable[[Command], Command]:
    """Make a function a command: groups become options, errors end as sentences."""

    def made(function: Command) -> Command:
        command = _with_options_of_groups(function)
        command.manual = Manual(ports or {}, json or {}, see)  # type: ignore[attr-defined]
        return command

    return made


def _with_options_of_groups(function: Command) -> Command:
    hints = get_type_hints(function, include_extras=True)
    own, groups = inspect.signature(function).parameters, dict[str, type[Group]]()
    parameters: list[inspect.Parameter] = []
    for name, parameter in own.items():
        hint = hints[name]
        if isinstance(hint, type) and issubclass(hint, Group):
            groups[name] = hint
            parameters += _options_of(hint)
        else:
            parameters.append(_keyword(name, parameter.default, hint))

    @wraps(function)
    def command(**given: Any) -> None:
        with plain_errors():
            made = {
                name: group(**{f.name: given.pop(f.name) for f in _fields(group)})
                for name, group in groups.items()
            }
            function(**given, **made)

    del command.__wrapped__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    return command


def _options_of(group: type[Group]) -> list[inspect.Parameter]:
    hints, made = get_type_hints(group, include_extras=True), []
    for option in _fields(group):
        hint = hints[option.name]
        get_args(hint)[1].rich_help_panel = group.TITLE
        default = inspect.Parameter.empty if option.default is MISSING else option.default
        made.append(_keyword(option.name, default, hint))
    return made


def _keyword(name: str, default: Any, hint: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=hint)


def _fields(group: Any) -> tuple[Field[Any], ...]:
    return fields(group)
