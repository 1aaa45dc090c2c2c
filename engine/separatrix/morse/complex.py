"""The Morse-Smale complex: what a user holds, whatever the domain of the field is."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Literal, TypeVar, overload

from ..arguments import is_one_of
from ..device.base import Array
from ..device.session import Progress
from ..errors import InputError
from ..homology import PersistenceDiagram
from ..repr_mixin import ReprMixin
from .arcs import boundary_of
from .cache import (
    CELL_LABELS,
    GRAPH_STAGES,
    LABEL_STAGES,
    LEVEL_STAGES,
    PATH_STAGES,
    ComplexCache,
    Stages,
)
from .connectors.table import METHODS
from .critical import CriticalCells
from .flooding import simplified_values
from .gradient import DiscreteGradient
from .graph import Arcs
from .hierarchy import SkippedPairs
from .level import checked_level, part_of
from .regions import Regions
from .separatrices import ExtremumArcs, Separatrices
from .surfaces import SeparatrixSurfaces

ARCS = ("ascending", "descending")
RAW_SHARE = 0.4  # of the time of a simplified complex

Complex = TypeVar("Complex", bound="MorseSmaleComplex")


class MorseSmaleComplex(ReprMixin):
    """Critical cells, segmentations, separatrices, graph and persistence of a scalar field.

    Of an image or of a mesh; made by :func:`separatrix.morse_smale`, and by :meth:`simplify` from
    another. What is asked for is computed once and kept. Labels count extrema in the order of
    ``critical``: label k is the k-th minimum or the k-th maximum, -1 is outside the domain.
    """

    def __init__(
        self,
        gradient: DiscreteGradient,
        *,
        _cache: ComplexCache | None = None,
        _level: float = 0.0,
    ):
        if _cache is None:
            with gradient.session.call(None, {}):
                gradient.prepare_complex()
                _cache = ComplexCache(gradient)
        self._cache = _cache
        self._level = _level
        self._results: dict[str, Any] = {}

    @property
    def domain(self) -> Any:
        """What the field lies on: the :class:`separatrix.Grid` of an image, or the mesh."""
        return self._cache.gradient.domain

    @property
    def gradient(self) -> DiscreteGradient:
        """The discrete gradient, with V-paths reversed where pairs are canceled."""
        return self._cache.gradient

    @property
    def critical(self) -> CriticalCells:
        """The critical cells, sorted by (index, cell id)."""
        return self._cache.gradient.critical

    @property
    def device(self) -> str:
        """Where it is computed: "cpu", "cuda:N", or "cuda:N in slabs, cpu"."""
        return self._cache.session.place

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage, of what has been computed so far of the data at any level."""
        return self._cache.session.timings

    def _summary(self) -> str:
        level = f" at level {self._level:g}" if self._level else ""
        return f"{self.domain.size_text} on {self.device}{level}: counts {self.gradient.counts}"

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
        return self._result("pairs", self._cache.pairs, progress, {**GRAPH_STAGES, "pairs": 4.0})

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
        with self._cache.session.call(progress, LEVEL_STAGES):
            if relative and level:
                level *= self._cache.value_range()
            cache = self._cache.at_level(level)
            return type(self)(cache.gradient, _cache=cache, _level=level)

    @property
    def skipped(self) -> SkippedPairs:
        """Pairs of saddles below this level that could not be canceled, and why.

        ``upper`` and ``lower`` are rows of ``critical``.
        """
        with self._cache.session.call(None, LEVEL_STAGES):
            return self._cache.levels().skipped_at(self._cache.event, self._level)

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
        compute = partial(self._cache.graph_arcs, method)
        return self._result(f"arcs {method}", compute, progress, stages)

    def boundary(self, index: int) -> tuple[Array, Array]:
        """Boundary operator mod 2, from critical cells of an index to those of one less.

        Returns (offsets, rows): cell i of the index has the rows ``rows[offsets[i]:offsets[i+1]]``
        of ``critical`` on its boundary, int64 both; they are joined to it by an odd number of
        V-paths.
        """
        return boundary_of(self.trace_arcs(), self._cache.gradient.counts, index)

    # === segmentations
    def segmentation(self, kind: str, *, progress: Progress | None = None) -> Array:
        """A label per vertex: int32, in the shape of the values; -1 at vertices of no cell.

        Parameters
        ----------
        kind : "ascending", "descending" or "morse_smale"
            "descending": the minimum reached by descending (TTK's DescendingManifold).
            "ascending": the maximum reached by ascending (TTK's AscendingManifold), -1 where the
            path leaves the domain. "morse_smale": dense ids of the pairs (minimum, maximum) in
            sorted order (MorseSmaleManifold).
        """
        stages = self._label_stages(kind)
        compute = partial(self._cache.segmentation, kind)
        return self._result(f"segmentation {kind}", compute, progress, stages)

    def manifold_sizes(self, *, progress: Progress | None = None) -> Array:
        """Vertices labeled with each critical cell: (k,) int64; 0 for saddles."""
        stages = {**LABEL_STAGES["morse_smale"], "manifold sizes": 1.0}
        compute = self._cache.manifold_sizes
        return self._result("manifold sizes", compute, progress, stages)

    def regions(self, kind: str, *, progress: Progress | None = None) -> Regions:
        """Size, range of values and extrema of each region of a segmentation, by its labels."""
        stages = {**self._label_stages(kind), "regions": 1.0}
        compute = partial(self._cache.regions, kind)
        return self._result(f"regions {kind}", compute, progress, stages)

    def simplified_values(self, *, progress: Progress | None = None) -> Array:
        """The scalar field without the extrema that this level cancels, in its dtype and shape.

        Vertices about a canceled minimum are raised to the saddle at which it drains, those about
        a canceled maximum are lowered likewise, by less than the level; see
        :mod:`separatrix.morse.flooding` for what is guaranteed of the result's diagram.
        """
        stages = {**LABEL_STAGES["descending"], "raised": 1.0}
        if self._level and self._cache.top > 1:
            stages["lowered"] = 9.0
        compute = partial(simplified_values, self._cache, self._level)
        return self._result("values", compute, progress, stages)

    def cell_labels(self, *, progress: Progress | None = None) -> Array:
        """The maximum that each top-dimensional cell ascends to: int32, -1 out of the domain.

        Of an image (nz-1, ny-1, nx-1), where axes of length 1 keep 1 and periodic axes all n; of a
        mesh (n_cells,) by the user's cells. These labels are exact; a vertex can only take that of
        one of its cells.
        """
        stages = {CELL_LABELS: 3.0, **self._cache.stage_of_level(CELL_LABELS)}
        session, compute = self._cache.session, self._cache.cell_labels
        return self._result("cell labels", lambda: session.result(compute()), progress, stages)

    # === geometry
    def extremum_arcs(self, kind: str, *, progress: Progress | None = None) -> ExtremumArcs:
        """The arcs of one kind as they lie on the device; see :class:`ExtremumArcs`."""
        check_kind(kind, ARCS)
        with self._cache.session.call(progress, {f"{kind} arcs": 1}):
            return self._cache.extremum_arcs(kind)

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
        """Separatrices: lines between critical cells, or the surfaces of saddles of a volume.

        Parameters
        ----------
        dimension : 1 or 2
            1: polylines through cell centers. 2: polygons, of volumes and tetrahedra only.
        kind : "descending", "ascending" or "saddle"
            Lines lead from 1-saddles down to minima, from saddles of the highest index up to
            maxima, or, in three dimensions, from 1-saddles to 2-saddles. Surfaces spread from
            2-saddles down (squares, or triangles of the mesh), or from 1-saddles up (polygons
            around edges).
        sources : (s,) integers, optional
            Surfaces of these saddles alone, rows of ``critical``. Memory goes with what they reach.

        Returns
        -------
        Separatrices if `dimension` is 1, SeparatrixSurfaces if it is 2.
        """
        cache = self._cache
        is_surface = is_one_of(dimension, (2,)) and cache.top == 3
        check_kind(kind, ARCS if is_surface else (*ARCS, "saddle"))
        if is_surface:
            with cache.session.call(progress, {**PATH_STAGES, f"{kind} surfaces": 2.0}):
                return cache.surfaces(kind, sources)
        if not is_one_of(dimension, (1,)):
            raise InputError(
                f"dimension must be 1, or 2 for a volume or tetrahedra, not {dimension!r} for "
                f"{self.domain.kind_text}"
            )
        if sources is not None:
            raise InputError("sources is for surfaces alone; select lines by their source")
        if kind == "saddle":
            with cache.session.call(
                progress, {**PATH_STAGES, "connectors": 4.0, "saddle lines": 2.0}
            ):
                return cache.connector_lines()
        with cache.session.call(progress, {f"{kind} arcs": 1.0, f"{kind} lines": 2.0}):
            return cache.extremum_lines(kind)

    def _label_stages(self, kind: str) -> Stages:
        check_kind(kind, LABEL_STAGES)
        return {**LABEL_STAGES[kind], **self._cache.stage_of_level(f"{kind} labels")}

    def _result(
        self, name: str, compute: Callable[[], Any], progress: Progress | None, stages: Stages
    ) -> Any:
        """What a method gives, computed once."""
        if name not in self._results:
            with self._cache.session.call(progress, stages):
                if name not in self._results:  # another thread was quicker
                    self._results[name] = compute()
        return self._results[name]


def check_kind(kind: Any, kinds: Collection[str]) -> None:
    """Raises InputError unless `kind` is one of the kinds."""
    if not isinstance(kind, str) or kind not in kinds:
        raise InputError(f"kind must be one of {', '.join(kinds)}, not {kind!r}")


def complex_of(
    make_gradient: Callable[[Progress | None], DiscreteGradient],
    persistence: float,
    relative: bool,
    progress: Progress | None,
) -> MorseSmaleComplex:
    """The complex of a gradient at a level; the gradient is made while a part of `progress` runs.

    Raises InputError for a persistence that is not a level, before anything is computed.
    """
    checked_level(persistence, relative)
    raw_part = part_of(progress, 0.0, RAW_SHARE) if persistence else progress
    raw = MorseSmaleComplex(make_gradient(raw_part))
    if not persistence:
        return raw
    level_part = part_of(progress, RAW_SHARE, 1.0)
    return raw.simplify(persistence, relative=relative, progress=level_part)
