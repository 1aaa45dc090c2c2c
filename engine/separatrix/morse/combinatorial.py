"""The combinatorial part of a Morse-Smale complex: critical cells, graph, and persistence pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..arguments import check_one_of
from ..device import Array, LazyCache, Progress, is_on_gpu
from ..homology import PersistenceDiagram
from ..options import MorseSmaleOptions
from ..results import CSR, SessionResult
from .connectors.table import METHODS, Connectors, trace_connectors
from .critical import CriticalCells
from .gradient import DiscreteGradient
from .graph import Arcs, ComplexGraph, assemble_arcs, boundary_of, graph_of
from .hierarchy import Hierarchy, SkippedPairs
from .labels import Labels, Stages
from .pairing import diagram_of_graph

GRAPH_STAGES = {"connectors": 5.0, "graph": 1.0}
LEVEL_STAGES = {**GRAPH_STAGES, "hierarchy": 4.0}


class CombinatorialComplex(SessionResult):
    """Base of :class:`MorseSmaleComplex`, without segmentations and geometry."""

    def __init__(self, gradient: DiscreteGradient, *, _labels: Labels | None = None):
        self._public_gradient, self._gradient = gradient, gradient._pairing
        self._session = self._gradient.session
        if _labels is None:
            with self._session.call(None, {}):
                self._gradient.prepare_complex()
            _labels = Labels(self._gradient)
        self._labels, self._parts = _labels, LazyCache(self._session)
        self._results: dict[str, Any] = {}
        self._raw: CombinatorialComplex | None = None  # never self: a cycle would delay its release
        self._level = 0.0

    @property
    def domain(self) -> Any:
        """The domain of the field: the :class:`separatrix.Grid` of an image, or the mesh."""
        return self._gradient.domain

    @property
    def gradient(self) -> DiscreteGradient:
        """The discrete gradient, with V-paths reversed where pairs are canceled."""
        return self._public_gradient

    @property
    def critical(self) -> CriticalCells:
        """The critical cells, sorted by (index, cell id)."""
        return self._gradient.critical

    def _summary(self) -> str:
        level = f" at level {self._level:g}" if self._level else ""
        return f"{self.domain._size_text} on {self.device}{level}: counts {self._gradient.counts}"

    # === persistence and levels
    @property
    def persistence(self) -> float:
        """Threshold below which pairs are canceled, in the unit of the values; 0.0 for none."""
        return self._level

    @property
    def persistence_pairs(self) -> PersistenceDiagram:
        """Persistence pairs of the critical cells; see :meth:`pair`."""
        return self.pair()

    def pair(self, *, progress: Progress | None = None) -> PersistenceDiagram:
        """Return all persistence pairs of the critical cells, including those of length zero."""

        def pairs() -> PersistenceDiagram:
            session, gradient = self._session, self._gradient
            if session.streams_to_gpu and not self._parts.has("graph"):
                connectors = self._passing_connectors()
                with session.stage("graph"):
                    graph = graph_of(gradient, connectors, only_for_pairs=True)
            else:
                graph = self._graph()
            with session.stage("pairs"), graph.local_session(session).device.current():
                return diagram_of_graph(gradient, graph)

        return self._result("pairs", pairs, progress, {**GRAPH_STAGES, "pairs": 4.0})

    @property
    def skipped(self) -> SkippedPairs:
        """Pairs of saddles below the threshold that could not be canceled, with the reasons.

        ``upper`` and ``lower`` are rows of ``critical``; -1 for a saddle that was canceled with a
        saddle of another pair.
        """
        with self._session.call(None, LEVEL_STAGES):
            return self._hierarchy().skipped_at(self._labels.event, self._level)

    @property
    def is_persistent(self) -> Array:
        """Whether each critical cell belongs to a pair at or above the threshold: (k,) bool.

        This holds for all extrema and essential cells, and for all saddles except those whose pair
        is in :attr:`skipped`. Takes O(k) time, for the k cells of the unsimplified complex.
        """

        def persistent() -> Array:
            flags = np.ones(len(self.critical), bool)
            if self._level:
                skipped = self._hierarchy().skipped_at(self._labels.event, self._level)
                for rows in (skipped.upper, skipped.lower):
                    flags[rows[rows >= 0]] = False
            session = self._session
            return (session.result if session.result.on_host else session.upload)(flags)

        return self._result("is persistent", persistent, None, LEVEL_STAGES)

    def _hierarchy(self, rematch: bool | None = None) -> Hierarchy:
        """The hierarchy of the raw complex, by default the one that produced this level."""
        if rematch is None and self._labels.hierarchy:
            return self._labels.hierarchy
        raw, rematches = self._raw or self, bool(rematch)
        gradient, name = raw._gradient, f"hierarchy {rematches}"

        def build() -> Hierarchy:
            volume = (gradient, self._labels.field) if gradient.dimension == 3 else None
            done = raw._session.progressed
            return Hierarchy(self._session, raw._take_graph, volume, rematches, done)

        if not raw._parts.has(name):
            raw._graph()  # in a stage of its own
        return raw._parts.once(name, build, "hierarchy")

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
            Method that counts V-paths between saddles. Both methods return the same counts.
        """
        check_one_of("method", method, METHODS)

        def arcs() -> Arcs:
            connectors = self._passing_connectors(method)
            with self._session.stage("arcs"):
                return assemble_arcs(self._gradient, connectors)

        return self._result(f"arcs {method}", arcs, progress, {**GRAPH_STAGES, "arcs": 1.0})

    def _passing_connectors(self, method: str = "frontier") -> Connectors:
        """Return the connectors; those on a GPU that the image streams through are not kept."""
        session = self._session
        if not session.streams_to_gpu or self._parts.has(f"{method} connectors"):
            return self._connectors(method)
        with session.stage("connectors"):
            return trace_connectors(self._gradient, method)

    def _connectors(self, method: str = "frontier") -> Connectors:
        """Return the connectors on the device of the session. Raises DeviceMemoryError."""
        session = self._session

        def connectors() -> Connectors:
            found = trace_connectors(self._gradient, method)
            columns = (found.offsets, found.items, found.multiplicity)
            if session.device.is_cuda and not is_on_gpu(found.items):
                n_bytes = sum(column.nbytes for column in columns)
                session.memory.require(n_bytes, f"a table of {found.items.size:,} connectors")
            return Connectors(*map(session.upload, columns))

        return self._parts.once(f"{method} connectors", connectors, "connectors")

    def _graph(self) -> ComplexGraph:
        connectors = self._connectors()
        return self._parts.once("graph", partial(graph_of, self._gradient, connectors))

    def _take_graph(self) -> ComplexGraph:
        """Return the graph, which is not kept on the CPU, because its order takes much memory."""
        graph = self._graph()
        if self._session.device.launch_form(host=True, gpu=False):
            self._parts.drop("graph")
        return graph

    def boundary(self, index: int) -> CSR:
        """Return the boundary operator over Z/2 of the critical cells of an index.

        Row i contains the rows of ``critical`` (int64) that an odd number of V-paths connects to
        the i-th cell of the index, and which therefore are on its boundary.
        """
        return boundary_of(self.trace_arcs(), self._gradient.counts, index)

    def _result(
        self, name: str, compute: Callable[[], Any], progress: Progress | None, stages: Stages
    ) -> Any:
        found = self._results.get(name)
        if found is None:
            with self._session.call(progress, stages):
                found = self._results.get(name)  # another thread may have computed it
                if found is None:
                    found = self._results[name] = compute()
        return found


def checked_level(persistence: float, relative: bool, rematch_saddles: bool) -> MorseSmaleOptions:
    """Return the validated options of a threshold. Raises InputError."""
    options = MorseSmaleOptions(
        persistence=persistence, relative=relative, rematch_saddles=rematch_saddles
    )
    options.check_together()
    return options
