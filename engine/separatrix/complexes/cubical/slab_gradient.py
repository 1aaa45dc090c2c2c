"""The gradient of an image that does not fit on the device: paired in slabs, stored on the host.

While a slab is uploaded, another one is paired; critical cells are joined in order of layers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...device import Array, Device, Lane, Session, is_on_gpu, to_host
from ...device.divided import DividedArray
from ...device.scratch import Source, runs_of_layers
from ...errors import InputError
from ...morse.critical import Counts
from ...pieces.exchange import Exchange
from ...pieces.layers import Layers, located
from ...pieces.turns import run_pieces
from .domain import Masks
from .field import ImageField, is_usable_on, uploaded_field
from .grid import Grid
from .lower_star import (
    CriticalList,
    count_critical_cells,
    list_critical_cells,
    mark_top_cells,
    owners_of,
    pair_lower_stars,
)
from .slabs import (
    CRITICAL_BYTES,
    SLAB_CRITICAL_BYTES,
    SLAB_GRADIENT_BYTES,
    Slab,
    doubled_layer,
    fit_slabs,
    layers_of,
    layers_of_devices,
    require_a_slab,
    run_slabs,
    slab_axis,
)

Listed = tuple[Counts, tuple[np.ndarray, ...]]
"""Counts by index, and (cells, owners, values, levels), for a run of layers."""


@dataclass
class _Paired:
    """A slab on the device: its field with the halo, and the words of its own layers."""

    slab: Slab
    field: ImageField
    words: Array


def gradient_in_slabs(
    session: Session, given: Array, field: ImageField
) -> tuple[Array | DividedArray, CriticalList]:
    """Return the words, which store highest top cells, and the critical cells."""
    assert session.pieces is not None
    grid = field.grid
    there = session.on(session.pieces.device)
    is_there = field.plain_values is None and is_usable_on(there.device, given)
    source = given.reshape(-1) if is_there else field.values
    words = _store_words(session, grid, given.shape)
    itemsize = 4 if field.dtype == np.float16 else min(field.dtype.itemsize, 8)
    bytes_per_voxel = itemsize + SLAB_GRADIENT_BYTES
    require_a_slab(session, grid, bytes_per_voxel, f"an image of {given.shape}")
    fitting = fit_slabs(session, grid, bytes_per_voxel)
    assert fitting is not None
    slabs, n_lanes = fitting

    def run(slabs: list[Slab]) -> list[list[Listed]]:
        def program(exchange: Exchange, there: Session) -> list[Listed]:
            slab = slabs[exchange.rank]
            if source is None:
                held = _read_slab(there, given, grid, slab)
            else:
                held = _part_of(there, field, source, slab)
            paired, stays = _pair_slab(there, held, slab, words), session.device.is_cuda
            return _list_layers(there, field, paired, slab.begin, slab.end, stays)

        return run_pieces(session, len(slabs), n_lanes, program, span=(0.0, 0.99))

    with session.stage("gradient"):
        lists = run_slabs(session, grid, slabs, run)
    with session.stage("critical cells"):
        critical = joined_lists(session.device, [one for found in lists for one in found])
        if field.plain_values is not None:  # slabs hold only levels of another order
            critical = replace(critical, values=field.values_at(critical.owners))
        return words, critical


def _store_words(session: Session, grid: Grid, shape: tuple[int, ...]) -> Array | DividedArray:
    """Allocate the words (n,) uint32, on several devices in the layers of each."""
    assert session.pieces is not None
    if not session.divides:
        return session.store_empty(grid.n_vertices, np.uint32, f"the gradient of {shape} voxels")
    layer, parts = grid.n_vertices // grid.dimensions[slab_axis(grid)], []
    stored = layers_of_devices(session, grid)
    for device, (begin, end) in zip(session.pieces.devices, stored, strict=True):
        with device.current():
            parts.append(device.empty((end - begin) * layer, np.uint32))
    return DividedArray(parts)


def _read_slab(there: Session, given: Array, grid: Grid, slab: Slab) -> ImageField:
    """Return the field of a slab whose values are read from the caller's array. InputError."""
    held, runs = slab.ascending
    before = next((axis for axis, n in enumerate(given.shape) if n > 1), 0)
    shape = held.dimensions[::-1][before - len(given.shape) :]
    dtype = np.dtype(given.dtype).newbyteorder("=")
    if len(runs) == 1 and is_usable_on(there.device, given):
        values = given.reshape(-1)[slice(*(end * slab.layer for end in runs[0]))].reshape(shape)
    else:
        values, filled = there.device.empty(held.n_vertices, dtype), 0
        every = given if isinstance(given, Source) else Source(given, given.dtype)
        parts = (part for run in runs for part in runs_of_layers(given.shape, dtype.itemsize, *run))
        for _, layers in every.runs(parts, there.device):
            target = values[filled : (filled := filled + layers.size)]
            if is_on_gpu(layers):
                target[...] = there.upload(layers).reshape(-1)
                continue
            there.device.copy_up(np.ascontiguousarray(layers, dtype).reshape(-1), target)
            there.device.synchronize()  # the caller may reuse its memory
        values = values.reshape(shape)
    try:
        return uploaded_field(there, values, held, Masks(None, None, False))
    except InputError as error:
        raise located(error, Layers(grid, slab, (), ())) from None


def _part_of(there: Session, field: ImageField, source: Array, slab: Slab) -> ImageField:
    """Return the field of a slab whose values are in memory."""
    lane = Lane(there.device, apart=False)
    (grid, runs), types = slab.ascending, there.device.empty(0, np.uint8)

    def layers(array: Array) -> Array:
        parts = [array[begin * slab.layer : end * slab.layer] for begin, end in runs]
        parts = [there.bring(part) if is_on_gpu(part) else lane.upload(part) for part in parts]
        return parts[0] if len(parts) == 1 else there.device.joined(parts)

    values = layers(source)
    if field.types.size:
        types = layers(field.types)
    return replace(field, grid=grid, values=values, plain_values=None, is_shared=False, types=types)


def _pair_slab(there: Session, held: ImageField, slab: Slab, words: Array) -> _Paired:
    found = pair_lower_stars(there, held, lambda part: None)
    mark_top_cells(there.device.launch, held, found)
    begin = slab.n_before * slab.layer
    own = found[begin : begin + (slab.end - slab.begin) * slab.layer]
    Lane(there.device, apart=False).download(own, words[slab.own])
    return _Paired(slab, held, own)


def _list_layers(
    there: Session, whole: ImageField, paired: _Paired, begin: int, end: int, stays: bool
) -> list[Listed]:
    """List critical cells of the layers, which are halved until there is room.

    If the list `stays`, it is on the device, otherwise on the host.
    """
    slab, layer, step = paired.slab, paired.slab.layer, doubled_layer(whole.grid)
    grid = layers_of(whole.grid, end - begin)
    words = paired.words[(begin - slab.begin) * layer : (end - slab.begin) * layer]
    counted = count_critical_cells(there, grid, words)
    room = SLAB_CRITICAL_BYTES * slab.grid.n_vertices
    if CRITICAL_BYTES * counted[1][-1] > room and end - begin > 1:
        del counted
        middle = (begin + end) // 2
        return [
            *_list_layers(there, whole, paired, begin, middle, stays),
            *_list_layers(there, whole, paired, middle, end, stays),
        ]
    cells, counts = list_critical_cells(there, grid, words, counted)
    n_shifted = slab.begin - slab.n_before
    cells += (begin - n_shifted) * step
    vertices, values, levels = owners_of(there, paired.field, cells)
    cells += n_shifted * step
    vertices = slab.in_image(vertices)
    if not whole.grid.is_large:
        vertices = vertices.astype(np.int32)
    columns = [cells, vertices, values, levels]
    columns = columns if stays else [to_host(column) for column in columns]
    return [(counts, tuple(columns))]


def joined_lists(device: Device, lists: list[Listed]) -> CriticalList:
    """Merge lists, each sorted by index, into one sorted by (index, run of layers)."""
    ends = [np.cumsum((0, *counts)) for counts, _ in lists]
    columns = [
        device.joined(
            [
                found[k][end[index] : end[index + 1]]
                for index in range(4)
                for (_, found), end in zip(lists, ends, strict=True)
            ]
        )
        for k in range(4)
    ]
    counts = tuple(sum(counts[index] for counts, _ in lists) for index in range(4))
    return CriticalList(counts, *columns)
