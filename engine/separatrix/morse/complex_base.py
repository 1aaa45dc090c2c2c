"""What a complex at any level has: its parts, the results given so far, and what it is of."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ..device.work import Progress
from ..errors import InputError
from .critical import CriticalCells
from .gradient import DiscreteGradient
from .grid import Grid
from .parts import LABEL_STAGES, Parts, Stages


class ComplexBase:
    """A complex that computes what it is asked for, once, and keeps it."""

    def __init__(
        self, gradient: DiscreteGradient, *, _parts: Parts | None = None, _level: float = 0.0
    ):
        self._parts = _parts or Parts(gradient)
        self._level = _level
        self._results: dict[str, Any] = {}

    @property
    def gradient(self) -> DiscreteGradient:
        """The discrete gradient, with V-paths reversed where pairs are cancelled."""
        return self._parts.gradient

    @property
    def grid(self) -> Grid:
        """The image's grid."""
        return self.gradient.grid

    @property
    def critical(self) -> CriticalCells:
        """The critical cells, sorted by (index, cell id)."""
        return self.gradient.critical

    @property
    def device(self) -> str:
        """Where it is computed: "cpu", "cuda:N", or "cuda:N in slabs, cpu"."""
        return self.gradient.device

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage, of what has been computed so far of the image at any level."""
        return self.gradient.timings

    def __repr__(self) -> str:
        size = "x".join(map(str, self.grid.dimensions))
        level = f" at level {self._level:g}" if self._level else ""
        return (
            f"<MorseSmaleComplex of {size} voxels on {self.device}{level}: "
            f"counts {self.gradient.counts}>"
        )

    def _label_stages(self, kind: str) -> Stages:
        check_kind(kind, LABEL_STAGES)
        return {**LABEL_STAGES[kind], **self._parts.stage_of_level(f"{kind} labels")}

    def _result(
        self, name: str, compute: Callable[[], Any], progress: Progress | None, stages: Stages
    ) -> Any:
        """What a method gives, computed once."""
        if name not in self._results:
            with self._parts.work.call(progress, stages):
                self._results[name] = compute()
        return self._results[name]


def check_kind(kind: Any, kinds: Collection[str]) -> None:
    """Raises InputError unless `kind` is one of the kinds."""
    if not isinstance(kind, str) or kind not in kinds:
        raise InputError(f"kind must be one of {', '.join(kinds)}, not {kind!r}")
