"""Density of weighted points on an image, a sum of compact kernels (kernels/sums/density.h).

``density(v) = sum over |v - x_i| < cutoff of w_i K(|v - x_i|)``. The value of the Gaussian at the
cutoff is subtracted, because a step would create false critical points. Wendland 1995, C2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..device import Session
from ..device.base import Array
from ..device.cuda import CudaDevice
from ..device.session import Progress
from ..errors import InputError, wrong_shape
from ..kernels import source
from ..options import PointDensityOptions, checked, known_keywords
from ..plotting.scenes import draw_field, image_of
from ..primitives import AT_ONCE, converted, uploaded_reals
from ..repr_mixin import ReprMixin
from ..spatial.points import as_points, checked_weights, largest_finite, largest_size
from .bricks import sorted_points
from .checks import checked_coordinates, positive
from .image_box import Box, image_box

GAUSSIAN_CUTOFF = 4.0  # in units of sigma
SHORTEST_CUTOFF, LONGEST_CUTOFF = 0.01, 1e6  # in units of sigma; others lose all digits
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
    sigma: float | None = None,
    cutoff: float | None = None,
    normalize: bool = True,
    gradient: bool = False,
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
        voxels or the given `spacing`, which is sigma / 2 (or cutoff / 6) by default.
    padding : float, optional
        Distance between the bounding box and the faces of the image; by default the cutoff, so that
        no kernel is clipped.
    kernel : {"gaussian", "wendland"}
        exp(-d^2 / (2 sigma^2)) minus its value at the cutoff, or (1 - q)^4 (4 q + 1) with
        q = d / cutoff.
    sigma : float
        Standard deviation of the Gaussian.
    cutoff : float, optional
        Distance at which kernels end: 4 sigma by default; required for wendland.
    normalize : bool
        Whether kernels integrate to 1.
    gradient : bool
        Whether to compute the gradient, too.
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
    kind, p, unit, reach, integral = _checked_kernel(kernel, sigma, cutoff, n_axes)
    real = _checked_dtype(dtype)
    session = Session(given, device, threads, memory_limit)
    with session.call(progress, {"sorting points": 1.0, "density": 9.0}):
        with session.stage("sorting points"):
            at = converted(session.device, session.upload(given), np.float64)
            at = checked_coordinates(at, "points", np.dtype(np.float64))
            fine = unit / 2 if kind == 0 else unit / 6
            room = reach * unit if padding is None else padding
            box = image_box(at, dimensions, spacing, origin, room, fine, ("sigma", "cutoff")[kind])
            nx, ny, nz = box.dimensions
            session.memory.require(
                (real.itemsize * (1 + 3 * gradient) + 1) * box.n_voxels + 120 * len(given),
                f"a density of {'x'.join(map(str, box.dimensions))} voxels",
                "increase {spacing}",
                look_from=0,
                limits_host=True,
            )
            weight = session.device.xp.ones(len(given))
            if weights is not None:
                weight = uploaded_reals(session, weights)
            most = largest_finite(weight, "weights") or 1.0
            weight = weight / most  # of magnitude up to 1
            scaled = _in_units(box, unit)
            bricks, records, first_of_cell, runs = sorted_points(
                session, at / unit, weight, scaled, reach, real
            )
            factor = most / integral if normalize else most
            for _ in range(n_axes if normalize else 0):
                factor /= unit
        with session.stage("density"):
            values = session.device.empty((nz, ny, nx), real)
            slopes = session.device.empty((nz, ny, nx, 3) if gradient else 1, real)
            arguments = (
                bricks, (*scaled.spacing, *p), records, first_of_cell, runs, len(runs),
                kind, int(gradient), values, slopes,
            )  # fmt: skip
            n_bricks = bricks[3] * bricks[4] * bricks[5]
            if isinstance(session.device, CudaDevice):
                session.device.launch_blocks("density_bricks", n_bricks, *arguments)
            else:
                session.launch("density_of_bricks", n_bricks, *arguments)
            _rescale(session, values, factor, "density")
            if gradient:
                _rescale(session, slopes, factor / unit, "gradient")
            if n_axes == 2:
                values = values.reshape(ny, nx)
                slopes = slopes[..., :2].reshape(ny, nx, 2).copy() if gradient else slopes
            return DensityImage(
                session.result(values),
                session.result(slopes) if gradient else None,
                box.spacing,
                box.origin,
            )


def _checked_kernel(
    kernel: Any, sigma: Any, cutoff: Any, n_axes: int
) -> tuple[int, tuple[float, float, float], float, float, float]:
    """Return kind, p0 to p2 of sums/density.h, unit, and, in that unit, cutoff and integral."""
    kernel = checked(PointDensityOptions, "kernel", kernel)
    if kernel == "wendland":
        if cutoff is None:
            raise InputError("cutoff", "given for {kernel='wendland'}, a positive length", None)
        volume = 2 * math.pi / 21 if n_axes == 3 else math.pi / 7
        return 1, (1.0, 1.0, 0.0), positive(cutoff, "cutoff"), 1.0, volume
    if sigma is None:
        raise InputError("sigma", "given for {kernel='gaussian'}, a positive length", None)
    width = positive(sigma, "sigma")
    a = GAUSSIAN_CUTOFF if cutoff is None else positive(cutoff, "cutoff") / width
    if not SHORTEST_CUTOFF <= a <= LONGEST_CUTOFF:
        expected = f"from {SHORTEST_CUTOFF:g} to {LONGEST_CUTOFF:g} times {{sigma}} ({width:g})"
        raise InputError("cutoff", expected, cutoff)
    at_cutoff = math.exp(-a * a / 2)
    if n_axes == 3:
        inside = math.erf(a / math.sqrt(2)) - math.sqrt(2 / math.pi) * a * at_cutoff
        volume = (2 * math.pi) ** 1.5 * inside - at_cutoff * 4 / 3 * math.pi * a**3
    else:
        volume = 2 * math.pi * (1 - at_cutoff) - at_cutoff * math.pi * a**2
    return 0, (0.5, a * a, at_cutoff), width, a, volume


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


def _rescale(session: Session, values: Array, factor: float, name: str) -> None:
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
        _multiply(session, values, part)


def _multiply(session: Session, values: Array, factor: float) -> None:
    """Multiply in place, by the factor in their dtype."""
    factor = values.dtype.type(factor)
    is_safe = session.device.launch_form(host=True, gpu=values.dtype != np.float32)
    if is_safe:
        values *= factor
        return
    flat = values.reshape(-1)  # in float64, because CuPy flushes denormal float32 products to zero
    for begin in range(0, flat.size, AT_ONCE):
        part = flat[begin : begin + AT_ONCE]
        products = converted(session.device, part, np.float64) * np.float64(factor)
        part[...] = converted(session.device, products, np.float32)


def _checked_dtype(dtype: Any) -> np.dtype:
    try:
        real = np.dtype(dtype).newbyteorder("=")
    except Exception:  # NumPy parses strings, tuples, and dictionaries, with many kinds of errors
        real = np.dtype(object)
    if real.name not in source.FLOAT_TYPES:
        raise InputError("dtype", "float32 or float64", dtype)
    return real
