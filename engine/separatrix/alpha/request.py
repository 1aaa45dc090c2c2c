"""Validated settings of a call: the growth of the balls, and how to search for simplices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import as_real, check_one_of, checked_flag
from ..errors import InputError
from ..kernels.source import constant

WORK_LIMIT = 1e11
METHODS = ("auto", "local", "complete")
RESOLUTIONS = (1e-100, 1e100)


@dataclass
class Request:
    """Settings, validated. The optimizations affect the time but not the result."""

    alpha: float
    probe: float
    resolution: float
    work_limit: float
    edge_optimization: bool
    alpha_optimization: bool
    method: str
    box: Any = None
    are_weights: bool = False

    def __post_init__(self) -> None:
        limit = as_real(self.work_limit)
        if not limit > 0:
            raise InputError("work_limit", "a positive number of tests", self.work_limit)
        check_one_of("method", self.method, METHODS)
        if self.box is not None and self.method == "local":
            raise InputError("method", '"auto" or "complete" in a periodic box', self.method)
        resolution = checked_length(self.resolution, "resolution", is_positive=True)
        if not RESOLUTIONS[0] <= resolution <= RESOLUTIONS[1]:  # square and inverse are finite
            expected = f"a length from {RESOLUTIONS[0]:g} to {RESOLUTIONS[1]:g}"
            raise InputError("resolution", expected, self.resolution)
        self.alpha = checked_alpha(self.alpha)
        self.probe = checked_length(self.probe, "probe", is_positive=False)
        self.resolution, self.work_limit = resolution, limit
        for name in ("edge_optimization", "alpha_optimization"):
            setattr(self, name, checked_flag(getattr(self, name), name))

    @property
    def flags(self) -> int:
        """Flags for kernels/alpha/dead_edges.h."""
        dead, large = constant("DROP_DEAD_EDGES"), constant("DROP_LARGE")
        return dead * self.edge_optimization + large * self.alpha_optimization


def checked_alpha(alpha: Any, is_one: bool = False) -> float:
    """Return alpha, or the largest value of several unless `is_one`. Raises InputError."""
    if isinstance(alpha, np.ndarray) and not alpha.ndim:
        alpha = alpha.item()
    are_several = isinstance(alpha, Sequence | np.ndarray) and not isinstance(alpha, str | bytes)
    values = alpha if are_several else [alpha]
    numbers = [v for v in map(as_real, values) if v > -math.inf]
    if not len(values) or len(numbers) != len(values) or (is_one and are_several):
        expected = f"a squared length, which may be inf{'' if is_one else ', or several of them'}"
        raise InputError("alpha", expected, alpha)
    return max(numbers)


def checked_length(value: Any, name: str, *, is_positive: bool) -> float:
    """Return a finite length that is positive or at least non-negative. Raises InputError."""
    length = as_real(value)
    if not 0 <= length < math.inf or (is_positive and length == 0):
        raise InputError(name, f"a {'positive' if is_positive else 'non-negative'} length", value)
    return length
