"""2-separatrices as polygons: all cells that V-paths from a saddle reach."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..device import Session
from ..device.base import Array
from ..primitives import sorted_keys
from ..repr_mixin import ReprMixin
from .frontier import reached_keys


@dataclass(frozen=True, eq=False, repr=False)
class SeparatrixSurfaces(ReprMixin):
    """Polygons, f of them, on p shared points.

    ``points`` (p, 3) float64 with the ``cell_id`` (p,) int64 and ``cell_dimension`` (p,) int8 of
    the cells whose centers they are; polygon i has the rows ``corners[offsets[i]]`` to
    ``corners[offsets[i + 1]]`` of points, ``offsets`` (f + 1,) and ``corners`` int64; ``source``
    (f,) int64, row of the critical cells; ``polygon_cell_id`` (f,) int64, the square or triangle
    that is drawn, or the edge that the polygon goes around. On an image each polygon has four
    corners; one that crosses a period has corners beyond the box: there the surface has two edges,
    a period apart. Around an edge where parts of a mesh touch, the part is drawn from which the
    V-path comes.
    """

    points: Array
    cell_id: Array
    cell_dimension: Array
    offsets: Array
    corners: Array
    source: Array
    polygon_cell_id: Array

    def _summary(self) -> str:
        return f"{self.offsets.size - 1:,} polygons on {len(self.points):,} points"


def reach(
    session: Session,
    kernels: tuple[str, str],
    start: tuple[Any, ...],
    onward: tuple[Any, ...],
    saddles: Array,
    first_source: int = 0,
) -> Array:
    """Keys (f,) uint64 that are reached from each saddle, itself included, sorted.

    `start` and `onward` are what the two kernels, that begin and go on, read first.
    """
    xp, n = session.device.xp, int(saddles.size)
    if not n:
        return session.device.empty(0, "u8")
    seeds, what = (*start, saddles, first_source), f"tracing the surfaces of {n:,} saddles"
    found = reached_keys(session, kernels, seeds, (onward, ()), n, n > 1, what)
    if found is not None:
        return sorted_keys(session, found.keys)
    half = n // 2
    parts = (
        reach(session, kernels, start, onward, saddles[:half], first_source),
        reach(session, kernels, start, onward, saddles[half:], first_source + half),
    )
    return xp.concatenate(parts)
