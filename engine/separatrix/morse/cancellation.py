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


def pairs_in_order(
    session: Session, pairs: CriticalPairs
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Births, deaths and persistence of all finite pairs in order; of ties inner ones first."""
    graph, d = pairs.graph, pairs.graph.dimension
    birth_of = np.full(graph.rank.size, NO_BIRTH, np.int64)
    births = np.flatnonzero(pairs.death >= 0)
    birth_of[pairs.death[births]] = births
    parts = []
    for dimension in range(d):
        if 0 < dimension == d - 1:
            rows = graph.in_order(dimension)[::-1]
            parts.append(rows[pairs.death[rows] >= 0].astype(np.int64))
        else:
            ends = birth_of[graph.in_order(dimension + 1)]
            parts.append(ends[ends >= 0])
    births = np.concatenate([*parts, np.empty(0, np.int64)])
    deaths = pairs.death[births]
    persistence = exact_difference(graph.value[births], graph.value[deaths])
    keys = session.upload(persistence.view(np.int64))  # not negative, so in the same order
    order = to_host(session.device.xp.argsort(keys, kind="stable"))
    return births[order], deaths[order], persistence[order]


def saddles_of(
    graph: ComplexGraph, births: np.ndarray, deaths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The k-th 2-saddle and 1-saddle that each pair takes away, -1 for none; of volumes."""
    upper, lower = np.full(births.size, NONE, np.int32), np.full(births.size, NONE, np.int32)
    if graph.dimension == 3:
        for saddles, index in ((lower, 1), (upper, 2)):
            rows = graph.rows(index)
            for cells in (births, deaths):
                there = (cells >= rows.start) & (cells < rows.stop)
                saddles[there] = cells[there] - rows.start
    return upper, lower


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
