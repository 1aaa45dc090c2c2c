"""The gradient of a volume as pairs of saddles are canceled on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class SaddlePaths:
    """The gradient of a volume as a host task cancels saddle pairs on it, in host memory.

    ``task``; ``model``, its first arguments, some of which it changes; ``upper`` (c2,) and
    ``lower`` (c1,) int64, how it names 2-saddles and 1-saddles.
    """

    task: str
    model: tuple[Any, ...]
    upper: np.ndarray
    lower: np.ndarray
