"""Cancellation of a complex's pairs in the order of (persistence, dimension, filtration).

V-paths between saddles never pass cells of extremum lines, so pairs of both kinds are canceled
apart and their logs merged. kernels/morse/saddle_log.h says what happens to saddle pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..device import Session, to_host
from ..device.host import HostDevice
from ..errors import InputError
from ..kernels import NONE, source
from .field import as_float, exact_difference
from .graph import ComplexGraph
from .model import SaddlePaths
from .pairing import NO_BIRTH, CriticalPairs

NEVER = np.uint32(2**32 - 1)


class SaddleLog(NamedTuple):
    """What happened to n saddle pairs in s events, which are numbered from 1.

    ``upper`` and ``lower`` (s,) int32: the pairs whose saddles each event cancels; ``n_turns`` (s,)
    int32: pairs that had had their turn; ``turned`` uint64, unsorted: turned squares; ``tried``
    int32, ``tried_after`` uint32, ``found`` uint8: skipped pairs, after which event, ABSENT 0 or
    SEVERAL 1.
    """

    upper: np.ndarray
    lower: np.ndarray
    n_turns: np.ndarray
    turned: np.ndarray
    tried: np.ndarray
    tried_after: np.ndarray
    found: np.ndarray


class OrderedPairs(NamedTuple):
    """Rows of births and deaths (n,) int64 of all finite pairs in order, of ties inner ones first.

    ``persistence`` (n,) float64; ``upper`` and ``lower`` (n,) int32: the k-th 2-saddle and 1-saddle
    of a volume among the two, or -1.
    """

    birth: np.ndarray
    death: np.ndarray
    persistence: np.ndarray
    upper: np.ndarray
    lower: np.ndarray


def pairs_in_order(session: Session, pairs: CriticalPairs) -> OrderedPairs:
    """All finite pairs in the order of cancellation, sorted on the device. O(k log k)."""
    graph, xp, d = pairs.graph, session.device.xp, pairs.graph.dimension
    death, rows_in_order = session.upload(pairs.death), session.upload(graph.rows_in_order)
    birth_of = xp.full(death.size, NO_BIRTH, np.int64)
    births = xp.flatnonzero(death >= 0)
    birth_of[death[births]] = births
    parts = [births[:0]]
    for dimension in range(d):
        if 0 < dimension == d - 1:
            rows = rows_in_order[graph.rows(dimension)][::-1]
            parts.append(rows[death[rows] >= 0].astype(np.int64))
        else:
            ends = birth_of[rows_in_order[graph.rows(dimension + 1)]]
            parts.append(ends[ends >= 0])
    births = xp.concatenate(parts)
    deaths = death[births]
    persistence = exact_difference(*(graph.value[to_host(rows)] for rows in (births, deaths)))
    keys = session.upload(persistence.view(np.int64))  # not negative, so in the same order
    order = xp.argsort(keys, kind="stable")
    births, deaths = births[order], deaths[order]
    saddles = []
    for index in (2, 1):
        found, rows = xp.full(births.size, NONE, np.int32), graph.rows(index)
        for cells in (births, deaths) if d == 3 else ():
            there = (cells >= rows.start) & (cells < rows.stop)
            found[there] = cells[there] - rows.start
        saddles.append(to_host(found))
    return OrderedPairs(to_host(births), to_host(deaths), persistence[to_host(order)], *saddles)


def cancel_saddles(
    host: HostDevice,
    graph: ComplexGraph,
    upper: np.ndarray,
    lower: np.ndarray,
    persistence: np.ndarray,
    paths: SaddlePaths | None,
    rematch: bool,
) -> SaddleLog:
    """Cancel pairs of k-th 2-saddles and k-th 1-saddles in order; `paths` None below a volume.

    `rematch`: saddles left over are canceled with others too. Raises InputError from 2^28 pairs.
    """
    sizes, n = np.zeros(3, np.int64), upper.size
    n_most = 1 << source.constant("LOG_EVENT_BITS")
    if n >= n_most:
        raise InputError(
            f"there are {n:,} pairs of saddles, the hierarchy has room for {n_most - 1:,}; crop "
            "the data"
        )
    kept = 0
    if paths is not None:
        first = [graph.rows(index).start for index in (2, 1)]
        value = graph.value
        if value.dtype.kind in "iu" and value.dtype.itemsize == 8:  # beyond what a float64 tells
            value = exact_difference(np.full_like(value, value.min()), value)
        values = (as_float(value[first[0] + upper]), as_float(value[first[1] + lower]))
        pairs = (n, paths.upper[upper], paths.lower[lower], persistence, *values)
        kept = host.run(
            paths.task,
            *(*paths.model, *pairs, rematch, host.threads, sizes),
            undo=lambda log: host.run("drop_saddle_log", log),
        )
    n_events, n_turned, n_tried = sizes.tolist()
    log = SaddleLog(
        upper=np.empty(n_events, np.int32),
        lower=np.empty(n_events, np.int32),
        n_turns=np.empty(n_events, np.int32),
        turned=np.empty(n_turned, np.uint64),
        tried=np.empty(n_tried, np.int32),
        tried_after=np.empty(n_tried, np.uint32),
        found=np.empty(n_tried, np.uint8),
    )
    if kept:
        host.run("take_saddle_log", kept, *log)
    return log
