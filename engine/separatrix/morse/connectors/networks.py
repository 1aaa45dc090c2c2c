"""Saddle connectors as lines: all V-paths between each connected pair of saddles, as one network.

Hash sets collect keys (2-saddle, cell) downward, then keys (connector, cell) upward, which are
sorted. O(n + cells on the lines) expected. V-paths: Robins, Wood, Sheppard 2011, section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...device import Array, Session
from ...kernels import source
from ...primitives import exclusive_scan, sorted_keys
from ..frontier import KeySet, reached_keys
from .table import Connectors

LINE_BYTES = 34  # per cell of a line
MAX_CONNECTORS = 1 << 27  # per pass, limited by the bits of a key

Lines = tuple[Array, Array, Array]
"""Cells, where each line ends, and the connector of each line."""


@dataclass(frozen=True)
class Networks:
    """The V-paths of a complex in the form that kernels read."""

    sources: Array  # the kernels' ids of the 2-saddles
    lowers: Array  # (m,) ids of the 1-saddle of each connector
    walks: tuple[str, str, str, str]  # kernels from sources down, then from lower saddles up
    model: tuple[Any, ...]  # their first arguments
    draws: tuple[str, str]  # kernels that measure and fill lines
    drawn: tuple[Any, ...]  # their first arguments
    cell_bits: int = source.constant("KEY_CELL_BITS")  # of a key, below those of a source


def connector_lines(
    session: Session, connectors: Connectors, networks: Networks
) -> tuple[Array, Array, Array]:
    """Return cells, offsets (lines + 1,) int64, and the connector of each line."""
    xp, empty = session.device.xp, session.device.empty(0, np.int64)
    m, upper = int(connectors.items.size), connectors.upper()
    lines = _lines_of(session, networks, upper, 0, m) if m else [(empty, empty, empty)]
    cells, ends, numbers = (
        column[0] if len(column) == 1 else xp.concatenate(column)
        for column in zip(*lines, strict=True)
    )
    return cells, xp.concatenate([session.device.zeros(1, np.int64), ends]), numbers


def _lines_of(
    session: Session, networks: Networks, upper: Array, begin: int, end: int
) -> list[Lines]:
    """Return the lines of connectors `begin` to `end`, in parts; ends count the cells of all."""
    if end - begin <= MAX_CONNECTORS:
        rows, source_of = session.device.xp.unique(upper[begin:end], return_inverse=True)
        sources, source_of = networks.sources[rows], source_of.astype(np.int32)
        lowers = networks.lowers[begin:end]
        found = _collect(session, networks, sources, lowers, source_of)
        if found is not None:
            cells, ends, numbers = _draw(session, networks, found, lowers, sources[source_of])
            return [(cells, ends, numbers + begin)]
    middle = (begin + end) // 2
    parts = _lines_of(session, networks, upper, begin, middle)
    n_cells = sum(cells.size for cells, _, _ in parts)
    for cells, ends, numbers in _lines_of(session, networks, upper, middle, end):
        parts.append((cells, ends + n_cells, numbers))
    return parts


def _collect(
    session: Session, networks: Networks, sources: Array, lowers: Array, source_of: Array
) -> KeySet | None:
    """Return keys (connector, cell) of m connectors, or None if tables became too large."""
    model, m = networks.model, int(lowers.size)

    def collect(kernels: tuple[str, str], seeds: Array, within: tuple[Any, ...]) -> KeySet | None:
        n, start, onward = int(seeds.size), (*model, seeds, *within), (model, within)
        what = f"drawing connectors from {n:,} saddles"
        return reached_keys(session, kernels, start, onward, n, m > 1, what)

    below = collect(networks.walks[:2], sources, ())
    if below is None:
        return None
    return collect(networks.walks[2:], lowers, (source_of, below.slots, below.mask))


def _draw(
    session: Session, networks: Networks, found: KeySet, lowers: Array, uppers: Array
) -> Lines:
    """Return the lines of m networks between these saddles."""
    device, xp = session.device, session.device.xp
    lower_keys = xp.arange(lowers.size, dtype=np.uint64) << np.uint64(networks.cell_bits)
    lower_keys |= np.uint64(source.constant("LOWER_SADDLE"))
    keys = sorted_keys(session, xp.concatenate([found.keys, lower_keys]))
    n_lines, n_cells = device.empty(keys.size, np.int32), device.empty(keys.size, np.int64)
    places = (*networks.drawn, keys, found.slots, found.mask, lowers, uppers)
    measure, fill = networks.draws
    session.launch(measure, keys.size, *places, n_lines, n_cells)
    first_line, first_cell = exclusive_scan(n_lines), exclusive_scan(n_cells)
    total = int(first_cell[-1])
    session.memory.require(LINE_BYTES * total, f"drawing connectors of {total:,} cells")
    cells = device.empty(total, np.int64)
    ends, numbers = (device.empty(int(first_line[-1]), np.int64) for _ in range(2))
    session.launch(fill, keys.size, *places, first_line, first_cell, cells, ends, numbers)
    return cells, ends, numbers
