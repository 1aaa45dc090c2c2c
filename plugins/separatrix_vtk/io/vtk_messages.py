"""What VTK's readers and writers have to say, kept from the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def what_vtk_says() -> Iterator[Callable[[], str]]:
    """Silence VTK; the function given tells afterwards what its output window would have shown."""
    from vtkmodules.vtkCommonCore import vtkLogger, vtkOutputWindow, vtkStringOutputWindow

    window, messages = vtkOutputWindow.GetInstance(), vtkStringOutputWindow()
    vtkOutputWindow.SetInstance(messages)
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)  # it would say all of it once more
    try:
        yield lambda: str(messages.GetOutput())
    finally:
        vtkOutputWindow.SetInstance(window)
