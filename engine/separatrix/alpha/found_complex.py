"""Base of an alpha complex, from which measures, topology, voids, and pockets are computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.base import Array
from ..device.session import Session
from ..lazy import cached_property
from .balls import Balls
from .stars import Search
from .tables import SimplexTable, Tables, thresholded


@dataclass(frozen=True, eq=False, repr=False)
class FoundComplex:
    """Tables of an alpha complex, with its balls and the search that found them."""

    _session: Session
    _balls: Balls
    _search: Search
    _at_alpha: Tables | None  # part of the largest, which is selected on first access if None
    _largest: Tables  # at the alpha of the search
    _whole_alpha: float  # in squared steps of the grid
    _placed: tuple[SimplexTable, ...] | None = None  # in the memory of the results

    @property
    def alpha(self) -> float:
        """Squared length by which squared radii grow, rounded to the grid."""
        return self._balls.scale.squared_length(self._whole_alpha)

    @property
    def probe(self) -> float:
        """Length that was added to all radii."""
        return self._balls.probe

    @property
    def resolution(self) -> float:
        """Step of the fixed-point grid, a length."""
        return self._balls.scale.resolution

    @property
    def _sites(self) -> Array:
        """Sites of all simplices (k, 4) float64, the balls or their copies; alpha/offsets.h."""
        return self._balls.sites(self._largest.copies)

    @cached_property
    def _tables(self) -> Tables:
        if self._at_alpha is not None:
            return self._at_alpha
        with self._session.call(None, {}):
            return thresholded(self._largest, self.alpha)

    @property
    def n_balls(self) -> int:
        """Number of balls in the input."""
        return len(self._balls.items)

    @property
    def box(self) -> np.ndarray | None:
        """Vectors (3, 3) float64 of the periodic box, as rows, if there is one."""
        return None if self._balls.box is None else self._balls.box.given

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of vertices, edges, triangles, and tetrahedra."""
        return self._tables.counts

    @property
    def euler_characteristic(self) -> int:
        """Vertices - edges + triangles - tetrahedra."""
        vertices, edges, triangles, tets = self.counts
        return vertices - edges + triangles - tets
