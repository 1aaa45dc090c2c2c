"""How far the work is, as a line on stderr: what PyVista's `progress_bar=True` shows."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TextIO

from separatrix_vtk.base.filter import Progress

WIDTH = 24


class ProgressBar:
    """A `progress=` that draws itself, and hands on what it is told to another one.

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
        self._longest = max(self._longest, len(line))  # what stood there before is written over
        print(f"\r{line:<{self._longest}}", end="", file=self._stream, flush=True)
