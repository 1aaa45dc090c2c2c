"""Output of a command: a table or one JSON object on stdout, progress and messages on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from importlib.util import find_spec
from typing import Any

from separatrix.errors import Canceled, LongRunWarning
from separatrix.options import Options, option
from separatrix_vtk.base.signals import print_line, signals_noted, stop_if_wanted, stop_wanted
from separatrix_vtk.cli.summary import print_json, printable
from separatrix_vtk.cli.wording import in_shell_terms
from separatrix_vtk.io.errors import FileWarning

Step = Callable[[float, str], None]


class OutputOptions(Options):
    """Printed output."""

    json: bool = option(
        default=False, group="Printing", summary="Print one JSON object and nothing else."
    )
    quiet: bool = option(default=False, group="Printing", summary="Print only errors.")


class PictureOptions(Options):
    """Pictures."""

    picture: str = option(
        default="",
        group="Output",
        summary="Also draw the result into this file (.png, .svg, .pdf), without a display.",
    )


@contextmanager
def stopping_at_ctrl_c(progress: Step) -> Iterator[Step]:
    """A progress callback that stops the work after Ctrl-C; a second one does not wait for it."""

    def step(fraction: float, stage: str) -> None:
        if stop_wanted():
            raise Canceled("stopped by a signal")
        progress(fraction, stage)

    with signals_noted():
        try:
            yield step
        except Canceled:
            stop_if_wanted()
            raise
        stop_if_wanted()
        progress(1.0, "done")


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Step]:
    """A bar where stderr is a terminal and rich is installed, or nothing at all."""
    if not (wanted and sys.stderr.isatty() and find_spec("rich")):
        yield lambda fraction, stage: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    work = TextColumn("{task.description:<24}"), BarColumn()
    times = TimeElapsedColumn(), TextColumn("remaining"), TimeRemainingColumn()
    with Bar(*work, *times, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda fraction, stage: bar.update(task, completed=fraction, description=stage)


class Reporter:
    """Prints the results, the warnings and the error of one command."""

    def __init__(self) -> None:
        self.json = self.quiet = False
        self.uses_stdout = True  # for the result
        self.warnings: list[str] = []
        self.spell: Callable[..., str] = lambda name, value="": f"{name}={value}" if value else name

    def begin(self, arguments: list[str]) -> None:
        """Forget the last command. --json is looked for here, since parsing may fail."""
        options = arguments[: arguments.index("--")] if "--" in arguments else arguments
        self.__init__()  # type: ignore[misc]
        self.json = "--json" in options

    @contextmanager
    def progress(self) -> Iterator[Step]:
        """The progress callback of a computation: a bar on a terminal. Ctrl-C stops it."""
        with progress_bar(not self.quiet) as bar, stopping_at_ctrl_c(bar) as step:
            yield step

    def result(self, summary: Mapping[str, Any], print_table: Callable[[], None]) -> None:
        """Print the result of a command; the table is for people."""
        with redirect_stdout(sys.stdout if self.uses_stdout else sys.stderr):
            if self.json:
                print_json({**summary, "warnings": self.warnings})
            elif not self.quiet:
                print_table()

    def warning(self, message: object) -> None:
        """Print a warning on stderr; the JSON object contains it too."""
        text = str(message)
        self.warnings.append(text)
        if not self.quiet:
            print_line(f"separatrix: warning: {printable(text)}")

    def error(self, message: str, code: int) -> None:
        print_line(f"separatrix: {printable(message)}")
        if self.json:
            with suppress(OSError):  # which may be what the message is about
                print_json({"error": message, "exit_code": code})

    def watch(self, filter: Any) -> None:
        """Print the warnings of a filter, without VTK's class name and address."""

        def issued(_filter: Any, _event: str, text: str) -> None:
            self.warning(in_shell_terms(text))

        issued.CallDataType = "string0"  # type: ignore[attr-defined]
        filter.AddObserver("WarningEvent", issued)
        filter.spell_with(self.spell)

    @contextmanager
    def python_warnings(self) -> Iterator[None]:
        """Print warnings about files and about long computations as soon as they are issued."""

        def issued(message: Any, category: type[Warning], *about: Any, **more: Any) -> None:
            if issubclass(category, LongRunWarning):
                self.warning(f"{message.render(self.spell)} Ctrl-C stops it.")
            elif issubclass(category, FileWarning):
                self.warning(message)
            else:
                before(message, category, *about, **more)

        with warnings.catch_warnings():
            for category in (LongRunWarning, FileWarning):
                warnings.simplefilter("always", category)
            warnings.filterwarnings("ignore", "The input matrix", UserWarning)  # with --points
            before, warnings.showwarning = warnings.showwarning, issued
            yield


reporter = Reporter()
