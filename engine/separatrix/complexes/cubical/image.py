"""The discrete gradient of an image, from the caller's array to its critical cells.

1. Values are checked and brought to the device; plateaus are put in order if asked for.
2. Every vertex's lower star is paired by itself.
3. The cells left unpaired, the critical ones, are listed by (index, id).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...device import Session
from ...device.base import Array
from ...device.session import Progress
from ...errors import DeviceMemoryError
from .critical import count_critical_cells, list_critical_cells, own_critical_cells
from .field import ImageField, load_field, open_image
from .gradient import CubicalGradient
from .grid import NOT_PERIODIC, Grid
from .lower_star import pair_lower_stars
from .memory import CRITICAL_BYTES, GRADIENT_BYTES, SEGMENTATION_BYTES
from .plateaus import refine_plateaus
from .slab_gradient import gradient_in_slabs

STAGES = {"upload": 0.02, "gradient": 0.9, "critical cells": 0.08}  # with shares of the time
PLATEAU_STAGES = {"upload": 0.02, "order": 0.5, "gradient": 0.9, "critical cells": 0.08}


def image_gradient(
    values: Any,
    progress: Progress | None = None,
    *,
    for_complex: bool = False,
    spacing: Sequence[float] = (1.0, 1.0, 1.0),
    origin: Sequence[float] = (0.0, 0.0, 0.0),
    direction: Any = None,
    order: str = "index",
    periodic: Sequence[bool] = NOT_PERIODIC,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
) -> CubicalGradient:
    """The gradient of an image; `for_complex`: with its values, and room for labels."""
    needed = GRADIENT_BYTES + SEGMENTATION_BYTES * for_complex
    session, given, grid = open_image(
        values, spacing, origin, direction, device, threads, memory_limit, needed, periodic, order
    )
    gradient = compute_gradient(session, given, grid, progress, order)
    if not for_complex:
        gradient.drop_values()
    return gradient


def compute_gradient(
    session: Session, given: Array, grid: Grid, progress: Progress | None, order: str = "index"
) -> CubicalGradient:
    """The gradient of an opened image. Its field still holds the values, or has used them."""
    refines = order == "plateau"
    with session.call(progress, PLATEAU_STAGES if refines else STAGES):
        if session.pieces is None:
            try:
                return _gradient_in_one_piece(session, given, grid, refines)
            except DeviceMemoryError:
                if not session.device.is_cuda:
                    raise
                session.stream_from_host()  # as in open_image, for images of many critical cells
        field = ordered_field(session, given, grid, refines)
        parts = gradient_in_slabs(session, given, field)
        return CubicalGradient(session, *parts, top_cells_are_marked=True)


def ordered_field(session: Session, given: Array, grid: Grid, refines: bool) -> ImageField:
    """The values on the device, with their plateaus in order if they are to be refined."""
    field = load_field(session, given, grid)
    if refines:
        with session.stage("order") as done:
            field = refine_plateaus(session, field, done)
    return field


def _gradient_in_one_piece(
    session: Session, given: Array, grid: Grid, refines: bool
) -> CubicalGradient:
    with session.device.current():  # its errors are ours before they leave
        field = ordered_field(session, given, grid, refines)
        with session.stage("gradient") as done:
            words = pair_lower_stars(session, field, done)
        with session.stage("critical cells"):
            counted = count_critical_cells(session, grid, words)
            n_bytes = CRITICAL_BYTES * counted.n_cells
            session.memory.require(n_bytes, f"listing {counted.n_cells:,} critical cells")
            cells, counts = list_critical_cells(session, grid, words, counted)
            owners, owner_levels = own_critical_cells(session, field, cells)
        return CubicalGradient(session, field, words, cells, counts, owners, owner_levels)
