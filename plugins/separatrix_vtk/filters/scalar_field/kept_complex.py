"""The complex that a filter keeps from run to run, so that a new threshold touches no voxel.

What is kept goes away when the input, its scalar field or what decides about the complex changes,
when the filter is told not to keep it, and with the filter itself.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Hashable
from typing import Any

from separatrix import release_memory


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
