"""The Typer application, which reads a line of arguments: made from the commands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix.options import Option
from separatrix_vtk.cli.command import ABOUT, LETTERS, Command, flag_of, is_flag, metavar_of
from separatrix_vtk.cli.commands import COMMANDS
from separatrix_vtk.cli.completion import completion_of, starting_with

UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # of click, or of Typer's own copy
app = typer.Typer(
    name="separatrix", help=ABOUT, pretty_exceptions_enable=False, rich_markup_mode=None
)


@app.callback(invoke_without_command=True)
def _of_separatrix(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    plugin_path: Annotated[
        bool, typer.Option("--plugin-path", help="Print the plugin file to load in ParaView.")
    ] = False,
) -> None:
    """The options of the command itself, for completion; `app.py` runs them without Typer."""


def function_for(command: Command) -> Callable[..., None]:
    """The function that Typer calls, with the signature of a command."""

    def call(**texts: Any) -> None:
        command.run(texts)

    signature = _signature(command)
    call.__name__, call.__doc__ = command.function.__name__, command.function.__doc__
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
    return call


def _signature(command: Command) -> inspect.Signature:
    made: dict[str, tuple[Any, Any]] = {}
    if first := command.input:
        declared = typer.Argument(
            metavar=first.name, help=first.about, autocompletion=first.complete
        )
        kind: Any = Path if first.is_required else Path | None
        default = inspect.Parameter.empty if first.is_required else None
        made["input"] = (Annotated[kind, declared], default)
    if command.output:
        declared = typer.Argument(metavar="OUTPUT", help=command.output)
        made["output"] = (Annotated[Path | None, declared], None)
    if command.ports:
        chosen = typer.Option("--port", "-p", autocompletion=starting_with(command.ports))
        made["port"] = (Annotated[str | None, chosen], None)
    for name, one in command.options.items():
        made[name] = (_annotation(one, is_read=name in command.reads), None)
    for name in command.flags:
        made[name] = (Annotated[bool | None, typer.Option(flag_of(name))], None)
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature(
        [inspect.Parameter(n, kind, annotation=a, default=d) for n, (a, d) in made.items()]
    )


def _annotation(one: Option, is_read: bool) -> Any:
    declared = typer.Option(
        *filter(None, (LETTERS.get(one.name), flag_of(one))),
        metavar=None if is_flag(one) else metavar_of(one),
        autocompletion=completion_of(one),
    )
    if is_flag(one):
        return Annotated[bool | None, declared]
    return Annotated[list[str] | None if is_read or one.length == 0 else str | None, declared]


for _name, _command in COMMANDS.items():
    app.command(_name)(function_for(_command))
