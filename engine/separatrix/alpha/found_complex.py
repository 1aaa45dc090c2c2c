"""Base of an alpha complex, from which measures, topology, voids, and pockets are computed."""

from __future__ import annotations

from collections.abc import Callable

from ..device.session import Session
from ..lazy import cached_property
from .balls import Balls
from .stars import Search
from .tables import Tables


class FoundComplex:
    """Tables of an alpha complex, with its balls and the search that found them."""

    def __init__(
        self,
        session: Session,
        balls: Balls,
        probe: float,
        tables: Tables | Callable[[], Tables],
        search: Search,
        *,
        _alpha: int | None = None,
        _largest: Tables | None = None,
        _in_place: Callable[[], Tables] | None = None,
    ):
        self._session = session
        self._balls = balls
        self._given_tables = tables
        self._search = search
        self._whole_alpha = balls.alpha if _alpha is None else _alpha
        self._given_largest = _largest
        self._given_in_place = _in_place
        self.probe = probe
        """Length that was added to all radii."""

    @cached_property
    def _tables(self) -> Tables:
        """The tables; those of a frame are extracted on first access."""
        given = self._given_tables
        return given() if callable(given) else given

    @property
    def _largest(self) -> Tables:
        """The tables at the largest alpha."""
        return self._tables if self._given_largest is None else self._given_largest

    @property
    def alpha(self) -> float:
        """Squared length by which squared radii grow, rounded to the grid."""
        return self._balls.scale.squared_length(self._whole_alpha)

    @property
    def resolution(self) -> float:
        """Step of the fixed-point grid, a length."""
        return self._balls.scale.resolution

    @property
    def n_balls(self) -> int:
        """Number of balls in the input."""
        return len(self._balls.items)

    @property
    def counts(self) -> tuple[int, ...]:
        """Numbers of vertices, edges, triangles, and tetrahedra."""
        return self._tables.counts

    @property
    def euler_characteristic(self) -> int:
        """Vertices - edges + triangles - tetrahedra."""
        vertices, edges, triangles, tets = self.counts
        return vertices - edges + triangles - tets
