"""The Morse-Smale complex of an image: what a user holds, and how its parts are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

from ...arguments import known_keywords
from ...device.base import Array
from ...device.session import Progress
from ...morse.cache import Parts
from ...morse.complex_base import ARCS, ComplexBase, Drawing, check_kind
from ...morse.level import checked_level, part_of
from .cache import ImageParts
from .critical import CriticalCells
from .drawing import draw_connector_lines, draw_extremum_lines, draw_surfaces
from .field import open_image
from .gradient import DiscreteGradient, compute_gradient
from .grid import NOT_PERIODIC, Grid
from .memory import GRADIENT_BYTES, SEGMENTATION_BYTES
from .separatrices import ExtremumArcs, Separatrices
from .surfaces import SeparatrixSurfaces

DRAWING = Drawing(
    ("arcs", "lines"), "a volume", draw_extremum_lines, draw_connector_lines, draw_surfaces
)
RAW_SHARE = 0.4  # of the time of a simplified complex


@known_keywords
def morse_smale(
    values: Any,
    *,
    persistence: float = 0.0,
    relative: bool = False,
    spacing: Sequence[float] = (1.0, 1.0, 1.0),
    origin: Sequence[float] = (0.0, 0.0, 0.0),
    direction: Any = None,
    order: str = "index",
    periodic: Sequence[bool] = NOT_PERIODIC,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> MorseSmaleComplex:
    """Morse-Smale complex of a scalar field on an image.

    The discrete gradient and the critical cells are computed at once; segmentations, separatrices,
    the graph and its persistence when they are asked for, and then kept. The other parameters and
    the errors are those of :func:`separatrix.discrete_gradient`.

    Parameters
    ----------
    persistence : float
        Cancel all pairs of critical cells of less persistence, in the unit of the values; 0, the
        default, cancels none.
    relative : bool
        Take `persistence` as a fraction, 0 to 1, of the range of the values.

    Returns
    -------
    MorseSmaleComplex

    Notes
    -----
    O(n) for n voxels. `persistence` adds a hierarchy of all cancellations, whose cost goes with the
    critical cells and their arcs.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> z, y, x = np.mgrid[-1:1:9j, -1:1:9j, -1:1:9j]
    >>> complex = sx.morse_smale(x**2 + y**2 + z**2)
    >>> complex.critical.counts[0], complex.critical.euler_characteristic
    (1, 1)
    """
    checked_level(persistence, relative)
    needed = GRADIENT_BYTES + SEGMENTATION_BYTES
    session, given, grid = open_image(
        values, spacing, origin, direction, device, threads, memory_limit, needed, periodic, order
    )
    raw_part = part_of(progress, 0.0, RAW_SHARE) if persistence else progress
    gradient = compute_gradient(session, given, grid, raw_part, order)
    with session.call(None, {}):
        gradient.keep_values()
    raw = MorseSmaleComplex(gradient)
    if not persistence:
        return raw
    level_part = part_of(progress, RAW_SHARE, 1.0)
    return raw.simplify(persistence, relative=relative, progress=level_part)


class MorseSmaleComplex(ComplexBase):
    """Critical cells, segmentations, separatrices, graph and persistence of an image.

    Made by :func:`morse_smale`, and by :meth:`simplify` from another. Labels count extrema in the
    order of ``critical``: label k is the k-th minimum or the k-th maximum, -1 is outside the box.
    """

    _parts: ImageParts

    def __init__(
        self, gradient: DiscreteGradient, *, _parts: ImageParts | None = None, _level: float = 0.0
    ):
        super().__init__(_parts or ImageParts(gradient), _level)

    @property
    def grid(self) -> Grid:
        """The image's grid."""
        return self._parts.gradient.grid

    @property
    def gradient(self) -> DiscreteGradient:
        """The discrete gradient, with V-paths reversed where pairs are canceled."""
        return self._parts.gradient

    @property
    def critical(self) -> CriticalCells:
        """The critical cells, sorted by (index, cell id)."""
        return self._parts.gradient.critical

    @property
    def _size(self) -> str:
        return "x".join(map(str, self.grid.dimensions)) + " voxels"

    @property
    def _domain(self) -> str:
        return f"an image of dimensions {self.grid.dimensions}"

    def _at(self, parts: Parts, level: float) -> MorseSmaleComplex:
        assert isinstance(parts, ImageParts)
        return MorseSmaleComplex(parts.gradient, _parts=parts, _level=level)

    def top_cell_labels(self, *, progress: Progress | None = None) -> Array:
        """The maximum that each top-dimensional cell ascends to, -1 out of the box.

        int32 (nz-1, ny-1, nx-1); axes of length 1 keep 1, periodic axes all n. These labels are
        exact; a vertex can only take that of one of its cells.
        """
        stages = {"labels of top cells": 3.0, **self._parts.stage_of_level("labels of top cells")}
        compute = self._parts.top_cell_labels
        return self._result("top cells", compute, progress, stages)

    # === geometry
    def extremum_arcs(self, kind: str, *, progress: Progress | None = None) -> ExtremumArcs:
        """The arcs of one kind as they lie on the device; see :class:`ExtremumArcs`."""
        check_kind(kind, ARCS)
        with self._parts.session.call(progress, {f"{kind} arcs": 1}):
            return self._parts.arcs(kind)

    @overload
    def separatrices(
        self,
        dimension: Literal[1] = 1,
        kind: str = "descending",
        *,
        sources: Any = None,
        progress: Progress | None = None,
    ) -> Separatrices: ...

    @overload
    def separatrices(
        self,
        dimension: Literal[2],
        kind: str = "descending",
        *,
        sources: Any = None,
        progress: Progress | None = None,
    ) -> SeparatrixSurfaces: ...

    @overload
    def separatrices(
        self,
        dimension: int,
        kind: str = "descending",
        *,
        sources: Any = None,
        progress: Progress | None = None,
    ) -> Separatrices | SeparatrixSurfaces: ...

    def separatrices(
        self,
        dimension: int = 1,
        kind: str = "descending",
        *,
        sources: Any = None,
        progress: Progress | None = None,
    ) -> Separatrices | SeparatrixSurfaces:
        """Separatrices: lines between critical cells, or the surfaces about saddles of a volume.

        Parameters
        ----------
        dimension : 1 or 2
            1: polylines through cell centers. 2: quadrilaterals, in volumes only.
        kind : "descending", "ascending" or "saddle"
            Lines lead from 1-saddles down to minima, from saddles of the highest index up to
            maxima, or, in volumes, from 1-saddles to 2-saddles. Surfaces spread from 2-saddles
            down, or from 1-saddles up.
        sources : (s,) integers, optional
            Surfaces of these saddles alone, rows of ``critical``. Memory goes with what they reach.

        Returns
        -------
        Separatrices if `dimension` is 1, SeparatrixSurfaces if it is 2.
        """
        return self._separatrices(DRAWING, dimension, kind, sources, progress)
