"""The scalar field on an image: validation of arguments, upload, and order of the values.

Distances of the plateau-aware order (morse/field.py) are relaxed in tiles; a tile is repeated when
a shorter path enters it. All other steps take O(n).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...arguments import is_one_of
from ...axes import begin_and_step, coordinates_of, is_labeled, spatial_axes
from ...device import (
    Array,
    CudaDevice,
    Device,
    Session,
    is_on_gpu,
    may_share_memory,
    select_several,
)
from ...device.scratch import ScratchDevice, Source, is_read_only_file, opened
from ...errors import InputError, Words
from ...kernels import source
from ...morse.field import (
    FAR,
    ScalarField,
    check_finite,
    checked_order,
    comparable,
    given_ranks,
    plateau_levels,
)
from ...primitives import compact
from .domain import Masks, checked_masks, types_in_domain, valid_vertices
from .grid import KEPT_BYTES, Grid, ImageOptions, checked_grid, n_tiles
from .slabs import SLAB_GRADIENT_BYTES, WORD_BYTES, require_a_slab, slab_axis

ROUNDS = 4  # passes over the tiles between two checks for changes
REMEDIES = "Set {nan='mask'} to exclude NaN values.", "Mask these points or replace their values."


@dataclass(frozen=True)
class ImageField(ScalarField):
    """The scalar field of an image, x fastest."""

    grid: Grid = field(kw_only=True)
    types: Array = field(kw_only=True)
    """Cells of the domain by their anchors: :func:`.domain.types_in_domain`."""

    @property
    def domain_types(self) -> tuple[Array, int]:
        """Arguments of kernels: the types and their number."""
        return self.types, self.types.size

    @property
    def used_vertices(self) -> Array | None:
        """Vertices (u,) int64 of the domain; None for all."""
        return compact(self.types & 1) if self.types.size else None


def open_image(
    values: Any, options: ImageOptions, order: Any, bytes_per_voxel: float
) -> tuple[Session, Array, Grid, Masks, Any]:
    """Check all arguments except the values, which take `bytes_per_voxel` of additional memory.

    The last item returned is the order: "index", "plateau", or an array of integers.
    """
    if is_labeled(values):
        options = with_axes_of(values, options)
    if options.mask is None and np.ma.is_masked(values):
        options = options._replace(mask=~np.ma.getmaskarray(values))
        values = values.data
    given = opened(values, "values", options.scratch)
    grid = checked_grid(given.shape, options, may_be_large=True)
    order = checked_order(order, given.shape)
    peak, kept = order_bytes(order, given.dtype)
    masks = checked_masks(options, given.shape, grid)
    if is_one_of(order, ("plateau",)):
        grid.check_in_one_piece("The plateau-aware order")
    bytes_per_voxel = max(peak, kept + bytes_per_voxel) + masks.bytes_per_voxel
    session, devices = session_of(given, options)
    is_there = is_usable_on(session.device, given)
    itemsize = 4 if given.dtype == np.float16 else min(given.dtype.itemsize, 8)
    needed = math.ceil((itemsize * (not is_there) + bytes_per_voxel) * grid.n_vertices)
    stored = math.ceil(KEPT_BYTES * grid.n_vertices) if grid.is_large else needed
    fits = not session.memory.overflows(stored) and not isinstance(session.device, ScratchDevice)
    if session.pieces is None and (devices or grid.is_large):
        n_layers, n_bytes = grid.dimensions[slab_axis(grid)], WORD_BYTES * grid.n_vertices
        fits &= all(device.is_cuda for device in (session.device, *devices))
        fits &= not grid.is_large or is_read_in_slabs(grid, given, masks, order)
        fits &= not any(session.on(d).memory.overflows(n_bytes // len(devices)) for d in devices)
        if fits and len(devices) <= n_layers:
            session.stream_in_place(devices)
    if session.pieces is None and (not fits or devices):
        session.stream_from_host(devices=devices)
    if session.pieces is not None:
        slab_bytes = itemsize + SLAB_GRADIENT_BYTES
        require_a_slab(session, grid, slab_bytes, f"an image of {given.shape}")
    if session.pieces is None or session.divides:
        session.memory.held = stored
    return session, given, grid, masks, order


def session_of(given: Array, options: ImageOptions) -> tuple[Session, tuple[Device, ...]]:
    """Return a session on the chosen device or the first one, and the devices if there are several.

    Raises InputError.
    """
    device, several = options.device, tuple[Device, ...]()
    if options.devices is not None:
        if device is not None:
            raise InputError("device", "omitted if {devices} is set", device)
        several = select_several(options.devices, options.threads)
        are_gpus = all(one.is_cuda for one in several)
        device = several[0].name if len(several) == 1 or are_gpus else "cpu"
    session = Session(given, device, options.threads, options.memory_limit, options.scratch)
    if is_one_of(options.devices, ("all",)):
        session.result.on_host = not is_on_gpu(given)
    return session, several if len(several) > 1 else ()


def with_axes_of(values: Any, options: ImageOptions) -> ImageOptions:
    """Return the options with the place that the coordinates give, unless one is specified.

    The array keeps its axes; directions tell which of them is x. Raises InputError.
    """
    usual = ImageOptions()
    if not 1 <= len(values.dims) <= 3 or options[:3] != usual[:3]:
        return options
    axes = spatial_axes(values.dims)[::-1]  # x of the image is the last axis of the array
    axes += [axis for axis in range(3) if axis not in axes]
    spacing, origin, direction = [1.0] * 3, [0.0] * 3, np.zeros((3, 3))
    direction[axes, range(3)] = 1.0
    names = [*values.dims][::-1]
    for i, numbers in enumerate(coordinates_of(values)[::-1]):
        if numbers is None:
            continue
        place = begin_and_step(numbers)
        if place is None:
            steps = abs(np.diff(numbers))
            raise InputError(
                "values",
                f"evenly spaced along {names[i]}",
                Words(f"steps from {steps.min():g} to {steps.max():g}"),
                f"Interpolate them, as with values.interp({names[i]}=...).",
            )
        origin[axes[i]], step = place
        spacing[i] = abs(step)
        direction[:, i] *= np.sign(step)
    place3 = None if np.array_equal(direction, np.eye(3)) else direction
    return options._replace(spacing=tuple(spacing), origin=tuple(origin), direction=place3)


def is_read_in_slabs(grid: Grid, given: Array, masks: Masks, order: Any) -> bool:
    """Return whether values are not stored, because large images seldom need them again."""
    is_plain = is_one_of(order, ("index",)) and not masks.bytes_per_voxel
    return grid.is_large and is_plain and np.dtype(given.dtype).itemsize <= 8


def is_usable_on(device: Device, given: Array) -> bool:
    """Return whether kernels of the device can read the caller's array without a copy."""
    return (
        is_on_gpu(given)
        and device.name == f"cuda:{given.device.id}"
        and given.dtype.name in source.VALUE_TYPES
        and bool(given.flags.c_contiguous)
    )


def order_bytes(order: Any, dtype: Any) -> tuple[int, int]:
    """Return bytes per voxel, without the values: while the order is computed, and later."""
    if is_one_of(order, ("index",)):
        return 0, 0
    if not is_one_of(order, ("plateau",)):
        return 48, 4  # given order, ranks, points, and keys three times
    itemsize = np.dtype(dtype).itemsize
    if itemsize <= 2 and np.dtype(dtype).kind != "f":
        return 10, 4  # sides, and two distances, one of which becomes the levels
    return (18, 8) if itemsize <= 4 else (48, 8)  # ranking longer values may require a sort


def load_field(
    session: Session,
    given: Array,
    grid: Grid,
    masks: Masks,
    order: Any,
    *,
    may_be_empty: bool = False,
) -> ImageField:
    """Upload the values and order them. Raises InputError if one is not finite."""
    with session.stage("upload") as reading:
        is_source = isinstance(given, Source)
        if is_source:
            given = given.read(session.host, reading)
        valid = valid_vertices(session, given, masks)
        field = uploaded_field(session, given, grid, masks, valid, may_be_empty=may_be_empty)
    if is_source or is_read_only_file(given):
        field = replace(field, is_shared=False)
    values = field.values
    if is_one_of(order, ("index",)):
        return field
    with session.stage("order") as done:
        if is_one_of(order, ("plateau",)):
            return refine_plateaus(session, field, done)
        ranks = given_ranks(session, order, values, valid).astype(grid.vertex_type)
        return replace(field, values=ranks, plain_values=values)


def uploaded_field(
    session: Session,
    given: Array,
    grid: Grid,
    masks: Masks,
    valid: Array | None = None,
    *,
    may_be_empty: bool = False,
) -> ImageField:
    """Upload values, which are ordered by index. Raises InputError if a valid one is not finite."""
    native, levels = comparable(given, REMEDIES, valid)
    values = session.upload(native).reshape(-1)
    if values.dtype.kind == "f":
        check_finite(session, values, given.shape, REMEDIES, valid)
    types = types_in_domain(session, grid, valid, masks, may_be_empty)
    dtype = np.dtype(given.dtype).newbyteorder("=")
    is_shared = may_share_memory(values, given)
    return ImageField(values, given.shape, dtype, levels, is_shared, grid=grid, types=types)


def refine_plateaus(
    session: Session, field: ImageField, done: Callable[[float], None]
) -> ImageField:
    """Return the field with levels of the plateau-aware order, or unchanged if all are equal."""
    device, n = session.device, field.grid.n_vertices
    sides, has_plateaus = device.empty(n, np.uint8), device.zeros(1, np.uint8)
    model = (field.grid.extents, field.values, *field.domain_types)
    session.launch("describe_sides", n, *model, sides, has_plateaus)
    if not int(has_plateaus[0]):
        return field
    done(0.1)
    low, high = distances(session, field, sides, done)
    del sides
    levels = plateau_levels(session, field.values, low, high)
    return field if levels is None else replace(field, values=levels, plain_values=field.values)


def distances(
    session: Session, field: ImageField, sides: Array, done: Callable[[float], None]
) -> tuple[Array, Array]:
    """Return `low` and `high` (n,) int32 of vertices, from their sides (n,) uint8 (plateau.h)."""
    device, grid, n = session.device, field.grid, field.grid.n_vertices
    low, high = device.empty(n, np.int32), device.empty(n, np.int32)
    every_tile = device.xp.ones(math.prod(n_tiles(grid, "PLATEAU")), np.uint8)
    session.launch("start_distances", n, sides, source.constant("HAS_LOWER"), low)
    _relax(session, field, sides, 1, low, every_tile.copy())
    done(0.4)
    labels, has_flats = high, device.zeros(1, np.uint8)  # reuse memory that is not needed yet
    session.launch("start_labels", n, low, labels, has_flats)
    if int(has_flats[0]):
        _relax(session, field, sides, 0, labels, every_tile.copy())
        dirty = device.xp.zeros_like(every_tile)
        session.launch("start_flat_minima", n, grid.extents, sides, labels, low, dirty)
        _relax(session, field, sides, 1, low, dirty)
    done(0.7)
    session.launch("start_distances", n, sides, source.constant("HAS_HIGHER"), high)
    _relax(session, field, sides, 1, high, every_tile)
    high[high == FAR] = 0
    done(0.95)
    return low, high


def _relax(
    session: Session, field: ImageField, sides: Array, step: int, reach: Array, dirty: Array
) -> None:
    """Relax `reach` over equal neighbors, adding `step` per step, until no tile is dirty."""
    device, extents = session.device, field.grid.extents
    changed, other = device.zeros(1, np.uint8), device.xp.zeros_like(dirty)
    while True:
        changed[:] = 0
        for k in range(ROUNDS):
            if isinstance(device, CudaDevice):
                tiles = (reach, dirty, other)
                device.launch_blocks(
                    "relax_tiles", dirty.size, extents, sides, step, *tiles, changed
                )
                dirty, other = other, dirty
            else:
                last = (dirty.size - 1) * (k % 2)
                session.launch(
                    "relax_tiles", dirty.size, extents, sides, step, reach, dirty, last, changed
                )
        if not int(changed[0]):
            return
