"""Filters that compute: where they do so, and the keywords that the engine takes from it."""

from __future__ import annotations

from typing import Any

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
