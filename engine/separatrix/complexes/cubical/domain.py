"""The domain of a masked image: the subcomplex of the cells that are not excluded.

A cell is in the domain if all its vertices are valid and not all top cells around it are hidden.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...device import Array, Session, array_module, as_array
from ...errors import InputError, Words
from ...options import MorseSmaleOptions, checked
from ...primitives import total
from .grid import Grid, ImageOptions


class Masks(NamedTuple):
    """Excluded parts of the domain: vertices, top cells (by their anchors), and NaN."""

    vertices: Array | None  # (n,) bool, True if valid
    top_cells: Array | None  # (n,) bool, True if shown
    drops_nan: bool

    @property
    def bytes_per_voxel(self) -> int:
        """Memory for the description of the domain: two flags, the types, and flags of NaN."""
        return 4 * (self.drops_nan or self.vertices is not None or self.top_cells is not None)


def checked_masks(options: ImageOptions, shape: tuple[int, ...], grid: Grid) -> Masks:
    """Return the masks of an image of this shape. Raises InputError."""
    vertices = top_cells = None
    if options.mask is not None:
        vertices = _flags(options.mask, "mask", shape, "{values}").reshape(-1)
    if options.cell_mask is not None:
        # Remove leading axes of length 1 that the values do not have.
        expected = grid.top_shape[3 - len(shape) :]
        shown = _flags(options.cell_mask, "cell_mask", expected, "the labels of top cells")
        top_cells = array_module(shown).zeros(shape, bool)
        top_cells[tuple(slice(n) for n in expected)] = shown
        top_cells = top_cells.reshape(-1)
    return Masks(vertices, top_cells, checked(MorseSmaleOptions, "nan", options.nan) == "mask")


def _flags(given: Any, name: str, shape: tuple[int, ...], of: str) -> Array:
    flags = as_array(given, name)
    if flags.dtype != bool or flags.shape != shape:
        got = Words(f"dtype {flags.dtype}, shape {flags.shape}")
        raise InputError(name, f"an array of bool of shape {shape}, that of {of}", got)
    return flags


def valid_vertices(session: Session, given: Array, masks: Masks) -> Array | None:
    """Return which vertices are valid, (n,) bool on the device; None for all."""
    valid = None if masks.vertices is None else session.upload(masks.vertices)
    if masks.drops_nan and given.dtype.kind == "f":
        is_number = session.upload(~array_module(given).isnan(given).reshape(-1))
        valid = is_number if valid is None else valid & is_number
    return None if valid is None or total(session.device, valid) == valid.size else valid


def empty_domain() -> InputError:
    """Return the error about a domain without vertices."""
    return InputError(
        message="All points of the image are masked, hidden, or NaN.",
        remedy="Keep at least one point in the domain.",
    )


def types_in_domain(
    session: Session, grid: Grid, valid: Array | None, masks: Masks, may_be_empty: bool
) -> Array:
    """Return the types (n,) uint8 of kernels/cubical/domain.h; (0,) if nothing is excluded.

    Raises InputError if the domain is empty, unless it is a part of one.
    """
    device, n, hides = session.device, grid.n_vertices, masks.top_cells is not None
    if valid is None and not hides:
        return device.empty(0, np.uint8)
    valid = device.xp.ones(n, bool) if valid is None else valid
    shown = session.upload(masks.top_cells) if hides else valid
    types = device.empty(n, np.uint8)
    flags = (valid.view(np.uint8), shown.view(np.uint8), hides)
    session.launch("describe_domain", n, grid.extents, *flags, types)
    if not may_be_empty and not total(device, types):
        raise empty_domain()
    return types
