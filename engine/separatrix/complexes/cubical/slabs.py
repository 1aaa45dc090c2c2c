"""Slabs of an image: runs of layers along its slowest axis, and the device memory that they need.

A slab reads one layer before and two after its own, so its words equal those of the whole image,
including ties, because indices ascend in the same order. Bytes are per voxel, without its value,
and sum all arrays that exist at the same time, including buffers of CUB's sorts and scans.

If the image is periodic across its layers, the first and the last slab also read layers from its
other end. Forests place them next to the slab's own. To break ties correctly, the gradient keeps
all layers in ascending order, on a periodic grid; only layers outside the slab then have wrong
neighbors.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from traceback import clear_frames
from typing import TypeVar

import numpy as np

from ...device import Array, Session
from ...errors import DeviceMemoryError
from ...morse.streaming import SLACK_BYTES, fit_runs, runs, streaming_room
from .grid import Grid

Result = TypeVar("Result")
LAYERS_BEFORE, LAYERS_AFTER = 1, 2
HALO_LAYERS = LAYERS_BEFORE + LAYERS_AFTER
THIN_LAYERS = 16  # in thinner slabs much of the work would be in the halo

WORD_BYTES = 4
# === the image in one piece
GRADIENT_BYTES = 5.5
"""The word, 4, and counts of critical cells per run of 64 with their sums, 1.25."""

SEGMENTATION_BYTES = 12
"""Three labels, or two and a forest."""

CRITICAL_BYTES = 32
"""Per listed critical cell: id 8, owner 4, two values of 8 each, and the sort's 8 before."""


def slab_connector_bytes(session: Session, n_vertices: int, n_cells: int) -> float:
    """Return the bytes per voxel that connectors need in a slab of an image.

    On the CPU they depend on the number of critical cells: thin slabs would need more memory for
    V-paths that cross cuts.
    """
    assert session.pieces is not None
    if session.pieces.device.is_cuda:
        return SLAB_CONNECTOR_BYTES
    return min(10 + 150 * n_cells / n_vertices, SLAB_CONNECTOR_BYTES)


def connector_bytes(n_vertices: int, n_cells: int) -> int:
    """Return the bytes that connectors of an image with so many critical cells likely need.

    Squares on V-paths take most of them. Measured peaks on one H200 per voxel: 2.3 without noise;
    33.6 and 25.5 for 256^3 and 512^3 voxels of smooth data with 1% noise, 0.05 critical cells per
    voxel; 50.4 for noise, whose paths are short.
    """
    return min(4 * n_vertices + 600 * n_cells, 60 * n_vertices)


# === a lane of slabs; a voxel of all layers that a slab reads
SLAB_GRADIENT_BYTES = 18
"""Word 4, counts 1.25, room for listing critical cells 8, and gaps between allocations."""

SLAB_CRITICAL_BYTES = 8
"""If more cells are critical, they are listed in several steps of at least one layer."""

SLAB_FOREST_BYTES = 18
"""Word 4, forest 4, the vertices' labels 4, anchors of extrema at most 4, and gaps."""

SLAB_CONNECTOR_BYTES = 60
"""Words, marks, nodes, junctions, and connectors of smooth data with 1% noise."""

LISTED_BYTES = 28
"""Per critical cell that is stored: id 8, owner 4, two values of 8 each."""


@dataclass(frozen=True)
class Slab:
    """Layers `begin` to `end` of an image, read from `first` to `last`, of `layer` vertices each.

    `grid` is that of the layers read, and `inner` is the slice of the slab's own vertices among
    them. Across a period, `first` is negative, or `last` exceeds the number of layers.
    """

    grid: Grid
    begin: int
    end: int
    first: int
    last: int
    layer: int
    n_layers: int  # of the image

    @property
    def ascending(self) -> tuple[Grid, list[tuple[int, int]]]:
        """The distinct layers read: their grid, periodic if they wrap, and their ascending runs."""
        n = self.n_layers
        if self.first >= 0 and self.last <= n:
            return self.grid, [(self.first, self.last)]
        if self.last - self.first >= n:
            runs = [(0, n)]
        elif self.first < 0:
            runs = [(0, self.last), (self.first + n, n)]
        else:
            runs = [(0, self.last - n), (self.first, n)]
        grid = layers_of(self.grid, sum(end - begin for begin, end in runs))
        px, py, pz = (
            wraps or axis == slab_axis(grid) for axis, wraps in enumerate(self.grid.periodic)
        )
        return replace(grid, periodic=(px, py, pz)), runs

    @property
    def n_before(self) -> int:
        """The number of `ascending` layers before the slab's own."""
        return sum(
            min(end, self.begin) - begin for begin, end in self.ascending[1] if begin <= self.begin
        )

    def in_image(self, vertices: Array) -> Array:
        """Return vertices (k,) int64 of the image from those of the `ascending` layers."""
        (first, end), *others = self.ascending[1]
        found = vertices.astype(np.int64) + first * self.layer
        for other, _ in others:
            found[found >= end * self.layer] += (other - end) * self.layer
        return found

    @property
    def own(self) -> slice:
        return slice(self.begin * self.layer, self.end * self.layer)

    @property
    def inner(self) -> slice:
        return self.layers(self.begin, self.end)

    def layers(self, begin: int, end: int) -> slice:
        """Return the slice of some layers of the image among the vertices read."""
        return slice((begin - self.first) * self.layer, (end - self.first) * self.layer)


def slab_axis(grid: Grid) -> int:
    """Return the axis perpendicular to the layers: the slowest one that is longer than 1."""
    return max((axis for axis, n in enumerate(grid.dimensions) if n > 1), default=0)


def layers_of(grid: Grid, n_layers: int) -> Grid:
    """Return the grid of a number of layers of an image."""
    across = slab_axis(grid)
    nx, ny, nz = (n_layers if axis == across else n for axis, n in enumerate(grid.dimensions))
    return replace(grid, dimensions=(nx, ny, nz))


def doubled_layer(grid: Grid) -> int:
    """Return the difference of cell ids between consecutive layers of a slab."""
    along = list(zip(grid.dimensions, grid.periodic, strict=True))[: slab_axis(grid)]
    return 2 * math.prod(2 * n - 1 + wraps for n, wraps in along)


def layers_of_devices(session: Session, grid: Grid) -> list[tuple[int, int]]:
    """Return the layers of the words that each device stores: a single run unless several do."""
    assert session.pieces is not None
    n_devices = len(session.pieces.devices) if session.divides else 1
    return list(runs(grid.dimensions[slab_axis(grid)], n_devices))


def cut(session: Session, grid: Grid, number: int) -> list[Slab]:
    """Return at least a number of slabs, equally many for each device, or one per layer."""
    stored = layers_of_devices(session, grid)
    n_each = min(-(-number // len(stored)), *(end - begin for begin, end in stored))
    return [
        slab_of(grid, first + begin, first + end)
        for first, last in stored
        for begin, end in runs(last - first, n_each)
    ]


def slab_of(grid: Grid, begin: int, end: int) -> Slab:
    """Return the slab of some layers of an image, with its halo."""
    across = slab_axis(grid)
    n_layers = grid.dimensions[across]
    layer = grid.n_vertices // n_layers
    if end - begin == n_layers:
        return Slab(grid, begin, end, begin, end, layer, n_layers)
    first, last = begin - LAYERS_BEFORE, end + LAYERS_AFTER
    if not grid.periodic[across]:
        first, last = max(first, 0), min(last, n_layers)
    px, py, pz = (wraps and axis != across for axis, wraps in enumerate(grid.periodic))
    read = replace(layers_of(grid, last - first), periodic=(px, py, pz))
    return Slab(read, begin, end, first, last, layer, n_layers)


def fit_slabs(
    session: Session, grid: Grid, bytes_per_voxel: float, kept: int = 0
) -> tuple[list[Slab], int] | None:
    """Return slabs that fit on the streaming device and the number of lanes, or None.

    `kept` bytes remain for what all slabs give.
    """
    fitting = _fitting(session, grid, bytes_per_voxel, kept)
    return None if fitting is None else (cut(session, grid, fitting[0]), fitting[1])


def _fitting(
    session: Session, grid: Grid, bytes_per_voxel: float, kept: int
) -> tuple[int, int] | None:
    """Return the numbers of slabs and lanes of :func:`fit_slabs`, or None."""
    n_layers = grid.dimensions[slab_axis(grid)]
    bytes_per_layer = math.ceil(bytes_per_voxel * (grid.n_vertices // n_layers))
    fitting = fit_runs(session, n_layers, bytes_per_layer, HALO_LAYERS, THIN_LAYERS, kept)
    if fitting is None or not grid.is_large:
        return fitting
    most_layers = grid.most_layers(grid.n_vertices // n_layers)
    if most_layers <= HALO_LAYERS:
        return None
    number = max(fitting[0], -(-n_layers // (most_layers - HALO_LAYERS)))
    # The layers at all cuts are numbered in 32 bits, too.
    return (number, fitting[1]) if 2 * number <= most_layers else None


def run_slabs(
    session: Session, grid: Grid, slabs: list[Slab], run: Callable[[list[Slab]], Result]
) -> Result:
    """Return run(slabs). They are halved if their devices have less memory than expected."""
    while True:
        try:
            return run(slabs)
        except DeviceMemoryError as error:
            release_failed(error)
            thinner = cut(session, grid, 2 * len(slabs))
            is_of_device = error.needed is not None or error.free is not None
            if len(thinner) == len(slabs) or not is_of_device:
                raise
            slabs = thinner


def release_failed(error: BaseException) -> None:
    """Free the arrays of failed pieces, which the frames of their errors and of causes hold."""
    found: BaseException | None = error
    while found is not None:
        clear_frames(found.__traceback__)
        found = found.__cause__ or found.__context__
    gc.collect()  # errors of other threads are in cycles


def require_a_slab(
    session: Session, grid: Grid, bytes_per_voxel: float, what: str, kept: int = 0
) -> None:
    """Raise DeviceMemoryError if not even the thinnest slab of an image fits."""
    assert session.pieces is not None
    if _fitting(session, grid, bytes_per_voxel, kept) is not None:
        return
    n_layers = grid.dimensions[slab_axis(grid)]
    bytes_per_layer = math.ceil(bytes_per_voxel * (grid.n_vertices // n_layers))
    needed = bytes_per_layer * min(n_layers, 1 + HALO_LAYERS) + SLACK_BYTES + kept
    streamed = session.on(session.pieces.device)
    streamed.memory.require(needed, f"{what}, even in slabs of one layer,", limits_host=True)
    remedy = "{device='cpu'}" if streamed.device.is_cuda else "a higher {memory_limit}"
    raise DeviceMemoryError(
        f"{what} requires {needed:,} bytes on {streamed.device.name}, even in slabs of one layer; "
        f"{streaming_room(session):,} are available. Use a smaller image, or {remedy}."
    )
