"""What a complex at any level has, of an image or of a mesh: graph, levels, labels and regions."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from ..arguments import is_one_of
from ..complexes.cubical.separatrices import Separatrices
from ..device.base import Array
from ..device.session import Progress
from ..errors import InputError
from ..homology import PersistenceDiagram
from ..repr_mixin import ReprMixin
from .arcs import boundary_of
from .cache import GRAPH_STAGES, LABEL_STAGES, LEVEL_STAGES, PATH_STAGES, Parts, Stages
from .connectors import METHODS
from .flooding import simplified_values
from .graph import Arcs
from .hierarchy import SkippedPairs
from .level import checked_level
from .regions import Regions

ARCS = ("ascending", "descending")
LINE_SHARES = {"arcs": 1.0, "lines": 2.0}  # of the time of lines to extrema

Complex = TypeVar("Complex", bound="ComplexBase")


@dataclass(frozen=True)
class Drawing:
    """How separatrices of a kind of domain are drawn, from the parts of a complex.

    ``line_stages``: what lines to extrema pass through; ``with_surfaces``: the domain that has
    surfaces. The functions take the parts, then the kind, then the sources of surfaces.
    """

    line_stages: tuple[str, ...]
    with_surfaces: str
    extremum_lines: Callable[[Any, str], Separatrices]
    connector_lines: Callable[[Any], Separatrices]
    surfaces: Callable[[Any, str, Any], Any]


class ComplexBase(ReprMixin):
    """A complex that computes what it is asked for, once, and keeps it."""

    def __init__(self, parts: Parts, level: float = 0.0):
        self._parts = parts
        self._level = level
        self._results: dict[str, Any] = {}

    @property
    def device(self) -> str:
        """Where it is computed: "cpu", "cuda:N", or "cuda:N in slabs, cpu"."""
        return self._parts.session.place

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage, of what has been computed so far of the data at any level."""
        return self._parts.session.timings

    @property
    def _size(self) -> str:
        raise NotImplementedError

    @property
    def _domain(self) -> str:
        """What the field lies on, as an error names it."""
        raise NotImplementedError

    def _at(self: Complex, parts: Parts, level: float) -> Complex:
        """The complex of these parts."""
        raise NotImplementedError

    def _summary(self) -> str:
        level = f" at level {self._level:g}" if self._level else ""
        return f"{self._size} on {self.device}{level}: counts {self._parts.gradient.counts}"

    # === persistence and levels
    @property
    def persistence(self) -> float:
        """The level, in the unit of the values, below which pairs are canceled; 0.0: none is."""
        return self._level

    @property
    def persistence_pairs(self) -> PersistenceDiagram:
        """All pairs of this complex's critical cells; see :meth:`pair`."""
        return self.pair()

    def pair(self, *, progress: Progress | None = None) -> PersistenceDiagram:
        """All pairs of this complex's critical cells, those of zero persistence included."""
        return self._result("pairs", self._parts.pairs, progress, {**GRAPH_STAGES, "pairs": 4.0})

    def simplify(
        self: Complex,
        persistence: float,
        *,
        relative: bool = False,
        progress: Progress | None = None,
    ) -> Complex:
        """The complex in which all pairs of less persistence are canceled.

        The first call computes a hierarchy of all cancellations, which every complex of the data
        shares; from then on a level costs a pass over the critical cells, and whatever is asked
        of it. The level always counts from the unsimplified complex.

        Parameters
        ----------
        persistence : float
            In the unit of the values; 0 cancels none.
        relative : bool
            Take `persistence` as a fraction, 0 to 1, of the range of the values.
        progress : callable, optional
            As in :func:`separatrix.discrete_gradient`.

        Notes
        -----
        Pairs with a minimum or a maximum are always canceled. A pair of two saddles can be only
        if exactly one V-path joins it: the others are kept and listed as :attr:`skipped`.
        """
        level = checked_level(persistence, relative)
        with self._parts.session.call(progress, LEVEL_STAGES):
            if relative and level:
                level *= self._parts.value_range()
            return self._at(self._parts.at_level(level), level)

    @property
    def skipped(self) -> SkippedPairs:
        """Pairs of saddles below this level that could not be canceled, and why.

        ``upper`` and ``lower`` are rows of ``critical``.
        """
        with self._parts.session.call(None, LEVEL_STAGES):
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
        if method is not None and not is_one_of(method, METHODS):
            raise InputError(f"method must be one of {', '.join(METHODS)} or None, not {method!r}")
        stages = {**PATH_STAGES, **GRAPH_STAGES, "arcs": 1.0}
        compute = partial(self._parts.graph_arcs, method)
        return self._result(f"arcs {method}", compute, progress, stages)

    def boundary(self, index: int) -> tuple[Array, Array]:
        """Boundary operator mod 2, from critical cells of an index to those of one less.

        Returns (offsets, rows): cell i of the index has the rows ``rows[offsets[i]:offsets[i+1]]``
        of ``critical`` on its boundary, int64 both; they are joined to it by an odd number of
        V-paths.
        """
        return boundary_of(self.trace_arcs(), self._parts.gradient.counts, index)

    # === segmentations
    def segmentation(self, kind: str, *, progress: Progress | None = None) -> Array:
        """A label per vertex: int32, in the shape of the values; -1 at vertices of no cell.

        Parameters
        ----------
        kind : "ascending", "descending" or "cells"
            "descending": the minimum reached by descending (TTK's DescendingManifold).
            "ascending": the maximum reached by ascending (TTK's AscendingManifold), -1 where the
            path leaves the domain. "cells": dense ids of the pairs (minimum, maximum) in sorted
            order (MorseSmaleManifold).
        """
        stages = self._label_stages(kind)
        compute = partial(self._parts.segmentation, kind)
        return self._result(f"segmentation {kind}", compute, progress, stages)

    def manifold_sizes(self, *, progress: Progress | None = None) -> Array:
        """Vertices labeled with each critical cell: (k,) int64; 0 for saddles."""
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

        Vertices about a canceled minimum are raised to the saddle at which it drains, those about
        a canceled maximum are lowered likewise, by less than the level; see
        :mod:`separatrix.morse.flooding` for what is guaranteed of the result's diagram.
        """
        stages = {**LABEL_STAGES["descending"], "raised": 1.0}
        if self._level and self._parts.top > 1:
            stages["lowered"] = 9.0
        compute = partial(simplified_values, self._parts, self._level)
        return self._result("values", compute, progress, stages)

    # === geometry
    def _separatrices(
        self,
        drawing: Drawing,
        dimension: int,
        kind: str,
        sources: Any,
        progress: Progress | None,
    ) -> Any:
        """Lines for dimension 1; surfaces for 2, where the domain has them."""
        parts = self._parts
        is_surface = is_one_of(dimension, (2,)) and parts.top == 3
        check_kind(kind, ARCS if is_surface else (*ARCS, "saddle"))
        if is_surface:
            with parts.session.call(progress, {**PATH_STAGES, f"{kind} surfaces": 2.0}):
                return drawing.surfaces(parts, kind, sources)
        if not is_one_of(dimension, (1,)):
            raise InputError(
                f"dimension must be 1, or 2 for {drawing.with_surfaces}, not {dimension!r} for "
                f"{self._domain}"
            )
        if sources is not None:
            raise InputError("sources is for surfaces alone; select lines by their source")
        if kind == "saddle":
            with parts.session.call(
                progress, {**PATH_STAGES, "connectors": 4.0, "saddle lines": 2.0}
            ):
                return drawing.connector_lines(parts)
        shares = {f"{kind} {stage}": LINE_SHARES[stage] for stage in drawing.line_stages}
        with parts.session.call(progress, shares):
            return drawing.extremum_lines(parts, kind)

    def _label_stages(self, kind: str) -> Stages:
        check_kind(kind, LABEL_STAGES)
        return {**LABEL_STAGES[kind], **self._parts.stage_of_level(f"{kind} labels")}

    def _result(
        self, name: str, compute: Callable[[], Any], progress: Progress | None, stages: Stages
    ) -> Any:
        """What a method gives, computed once."""
        if name not in self._results:
            with self._parts.session.call(progress, stages):
                if name not in self._results:  # another thread was quicker
                    self._results[name] = compute()
        return self._results[name]


def check_kind(kind: Any, kinds: Collection[str]) -> None:
    """Raises InputError unless `kind` is one of the kinds."""
    if not isinstance(kind, str) or kind not in kinds:
        raise InputError(f"kind must be one of {', '.join(kinds)}, not {kind!r}")
