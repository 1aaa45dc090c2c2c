"""Density of weighted points on an image, a sum of compact kernels (kernels/sums/density.h).

``density(v) = sum over |v - x_i| < cutoff of w_i K(|v - x_i|)``. The values of the Gaussian and the
Laplacian at the cutoff are subtracted, because a step would create false critical points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..device import Array, CudaDevice, Progress, Session
from ..errors import InputError, wrong_shape
from ..kernels import source
from ..options import known_keywords
from ..plotting.scenes import draw_field, image_of
from ..primitives import AT_ONCE, converted, largest_size
from ..results import ReprMixin
from ..spatial.periodic import checked_box
from ..spatial.points import as_points, checked_weights
from .bricks import sorted_points
from .density_kernels import DensityKernel, Sources, checked_kernel, sources_of
from .image_box import Box, image_box

UNSCALED = ("gaussian", "wendland")  # kernels that have a faster form for equal lengths
LONGEST_IMAGE = 1e15  # in units of the length of the kernel


@dataclass(frozen=True, eq=False, repr=False)
class DensityImage(ReprMixin):
    """A density on an image.

    Attributes
    ----------
    values : (nz, ny, nx) float
        Weight per volume, or for points in the plane per area, of shape (ny, nx).
    gradient : (nz, ny, nx, 3) float, or None
        Gradient in x, y, z order.
    spacing, origin : tuple of float
        Spacing and origin of the image in x, y, z order, in the unit of the points.
    """

    values: Array
    gradient: Array | None
    spacing: tuple[float, float, float]
    origin: tuple[float, float, float]

    box = staticmethod(image_box)

    def plot(self, plotter: Any = None) -> Any:
        """Draw isosurfaces, or a plane in colors, with PyVista, and return the plotter."""
        nx, ny, nz = (*self.values.shape[::-1], 1)[:3]
        place = ((*given, fill)[:3] for given, fill in ((self.spacing, 1.0), (self.origin, 0.0)))
        image = image_of((nx, ny, nz), *place)
        return draw_field(plotter, image, self.values.ndim, self.values, "density")

    def _summary(self) -> str:
        return f"{self.values.shape} voxels, {self.values.dtype}"


@known_keywords
def density(
    points: Any,
    weights: Any = None,
    *,
    dimensions: Sequence[int] | None = None,
    spacing: float | Sequence[float] | None = None,
    origin: Sequence[float] | None = None,
    padding: float | None = None,
    kernel: str = "gaussian",
    sigma: Any = None,
    cutoff: Any = None,
    normalize: bool = True,
    gradient: bool = False,
    boxsize: Any = None,
    dtype: Any = np.float32,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> DensityImage:
    """Compute the density of weighted points on an image.

    Parameters
    ----------
    points : (n, 3) or (n, 2) array_like
        Points in any unit of length.
    weights : (n,) array_like, optional
        Weights of any sign; 1 by default.
    dimensions, spacing, origin : sequence in x, y, z order, optional
        The image. By default it follows from the bounding box of the points, with `dimensions`
        voxels or the given `spacing`. The default spacing is half of sigma or a sixth of the
        cutoff; if lengths differ between points, it is that of their median. In a periodic box,
        the image is that of the box, without the faces at its ends.
    padding : float, optional
        Distance between the bounding box and the faces of the image; by default the cutoff, so that
        no kernel is clipped. Along periodic axes, there is none.
    kernel : str
        ============== ====================================================== ==================
        kernel         value at distance d                                    cutoff
        ============== ====================================================== ==================
        gaussian       exp(-d^2 / (2 sigma^2)) minus its value at the cutoff  4 sigma by default
        laplacian      exp(-d / sigma) minus its value at the cutoff          8 sigma by default
        epanechnikov   1 - q^2, q = d / cutoff                                required
        wendland       (1 - q)^4 (4 q + 1), q = d / cutoff; C2                required
        cubic_spline   ((2 - q)+)^3 / 4 - ((1 - q)+)^3, q = d / sigma; M4     2 sigma
        ============== ====================================================== ==================

        v+ is max(v, 0); M4 is the spline of SPH with the smoothing length sigma.
    sigma, cutoff : float, or (n,) array_like
        Lengths of kernels; an array has one length per point, for sigma with the default cutoff.
    normalize : bool
        Whether kernels integrate to 1.
    gradient : bool
        Whether to compute the gradient, too.
    boxsize : float or sequence in x, y, z order, optional
        Lengths of a periodic box from 0, and 0 for axes that are not periodic. All images of the
        points contribute.
    dtype : float32 or float64
        Dtype of the result, and of the sums within chunks of 4096 points.
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`.

    Returns
    -------
    DensityImage

    Raises
    ------
    InputError
        If a number is NaN or infinite, shapes do not match, or lengths are not positive.
    DeviceMemoryError
        If the image does not fit in memory.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> image = sx.density(np.zeros((1, 3)), sigma=1.0, spacing=0.5)
    >>> image.values.shape, round(float(image.values.sum()) * 0.5**3, 3)
    ((17, 17, 17), 1.0)
    """
    given = as_points(points, "points")
    n_axes = given.shape[1]
    if n_axes not in (2, 3):
        raise wrong_shape("points", "an array of shape (n, 3) or (n, 2)", given)
    if weights is not None:
        weights = checked_weights(weights, len(given))
    normalize, gradient = checked_flag(normalize, "normalize"), checked_flag(gradient, "gradient")
    chosen = checked_kernel(kernel, sigma, cutoff, n_axes, len(given))
    periodic = checked_box(boxsize, n_axes)
    real = _checked_dtype(dtype)
    session = Session(given, device, threads, memory_limit)
    with session.call(progress, {"sorting points": 1.0, "density": 9.0}):
        with session.stage("sorting points"):
            sources = sources_of(session, chosen, given, weights, normalize, periodic)
            unit = sources.unit
            room = chosen.reach * unit if padding is None else padding
            fine = chosen.fine * sources.typical
            laid = (dimensions, spacing, origin, room, fine, chosen.length_name, periodic)
            box = image_box(sources.at, *laid)
            ny, nx = box.dimensions[1::-1]
            session.memory.require(
                real.itemsize
                * (1 + 3 * gradient)
                * (1 + (sources.scale is not None))
                * box.n_voxels
                + box.n_voxels
                + 150 * len(given),
                f"a density of {'x'.join(map(str, box.dimensions))} voxels",
                "increase {spacing}",
                look_from=0,
                limits_host=True,
            )
            low = np.array(box.origin)[:n_axes]
            high = low + (np.array(box.dimensions) - 1)[:n_axes] * box.spacing[:n_axes]
            parts = sources.by_length(session)
            if periodic is not None:
                parts = [part.images(session, periodic, low, high, chosen.reach) for part in parts]
            scaled = _in_units(box, unit)
        with session.stage("density"):
            values, slopes = _sums(session, chosen, parts[0], scaled, gradient, real)
            for part in parts[1:]:
                more, more_slopes = _sums(session, chosen, part, scaled, gradient, real)
                _in_place(session, "add", values, more)
                _in_place(session, "add", slopes, more_slopes)
            rescale(session, values, sources.factor, "density")
            if gradient:
                rescale(session, slopes, sources.factor / unit, "gradient")
            if n_axes == 2:
                values = values.reshape(ny, nx)
                slopes = slopes[..., :2].reshape(ny, nx, 2).copy() if gradient else slopes
            return DensityImage(
                session.result(values),
                session.result(slopes) if gradient else None,
                box.spacing,
                box.origin,
            )


def _sums(
    session: Session, kernel: DensityKernel, sources: Sources, box: Box, gradient: bool, real: Any
) -> tuple[Array, Array]:
    """Return the sums of kernels and of their gradients on an image in units of their length."""
    nx, ny, nz = box.dimensions
    is_scaled = sources.scale is not None or kernel.name not in UNSCALED
    reach = kernel.reach * sources.longest
    sorted_by_cell = sorted_points(session, sources, is_scaled, box, reach, real)
    bricks, records, first_of_cell, runs = sorted_by_cell
    values = session.device.empty((nz, ny, nx), real)
    slopes = session.device.empty((nz, ny, nx, 3) if gradient else 1, real)
    arguments = (
        bricks, (*box.spacing, *kernel.p), records, first_of_cell, runs, len(runs),
        kernel.number, int(is_scaled), int(gradient), values, slopes,
    )  # fmt: skip
    n_bricks = bricks[3] * bricks[4] * bricks[5]
    if isinstance(session.device, CudaDevice):
        session.device.launch_blocks("density_bricks", n_bricks, *arguments)
    else:
        session.launch("density_of_bricks", n_bricks, *arguments)
    return values, slopes


def _in_units(box: Box, unit: float) -> Box:
    """Return the image in units of the length of the kernel."""
    longest = max(n * s for n, s in zip(box.dimensions, box.spacing, strict=True)) / unit
    if longest > LONGEST_IMAGE:
        raise InputError(
            f"The length of the image is {longest:g} times the length of the kernel ({unit:g}); the"
            f" maximum is {LONGEST_IMAGE:g}. Remove distant points or lower {{spacing}}."
        )
    sx, sy, sz = (s / unit for s in box.spacing)
    ox, oy, oz = (v / unit for v in box.origin)
    return Box(box.dimensions, (sx, sy, sz), (ox, oy, oz))


def rescale(session: Session, values: Array, factor: float, name: str) -> None:
    """Multiply in place. Raises InputError if the result leaves the range of the dtype."""
    limits = np.finfo(values.dtype)
    largest = largest_size(values)
    reached = largest * factor
    if largest and not float(limits.tiny) <= reached <= float(limits.max):
        raise InputError(
            f"The largest {name} is {reached:g}, out of the range of {values.dtype}. Scale the "
            f"{{weights}}, or choose another unit of length"
            f"{' or {dtype=float64}' * (limits.bits < 64)}."
        )
    if not largest or factor == 1:
        return
    is_normal = float(limits.tiny) <= factor <= float(limits.max)
    for part in [factor] if is_normal else [math.sqrt(factor)] * 2:
        _in_place(session, "multiply", values, np.full(1, part, values.dtype))


def _in_place(session: Session, operation: str, values: Array, others: Array) -> None:
    """Add or multiply in place by as many numbers of the same dtype, or by one."""
    function = getattr(session.device.xp, operation)
    is_safe = session.device.launch_form(host=True, gpu=values.dtype != np.float32)
    if is_safe:
        function(values, session.upload(others), out=values)
        return
    # In float64, rounded once, because CuPy flushes denormal float32 numbers to zero.
    flat, others = values.reshape(-1), session.upload(others).reshape(-1)
    for begin in range(0, flat.size, AT_ONCE):
        part = flat[begin : begin + AT_ONCE]
        other = others if others.size == 1 else others[begin : begin + AT_ONCE]
        both = (converted(session.device, each, np.float64) for each in (part, other))
        part[...] = converted(session.device, function(*both), np.float32)


def _checked_dtype(dtype: Any) -> np.dtype:
    try:
        real = np.dtype(dtype).newbyteorder("=")
    except Exception:  # NumPy parses strings, tuples, and dictionaries, with many kinds of errors
        real = np.dtype(object)
    if real.name not in source.FLOAT_TYPES:
        raise InputError("dtype", "float32 or float64", dtype)
    return real
