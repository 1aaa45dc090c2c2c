"""Saddle connectors of a volume, with the number of V-paths of each.

The method "matrix" multiplies sparse matrices (Subhash, Pandey, Natarajan 2020, section 3.3).
Chains lead from 2-saddles to junctions (A) and 1-saddles (D), and from junctions to junctions (B)
and 1-saddles (B*). The numbers of paths are D + (A + A B + A B B + ...) B*, in float64, exact up to
2^53.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...device import Array, Session, array_module
from ...errors import InputError
from ...primitives import row_of_items
from ...results import CSR
from ..model import MorseGradient
from .minor import Minor, count_paths

METHODS = ("frontier", "matrix")


@dataclass(frozen=True, eq=False, repr=False)
class Connectors(CSR):
    """The ordinals (m,) int32 of the 1-saddles that V-paths from each 2-saddle lead to."""

    multiplicity: Array  # (m,) uint64, number of V-paths; from 2^62, only the parity is exact

    def upper(self) -> Array:
        """Return the ordinal (m,) int64 of the 2-saddle of each pair, on the device."""
        return row_of_items(self.offsets)

    def of_rows(self, rows: Array) -> Connectors:
        """Return the table with only the items of some rows; the others are empty."""
        xp = array_module(rows)
        chosen = xp.zeros(len(self), bool)
        chosen[rows] = True
        kept = chosen[self.upper()]
        offsets = xp.concatenate([xp.zeros(1, np.int64), xp.cumsum(xp.diff(self.offsets) * chosen)])
        return Connectors(offsets, self.items[kept], self.multiplicity[kept])


def trace_connectors(gradient: MorseGradient, method: str = "frontier") -> Connectors:
    """Return all saddle connectors; below three dimensions, offsets have shape (1,)."""
    if gradient.dimension < 3:
        return no_connectors(gradient)
    if method == "frontier" and (streamed := gradient.streamed_connectors()) is not None:
        return Connectors(*streamed)
    minor = gradient.path_minor()
    if method == "matrix":
        return Connectors(*multiply_paths(gradient.session, minor))
    return Connectors(*count_paths(gradient.session, minor))


def no_connectors(gradient: MorseGradient) -> Connectors:
    """Return a table without rows, for graphs that are used only for pairs with extrema."""
    device = gradient.session.device
    return Connectors(
        device.zeros(1, np.int64), device.empty(0, np.int32), device.empty(0, np.uint64)
    )


EXACT_LIMIT = 1 << 53  # of integers in float64


def multiply_paths(session: Session, minor: Minor) -> tuple[Array, Array, Array]:
    """Return offsets (c2 + 1,) int64, 1-saddles (m,) int32 by row, and paths (m,) uint64."""
    sparse = _sparse_module(session)
    device, n_junctions = session.device, len(minor.successors)
    if not len(minor.starts) or not minor.n_sinks:
        offsets = device.zeros(len(minor.starts) + 1, np.int64)
        return offsets, device.empty(0, np.int32), device.empty(0, np.uint64)
    paths, to_junctions = _split(sparse, minor.starts, minor.n_sinks, n_junctions)
    if n_junctions:
        to_sinks, between = _split(sparse, minor.successors, minor.n_sinks, n_junctions)
        reached = frontier = to_junctions
        while frontier.nnz and between.nnz:
            frontier = _product(sparse, frontier, between)
            reached = reached + frontier
        paths = (paths + _product(sparse, reached, to_sinks)).tocsr()
    paths.sort_indices()
    # Every junction leads to a 1-saddle, so a rounded sum always yields an entry above the limit.
    if paths.nnz and float(paths.data.max()) >= EXACT_LIMIT:
        raise InputError(
            *("method", "'frontier' for more than 2^53 V-paths between two saddles", "matrix"),
            "'matrix' counts in float64, which is exact up to 2^53.",
        )
    return (
        paths.indptr.astype(np.int64),
        paths.indices.astype(np.int32),
        paths.data.astype(np.uint64),
    )


def _product(sparse: Any, rows: Any, matrix: Any) -> Any:
    """Return the product, computed in halves of the rows if cuSPARSE has no room for all terms."""
    try:
        return rows @ matrix
    except Exception as error:
        n = rows.shape[0]
        if "INSUFFICIENT_RESOURCES" not in str(error) or n < 2:
            raise
    halves = (_product(sparse, half, matrix) for half in (rows[: n // 2], rows[n // 2 :]))
    return sparse.vstack(list(halves), format="csr")


def _sparse_module(session: Session) -> Any:
    """Return cupyx.scipy.sparse or scipy.sparse. Raises InputError if it is not installed."""
    name = "cupyx.scipy.sparse" if session.device.is_cuda else "scipy.sparse"
    try:
        if session.device.is_cuda:
            import cupyx.scipy.sparse as sparse
        else:
            from scipy import sparse
    except ImportError as error:
        raise InputError(
            *("method", f"'frontier' unless {name} is installed", "matrix"),
            "Install it with: pip install scipy.",
        ) from error
    return sparse


def _split(sparse: Any, terminals: Array, n_sinks: int, n_junctions: int) -> tuple[Any, Any]:
    """Return two matrices with numbers of chains: to the 1-saddles, and to the junctions."""
    xp = array_module(terminals)
    n, width = terminals.shape
    rows = xp.repeat(xp.arange(n, dtype=np.int32), width)
    columns = terminals.ravel()
    is_sink, is_junction = (columns >= 0) & (columns < n_sinks), columns >= n_sinks

    def matrix(which: Array, first: int, n_columns: int) -> Any:
        place = (rows[which], columns[which] - np.int32(first))
        ones = xp.ones(place[0].size, np.float64)
        found = sparse.coo_matrix((ones, place), shape=(n, max(n_columns, 1)))
        return found.tocsr()  # chains with the same ends add up

    return matrix(is_sink, 0, n_sinks), matrix(is_junction, n_sinks, n_junctions)
