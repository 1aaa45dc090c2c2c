"""Filters as functions: run on a dataset, return all outputs, raise an exception on errors.

A PyVista dataset gives PyVista datasets. Nothing is copied: outputs share arrays with the input.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any, TextIO

from vtkmodules.vtkCommonDataModel import vtkDataObject

from separatrix.errors import Words
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Progress

WIDTH = 24
READ_FIRST = "Read the file, for example with pyvista.read(path)."


class ProgressBar:
    """A `progress=` that prints a bar on stderr, and calls another one.

    >>> with ProgressBar("alpha_complex", None) as bar:
    ...     filter.run(dataset, bar)
    """

    def __init__(self, title: str, then: Progress | None, stream: TextIO | None = None) -> None:
        self._title, self._then = title, then
        self._stream = sys.stderr if stream is None else stream
        self._told: tuple[int, str] | None = None
        self._longest = 0

    def __call__(self, fraction: float, stage: str) -> None:
        told = (int(100 * min(max(fraction, 0.0), 1.0)), stage)
        if told != self._told:
            self._told = told
            self._draw()
        if self._then is not None:
            self._then(fraction, stage)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self._told = (100, "")
            self._draw()
        print(file=self._stream)

    def _draw(self) -> None:
        percent, stage = self._told or (0, "")
        done = "#" * (percent * WIDTH // 100)
        line = f"{self._title}: {percent:3d}% |{done:<{WIDTH}}| {stage}"
        self._longest = max(self._longest, len(line))  # the previous line is overwritten
        print(f"\r{line:<{self._longest}}", end="", file=self._stream, flush=True)


def vtk_dataset(given: Any, parameter: str, expected: str, remedy: str = "") -> Any:
    """The dataset of an argument, which may be wrapped by VTK's dataset_adapter as VTKObject.

    Raises FilterError about the parameter for anything else.
    """
    dataset = getattr(given, "VTKObject", given)
    if isinstance(dataset, vtkDataObject):
        return dataset
    got = type(given).__name__
    if isinstance(given, (str, os.PathLike)):
        got, remedy = f"the path {os.fspath(given)!r}", READ_FIRST
    elif hasattr(given, "GetOutputDataObject"):
        remedy = "Pass the output of this algorithm, after Update()."
    raise FilterError(parameter, expected, Words(got), remedy)
