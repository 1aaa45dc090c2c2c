"""Ordered lower stars of a mesh: Robins, Wood, Sheppard 2011, algorithm 1.

The result is one byte per simplex: the number, 0 to 3, of the facet it is paired with (facet k of a
d-simplex lacks corner d - k, in mesh order), PAIRED_UP, CRITICAL_SIMPLEX, or ABSENT_SIMPLEX for a
point without cells. O(V log V + E + F + T), and O(s log s) for each large star of size s.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...device import Array, CudaDevice, Session, to_host
from ...kernels.source import constant
from ...primitives import exclusive_scan, total
from .simplices import Simplices

PAIRED_UP, CRITICAL_SIMPLEX = constant("PAIRED_UP"), constant("CRITICAL_SIMPLEX")
HUGE_STAR = 1 << 14  # simplices; one thread of a GPU would need about a second
STAR_BYTES = 72  # counts, offsets, and positions of the three rows of a vertex

Codes = tuple[Array, ...]


def fill_lower_stars(session: Session, simplices: Simplices, rank: Array) -> tuple[Array, Array]:
    """Return offsets (3 V + 1,) int64 and entries uint64 (kernels/simplicial/star_entries.h)."""
    device, n = session.device, simplices.n_vertices
    _, n_edges, n_triangles, n_tets = simplices.counts
    n_entries = n_edges + n_triangles + n_tets
    session.memory.require(8 * n_entries + STAR_BYTES * n, f"the lower stars of {n:,} points")
    edges, triangles, tets = simplices.edge_ends, simplices.triangle_trie, simplices.tets
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
    """Return the codes of all simplices, by dimension, from their lower stars."""
    device, n = session.device, simplices.n_vertices
    codes = tuple(device.empty(simplices.n_ids(d), np.uint8) for d in range(4))
    large, n_large = device.empty(n, np.int32), device.zeros(1, np.int64)
    arguments = (n, offsets, entries, simplices.is_used.view(np.uint8), *codes, large, n_large)
    if isinstance(device, CudaDevice):
        n_blocks = -(-n // constant("MESH_STAR_RUN"))
        device.launch_blocks("pair_stars_of_mesh", n_blocks, *arguments)
    else:
        session.launch("pair_stars_of_mesh", n, *arguments)
    found, k = codes[: simplices.dimension + 1], int(n_large[0])
    if not k:
        return found
    large, rows = large[:k], large[:k].astype(np.int64)
    sizes = sum(offsets[rows + d * n + 1] - offsets[rows + d * n] for d in range(3))
    mesh = (rank, *simplices.edge_ends, *simplices.triangle_trie, simplices.tets, offsets, entries)
    is_huge = sizes > device.launch_form(host=np.inf, gpu=HUGE_STAR)
    if total(device, is_huge):  # too large for a GPU thread
        on_host = [to_host(codes_of).copy() for codes_of in codes[1:]]
        there = session.on(session.host)
        _pair_listed(
            there, to_host(large[is_huge]), to_host(sizes[is_huge]), map(to_host, mesh), on_host
        )
        for device_codes, host_codes in zip(codes[1:], on_host, strict=True):
            device.copy_up(host_codes, device_codes)
        large, sizes = large[~is_huge], sizes[~is_huge]
    _pair_listed(session, large, sizes, mesh, codes[1:])
    return found


def _pair_listed(
    session: Session, large: Array, sizes: Array, mesh: Iterable[Array], codes: Iterable[Array]
) -> None:
    """Pair the stars of vertices `large` (k,), with `sizes` (k,) simplices, on the device."""
    rank, edge_lower, *others = mesh
    n, n_edges = rank.size, edge_lower.size
    room_begin = exclusive_scan(sizes)
    room_words = constant("LARGE_STAR_WORDS") * int(room_begin[-1])
    session.memory.require(4 * room_words, f"pairing {large.size:,} large stars")
    room = session.device.empty(room_words, np.int32)
    stars = (n, n_edges, large, room_begin)
    session.launch("pair_large_stars", large.size, *stars, rank, edge_lower, *others, room, *codes)
