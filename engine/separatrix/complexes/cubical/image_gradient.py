"""The gradient of an image, computed from the caller's array, as a whole or in slabs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arguments import is_one_of
from ...device import Array, Progress, Session
from ...errors import DeviceMemoryError
from .domain import Masks
from .field import ImageField, is_read_in_slabs, load_field, open_image
from .gradient import CubicalGradient
from .grid import Grid, ImageOptions
from .lower_star import critical_cells, pair_lower_stars
from .periods import warn_of_repeats
from .slab_gradient import gradient_in_slabs
from .slabs import GRADIENT_BYTES, LISTED_BYTES, SEGMENTATION_BYTES

STAGES = {"upload": 0.02, "gradient": 0.9, "critical cells": 0.08}  # with shares of the time
ORDER_STAGES = {"upload": 0.02, "order": 0.5, "gradient": 0.9, "critical cells": 0.08}


def image_gradient(
    values: Any, options: ImageOptions, order: Any, for_complex: bool, progress: Progress | None
) -> CubicalGradient:
    """Return the gradient of an image; `for_complex` stores values and reserves room for labels."""
    needed = GRADIENT_BYTES + SEGMENTATION_BYTES * for_complex
    session, given, grid, masks, order = open_image(values, options, order, needed)
    warn_of_repeats(given, grid, options.periodic)
    is_by_index = is_one_of(order, ("index",))
    with session.call(progress, STAGES if is_by_index else ORDER_STAGES):
        gradient = _computed(session, given, grid, masks, order)
    if not for_complex:
        field = gradient.field
        if session.pieces is None and not field.is_shared:
            session.memory.held -= field.values.nbytes
        gradient.drop_values()
    return gradient


def _computed(
    session: Session, given: Array, grid: Grid, masks: Masks, order: Any
) -> CubicalGradient:
    """Compute the gradient as a whole, or in slabs if it does not fit on the device."""
    if session.pieces is None or session.divides:
        devices = session.pieces.devices if session.pieces else ()
        try:
            with session.device.current():  # translate CUDA errors to Separatrix errors
                if devices:
                    return _computed_in_slabs(session, given, grid, masks, order)
                field = load_field(session, given, grid, masks, order)
                with session.stage("gradient") as done:
                    words = pair_lower_stars(session, field, done)
                with session.stage("critical cells"):
                    critical = critical_cells(session, field, words)
                session.memory.held += critical.n_bytes
                return CubicalGradient(session, field, words, critical)
        except DeviceMemoryError:
            if not session.device.is_cuda:
                raise
        # As in open_image, for images with many critical cells.
        session.stream_from_host(devices=devices)
    return _computed_in_slabs(session, given, grid, masks, order)


def _computed_in_slabs(
    session: Session, given: Array, grid: Grid, masks: Masks, order: Any
) -> CubicalGradient:
    if is_read_in_slabs(grid, given, masks, order):
        dtype = np.dtype(given.dtype).newbyteorder("=")
        types = session.device.empty(0, np.uint8)
        field = ImageField(None, given.shape, dtype, None, False, grid=grid, types=types)
    else:
        field = load_field(session, given, grid, masks, order)
    words, critical = gradient_in_slabs(session, given, field)
    session.hold(
        LISTED_BYTES * critical.ids.size, f"a list of {critical.ids.size:,} critical cells"
    )
    gradient = CubicalGradient(session, field, words, critical, top_cells_are_marked=True)
    if field.values is None:
        gradient.given = given
    return gradient
