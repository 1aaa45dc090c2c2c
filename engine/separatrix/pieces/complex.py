"""The part of a Morse-Smale complex that one rank of MPI computes, as users see it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..arguments import check_one_of
from ..complexes.cubical.grid import NOT_PERIODIC, Grid, ImageOptions, place
from ..complexes.cubical.slabs import doubled_layer
from ..device import Array, LazyCache, Progress, Session, devices, to_host
from ..device.host import default_threads, usable_cpus
from ..homology import PersistenceDiagram
from ..morse.connectors.table import Connectors
from ..morse.critical import Counts, CriticalCells
from ..morse.graph import Arcs, arcs_to_extrema
from ..morse.labels import SHARES
from ..morse.segmentation import morse_smale_cells
from ..options import known_keywords
from ..results import SessionResult
from .connectors import connectors_of_piece
from .exchange import Exchange, RankExchange, single_piece
from .gradient import PieceGradient, gradient_of_piece
from .labels import extremum_ends, labels_of_piece, own_labels
from .layers import read_layers
from .pairs import diagram_of_piece

STAGES = {"upload": 0.02, "gradient": 0.9, "critical cells": 0.08}


class MorseSmalePiece(SessionResult):
    """The part of a Morse-Smale complex that belongs to the layers of one rank.

    Returned by :func:`separatrix.morse_smale_piece`. All results together are those of
    :class:`MorseSmaleComplex` for the whole image, bit by bit: cell ids, vertices, rows, and labels
    are those of the whole. Segmentations, arcs, and pairs are computed on first access, when ranks
    exchange data, so **all ranks have to access them, in the same order**. An error of one rank is
    raised by all.

    Attributes
    ----------
    grid : Grid
        That of the whole image.
    layers : (int, int)
        First layer of the piece, and the first one after it.
    critical : CriticalCells
        Critical cells of the piece, sorted by (index, cell id). A cell belongs to the layer of its
        lowest corner.
    rows : (k,) int64
        Their rows in the table of the whole complex.
    counts : tuple of int
        Numbers of critical cells of the whole complex, by index.
    """

    _SHOWN = ("grid", "layers", "counts", "critical", "device")

    def __init__(self, gradient: PieceGradient):
        self._gradient, self._session = gradient, gradient.session
        self._parts = LazyCache(gradient.session)
        self._results: dict[str, Any] = {}
        layers = gradient.layers
        self.grid: Grid = layers.whole
        self.layers = (layers.slab.begin, layers.slab.end)
        self.counts: Counts = gradient.totals
        self.rows = gradient.rows
        self.critical = _critical_cells(gradient)

    def _summary(self) -> str:
        begin, end = self.layers
        layers = f"layers {begin} to {end - 1} of {self.grid._size_text}"
        return f"{layers} on {self.device}: counts {self._gradient.own_counts}"

    def segmentation(self, kind: str) -> Array:
        """Return one int32 label for each voxel of the piece's layers, in their shape.

        `kind` is "ascending", "descending", or "morse_smale"; see
        :meth:`MorseSmaleComplex.segmentation`. All ranks have to call it.
        """
        check_one_of("kind", kind, SHARES)
        shape = self._gradient.layers.shape
        return self._together(
            f"{kind} segmentation",
            lambda: self._session.result(self._vertex_labels(kind).reshape(shape)),
        )

    def cell_labels(self) -> Array:
        """Return the maximum that each top cell ascends to, -1 outside: int32.

        Its shape is that of the piece's voxels, to whose lowest corner a cell belongs; there are no
        cells behind the last voxels of an axis that is not periodic. All ranks have to call it.
        """
        layers = self._gradient.layers
        return self._together(
            "cell labels",
            lambda: self._session.result(
                self._labels("ascending")[layers.slab.inner].reshape(layers.shape)
            ),
        )

    @property
    def arcs(self) -> Arcs:
        """Arcs whose saddle, or whose 2-saddle, belongs to the piece, sorted by (upper, lower).

        Rows are those of the whole complex. All ranks have to access it.
        """
        return self._together("arcs", self._assemble_arcs)

    @property
    def persistence_pairs(self) -> PersistenceDiagram:
        """All pairs, including those of length zero, whose saddle belongs to the piece.

        A pair of saddles belongs to the piece of its 2-saddle, an essential class to that of its
        cell. Cell ids and rows are those of the whole complex. All ranks have to access it.
        """

        def pairs() -> PersistenceDiagram:
            ends = {kind: to_host(self._ends(kind)) for kind in self._kinds}
            return diagram_of_piece(self._gradient, self._connectors(), ends)

        return self._together("pairs", pairs)

    # === parts, which other parts share
    def _together(self, name: str, compute: Callable[[], Any]) -> Any:
        if name not in self._results:  # once computed, a result needs no exchange
            with self._gradient.exchange.together(), self._session.call(None, {name: 1.0}):
                found = self._parts.once(name, compute)
            self._results[name] = found
        return self._results[name]

    @property
    def _kinds(self) -> tuple[str, ...]:
        """Kinds of arcs; on a line, the ascending arcs are the descending ones."""
        return ("descending", "ascending") if self._gradient.dimension > 1 else ("descending",)

    def _labels(self, kind: str) -> Array:
        def labels() -> Array:
            return labels_of_piece(self._gradient, kind)

        return self._parts.without_stage(f"{kind} labels", labels)

    def _ends(self, kind: str) -> Array:
        def ends() -> Array:
            return extremum_ends(self._gradient, kind, self._labels(kind))

        return self._parts.without_stage(f"{kind} ends", ends)

    def _connectors(self) -> Connectors:
        def connectors() -> Connectors:
            found = connectors_of_piece(self._gradient)
            return Connectors(*map(to_host, (found.offsets, found.items, found.multiplicity)))

        return self._parts.without_stage("connectors", connectors)

    def _vertex_labels(self, kind: str) -> Array:
        if kind == "morse_smale":
            return self._numbered(self._vertex_labels, self.counts[self._gradient.dimension])
        return own_labels(self._gradient, kind, self._labels(kind))

    def _numbered(self, labels: Callable[[str], Array], n_maxima: int) -> Array:
        """Number the pairs of a minimum and a maximum to which the piece's vertices lead."""
        gradient = self._gradient
        minima, maxima = map(labels, ("descending", "ascending"))
        likely = sum(gradient.own_counts) // 2
        cells, keys = morse_smale_cells(self._session, minima, maxima, n_maxima, likely)
        every = np.unique(np.concatenate(gradient.exchange.share(to_host(keys))))
        numbers = np.append(np.searchsorted(every, to_host(keys)), -1).astype(np.int32)
        return self._session.upload(numbers)[cells]  # the last one for voxels outside, -1

    def _assemble_arcs(self) -> Arcs:
        gradient, device = self._gradient, self._session.device
        first = np.cumsum([0, *self.counts]).tolist()

        def to_extrema(kind: str, saddle: int, extremum: int) -> list[np.ndarray]:
            begin = first[saddle] + gradient.first(saddle)
            found = arcs_to_extrema(device, self._ends(kind), begin, first[extremum])
            return [to_host(column) for column in found]

        connectors, top = self._connectors(), gradient.dimension
        upper = connectors.upper() + first[2] + gradient.first(2)
        parts = [
            to_extrema("descending", 1, 0),
            [upper, connectors.items.astype(np.int64) + first[1], connectors.multiplicity],
        ]
        if top > 1:
            lower, upper, number = to_extrema("ascending", top - 1, top)
            order = np.lexsort((lower, upper))
            parts.append([upper[order], lower[order], number[order]])
        return Arcs(*map(np.concatenate, zip(*parts, strict=True)))


def _critical_cells(gradient: PieceGradient) -> CriticalCells:
    session = gradient.session
    cells, layers, field = gradient.cells, gradient.layers, gradient.field
    ascending = cells + (layers.slab.n_before - layers.before) * doubled_layer(layers.whole)
    _, _, on_boundary = place(session.device, field.grid, ascending, field.types)
    cells = cells + gradient.cell_shift
    position, index, _ = place(session.device, layers.whole, cells)
    columns = (cells, index, gradient.values, gradient.vertices, position, on_boundary)
    ids, index, values, vertices, position, on_boundary = map(session.result, columns)
    return CriticalCells(ids, index, values, vertices, position, on_boundary, gradient.own_counts)


@known_keywords
def morse_smale_piece(
    values: Any,
    comm: Any = None,
    *,
    layers: Sequence[int] | None = None,
    spacing: Sequence[float] = (1.0, 1.0, 1.0),
    origin: Sequence[float] = (0.0, 0.0, 0.0),
    direction: Any = None,
    periodic: Sequence[bool] = NOT_PERIODIC,
    mask: Any = None,
    nan: str = "error",
    order: Any = "index",
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> MorseSmalePiece:
    """Compute one rank's part of the Morse-Smale complex of an image.

    Each rank of `comm` calls it with the same options, under ``mpiexec``. Ranks divide the layers
    of the image along its first axis. No rank holds the whole image or a whole result, except that
    the first one pairs the saddles that have no extremum as a partner.

    Parameters
    ----------
    values : (nz, ny, nx), (ny, nx), or (nx,) array_like, any real dtype of at most 8 bytes
        The whole image, of which each rank slices only its layers and three of its neighbors':
        an array, a memory map, or a dataset of HDF5 or zarr. With `layers`, only these layers.
    comm : mpi4py.MPI.Comm, optional
        Communicator, such as ``MPI.COMM_WORLD``; by default, one piece is the whole image.
    layers : (int, int), optional
        First layer of `values`, and the first one after them. Ranks must have consecutive layers.
        By default, `values` is the whole image, and ranks have equal shares.
    spacing, origin, direction, progress
        As in :func:`separatrix.discrete_gradient`, for the whole image.
    periodic : bool or sequence of bool, in x, y, z order
        Axes along which the image repeats.
    mask : array_like of bool in the shape of `values`, optional
        True where a voxel is valid; see :func:`separatrix.discrete_gradient`. It is sliced like
        `values`.
    nan : {"error", "mask"}
        Whether NaN values are rejected, or masked as by `mask`.
    order : "index" or array_like of int in the shape of `values`
        Order of equal values: by index, or by ranks 0 to n - 1 in which values ascend, as in
        :func:`separatrix.discrete_gradient`. Ranks are sliced like `values`.
    device : "auto", "cpu", "cuda" or "cuda:N", optional
        Device of this rank. By default, the ranks on a host are spread over its GPUs.
    threads : int, optional
        Number of CPU threads of this rank; by default, the ranks on a host share its CPUs.
    memory_limit : int, optional
        Maximum number of bytes of GPU memory for this rank.

    Returns
    -------
    MorseSmalePiece

    Raises
    ------
    InputError, DeviceUnavailable, DeviceMemoryError
        As :func:`separatrix.morse_smale`, in all ranks if one of them fails. There must be a layer
        for each rank, and a rank's layers must have fewer than 2^31 voxels.

    Notes
    -----
    Takes O(n / ranks) time, plus time in proportion to the voxels in the layers at the cuts, and to
    the saddles without an extremum as a partner in the first rank. Masks of cells, the
    plateau-aware order, levels, lines, and surfaces are not available in pieces.

    References
    ----------
    E. Le Guillou, P. Fortin, J. Tierny, "Distributed Discrete Morse Sandwich", IEEE TPDS 37(1),
    2026, arXiv:2505.21266.

    Examples
    --------
    >>> import separatrix as sx
    >>> piece = sx.morse_smale_piece([0.0, 5.0, 4.0, 9.0, 1.0])
    >>> piece.layers, piece.counts, piece.segmentation("descending").tolist()
    ((0, 5), (3, 2, 0, 0), [0, 0, 1, 2, 2])

    In several ranks, ``mpiexec -n 2 python FILE`` with these lines in the file::

        import numpy as np, separatrix as sx
        from mpi4py import MPI

        image = np.load("image.npy", mmap_mode="r")
        piece = sx.morse_smale_piece(image, MPI.COMM_WORLD)
        np.save(f"labels-{piece.layers[0]}.npy", piece.segmentation("descending"))
    """
    if not isinstance(comm, Exchange):
        comm = single_piece() if comm is None else RankExchange(comm)
    options = ImageOptions(
        spacing,
        origin,
        direction,
        periodic,
        mask,
        nan=nan,
        device=device,
        threads=threads,
        memory_limit=memory_limit,
    )
    return piece_of(comm, values, layers, options, progress, order)


def piece_of(
    exchange: Exchange,
    values: Any,
    layers: Any,
    options: ImageOptions,
    progress: Progress | None = None,
    order: Any = "index",
) -> MorseSmalePiece:
    """Return the piece of one participant of an exchange. Raises InputError in all of them."""
    with exchange.together():
        read = read_layers(exchange, values, layers, options, order)
        device, threads = _device_of(exchange, options.device), options.threads
        if threads is None and exchange.local_size > 1:
            threads = max(1, min(default_threads(), usable_cpus() // exchange.local_size))
        session = Session(read[0], device, threads, options.memory_limit)
        with session.call(progress, STAGES):
            return MorseSmalePiece(gradient_of_piece(exchange, session, *read))


def _device_of(exchange: Exchange, device: str | None) -> str | None:
    """Return the GPU of a rank on a host with several, unless the user has chosen one."""
    if device in (None, "auto"):
        device = os.environ.get("SEPARATRIX_DEVICE") or device
    is_chosen = device not in (None, "auto", "cuda")
    if is_chosen or exchange.local_size == 1:
        return device
    gpus = [r.name for r in devices(probe=False) if r.name.startswith("cuda") and r.usable]
    return gpus[exchange.local_rank % len(gpus)] if len(gpus) > 1 else device
