"""The gradient of an image that does not fit on the device: paired in slabs, stored on the host.

While a slab is uploaded, another one is paired; critical cells are joined in order of layers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...device import Array, Lane, Session, is_on_gpu, to_host
from ...morse.critical import Counts
from ...pieces.exchange import Exchange
from ...pieces.turns import run_pieces
from .field import ImageField, is_usable_on
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
    require_a_slab,
)

Listed = tuple[Counts, tuple[np.ndarray, ...]]
"""Counts by index, and (cells, owners, values, levels) on the host, for a run of layers."""


@dataclass
class _Paired:
    """A slab on the device: its field with the halo, and the words of its own layers."""

    slab: Slab
    field: ImageField
    words: Array


def gradient_in_slabs(
    session: Session, given: Array, field: ImageField
) -> tuple[np.ndarray, CriticalList]:
    """Return the words, which store highest top cells, and the critical cells, on the host."""
    assert session.pieces is not None
    grid = field.grid
    there = session.on(session.pieces.device)
    is_there = field.plain_values is None and is_usable_on(there.device, given)
    source = given.reshape(-1) if is_there else field.values
    n = grid.n_vertices
    words = session.host_empty(n, np.uint32, f"the gradient of an image of {given.shape}")
    bytes_per_voxel = field.values.dtype.itemsize + SLAB_GRADIENT_BYTES
    require_a_slab(session, grid, bytes_per_voxel, f"an image of {given.shape}")
    fitting = fit_slabs(session, grid, bytes_per_voxel)
    assert fitting is not None
    slabs, n_lanes = fitting

    def program(exchange: Exchange, there: Session) -> list[Listed]:
        slab = slabs[exchange.rank]
        paired = _pair_slab(there, field, source, slab, words)
        return _list_layers(there, field, paired, slab.begin, slab.end)

    with session.stage("gradient"):
        lists = run_pieces(session, len(slabs), n_lanes, program, span=(0.0, 0.99))
    with session.stage("critical cells"):
        return words, joined_lists([one for found in lists for one in found])


def _pair_slab(
    there: Session, field: ImageField, source: Array, slab: Slab, words: np.ndarray
) -> _Paired:
    lane = Lane(there.device, apart=False)
    values = slab.read_ascending(source)
    values = there.upload(values) if is_on_gpu(values) else lane.upload(values)
    grid, _ = slab.ascending
    types = there.device.empty(0, np.uint8)
    if field.types.size:
        types = lane.upload(slab.read_ascending(field.types))
    held = replace(field, grid=grid, values=values, plain_values=None, is_shared=False, types=types)
    found = pair_lower_stars(there, held, lambda part: None)
    mark_top_cells(there.device.launch, held, found)
    begin = slab.n_before * slab.layer
    own = found[begin : begin + (slab.end - slab.begin) * slab.layer]
    lane.download(own, words[slab.own])
    return _Paired(slab, held, own)


def _list_layers(
    there: Session, whole: ImageField, paired: _Paired, begin: int, end: int
) -> list[Listed]:
    """List critical cells of the layers, which are halved until there is room."""
    slab, layer, step = paired.slab, paired.slab.layer, doubled_layer(whole.grid)
    grid = layers_of(whole.grid, end - begin)
    words = paired.words[(begin - slab.begin) * layer : (end - slab.begin) * layer]
    counted = count_critical_cells(there, grid, words)
    room = SLAB_CRITICAL_BYTES * slab.grid.n_vertices
    if CRITICAL_BYTES * counted[1][-1] > room and end - begin > 1:
        del counted
        middle = (begin + end) // 2
        return [
            *_list_layers(there, whole, paired, begin, middle),
            *_list_layers(there, whole, paired, middle, end),
        ]
    cells, counts = list_critical_cells(there, grid, words, counted)
    n_shifted = slab.begin - slab.n_before
    cells += (begin - n_shifted) * step
    vertices, values, levels = owners_of(there, paired.field, cells)
    cells += n_shifted * step
    vertices = slab.in_image(vertices)
    if not whole.grid.is_large:
        vertices = vertices.astype(np.int32)
    columns = [to_host(column) for column in (cells, vertices, values, levels)]
    if whole.plain_values is not None:  # the slab holds only levels of another order
        columns[2] = whole.values_at(columns[1])
    return [(counts, tuple(columns))]


def joined_lists(lists: list[Listed]) -> CriticalList:
    """Merge lists, each sorted by index, into one sorted by (index, run of layers)."""
    ends = [np.cumsum((0, *counts)) for counts, _ in lists]
    columns = [
        np.concatenate(
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
