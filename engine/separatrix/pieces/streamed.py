"""Stages of an image whose gradient is on the host, in pieces that pass through the devices.

Each function returns None if not even pieces of one layer fit on the devices, unless the image is
too large for the CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from ..complexes.cubical.pairing import CubicalPairing
from ..complexes.cubical.slabs import (
    SLAB_FOREST_BYTES,
    Slab,
    doubled_layer,
    fit_slabs,
    layers_of_devices,
    release_failed,
    require_a_slab,
    run_slabs,
    slab_connector_bytes,
)
from ..device import Array, Lane, Session, array_module, to_host
from ..device.scratch import runs_of_layers
from ..errors import DeviceMemoryError
from ..morse.connectors.minor import Rows
from ..morse.critical import indices_of
from ..morse.segmentation import (
    RUN_CELL_BYTES,
    TABLE_BYTES,
    capacity_of_cells,
    morse_smale_cells,
)
from ..primitives import exclusive_scan, lengths_of, shifted, without_repeats
from .connectors import ROUNDS as CONNECTOR_ROUNDS
from .connectors import connectors_of_piece
from .exchange import Exchange
from .gradient import Piece
from .labels import ROUNDS as LABEL_ROUNDS
from .labels import extremum_ends, labels_of_piece, own_labels
from .layers import Layers
from .turns import run_pieces

Result = TypeVar("Result")
CELL_ROUNDS = 3  # with the exchanges of keys and of all of them
KEY_BYTES = 4 * 8  # per key of all pieces: in parts, joined, while they are sorted, and distinct
ROW_BYTES = 6  # of connectors per voxel, of smooth data with 1% noise


@dataclass(frozen=True)
class StreamedPiece(Piece):
    """A piece whose critical cells are among those of the whole image."""

    own: tuple[Array, ...]  # (c,) int64 of each index, ids in the whole image

    def cells_of(self, index: int) -> Array:
        return shifted(self.session.bring(self.own[index]), -self.cell_shift)


def stream_labels(
    gradient: CubicalPairing, kind: str, *, at_vertices: bool = True, out: Any = None
) -> Any:
    """Return labels (n,) int32 of vertices, or of the top cells anchored at them; -1 outside.

    Layers of vertices are written to `out` instead, one piece at a time, if it is not None. Several
    GPUs keep the labels of their vertices for :func:`stream_cells`, and the ends of arcs.
    """
    session, n = gradient.session, gradient.grid.n_vertices
    fitting = _fitting(gradient, SLAB_FOREST_BYTES, "labels")
    if fitting is None:
        return None
    is_stored = out is None
    labels = session.store_empty(n if is_stored else 0, np.int32, f"labels of {n:,} voxels")
    writing = Lock()  # pieces may share chunks of a file
    n_storing = len(layers_of_devices(session, gradient.grid))
    has_saddles = indices_of(kind, gradient.grid.dimension)[1] > 0

    def program(piece: Piece) -> tuple[Array, Array | None] | None:
        slab, found = piece.layers.slab, labels_of_piece(piece, kind)
        keeps = is_stored and at_vertices and 1 < piece.exchange.size == n_storing
        ends = extremum_ends(piece, kind, found) if keeps and has_saddles else None
        found = own_labels(piece, kind, found) if at_vertices else found[slab.inner]
        if is_stored:
            Lane(piece.session.device, apart=False).download(found, labels[slab.own])
            return (found if slab.begin else labels[slab.own], ends) if keeps else None
        for part in runs_of_layers(out.shape, found.itemsize, slab.begin, slab.end):
            *before, layers = part
            shape = (layers.stop - layers.start, *out.shape[len(part) :])
            place = slice(*((at - slab.begin) * slab.layer for at in (layers.start, layers.stop)))
            written = to_host(found[place]).reshape(shape)
            with writing:
                out[(*(0 for _ in before), layers)] = written
        return None

    parts = _run(gradient, True, fitting, program, LABEL_ROUNDS)
    kept = [part for part in parts if part is not None]
    if kept:
        gradient.kept_labels[kind] = [found for found, _ in kept]
        if has_saddles:
            gradient._ends[kind] = session.device.joined([ends for _, ends in kept])
    return labels if is_stored else out


def stream_cells(
    gradient: CubicalPairing, minima: Array, maxima: Array, n_likely: int
) -> tuple[Array, Array] | None:
    """Return the Morse-Smale cells of labels that are on the first of several GPUs, and their keys.

    Each GPU has to have room for its part.
    """
    session, n_maxima = gradient.session, gradient.counts[gradient.grid.dimension]
    assert session.pieces is not None
    n_each = n_likely // len(session.pieces.devices)
    table_bytes = TABLE_BYTES * capacity_of_cells(n_each) + KEY_BYTES * n_likely
    slabs, _ = fit_slabs(session, gradient.grid, RUN_CELL_BYTES, table_bytes) or ((), 1)
    if len(slabs) != len(session.pieces.devices):
        return None
    kept = {kind: gradient.kept_labels.pop(kind, []) for kind in ("descending", "ascending")}
    cells = session.store_empty(minima.size, np.int32, f"labels of {minima.size:,} voxels")

    def program(exchange: Exchange, there: Session) -> Array:

        def merged(keys: Array) -> Array:
            parts = exchange.share(keys)
            common = exchange.common(
                lambda: without_repeats(there.device.joined(list(map(there.bring, parts))))
            )
            return there.bring(common)

        def own_of(kind: str, labels: Array) -> Array:
            return kept[kind][exchange.rank] if kept[kind] else there.bring(labels[own])

        own, is_first = slabs[exchange.rank].own, exchange.rank == 0
        low, high = own_of("descending", minima), own_of("ascending", maxima)
        target = cells[own] if is_first else there.device.empty(own.stop - own.start, np.int32)
        given = (n_maxima, n_each, gradient.grid.steps, merged, target)
        _, keys = morse_smale_cells(there, low, high, *given)
        if not is_first:
            Lane(there.device, apart=False).download(target, cells[own])
        return keys

    keys, *_ = run_pieces(session, len(slabs), 1, program, rounds=CELL_ROUNDS)
    return cells, keys


def stream_ends(gradient: CubicalPairing, kind: str) -> Array | None:
    """Return the extrema (s, 2) int32 that the saddles of a kind of arcs lead to; -1 outside."""
    if not indices_of(kind, gradient.grid.dimension)[1]:
        return gradient.session.device.empty((0, 2), np.int32)
    fitting = _fitting(gradient, SLAB_FOREST_BYTES, "arcs")
    if fitting is None:
        return None

    device = gradient.session.device

    def program(piece: Piece) -> Array:
        found = extremum_ends(piece, kind, labels_of_piece(piece, kind))
        return found if device.is_cuda else to_host(found)

    found = _run(gradient, True, fitting, program, LABEL_ROUNDS)
    ends = device.joined(found)
    del found
    if not gradient.session.keeps_cached:
        device.free_cached()
    return ends


def stream_connectors(gradient: CubicalPairing, *, leaves_room: bool = False) -> Rows | None:
    """Return the rows of all saddle connectors. Slabs are halved until they fit.

    Rows are on the streaming device if it has room for them, unless they have to leave it to others
    or come from several devices; they are then on the device of the session, or on the host.
    """
    session, n = gradient.session, gradient.grid.n_vertices
    assert session.pieces is not None
    there, needed = session.pieces.device, slab_connector_bytes(session, n, sum(gradient.counts))
    kept, fitting = ROW_BYTES * n, None
    if not session.device.is_cuda and there.is_cuda and len(session.pieces.devices) == 1:
        fitting = fit_slabs(session, gradient.grid, needed, kept)
    if fitting is None:
        there = session.host if leaves_room else session.device
        kept = kept if there.is_cuda else 0
        fitting = _fitting(gradient, needed, "connectors", kept)

    def program(piece: Piece) -> Rows:
        found = connectors_of_piece(piece)
        rows = (found.offsets, found.items, found.multiplicity)
        offsets, items, number = rows if there.is_cuda else map(to_host, rows)
        return lengths_of(offsets), items, number

    while fitting is not None:
        is_final = not there.is_cuda or session.device.is_cuda
        try:
            given = (gradient, False, fitting, program, CONNECTOR_ROUNDS)
            found = _run(*given, may_halve=is_final)
        except DeviceMemoryError as error:
            if is_final:
                return None
            release_failed(error)
            there = session.device  # rows may need more memory than expected
            continue
        with there.current():
            lengths, items, multiplicity = map(there.joined, zip(*found, strict=True))
            del found
            if not session.keeps_cached:
                there.free_cached()
            return exclusive_scan(lengths), items, multiplicity
    return None


def _fitting(
    gradient: CubicalPairing, bytes_per_voxel: float, what: str, kept: int = 0
) -> tuple[list[Slab], int] | None:
    """Return slabs, and how many of them fit beside `kept` bytes of their results."""
    session, grid = gradient.session, gradient.grid
    if grid.is_large or session.limits_host:  # the CPU cannot take over
        require_a_slab(session, grid, bytes_per_voxel, f"computing {what}", kept)
    return fit_slabs(session, grid, bytes_per_voxel, kept)


def _run(
    gradient: CubicalPairing,
    for_extrema: bool,
    fitting: tuple[list[Slab], int],
    program: Callable[[Piece], Result],
    rounds: int,
    *,
    may_halve: bool = True,
) -> list[Result]:
    """Run a program for each piece of a gradient, whose slabs are halved if they do not fit."""
    grid, (slabs, n_lanes) = gradient.grid, fitting
    words = gradient.words_in_pieces(for_extrema)
    every = [gradient.critical_of(index) for index in range(4)]

    def run(slabs: list[Slab]) -> list[Result]:
        bounds = (*(slab.begin for slab in slabs), slabs[-1].end)
        layers = gradient.session.upload(np.array(bounds) * doubled_layer(grid))
        ends = [to_host(array_module(cells).searchsorted(cells, layers)) for cells in every]
        counts = tuple(zip(*(np.diff(bounds).tolist() for bounds in ends), strict=True))
        runs = [list(pairwise(bounds)) for bounds in ends]

        def run_piece(exchange: Exchange, session: Session) -> Result:
            slab = slabs[exchange.rank]
            own = tuple(
                cells[slice(*found[exchange.rank])]
                for cells, found in zip(every, runs, strict=True)
            )
            layers, of_slab = Layers(grid, slab, bounds, ()), words[slab.own]
            of_slab = session.device.brought(of_slab)
            return program(StreamedPiece(exchange, session, layers, of_slab, counts, own))

        return run_pieces(gradient.session, len(slabs), n_lanes, run_piece, rounds=rounds)

    return run_slabs(gradient.session, grid, slabs, run) if may_halve else run(slabs)
