"""Discrete gradient of a mesh: ordered lower stars of Robins, Wood, Sheppard 2011, algorithm 1.

1. Vertices are ranked by (value, user's point id).
2. Every simplex goes to the lower star of its highest vertex: counted, scanned, filled.
3. Every lower star is paired by itself; the few that are too large for bits by another kernel.

One byte a simplex is kept: 0..3 the number of the facet it is paired with (facet k of a d-simplex
lacks its corner d - k, the corners in mesh order), PAIRED_UP with a cofacet, CRITICAL_SIMPLEX, or
ABSENT_SIMPLEX for a point that no cell uses. O(V log V + E + F + T), and a star's size times its
logarithm for large ones. The bits depend neither on the device nor on how the mesh is stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...device import Session, to_host
from ...device.arrays import read_only
from ...device.base import Array
from ...device.cuda import CudaDevice
from ...device.session import Progress
from ...errors import InputError
from ...kernels.source import constant
from ...lazy import cached_property
from ...primitives import compact, exclusive_scan
from ...repr_mixin import ReprMixin
from ..cubical.arrows import Arrows
from .barycenters import barycenters, users_ids
from .simplices import Simplices
from .values import PointValues, load_values

STAGES = {"order": 0.1, "stars": 0.4, "gradient": 0.5}  # with shares of the time
PAIRED_UP, CRITICAL_SIMPLEX = constant("PAIRED_UP"), constant("CRITICAL_SIMPLEX")
HUGE_STAR = 1 << 14  # simplices; one thread of a GPU would take the better part of a second
STAR_BYTES = 72  # bytes of counts, offsets and places of the three rows of a vertex

Codes = tuple[Array, ...]


class MeshGradient(ReprMixin):
    """Pairing of the simplices of a mesh.

    Attributes
    ----------
    codes : arrays (n_d,) uint8 by dimension d, on the device that computed; n_d ids, in mesh order.
    values : the points' values with their rank.
    simplices : the mesh's.
    points : (V, 2 or 3) float64 on the device, by the user's point.
    """

    def __init__(
        self,
        session: Session,
        simplices: Simplices,
        points: Array,
        values: PointValues,
        codes: Codes,
    ):
        self.session = session
        self.simplices = simplices
        self.points = points
        self.values = values
        self.codes = tuple(map(read_only, codes))

    def _summary(self) -> str:
        return f"{self.simplices.n_top:,} cells on {self.session.place}: counts {self.counts}"

    @property
    def dimension(self) -> int:
        """3 for tetrahedra, 2 for triangles."""
        return self.simplices.dimension

    @property
    def rank(self) -> Array:
        """(V,) int32: place of each mesh vertex in the order by (value, user's point id)."""
        return self.values.rank

    @cached_property
    def critical_ids(self) -> Codes:
        """Mesh ids (k_d,) int32 of the critical simplices by dimension 0 to 3, ascending."""
        with self.session.call(None, {}):
            found = [compact(codes == CRITICAL_SIMPLEX).astype(np.int32) for codes in self.codes]
            none = [self.session.device.empty(0, np.int32)] * (4 - len(found))
            return tuple(map(read_only, (*found, *none)))

    @cached_property
    def counts(self) -> tuple[int, int, int, int]:
        """Critical simplices of dimension 0, 1, 2, 3."""
        c0, c1, c2, c3 = (ids.size for ids in self.critical_ids)
        return c0, c1, c2, c3

    @property
    def euler_characteristic(self) -> int:
        """Alternating sum of the counts: that of the mesh."""
        return sum((-1) ** d * count for d, count in enumerate(self.counts))

    def critical(self, dimension: int) -> Array:
        """Critical simplices of a dimension, int64: the user's ids of points and cells, ascending.

        Edges, and the triangles of tetrahedra, have mesh ids.
        """
        ids = self.critical_ids[self._checked(dimension, 3)]
        with self.session.call(None, {}):
            return self.session.result(
                self.session.device.xp.sort(users_ids(self.simplices, dimension, ids))
            )

    def up(self, dimension: int) -> Array:
        """(n_d,) int32, on the device: the cofacet that each simplex is paired with, or NONE.

        Mesh ids; one pass over the codes of one dimension more.
        """
        self._checked(dimension, self.dimension - 1)
        mesh, codes = self.simplices, self.codes[dimension + 1]
        edges = (mesh.edge_lower, mesh.edge_upper)
        with self.session.call(None, {}):
            up = self.session.device.xp.full(mesh.n_ids(dimension), -1, np.int32)
            if dimension == 0:
                self.session.launch("pair_vertices_up", codes.size, codes, *edges, up)
            elif dimension == 1:
                trie = (mesh.edge_begin, *edges, *mesh.triangle_trie)
                self.session.launch("pair_edges_up", edges[1].size, codes, *trie, up)
            else:
                tries = (*mesh.edge_trie, *mesh.triangle_trie)
                self.session.launch("pair_triangles_up", codes.size, codes, mesh.tets, *tries, up)
            return up

    def arrows(self) -> Arrows:
        """All pairs as arrows between barycenters, by (dimension, mesh id) of the lower simplex.

        Ids are the user's for points and cells, mesh ids for the others.
        """
        session, mesh, xp = self.session, self.simplices, self.session.device.xp
        rows: list[tuple[Array, ...]] = []
        with session.call(None, {}):
            for d in range(self.dimension):
                up = self.up(d)
                tails = compact(up >= 0).astype(np.int32)
                heads = up[tails]
                tail = barycenters(session, mesh, self.points, d, tails)
                vector = barycenters(session, mesh, self.points, d + 1, heads) - tail
                ids = (users_ids(mesh, d, tails), users_ids(mesh, d + 1, heads))
                rows.append((tail, vector, *ids, xp.full(tails.size, d, np.int8)))
            columns = zip(*rows, strict=True)
            return Arrows(*(session.result(xp.concatenate(column)) for column in columns))

    def _checked(self, dimension: int, highest: int) -> int:
        if not isinstance(dimension, (int, np.integer)) or not 0 <= dimension <= highest:
            raise InputError(f"dimension must be 0 to {highest}, not {dimension!r}")
        return int(dimension)

    @property
    def device(self) -> str:
        """Where it was computed: "cpu" or "cuda:N"."""
        return self.session.place

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage."""
        return self.session.timings


def mesh_gradient(
    session: Session,
    simplices: Simplices,
    points: Array,
    values: Any,
    progress: Progress | None = None,
) -> MeshGradient:
    """The gradient of `values` (V,), one a point of the user's; `points` as in the result.

    Raises InputError for values that are not one finite number a point, DeviceMemoryError.
    """
    with session.call(progress, STAGES):
        with session.stage("order"):
            loaded = load_values(session, simplices, values)
        with session.stage("stars"):
            offsets, entries = fill_lower_stars(session, simplices, loaded.rank)
        with session.stage("gradient"):
            codes = pair_lower_stars(session, simplices, loaded.rank, offsets, entries)
    return MeshGradient(session, simplices, points, loaded, codes)


def gradient_of_points(
    session: Session, simplices: Simplices, points: Array, loaded: PointValues
) -> MeshGradient:
    """The same of values that are ranked already, in one stage of the caller's."""
    stars = fill_lower_stars(session, simplices, loaded.rank)
    codes = pair_lower_stars(session, simplices, loaded.rank, *stars)
    return MeshGradient(session, simplices, points, loaded, codes)


def fill_lower_stars(session: Session, simplices: Simplices, rank: Array) -> tuple[Array, Array]:
    """Every lower star: offsets (3 V + 1,) int64, entries (E + F + T,) uint64.

    kernels/simplicial/star_entries.h says how they are laid out.
    """
    device, n = session.device, simplices.n_vertices
    _, n_edges, n_triangles, n_tets = simplices.counts
    n_entries = n_edges + n_triangles + n_tets
    session.memory.require(8 * n_entries + STAR_BYTES * n, f"the lower stars of {n:,} points")
    edges = (simplices.edge_lower, simplices.edge_upper)
    triangles, tets = simplices.triangle_trie, simplices.tets
    counts = device.zeros(3 * n, np.int64)
    session.launch("count_lower_edges", n_edges, n, rank, *edges, *triangles, counts)
    session.launch("count_lower_tets", n_tets, n, rank, tets, counts)
    offsets = exclusive_scan(counts)
    counts[:] = offsets[:-1]
    entries = device.empty(n_entries, np.uint64)
    rows = (offsets, counts, entries)
    session.launch("fill_lower_edges", n_edges, rank, *edges, counts, entries)
    session.launch("sort_lower_edges", n, offsets, entries)
    session.launch("fill_lower_triangles", n_edges, n, rank, *edges, *triangles, *rows)
    session.launch("fill_lower_tets", n_tets, n, rank, tets, *rows)
    return offsets, entries


def pair_lower_stars(
    session: Session, simplices: Simplices, rank: Array, offsets: Array, entries: Array
) -> Codes:
    """Codes of all simplices, by dimension, from their lower stars."""
    device, n = session.device, simplices.n_vertices
    codes = tuple(device.empty(simplices.n_ids(d), np.uint8) for d in range(4))
    large, n_large = device.empty(n, np.int32), device.zeros(1, np.int64)
    arguments = (n, offsets, entries, simplices.is_used.view(np.uint8), *codes, large, n_large)
    if isinstance(device, CudaDevice):
        n_blocks = -(-n // constant("MESH_STAR_RUN"))
        device.launch_blocks("pair_stars_of_mesh", n_blocks, *arguments)
    else:
        session.launch("pair_stars_of_mesh", n, *arguments)
    if k := int(n_large[0]):
        _pair_large_stars(session, simplices, rank, offsets, entries, large[:k], codes)
    return codes[: simplices.dimension + 1]


def _pair_large_stars(
    session: Session,
    simplices: Simplices,
    rank: Array,
    offsets: Array,
    entries: Array,
    large: Array,
    codes: Codes,
) -> None:
    """One item a star; on a GPU the longest of them go to the CPU, which is faster at one item."""
    n = simplices.n_vertices
    rows = large.astype(np.int64)
    sizes = sum(offsets[rows + d * n + 1] - offsets[rows + d * n] for d in range(3))
    edges = (simplices.edge_lower, simplices.edge_upper)
    mesh = (rank, *edges, *simplices.triangle_trie, simplices.tets, offsets, entries)
    is_huge = sizes > HUGE_STAR
    if session.device.is_cuda and bool(is_huge.any()):
        on_host = [to_host(codes_of).copy() for codes_of in codes[1:]]
        there = session.on(session.host)
        _pair_listed(
            there, to_host(large[is_huge]), to_host(sizes[is_huge]), map(to_host, mesh), on_host
        )
        for device_codes, host_codes in zip(codes[1:], on_host, strict=True):
            session.device.copy_up(host_codes, device_codes)
        large, sizes = large[~is_huge], sizes[~is_huge]
    _pair_listed(session, large, sizes, mesh, codes[1:])


def _pair_listed(
    session: Session, large: Array, sizes: Array, mesh: Iterable[Array], codes: Iterable[Array]
) -> None:
    """Pair the stars of vertices `large` (k,), of `sizes` (k,) simplices, all on work's device."""
    rank, edge_lower, *others = mesh
    n, n_edges = rank.size, edge_lower.size
    room_begin = exclusive_scan(sizes)
    room_words = constant("LARGE_STAR_WORDS") * int(room_begin[-1])
    session.memory.require(4 * room_words, f"pairing {large.size:,} large stars")
    room = session.device.empty(room_words, np.int32)
    stars = (n, n_edges, large, room_begin)
    session.launch("pair_large_stars", large.size, *stars, rank, edge_lower, *others, room, *codes)
