"""Filters that call the engine: device, engine options, and the complex that a filter caches."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Hashable
from typing import Any

import separatrix as sx
from separatrix import release_memory
from separatrix.options import Option, options_of
from separatrix.options.shared import ExecutionOptions
from separatrix_vtk.base.filter import Filter


class ComputingFilter(ExecutionOptions, Filter):
    """Base class of the filters that call the engine.

    `device` is one text in Python, "cuda:1"; VTK and ParaView have a choice and an index.
    """

    def SetDevice(self, device: Any) -> None:
        """Choose the device by ParaView's number, which keeps DeviceIndex, or by its text."""
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

    def engine_options(self, begin: float = 0.0, end: float = 1.0) -> dict[str, Any]:
        """Return the keywords that every long call of the engine takes, from this filter's options.

        The progress of the call is the part from `begin` to `end` of the filter's own.
        """
        return {
            "device": None if self.device == "auto" else self.device,
            "threads": self.threads,
            "memory_limit": self.memory_limit,
            "progress": self.steps(begin, end),
        }


class KeptComplex:
    """The raw complex of the last field, and the simplification of it that was last asked for."""

    def __init__(self, owner: object) -> None:
        self._parts: dict[str, tuple[Hashable, Any]] = {}
        # An algorithm of VTK has no destructor to override; atexit, the GPU may be gone already.
        weakref.finalize(owner, _release, self._parts).atexit = False

    def raw(self, field: Hashable, compute: Callable[[], Any]) -> Any:
        """The raw complex of a field (what it is known by), computed unless it is there."""
        if not self._has("raw", field):
            self.forget()
            self._parts["raw"] = (field, compute())
        return self._parts["raw"][1]

    def simplified(self, level: Hashable, simplify: Callable[[], Any]) -> Any:
        """The complex at a level of the raw one's hierarchy."""
        return self.part("simplified", level, simplify)

    def part(self, name: str, key: Hashable, compute: Callable[[], Any]) -> Any:
        """What else follows from the raw complex; it goes away with that."""
        if not self._has(name, key):
            self._parts.pop(name, None)
            self._parts[name] = (key, compute())
        return self._parts[name][1]

    def reach(self, field: Hashable) -> float:
        """The alpha that the raw complex of a field is kept up to; -inf if it is not kept."""
        return float(self._parts["raw"][1].alpha) if self._has("raw", field) else -math.inf

    def timings(self) -> dict[str, float]:
        """Seconds by stage of what is kept; of stages that run again the clock is set anew."""
        return dict(self._parts["raw"][1].timings) if "raw" in self._parts else {}

    def forget(self) -> None:
        """Let go of everything."""
        self._parts.clear()

    def _has(self, name: str, key: Hashable) -> bool:
        return name in self._parts and self._parts[name][0] == key


def _release(parts: dict[str, tuple[Hashable, Any]]) -> None:
    if parts:
        parts.clear()
        release_memory()


def device_of(options: dict[str, Any]) -> str:
    """The device that a call of the engine with these options takes: "cpu" or "cuda:N"."""
    return sx.discrete_gradient([0.0], device=options["device"]).device
