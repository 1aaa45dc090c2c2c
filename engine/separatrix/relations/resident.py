"""Packets of a mesh whose sorted cells are on the GPU, which collects them without stars.

A packet's cells are found by a search for marked vertices, which reads 16 bytes per cell of all
runs that touch the same blocks of vertices. This costs less than a copy of cells from the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from ..complexes.simplicial.incidence import Incidence
from ..complexes.simplicial.resident import touched_blocks
from ..complexes.simplicial.simplices import Simplices
from ..device import Array
from ..kernels.source import constant
from ..primitives import compact, exclusive_scan, shifted
from .workers import PacketWorker, Worker

LEAST_POOL, POOL_UNIT = 8 << 20, 512  # bytes


class ResidentWorker(PacketWorker):
    """Worker for a mesh on the host whose cells are on a GPU, too."""

    @property
    def _whole(self) -> Simplices:
        assert self.incidence.simplices.resident is not None
        return self.incidence.simplices.resident

    @contextmanager
    def within(self, n_bytes: int) -> Iterator[None]:
        """Use a pool of memory, whose blocks are parts of one that is allocated at first."""
        device, n_bytes = self._passing.device, max(n_bytes, LEAST_POOL) & -POOL_UNIT
        device.free_cached()
        with device.within(n_bytes) as self._allocating:
            with device.current(), self._stream, self._allocating():
                device.empty(device.launch_form(host=0, gpu=n_bytes), np.uint8)
            try:
                yield
            finally:
                self._allocating = nullcontext

    def shared(self, array: Array) -> Array:
        with self._passing.device.current():
            self._passing.device.free_cached()
            return self._passing.upload(array)

    def _cells_around(self, vertices: np.ndarray, *, beyond: bool) -> Array:
        s, session = self._whole, self._passing
        low, end = int(vertices[0]), int(vertices[-1]) + 1
        length, _ = touched_blocks(s)
        blocks = session.upload(_bits(low // length, (end - 1) // length))
        around = self._found("find_cells_between", blocks, low, end)
        if beyond:
            marked = self._marked(around, vertices)
            session.launch("find_wanted_blocks", marked.size, marked, length, blocks)
            around = self._found("find_cells_at", blocks, marked)
        return around

    def _found(self, kernel: str, blocks: Array, *wanted: Any) -> Array:
        """Return the cells (n,) int32 that a kernel finds in the runs that touch some blocks."""
        s, session, (_, touched) = self._whole, self._passing, touched_blocks(self._whole)
        empty = session.device.empty
        is_wanted = empty(touched.size // constant("BLOCK_WORDS"), np.uint8)
        session.launch("flag_wanted_runs", is_wanted.size, touched, blocks, is_wanted)
        runs = compact(is_wanted)
        is_found = empty(runs.size * constant("CELL_RUN"), np.uint8)
        given = (s.tets, s.n_top, s.dimension + 1, runs, *wanted, is_found)
        session.launch(kernel, is_found.size, *given)
        places = compact(is_found)
        cells = empty(places.size, np.int32)
        session.launch("name_found_cells", cells.size, places, runs, cells)
        return cells

    def _marked(self, cells: Array, owned: np.ndarray) -> Array:
        """Return bits (V / 32 + 1) uint32 of the corners of cells and of owned vertices."""
        s, session = self._whole, self._passing
        marked = session.device.zeros(s.n_vertices // 32 + 1, np.uint32)
        session.launch("mark_between", owned.size, int(owned[0]), marked)
        corners = (cells, s.tets, s.dimension + 1)
        session.launch("mark_packet_corners", cells.size, *corners, marked)
        return marked

    def _listed(self, bits: Array) -> tuple[Array, Array]:
        """Return the places (n,) int32 of set bits, and their number before each word."""
        session = self._passing
        counts = session.device.empty(bits.size, np.int32)
        session.launch("count_bits", bits.size, bits, counts)
        first = exclusive_scan(counts)
        listed = session.device.empty(int(first[-1]), np.int32)
        session.launch("list_bits", bits.size, bits, first, listed)
        return listed, first

    def _numbered(self, cells: Array, owned: np.ndarray) -> tuple[Array, Array, Array]:
        s, session = self._whole, self._passing
        marked = self._marked(cells, owned)
        vertices, first = self._listed(marked)
        rows = session.device.empty((cells.size, 4), np.int32)
        counts = session.device.zeros(vertices.size, np.int32)
        place = (cells, s.tets, s.dimension + 1, marked, first, rows, counts)
        session.launch("place_packet_corners", cells.size, *place)
        return vertices, rows, shifted(exclusive_scan(counts), dtype=np.int32)


def _bits(first: int, last: int) -> np.ndarray:
    """Return words (BLOCK_WORDS,) uint32 with the bits from `first` to `last`."""
    n_words = constant("BLOCK_WORDS")
    bits = (1 << (last + 1)) - (1 << first)
    return np.frombuffer(bits.to_bytes(4 * n_words, "little"), "<u4").astype(np.uint32)


def packet_worker_for(incidence: Incidence, threads: int) -> PacketWorker:
    """Return a worker for a mesh that is processed in packets."""
    is_resident = incidence.simplices.resident is not None
    return (ResidentWorker if is_resident else PacketWorker)(incidence, threads)


def worker_for(incidence: Incidence, threads: int) -> Worker:
    """Return a worker for a mesh on the device, or for one that is processed in packets."""
    is_whole = incidence.session.pieces is None
    return Worker(incidence, threads) if is_whole else packet_worker_for(incidence, threads)
