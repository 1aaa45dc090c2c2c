"""Weighted graphs from points, distance matrices, and sparse distances.

Distances are float64, bit for bit as given; +inf denotes a missing edge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device import Array, Session, as_array, to_host
from ..errors import DeviceMemoryError, InputError, Words, shown, warn_caller
from ..primitives import columns_of, converted, total
from ..spatial.neighbors import sparse_distances
from ..spatial.points import as_points, bounded_points
from .uploads import uploaded

MOST_VERTICES = 2**31 - 1
MANY_POINTS = 3000  # with a threshold, a neighbor search is faster from this number on
UNLISTED = 2000  # points, from which loops are found without a matrix
UNLISTED_ON_GPU = 6000
MOST_COORDINATES = 4  # of these points; a tree of points with more coordinates is too slow
FEW_COLUMNS = 3  # up to which points may look like a distance matrix by chance
FEW = 0.1  # fraction of a condensed matrix, up to which its edges are listed
RELATIVE, ABSOLUTE = 1e-5, 1e-8  # permitted differences of both triangles, as in numpy.allclose
BYTES_PER_PAIR = 36  # 8 in the matrix, and 28 while its edges are sorted
RUN = 256  # columns of one row of distances that a CPU thread computes at a time


@dataclass(frozen=True)
class Distances:
    """Edges of a weighted graph on n vertices, in one of three forms."""

    n: int
    matrix: Array | None = None  # (n, n) float64, symmetric
    ends: Array | None = None  # (E, 2) int32, each pair once, lower end first
    values: Array | None = None  # (E,) float64, of these pairs
    points: Array | None = None  # (n, d) float64, which have all Euclidean distances
    is_euclidean: bool = False  # whether the matrix contains Euclidean distances
    coordinates: Array | None = None  # (n, d) float64, of the points of such a matrix

    def on_host(self) -> Distances:
        """Return the graph in host memory."""
        names = ("matrix", "ends", "values", "points", "coordinates")
        given = {name: part for name in names if (part := getattr(self, name)) is not None}
        parts: dict[str, Any] = {name: to_host(part) for name, part in given.items()}
        return replace(self, **parts)


def of_points(
    session: Session, points: Any, metric: str, threshold: float, *, may_stay: bool = False
) -> Distances:
    """Return the distances of points (n, k), by a neighbor search if few edges are expected.

    If `may_stay`, many points with few coordinates are returned as they are.
    """
    if metric != "euclidean":
        scipys = _by_scipy(points, metric)
        return Distances(len(scipys), session.upload(scipys))
    checked = bounded_points(session, points, "points")
    _check_count(n := checked.n, "points")
    unlisted = session.device.launch_form(host=UNLISTED, gpu=UNLISTED_ON_GPU)
    if may_stay and n >= unlisted and checked.d <= MOST_COORDINATES:
        return Distances(n, points=checked.values)
    if n >= MANY_POINTS and threshold < math.inf:
        try:
            i, j, values = sparse_distances(
                checked.given, threshold, device=session.device.name, threads=session.host.threads
            )
        except DeviceMemoryError as error:
            reason = error.message.partition(";")[0].partition(". ")[0]
            raise DeviceMemoryError(
                f"{reason}. Lower {{threshold}} or use fewer points.",
                needed=error.needed,
                free=error.free,
            ) from error
        xp = session.device.xp
        ends = xp.stack([i, j], axis=1).astype(np.int32)
        return Distances(n, ends=ends, values=values)
    _require_matrix(session, n)
    device = session.device
    coordinates = columns_of(checked.values)
    matrix = device.empty((n, n), np.float64)
    width = device.launch_form(host=RUN, gpu=1)
    runs = -(-n // width)
    session.launch("rips_euclidean", n * runs, coordinates, n, checked.d, n, width, matrix)
    return Distances(n, matrix, is_euclidean=True, coordinates=checked.values)


def warn_of_matrix(points: Array) -> None:
    """Warn about an array of points that looks like a distance matrix."""
    n = len(points) if points.ndim == 2 else 0
    if n <= FEW_COLUMNS or points.shape[1] != n or points.dtype.kind not in "fiu":
        return
    if points.diagonal().any() or not bool((points >= 0).all()):
        return
    matrix = to_host(points)
    if np.allclose(matrix, matrix.T, rtol=RELATIVE, atol=ABSOLUTE):
        warn_caller(
            "The input matrix is square and symmetric with a zero diagonal, but its rows are used "
            "as points. If it contains distances, pass distances=D instead. If it contains points, "
            "silence this warning with warnings.filterwarnings('ignore', 'The input matrix').",
            UserWarning,
        )


def distances_between(
    session: Session, points: np.ndarray, u: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """Return the distances (m,) of the points (n, d) float64 in rows u and v. Host arrays."""
    lengths = np.empty(len(u))
    ends = (np.ascontiguousarray(end, np.int32) for end in (u, v))
    session.host.launch("rips_measure_pairs", len(u), points, points.shape[1], *ends, lengths)
    return lengths


def ranks_of_lengths(session: Session, levels: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the places (m,) uint32 of lengths in ascending levels; 2^32 - 1 for other lengths."""
    ranks = np.empty(len(lengths), np.uint32)
    lengths = np.ascontiguousarray(lengths)
    session.host.launch("rips_rank_lengths", len(lengths), levels, len(levels), lengths, ranks)
    return ranks


def of_matrix(session: Session, distances: Any, threshold: float = math.inf) -> Distances:
    """Return the distances of a full matrix (n, n) or a condensed one (n (n - 1) / 2,).

    If the triangles of a full matrix differ by rounding, the lower one is used, with a warning.
    """
    array = as_array(distances, "distances")
    if array.dtype.kind not in "fiu":
        raise InputError("distances", "an array of real numbers", Words(f"dtype {array.dtype}"))
    if array.ndim == 1:
        return _from_condensed(session, array, threshold)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        expected = "a square matrix (n, n) or a condensed one (n (n - 1) / 2,)"
        raise InputError("distances", expected, Words(f"shape {tuple(array.shape)}"))
    _check_count(n := len(array), "distances")
    _require_matrix(session, n)
    matrix = converted(session.device, uploaded(session, array), np.float64)
    return Distances(n, _checked_matrix(session, matrix))


def of_sparse(session: Session, sparse: Any) -> Distances:
    """Return the distances of a SciPy sparse matrix, of (i, j, d), or of (i, j, d, n).

    A pair may be given once or, with equal values, in both orders. Other pairs have no edge.
    """
    i, j, values, n = _triplets(sparse)
    if n is None:
        n = int(max(i.max(initial=-1), j.max(initial=-1))) + 1
    bad = np.flatnonzero((i < 0) | (j < 0) | (i >= n) | (j >= n))
    expected = f"pairs of points from 0 to {n - 1:,}"
    _refuse("sparse", expected, bad, lambda at: (i[at], j[at]), lambda at: f" entry {at}")
    _check_count(n, "sparse")
    check_values(values, "sparse", lambda at: f"[{i[at]}, {j[at]}]")
    _check_diagonal("sparse", i[i == j], values[i == j])
    is_edge = (i != j) & (values < np.inf)
    low, high = np.minimum(i, j)[is_edge], np.maximum(i, j)[is_edge]
    values = values[is_edge]
    order = np.lexsort((high, low))
    low, high, values = low[order], high[order], values[order]
    again = np.flatnonzero((low[1:] == low[:-1]) & (high[1:] == high[:-1]))
    differ = again[values[again] != values[again + 1]]
    _refuse(
        *("sparse", "symmetric", differ),
        lambda at: Words(f"{values[at]} and {values[at + 1]}"),
        lambda at: f"[{low[at]}, {high[at]}]",
    )
    first = np.ones(low.size, bool)
    first[again + 1] = False
    ends = np.stack([low[first], high[first]], axis=1).astype(np.int32)
    return Distances(n, ends=session.upload(ends), values=session.upload(values[first]))


def _from_condensed(session: Session, entries: Array, threshold: float) -> Distances:
    m = int(entries.size)
    n = (1 + math.isqrt(1 + 8 * m)) // 2
    if n * (n - 1) // 2 != m:
        expected = "a triangle of n (n - 1) / 2 entries (1, 3, 6, 10, ...)"
        raise InputError("distances", expected, Words(f"{m:,}"))
    _check_count(n, "distances")
    values = to_host(entries).astype(np.float64, copy=False)

    def where(k: int) -> str:
        i, j = ends_of_condensed(np.array([k]), n)
        return f"[{k}] (points {i[0]} and {j[0]})"

    check_values(values, "distances", where)
    if n >= MANY_POINTS and threshold < math.inf:
        places = np.flatnonzero(values <= threshold)
        if places.size < FEW * values.size:
            ends = np.stack(ends_of_condensed(places, n), axis=1).astype(np.int32)
            return Distances(n, ends=session.upload(ends), values=session.upload(values[places]))
    _require_matrix(session, n)
    matrix, starts = np.zeros((n, n)), _row_starts(n)
    for i in range(n - 1):
        matrix[i, i + 1 :] = matrix[i + 1 :, i] = values[starts[i] : starts[i + 1]]
    return Distances(n, session.upload(matrix))


def _row_starts(n: int) -> np.ndarray:
    """Return where the rows of a condensed matrix of n points begin, (n,) int64."""
    return np.cumsum(np.arange(n, 0, -1)) - n


def ends_of_condensed(places: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the points i < j of entries (k,) of a condensed matrix of n points."""
    starts = _row_starts(n)
    i = np.searchsorted(starts, places, side="right") - 1
    return i, places - starts[i] + i + 1


def _are_distances_on_host(session: Session, matrix: Array) -> bool:
    threads = session.host.threads
    return bool(session.host.run("rips_check_distances", matrix, len(matrix), threads))


def _are_distances(session: Session, matrix: Array) -> bool:
    is_good = (matrix >= 0) & (matrix == matrix.T)
    n_good = total(session.device, is_good)
    return n_good == is_good.size and not total(session.device, matrix.diagonal() != 0)


def _checked_matrix(session: Session, matrix: Array) -> Array:
    is_good = session.device.launch_form(host=_are_distances_on_host, gpu=_are_distances)
    if is_good(session, matrix):
        return matrix
    host = to_host(matrix)
    check_values(host.ravel(), "distances", lambda k: f"[{k // len(host)}, {k % len(host)}]")
    _check_diagonal("distances", np.arange(len(host)), host.diagonal())
    if np.allclose(host, host.T, rtol=RELATIVE, atol=ABSOLUTE):
        return session.upload(_lower_triangle(host))
    rows, columns = np.nonzero(np.triu(host != host.T))
    i, j = rows[0], columns[0]
    raise InputError(
        *("distances", "symmetric", Words(f"{host[i, j]}, but {host[j, i]} at [{j}, {i}]")),
        "Correct them or use numpy.maximum(distances, distances.T).",
        where=f"[{i}, {j}]",
        count=rows.size,
    )


def _lower_triangle(matrix: np.ndarray) -> np.ndarray:
    """Return the matrix with its lower triangle in both; warn about the largest difference."""
    finite = np.where(np.isfinite(matrix), matrix, 0.0)
    difference = np.abs(finite - finite.T)
    i, j = np.unravel_index(int(difference.argmax()), matrix.shape)
    n_pairs = int((difference > 0).sum()) // 2
    warn_caller(
        f"The matrix of distances is symmetric only up to rounding: {n_pairs:,} pairs of entries "
        f"differ, at most [{j}, {i}] = {matrix[j, i]} and [{i}, {j}] = {matrix[i, j]}. The lower "
        "triangle is used.",
        RuntimeWarning,
    )
    lower = np.tril(matrix, -1)
    return lower + lower.T


def check_values(values: np.ndarray, parameter: str, where: Callable[[int], str]) -> None:
    """Raise InputError if a distance is negative or NaN; `where` returns the index of a value."""
    expected = "non-negative, with inf for missing edges"
    _refuse(parameter, expected, np.flatnonzero(~(values >= 0)), values.__getitem__, where)


def _check_diagonal(parameter: str, points: np.ndarray, values: np.ndarray) -> None:
    _refuse(
        *(parameter, "0 on the diagonal", np.flatnonzero(values), values.__getitem__),
        lambda at: f"[{points[at]}, {points[at]}]",
        "Births of points are given by {weights}.",
    )


def _refuse(
    parameter: str,
    expected: str,
    bad: np.ndarray,
    got: Callable[[int], Any],
    where: Callable[[int], str],
    remedy: str = "",
) -> None:
    """Raise InputError about the first of the values at `bad` (k,), unless there are none."""
    if bad.size:
        at = int(bad[0])
        raise InputError(parameter, expected, got(at), remedy, where=where(at), count=bad.size)


def _triplets(sparse: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, int | None]:
    parts: tuple[Any, ...]
    n: int | None = None
    if hasattr(sparse, "tocoo"):
        if sparse.shape[0] != sparse.shape[1]:
            raise InputError("sparse", "a square matrix", Words(f"shape {sparse.shape}"))
        coo = sparse.tocoo()
        parts, n = (coo.row, coo.col, coo.data), int(sparse.shape[0])
    else:
        parts = tuple(sparse) if isinstance(sparse, (tuple, list)) else ()
        if len(parts) == 4:
            n = checked_whole(parts[3], "n of sparse", 0, MOST_VERTICES)
            parts = parts[:3]
    if len(parts) != 3:
        raise InputError(
            "sparse",
            "a SciPy sparse matrix or a tuple (i, j, d) or (i, j, d, n), where points i and j have "
            "the distance d, and n is the number of points",
            Words(f"{len(parts)} items") if parts else shown(sparse),
        )
    i, j, values = (to_host(as_array(part, "sparse")) for part in parts)
    if not (i.ndim == j.ndim == values.ndim == 1 and len(i) == len(j) == len(values)):
        shapes = Words(f"shapes {i.shape}, {j.shape}, and {values.shape}")
        raise InputError("sparse", "three arrays (m,) of equal length", shapes)
    if values.size == 0:
        i, j, values = i.astype(np.int64), j.astype(np.int64), values.astype(np.float64)
    if i.dtype.kind not in "iu" or j.dtype.kind not in "iu" or values.dtype.kind not in "fiu":
        dtypes = Words(f"dtypes {i.dtype}, {j.dtype}, and {values.dtype}")
        raise InputError("sparse", "integers i and j and real numbers d", dtypes)
    return i.astype(np.int64), j.astype(np.int64), values.astype(np.float64), n


def _by_scipy(points: Any, metric: str) -> np.ndarray:
    array = to_host(as_points(points, "points")).astype(np.float64)
    _check_count(len(array), "points")
    try:
        from scipy.spatial.distance import pdist, squareform
    except ImportError as error:
        raise InputError(
            f"{{metric}} {metric!r} requires SciPy, which is not installed. Install it (pip "
            "install scipy) or give {distances}."
        ) from error
    try:
        distances = pdist(array, metric)
    except (ValueError, TypeError) as error:
        raise InputError(f"{{metric}} {metric!r} could not be computed: {error}.") from error
    bad = np.flatnonzero(~(distances >= 0))
    if bad.size:
        i, j = (ends[bad[0]] for ends in np.triu_indices(len(array), 1))
        raise InputError(
            f"{{metric}} {metric!r} is {distances[bad[0]]:g} for points {i} and {j} ({bad.size:,} "
            "invalid distances). Remove these points or use another metric."
        )
    return np.asarray(squareform(distances))


def _check_count(n: int, name: str) -> None:
    if not 2 <= n <= MOST_VERTICES:
        limit = "at least 2" if n < 2 else f"at most {MOST_VERTICES:,}"
        raise InputError(f"{{{name}}} must contain {limit} points; got {n:,}.")


def _require_matrix(session: Session, n: int) -> None:
    needed, what = BYTES_PER_PAIR * n * n, f"the distance matrix of {n:,} points"
    advice = "set a threshold, give sparse distances, or use fewer points"
    session.memory.require(needed, what, advice)
