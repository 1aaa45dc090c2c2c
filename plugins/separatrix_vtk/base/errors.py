"""Errors and warnings of filters, shown once, and aborted runs.

`DisplayErrorText` with the text of vtkErrorMacro is shown by ParaView as one red line, and by plain
VTK on stderr. If there is an observer of ErrorEvent, it gets the sentence instead. Sentences are
not repeated within two seconds, because a pipeline may run a failed filter again.

VTK marks all outputs of an aborted filter, runs it again when one of them is requested, and aborts
the filters after it. VTK before 9.3 may have no such marks.
"""

from __future__ import annotations

import time
from typing import Any, TypeVar

from vtkmodules.vtkCommonCore import vtkOutputWindow
from vtkmodules.vtkCommonExecutionModel import vtkAlgorithm

from separatrix import InputError

Failure = TypeVar("Failure", bound=BaseException)
QUIET_SECONDS = 2.0
NO_INPUT = "There is no input dataset."
HAS_MARKS = hasattr(vtkAlgorithm, "ABORTED")


class FilterError(InputError):
    """The input of a filter is invalid; the message says what to do."""


def without_tracebacks(error: Failure) -> Failure:
    """Remove the tracebacks of an error and of its causes, which would keep the data alive."""
    seen: list[BaseException] = []
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is not None and one not in seen:
            one.__traceback__ = None
            seen.append(one)
            left += [one.__cause__, one.__context__]
    return error


class Messages:
    """The messages of one filter, of which equal ones in quick succession are shown once."""

    def __init__(self) -> None:
        self._text, self._time = "", 0.0

    def show(self, source: Any, text: str, level: str) -> None:
        """Show a text of the level Error or Warning."""
        now = time.monotonic()
        is_repeated = text == self._text and now - self._time < QUIET_SECONDS
        self._text, self._time = text, now
        if is_repeated:
            return
        if source.HasObserver(f"{level}Event"):
            source.InvokeEvent(f"{level}Event", text)
            return
        # ParaView shows the text after "): " as the summary line of the message.
        place = f"{type(source).__name__} (0x{id(source):x})"
        shown = "ERROR" if level == "Error" else level
        text = f"{shown}: In separatrix, line 0\n{place}: {text}\n\n"
        getattr(vtkOutputWindow.GetInstance(), f"Display{level}Text")(text)


# === aborted runs


def wants_to_stop(filter: Any) -> bool:
    """Whether the user has aborted a filter or one after it."""
    return bool((HAS_MARKS and filter.CheckAbort()) or filter.GetAbortExecute())


def is_aborted(filter: Any) -> bool:
    """Whether the current run is aborted; at its beginning, whether its input is."""
    return HAS_MARKS and bool(filter.GetAbortOutput())


def abort(filter: Any) -> None:
    """Mark the current run as aborted."""
    if HAS_MARKS:
        filter.SetAbortOutput(True)


def run_again(asked: Any) -> None:
    """Have a stopped run start again when the same port, with this information, is requested.

    Requests of the other ports do not start it: a program that requests all ports in turn has
    stopped all of them.
    """
    if HAS_MARKS:
        asked.Set(vtkAlgorithm.ABORTED(), 1)
