"""What a user is told when a filter cannot do what was asked: one sentence, once.

Every way that VTK and ParaView offer shows something else. `DisplayErrorText` with the text that
vtkErrorMacro would have made is shown by ParaView as one red line and by plain VTK on stderr; an
observer of ErrorEvent, where there is one, gets the sentence instead. The same sentence within two
seconds is not repeated, for a pipeline may ask a failed filter again.
"""

from __future__ import annotations

import time
from typing import Any, TypeVar

from vtkmodules.vtkCommonCore import vtkOutputWindow

from separatrix import InputError

Failure = TypeVar("Failure", bound=BaseException)
QUIET_SECONDS = 2.0
NO_INPUT = "There is no input dataset."


class FilterError(InputError):
    """The input of a filter is not what it can work on; the message says what to do."""


def bare(error: Failure) -> Failure:
    """An error without tracebacks, nor have those that led to it: they would keep the data alive
    for as long as the error is kept.
    """
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
    """The messages of one filter, so that equal ones in quick succession appear once."""

    def __init__(self) -> None:
        self._text, self._time = "", 0.0

    def error(self, source: Any, text: str) -> None:
        """Show an error of the filter `source`."""
        if self._repeated(text):
            return
        if source.HasObserver("ErrorEvent"):
            source.InvokeEvent("ErrorEvent", text)
        else:
            vtkOutputWindow.GetInstance().DisplayErrorText(_macro_text("ERROR", source, text))

    def warning(self, source: Any, text: str) -> None:
        """Show a warning of the filter `source`."""
        if self._repeated(text):
            return
        if source.HasObserver("WarningEvent"):
            source.InvokeEvent("WarningEvent", text)
        else:
            vtkOutputWindow.GetInstance().DisplayWarningText(_macro_text("Warning", source, text))

    def _repeated(self, text: str) -> bool:
        now = time.monotonic()
        repeated = text == self._text and now - self._time < QUIET_SECONDS
        self._text, self._time = text, now
        return repeated


def _macro_text(level: str, source: Any, text: str) -> str:
    # ParaView takes what follows "): " of this form as the summary line of the message.
    return f"{level}: In separatrix, line 0\n{type(source).__name__} (0x{id(source):x}): {text}\n\n"
