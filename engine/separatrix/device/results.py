"""Where the results of a call go."""

from __future__ import annotations

from dataclasses import dataclass

from .arrays import is_on_gpu, read_only, to_host
from .base import Array


@dataclass
class ResultPlacement:
    """Puts arrays where the caller wants results: on the host, or where they were computed.

    NumPy results can't be written to: later parts are computed from some of them.
    """

    on_host: bool

    def moves(self, array: Array) -> bool:
        """Whether an array would come down from a GPU."""
        return self.on_host and is_on_gpu(array)

    def __call__(self, array: Array) -> Array:
        """The array in its place."""
        return read_only(to_host(array).view()) if self.on_host else array
