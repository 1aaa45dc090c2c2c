"""The Morse-Smale complex that users hold, for any domain of the field."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, TypeVar, overload

from ..arguments import check_one_of, checked_flag, is_one_of
from ..csr import CSR
from ..device.base import Array
from ..device.session import Progress
from ..errors import InputError
from ..homology import PersistenceDiagram
from ..repr_mixin import ReprMixin
from .cache import (
    CELL_LABELS,
    GRAPH_STAGES,
    LABEL_STAGES,
    LEVEL_STAGES,
    ComplexCache,
    Stages,
)
from .connectors.table import METHODS
from .critical import CriticalCells
from .flooding import simplified_values
from .gradient import DiscreteGradient
from .graph import Arcs, boundary_of
from .hierarchy import SkippedPairs
from .level import checked_level, part_of
from .segmentation import Regions
from .separatrices import ExtremumArcs, Separatrices, SeparatrixSurfaces

ARCS = ("ascending", "descending")
RAW_SHARE = 0.4  # of the time of a simplified complex

Complex = TypeVar("Complex", bound="MorseSmaleComplex")


class MorseSmaleComplex(ReprMixin):
    """Morse-Smale complex of a scalar field on an image or a mesh.

    Returned by :func:`separatrix.morse_smale` and :meth:`simplify`. Critical cells, segmentations,
    separatrices, the graph, and persistence pairs are computed on first access and cached. Labels
    count extrema in the order of ``critical``: label k denotes the k-th minimum or the k-th
    maximum, and -1 the outside of the domain.
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
        """The domain of the field: the :class:`separatrix.Grid` of an image, or the mesh."""
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
        """Device that computes: "cpu", "cuda:N", or "cuda:N in slabs, cpu"."""
        return self._cache.session.place

    @property
    def timings(self) -> dict[str, float]:
        """Seconds per stage, of all computations for these values at any level."""
        return self._cache.session.timings

    def _summary(self) -> str:
        level = f" at level {self._level:g}" if self._level else ""
        return f"{self.domain.size_text} on {self.device}{level}: counts {self.gradient.counts}"

    # === persistence and levels
    @property
    def persistence(self) -> float:
        """Level below which pairs are canceled, in the unit of the values; 0.0 for none."""
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
        rematch_saddles: bool = False,
        progress: Progress | None = None,
    ) -> Complex:
        """Return the complex in which all pairs below a persistence level are canceled.

        The first call computes a hierarchy of all cancellations, which all complexes of these
        values share. Each later level takes one pass over the critical cells, plus the time for the
        results that are requested. Levels always refer to the unsimplified complex.

        Parameters
        ----------
        persistence : float
            In the unit of the values; if 0, no pairs are canceled.
        relative : bool
            Interpret `persistence` as a fraction, from 0 to 1, of the range of the values.
        rematch_saddles : bool
            Cancel saddles that cannot be canceled with their persistence partners with other
            saddles instead, if their values differ by less than the threshold.
        progress : callable, optional
            As in :func:`separatrix.discrete_gradient`.

        Notes
        -----
        Pairs with a minimum or a maximum are always canceled. A pair of two saddles can be canceled
        only if exactly one V-path connects them; :attr:`skipped` lists the pairs of which a saddle
        remains.
        """
        level = checked_level(persistence, relative)
        rematch = checked_flag(rematch_saddles, "rematch_saddles")
        with self._cache.session.call(progress, LEVEL_STAGES):
            if relative and level:
                level *= self._cache.value_range()
            cache = self._cache.at_level(level, rematch)
            return type(self)(cache.gradient, _cache=cache, _level=level)

    @property
    def skipped(self) -> SkippedPairs:
        """Pairs of saddles below this level that could not be canceled, with the reasons.

        ``upper`` and ``lower`` are rows of ``critical``; -1 for a saddle that was canceled with a
        saddle of another pair.
        """
        with self._cache.session.call(None, LEVEL_STAGES):
            return self._cache.levels().skipped_at(self._cache.event, self._level)

    # === graph
    @property
    def arcs(self) -> Arcs:
        """The arcs between critical cells; see :meth:`trace_arcs`."""
        return self.trace_arcs()

    def trace_arcs(self, *, method: str = "frontier", progress: Progress | None = None) -> Arcs:
        """Return the arcs of the complex, with the number of V-paths of each.

        Parameters
        ----------
        method : "frontier" or "matrix"
            Method that counts V-paths between saddles. Both methods return the same numbers.
        """
        check_one_of("method", method, METHODS)
        stages = {**GRAPH_STAGES, "arcs": 1.0}
        arcs = partial(self._cache.graph_arcs, method)
        return self._result(f"arcs {method}", arcs, progress, stages)

    def boundary(self, index: int) -> CSR:
        """Return the boundary operator mod 2 of the critical cells of an index.

        Row i contains the rows of ``critical`` (int64) on the boundary of the i-th cell of the
        index, which are those that an odd number of V-paths connects to it.
        """
        return boundary_of(self.trace_arcs(), self._cache.gradient.counts, index)

    # === segmentations
    def segmentation(self, kind: str, *, progress: Progress | None = None) -> Array:
        """Return one int32 label per vertex, in the shape of the values; -1 outside.

        Parameters
        ----------
        kind : "ascending", "descending" or "morse_smale"
            "descending": the minimum that is reached by descending (DescendingManifold in TTK).
            "ascending": the maximum that is reached by ascending (AscendingManifold in TTK), or -1
            if the path leaves the domain. "morse_smale": consecutive ids of the pairs (minimum,
            maximum) in sorted order (MorseSmaleManifold).
        """
        stages, labels = self._label_stages(kind), partial(self._cache.segmentation, kind)
        return self._result(f"segmentation {kind}", labels, progress, stages)

    def manifold_sizes(self, *, progress: Progress | None = None) -> Array:
        """Return the number of vertices labeled by each critical cell: (k,) int64, 0 at saddles."""
        stages = {**LABEL_STAGES["morse_smale"], "manifold sizes": 1.0}
        return self._result("manifold sizes", self._cache.manifold_sizes, progress, stages)

    def regions(self, kind: str, *, progress: Progress | None = None) -> Regions:
        """Return the size, range of values, and extrema of each region of a segmentation."""
        stages = {**self._label_stages(kind), "regions": 1.0}
        regions = partial(self._cache.regions, kind)
        return self._result(f"regions {kind}", regions, progress, stages)

    def simplified_values(self, *, progress: Progress | None = None) -> Array:
        """Return the field without the extrema that are canceled at this level.

        The result has the dtype and the shape of the values.

        Vertices around a canceled minimum are raised to the saddle at which it drains, and those
        around a canceled maximum are lowered likewise, by less than the level;
        :mod:`separatrix.morse.flooding` states what is guaranteed for the diagram of the result.
        """
        stages = {**LABEL_STAGES["descending"], "raised": 1.0}
        if self._level and self._cache.top > 1:
            stages["lowered"] = 9.0
        values = partial(simplified_values, self._cache, self._level)
        return self._result("values", values, progress, stages)

    def cell_labels(self, *, progress: Progress | None = None) -> Array:
        """Return the maximum that each top-dimensional cell ascends to: int32, -1 outside.

        For an image, the shape is (nz-1, ny-1, nx-1), except that axes of length 1 keep length 1
        and periodic axes keep length n. For a mesh, it is (n_cells,), in the order of the user's
        cells. These labels are exact; each vertex has the label of one of its cells.
        """
        stages = {CELL_LABELS: 3.0, **self._cache.stage_of_level(CELL_LABELS)}
        session, compute = self._cache.session, self._cache.cell_labels
        return self._result("cell labels", lambda: session.result(compute()), progress, stages)

    # === geometry
    def extremum_arcs(self, kind: str, *, progress: Progress | None = None) -> ExtremumArcs:
        """Return the arcs of one kind, on the device; see :class:`ExtremumArcs`."""
        check_one_of("kind", kind, ARCS)
        with self._cache.session.call(progress, {f"{kind} arcs": 1}):
            return self._cache.extremum_arcs(kind)

    @overload
    def separatrices(
        self, dimension: Literal[1] = 1, kind: str = ..., *, progress: Progress | None = ...
    ) -> Separatrices: ...
    @overload
    def separatrices(
        self, dimension: Literal[2], kind: str = ..., *, sources: Any = ..., progress: Any = ...
    ) -> SeparatrixSurfaces: ...
    @overload
    def separatrices(
        self, dimension: int, kind: str = ..., *, sources: Any = ..., progress: Any = ...
    ) -> Separatrices | SeparatrixSurfaces: ...
    def separatrices(
        self,
        dimension: int = 1,
        kind: str = "descending",
        *,
        sources: Any = None,
        progress: Progress | None = None,
    ) -> Separatrices | SeparatrixSurfaces:
        """Return separatrices: lines between critical cells, or surfaces of a volume's saddles.

        Parameters
        ----------
        dimension : 1 or 2
            1 for polylines through cell centers; 2 for polygons, in volumes and tetrahedral meshes
            only.
        kind : "descending", "ascending" or "saddle"
            Lines lead from 1-saddles down to minima ("descending"), from saddles of the highest
            index up to maxima ("ascending"), or, in three dimensions, from 1-saddles to 2-saddles
            ("saddle"). Surfaces extend down from 2-saddles (squares, or triangles of the mesh) or
            up from 1-saddles (polygons around edges).
        sources : (s,) integers, optional
            Rows of ``critical`` whose surfaces are traced; all by default. The required memory
            depends on the extent of these surfaces.

        Returns
        -------
        Separatrices if `dimension` is 1, SeparatrixSurfaces if it is 2.
        """
        cache = self._cache
        is_surface = is_one_of(dimension, (2,)) and cache.top == 3
        check_one_of("kind", kind, ARCS if is_surface else (*ARCS, "saddle"))
        if is_surface:
            with cache.session.call(progress, {f"{kind} surfaces": 2.0}):
                return cache.surfaces(kind, sources)
        if not is_one_of(dimension, (1,)):
            expected = f"1, or 2 for a volume or tetrahedra, for {self.domain.kind_text}"
            raise InputError("dimension", expected, dimension)
        if sources is not None:
            remedy = "Select lines by their source."
            raise InputError("sources", "None unless {dimension=2}", sources, remedy)
        if kind == "saddle":
            with cache.session.call(progress, {"connectors": 4.0, "saddle lines": 2.0}):
                return cache.connector_lines()
        with cache.session.call(progress, {f"{kind} arcs": 1.0, f"{kind} lines": 2.0}):
            return cache.extremum_lines(kind)

    def _label_stages(self, kind: str) -> Stages:
        check_one_of("kind", kind, LABEL_STAGES)
        return {**LABEL_STAGES[kind], **self._cache.stage_of_level(f"{kind} labels")}

    def _result(
        self, name: str, compute: Callable[[], Any], progress: Progress | None, stages: Stages
    ) -> Any:
        if name not in self._results:
            with self._cache.session.call(progress, stages):
                if name not in self._results:  # another thread may have
                    self._results[name] = compute()
        return self._results[name]


def complex_of(
    make_gradient: Callable[[Progress | None], DiscreteGradient],
    persistence: float,
    relative: bool,
    rematch_saddles: bool,
    progress: Progress | None,
) -> MorseSmaleComplex:
    """Return the complex of a gradient at a level. Making the gradient is part of `progress`.

    Raises InputError for an invalid persistence before anything is computed.
    """
    checked_level(persistence, relative)
    checked_flag(rematch_saddles, "rematch_saddles")
    raw_part = part_of(progress, 0.0, RAW_SHARE) if persistence else progress
    raw = MorseSmaleComplex(make_gradient(raw_part))
    if not persistence:
        return raw
    level_part = part_of(progress, RAW_SHARE, 1.0)
    return raw.simplify(
        persistence, relative=relative, rematch_saddles=rematch_saddles, progress=level_part
    )
