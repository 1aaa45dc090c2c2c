"""Forests of minima and maxima: the extremum that each vertex and each top cell leads to.

Slabs are linked one by one and joined by a table of the layers next to their cuts. The words are
uploaded twice, which is faster than label lookups on the host. O(n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...device import Array, CudaDevice, Lane, Session
from ...kernels import source
from ...morse.critical import indices_of
from ...morse.segmentation import label_roots
from ...morse.streaming import lanes_of
from .grid import Grid, n_tiles
from .pairing import CubicalPairing
from .slabs import SLAB_FOREST_BYTES, Slab, fit_slabs, in_turn


def label_vertices(gradient: CubicalPairing, kind: str) -> Array:
    """Return the label (n,) int32 of the extremum that each vertex leads to, -1 outside.

    An ascending label is that of the highest incident top cell by (owner, G order), which must be
    stored in the words.
    """
    if kind == "descending":
        return _labels_of_roots(gradient, 0, 0)
    session, grid = gradient.session, gradient.grid
    if session.pieces is not None:
        anchors = extremum_anchors(gradient, grid.dimension)
        in_slabs = _labels_in_slabs(gradient, grid.top_type, anchors, at_vertices=True)
        if in_slabs is not None:
            return in_slabs
    top_labels = maximum_of_top_cells(gradient)
    labels = session.device.empty(grid.n_vertices, np.int32)
    session.launch(
        "gather_top_labels", labels.size, grid.extents, gradient.words, top_labels, labels
    )
    return labels


def maximum_of_top_cells(gradient: CubicalPairing) -> Array:
    """Return the maximum (n,) int32 of the top cell anchored at each vertex, -1 for none."""
    return _labels_of_roots(gradient, gradient.grid.top_type, gradient.grid.dimension)


def _labels_of_roots(gradient: CubicalPairing, cell_type: int, index: int) -> Array:
    session, anchors = gradient.session, extremum_anchors(gradient, index)
    if session.pieces is not None:
        labels = _labels_in_slabs(gradient, cell_type, anchors)
        if labels is not None:
            return labels
    forest = link_forest(session, gradient.grid, gradient.words, cell_type)
    return label_roots(session, forest, anchors)


def extremum_anchors(gradient: CubicalPairing, index: int) -> Array:
    """Return the anchors, ascending int32, of the critical cells of index 0 or the dimension."""
    cells = gradient.critical_of(index)
    anchors = gradient.session.device.empty(cells.size, np.int32)
    gradient.session.launch("anchor_cells", cells.size, gradient.grid.extents, cells, anchors)
    return anchors


def measured_arcs(gradient: CubicalPairing, kind: str) -> tuple[Array, Array, Array]:
    """Return saddles (s,) int64, and lengths and extrema (2 s,) int32 of their arcs; -1 outside."""
    session, grid = gradient.session, gradient.grid
    extremum_index, index = indices_of(kind, grid.dimension)
    saddles = gradient.critical_of(index) if index >= 1 else gradient.critical_ids[:0]
    m = 2 * saddles.size
    length, end = session.device.empty(m, np.int32), session.device.empty(m, np.int32)
    model = (grid.extents, gradient.extremum_words, saddles, passed_type(grid, kind))
    session.launch("measure_arcs", m, *model, length, end)
    if m:
        anchors = extremum_anchors(gradient, extremum_index)
        session.launch("label_ends", m, anchors, anchors.size, end)
    return saddles, length, end


def passed_type(grid: Grid, kind: str) -> int:
    """Return the type of the cells (vertices or top cells) on the arcs of a kind."""
    return 0 if kind == "descending" else grid.top_type


def link_forest(session: Session, grid: Grid, words: Array, cell_type: int) -> Array:
    """Return parents or other ancestors (n,) int32, -1 at roots (kernels/morse/forest.h)."""
    forest = session.device.empty(grid.n_vertices, np.int32)
    if isinstance(session.device, CudaDevice):
        n_blocks = math.prod(n_tiles(grid, "FOREST"))
        arrays = (grid.extents, words, cell_type, forest)
        session.device.launch_blocks("link_forest_tiles", n_blocks, *arrays)
    else:
        session.launch("link_forest", forest.size, grid.extents, words, cell_type, forest)
    return forest


@dataclass(frozen=True)
class _Forest:
    """Data that all slabs share."""

    session: Session
    grid: Grid
    words: np.ndarray
    cell_type: int
    anchors: np.ndarray  # (k,) int32, ascending; extrema are numbered in this order
    row_of: dict[int, int]  # of a layer in the table
    table: np.ndarray  # (rows, vertices per layer) int32


def _labels_in_slabs(
    gradient: CubicalPairing, cell_type: int, anchors: np.ndarray, at_vertices: bool = False
) -> np.ndarray | None:
    """Return labels (n,) int32 of top cells or `at_vertices`, or None if no slab fits."""
    session, grid = gradient.session, gradient.grid
    fitting = fit_slabs(session, grid, SLAB_FOREST_BYTES)
    if fitting is None:
        return None
    slabs, n_lanes = fitting
    n = grid.n_vertices
    cuts = {
        at % slab.n_layers
        for slab in slabs
        for at in (slab.begin - 1, slab.begin)
        if slab.first < slab.begin
    }
    row_of = {layer: row for row, layer in enumerate(sorted(cuts))}
    session.memory.require_host(
        4 * len(cuts) * slabs[0].layer, "the table of layers about the cuts"
    )
    table = np.empty((len(cuts), slabs[0].layer), np.int32)
    labels = session.host_empty(n, np.int32, f"labels of {n:,} voxels")
    assert session.pieces is not None
    there = session.on(session.pieces.device)
    forest = _Forest(there, grid, gradient.words, cell_type, anchors, row_of, table)
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
    """Return the slab's words, sealed around its own layers, and its linked forest."""
    words = lane.upload_copy(slab.read(forest.words))
    words[: slab.inner.start] = words[slab.inner.stop :] = source.constant("SEALED_WORD")
    return words, link_forest(forest.session, slab.grid, words, forest.cell_type)


def _own_anchors(forest: _Forest, slab: Slab, lane: Lane) -> tuple[Array, int]:
    """Return the anchors of the slab's extrema among the vertices read, and the first label."""
    # A wider dtype would copy the anchors.
    bounds = np.array((slab.own.start, slab.own.stop), np.int32)
    begin, end = np.searchsorted(forest.anchors, bounds).tolist()
    return lane.upload(forest.anchors[begin:end] - np.int32(slab.first * slab.layer)), begin


def _join_slab(forest: _Forest, slab: Slab, lane: Lane) -> None:
    anchors, first_label = _own_anchors(forest, slab, lane)
    words, linked = _linked(forest, slab, lane)
    layer, end, after = slab.layer, slab.inner.start, slab.inner.stop
    row_below = forest.row_of.get((slab.begin - 1) % slab.n_layers, 0)
    row_above = forest.row_of.get(slab.end % slab.n_layers, 0)
    joint = (end, row_below * layer, after, row_above * layer - after)
    model = (joint, words, forest.cell_type, linked, anchors, anchors.size, first_label)
    for at in sorted({slab.begin, slab.end - 1} & forest.row_of.keys()):
        target = forest.table[forest.row_of[at]]
        entries = lane.room_for(target)
        first = slab.layers(at, at + 1).start
        forest.session.device.launch("join_layer", layer, *model, first, entries)
        lane.download(entries, target)


def _label_slab(
    forest: _Forest, slab: Slab, lane: Lane, at_vertices: bool, labels: np.ndarray
) -> None:
    launch, own, inner = forest.session.device.launch, labels[slab.own], slab.inner
    # Copies from pageable memory wait for the lane, so they come before its launches.
    anchors, first_label = _own_anchors(forest, slab, lane)
    about = [at for at in (slab.begin - 1, slab.end) if slab.first <= at < slab.last]
    codes = [lane.upload(forest.table[forest.row_of[at % slab.n_layers]]) for at in about]
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
