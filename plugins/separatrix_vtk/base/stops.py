"""A run that was stopped, as VTK is told of it: by an abort, by Ctrl-C, or for want of an input.

VTK marks all outputs of an aborted filter, runs it again when one of them is asked for, and aborts
what comes after it. Before VTK 9.3 there may be no such marks, then nothing is done here.
"""

from __future__ import annotations

from typing import Any

from vtkmodules.vtkCommonExecutionModel import vtkAlgorithm

HAS_MARKS = hasattr(vtkAlgorithm, "ABORTED")


def wants_to_stop(filter: Any) -> bool:
    """Whether the user wants a filter, or what asks for its output, to stop."""
    return bool((HAS_MARKS and filter.CheckAbort()) or filter.GetAbortExecute())


def is_aborted(filter: Any) -> bool:
    """Whether the run at work is aborted; as it begins: whether its input is."""
    return HAS_MARKS and bool(filter.GetAbortOutput())


def abort(filter: Any) -> None:
    """Let the run at work count as aborted."""
    if HAS_MARKS:
        filter.SetAbortOutput(True)


def run_again(asked: Any) -> None:
    """Have a stopped run begin anew when the same port, of which this is the information, is asked
    again. The others wait for that: who asks for all of them one by one has stopped them all.
    """
    if HAS_MARKS:
        asked.Set(vtkAlgorithm.ABORTED(), 1)
