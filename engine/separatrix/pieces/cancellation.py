"""Cancellation of the pairs of saddles of all pieces, with the events of the whole image.

Each pair depends on all V-paths reversed before it, so the first piece cancels all of them, one
after the other. It does not need the image: only the chains of squares on V-paths (chains.py), in
which each step of a search and each reversal of the whole image has its counterpart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..device import Array
from ..kernels import source
from ..morse.cancellation import NEVER, check_events, log_on_host
from ..morse.hierarchy import reasons_of
from ..morse.model import PairValues, SaddleLog
from .chains import ChainGraph, Chains, graph_of_chains, turned_words
from .exchange import FIRST_PIECE, from_first
from .gradient import PieceGradient
from .pairs import Pairs, persistence_of

LOG_CELL_SHIFT = source.constant("LOG_EVENT_BITS") + source.constant("LOG_CODE_BITS")


class OrderedLog(NamedTuple):
    """Events of n pairs of saddles in the order of cancellation."""

    persistence: np.ndarray  # (n,) float64
    event: np.ndarray  # (n,) uint32, NEVER if the pair is not canceled
    level: np.ndarray  # (s,) float64, ascending: of each event, from number 1 on
    log: SaddleLog

    def at(self, level: float) -> tuple[int, dict[str, int]]:
        """Return the last event below a level, and the number of pairs left there per reason."""
        event = int(np.searchsorted(self.level, level))
        is_left = (self.persistence < level) & (self.event > event)
        reason = self.log.reasons_after(event, self.event.size)
        return event, reasons_of(reason[is_left])


@dataclass(frozen=True)
class PieceLog:
    """What a piece knows of the cancellation of all pairs of saddles."""

    gradient: PieceGradient
    chains: Chains
    turned: np.ndarray  # (t,) uint64, sorted, of the piece's chains
    dead: dict[int, np.ndarray]  # by index, the event (c,) of each saddle, 0 if in no such pair
    of_all: OrderedLog | None  # on the first piece

    def at(self, level: float) -> tuple[int, dict[str, int]]:
        """Return the result of :meth:`OrderedLog.at`. All pieces call it."""
        found = None if self.of_all is None else self.of_all.at(level)
        event, skipped = self.gradient.exchange.gather(found)[FIRST_PIECE]
        return event, skipped

    def words_after(self, event: int) -> Array:
        """Return the words (m,) uint32 of the piece after an event. All pieces call it."""
        return turned_words(self.gradient, self.chains, self.turned, event)


def log_of_piece(gradient: PieceGradient, between: Pairs) -> PieceLog:
    """Cancel all pairs of saddles; `between` are those of all pieces, which all have to call it."""
    exchange, totals = gradient.exchange, gradient.totals
    persistence = persistence_of(gradient, between)
    graph = graph_of_chains(gradient)
    dead = {index: np.zeros(0, np.uint32) for index in (1, 2)}
    turned, of_all = np.empty(0, np.uint64), None
    if exchange.rank == FIRST_PIECE:
        of_all = _canceled(gradient, graph, between, persistence)
        order = _order(between, persistence)
        for index, cells in ((1, between.births), (2, between.deaths)):
            dead[index] = np.zeros(totals[index], np.uint32)
            dead[index][cells.number[order]] = of_all.event
        turned = np.sort(np.asarray(of_all.log.turned))
    for index in dead:
        firsts = [gradient.first(index, rank) for rank in range(1, exchange.size)]
        dead[index] = from_first(exchange, dead[index], np.array(firsts, np.int64))
    ends = graph.begins[1:-1].astype(np.uint64) << np.uint64(LOG_CELL_SHIFT)
    turned = from_first(exchange, turned, np.searchsorted(turned, ends))
    turned -= np.uint64(int(graph.begins[exchange.rank]) << LOG_CELL_SHIFT)
    return PieceLog(gradient, graph.own, turned, dead, of_all)


def _order(between: Pairs, persistence: np.ndarray) -> np.ndarray:
    keys = between.deaths.keys
    return np.lexsort((keys.cell, keys.vertex, keys.level, persistence))


def _canceled(
    gradient: PieceGradient, graph: ChainGraph, between: Pairs, persistence: np.ndarray
) -> OrderedLog:
    order, host = _order(between, persistence), gradient.session.host
    check_events(order.size, (1 << source.constant("LOG_EVENT_BITS")) - 1)
    upper, lower = (
        cells.number[order].astype(np.int32) for cells in (between.deaths, between.births)
    )
    persistence = persistence[order]
    assert graph.paths is not None
    log = log_on_host(host, graph.paths, upper, lower, PairValues(persistence, None, None))
    event = np.full(order.size, NEVER, np.uint32)
    event[log.upper] = np.arange(1, len(log.upper) + 1)
    return OrderedLog(persistence, event, persistence[log.n_turns - 1], log)
