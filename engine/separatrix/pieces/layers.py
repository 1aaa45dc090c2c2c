"""The layers of a piece: who has which, and the halo that each reads from its neighbors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..arguments import is_one_of
from ..complexes.cubical.domain import Masks, checked_masks
from ..complexes.cubical.grid import Grid, ImageOptions, checked_grid
from ..complexes.cubical.slabs import Slab, layers_of, slab_axis, slab_of
from ..device import Array, array_module, as_array, to_host
from ..errors import InputError, Words
from ..morse.streaming import runs
from .exchange import Exchange


@dataclass(frozen=True)
class Layers:
    """The layers of one piece, and those of all: piece p owns bounds[p] to bounds[p + 1] - 1."""

    whole: Grid
    slab: Slab
    bounds: tuple[int, ...]
    shape: tuple[int, ...]  # of the values of the piece

    @property
    def own(self) -> Grid:
        return layers_of(self.whole, self.slab.end - self.slab.begin)

    @property
    def before(self) -> int:
        """Number of layers that the slab reads before its own."""
        return self.slab.begin - self.slab.first

    @property
    def is_periodic(self) -> bool:
        """Whether the first piece follows the last one, at a cut."""
        return len(self.bounds) > 2 and self.whole.periodic[slab_axis(self.whole)]

    @property
    def is_cut_about(self) -> tuple[bool, bool]:
        """Whether there is a cut before the piece's layers, and after them."""
        n = self.slab.n_layers
        return self.is_periodic or self.slab.begin > 0, self.is_periodic or self.slab.end < n

    @property
    def rank_after(self) -> int:
        """The piece after the next cut; without one, a piece before which there is none."""
        rank = self.bounds.index(self.slab.begin)
        return (rank + 1) % (len(self.bounds) - 1)

    def places_beyond_cuts(self, rank: int) -> tuple[int, int]:
        """Return the places of the layers before and after a piece's among those at all cuts."""
        n = 2 * (len(self.bounds) - 1)
        if self.is_periodic:  # the first and the last layer of each piece
            return (2 * rank - 1) % n, (2 * rank + 2) % n
        return 2 * rank - 2, 2 * rank + 1


def read_layers(
    exchange: Exchange, values: Any, layers: Any, options: ImageOptions, order: Any
) -> tuple[Array, Array | None, Masks, Layers]:
    """Return the values, ranks, and masks of the layers that a piece reads, ascending.

    Without `layers`, `values` is the whole image, of which only these layers are sliced. Ranks are
    None if equal values are ordered by index. Raises InputError.
    """
    before = 0
    if layers is None:
        if isinstance(values, memoryview) or not hasattr(values, "shape"):
            values = as_array(values, "values")  # others are sliced before they are read
        n_layers, before = _whole_shape(values.shape)
        bounds = tuple(begin for begin, _ in runs(n_layers, exchange.size)) + (n_layers,)
        checked_bounds(bounds, exchange.size, n_layers)
    else:
        values = as_array(values, "values")
        bounds = _bounds_of(exchange, values, layers)
    one_layer = values.shape[before + 1 :]
    if len({*(every := exchange.gather(one_layer))}) > 1:
        raise _unlike(f"layers {shape}" for shape in every)
    whole = checked_grid((bounds[-1], *one_layer), options, may_be_large=True)
    slabs = [slab_of(whole, *run) for run in pairwise(bounds)]
    slab = slabs[exchange.rank]
    if exchange.size > 1 and slab_axis(whole) != len(one_layer):
        got = Words(f"shape {(bounds[-1], *one_layer)}")
        raise InputError("values", "layers of more than one voxel", got)
    if slab.grid.is_large:
        expected = "an image of fewer than 2^31 voxels in each piece, with the layers next to it"
        remedy = "Use more ranks."
        raise InputError("values", expected, Words(f"{slab.grid.n_vertices:,}"), remedy)

    def read(array: Any, name: str) -> Array:
        if layers is not None:
            return _with_halo(exchange, as_array(array, name), bounds, slabs)
        parts = [as_array(array[(*(0,) * before, slice(*run))], name) for run in slab.ascending[1]]
        return parts[0] if len(parts) == 1 else array_module(parts[0]).concatenate(parts)

    given = read(values, "values")
    if len({*(every := exchange.gather(given.dtype.str))}) > 1:
        raise _unlike(f"dtype {dtype}" for dtype in every)
    valid, ranks = options.mask, None
    if any(exchange.gather(valid is not None)):
        valid = np.ones(values.shape, bool) if valid is None else valid
        valid = read(_checked_like(values, valid, "mask", "bool", "b"), "mask")
    is_by_index = is_one_of(order, ("index",))
    if not all(exchange.gather(is_by_index)):
        if is_by_index or isinstance(order, str):
            raise InputError("order", "'index', or ranks in all pieces", order)
        ranks = read(_checked_like(values, order, "order", "integers", "iu"), "order")
    masks = checked_masks(options._replace(mask=valid), given.shape, slab.ascending[0])
    shape = (*(1,) * before, slab.end - slab.begin, *one_layer)
    return given, ranks, masks, Layers(whole, slab, bounds, shape)


def _checked_like(values: Any, given: Any, name: str, what: str, kinds: str) -> Any:
    """Return an array of some kinds of dtypes in the shape of the values. Raises InputError."""
    if not all(hasattr(given, part) for part in ("shape", "dtype", "__getitem__")):
        given = as_array(given, name)
    if tuple(given.shape) != tuple(values.shape) or np.dtype(given.dtype).kind not in kinds:
        expected = f"an array of {what} of shape {tuple(values.shape)}, that of {{values}}"
        raise InputError(name, expected, Words(f"dtype {given.dtype}, shape {tuple(given.shape)}"))
    return given


def _unlike(every: Iterable[str]) -> InputError:
    expected = "of one dtype and of layers of one shape in all pieces"
    return InputError("values", expected, Words("; ".join(every)))


def _whole_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the number of layers of an image, and the number of axes of length 1 before them."""
    before = next((i for i, n in enumerate(shape[:-1]) if n != 1), max(len(shape) - 1, 0))
    if not 1 <= len(shape) <= 3 or 0 in shape:
        expected = "an array of shape (nz, ny, nx), (ny, nx) or (nx,)"
        raise InputError("values", expected, Words(f"shape {shape}"))
    return shape[before], before


def checked_bounds(bounds: tuple[int, ...], size: int, n_layers: int) -> None:
    """Raise InputError unless each piece has a layer."""
    if len(bounds) - 1 < size:
        raise InputError(
            "values",
            f"an image of at least {size} layers, one for each of {size} pieces",
            Words(f"{n_layers} layers"),
            "Use fewer ranks or devices, or transpose the image.",
        )


def _bounds_of(exchange: Exchange, own: Array, layers: Any) -> tuple[int, ...]:
    """Return the bounds of the layers of all pieces. Raises InputError."""
    every = exchange.gather(_checked_layers(layers, own))
    bounds = (*(begin for begin, _ in every), every[-1][1])
    follows = all(end == next for (_, end), next in zip(every, bounds[1:], strict=True))
    if bounds[0] != 0 or not follows:
        raise InputError("layers", "consecutive runs from 0 on, in the order of the ranks", every)
    return bounds


def _with_halo(
    exchange: Exchange, own: Array, bounds: tuple[int, ...], slabs: list[Slab]
) -> np.ndarray:
    """Return the ascending layers that a piece reads, from those of all pieces."""
    host, begin = to_host(own), bounds[exchange.rank]
    sent = []
    for rank, slab in enumerate(slabs):
        parts = [
            host[max(a - begin, 0) : max(b - begin, 0)] if rank != exchange.rank else host[:0]
            for a, b in slab.ascending[1]
        ]
        sent.append(np.concatenate(parts).reshape(-1))
    halo = [theirs.reshape(-1, *own.shape[1:]) for theirs in exchange.send(sent)]
    halo[exchange.rank] = host
    return np.concatenate(halo)


def _checked_layers(layers: Any, own: Array) -> tuple[int, int]:
    try:
        begin, end = map(int, layers)
    except (TypeError, ValueError):
        begin, end = 0, 0
    if not own.ndim or not 0 <= begin < end or own.shape[0] != end - begin:
        n = own.shape[0] if own.ndim else 0
        expected = f"(begin, end), the run of the {n} layers of {{values}}, at least one"
        raise InputError("layers", expected, layers)
    return begin, end


def located(error: InputError, layers: Layers) -> InputError:
    """Return an error about an entry of the layers read as one about that of the whole image."""
    if error.parameter == "values" and error.where:
        read = [at for run in layers.slab.ascending[1] for at in range(*run)]
        first, *rest = error.where[1:-1].split(", ")
        error.where = f"[{', '.join([str(read[int(first)]), *rest])}]"
        error.args = (error.render(),)
    return error
