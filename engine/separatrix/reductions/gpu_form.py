"""Reductions on a GPU (kernels/reduce_tiles.h)."""

from __future__ import annotations

from typing import Any


class Form:
    """Placeholder."""

    def __init__(self, problem: Any, is_fast: bool):
        raise NotImplementedError
