"""The critical cells, arcs, and pairs of a piece, unsimplified or at a level."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..complexes.cubical.grid import Grid, place
from ..complexes.cubical.slabs import doubled_layer
from ..device import Array, LazyCache, to_host
from ..homology import PersistenceDiagram
from ..morse.connectors.table import Connectors
from ..morse.critical import Counts, CriticalCells
from ..morse.graph import Arcs
from ..results import SessionResult
from .arcs import arcs_of_piece
from .connectors import connectors_of_piece
from .gradient import PieceGradient
from .pairs import ExtremumPairs, Pairs, diagram_of_piece, extremum_pairs, saddle_pairs


class PieceTables(SessionResult):
    """The tables of a gradient's piece, whose rows are those of the whole gradient."""

    _SHOWN = ("grid", "layers", "counts", "critical", "device")

    def __init__(self, gradient: PieceGradient):
        self._gradient, self._session = gradient, gradient.session
        self._parts = LazyCache(gradient.session)
        self._results: dict[str, Any] = {}
        layers = gradient.layers
        self.grid: Grid = layers.whole
        self.layers = (layers.slab.begin, layers.slab.end)
        self.counts: Counts = gradient.totals
        self.rows = gradient.rows
        self.critical = _critical_cells(gradient)

    def _summary(self) -> str:
        begin, end = self.layers
        layers = f"layers {begin} to {end - 1} of {self.grid._size_text}"
        return f"{layers} on {self.device}: counts {self._gradient.own_counts}"

    @property
    def arcs(self) -> Arcs:
        """Arcs whose saddle, or whose 2-saddle, belongs to the piece, sorted by (upper, lower).

        Rows are those of the whole complex. All ranks have to access it.
        """
        return self._together("arcs", self._assemble_arcs)

    @property
    def persistence_pairs(self) -> PersistenceDiagram:
        """All pairs, including those of length zero, whose saddle belongs to the piece.

        A pair of saddles belongs to the piece of its 2-saddle, an essential class to that of its
        cell. Cell ids and rows are those of the whole complex. All ranks have to access it.
        """

        def pairs() -> PersistenceDiagram:
            of_extrema = [self._extremum_pairs(kind).pairs for kind in self._kinds]
            return diagram_of_piece(self._gradient, of_extrema, self._saddle_pairs())

        return self._together("pairs", pairs)

    # === parts, which other parts share
    def _together(self, name: str, compute: Callable[[], Any]) -> Any:
        if name not in self._results:  # once computed, a result needs no exchange
            with self._gradient.exchange.together(), self._session.call(None, {name: 1.0}):
                found = self._parts.once(name, compute)
            self._results[name] = found
        return self._results[name]

    @property
    def _kinds(self) -> tuple[str, ...]:
        """Kinds of arcs; on a line, the ascending arcs are the descending ones."""
        return ("descending", "ascending") if self._gradient.dimension > 1 else ("descending",)

    def _ends(self, kind: str) -> Array:
        """Return the extrema (s, 2) int32 at the ends of the saddles of a kind of arcs."""
        raise NotImplementedError

    def _extremum_pairs(self, kind: str) -> ExtremumPairs:
        def pairs() -> ExtremumPairs:
            return extremum_pairs(self._gradient, kind, to_host(self._ends(kind)))

        return self._parts.without_stage(f"{kind} pairs", pairs)

    def _saddle_pairs(self) -> Pairs | None:
        """The pairs of saddles of all pieces; None below three dimensions."""
        if self._gradient.dimension < 3:
            return None

        def pairs() -> Pairs:
            of_extrema = [self._extremum_pairs(kind).pairs for kind in self._kinds]
            return saddle_pairs(self._gradient, self._connectors(), *of_extrema)

        return self._parts.without_stage("saddle pairs", pairs)

    def _connectors(self) -> Connectors:
        def connectors() -> Connectors:
            found = connectors_of_piece(self._gradient)
            return Connectors(*map(to_host, (found.offsets, found.items, found.multiplicity)))

        return self._parts.without_stage("connectors", connectors)

    def _assemble_arcs(self) -> Arcs:
        return arcs_of_piece(self._gradient, self._ends, self._connectors())


def _critical_cells(gradient: PieceGradient) -> CriticalCells:
    session = gradient.session
    cells, layers, field = gradient.cells, gradient.layers, gradient.field
    ascending = cells + (layers.slab.n_before - layers.before) * doubled_layer(layers.whole)
    _, _, on_boundary = place(session.device, field.grid, ascending, field.types)
    cells = cells + gradient.cell_shift
    position, index, _ = place(session.device, layers.whole, cells)
    columns = (cells, index, gradient.values, gradient.vertices, position, on_boundary)
    ids, index, values, vertices, position, on_boundary = map(session.result, columns)
    return CriticalCells(ids, index, values, vertices, position, on_boundary, gradient.own_counts)
