"""Labels of extrema of an image whose words are on the host: forests chased slab by slab.

1. Each slab is linked by itself. For the layers on both sides of every cut a table holds where
   their paths end in their own slab: an extremum, outside, or an entry across a cut.
2. The table is chased on the host.
3. Each slab is linked again, its extrema and the layers about it get their labels, and every slot
   is chased to its root.

O(n); the words go up twice, which a bus does in less time than a host would take to look labels up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...device import Session
from ...device.base import Array
from ...device.lanes import Lane
from ...kernels import source
from ...morse.pieces import lanes_of
from .forest import link_forest
from .grid import Grid
from .memory import SLAB_FOREST_BYTES
from .slabs import Slab, fit_slabs, in_turn


@dataclass(frozen=True)
class _Forest:
    """What all slabs share. `anchors` (k,) int32 of the extrema, ascending; label i is the i-th.

    `row_of` says which row of `table` (rows, vertices a layer) int32 is that of a layer.
    """

    session: Session
    grid: Grid
    words: np.ndarray
    cell_type: int
    anchors: np.ndarray
    row_of: dict[int, int]
    table: np.ndarray


def labels_in_slabs(
    session: Session,
    grid: Grid,
    words: np.ndarray,
    cell_type: int,
    anchors: np.ndarray,
    at_vertices: bool = False,
) -> np.ndarray | None:
    """Label (n,) int32 of the extremum that each vertex or top cell leads to, -1 out of the box.

    `at_vertices`: each vertex's from its highest top cell, which the words must hold. None where
    the streaming device has no room for a slab.
    """
    fitting = fit_slabs(session, grid, SLAB_FOREST_BYTES)
    if fitting is None:
        return None
    slabs, n_lanes = fitting
    n = grid.n_vertices
    cuts = {layer for slab in slabs[1:] for layer in (slab.begin - 1, slab.begin)}
    row_of = {layer: row for row, layer in enumerate(sorted(cuts))}
    session.memory.require_host(
        4 * len(cuts) * slabs[0].layer, "the table of layers about the cuts"
    )
    table = np.empty((len(cuts), slabs[0].layer), np.int32)
    labels = session.host_empty(n, np.int32, f"labels of {n:,} voxels")
    assert session.pieces is not None
    there = session.on(session.pieces.device)
    forest = _Forest(there, grid, words, cell_type, anchors, row_of, table)
    if len(slabs) > 1:
        with lanes_of(session, n_lanes) as lanes:
            for i, slab, lane in in_turn(slabs, lanes):
                with lane:
                    _join_slab(forest, slab, lane)
                session.progressed((i + 1) / len(slabs) * 0.4)
        session.launch("pointer_jump", table.size, table.reshape(-1))
    with lanes_of(session, n_lanes) as lanes:
        for i, slab, lane in in_turn(slabs, lanes):
            with lane:
                _label_slab(forest, slab, lane, at_vertices, labels)
            session.progressed(0.5 + (i + 1) / len(slabs) * 0.5)
    return labels


def _linked(forest: _Forest, slab: Slab, lane: Lane) -> tuple[Array, Array]:
    """The slab's words, sealed about its own layers, and its linked forest."""
    words = lane.upload_copy(forest.words[slab.read])
    words[: slab.inner.start] = words[slab.inner.stop :] = source.constant("SEALED_WORD")
    return words, link_forest(forest.session, slab.grid, words, forest.cell_type)


def _own_anchors(forest: _Forest, slab: Slab, lane: Lane) -> tuple[Array, int]:
    """Anchors of the slab's extrema among the vertices read, and the label of the first."""
    bounds = np.array((slab.own.start, slab.own.stop), np.int32)  # another dtype: anchors copied
    begin, end = np.searchsorted(forest.anchors, bounds).tolist()
    return lane.upload(forest.anchors[begin:end] - np.int32(slab.read.start)), begin


def _join_slab(forest: _Forest, slab: Slab, lane: Lane) -> None:
    """Fill the table's rows of the slab's own layers."""
    anchors, first_label = _own_anchors(forest, slab, lane)
    words, linked = _linked(forest, slab, lane)
    layer, end, after = slab.layer, slab.inner.start, slab.inner.stop
    row_below = forest.row_of.get(slab.begin - 1, 0)
    row_above = forest.row_of.get(slab.end, 0)
    joint = (end, row_below * layer, after, row_above * layer - after)
    for at in sorted({slab.begin, slab.end - 1} & forest.row_of.keys()):
        target = forest.table[forest.row_of[at]]
        entries = lane.room_for(target)
        forest.session.device.launch(
            "join_layer",
            layer,
            joint,
            words,
            forest.cell_type,
            linked,
            anchors,
            anchors.size,
            first_label,
            slab.layers(at, at + 1).start,
            entries,
        )
        lane.download(entries, target)


def _label_slab(
    forest: _Forest, slab: Slab, lane: Lane, at_vertices: bool, labels: np.ndarray
) -> None:
    """Write the labels of the slab's own vertices."""
    launch, own, inner = forest.session.device.launch, labels[slab.own], slab.inner
    # Copies from pageable memory wait for the lane: before anything is launched in it.
    anchors, first_label = _own_anchors(forest, slab, lane)
    about = [at for at in (slab.begin - 1, slab.end) if slab.first <= at < slab.last]
    codes = [lane.upload(forest.table[forest.row_of[at]]) for at in about]
    words, linked = _linked(forest, slab, lane)
    launch("plant_slab_labels", anchors.size, anchors, first_label, linked)
    for at, planted in zip(about, codes, strict=True):
        linked[slab.layers(at, at + 1)] = planted
    launch("pointer_jump", linked.size, linked)
    launch("decode_labels", linked.size, linked)
    if not at_vertices:
        lane.download(linked[inner], own)
        return
    found = lane.room_for(own)
    launch("gather_slab_labels", own.size, slab.grid.extents, words, linked, inner.start, found)
    lane.download(found, own)
