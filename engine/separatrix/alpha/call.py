"""Entry point: the alpha complex of balls."""

from __future__ import annotations

from typing import Any

from ..device.session import Progress, Session
from ..options import known_keywords
from .ball_sizes import checked_sizes, finest_resolution
from .balls import checked_centers, snap_balls
from .complex import AlphaComplex, found_by
from .request import WORK_LIMIT, Request
from .stars import STAGES, find_simplices

CALL_STAGES = {"snapping": 1.0, **STAGES}
"""Stages of a call with their estimated shares of the time."""


@known_keywords
def alpha_complex(
    centers: Any,
    radii: Any = None,
    alpha: Any = 0.0,
    *,
    weights: Any = None,
    probe: float = 0.0,
    resolution: float | None = 1e-3,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
    work_limit: float = WORK_LIMIT,
    edge_optimization: bool = True,
    alpha_optimization: bool = True,
    method: str = "auto",
    box: Any = None,
) -> AlphaComplex:
    """Compute the weighted alpha complex of balls.

    Ball i of radius r_i grows to sqrt(r_i^2 + alpha). At alpha 0, the complex has the homotopy type
    of the union of the given balls. All signs are exact on a fixed-point grid, to which the input
    is rounded once. Ties are broken by position, so the complex depends on the order of the balls
    only if their centers are equal.

    Parameters
    ----------
    centers : (n, 3) array_like
        Centers in any unit of length, such as angstrom.
    radii : (n,) array_like or float
        Positive radii in the same unit. They may be 0 if `alpha` is not 0, as for a set of points.
        None if `weights` are given.
    alpha : float or sequence of float, default 0.0
        Squared length, which may be negative, or inf for the complete triangulation. Of several
        values the largest is used; :meth:`AlphaComplex.at` returns the others.
    weights : (n,) array_like, optional
        Squared radii of any sign instead of `radii`: ball i grows to sqrt(w_i + alpha), and does
        not exist while w_i + alpha is negative.
    probe : float, default 0.0
        Length that is added to all radii first, such as 1.4 for water. 0 if `weights` are given.
    resolution : float or None, default 0.001
        Step of the fixed-point grid, a length. Coordinates and radii are rounded to its multiples,
        and alpha and weights to multiples of its square. The default preserves the coordinates of
        PDB files. For other points, choose about 1e-8 of their extent: at most 5e8 steps from the
        origin. None selects the finest power of two.
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`. Results are in the memory of the input unless a device
        is given.
    work_limit : float, default 1e11
        Maximum sum of the squared numbers of neighbors for the local search.
    edge_optimization, alpha_optimization : bool, default True
        Remove dead edges and simplices larger than alpha before triangles are processed. The result
        is the same without, but takes longer.
    method : {"auto", "local", "complete"}, default "auto"
        Search among the neighbors of each ball, or extract the complex from the complete regular
        triangulation (see :func:`separatrix.delaunay`). The simplices and values are the same, bit
        for bit. The default searches locally up to `work_limit`, 1e5 tests per ball (1e6 on a
        GPU), and grown radii of 20,000 steps, which also limit "local".
    box : sequence of 3 or 6 float, or (1, 6) or (3, 3) array_like, optional
        Periodic box, as in :func:`separatrix.periodic_delaunay`: the balls repeat in all
        directions, and the complex is part of a triangulation of the 3-torus. It is extracted from
        the complete triangulation. Its vectors are rounded to the grid, too.

    Returns
    -------
    AlphaComplex

    Raises
    ------
    InputError
        If centers or radii are invalid, a radius has too many steps of the grid, or a local search
        that was requested exceeds a limit.
    DeviceUnavailable
        If the requested device cannot be used.
    DeviceMemoryError
        If the computation does not fit in memory.

    Notes
    -----
    The local search takes O(sum of m_i^2) time if ball i meets m_i others [1].

    References
    ----------
    .. [1] H. Edelsbrunner, "The union of balls and its dual shape", Discrete and Computational
       Geometry 13, 1995.

    Examples
    --------
    >>> import separatrix as sx
    >>> triangle = sx.alpha_complex([[0, 0, 0], [2, 0, 0], [0, 2, 0]], 1.2)
    >>> triangle.counts, triangle.euler_characteristic
    ((3, 2, 0, 0), 1)
    """
    checked = checked_centers(centers)
    sizes, are_weights = checked_sizes(radii, weights, probe, len(checked))
    if resolution is None:
        resolution = finest_resolution(checked, sizes, are_weights, probe, box)
    request = Request(
        *(alpha, probe, resolution, work_limit, edge_optimization, alpha_optimization, method),
        *(box, are_weights),
    )
    session = Session(checked, device, threads, memory_limit)
    with session.call(progress, CALL_STAGES):
        with session.stage("snapping"):
            balls = snap_balls(session, checked, sizes, request)
        search = find_simplices(session, balls, request)
        return found_by(session, balls, search)
