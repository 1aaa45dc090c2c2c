"""Filters that call the engine: device, engine options, and the complex that a filter caches."""

from __future__ import annotations

import math
import textwrap
import weakref
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import separatrix as sx
from separatrix import release_memory
from separatrix.options import Option, options_of
from separatrix.options.shared import ExecutionOptions
from separatrix.pieces.exchange import Exchange
from separatrix_vtk.base.filter import Filter

PANEL_WIDTH = 30  # characters in the box of a new window
SINGULAR = {
    "minima": "minimum",
    "maxima": "maximum",
    "vertices": "vertex",
    "tetrahedra": "tetrahedron",
}


def counted(number: int, things: str) -> str:
    """Return a number with its noun, given in the plural: "1 minimum", "2 minima"."""
    return f"{number:,} {SINGULAR.get(things, things.removesuffix('s')) if number == 1 else things}"


class ComputingFilter(ExecutionOptions, Filter):
    """Base class of the filters that call the engine.

    In Python, `device` is a string such as "cuda:1"; VTK and ParaView have a choice and an index.
    """

    def SetDevice(self, device: Any) -> None:
        """Choose the device by ParaView's number, which keeps DeviceIndex, or by a string."""
        index, choice = self.device_index, options_of(type(self))["device"].from_number(device)
        if device != self.GetDevice():
            self.device = choice
        if choice != device:
            self.device_index = index

    def value_of(self, option: Option) -> Any:
        value = super().value_of(option)
        if option.name == "device" and value == "cuda" and self.device_index:
            return f"cuda:{self.device_index}"
        return value

    def set_value(self, option: Option, value: Any) -> None:
        if option.name != "device":
            return super().set_value(option, value)
        device, _, index = value.partition(":")
        super().set_value(option, device)
        self.device_index = int(index or 0)

    def result_lines(self, report: Mapping[str, Any]) -> list[str]:
        """The counts of a run in words, for the panel."""
        return []

    def GetResult(self) -> str:
        """Return counts, device, and time of the last run in words, for the panel; "" before."""
        if not self._report:
            return ""
        if "blocks" not in self._report:
            return self._text_of(self._report)
        texts = [(name, self._text_of(one)) for name, one in self._report["blocks"].items() if one]
        return "\n".join(f"{name}:\n{text}" for name, text in texts)

    def _text_of(self, report: Mapping[str, Any]) -> str:
        seconds = report["seconds"].get("in all", sum(report["seconds"].values()))
        lines = [*self.result_lines(report), f"{report['device'].upper()}, {seconds:.2f} s"]
        fitted = [textwrap.wrap(line, PANEL_WIDTH, break_on_hyphens=False) for line in lines]
        return "\n".join(part for parts in fitted for part in parts)

    def engine_options(self, begin: float = 0.0, end: float = 1.0) -> dict[str, Any]:
        """Return the keywords of a long call of the engine, whose progress is `begin` to `end`."""
        return {
            "device": None if self.device == "auto" else self.device,
            "threads": self.threads,
            "memory_limit": self.memory_limit,
            "progress": self.steps(begin, end),
        }


class KeptComplex:
    """The raw complex of the last field, and its last simplification.

    A new threshold then requires no work on the field. The cache is cleared with the filter, and
    when its input or the options of the complex change.
    """

    def __init__(self, owner: object) -> None:
        self._parts: dict[str, tuple[Hashable, Any]] = {}
        # VTK's algorithms have no destructor. At exit, the GPU may not be available any more.
        weakref.finalize(owner, _release, self._parts).atexit = False

    def raw(self, field: Hashable, compute: Callable[[], Any]) -> Any:
        """The raw complex of a field with this key, which is computed unless cached."""
        if not self.has("raw", field):
            self.forget()
            self._parts["raw"] = (field, compute())
        return self._parts["raw"][1]

    def part(self, name: str, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Another result of the raw complex, which is cached with it."""
        if not self.has(name, key):
            self._parts.pop(name, None)
            self._parts[name] = (key, compute())
        return self._parts[name][1]

    def reach(self, field: Hashable) -> float:
        """The largest alpha of the cached complex of a field; -inf if there is none."""
        return float(self._parts["raw"][1].alpha) if self.has("raw", field) else -math.inf

    def timings(self) -> dict[str, float]:
        """Seconds by stage of the cached complex."""
        return dict(self._parts["raw"][1].timings) if "raw" in self._parts else {}

    def keep_together(self, name: str, key: Hashable, exchange: Exchange) -> None:
        """Drop a result unless all processes have cached it; all must call this."""
        if not all(exchange.gather(self.has(name, key))):
            self._parts.pop(name, None)

    def forget(self) -> None:
        self._parts.clear()

    def has(self, name: str, key: Hashable) -> bool:
        """Whether a result is cached."""
        return name in self._parts and self._parts[name][0] == key


def _release(parts: dict[str, tuple[Hashable, Any]]) -> None:
    if parts:
        parts.clear()
        release_memory()


def seconds_of(result: Any, before: Mapping[str, float]) -> dict[str, float]:
    """Seconds by stage; stages of a cached result as `before` the run did not run again."""
    seconds = {stage: float(number) for stage, number in result.timings.items()}
    return {stage: number for stage, number in seconds.items() if before.get(stage) != number}


def device_of(options: dict[str, Any]) -> str:
    """The device that a call of the engine with these options takes: "cpu" or "cuda:N"."""
    return sx.discrete_gradient([0.0], device=options["device"]).device
