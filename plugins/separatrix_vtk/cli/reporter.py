"""Output of a command: a table or one JSON object on stdout, messages on stderr."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from separatrix.errors import LongRunWarning
from separatrix.options import Options, option
from separatrix_vtk.base.signals import say
from separatrix_vtk.cli.progress import Step, progress_bar, stopping_at_ctrl_c
from separatrix_vtk.cli.summary import print_json, printable
from separatrix_vtk.io.problems import FileWarning


class OutputOptions(Options):
    """Printed output."""

    json: bool = option(
        default=False, group="Printing", summary="Print one JSON object and nothing else."
    )
    quiet: bool = option(default=False, group="Printing", summary="Print only errors.")


class Reporter:
    """Prints the results, the warnings and the error of one command."""

    def __init__(self) -> None:
        self.json = self.quiet = False
        self.warnings: list[str] = []
        self.spell: Callable[..., str] = lambda name, value="": f"{name}={value}" if value else name

    def begin(self, arguments: list[str]) -> None:
        """Forget the last command. --json is looked for here, since parsing may fail."""
        options = arguments[: arguments.index("--")] if "--" in arguments else arguments
        self.__init__()  # type: ignore[misc]
        self.json = "--json" in options

    def set_options(self, options: OutputOptions) -> None:
        """Apply the options of the command."""
        self.json, self.quiet = options.json, options.quiet

    @contextmanager
    def progress(self) -> Iterator[Step]:
        """The progress callback of a computation: a bar on a terminal. Ctrl-C stops it."""
        with progress_bar(not self.quiet) as bar, stopping_at_ctrl_c(bar) as step:
            yield step

    def result(self, summary: Mapping[str, Any], print_table: Callable[[], None]) -> None:
        """Print the result of a command; the table is for people."""
        if self.json:
            print_json({**summary, "warnings": self.warnings})
        elif not self.quiet:
            print_table()

    def warning(self, message: object) -> None:
        """Print a warning on stderr; the JSON object contains it too."""
        text = str(message)
        self.warnings.append(text)
        if not self.quiet:
            say(f"separatrix: warning: {printable(text)}")

    def error(self, message: str, code: int) -> None:
        """Print the error that ended a command."""
        say(f"separatrix: {printable(message)}")
        if self.json:
            with suppress(OSError):  # which may be what the message is about
                print_json({"error": message, "exit_code": code})

    def watch(self, filter: Any) -> None:
        """Print the warnings of a filter, without VTK's class name and address."""

        def issued(_filter: Any, _event: str, text: str) -> None:
            self.warning(text)

        issued.CallDataType = "string0"  # type: ignore[attr-defined]
        filter.AddObserver("WarningEvent", issued)
        filter.spell_with(self.spell)

    @contextmanager
    def python_warnings(self) -> Iterator[None]:
        """Print warnings about files and about long computations as soon as they are issued."""

        def issued(message: Any, category: type[Warning], *about: Any, **more: Any) -> None:
            if issubclass(category, LongRunWarning):
                self.warning(f"{message.render(self.spell)}; Ctrl-C stops it")
            elif issubclass(category, FileWarning):
                self.warning(message)
            else:
                before(message, category, *about, **more)

        with warnings.catch_warnings():
            for category in (LongRunWarning, FileWarning):
                warnings.simplefilter("always", category)
            before, warnings.showwarning = warnings.showwarning, issued
            yield


reporter = Reporter()
