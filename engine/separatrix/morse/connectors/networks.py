"""Saddle connectors as lines: all V-paths between each connected pair of saddles, as one network.

1. The squares that each 2-saddle reaches are collected as keys (2-saddle, square) in a hash set.
2. From the 1-saddle of each connector, backward, those of them that lead to it: keys (connector,
   square). They are sorted, so that nothing depends on who came first.
3. Lines run from the 1-saddle up to the 2-saddle, between cells where V-paths part or meet. They
   are measured, the lengths are scanned, and the lines are filled.

O(n + cells on the lines) expected. Where the tables would grow too large the connectors are taken
in halves. V-paths: Robins, Wood, Sheppard 2011, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...device import Session
from ...device.base import Array
from ...kernels import source
from ...primitives import exclusive_scan, sorted_keys
from ..frontier import KeySet, reached_keys

LINE_BYTES = 34  # a cell drawn: as in :func:`.separatrices.draw`
MAX_CONNECTORS = 1 << 30  # at once: bits of a key

Lines = tuple[Array, Array, Array]
"""Cells, where each line ends, and the connector of each line."""
DrawRange = Callable[[int, int], Lines | None]


def collect_lines(session: Session, m: int, draw: DrawRange) -> tuple[Array, Array, Array]:
    """Cells, offsets (lines + 1,) int64 and connector of each line, of m connectors.

    `draw` gives those of a range of connectors, or None where its tables would become too large.
    """
    xp, empty = session.device.xp, session.device.empty(0, np.int64)
    lines = _draw_range(draw, 0, m) if m else [(empty, empty, empty)]
    cells, ends, numbers = (
        column[0] if len(column) == 1 else xp.concatenate(column)
        for column in zip(*lines, strict=True)
    )
    return cells, xp.concatenate([session.device.zeros(1, np.int64), ends]), numbers


def _draw_range(draw: DrawRange, begin: int, end: int) -> list[Lines]:
    """Lines of the connectors `begin` to `end`, in parts; their cells are counted on."""
    if end - begin <= MAX_CONNECTORS:
        lines = draw(begin, end)
        if lines is not None:
            return [lines]
    middle = (begin + end) // 2
    parts = _draw_range(draw, begin, middle)
    n_cells = sum(cells.size for cells, _, _ in parts)
    for cells, ends, numbers in _draw_range(draw, middle, end):
        parts.append((cells, ends + n_cells, numbers))
    return parts


def collect_networks(
    session: Session,
    kernels: tuple[str, str, str, str],
    model: tuple[object, ...],
    sources: Array,
    lowers: Array,
    source_of: Array,
) -> KeySet | None:
    """Keys (connector, square) of m connectors, or None if the tables would become too large.

    `sources` are the 2-saddles, `lowers` (m,) each connector's 1-saddle as the kernels name it and
    `source_of` (m,) int32 which of the sources is its 2-saddle. The kernels, which first read the
    `model`: that start and go on downwards from the sources, and upwards from the lower saddles.
    """
    m = int(lowers.size)

    def collect(
        kernels: tuple[str, str], seeds: Array, within: tuple[object, ...]
    ) -> KeySet | None:
        n, start, onward = int(seeds.size), (*model, seeds, *within), (model, within)
        what = f"drawing connectors from {n:,} saddles"
        return reached_keys(session, kernels, start, onward, n, m > 1, what)

    below = collect(kernels[:2], sources, ())
    if below is None:
        return None
    return collect(kernels[2:], lowers, (source_of, below.slots, below.mask))


def draw_networks(
    session: Session,
    kernels: tuple[str, str],
    model: tuple[object, ...],
    network: KeySet,
    m: int,
    saddles: tuple[Array, Array],
) -> Lines:
    """The lines of m networks; `saddles` are each one's lower and upper one."""
    device, xp = session.device, session.device.xp
    lower_keys = xp.arange(m, dtype=np.uint64) << np.uint64(33) | np.uint64(
        source.constant("LOWER_SADDLE")
    )
    keys = sorted_keys(session, xp.concatenate([network.keys, lower_keys]))
    n_lines, n_cells = device.empty(keys.size, np.int32), device.empty(keys.size, np.int64)
    places = (*model, keys, network.slots, network.mask, *saddles)
    session.launch(kernels[0], keys.size, *places, n_lines, n_cells)
    first_line, first_cell = exclusive_scan(n_lines), exclusive_scan(n_cells)
    total = int(first_cell[-1])
    session.memory.require(LINE_BYTES * total, f"drawing connectors of {total:,} cells")
    cells = device.empty(total, np.int64)
    ends, numbers = (device.empty(int(first_line[-1]), np.int64) for _ in range(2))
    session.launch(kernels[1], keys.size, *places, first_line, first_cell, cells, ends, numbers)
    return cells, ends, numbers
