"""Alpha complexes from the complete regular triangulation, at any alpha.

1. Faces: edges and triangles of the tetrahedra get keys of their vertices, which are sorted.
2. Gabriel flags: a face that another ball violates has a coface whose additional ball does.
3. Sizes of Gabriel simplices; other faces take the smallest value of their cofaces.

Sizes and flags are exact and equal those of a local search, bit for bit. In a periodic box, faces
of the same balls with other shifts are different; see kernels/alpha/triangulated.h.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, starmap
from typing import Any

import numpy as np

from ..device import MUCH_CACHED, Array, Session, to_host
from ..primitives import distinct_pairs, exclusive_scan, shifted
from .balls import Balls
from .delaunay import STAGES, triangulation_of
from .periodic import CENTER, SHIFTS, shifts_of, triangulated_in_boxes
from .tables import INTERIOR, Copies, SimplexTable, Tables, each_frame, thresholded

SEARCHED = 0.25  # share of the time of a call before
PAIRS = tuple(combinations(range(4), 2))


def triangulated(session: Session, balls: Balls) -> Tables:
    """Extract the tables at the alpha of the balls from the complete triangulation."""
    if balls.box is not None:
        alpha = balls.scale.squared_length(balls.alpha)
        return triangulated_frames(session, [balls], alpha)[0][1]
    with session.call(session.progress_from(SEARCHED), {**STAGES, "faces": 6.0}):
        sites = balls.sites()
        found = triangulation_of(session, sites[:, :3], sites[:, 3], has_neighbors=False)
        session.device.free_cached(MUCH_CACHED)
        with session.stage("faces"):
            faces = _faces_of(session, found.cells, None, len(sites))
            session.device.free_cached(MUCH_CACHED)
            tables = _measured(session, sites, balls.scale.squared_unit, faces, None)
            return thresholded(tables, balls.scale.squared_length(balls.alpha))


def triangulated_frames(
    session: Session, frames: list[Balls], alpha: float = math.inf
) -> list[tuple[Tables, Tables]]:
    """Extract the tables of the same balls in periodic boxes, at an infinite and at a given alpha.

    Raises TooManyCopies if there are several frames that need too many copies of their balls.
    """
    with session.call(session.progress_from(SEARCHED), {**STAGES, "faces": 6.0}):
        sites = np.concatenate([to_host(balls.sites()) for balls in frames])
        boxes = [balls.box for balls in frames if balls.box is not None]
        found = triangulated_in_boxes(session, sites[:, :3], sites[:, 3], boxes)
        with session.stage("faces"):
            codes = [found.relative_code(*pair) for pair in PAIRS]
            faces = _faces_of(session, found.points, codes, len(sites))
            copies = _copies_in(session, faces, np.stack([box.vectors for box in boxes]), sites)
            places = np.column_stack([to_host(copies.places), sites[to_host(copies.ball), 3]])
            unit = frames[0].scale.squared_unit
            tables = _measured(session, session.upload(places), unit, faces, copies)
            whole = thresholded(tables)
            part = whole if alpha == math.inf else thresholded(whole, alpha)
            sizes = (len(frames[0].items), len(frames))
            largest = each_frame(whole, *sizes)
            own = largest if part is whole else each_frame(part, *sizes)
            return list(zip(largest, own, strict=True))


@dataclass(frozen=True)
class Faces:
    """All faces of a triangulation in lexicographic order, on the device."""

    simplices: list[Array]  # (m, d + 1) int32 per dimension d
    facets: list[
        Array
    ]  # (m, d + 1) int32, rows of dimension d - 1; facet k is opposite to vertex k
    codes: list[Array]  # (m, d + 1) int64, see codes_of, with shifts from the first vertex


def _faces_of(session: Session, cells: Array, codes: list[Array] | None, n: int) -> Faces:
    """Return all faces of cells (m, width), whose rows are distinct and in lexicographic order.

    `codes`, six of (m,) int64, are the later ends of edges relative to the earlier ones in periodic
    boxes.
    """
    xp, (m, width) = session.device.xp, cells.shape
    of_ball, center = (1, 0) if codes is None else (SHIFTS**3, CENTER)  # codes per ball
    stride = n * of_ball
    pairs = [pair for pair in PAIRS if pair[1] < width]

    # Arrays of 64 bits are computed anew for each use, because they would need most of the memory.
    def later(a: int, b: int) -> Array:
        return cells[:, b].astype(np.int64) if codes is None else codes[PAIRS.index((a, b))]

    def key(a: int, b: int) -> Array:
        return cells[:, a].astype(np.int64) * stride + later(a, b)

    # === vertices
    is_used = session.device.zeros(n, np.uint8)
    is_used[cells.reshape(-1)] = 1
    balls = xp.flatnonzero(is_used).astype(np.int32)
    vertex = (xp.cumsum(is_used, dtype=np.int64) - 1).astype(np.int32)
    simplices, facets = [balls[:, None]], [xp.empty((len(balls), 0), np.int32)]
    coded = [balls[:, None].astype(np.int64) * of_ball + center]
    if m and width > 1:  # === edges: (ball, code of the other)
        edges = Keys.of(session, starmap(key, pairs), m * len(pairs), stride, n)
        _append(xp, simplices, 2, (edges.first, edges.last // of_ball))
        _append(xp, facets, 2, (vertex[simplices[1][:, end]] for end in (1, 0)))
        if codes is not None:
            first = simplices[1][:, 0].astype(np.int64) * of_ball + center
            coded.append(xp.stack([first, edges.last], axis=1))
        if width > 2:  # === triangles: (edge, code of the last)
            row = {pair: edges.rows(key(*pair)) for pair in pairs if pair[1] + 1 < width}

            def of_edge(a: int, b: int, c: int) -> Array:
                return row[a, b] * np.int64(stride) + later(a, c)

            corners = list(combinations(range(width), 3))
            parts = starmap(of_edge, corners)
            triangles = Keys.of(session, parts, m * len(corners), stride, len(edges.keys))
            _append(xp, simplices, 3, _corners(simplices[1], triangles, of_ball))
            sides = _sides(edges, simplices[2], triangles, (stride, of_ball, center))
            _append(xp, facets, 3, sides)
            if codes is not None:
                before = coded[1][triangles.first]
                coded.append(xp.concatenate([before, triangles.last[:, None]], axis=1))
            if width > 3:  # === tetrahedra
                simplices.append(cells)
                rows = (triangles.rows(of_edge(*abc)) for abc in corners[::-1])
                _append(xp, facets, 4, rows)
                if codes is not None:
                    first = cells[:, 0].astype(np.int64) * of_ball + center
                    coded.append(xp.stack([first, *(later(0, k) for k in (1, 2, 3))], axis=1))
    for dimension in range(len(simplices), 4):
        simplices.append(xp.empty((0, dimension + 1), np.int32))
        facets.append(simplices[-1])
    for dimension in range(len(coded), 4):
        coded.append(xp.empty((0, dimension + 1), np.int64))
    return Faces(simplices, facets, coded)


def _corners(ends: Array, triangles: Keys, of_ball: int) -> Iterator[Array]:
    """Yield the balls (k,) at the corners of triangles; `ends` (m, 2) are those of edges."""
    edge = triangles.first
    yield from (column[edge] for column in ends.T)
    del edge
    yield triangles.last // of_ball


def _sides(
    edges: Keys, corners: Array, triangles: Keys, units: tuple[int, int, int]
) -> Iterator[Array]:
    """Yield the rows (k,) of the edges opposite to the vertices of triangles."""
    stride, of_ball, center = units

    def from_corner(k: int) -> Array:
        key, ball = triangles.last, corners[:, k].astype(np.int64)
        if k == 1 and of_ball > 1:
            key -= edges.last[triangles.first] - ball * of_ball - center
        ball *= stride
        key += ball
        return key

    yield edges.rows(from_corner(1))
    yield edges.rows(from_corner(0))
    yield triangles.first


@dataclass(frozen=True)
class Keys:
    """Distinct keys first * stride + last, ascending, whose parts are computed for each use."""

    session: Session
    keys: Array  # (m,) int64
    stride: int
    offsets: Array  # by first

    @staticmethod
    def of(session: Session, parts: Iterable[Array], n: int, stride: int, n_first: int) -> Keys:
        """Return the keys that occur in any part, of n in all."""
        xp, end = session.device.xp, 0
        keys = session.device.empty(n, np.int64)
        for part in parts:
            keys[end : (end := end + len(part))] = part
        keys = distinct_pairs(session, keys, stride, n_first)
        session.device.free_cached(MUCH_CACHED)
        offsets = exclusive_scan(xp.bincount(keys // stride, minlength=n_first))
        return Keys(session, keys, stride, offsets)

    @property
    def first(self) -> Array:
        """The first part of each key (m,) int32."""
        return shifted(self.keys // self.stride, dtype=np.int32)

    @property
    def last(self) -> Array:
        """The last part of each key (m,) int64."""
        return self.keys % self.stride

    def rows(self, wanted: Array) -> Array:
        """Return the rows (k,) int32 of keys (k,) that occur."""
        found = self.session.device.empty(wanted.size, np.int32)
        known = (self.keys, self.offsets, self.stride, wanted, found)
        self.session.launch("find_among_keys", wanted.size, *known)
        return found


def _append(xp: Any, tables: list[Array], width: int, columns: Iterable[Array]) -> None:
    """Append the columns (m,) as an (m, width) int32 table; they may be computed one by one."""
    for j, column in enumerate(columns):
        if j == 0:
            tables.append(xp.empty((len(column), width), np.int32))
        tables[-1][:, j] = column


def _copies_in(session: Session, faces: Faces, vectors: np.ndarray, sites: np.ndarray) -> Copies:
    """Return the copies of balls in periodic boxes (k, 3, 3) that the faces consist of."""
    codes = [part[:, -1] for part in faces.codes[:2]]
    copies = Keys.of(session, codes, sum(map(len, codes)), SHIFTS**3, len(sites))
    corners = [copies.rows(part.reshape(-1)).reshape(part.shape) for part in faces.codes]
    ball, shift = shifts_of(to_host(copies.keys))
    box = ball // (len(sites) // len(vectors))
    places = sites[ball, :3] + np.einsum("ij,ijk->ik", shift, vectors[box])
    ball, shift, places = map(session.upload, (ball, shift, places))
    return Copies(ball, shift, places, tuple(corners))


def _measured(
    session: Session,
    sites: Array,
    unit: tuple[float, float],
    faces: Faces,
    copies: Copies | None,
) -> Tables:
    """Compute Gabriel flags and filtration values. Kinds are computed by thresholded()."""
    device = session.device
    corners = faces.simplices if copies is None else copies.corners
    counts = [len(table) for table in faces.simplices]
    is_violated = [device.zeros(m, np.uint8) for m in counts]
    for dimension in (1, 2, 3):
        facets = faces.facets[dimension]
        known = (sites, corners[dimension], facets, dimension, is_violated[dimension - 1])
        session.launch("mark_violated_facets", facets.size, *known)
    values = [device.empty(m, np.float64) for m in counts]
    for dimension in (3, 2, 1, 0):
        m, known = counts[dimension], is_violated[dimension]
        least = device.unset(m, np.uint64)
        if dimension < 3:
            facets, above = faces.facets[dimension + 1], values[dimension + 1]
            session.launch(
                "lower_to_cofaces", facets.size, facets, dimension + 1, above, known, least
            )
        session.launch(
            "size_simplices", m, sites, corners[dimension], dimension, unit, known, least,
            values[dimension],
        )  # fmt: skip
    tables = (
        SimplexTable(table, value, flags == 0, device.numbers(m, np.int8, INTERIOR, 0))
        for table, value, flags, m in zip(faces.simplices, values, is_violated, counts, strict=True)
    )
    return Tables(tuple(tables), tuple(faces.facets), copies)
