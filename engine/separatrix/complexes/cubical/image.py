"""The discrete gradient of an image, from the caller's array to its critical cells."""

from __future__ import annotations

from typing import Any

from ...device import Session
from ...device.base import Array
from ...device.session import Progress
from ...errors import DeviceMemoryError
from .critical import critical_cells
from .field import ImageField, load_field, open_image
from .gradient import CubicalGradient
from .grid import Grid, ImageOptions
from .lower_star import pair_lower_stars
from .plateaus import refine_plateaus
from .slab_gradient import gradient_in_slabs
from .slabs import GRADIENT_BYTES, SEGMENTATION_BYTES

STAGES = {"upload": 0.02, "gradient": 0.9, "critical cells": 0.08}  # with shares of the time
PLATEAU_STAGES = {"upload": 0.02, "order": 0.5, "gradient": 0.9, "critical cells": 0.08}


def image_gradient(
    values: Any, options: ImageOptions, order: str, for_complex: bool, progress: Progress | None
) -> CubicalGradient:
    """Return the gradient of an image; `for_complex`: with its values, and room for labels."""
    needed = GRADIENT_BYTES + SEGMENTATION_BYTES * for_complex
    session, given, grid = open_image(values, options, order, needed)
    refines = order == "plateau"
    with session.call(progress, PLATEAU_STAGES if refines else STAGES):
        gradient = _computed(session, given, grid, refines)
    if not for_complex:
        gradient.drop_values()
    return gradient


def _computed(session: Session, given: Array, grid: Grid, refines: bool) -> CubicalGradient:
    """The gradient in one piece, or in slabs if the device has no room."""
    if session.pieces is None:
        try:
            with session.device.current():  # translate CUDA errors to Separatrix errors
                field = _ordered_field(session, given, grid, refines)
                with session.stage("gradient") as done:
                    words = pair_lower_stars(session, field, done)
                with session.stage("critical cells"):
                    critical = critical_cells(session, field, words)
                return CubicalGradient(session, field, words, critical)
        except DeviceMemoryError:
            if not session.device.is_cuda:
                raise
        session.stream_from_host()  # as in open_image, for images with many critical cells
    field = _ordered_field(session, given, grid, refines)
    words, critical = gradient_in_slabs(session, given, field)
    return CubicalGradient(session, field, words, critical, top_cells_are_marked=True)


def _ordered_field(session: Session, given: Array, grid: Grid, refines: bool) -> ImageField:
    """The values on the device, with levels of the plateau order if it is used."""
    field = load_field(session, given, grid)
    if refines:
        with session.stage("order") as done:
            field = refine_plateaus(session, field, done)
    return field
