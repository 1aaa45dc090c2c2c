"""Validated settings of a call: the growth of the balls, and how to search for simplices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import as_real, checked_flag
from ..errors import InputError
from ..kernels.source import constant

WORK_LIMIT = 1e11
RESOLUTIONS = (1e-100, 1e100)


@dataclass(frozen=True)
class Request:
    """Settings of a call. The optimizations affect the time but not the result."""

    alpha: float
    probe: float
    resolution: float
    work_limit: float
    edge_optimization: bool
    alpha_optimization: bool
    fallback: str | None

    @property
    def lengths(self) -> tuple[float, float, float]:
        """Alpha (a squared length), probe, and resolution."""
        return self.alpha, self.probe, self.resolution

    @property
    def flags(self) -> int:
        """Flags for kernels/alpha/dead_edges.h."""
        dead, large = constant("DROP_DEAD_EDGES"), constant("DROP_LARGE")
        return dead * self.edge_optimization + large * self.alpha_optimization


def checked_request(
    alpha: Any,
    probe: float,
    resolution: float,
    work_limit: float,
    edge_optimization: bool,
    alpha_optimization: bool,
    fallback: str | None,
) -> Request:
    """Return validated settings. Raises InputError."""
    limit = as_real(work_limit)
    if not limit > 0:
        raise InputError("work_limit", "a positive number of tests", work_limit)
    if fallback is not None and (not isinstance(fallback, str) or fallback != "gudhi"):
        raise InputError("fallback", "'gudhi' or None", fallback)
    length = _checked_length(resolution, "resolution", is_positive=True)
    if not RESOLUTIONS[0] <= length <= RESOLUTIONS[1]:  # its square and its inverse are finite
        expected = f"a length from {RESOLUTIONS[0]:g} to {RESOLUTIONS[1]:g}"
        raise InputError("resolution", expected, resolution)
    return Request(
        checked_alpha(alpha),
        _checked_length(probe, "probe", is_positive=False),
        length,
        limit,
        checked_flag(edge_optimization, "edge_optimization"),
        checked_flag(alpha_optimization, "alpha_optimization"),
        fallback,
    )


def checked_alpha(alpha: Any, is_one: bool = False) -> float:
    """Return alpha, or the largest value of several unless `is_one`. Raises InputError."""
    if isinstance(alpha, np.ndarray) and not alpha.ndim:
        alpha = alpha.item()
    are_several = isinstance(alpha, Sequence | np.ndarray) and not isinstance(alpha, str | bytes)
    values = alpha if are_several else [alpha]
    numbers = [v for v in map(as_real, values) if math.isfinite(v)]
    if not len(values) or len(numbers) != len(values) or (is_one and are_several):
        expected = f"a finite squared length{'' if is_one else ' or several of them'}"
        raise InputError("alpha", expected, alpha)
    return max(numbers)


def _checked_length(value: Any, name: str, *, is_positive: bool) -> float:
    """Return a finite length that is positive or at least non-negative. Raises InputError."""
    length = as_real(value)
    if not 0 <= length < math.inf or (is_positive and length == 0):
        raise InputError(name, f"a {'positive' if is_positive else 'non-negative'} length", value)
    return length
