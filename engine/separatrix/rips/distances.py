"""What a caller gives, checked and made a weighted graph: points, distances, sparse distances.

Distances stay float64, bit for bit; +inf is no edge. Matrices come full, or condensed as SciPy's
pdist gives them; files' lower and upper triangles become full ones by :func:`from_triangle`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Session, to_host
from ..device.arrays import as_array
from ..device.base import Array
from ..errors import DeviceMemoryError, InputError
from ..primitives import converted
from ..spatial.neighbors import sparse_distances
from ..spatial.points import as_points, bounded_points

MOST_VERTICES = 2**31 - 1
MANY_POINTS = 3000  # from here on a threshold is better met by a search for neighbors
BYTES_A_PAIR = 36  # of a matrix: 8, and what its edges take while they are sorted
RUN = 256  # columns of one row of distances that a CPU computes at once


@dataclass(frozen=True)
class Distances:
    """Edges of a weighted graph on n vertices: ``matrix`` (n, n) float64 symmetric, or the edges
    ``ends`` (E, 2) int32, lower end first, each pair once, with ``values`` (E,) float64.
    """

    n: int
    matrix: Array | None = None
    ends: Array | None = None
    values: Array | None = None


def of_points(session: Session, points: Any, metric: str, threshold: float) -> Distances:
    """Distances of points (n, k). Few edges of many points come from a search for neighbors."""
    if metric != "euclidean":
        return Distances(_n_of(points, "points"), session.upload(_by_scipy(points, metric)))
    checked = bounded_points(session, points, "points")
    n = checked.n
    _check_count(n, "points")
    if n >= MANY_POINTS and threshold < math.inf:
        try:
            i, j, values = sparse_distances(
                checked.given, threshold, device=session.device.name, threads=session.host.threads
            )
        except DeviceMemoryError as error:
            raise DeviceMemoryError(
                f"{str(error).partition(';')[0]}; lower threshold or take fewer points"
            ) from error
        xp = session.device.xp
        ends = xp.stack([i, j], axis=1).astype(np.int32)
        return Distances(n, ends=ends, values=values)
    _require_matrix(session, n)
    xp, device = session.device.xp, session.device
    coordinates = xp.ascontiguousarray(checked.values.T)
    matrix = device.empty((n, n), np.float64)
    width = device.launch_form(host=RUN, gpu=1)
    runs = -(-n // width)
    session.launch("rips_euclidean", n * runs, coordinates, n, checked.d, n, width, matrix)
    return Distances(n, matrix)


def of_matrix(session: Session, distances: Any) -> Distances:
    """A full matrix (n, n), or a condensed one (n (n - 1) / 2,)."""
    array = as_array(distances, "distances")
    if array.dtype == object:
        raise InputError("distances must be a matrix of numbers, its rows of equal length")
    if array.dtype.kind not in "fiu":
        raise InputError(f"distances must be real numbers, got dtype {array.dtype}")
    if array.ndim == 1:
        return Distances(*_from_condensed(session, array))
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(
            "distances must be a square matrix (n, n) or a condensed one (n (n - 1) / 2,), got "
            f"shape {tuple(array.shape)}"
        )
    n = int(array.shape[0])
    _check_count(n, "distances")
    _require_matrix(session, n)
    matrix = converted(session.device, session.upload(array), np.float64)
    _check_matrix(session, matrix)
    return Distances(n, matrix)


def of_sparse(session: Session, sparse: Any) -> Distances:
    """Sparse distances: a SciPy sparse matrix, or (i, j, d) with or without n after them.

    A pair may come once or, with equal values, in both orders; the rest are no edges.
    """
    i, j, values, n = _triplets(sparse)
    if n is None:
        n = int(max(i.max(initial=-1), j.max(initial=-1))) + 1
    bad = np.flatnonzero((i < 0) | (j < 0) | (i >= n) | (j >= n))
    if bad.size:
        at = bad[0]
        raise InputError(
            f"sparse must name vertices 0 to {n - 1}: entry {at} is ({i[at]}, {j[at]}) "
            f"({bad.size:,} such)"
        )
    _check_count(n, "sparse")
    _check_values(values, lambda at: f"the distance of {i[at]} and {j[at]}")
    loops = np.flatnonzero((i == j) & (values != 0))
    if loops.size:
        at = loops[0]
        raise InputError(
            f"the diagonal of distances must be zero: that of vertex {i[at]} is {values[at]:g}; "
            "births of vertices go into weights="
        )
    is_edge = (i != j) & (values < np.inf)
    low, high = np.minimum(i, j)[is_edge], np.maximum(i, j)[is_edge]
    values = values[is_edge]
    order = np.lexsort((high, low))
    low, high, values = low[order], high[order], values[order]
    again = np.flatnonzero((low[1:] == low[:-1]) & (high[1:] == high[:-1]))
    differ = again[values[again] != values[again + 1]]
    if differ.size:
        at = differ[0]
        raise InputError(
            f"sparse distances must be symmetric: vertices {low[at]} and {high[at]} have the "
            f"distances {float(values[at])!r} and {float(values[at + 1])!r} ({differ.size:,} such)"
        )
    first = np.ones(low.size, bool)
    first[again + 1] = False
    ends = np.stack([low[first], high[first]], axis=1).astype(np.int32)
    return Distances(n, ends=session.upload(ends), values=session.upload(values[first]))


def from_triangle(entries: np.ndarray) -> np.ndarray:
    """The full matrix of a strict lower triangle, row after row: (n (n - 1) / 2,) -> (n, n)."""
    n = _side_of(entries.size)
    matrix = np.zeros((n, n))
    matrix[np.tril_indices(n, -1)] = entries
    return matrix + matrix.T


def _from_condensed(session: Session, entries: Array) -> tuple[int, Array]:
    n = _side_of(int(entries.size))
    _check_count(n, "distances")
    _require_matrix(session, n)
    values = to_host(entries).astype(np.float64)
    at = np.triu_indices(n, 1)
    _check_values(values, lambda k: f"distances[{k}], of {at[0][k]} and {at[1][k]},")
    matrix = np.zeros((n, n))
    matrix[at] = values
    return n, session.upload(matrix + matrix.T)


def _side_of(m: int) -> int:
    n = (1 + math.isqrt(1 + 8 * m)) // 2
    if n * (n - 1) // 2 != m:
        raise InputError(
            f"a triangle of distances must have n (n - 1) / 2 entries, 1, 3, 6, 10, ...; got {m:,}"
        )
    return n


def _are_distances_on_host(session: Session, matrix: Array) -> bool:
    threads = session.host.threads
    return bool(session.host.run("rips_check_distances", matrix, len(matrix), threads))


def _are_distances(session: Session, matrix: Array) -> bool:
    is_good = (matrix >= 0) & (matrix == matrix.T)
    return bool(is_good.all()) and not bool(matrix.diagonal().any())


def _check_matrix(session: Session, matrix: Array) -> None:
    is_good = session.device.launch_form(host=_are_distances_on_host, gpu=_are_distances)
    if is_good(session, matrix):
        return
    host = to_host(matrix)
    _check_values(host.ravel(), lambda k: f"distances[{k // len(host)}, {k % len(host)}]")
    diagonal = np.flatnonzero(host.diagonal())
    if diagonal.size:
        at = diagonal[0]
        raise InputError(
            f"the diagonal of distances must be zero: distances[{at}, {at}] is {host[at, at]:g} "
            f"({diagonal.size:,} such); births of vertices go into weights="
        )
    rows, columns = np.nonzero(np.triu(host != host.T))
    i, j = rows[0], columns[0]
    raise InputError(
        f"distances must be symmetric: distances[{i}, {j}] is {float(host[i, j])!r} and "
        f"distances[{j}, {i}] is {float(host[j, i])!r} ({rows.size:,} such pairs); take "
        "numpy.maximum(distances, distances.T), or mend them"
    )


def _check_values(values: np.ndarray, name: Any) -> None:
    bad = np.flatnonzero(~(values >= 0))
    if bad.size:
        at = int(bad[0])
        raise InputError(
            f"distances must be at least 0, inf for no edge: {name(at)} is {values[at]:g} "
            f"({bad.size:,} such)"
        )


def _triplets(sparse: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, int | None]:
    parts: tuple[Any, ...]
    n: int | None = None
    if hasattr(sparse, "tocoo"):
        if sparse.shape[0] != sparse.shape[1]:
            raise InputError(f"sparse distances must be square, got shape {sparse.shape}")
        coo = sparse.tocoo()
        parts, n = (coo.row, coo.col, coo.data), int(sparse.shape[0])
    else:
        try:
            parts = tuple(sparse)
        except TypeError:
            parts = ()
        if len(parts) == 4:
            n = _whole(parts[3])
            parts = parts[:3]
    if len(parts) != 3:
        raise InputError(
            "sparse must be a SciPy sparse matrix, or (i, j, d) or (i, j, d, n): vertices and "
            "distances of the edges, and how many vertices there are"
        )
    i, j, values = (to_host(as_array(part, "sparse")) for part in parts)
    if not (i.ndim == j.ndim == values.ndim == 1 and len(i) == len(j) == len(values)):
        raise InputError(
            f"i, j and d of sparse must be of one length, got {i.shape}, {j.shape}, {values.shape}"
        )
    if values.size == 0:
        i, j, values = i.astype(np.int64), j.astype(np.int64), values.astype(np.float64)
    if i.dtype.kind not in "iu" or j.dtype.kind not in "iu":
        raise InputError(f"i and j of sparse must be whole numbers, got {i.dtype} and {j.dtype}")
    if values.dtype.kind not in "fiu":
        raise InputError(f"d of sparse must be real numbers, got dtype {values.dtype}")
    return i.astype(np.int64), j.astype(np.int64), values.astype(np.float64), n


def _whole(n: Any) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)):
        raise InputError(f"n of sparse, how many vertices there are, must be whole, got {n!r}")
    return int(n)


def _by_scipy(points: Any, metric: str) -> np.ndarray:
    array = to_host(as_points(points, "points")).astype(np.float64)
    _check_count(len(array), "points")
    try:
        from scipy.spatial.distance import pdist, squareform
    except ImportError as error:
        raise InputError(
            f"metric {metric!r} needs SciPy, which is not installed; pip install scipy, or give "
            "distances="
        ) from error
    try:
        distances = pdist(array, metric)
    except (ValueError, TypeError) as error:
        raise InputError(f"metric {metric!r} can't be computed: {error}") from error
    _check_values(distances, lambda k: f"distance {k} by metric {metric!r}")
    return np.asarray(squareform(distances))


def _n_of(points: Any, name: str) -> int:
    return int(as_points(points, name).shape[0])


def _check_count(n: int, name: str) -> None:
    if n < 2:
        raise InputError(f"{name} must be of two points or more, got {n}")
    if n > MOST_VERTICES:
        raise InputError(f"{name} must be of at most {MOST_VERTICES:,} points, got {n:,}")


def _require_matrix(session: Session, n: int) -> None:
    needed, what = BYTES_A_PAIR * n * n, f"the distance matrix of {n:,} points"
    advice = "give a threshold, sparse distances, or fewer points"
    session.memory.require(needed, what, advice, look_from=0)
