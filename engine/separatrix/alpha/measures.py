"""Volume and area of a union of balls, in total and per ball, from its alpha complex.

Shares of balls are summed as 64-bit integers. Edelsbrunner 1995, "The union of balls and its dual
shape"; Koehl, Akopyan, Edelsbrunner 2023.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device import Array, array_module, to_host
from ..errors import InputError
from ..results import Table
from .found_complex import FoundComplex

SUM_BITS = 57
"""Bits of the measure of the largest ball; sums of shares stay below 2^63."""


@dataclass(frozen=True, eq=False, repr=False)
class BallMeasures(Table):
    """Contribution of each of n balls to the union of the grown balls.

    Attributes
    ----------
    volume : (n,) float64 array
        Cubed length: the part of the union within the ball's power cell; 0 unless the ball is a
        vertex of the complex.
    area : (n,) float64 array
        Squared length: the part of the union's surface on the ball's sphere.
    total_volume, total_area : float
        Measures of the union.
    """

    volume: Array
    area: Array
    total_volume: float
    total_area: float

    def _summary(self) -> str:
        return f"{self.volume.size:,} balls: volume {self.total_volume:g}, area {self.total_area:g}"


def ball_measures(complex: FoundComplex) -> BallMeasures:
    """Return the volume and area per ball. O(simplices)."""
    session = complex._session
    with session.call(None, {}):
        device, tables = session.device, complex._tables
        sites, alpha = grown_balls(complex)
        volume, area = (device.zeros(len(sites), np.int64) for _ in range(2))
        largest = max(complex._balls.largest + complex._whole_alpha, 1)
        # units per one are powers of two: the smallest units that sums allow
        sphere = (4 / 3 * math.pi * largest**1.5, 4 * math.pi * largest)
        scale = tuple(2.0 ** (SUM_BITS - math.ceil(math.log2(measure))) for measure in sphere)
        vertices, edges, triangles, tets = tables.corners
        session.launch(
            "measure_simplices",
            sum(complex.counts),
            *(sites, alpha, vertices, len(vertices), edges, len(edges)),
            *(triangles, tables.simplices[2].kind, len(triangles), tets),
            *(scale, volume, area),
        )
        n = complex.n_balls
        if tables.copies is not None:
            ball = to_host(tables.copies.ball)
            volume, area = (session.upload(_sums_of(ball, to_host(x), n)) for x in (volume, area))
        step = complex.resolution
        unit = (step**3 / scale[0], step**2 / scale[1])
        volumes, areas = (device.empty(n, np.float64) for _ in range(2))
        session.launch("in_length_units", n, volume, area, unit, volumes, areas)
        total_volume, total_area = _exact_sums(volume, area)
        return BallMeasures(
            volume=session.result(volumes),
            area=session.result(areas),
            total_volume=total_volume * unit[0],
            total_area=total_area * unit[1],
        )


def grown_balls(complex: FoundComplex) -> tuple[Array, float]:
    """Return the sites (k, 4) float64 and alpha, both in steps; see alpha/offsets.h.

    Raises InputError if alpha is infinite.
    """
    if math.isinf(complex._whole_alpha):
        remedy = "Select a smaller one, for example with at()."
        raise InputError("alpha", "finite for measures of the balls", math.inf, remedy)
    return complex._sites, float(complex._whole_alpha)


def _sums_of(ball: np.ndarray, units: np.ndarray, n_balls: int) -> np.ndarray:
    """Return the sums (n_balls,) int64 of the units of all copies of each ball."""
    found = np.zeros(n_balls, np.int64)
    np.add.at(found, ball, units)
    return found


def _exact_sums(*units: Array) -> list[int]:
    """Return the sums of arrays (n,) int64, which may exceed 64 bits."""
    xp = array_module(units[0])
    halves = xp.stack([half for array in units for half in (array >> 32, array & 0xFFFFFFFF)])
    found = to_host(halves.sum(axis=1)).tolist()
    return [(high << 32) + low for high, low in zip(found[::2], found[1::2], strict=True)]
