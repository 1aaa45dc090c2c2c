"""Cancellation of the pairs of a complex in the order of (persistence, dimension, filtration).

V-paths between saddles share no cells with lines to extrema, so pairs with extrema and pairs of
saddles are canceled separately, and their events are merged. See kernels/morse/saddle_log.h.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..device import Array, HostDevice, Session, array_module, to_host
from ..errors import InputError
from ..primitives import (
    AT_ONCE,
    at,
    backward,
    compact,
    is_within,
    put,
    shifted,
    sort_in_place,
)
from .field import ScalarField, as_float, exact_difference
from .graph import ComplexGraph
from .model import MorseGradient, PairValues, SaddleLog, SaddlePaths
from .pairing import NO_BIRTH, CriticalPairs
from .rounds import cancel_in_rounds

Volume = tuple[MorseGradient, ScalarField]
NEVER = np.uint32(2**32 - 1)  # all bits, as of unset arrays


class OrderedPairs(NamedTuple):
    """All n finite pairs in the order of cancellation, on the device."""

    birth: Array  # (n,) int32 rows
    death: Array  # (n,) int32 rows
    persistence: Array  # (n,) float64; ties are in the order of their inner cells


def finite_pairs(pairs: CriticalPairs) -> tuple[Array, Array]:
    """Return the births and deaths (n,) int32 of all finite pairs by dimension and inner cell."""
    session, graph, d = pairs.session, pairs.graph, pairs.graph.dimension
    death, rows_in_order = pairs.death, graph.rows_in_order
    birth_of = session.device.numbers(death.size, np.int32, NO_BIRTH, step=0)
    births = compact(is_within(death, 0))
    put(birth_of, at(death, births), births)
    del births
    parts = [birth_of[:0]]
    for dimension in range(d):
        if 0 < dimension == d - 1:
            rows = backward(rows_in_order[graph.rows(dimension)])
            parts.append(at(rows, is_within(at(death, rows), 0)))
        else:
            ends = at(birth_of, rows_in_order[graph.rows(dimension + 1)])
            parts.append(at(ends, is_within(ends, 0)))
    births = session.device.joined(parts)
    return births, at(death, births)


def pairs_in_order(
    session: Session, graph: ComplexGraph, births: Array, deaths: Array
) -> OrderedPairs:
    """Return finite pairs in the order of cancellation. O(n log n)."""
    keys = persistence_of(session, graph, births, deaths).view(np.int64)
    keys, births, deaths = sort_in_place(session, keys, births, deaths)
    return OrderedPairs(births, deaths, keys.view(np.float64))


def persistence_of(session: Session, graph: ComplexGraph, births: Array, deaths: Array) -> Array:
    """Return the persistence (n,) float64 of pairs of rows; on the CPU in parts, to save memory."""
    at_once = session.device.launch_form(host=AT_ONCE, gpu=births.size)
    parts = []
    for begin in range(0, births.size, max(at_once, 1)):
        ends = (rows[begin : begin + at_once] for rows in (births, deaths))
        parts.append(exact_difference(session, *map(graph.values_of, ends)))
    return session.device.joined([session.device.empty(0, np.float64), *parts])


def cancel_saddles(
    session: Session,
    graph: ComplexGraph,
    saddles: OrderedPairs,
    volume: Volume | None,
    rematch: bool,
) -> SaddleLog:
    """Cancel pairs of saddles in order.

    `volume` is None below three dimensions. With `rematch`, saddles that remain are also canceled
    with others. Raises InputError if there are more pairs than the log has events.
    """
    n = saddles.birth.size
    if volume is not None:
        check_events(n, volume[0].n_most_events)
    values = PairValues(saddles.persistence, None, None)
    if rematch and volume is not None:  # which alone compares values
        ends = (comparable_values(session, graph, of) for of in (saddles.death, saddles.birth))
        values = PairValues(saddles.persistence, *ends)
    if volume is not None and n and session.device.is_cuda:
        gradient, field = volume
        rounds = gradient.saddle_rounds(field, *ordinals(graph, saddles))
        log = rounds and cancel_in_rounds(session, rounds, values)
        if log:
            return log
    return _canceled_on_host(session, graph, saddles, values, volume)


def check_events(n: int, n_most: int) -> None:
    """Raise InputError if a log has fewer events than there are pairs."""
    if n > n_most:
        raise InputError(
            message=f"{n:,} pairs of saddles exceed the maximum of {n_most:,} of a hierarchy.",
            remedy="Crop the data.",
        )


def ordinals(graph: ComplexGraph, saddles: OrderedPairs) -> tuple[Array, Array]:
    """Return which 2-saddles and which 1-saddles the pairs consist of: (n,) int32."""
    first = [graph.rows(index).start for index in (2, 1)]
    upper, lower = (
        shifted(rows, -start, dtype=np.int32)
        for rows, start in zip((saddles.death, saddles.birth), first, strict=True)
    )
    return upper, lower


def _canceled_on_host(
    session: Session,
    graph: ComplexGraph,
    saddles: OrderedPairs,
    values: PairValues,
    volume: Volume | None,
) -> SaddleLog:
    if volume is None:
        return SaddleLog.without_events()
    gradient, field = volume
    paths = gradient.saddle_paths(field)
    return log_on_host(session.host, paths, *ordinals(graph, saddles), values)


def log_on_host(
    host: HostDevice, paths: SaddlePaths, upper: Array, lower: Array, values: PairValues
) -> SaddleLog:
    """Return the log of n pairs of the upper[k]-th 2-saddle and the lower[k]-th 1-saddle.

    Ordinals (n,) int32 may be overwritten.
    """
    sizes, n, rematch = np.zeros(3, np.int64), upper.size, values.upper is not None
    columns = [to_host(values.persistence[:0] if of is None else of) for of in values]
    upper, lower = (to_host(of).view(np.uint32) for of in (upper, lower))
    pairs = (paths.upper, paths.lower, n, upper, lower, *columns)
    kept = host.run(
        paths.task,
        *(*paths.model, *pairs, rematch, host.threads, sizes),
        undo=lambda log: host.run("drop_saddle_log", log),
    )
    del paths, pairs, columns, upper, lower
    n_events, n_turned, n_tried = sizes.tolist()
    canceled = np.empty(n_events, np.int32)
    log = SaddleLog(
        upper=canceled,
        lower=np.empty(n_events, np.int32) if rematch else canceled,
        n_turns=np.empty(n_events, np.int32),
        turned=np.empty(n_turned, np.uint64),
        tried=np.empty(n_tried, np.int32),
        tried_after=np.empty(n_tried, np.uint32),
        found=np.empty(n_tried, np.uint8),
    )
    host.run("take_saddle_log", kept, *log)
    return log


def comparable_values(session: Session, graph: ComplexGraph, rows: Array) -> Array:
    """Return values whose differences are those of the values of rows (m,), as float64."""
    values = graph.values_of(rows)
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return as_float(session, values)
    # float64 does not represent them exactly.
    least = array_module(graph.value).full_like(values, graph.value.min())
    return exact_difference(session, least, values)
