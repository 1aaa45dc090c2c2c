"""Packets: parts of a mesh from which the rows of segments are computed on a device.

The mesh stays on the host. A packet has the cells around the vertices of its segments and, for
relations that reach further (EE, FF, TT), the cells around the vertices of those cells; its
vertices are renumbered in mesh order. It is a mesh itself, so the same kernels compute the same
rows. The new numbers keep the order of the old ones, and so do the ranks of edges, triangles and
cells: rows stay sorted when their ids are mapped back. Liu et al. 2025, section 4.3 (external
cells).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import numpy as np

from ..arguments import checked_whole
from ..complexes.simplicial.incidence import Incidence
from ..complexes.simplicial.simplices import Simplices
from ..device import Session, to_host
from ..device.base import Array, Device
from ..device.host import HostDevice
from ..lazy import cached_property
from .compute import Span, rows_of
from .layout import Layout
from .rows import LETTERS, Key, Rows
from .workers import ResidentWorker, Worker, runs_of

LOOKING_BEYOND = ("EE", "FF", "TT")

Default = TypeVar("Default")


class PacketWorker:
    """Computes rows of a mesh on the host with a device through which its parts pass."""

    def __init__(self, layout: Layout, threads: int):
        self.layout = layout
        session = layout.incidence.session
        device: Device = session.device if session.pieces is None else session.pieces.device
        self.session = session.fork(device.with_threads(threads))
        self.session.result.on_host = True
        self._host = HostDevice(threads)
        self._queue: AbstractContextManager[Any] | None = None

    def make(self, key: Key, segments: Sequence[int]) -> Rows:
        device, dimension = self.session.device, key.dimension
        runs, host_starts = runs_of(segments), self.layout.segments.host_starts
        owned = [(int(host_starts[a]), int(host_starts[b])) for a, b in runs]
        owners = np.concatenate([np.arange(a, b, dtype=np.int32) for a, b in owned])
        cells = self._cells(owners, key.name in LOOKING_BEYOND)
        if self._queue is None:
            self._queue = device.queue()
        with device.current(), self._queue:
            packet, vertices = self._packet(key, owners, cells)
            span = self._span(packet, vertices, cells, owned, dimension)
            items, offsets = rows_of(packet, key.name, span, in_mesh_ids=False)
            target = LETTERS.index(key.name[1])
            if target not in (0, packet.simplices.dimension):
                items = self._global_ids(packet, vertices, target)[items]
            items = self.session.result(items)
            offsets = None if offsets is None else self.session.result(offsets)
        row_starts = self.layout.row_starts(dimension)
        parts = [np.arange(row_starts[a], row_starts[b], dtype=np.int32) for a, b in runs]
        ids = key.named(self.layout.incidence.simplices, np.concatenate(parts))
        return Rows.of(np.asarray(ids), items, offsets)

    def make_rows(self, key: Key, mesh_ids: Array, ids: Array) -> Rows:
        return ResidentWorker(self.layout, 1).make_rows(key, mesh_ids, ids)

    def _cells(self, owned: np.ndarray, beyond: bool) -> np.ndarray:
        """(n,) int32: ascending mesh ids of the cells around owned vertices, or one ring more."""
        cells = self._cells_at(owned)
        if beyond:
            cells = self._cells_at(self._numbered(cells, owned)[0])
        return cells

    def _cells_at(self, vertices: np.ndarray) -> np.ndarray:
        s = self.layout.incidence.simplices
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

    def _numbered(
        self, cells: np.ndarray, owned: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(vertices of the packet, its cells by them, where the cells of each begin)."""
        s = self.layout.incidence.simplices
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
        """Per thread: NONE by vertex, a bit of 0 by cell."""
        s = self.layout.incidence.simplices
        return np.full(s.n_vertices, -1, np.int32), np.zeros(s.n_top // 32 + 1, np.uint32)

    def _packet(
        self, key: Key, owned: np.ndarray, cells: np.ndarray
    ) -> tuple[Incidence, np.ndarray]:
        """(the packet as a mesh on the device, the mesh vertex of each of its vertices)."""
        s, session = self.layout.incidence.simplices, self.session
        vertices, corners, tet_begin = self._numbered(cells, owned)
        point_of, cell_of = vertices, cells
        if not key.in_mesh_ids:
            point_of, cell_of = s.point_of[vertices], s.cell_of[cells]
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
        packet = Incidence(simplices, self.layout.segments)  # those of the whole mesh, not used
        if key.name in ("FT", "TT"):  # the whole mesh decides whether rows are tables
            crowded = self.layout.incidence.crowded_triangles
            packet.__dict__["crowded_triangles"] = session.upload(crowded)
        return packet, vertices

    def _span(
        self,
        packet: Incidence,
        vertices: np.ndarray,
        cells: np.ndarray,
        owned: list[tuple[int, int]],
        dimension: int,
    ) -> Span:
        """The owned simplices, by ids of the packet."""
        s, tet_begin = packet.simplices, self.layout.incidence.simplices.tet_begin
        owners = [tuple(vertices.searchsorted(ends).tolist()) for ends in owned]
        ranges = owners
        if dimension == s.dimension:
            ends = [[tet_begin[a], tet_begin[b]] for a, b in owned]
            ranges = [tuple(cells.searchsorted(pair).tolist()) for pair in ends]
        elif dimension > 0:
            begins = s.edge_begin if dimension == 1 else packet.own_triangles
            ranges = [(int(begins[a]), int(begins[b])) for a, b in owners]
        if len(ranges) == 1:
            ((first, last),) = ranges
            return Span(first, last - first, owners=owners[0])
        chosen = np.concatenate([np.arange(a, b, dtype=np.int32) for a, b in ranges])
        return Span(0, chosen.size, self.session.upload(chosen) if chosen.size else None)

    def _global_ids(self, packet: Incidence, vertices: np.ndarray, dimension: int) -> Array:
        """(n,) int32: mesh ids of the edges or triangles of the packet, looked up in tries."""
        s, whole = packet.simplices, self.layout.incidence.simplices
        lower, upper = to_host(s.edge_lower), to_host(s.edge_upper)
        ids = np.empty(lower.size, np.int32)
        self._host.launch("find_edge_ids", ids.size, lower, upper, vertices, *whole.edge_trie, ids)
        if dimension == 2:
            edges, edge, third = ids, to_host(s.triangle_edge), to_host(s.triangle_third)
            ids = np.empty(edge.size, np.int32)
            reads = (edge, third, edges, vertices, *whole.triangle_trie)
            self._host.launch("find_triangle_ids", ids.size, *reads, ids)
        return self.session.upload(ids)


def worker_for(layout: Layout, threads: int) -> Worker:
    """Return a worker of a mesh on its device, or of one that passes through a device."""
    if layout.incidence.session.pieces is not None:
        return PacketWorker(layout, threads)
    return ResidentWorker(layout, threads)


def n_threads_of(session: Session) -> int:
    """Return the number of CPU threads of the session of a mesh; 1 on a GPU."""
    return session.device.threads if isinstance(session.device, HostDevice) else 1


def checked_or(default: Default, value: Any, name: str, least: int) -> Default | int:
    """Return an integer of at least `least`, or the default for None. Raises InputError."""
    return default if value is None else checked_whole(value, name, least)
