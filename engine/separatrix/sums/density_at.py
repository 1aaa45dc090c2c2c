"""Density of weighted points at other points, or at themselves (kernels/sums/density_at.h)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..device import Array, Progress, Session
from ..errors import wrong_shape
from ..options import known_keywords
from ..primitives import converted
from ..spatial.periodic import checked_box, wrapped
from ..spatial.points import as_points, bounded_pair, checked_weights, require_sorted
from ..spatial.uniform_grid import (
    CELLS_PER_POINT,
    covered,
    joint_bounds,
    size_by_density,
    sort_points,
    uniform_grid,
)
from .checks import checked_coordinates
from .density import rescale
from .density_kernels import DensityKernel, Sources, checked_kernel, sources_of

STAGES = {"sorting points": 0.3, "density": 0.7}


@known_keywords
def density_at(
    positions: Any,
    points: Any,
    weights: Any = None,
    *,
    kernel: str = "gaussian",
    sigma: Any = None,
    cutoff: Any = None,
    normalize: bool = True,
    gradient: bool = False,
    boxsize: Any = None,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> tuple[Array, Array | None]:
    """Compute the density of weighted points at positions.

    Parameters
    ----------
    positions : (m, d) array_like, d 2 or 3
        Where to compute it.
    points : (n, d) array_like
        Points in any unit of length; they contribute to their own density.
    weights, kernel, sigma, cutoff, normalize, gradient, boxsize
        See :func:`separatrix.density`.
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`.

    Returns
    -------
    values : (m,) float64
        Weight per volume, or for points in the plane per area.
    gradient : (m, d) float64, or None

    Raises
    ------
    InputError
        If a number is NaN or infinite, shapes do not match, or lengths are not positive.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> points = np.array([[0.0, 0, 0], [1, 0, 0]])
    >>> sx.density_at(points, points, kernel="wendland", cutoff=1.0, normalize=False)[0].tolist()
    [1.0, 1.0]
    """
    given, points = as_points(positions, "positions"), as_points(points, "points")
    d = points.shape[1]
    if d not in (2, 3):
        raise wrong_shape("points", "an array of shape (n, 3) or (n, 2)", points)
    if given.shape[1] != d:
        raise wrong_shape("positions", f"an array of shape (n, {d}), like {{points}}", given)
    weights = None if weights is None else checked_weights(weights, len(points))
    normalize, gradient = checked_flag(normalize, "normalize"), checked_flag(gradient, "gradient")
    chosen = checked_kernel(kernel, sigma, cutoff, d, len(points))
    box = checked_box(boxsize, d)
    session = Session(given, device, threads, memory_limit)
    with session.call(progress, STAGES):
        require_sorted(session, given, points)
        with session.stage("sorting points"):
            at = converted(session.device, session.upload(given), np.float64)
            at = checked_coordinates(at, "positions", np.dtype(np.float64))
            sources = sources_of(session, chosen, points, weights, normalize, box)
            unit, parts = sources.unit, sources.by_length(session)
            if box is not None:
                at = wrapped(session, at, box)
                zeros = np.zeros(d)
                parts = [part.images(session, box, zeros, box, chosen.reach) for part in parts]
        with session.stage("density"):
            values = session.device.zeros(len(at), np.float64)
            slopes = session.device.zeros((len(at), 3), np.float64)
            for part in parts:
                more, more_slopes = _sums(session, chosen, at / unit, part)
                values += more
                slopes += more_slopes
            rescale(session, values, sources.factor, "density")
            if not gradient:
                return session.result(values), None
            rescale(session, slopes, sources.factor / unit, "gradient")
            slopes = session.device.xp.ascontiguousarray(slopes[:, 3 - d :])
            return session.result(values), session.result(slopes)


def _sums(
    session: Session, kernel: DensityKernel, at: Array, sources: Sources
) -> tuple[Array, Array]:
    """Return the sums of kernels at positions in units of their length, and their gradients."""
    reach = covered(kernel.reach * sources.longest)
    asked, known = bounded_pair(session, at, sources.at / sources.unit)
    values = session.device.zeros(asked.n, np.float64)
    slopes = session.device.zeros((asked.n, 3), np.float64)
    if not known.n:
        return values, slopes
    grid = uniform_grid(*joint_bounds(asked, known), reach, known)
    if grid.n_cells > CELLS_PER_POINT * known.n:
        size = max(reach, size_by_density(session, known, 2.0))
        grid = uniform_grid(*joint_bounds(asked, known), size, known)
    queries, table = sort_points(session, asked, grid), sort_points(session, known, grid)
    scale = session.device.xp.ones(known.n) if sources.scale is None else sources.scale
    session.launch(
        "density_at_points", asked.n, *table.cells, *table.sorted, 3, table.order,
        *queries.sorted, queries.order, reach * reach,
        reach / grid.size if math.isfinite(grid.size) else 0.0,
        sources.weight, scale, kernel.number, *kernel.p, values, slopes.reshape(-1),
    )  # fmt: skip
    return values, slopes
