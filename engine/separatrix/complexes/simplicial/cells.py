"""Validation of the caller's cells, and sorted cells, stars, and tries of edges and triangles.

Flat cells, several components, and unused or coincident points are accepted. Liu et al. 2025,
section 4.3; kernels/simplicial/build.h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import Array, Session, as_array, current_for, to_host
from ...errors import InputError, Words, wrong_dtype, wrong_shape
from ...kernels.source import constant
from ...primitives import compact, copied, exclusive_scan, is_within, lengths_of, shifted, total

MOST_IN_MATRIX = constant("MOST_IN_MATRIX")
MOST_SIMPLICES = 2**31 - 2
REMEDY = "Remove these cells, or set {on_duplicates='drop'}."


def as_cells(cells: Any, n_corners: int) -> Array:
    """Return the integers (n, n_corners), without checking their range. Raises InputError."""
    array = as_array(cells, "cells")
    if array.size == 0 and array.ndim <= 2:
        with current_for(array):
            return array.reshape(0, n_corners).astype(np.int32)
    kind = {3: "triangle", 4: "tetrahedron"}[n_corners]
    if array.ndim != 2 or array.shape[1] != n_corners:
        expected = f"an array (n, {n_corners}) of {n_corners} points for each {kind}"
        raise wrong_shape("cells", expected, array, "Split other cells first.")
    if array.dtype.kind not in "iu":
        remedy = "Convert them with cells.astype('int64')."
        raise wrong_dtype("cells", "integers, indices of points", array, remedy)
    if len(array) > MOST_SIMPLICES:
        raise InputError("cells", f"at most {MOST_SIMPLICES:,}", Words(f"{len(array):,} cells"))
    return array


def checked_cells(
    session: Session, cells: Array, n_points: int, drop: bool
) -> tuple[Array, Array | None]:
    """Return the cells, int32 on the device, and the valid ones (k,) int32; None for all. O(n)."""
    device, xp = session.device, session.device.xp
    with current_for(cells):
        if cells.size and (int(cells.min()) < 0 or int(cells.max()) >= n_points):
            wrong = ((cells < 0) | (cells >= n_points)).any(axis=1)
            if not drop:
                expected = f"indices of points from 0 to {n_points - 1:,}"
                first, n_wrong = int(wrong.argmax()), int(wrong.sum())
                remedy = f"Count points from 0. {REMEDY}"
                raise _invalid(cells, first, n_wrong, expected, remedy)
            cells = cells * ~wrong[:, None]  # repeats point 0, so the cell is dropped below
        cells = cells.astype(np.int32, copy=False)
    cells = session.upload(cells)
    is_degenerate = device.empty(len(cells), np.uint8)
    session.launch("find_repeated_corners", len(cells), cells, cells.shape[1], is_degenerate)
    n_degenerate = total(device, is_degenerate)
    if not n_degenerate:
        return cells, None
    if drop:
        return cells, compact(xp.logical_not(is_degenerate)).astype(np.int32)
    raise _invalid(
        cells, int(is_degenerate.argmax()), n_degenerate, "tuples of distinct points", REMEDY
    )


def reject_repeated(repeated: Array, cells: Array) -> None:
    """Raise InputError if cells are `repeated` (k,), which excludes the first of equal cells."""
    if repeated.size:
        remedy = "Remove them, or set {on_duplicates='drop'} to keep the first of each."
        raise _invalid(cells, int(repeated.min()), repeated.size, "distinct", remedy)


def _invalid(cells: Array, first: int, count: int, expected: str, remedy: str) -> InputError:
    got = tuple(to_host(cells[first]).tolist())
    return InputError("cells", expected, got, remedy, where=f"[{first}]", count=count)


def checked_labels(segments: Any, n_points: int) -> Array:
    """Return the caller's segment of each point (V,), integers. Raises InputError."""
    labels = as_array(segments, "segments")
    if labels.shape != (n_points,):
        expected = f"None, 'runs', or one number for each of the {n_points:,} points"
        raise wrong_shape("segments", expected, labels)
    if labels.dtype.kind not in "iu":
        raise wrong_dtype("segments", "integers", labels, "Number the segments.")
    return labels


def checked_count(n: int, what: str) -> int:
    """Return the number of simplices of a mesh. Raises InputError."""
    if n > MOST_SIMPLICES:
        expected, remedy = f"a mesh with at most {MOST_SIMPLICES:,} {what}", "Split the mesh."
        raise InputError("cells", expected, Words(f"{n:,}"), remedy)
    return n


def begins_of(session: Session, counts: Array, what: str) -> Array:
    """Return the exclusive sums (n + 1,) int32 of counts (n,) int32, with the total at the end."""
    checked_count(total(session.device, counts), what)
    return shifted(exclusive_scan(counts), dtype=np.int32)


def sorted_tets_of(
    session: Session, cells: Array, vertex_of: Array, chosen: Array | None
) -> tuple[Array, Array, Array]:
    """Return (tets, cell_of, tet_begin): rows ascending, in lexicographic order, then by cell."""
    device, n_vertices = session.device, vertex_of.size
    n = len(cells) if chosen is None else chosen.size
    some = device.empty(0, np.int32) if chosen is None else chosen
    given = (cells, cells.shape[1], vertex_of, some, some.size)
    counts = device.zeros(n_vertices, np.int32)
    session.launch("count_mesh_cells", n, *given, counts)
    tet_begin = begins_of(session, counts, "cells")
    tets, cell_of = device.empty((n, 4), np.int32), device.empty(n, np.int32)
    session.launch("place_mesh_cells", n, *given, 0, 0, n_vertices, copied(tet_begin[:-1]), tets)
    session.launch("sort_tets", n_vertices, tet_begin, 0, tets, cell_of)
    return tets, cell_of, tet_begin


def lists_of_vertices(
    session: Session, n_vertices: int, kind: str, what: str, n: int, *arrays: Array
) -> tuple[Array, Array]:
    """Return offsets (V + 1,) and items int32, ascending, of lists that kernels count and place."""
    counts = session.device.zeros(n_vertices, np.int32)
    session.launch(f"count_{kind}", n, *arrays, counts)
    begins = begins_of(session, counts, what)
    listed = session.device.empty(int(begins[-1]), np.int32)
    session.launch(f"place_{kind}", n, *arrays, copied(begins[:-1]), listed)
    session.launch("sort_lists", n_vertices, begins, listed)
    return begins, listed


def edges_of(
    session: Session, n_vertices: int, stars: tuple[Array, ...]
) -> tuple[Array, Array, Array]:
    """Return (edge_begin, edge_upper, triangle_begin)."""
    device = session.device
    counts = device.empty(n_vertices, np.int32)
    session.launch("count_upper_neighbors", n_vertices, *stars, counts)
    hubs, rooms = _hubs(stars, counts)
    listed, n_listed = device.empty(int(rooms[-1]), np.int32), device.empty(hubs.size, np.int32)
    session.launch("list_neighbors_of_hubs", hubs.size, hubs, rooms, *stars, listed, n_listed)
    counts[hubs] = n_listed
    edge_begin = begins_of(session, counts, "edges")
    edge_upper = device.empty(int(edge_begin[-1]), np.int32)
    placed = (hubs, rooms, listed, n_listed, edge_begin, edge_upper)
    session.launch("place_neighbors_of_hubs", hubs.size, *placed)
    counts = device.empty(edge_upper.size, np.int32)
    session.launch("list_upper_neighbors", n_vertices, *stars, edge_begin, edge_upper, counts)
    _keys_of_hubs(session, stars, edge_begin, edge_upper, counts)
    return edge_begin, edge_upper, begins_of(session, counts, "triangles")


def _hubs(stars: tuple[Array, ...], n_uppers: Array) -> tuple[Array, Array]:
    """Return the vertices with too many upper neighbors for a list, and offsets (h + 1,)."""
    hubs = shifted(compact(is_within(n_uppers, MOST_IN_MATRIX + 1)), dtype=np.int32)
    n_own, n_others = (at[hubs + 1] - at[hubs] for at in (stars[1], stars[2]))
    return hubs, exclusive_scan(3 * n_own + 2 * n_others)


def _keys_of_hubs(
    session: Session, stars: tuple[Array, ...], edge_begin: Array, edge_upper: Array, counts: Array
) -> tuple[Array, ...]:
    """Return (hubs, offsets, sorted keys of their triangles, number); sets their `counts` (E,)."""
    hubs, rooms = _hubs(stars, lengths_of(edge_begin))
    n_keys = session.device.empty(hubs.size, np.int32)
    keys = session.device.empty(int(rooms[-1]), np.int64)
    arrays = (hubs, rooms, *stars, edge_begin, edge_upper, keys, n_keys, counts)
    session.launch("key_triangles_of_hubs", hubs.size, *arrays)
    return hubs, rooms, keys, n_keys


def triangles_of(
    session: Session, stars: tuple[Array, ...], edge_begin: Array, edge_upper: Array, begins: Array
) -> Array:
    """Return triangle_third, given triangle_begin."""
    n_vertices, third = edge_begin.size - 1, session.device.empty(int(begins[-1]), np.int32)
    arrays = (*stars, edge_begin, edge_upper, begins, third)
    session.launch("list_triangles_above", n_vertices, *arrays)
    known = lengths_of(begins)
    keyed = _keys_of_hubs(session, stars, edge_begin, edge_upper, known)
    session.launch("list_triangles_of_hubs", keyed[0].size, *keyed, edge_begin, begins, third)
    return third
