"""Bricks of voxels and points sorted by cell, for the kernels of kernels/sums/density.h."""

from __future__ import annotations

import math

import numpy as np

from ..device import Array, Session
from ..errors import InputError
from ..kernels import source
from ..primitives import compact
from ..spatial.uniform_grid import sorted_by
from .density_kernels import Sources
from .image_box import Box

MAX_CELLS = 1 << 28


def sorted_points(
    session: Session, sources: Sources, is_scaled: bool, box: Box, cutoff: float, real: np.dtype
) -> tuple[tuple[int, ...], Array, Array, Array]:
    """Return the brick grid, records of points by cell, first_of_cell (n_cells + 1,), and runs."""
    device, at = session.device, session.device.xp.ascontiguousarray(sources.at)
    cell = source.constant("CELL")
    brick = [source.constant(f"BRICK_{axis}") for axis in "XYZ"]
    bricks = [-(-n // size) for n, size in zip(box.dimensions, brick, strict=True)]
    reach = [int(min(cutoff / s / cell, MAX_CELLS)) + 2 for s in box.spacing]
    cells = [b * (n // cell) + 2 * r for b, n, r in zip(bricks, brick, reach, strict=True)]
    if math.prod(cells) > MAX_CELLS:
        raise InputError(
            f"The number of cells for a cutoff of {cutoff / min(box.spacing):g} voxels is "
            f"{math.prod(cells):,}; the maximum is {MAX_CELLS:,}. Increase {{spacing}}."
        )
    grid, (n, d) = (*box.dimensions, *bricks, *cells, *reach), at.shape
    origin, spacing = session.upload(np.array(box.origin)), session.upload(np.array(box.spacing))
    key, offset = device.empty(n, np.int64), device.empty((n, 3), np.float64)
    is_near = device.empty(n, np.uint8)
    model = (float(sources.unit), origin, spacing, grid)
    session.launch("key_in_bricks_of", n, at, d, *model, offset, key, is_near)
    kept = compact(is_near)  # others affect no voxel
    keys = device.empty(kept.size, np.int64)
    session.launch("kept_keys", kept.size, key, kept, keys)
    order, _, first_of_cell = sorted_by(session, keys, math.prod(cells), math.prod(cells))
    length = source.constant("SCALED_RECORD" if is_scaled else "RECORD")
    records = device.zeros((kept.size, length), real)
    scale = (session.upload(np.ones(1)), 0) if sources.scale is None else (sources.scale, 1)
    kernel = f"record_points_{np.dtype(real).name}"
    bits = records.view(np.uint32) if records.dtype == np.float32 else records
    given = (order, kept, offset, sources.weight, *scale, length)
    session.launch(kernel, kept.size, *given, bits)
    return grid, records, first_of_cell, session.upload(_runs(box, cutoff, reach, brick, cell))


def _runs(box: Box, cutoff: float, reach: list[int], brick: list[int], cell: int) -> np.ndarray:
    """Return the runs of cells near a brick (y, z, reach along x), ascending, (n_runs, 3) int32."""
    _, sy, sz = box.spacing  # points of a cell are at most half a voxel beyond its voxels
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
    """Return slightly less than the voxels between the n cells of a brick and a cell."""
    beyond = max(-place - 1, place - n)
    return 0.0 if beyond < 0 else beyond * cell + 0.499
