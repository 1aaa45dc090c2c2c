"""Volume and area of a union of balls, in total and by ball, from its alpha complex.

1. Each simplex adds its balls' shares to them, as integers in a unit so small that they fill 64
   bits.
2. Sums become volumes and areas in the caller's units; totals are those of the integers.

Edelsbrunner 1995, "The union of balls and its dual shape"; Koehl, Akopyan, Edelsbrunner 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device.arrays import array_module, to_host
from ..device.base import Array
from ..repr_mixin import ReprMixin
from .found_complex import FoundComplex

SUM_BITS = 57
"""Of the largest ball's measure: its shares and their sums stay below 2^63."""


@dataclass(frozen=True, eq=False, repr=False)
class BallMeasures(ReprMixin):
    """What each of n balls adds to the union of the grown balls.

    ``volume`` (n,) float64, cubed length: the part of the union that is nearest to the ball by
    power; ``area`` (n,) float64, squared length: the part of the union's surface on its sphere.
    Both are 0 for balls that are no vertices of the complex. ``total_volume``, ``total_area``: of
    the union.
    """

    volume: Array
    area: Array
    total_volume: float
    total_area: float

    def _summary(self) -> str:
        return f"{self.volume.size:,} balls: volume {self.total_volume:g}, area {self.total_area:g}"


def ball_measures(complex: FoundComplex) -> BallMeasures:
    """Volume and area by ball. O(simplices)."""
    session = complex._session
    with session.call(None, {}):
        device, balls = session.device, grown_balls(complex)
        volume, area = (device.zeros(len(balls), np.int64) for _ in range(2))
        largest = max(complex._balls.largest - complex._balls.alpha + complex._whole_alpha, 1)
        scale = tuple(_units_in(measure) for measure in sphere_measures(largest))
        vertices, edges, triangles, tets = complex._tables.simplices
        session.launch(
            "measure_simplices",
            sum(complex.counts),
            *(balls, vertices.simplices, len(vertices), edges.simplices, len(edges)),
            *(triangles.simplices, triangles.kind, len(triangles), tets.simplices),
            *(scale, volume, area),
        )
        step = complex.resolution
        unit = (step**3 / scale[0], step**2 / scale[1])
        volumes, areas = (device.empty(len(balls), np.float64) for _ in range(2))
        session.launch("in_length_units", len(balls), volume, area, unit, volumes, areas)
        total_volume, total_area = _exact_sums(volume, area)
        return BallMeasures(
            volume=session.result(volumes),
            area=session.result(areas),
            total_volume=total_volume * unit[0],
            total_area=total_area * unit[1],
        )


def grown_balls(complex: FoundComplex) -> Array:
    """Balls as kernels/alpha/spokes.h has them, grown by the complex's own alpha: (n, 4) int32."""
    balls, less = complex._balls, complex._balls.alpha - complex._whole_alpha
    if not less:
        return balls.items
    items = balls.items.copy()
    squared = items[:, 3].astype(np.int64) - less
    items[:, 3] = squared.clip(-1, None)
    return items


def sphere_measures(squared: float) -> tuple[float, float]:
    """Volume and area of a ball of this squared radius."""
    return 4 / 3 * math.pi * squared**1.5, 4 * math.pi * squared


def _units_in(measure: float) -> float:
    """A power of two: how many units, the smallest that sums allow, make one."""
    return 2.0 ** (SUM_BITS - math.ceil(math.log2(measure)))


def _exact_sums(*units: Array) -> list[int]:
    """Sums that may pass 64 bits, of arrays (n,) int64."""
    xp = array_module(units[0])
    halves = xp.stack([half for array in units for half in (array >> 32, array & 0xFFFFFFFF)])
    found = to_host(halves.sum(axis=1)).tolist()
    return [(high << 32) + low for high, low in zip(found[::2], found[1::2], strict=True)]
