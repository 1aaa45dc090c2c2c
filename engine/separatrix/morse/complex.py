"""The Morse-Smale complex of an image: what a user holds, and how its parts are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..device.base import Array
from ..device.work import Progress
from ..errors import InputError
from ..homology import PersistenceDiagram
from .arcs import boundary_of
from .complex_base import ComplexBase, check_kind
from .drawing import draw_connector_lines, draw_extremum_lines, draw_surfaces
from .field import open_image
from .flooding import simplified_values
from .gradient import compute_gradient
from .graph import Arcs
from .grid import NOT_PERIODIC
from .hierarchy import SkippedPairs
from .level import checked_level, part_of, range_of_values
from .memory import GRADIENT_BYTES, SEGMENTATION_BYTES
from .parts import GRAPH_STAGES, LABEL_STAGES, LEVEL_STAGES, PATH_STAGES
from .regions import Regions
from .separatrices import ExtremumArcs, Separatrices
from .surfaces import SeparatrixSurfaces

ARCS = ("ascending", "descending")
RAW_SHARE = 0.4  # of the time of a simplified complex


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
    work, given, grid = open_image(
        values, spacing, origin, direction, device, threads, memory_limit, needed, periodic, order
    )
    raw_part = part_of(progress, 0.0, RAW_SHARE) if persistence else progress
    gradient = compute_gradient(work, given, grid, raw_part, order)
    with work.call(None, {}):
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

    # === persistence and levels
    @property
    def persistence(self) -> float:
        """The level, in the unit of the values, below which pairs are cancelled; 0.0: none is."""
        return self._level

    @property
    def persistence_pairs(self) -> PersistenceDiagram:
        """All pairs of this complex's critical cells; see :meth:`pair`."""
        return self.pair()

    def pair(self, *, progress: Progress | None = None) -> PersistenceDiagram:
        """All pairs of this complex's critical cells, those of zero persistence included."""
        return self._result("pairs", self._parts.pairs, progress, {**GRAPH_STAGES, "pairs": 4.0})

    def simplify(
        self, persistence: float, *, relative: bool = False, progress: Progress | None = None
    ) -> MorseSmaleComplex:
        """The complex in which all pairs of less persistence are cancelled.

        The first call computes a hierarchy of all cancellations, which every complex of the image
        shares; from then on a level costs a pass over the critical cells, and whatever is asked
        of it. The level always counts from the unsimplified complex.

        Parameters
        ----------
        persistence : float
            In the unit of the values, or a fraction (0 to 1) of their range if `relative`.

        Notes
        -----
        Pairs with a minimum or a maximum are always cancelled. A pair of two saddles can be only
        if exactly one V-path joins it: the others are kept and listed as :attr:`skipped`.
        """
        level = checked_level(persistence, relative)
        with self._parts.work.call(progress, LEVEL_STAGES):
            if relative and level:
                level *= range_of_values(self._parts.checked_field("a relative level"))
            parts = self._parts.at_level(level)
            return MorseSmaleComplex(parts.gradient, _parts=parts, _level=level)

    @property
    def skipped(self) -> SkippedPairs:
        """Pairs of saddles below this level that could not be cancelled, and why.

        ``upper`` and ``lower`` are rows of ``critical``.
        """
        with self._parts.work.call(None, LEVEL_STAGES):
            return self._parts.levels().skipped_at(self._parts.event, self._level)

    # === graph
    @property
    def arcs(self) -> Arcs:
        """The arcs between critical cells; see :meth:`trace_arcs`."""
        return self.trace_arcs()

    def trace_arcs(self, *, method: str | None = None, progress: Progress | None = None) -> Arcs:
        """The arcs of the complex, with the number of V-paths of each.

        Parameters
        ----------
        method : "frontier" or "matrix", optional
            How to count V-paths between saddles. By default "frontier" for the unsimplified
            complex; for a simplified one the numbers are read off the hierarchy, at once: their
            parity is exact, and they bound the numbers of V-paths from above. Name a method to
            have the V-paths of a simplified complex counted again.
        """
        stages = {**PATH_STAGES, **GRAPH_STAGES, "arcs": 1.0}
        compute = partial(self._parts.graph_arcs, method)
        return self._result(f"arcs {method}", compute, progress, stages)

    def boundary(self, index: int) -> tuple[Array, Array]:
        """Boundary operator mod 2, from critical cells of an index to those of one less.

        Returns (offsets, rows): cell i of the index has the rows ``rows[offsets[i]:offsets[i+1]]``
        of ``critical`` on its boundary, int64 both; they are joined to it by an odd number of
        V-paths.
        """
        return boundary_of(self.trace_arcs(), self.critical.counts, index)

    # === segmentations
    def segmentation(self, kind: str, *, progress: Progress | None = None) -> Array:
        """A label per vertex: int32, in the shape of the values.

        Parameters
        ----------
        kind : "ascending", "descending" or "cells"
            "descending": the minimum reached by descending (TTK's DescendingManifold).
            "ascending": the maximum reached by ascending (TTK's AscendingManifold), -1 where the
            path leaves the box. "cells": dense ids of the pairs (minimum, maximum) in sorted
            order (MorseSmaleManifold).
        """
        stages = self._label_stages(kind)
        compute = partial(self._parts.segmentation, kind)
        return self._result(f"segmentation {kind}", compute, progress, stages)

    def top_cell_labels(self, *, progress: Progress | None = None) -> Array:
        """The maximum that each top-dimensional cell ascends to, -1 out of the box.

        int32 (nz-1, ny-1, nx-1); axes of length 1 keep 1, periodic axes all n. These labels are
        exact; a vertex can only take that of one of its cells.
        """
        stages = {"labels of top cells": 3.0, **self._parts.stage_of_level("labels of top cells")}
        compute = self._parts.top_cell_labels
        return self._result("top cells", compute, progress, stages)

    def manifold_sizes(self, *, progress: Progress | None = None) -> Array:
        """Vertices labelled with each critical cell: (k,) int64; 0 for saddles."""
        stages = {**LABEL_STAGES["cells"], "manifold sizes": 1.0}
        compute = self._parts.manifold_sizes
        return self._result("manifold sizes", compute, progress, stages)

    def regions(self, kind: str, *, progress: Progress | None = None) -> Regions:
        """Size, range of values and extrema of each region of a segmentation, by its labels."""
        stages = {**self._label_stages(kind), "regions": 1.0}
        compute = partial(self._parts.regions, kind)
        return self._result(f"regions {kind}", compute, progress, stages)

    def simplified_values(self, *, progress: Progress | None = None) -> Array:
        """The scalar field without the extrema that this level cancels, in its dtype and shape.

        Vertices about a cancelled minimum are raised to the saddle at which it drains, those about
        a cancelled maximum are lowered likewise, by less than the level; see
        :mod:`separatrix.morse.flooding` for what is guaranteed of the result's diagram.
        """
        stages = {**LABEL_STAGES["descending"], "raised": 1.0}
        if self._level and self.grid.dimension > 1:
            stages["lowered"] = 9.0
        compute = partial(simplified_values, self._parts, self._level)
        return self._result("values", compute, progress, stages)

    # === geometry
    def extremum_arcs(self, kind: str, *, progress: Progress | None = None) -> ExtremumArcs:
        """The arcs of one kind as they lie on the device; see :class:`ExtremumArcs`."""
        check_kind(kind, ARCS)
        with self._parts.work.call(progress, {f"{kind} arcs": 1}):
            return self._parts.arcs(kind)

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
            1: polylines through cell centres. 2: quadrilaterals, in volumes only.
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
        is_surface = dimension == 2 and self.grid.dimension == 3
        check_kind(kind, ARCS if is_surface else (*ARCS, "saddle"))
        parts = self._parts
        if is_surface:
            with parts.work.call(progress, {**PATH_STAGES, f"{kind} surfaces": 2.0}):
                return draw_surfaces(parts, kind, sources)
        if dimension != 1:
            raise InputError(
                f"dimension must be 1, or 2 for a volume, not {dimension!r} for an image of "
                f"dimensions {self.grid.dimensions}"
            )
        if sources is not None:
            raise InputError("sources is for surfaces alone; select lines by their source")
        if kind == "saddle":
            with parts.work.call(progress, {**PATH_STAGES, "connectors": 4.0, "saddle lines": 2.0}):
                return draw_connector_lines(parts)
        with parts.work.call(progress, {f"{kind} arcs": 1.0, f"{kind} lines": 2.0}):
            return draw_extremum_lines(parts, kind)
