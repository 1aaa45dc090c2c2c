"""Neighbors within a closed radius: lists, counts, and the sparse distances of a Rips filtration.

Squared distances are summed in float64 from left to right, so lists do not depend on the device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..arguments import checked_flag
from ..device import Array, Progress
from ..options import known_keywords
from ..results import CSR
from .neighbor_search import STAGES, Search


@dataclass(frozen=True, eq=False, repr=False)
class Neighbors(CSR):
    """Neighbors of each row.

    ``offsets`` (n + 1,) int64; ``items`` (m,) int64, ascending in each row; ``distances`` (m,)
    float64 in the unit of the points, or None.
    """

    distances: Array | None = None


@known_keywords
def neighbors(
    x: Any,
    y: Any = None,
    *,
    radius: float,
    include_self: bool = True,
    pairs: bool = False,
    distances: bool = False,
    boxsize: Any = None,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Neighbors:
    """Find all points of `y` within the closed `radius` of each point of `x`.

    Parameters
    ----------
    x : (n, d) array_like
        Query points, float32 or float64; any d, but fast only up to three.
    y : (m, d) array_like, optional
        Points to search; by default those of x.
    radius : float
        Non-negative, in the unit of the points; may be infinite.
    include_self : bool
        Without y: whether a point is its own neighbor, as in SciPy. Other points at the same
        position always are.
    pairs : bool
        Without y: list each pair once, in the row of its lower index.
    distances : bool
        Whether to compute distances as well.
    boxsize : float or sequence of d floats, optional
        Lengths of a periodic box from 0, and 0 for axes that are not periodic. Points are moved
        into the box, and distances are those to the nearest image. The radius must be less than
        half of each length.
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`; the limit is checked before lists are allocated.

    Returns
    -------
    Neighbors
        NumPy or CuPy arrays, like the input.

    Raises
    ------
    InputError
        If a coordinate is NaN or infinite, shapes do not match, or the radius is negative.
    DeviceMemoryError
        If the pairs do not fit in memory; the message states their number.

    Examples
    --------
    >>> import separatrix as sx
    >>> near = sx.neighbors([[0.0], [1.0], [3.0]], radius=2.0, include_self=False, distances=True)
    >>> near[1].tolist(), near.distances.tolist()
    ([0, 2], [1.0, 1.0, 2.0, 2.0])
    """
    measures = checked_flag(distances, "distances")
    search = Search(x, y, radius, pairs, include_self, boxsize, device, threads, memory_limit)
    with search.session.call(progress, STAGES):
        offsets, items = search.lists()
        measured = None
        if measures:
            measured = search.measured(search.rows(offsets, items.size), items)
        result = search.session.result
        return Neighbors(
            result(offsets), result(items), None if measured is None else result(measured)
        )


@known_keywords
def count_neighbors(
    x: Any,
    y: Any = None,
    *,
    radius: float,
    include_self: bool = True,
    boxsize: Any = None,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Array:
    """Count the points of `y` within the closed `radius` of each point of `x`: (n,) int64.

    For parameters and errors see :func:`neighbors`.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.count_neighbors([[0.0], [1.0], [3.0]], radius=1.0, include_self=False).tolist()
    [1, 1, 0]
    """
    search = Search(x, y, radius, False, include_self, boxsize, device, threads, memory_limit)
    with search.session.call(progress, STAGES):
        return search.session.result(search.counts())


@known_keywords
def sparse_distances(
    x: Any,
    radius: float,
    *,
    boxsize: Any = None,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> tuple[Array, Array, Array]:
    """Find the pairs i < j at a distance of at most `radius`.

    Returns i and j (m,) int64 and the distances (m,) float64, sorted by (i, j). For parameters
    and errors see :func:`neighbors`.

    Examples
    --------
    >>> import separatrix as sx
    >>> i, j, distances = sx.sparse_distances([[0.0], [1.0], [3.0]], 2.0)
    >>> i.tolist(), j.tolist(), distances.tolist()
    ([0, 1], [1, 2], [1.0, 2.0])
    """
    search = Search(x, None, radius, True, False, boxsize, device, threads, memory_limit)
    with search.session.call(progress, STAGES):
        offsets, items = search.lists()
        rows = search.rows(offsets, items.size)
        result = search.session.result
        return result(rows), result(items), result(search.measured(rows, items))
