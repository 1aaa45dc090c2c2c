"""The public function of pieces, and the device of each rank."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..complexes.cubical.grid import NOT_PERIODIC, ImageOptions
from ..device import Progress, Session, devices
from ..device.host import default_threads, usable_cpus
from ..options import known_keywords
from .complex import MorseSmalePiece
from .exchange import Exchange, RankExchange, single_piece
from .gradient import gradient_of_piece
from .layers import read_layers

STAGES = {"upload": 0.02, "gradient": 0.9, "critical cells": 0.08}


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
    the first one pairs the saddles that have no extremum as a partner, and cancels these pairs.

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
    plateau-aware order, lines between saddles, and surfaces are not available in pieces.

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
