"""Regions of the segmentations of a piece: each piece has those whose extremum it has.

A piece measures the labels of its own vertices, and sends the sizes and value ranges to the owners
of the regions, who merge them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..device import Array, to_host
from ..kernels import NONE
from ..morse.critical import rows_of_index
from ..morse.segmentation import (
    HIGHEST,
    LOWEST,
    Ranges,
    Regions,
    describe_regions,
    extrema_of_cells,
    label_sizes,
    measure_ranges,
)
from .gradient import PieceGradient


@dataclass(frozen=True, eq=False, repr=False)
class PieceRegions(Regions):
    """r regions that belong to a piece, with the attributes of :class:`Regions`.

    A region belongs to the piece that has its extremum; of a Morse-Smale segmentation, its minimum.
    Sizes and ranges are those of the whole image.

    Attributes
    ----------
    label : (r,) int64
        Labels of the regions, ascending.
    """

    label: Array


def regions_of_piece(
    raw: PieceGradient, found: PieceGradient, kind: str, labels: Array, keys: np.ndarray | None
) -> PieceRegions:
    """Return the regions of a piece; `found` is its gradient at the level of the labels.

    `labels` (m,) int32 are those of its vertices, `keys` (r,) uint64 those of Morse-Smale cells
    (morse/segmentation.py). All pieces have to call it.
    """
    session, exchange, top = raw.session, raw.exchange, raw.dimension
    index = top if kind == "ascending" else 0
    n_extrema = found.totals[index]
    minima = maxima = np.full(n_extrema, NONE, np.int64)
    extrema = np.arange(n_extrema)
    if keys is not None:
        minima, maxima = (of.astype(np.int64) for of in extrema_of_cells(keys, found.totals[top]))
        extrema = minima
    elif kind == "ascending":
        maxima = extrema
    else:
        minima = extrema
    of_labels = _measured(raw, labels, extrema.size)
    met = np.flatnonzero(of_labels[0])
    firsts = [found.first(index, rank) for rank in range(exchange.size)] + [n_extrema]
    cuts = np.searchsorted(extrema[met], firsts[1:-1])
    label, size, low, high = (
        np.concatenate(exchange.send(np.split(column, cuts)))
        for column in (met, *(column[met] for column in of_labels))
    )
    begin, end = np.searchsorted(extrema, firsts[exchange.rank : exchange.rank + 2]).tolist()
    ranges = _merged(label - begin, size, low, high, end - begin)
    own, first = slice(begin, end), found.first(index)
    values = found.values[rows_of_index(found.own_counts, index)]
    # Only regions of the extrema of one kind can be empty, and have the value of their extremum.
    local = extrema[own] - first
    on_device = Ranges(*map(session.upload, (ranges.size, ranges.low, ranges.high)))
    rows, no_rows = map(session.upload, (local, np.full(local.size, NONE, np.int64)))
    regions = describe_regions(session, raw.field, on_device, rows, no_rows, values)
    first_maximum = sum(found.totals[:top])
    maxima = np.where(maxima < 0, NONE, maxima + first_maximum)
    minimum_row, maximum_row, label = (
        session.result(session.upload(rows))
        for rows in (minima[own], maxima[own], np.arange(begin, end))
    )
    columns = {**vars(regions), "minimum_row": minimum_row, "maximum_row": maximum_row}
    return PieceRegions(**columns, label=label)


def _measured(raw: PieceGradient, labels: Array, n: int) -> list[np.ndarray]:
    """Return the size (n,) int64 of each label in the piece, and its range (n,) uint64, twice."""
    slab, session = raw.layers.slab, raw.session
    begin = slab.n_before * slab.layer
    own = raw.field.plain[begin : begin + labels.size]
    field = replace(raw.field, values=own, plain_values=None)
    ranges = measure_ranges(session, labels, field, label_sizes(session, labels, n))
    return [to_host(column) for column in (ranges.size, ranges.low, ranges.high)]


def _merged(
    label: np.ndarray, size: np.ndarray, low: np.ndarray, high: np.ndarray, n: int
) -> Ranges:
    merged = Ranges(np.zeros(n, np.int64), np.full(n, LOWEST), np.full(n, HIGHEST))
    np.add.at(merged.size, label, size)
    np.minimum.at(merged.low, label, low)
    np.maximum.at(merged.high, label, high)
    return merged
