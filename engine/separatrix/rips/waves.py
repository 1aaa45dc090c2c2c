"""Long columns of a reduction over Z/2, which a GPU continues in waves.

A column that spans a long bar has nearly all eliminations of its dimension, and threads cannot
share it. On a GPU, each wave eliminates all entries of a range of ranks that have a pivot column.
The pairs are the same. See the kernels rips/postponed.h and rips/waves.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..device import CudaDevice, Session, to_host
from ..errors import DeviceMemoryError
from ..kernels import source
from .survivors import RankRows

POSTPONED_FROM = 1 << 11  # eliminations of a column; fewer take less time on the CPU
MOST_KEY_BITS = 63
SLOTS, MORE_SLOTS = 1 << 20, 32  # of the first table of entries, and growth of a full one
MOST_SLOTS = 1 << 25  # if these are full, the range of ranks is halved
BYTES_PER_SLOT = 24
KERNEL = "rips_eliminate_in_rounds"
TERMS = 1 << 20  # that V has room for at first
FIRST_RANGE = 1024  # the first range of ranks is this fraction of all
# All entries of a range are eliminated, also those beyond the pivot. So the next range is longer
# only if V has become little longer, and shorter if V has become much longer.
GROWTH, LITTLE, MUCH = 2, 1.25, 2.0
STATE = tuple(name.lower() for name in source.enumerators("WaveState"))
LARGEST = 2**63 - 1


def may_postpone(
    session: Session, rows: RankRows | None, n_vertices: int, bits: int, prime: int
) -> bool:
    """Return whether waves can continue columns with entries of that many vertices."""
    has_matrix = session.device.is_cuda and rows is not None and rows.matrix is not None
    return has_matrix and prime == 2 and bits * n_vertices <= MOST_KEY_BITS


def reduce_postponed(
    session: Session,
    rows: RankRows,
    held: int,
    packing: tuple[int, int],
    count_steps: Callable[[int], None],
) -> None:
    """Give all postponed columns their pivots.

    `packing` is the number of vertices of their simplices, and of bits of each. The number of terms
    that waves add to a column is passed to `count_steps`, which may raise an error.
    """
    host, sizes = session.host, np.zeros(4, np.int64)
    while True:
        host.run("rips_count_postponed", held, sizes)
        n_columns, n_pivots, n_terms, n_own = map(int, sizes)
        if n_columns == 0:
            return
        chain, about = np.empty(n_own, np.uint64), np.empty(2, np.int64)
        host.run("rips_next_postponed", held, chain, about)
        pivots, owners = np.empty(n_pivots, np.uint64), np.empty(n_pivots, np.int32)
        begins, terms = np.empty(n_pivots + 1, np.int64), np.empty(n_terms, np.uint64)
        host.run("rips_list_pivots", held, pivots, owners, begins, terms)
        others = tuple(map(session.upload, (pivots, owners, begins, terms)))
        column, low = map(int, about)
        try:
            column_at = _Column(session, rows, packing, (*others, n_pivots, column))
            pivot, rank, chain = column_at.pivot(chain, low, count_steps)
        except DeviceMemoryError:
            host.run("rips_reduce_postponed", held)
        else:
            host.run("rips_finish_postponed", held, pivot, rank, chain, len(chain))


def drop_postponed(session: Session, held: int) -> None:
    """Release a reduction with postponed columns, if any."""
    if held > 0:
        # A fork ignores cancellation, which must not prevent the release.
        session.fork(session.device).host.run("rips_drop_postponed", held)


class _Column:
    """One column: its V, and the table of its entries in a range of ranks."""

    def __init__(
        self, session: Session, rows: RankRows, packing: tuple[int, int], others: tuple[Any, ...]
    ) -> None:
        self.session, self.rows, self.others = session, rows, others
        assert rows.matrix is not None
        matrix, size = rows.matrix, rows.matrix.dtype.itemsize
        about = (size, matrix.shape[1], rows.n)
        self.graph = (matrix.reshape(-1).view(np.uint8), *about, *packing)
        device = session.device
        self.n_blocks = 1
        if isinstance(device, CudaDevice):
            self.n_blocks = device.resident_blocks(KERNEL)
        self.chain = device.empty(0, np.uint64)
        self._grow_table(SLOTS)

    def pivot(
        self, given: np.ndarray, low: int, count_steps: Callable[[int], None]
    ) -> tuple[int, int, np.ndarray]:
        """Return the pivot that a given V leads to, its rank, and the final V.

        The coboundary of the given V is zero below rank `low`. The final V is sorted and may repeat
        terms; it is empty if the column is essential.
        """
        self._grow_chain(max(TERMS, 2 * len(given)))
        self.chain[: len(given)] = self.session.upload(given)
        n_terms, end = len(given), self.rows.limit + 1
        width = max(1, end // FIRST_RANGE)
        while low < end:
            self.session.raise_if_canceled()
            bound = min(low + width, end)
            state = self._launch(n_terms, low, bound)
            count_steps(state["wave_terms"] - n_terms)
            if state["wave_terms"] > len(self.chain):  # it may lack a part of a column
                self._grow_chain(4 * len(self.chain))
                continue
            n_before, n_terms = n_terms, state["wave_terms"]
            if state["wave_full"]:
                if self.n_slots * MORE_SLOTS <= MOST_SLOTS:
                    self._grow_table(self.n_slots * MORE_SLOTS)
                elif bound - low > 1:
                    n_terms = n_before  # many others eliminate entries beyond the new range
                    width = (bound - low) // 2
                else:
                    raise DeviceMemoryError("The entries of a long column do not fit in memory.")
                continue
            if state["wave_rank"] < LARGEST:
                own = self.chain[:n_terms]
                own.sort()
                return -state["wave_pivot"], state["wave_rank"], to_host(own)
            if n_terms > MUCH * n_before:
                width = max(1, width // GROWTH)
            elif n_terms <= LITTLE * n_before:
                width *= GROWTH
            low = bound
        return 0, 0, np.empty(0, np.uint64)

    def _grow_chain(self, n_terms: int) -> None:
        device, before = self.session.device, self.chain
        self.session.memory.require(16 * n_terms, f"a column of {n_terms:,} terms")
        self.chain = device.empty(n_terms, np.uint64)
        self.chain[: len(before)] = before
        self.skipped = device.empty(n_terms, np.int32)
        self.since = device.empty(n_terms, np.uint32)

    def _grow_table(self, n_slots: int) -> None:
        device, self.n_slots = self.session.device, n_slots
        self.session.memory.require(BYTES_PER_SLOT * n_slots, "the entries of a long column")
        self.slots = device.empty(n_slots, np.uint64)
        self.flags, self.ranks = (device.empty(n_slots, np.uint32) for _ in range(2))
        self.lists = device.empty(2 * n_slots, np.int32)

    def _launch(self, n_terms: int, low: int, bound: int) -> dict[str, int]:
        device = self.session.device
        given = dict.fromkeys(STATE, 0)
        given |= {"wave_terms": n_terms, "wave_rank": LARGEST, "wave_pivot": LARGEST}
        state = self.session.upload(np.array(list(given.values())))
        self.session.launch("rips_clear_entries", self.n_slots, self.slots, self.flags)
        arguments = (
            *(*self.graph, low, bound, *self.others),
            *(self.slots, self.n_slots - 1, self.ranks, self.flags, self.lists),
            *(self.chain, self.skipped, self.since, len(self.chain), state),
            device.barrier(),
        )
        if isinstance(device, CudaDevice):
            device.launch_blocks(KERNEL, self.n_blocks, *arguments, cooperative=True)
        else:
            device.launch(KERNEL, 1, *arguments)
        return dict(zip(STATE, map(int, to_host(state)), strict=True))
