"""Workers that compute rows of segments, each on its own GPU stream or CPU threads.

Workers of one mesh share its immutable arrays and may run concurrently. If the mesh stays on the
host, it is processed on the device in packets. A packet consists of the cells around the vertices
of its segments and, for EE, FF, and TT, of the cells around the vertices of those cells. It is
itself a mesh, so the same kernels compute the same rows. Its vertices are renumbered in mesh order,
which preserves the order of edges, triangles, and cells, so rows remain sorted when their ids are
mapped back. Liu et al. 2025, section 4.3 (external cells).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..complexes.simplicial.incidence import Incidence
from ..complexes.simplicial.segments import Segments
from ..complexes.simplicial.simplices import Simplices
from ..device import Allocating, Array, HostDevice, Session, to_host
from ..lazy import cached_property
from ..primitives import at
from .compute import segment_rows
from .rows import LETTERS, Key, Rows

LOOKING_BEYOND = ("EE", "FF", "TT")
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Packet:
    """All cells around some vertices as a mesh of their own, on the device."""

    simplices: Simplices  # whose users' ids are mesh ids
    owned: slice  # the mesh vertices whose cells these are
    own: slice  # their places among its vertices


class Worker:
    """Worker of one thread for a mesh on the device, where the lists that relations read exist."""

    def __init__(self, incidence: Incidence, threads: int):
        self.incidence = incidence
        self.session = incidence.session.fork(incidence.session.device.with_threads(threads))
        with self.session.device.current():
            self.queue = self.session.device.queue()

    def make(self, key: Key, begin: int, end: int) -> Rows:
        """Return rows of all simplices that segments begin to end - 1 own."""
        incidence, device = copy(self.incidence), self.session.device
        incidence.session = self.session
        with device.current(), self.queue:
            rows = segment_rows(incidence, key, begin, end).mapped(self.session.result)
            device.synchronize()
            return rows


class PacketWorker(Worker):
    """Worker for a mesh on the host, whose packets are processed there or on a GPU."""

    def __init__(self, incidence: Incidence, threads: int):
        super().__init__(incidence, threads)  # which computes dropped cells on the host
        session = incidence.session
        device = session.device if session.pieces is None else session.pieces.device
        device = device.with_threads(threads)
        self._passing = session.fork(device)
        self._passing.result.on_host = True
        self._host = HostDevice(threads)
        self._allocating: Allocating = nullcontext
        with device.current():
            self._stream = device.queue()

    def make(self, key: Key, begin: int, end: int) -> Rows:
        incidence, session = self.incidence, self._passing
        owners, chosen = (self._owned(d, begin, end) for d in (0, key.dimension))
        with session.device.current(), self._stream:
            cells = self._cells_around(owners, beyond=key.name in LOOKING_BEYOND)
            simplices, places = self._packet(owners, cells, named=not key.in_mesh_ids)
            vertices = to_host(places)
            packet = Incidence(simplices, self.incidence.segments)
            if key.name in ("FT", "TT"):  # the whole mesh decides whether rows are tables
                crowded = self.incidence.crowded_triangles
                packet.__dict__["crowded_triangles"] = session.upload(crowded)
            starts = vertices.searchsorted(owners[[0, -1]]) + (0, 1)  # its only segment
            packet.segments = Segments(session.upload(starts.astype(np.int32)))
            rows = segment_rows(packet, Key(key.name, in_mesh_ids=False), 0, 1)
            items, target = rows.items, LETTERS.index(key.name[1])
            if target not in (0, packet.simplices.dimension):
                items = self._global_ids(packet, vertices, target)[items]
            items = session.result(items)
            offsets = None if rows.offsets is None else session.result(rows.offsets)
        ids = key.named(incidence.simplices, chosen)
        return Rows.of(key.name, np.asarray(ids), items, offsets)

    def visit(
        self, begin: int, end: int, use: Callable[..., T], given: Sequence[Array], *, beyond: bool
    ) -> T:
        """Return what `use` makes of the packet of segments begin to end - 1.

        `given` (V,) are by mesh vertex, in the memory of :meth:`shared`; `use` receives those of
        the packet's vertices.
        """
        owned = self._owned(0, begin, end)
        session = self._passing
        with session.device.current(), self._stream, self._allocating():
            cells = self._cells_around(owned, beyond=beyond)
            simplices, vertices = self._packet(owned, cells, named=False)
            interval = owned[0], owned[-1] + 1
            own = slice(*to_host(vertices).searchsorted(interval).tolist())
            some = (session.upload(at(array, vertices)) for array in given)
            return use(Packet(simplices, slice(*interval), own), *some)

    def within(self, n_bytes: int) -> AbstractContextManager[None]:
        """Return a context in which :meth:`visit` uses at most that much memory of a GPU."""
        return nullcontext()

    def shared(self, array: Array) -> Array:
        """Return an array by mesh vertex where packets read it."""
        return array

    def _cells_around(self, vertices: np.ndarray, *, beyond: bool) -> Array:
        """Return the mesh ids (n,) int32, ascending, of the cells around vertices."""
        cells = self._cells_at(vertices)
        if beyond:
            cells = self._cells_at(self._numbered(cells, vertices)[0])
        return cells

    @property
    def _whole(self) -> Simplices:
        """The mesh from which packets are collected."""
        return self.incidence.simplices

    def _owned(self, dimension: int, begin: int, end: int) -> np.ndarray:
        """Return the mesh ids (n,) int32 of the simplices that segments begin to end - 1 own."""
        starts = self.incidence.owned_starts(dimension)
        return np.arange(starts[begin], starts[end], dtype=np.int32)

    def _cells_at(self, vertices: np.ndarray) -> np.ndarray:
        """Return the ascending mesh ids (n,) int32 of the cells around vertices."""
        s = self.incidence.simplices
        n_corners = sum(
            int((begins[vertices + 1] - begins[vertices]).sum(dtype=np.int64))
            for begins in (s.tet_begin, s.star_begin)
        )
        cells = np.empty(n_corners, np.int32)
        arrays = (s.tets, s.tet_begin, s.star_begin, s.star_tets, *self._scratch, cells)
        try:
            n = self._host.run("collect_packet_cells", vertices, vertices.size, *arrays)
        except MemoryError:  # the scratch was not reset
            del self.__dict__["_scratch"]
            raise
        return cells[:n]

    def _numbered(self, cells: Array, owned: np.ndarray) -> tuple[Array, Array, Array]:
        """Return the vertices of a packet, its cells by them, and the begin of each one's cells."""
        s = self.incidence.simplices
        n_corners = s.dimension + 1
        most = min(s.n_vertices, owned.size + n_corners * cells.size)
        vertices, begins = np.empty(most, np.int32), np.empty(most + 1, np.int32)
        rows = np.empty((cells.size, 4), np.int32)
        given = (cells, cells.size, n_corners, owned, owned.size, s.tets)
        n = self._host.run(
            "number_packet_corners", *given, self._scratch[0], vertices, rows, begins
        )
        return vertices[:n], rows, begins[: n + 1]

    @cached_property
    def _scratch(self) -> tuple[np.ndarray, np.ndarray]:
        """Return scratch memory of the thread: NONE per vertex, and a zero bit per cell."""
        s = self.incidence.simplices
        return np.full(s.n_vertices, -1, np.int32), np.zeros(s.n_top // 32 + 1, np.uint32)

    def _packet(self, owned: np.ndarray, cells: Array, *, named: bool) -> tuple[Simplices, Array]:
        """Return a packet as a mesh on the device, and the mesh vertex of each of its vertices.

        If `named`, points and cells have the user's ids, otherwise mesh ids.
        """
        s, session = self._whole, self._passing
        vertices, corners, tet_begin = self._numbered(cells, owned)
        point_of, cell_of = vertices, cells
        if named:
            point_of, cell_of = at(s.point_of, vertices), at(s.cell_of, cells)
        none = session.device.empty(0, np.int32)
        simplices = Simplices(
            session,
            s.dimension,
            point_of=session.upload(point_of),
            vertex_of=none,
            cell_of=session.upload(cell_of),
            tet_of=none,
            tets=session.upload(corners),
            tet_begin=session.upload(tet_begin),
        )
        return simplices, vertices

    def _global_ids(self, packet: Incidence, vertices: np.ndarray, dimension: int) -> Array:
        """Return the mesh ids (n,) int32 of the packet's edges or triangles, found in the tries."""
        s, whole = packet.simplices, self.incidence.simplices
        lower, upper = to_host(s.edge_lower), to_host(s.edge_upper)
        ids = np.empty(lower.size, np.int32)
        self._host.launch("find_edge_ids", ids.size, lower, upper, vertices, *whole.edge_trie, ids)
        if dimension == 2:
            edges, edge, third = ids, to_host(s.triangle_edge), to_host(s.triangle_third)
            ids = np.empty(edge.size, np.int32)
            reads = (edge, third, edges, vertices, *whole.triangle_trie)
            self._host.launch("find_triangle_ids", ids.size, *reads, ids)
        return self._passing.upload(ids)


def n_threads_of(session: Session) -> int:
    """Return the number of CPU threads of a mesh's session; 1 on a GPU."""
    return session.device.threads if isinstance(session.device, HostDevice) else 1
