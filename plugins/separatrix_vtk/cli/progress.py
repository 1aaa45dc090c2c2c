"""How far a run is: a bar on a terminal; and signals, which stop it at its next step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

Step = Callable[[float, str], None]


@contextmanager
def stopping_at_ctrl_c(progress: Step) -> Iterator[Step]:
    """A progress callback that stops the work after Ctrl-C; a second one does not wait for it."""
    from separatrix import Cancelled
    from separatrix_vtk.base.signals import signals_noted, stop_if_wanted, stop_wanted

    def step(fraction: float, stage: str) -> None:
        if stop_wanted():
            raise Cancelled("stopped by a signal")
        progress(fraction, stage)

    with signals_noted():
        try:
            yield step
        except Cancelled:
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
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn()
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda fraction, stage: bar.update(task, completed=fraction, description=stage)
