"""Packets of a mesh whose sorted cells are on the GPU, which collects them without stars.

A packet's cells are found by a search of all cells for marked vertices, which reads 16 bytes per
cell: a packet of many segments costs less than a copy of its cells from the host.
"""

from __future__ import annotations

import numpy as np

from ..complexes.simplicial.incidence import Incidence
from ..complexes.simplicial.resident import touched_blocks
from ..complexes.simplicial.simplices import Simplices
from ..device import Array
from ..primitives import exclusive_scan, shifted
from .workers import PacketWorker, Worker


class ResidentWorker(PacketWorker):
    """Worker for a mesh on the host whose cells are on a GPU, too."""

    @property
    def _whole(self) -> Simplices:
        assert self.incidence.simplices.resident is not None
        return self.incidence.simplices.resident

    def shared(self, array: np.ndarray) -> Array:
        with self._passing.device.current():
            return self._passing.upload(array)

    def _cells_around(self, vertices: np.ndarray, *, beyond: bool) -> Array:
        s, session = self._whole, self._passing
        low, end, n_corners = int(vertices[0]), int(vertices[-1]) + 1, s.dimension + 1
        length, touched = touched_blocks(s)
        found = session.device.zeros(s.n_top // 32 + 1, np.uint32)
        blocks = session.upload(_bits(low // length, (end - 1) // length))
        n_before = int(s.tet_begin[end])  # cells after these have no vertex below `end`
        cells = (s.tets, n_corners, touched)
        session.launch("find_cells_between", n_before, *cells, blocks, low, end, found)
        around = self._listed(found)[0]
        if beyond:
            marked = self._marked(around, vertices)
            session.launch("find_wanted_blocks", marked.size, marked, length, blocks)
            session.launch("find_cells_at", s.n_top, *cells, blocks, marked, found)
            around = self._listed(found)[0]
        return around

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
    """Return two words uint32 with the bits from `first` to `last`."""
    bits = (1 << (last + 1)) - (1 << first)
    return np.array([bits & 0xFFFFFFFF, bits >> 32], np.uint32)


def packet_worker_for(incidence: Incidence, threads: int) -> PacketWorker:
    """Return a worker for a mesh that is processed in packets."""
    is_resident = incidence.simplices.resident is not None
    return (ResidentWorker if is_resident else PacketWorker)(incidence, threads)


def worker_for(incidence: Incidence, threads: int) -> Worker:
    """Return a worker for a mesh on the device, or for one that is processed in packets."""
    is_whole = incidence.session.pieces is None
    return Worker(incidence, threads) if is_whole else packet_worker_for(incidence, threads)
