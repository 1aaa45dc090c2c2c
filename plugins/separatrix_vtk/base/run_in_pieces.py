"""A run of a filter in which each process computes its part of an image.

VTK runs a filter with an image output again for each port that is requested, because the part of a
process is less than the whole extent. Such a run returns the outputs of the last one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from vtkmodules.vtkCommonDataModel import vtkImageData

from separatrix.pieces.exchange import Exchange
from separatrix_vtk.base.datasets import new_dataset
from separatrix_vtk.base.gather_input import stamp_of_piece
from separatrix_vtk.base.pieces import give_part
from separatrix_vtk.base.processes import Processes
from separatrix_vtk.base.redistribution import Held
from separatrix_vtk.base.slabs import Part, divided


class Finished(NamedTuple):
    """The last run in pieces: its input and settings, its part of the outputs, and its report."""

    stamp: Hashable
    part: Part
    outputs: list[Any]  # None for images
    held: dict[int, list[Held]]  # arrays of images, by port
    report: Mapping[str, Any]


class DividedRunner:
    """The part of a filter that runs in pieces, if the filter can."""

    _rejected: dict[str, str]
    _report: Mapping[str, Any]
    _finished: Finished | None
    _divided: tuple[Hashable, Part] | None  # the last input that was divided, and its part

    def settings_to_divide(self) -> list[str] | None:
        """The settings that must change to run in pieces; None if the filter cannot."""
        return None

    def can_divide(self, image: Any) -> bool:
        """Whether the filter can run in pieces of this image, of which it has a slab."""
        return True

    def execute_part(
        self, part: Part, exchange: Exchange, outputs: list[Any]
    ) -> dict[int, list[Held]]:
        """Fill one process's part of the outputs, from its slab of an image.

        Returns the arrays of image outputs, by port. All processes call it together.
        """
        raise NotImplementedError(f"{type(self).__name__}.execute_part")

    def work_in_pieces(
        self, processes: Processes, datasets: list[Any], infos: list[Any], results: list[Any]
    ) -> bool:
        """Run on the slabs of an image; returns False if the input or the settings prevent it."""
        if self.settings_to_divide() != [] or self._rejected:
            self._finished = self._divided = None
            return False
        exchange, dataset = processes.pieces(), datasets[0]
        of_input = dataset and stamp_of_piece(dataset)
        stamp = (self.GetMTime(), of_input)  # type: ignore[attr-defined]
        finished = self._finished
        if not all(exchange.gather(finished is not None and finished.stamp == stamp)):
            self._finished = None
            part = self._divided_once(exchange, dataset, of_input)
            if part is None or not self.can_divide(part.image):
                return False
            with exchange.together():
                held = self.execute_part(part, exchange, results)
                copies = [None if isinstance(r, vtkImageData) else _copy(r) for r in results]
                finished = Finished(stamp, part, copies, held, self._report)
        assert finished is not None
        with exchange.together():
            if dataset is not None:  # the time may change without the arrays
                finished.part.image.GetFieldData().ShallowCopy(dataset.GetFieldData())
            for result, made in zip(results, finished.outputs, strict=True):
                if made is not None:
                    result.ShallowCopy(made)
            for port, arrays in finished.held.items():
                give_part(exchange, finished.part, infos[port], arrays, results[port])
            self.UpdateProgress(1.0)  # type: ignore[attr-defined]
        self._report, self._finished = finished.report, finished
        return True

    def _divided_once(self, exchange: Exchange, dataset: Any, stamp: Hashable) -> Part | None:
        """The part of the process, the same object as before if no process has other data."""
        known = self._divided
        if not all(exchange.gather(known is not None and known[0] == stamp)):
            self._divided = None
            part = divided(exchange, dataset)
            self._divided = known = None if part is None else (stamp, part)
        return None if known is None else known[1]


def _copy(dataset: Any) -> Any:
    made = new_dataset(dataset.GetClassName())
    made.ShallowCopy(dataset)
    return made
