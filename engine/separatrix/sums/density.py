"""Density of weighted points on an image: a sum of compact kernels, for a Morse-Smale complex.

``density(v) = sum over |v - x_i| < cutoff of w_i K(|v - x_i|)``. A gaussian that is merely cut off
leaves a step on every sphere of the cutoff, and false critical points with it; here its value at
the cutoff is subtracted. Wendland's kernel is compact by itself (Wendland 1995, C2). Kernels are
normalized, so that the density integrates to the sum of the weights.

Bricks of voxels run through the points of the cells near them (kernels/sums/density.h).
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
from ..errors import InputError
from ..kernels import source
from ..options import known_keywords
from ..primitives import AT_ONCE, converted
from ..repr_mixin import ReprMixin
from .expression import closest
from .formulas import positive
from .image_box import Box, chosen_box
from .problem import check_finite, checked_points, checked_values
from .ranges import check_coordinates, largest_size

KERNELS = ("gaussian", "wendland")
MAX_CELLS = 1 << 28
GAUSSIAN_CUTOFF = 4.0  # in units of sigma
SHORTEST_CUTOFF, LONGEST_CUTOFF = 0.01, 1e6  # differences cancel before; squares in cells beyond
LONGEST_IMAGE = 1e15  # in units of the kernel's length


@dataclass(frozen=True, eq=False, repr=False)
class DensityImage(ReprMixin):
    """A density on an image.

    Attributes
    ----------
    values : (nz, ny, nx) float
        Weight per volume (per area for points of the plane, where it is (ny, nx)).
    gradient : (nz, ny, nx, 3) float, or None
        Its gradient, by x, y, z.
    spacing, origin : by x, y, z
        Of the image, in the unit of the points.
    """

    values: Array
    gradient: Array | None
    spacing: tuple[float, float, float]
    origin: tuple[float, float, float]

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
    """Density of weighted points on an image.

    Parameters
    ----------
    points : (n, 3) or (n, 2) float32 or float64
        Points, in any unit of length.
    weights : (n,), optional
        Of the points' dtype; 1 each by default. They may be negative.
    dimensions, spacing, origin : by x, y, z, optional
        The image. What is not given follows from the box of the points: `dimensions` voxels over
        it, or as many as `spacing` needs, by default of sigma / 2 (cutoff / 6).
    padding : float, optional
        Room around the points' box; the cutoff by default, so that nothing is cut off.
    kernel : "gaussian" or "wendland"
        exp(-d^2 / (2 sigma^2)), less its value at the cutoff; or (1 - q)^4 (4 q + 1) with q = d /
        cutoff.
    sigma : float
        Of the gaussian.
    cutoff : float, optional
        Where kernels end: 4 sigma by default; wendland needs it.
    normalize : bool
        Whether kernels integrate to 1.
    gradient : bool
        Whether to compute the gradient too.
    dtype : float32 or float64
        Of the result, and of the sums within chunks of 4096 points.
    device, threads, memory_limit, progress
        As in :func:`separatrix.morse_smale`.

    Returns
    -------
    DensityImage

    Raises
    ------
    InputError
        NaN or infinity, shapes that don't fit, lengths that are not positive.
    DeviceMemoryError
        More voxels than fit.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> image = sx.density(np.zeros((1, 3)), sigma=1.0, spacing=0.5)
    >>> image.values.shape, round(float(image.values.sum()) * 0.5**3, 3)
    ((17, 17, 17), 1.0)
    """
    given = checked_points(points, "points")
    n_axes = given.shape[1]
    if n_axes not in (2, 3):
        raise InputError(f"points must have shape (n, 3) or (n, 2), got {given.shape}")
    if weights is not None:
        points_dtype = np.dtype(given.dtype).newbyteorder("=")
        weights = checked_values(weights, len(given), points_dtype, "points", "weights")
        if weights.ndim != 1:
            raise InputError(f"weights must have shape ({len(given)},), got {weights.shape}")
    normalize, gradient = checked_flag(normalize, "normalize"), checked_flag(gradient, "gradient")
    kind, p, unit, reach, integral = _checked_kernel(kernel, sigma, cutoff, n_axes)
    real = _checked_dtype(dtype)
    session = Session(given, device, threads, memory_limit)
    with session.call(progress, {"sorting points": 1.0, "density": 9.0}):
        with session.stage("sorting points"):
            at = converted(session.device, session.upload(given), np.float64)
            check_finite(at, "points")
            check_coordinates(at, "points", np.dtype(np.float64))
            fine = unit / 2 if kind == 0 else unit / 6
            room = reach * unit if padding is None else padding
            box = chosen_box(at, dimensions, spacing, origin, room, fine)
            nx, ny, nz = box.dimensions
            n_components = 1 + n_axes * gradient
            _require(session, box, real.itemsize * (1 + 3 * gradient) + 1, len(given))
            weight = (
                session.device.xp.ones(len(given)) if weights is None else session.upload(weights)
            )
            check_finite(weight, "weights")
            weight, most = _scaled(converted(session.device, weight, np.float64))
            scaled = _in_units(box, unit)
            bricks, records, first_of_cell, runs = _sorted_points(
                session, at / unit, weight, scaled, reach, real
            )
            factor = most / integral if normalize else most
            for _ in range(n_axes if normalize else 0):
                factor /= unit
        with session.stage("density"):
            values = session.device.empty((nz, ny, nx), real)
            slopes = session.device.empty((nz, ny, nx, 3) if gradient else 1, real)
            arguments = (
                bricks,
                (*scaled.spacing, *p),
                records,
                first_of_cell,
                runs,
                len(runs),
                kind,
                int(n_components > 1),
                values,
                slopes,
            )
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
    """Kind, parameters p0, p1, p2 of sums/density.h, unit, cutoff, integral over space or plane.

    The unit is sigma (wendland: the cutoff); parameters, cutoff and integral are in units of it, so
    that they are near 1 whatever the unit of length is.
    """
    if not isinstance(kernel, str) or kernel not in KERNELS:
        raise InputError(f"there is no kernel {kernel!r}{closest(kernel, KERNELS)}")
    if kernel == "wendland":
        if cutoff is None:
            raise InputError("kernel 'wendland' needs cutoff, the radius where it ends")
        volume = 2 * math.pi / 21 if n_axes == 3 else math.pi / 7
        return 1, (1.0, 1.0, 0.0), positive(cutoff, "cutoff"), 1.0, volume
    if sigma is None:
        raise InputError("kernel 'gaussian' needs sigma, a positive length")
    width = positive(sigma, "sigma")
    a = GAUSSIAN_CUTOFF if cutoff is None else positive(cutoff, "cutoff") / width
    if not SHORTEST_CUTOFF <= a <= LONGEST_CUTOFF:
        raise InputError(
            f"cutoff must be {SHORTEST_CUTOFF:g} to {LONGEST_CUTOFF:g} times sigma ({width:g}), "
            f"got {cutoff!r}; a gaussian less its value at the cutoff is nothing or too wide beyond"
        )
    at_cutoff = math.exp(-a * a / 2)
    if n_axes == 3:
        inside = math.erf(a / math.sqrt(2)) - math.sqrt(2 / math.pi) * a * at_cutoff
        volume = (2 * math.pi) ** 1.5 * inside - at_cutoff * 4 / 3 * math.pi * a**3
    else:
        volume = 2 * math.pi * (1 - at_cutoff) - at_cutoff * math.pi * a**2
    return 0, (0.5, a * a, at_cutoff), width, a, volume


def _scaled(weight: Array) -> tuple[Array, float]:
    """Weights of size 1 at most, and the factor to what they were."""
    most = float(abs(weight).max()) if len(weight) else 0.0
    return (weight / most, most) if most else (weight, 1.0)


def _in_units(box: Box, unit: float) -> Box:
    """The image in units of the kernel's length."""
    longest = max(n * s for n, s in zip(box.dimensions, box.spacing, strict=True)) / unit
    if longest > LONGEST_IMAGE:
        raise InputError(
            f"the image is {longest:g} times as long as the kernel ({unit:g}), {LONGEST_IMAGE:g} "
            "is the limit; give a smaller spacing or fewer points far away"
        )
    sx, sy, sz = (s / unit for s in box.spacing)
    ox, oy, oz = (v / unit for v in box.origin)
    return Box(box.dimensions, (sx, sy, sz), (ox, oy, oz))


def _rescale(session: Session, values: Array, factor: float, name: str) -> None:
    """Multiply in place. Raises InputError where the result leaves the dtype."""
    limits = np.finfo(values.dtype)
    largest = largest_size(values)
    reached = largest * factor
    if largest and not float(limits.tiny) <= reached <= float(limits.max):
        raise InputError(
            f"the {name} reaches {reached:g}, out of the range of {values.dtype}; choose another "
            "unit of length, scale the weights" + ", or dtype='float64'" * (limits.bits < 64)
        )
    if not largest or factor == 1:
        return
    if float(limits.tiny) <= factor <= float(limits.max):
        _multiply(session, values, factor)
    else:
        _multiply(session, values, math.sqrt(factor))
        _multiply(session, values, math.sqrt(factor))


def _multiply(session: Session, values: Array, factor: float) -> None:
    """Multiply in place, by the factor in their dtype.

    CuPy would make zeros of products that are denormal in float32: on a GPU they are made in
    float64, exactly, and rounded once.
    """
    factor = values.dtype.type(factor)
    is_safe = session.device.launch_form(host=True, gpu=values.dtype != np.float32)
    if is_safe:
        values *= factor
        return
    flat = values.reshape(-1)
    for begin in range(0, flat.size, AT_ONCE):
        part = flat[begin : begin + AT_ONCE]
        products = converted(session.device, part, np.float64) * np.float64(factor)
        part[...] = converted(session.device, products, np.float32)


def _checked_dtype(dtype: Any) -> np.dtype:
    try:
        real = np.dtype(dtype).newbyteorder("=")
    except Exception:  # NumPy parses texts, tuples and dictionaries, which has many errors
        real = np.dtype(object)
    if real.name not in source.FLOAT_TYPES:
        raise InputError(f"dtype must be float32 or float64, not {dtype!r}")
    return real


def _require(session: Session, box: Box, bytes_a_voxel: int, n_points: int) -> None:
    """Refuse an image that memory has no room for. Raises DeviceMemoryError."""
    needed = bytes_a_voxel * box.n_voxels + 120 * n_points
    name = "x".join(map(str, box.dimensions))
    what, advice = f"a density of {name} voxels", "increase {spacing}"
    session.memory.require(needed, what, advice, look_from=0, limits_host=True)


def _sorted_points(
    session: Session, at: Array, weight: Array, box: Box, cutoff: float, real: np.dtype
) -> tuple[tuple[int, ...], Array, Array, Array]:
    """The kernels' brick grid, points (n, 4) by cell, first_of_cell (n_cells + 1,), runs (n, 3).

    Points that no voxel sees are dropped.
    """
    xp = session.device.xp
    cell = source.constant("CELL")
    brick = [source.constant(f"BRICK_{axis}") for axis in "XYZ"]
    bricks = [-(-n // size) for n, size in zip(box.dimensions, brick, strict=True)]
    reach = [int(min(cutoff / s / cell, MAX_CELLS)) + 2 for s in box.spacing]
    cells = [b * (n // cell) + 2 * r for b, n, r in zip(bricks, brick, reach, strict=True)]
    if math.prod(cells) > MAX_CELLS:
        raise InputError(
            f"the cutoff is {cutoff / min(box.spacing):g} voxels, too many: points would be "
            f"sorted into {math.prod(cells):,} cells, {MAX_CELLS:,} are the limit. Increase "
            "{spacing}."
        )
    key = xp.zeros(len(at), np.int64)
    is_near = xp.ones(len(at), bool)
    offset = xp.zeros((len(at), 3))
    offset[:, : at.shape[1]] = at - xp.asarray(box.origin[: at.shape[1]])
    for axis in (2, 1, 0):
        place = xp.floor((offset[:, axis] / box.spacing[axis] + 0.5) / cell) + reach[axis]
        is_near &= (place >= 0) & (place < cells[axis])
        key = key * cells[axis] + xp.clip(place, 0, cells[axis] - 1).astype(np.int64)
    kept = xp.flatnonzero(is_near)
    order = kept[xp.argsort(key[kept], kind="stable")]
    counts = xp.bincount(key[order], minlength=math.prod(cells))
    first_of_cell = xp.zeros(math.prod(cells) + 1, np.int32)
    first_of_cell[1:] = xp.cumsum(counts)
    records = xp.empty((len(order), 4), real)
    records[:, :3] = offset[order]
    records[:, 3] = weight[order]
    runs = xp.asarray(_runs(box, cutoff, reach, brick, cell))
    return (*box.dimensions, *bricks, *cells, *reach), records, first_of_cell, runs


def _runs(box: Box, cutoff: float, reach: list[int], brick: list[int], cell: int) -> np.ndarray:
    """Cells (y, z, x beyond) near a brick, ascending as the cells are: (n_runs, 3) int32.

    A cell's points lie half a voxel beyond its voxels at most.
    """
    _, sy, sz = box.spacing
    found = []
    for z in range(-reach[2], brick[2] // cell + reach[2]):
        for y in range(-reach[1], brick[1] // cell + reach[1]):
            gap_y = _gap(y, brick[1] // cell, cell) * sy
            gap_z = _gap(z, brick[2] // cell, cell) * sz
            rest = cutoff * cutoff - gap_y * gap_y - gap_z * gap_z
            if rest >= 0:
                beyond = int((math.sqrt(rest) / box.spacing[0] - 0.499) / cell) + 1
                found.append((y, z, min(beyond, reach[0])))
    return np.array(found, np.int32).reshape(-1, 3)


def _gap(place: int, n: int, cell: int) -> float:
    """Voxels between a brick's n cells and the cell at `place`, a little less."""
    beyond = max(-place - 1, place - n)
    return 0.0 if beyond < 0 else beyond * cell + 0.499
