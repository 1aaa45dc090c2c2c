"""The gradient of an image that does not fit on the device: paired in slabs, kept on the host.

1. Each slab's values go up, its lower stars are paired, its words come down; the highest top cells
   of the vertices are noted in them at once, while the values are there.
2. While the next slab is on its way, the critical cells of the one before are listed, with their
   owners. Layers ascend, so the lists of one index are those of the slabs, one after the other.

The words of a slab's own layers are those of the whole image; see slabs.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...device import Session, to_host
from ...device.base import Array
from ...device.lanes import Lane
from ...morse.critical import Counts
from ...morse.pieces import lanes_of
from .critical import count_critical_cells, list_critical_cells, own_critical_cells
from .field import ImageField, is_usable_on
from .lower_star import pair_lower_stars
from .memory import CRITICAL_BYTES, SLAB_CRITICAL_BYTES, SLAB_GRADIENT_BYTES
from .slabs import Slab, doubled_layer, fit_slabs, in_turn, layers_of, require_a_slab


@dataclass
class _Paired:
    """A slab on the device: its field with the halo, and the words of its own layers."""

    slab: Slab
    lane: Lane
    field: ImageField
    words: Array


def slab_bytes(itemsize: int) -> int:
    """Bytes a voxel of a slab that pairing takes, values of this size included."""
    return itemsize + SLAB_GRADIENT_BYTES


def gradient_in_slabs(
    session: Session, given: Array, field: ImageField
) -> tuple[ImageField, Array, Array, Counts, tuple[Array, Array], Array]:
    """What a DiscreteGradient is made of, its words to its owners' levels, all on the host.

    The words hold the vertices' highest top cells too.
    """
    assert session.pieces is not None
    grid = field.grid
    there = session.on(session.pieces.device)
    is_there = field.plain_values is None and is_usable_on(there.device, given)
    source = given.reshape(-1) if is_there else field.values
    n = grid.n_vertices
    words = session.host_empty(n, np.uint32, f"the gradient of an image of {given.shape}")
    bytes_a_voxel = slab_bytes(field.values.dtype.itemsize)
    lists: list[tuple[Counts, tuple[np.ndarray, ...]]] = []
    require_a_slab(session, grid, bytes_a_voxel, f"an image of {given.shape}")
    fitting = fit_slabs(session, grid, bytes_a_voxel)
    assert fitting is not None
    slabs, n_lanes = fitting
    with session.stage("gradient") as done, lanes_of(session, n_lanes) as lanes:
        waiting: list[_Paired] = []
        for i, slab, lane in in_turn(slabs, lanes):
            with lane:
                waiting.append(_pair_slab(there, field, source, slab, lane, words))
            if len(waiting) == n_lanes:
                lists += _list_slab(there, field, waiting.pop(0))
            done((i + 1) / (len(slabs) + 1))
        while waiting:
            lists += _list_slab(there, field, waiting.pop(0))
    with session.stage("critical cells"):
        cells, vertices, values, levels = _joined(
            [columns for _, columns in lists], [c for c, _ in lists]
        )
        c0, c1, c2, c3 = (sum(counts[index] for counts, _ in lists) for index in range(4))
    return field, words, cells, (c0, c1, c2, c3), (vertices, values), levels


def _pair_slab(
    there: Session, field: ImageField, source: Array, slab: Slab, lane: Lane, words: np.ndarray
) -> _Paired:
    values = lane.upload(source[slab.read])
    held = replace(field, grid=slab.grid, values=values, plain_values=None, is_shared=False)
    found = pair_lower_stars(there, held, lambda part: None)
    n = slab.grid.n_vertices
    there.device.launch("mark_top_cells", n, slab.grid.extents, values, found)
    if any(slab.grid.periodic):
        n_wrapped = slab.grid.n_wrapped_stars
        there.device.launch("mark_wrapped_top_cells", n_wrapped, slab.grid.extents, values, found)
    own = found[slab.inner]
    lane.download(own, words[slab.own])
    return _Paired(slab, lane, held, own)


def _list_slab(
    there: Session, whole: ImageField, paired: _Paired
) -> list[tuple[Counts, tuple[np.ndarray, ...]]]:
    """Counts by index and (cells, owners, values, levels), on the host, by runs of layers."""
    with paired.lane:
        return _list_layers(there, whole, paired, paired.slab.begin, paired.slab.end)


def _list_layers(
    there: Session, whole: ImageField, paired: _Paired, begin: int, end: int
) -> list[tuple[Counts, tuple[np.ndarray, ...]]]:
    """Layers are halved while their critical cells are more than there is room for."""
    slab, layer, step = paired.slab, paired.slab.layer, doubled_layer(whole.grid)
    grid = layers_of(whole.grid, end - begin)
    words = paired.words[(begin - slab.begin) * layer : (end - slab.begin) * layer]
    counted = count_critical_cells(there, grid, words)
    room = SLAB_CRITICAL_BYTES * slab.grid.n_vertices
    if CRITICAL_BYTES * counted.n_cells > room and end - begin > 1:
        del counted
        middle = (begin + end) // 2
        return [
            *_list_layers(there, whole, paired, begin, middle),
            *_list_layers(there, whole, paired, middle, end),
        ]
    cells, counts = list_critical_cells(there, grid, words, counted)
    cells += (begin - slab.first) * step
    (vertices, values), levels = own_critical_cells(there, paired.field, cells)
    cells += slab.first * step
    vertices += slab.first * layer
    columns = [to_host(column) for column in (cells, vertices, values, levels)]
    if whole.plain_values is not None:  # the slab holds levels of another order alone
        columns[2] = whole.values_at(columns[1])
    return [(counts, tuple(columns))]


def _joined(lists: list[tuple[np.ndarray, ...]], counts: list[Counts]) -> list[np.ndarray]:
    """Columns sorted by (index, list) of columns sorted by index, one a list."""
    ends = [np.cumsum((0, *found)) for found in counts]
    return [
        np.concatenate(
            [
                columns[k][end[index] : end[index + 1]]
                for index in range(4)
                for columns, end in zip(lists, ends, strict=True)
            ]
        )
        for k in range(len(lists[0]))
    ]
