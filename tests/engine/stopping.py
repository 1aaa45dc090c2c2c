"""A callback that stops the work that it watches."""

from __future__ import annotations

import separatrix as sx


class Stop:
    """A progress that raises on its n-th call."""

    def __init__(self, call: int) -> None:
        self.calls_left = call

    def __call__(self, fraction: float, stage: str) -> None:
        self.calls_left -= 1
        if self.calls_left <= 0:
            raise sx.Cancelled("enough")
