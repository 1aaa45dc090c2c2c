"""How the numbers of a .raw file lie in it."""

from __future__ import annotations

from dataclasses import dataclass

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class RawLayout:
    """How the numbers lie in a .raw file; dimensions (nx, ny, nz). None: the user said nothing."""

    dimensions: tuple[int, int, int] | None = None
    dtype: str | None = None
    byte_order: str = "little"
