"""The layers of a piece: who has which, and the halo that each reads from its neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..complexes.cubical.grid import Grid, ImageOptions, checked_grid
from ..complexes.cubical.slabs import LAYERS_AFTER, LAYERS_BEFORE, Slab, layers_of, slab_axis
from ..device import Array, as_array, to_host
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
    exchange: Exchange, values: Any, layers: Any, options: ImageOptions
) -> tuple[Array, Layers]:
    """Return the values of the layers that a piece reads. Raises InputError.

    Without `layers`, `values` is the whole image, of which only these layers are sliced.
    """
    before = 0
    if layers is None:
        if isinstance(values, memoryview) or not hasattr(values, "shape"):
            values = as_array(values, "values")  # others are sliced before they are read
        n_layers, before = _whole_shape(values.shape)
        bounds = tuple(begin for begin, _ in runs(n_layers, exchange.size)) + (n_layers,)
        checked_bounds(bounds, exchange.size, n_layers)
        first, last = _range_read(bounds, exchange.rank)
        given = as_array(values[(*(0,) * before, slice(first, last))], "values")
    else:
        given, bounds = _with_halo(exchange, as_array(values, "values"), layers)
    about = (given.shape[1:], given.dtype.str)
    if len(set(all_about := exchange.gather(about))) > 1:
        raise InputError(
            "values",
            "of one dtype and of layers of one shape in all pieces",
            Words("; ".join(f"{dtype} of layers {shape}" for shape, dtype in all_about)),
        )
    grid = checked_grid(given.shape, options)
    axis = slab_axis(grid)
    if len(bounds) > 2 and axis != given.ndim - 1:
        raise InputError("values", "layers of more than one voxel", Words(f"shape {given.shape}"))
    if grid.periodic[axis]:
        expected = f"False along {'xyz'[axis]}, the axis that pieces divide"
        remedy = "Transpose the image so that another axis is the first."
        raise InputError("periodic", expected, options.periodic, remedy)
    first, last = _range_read(bounds, exchange.rank)
    begin, end = bounds[exchange.rank : exchange.rank + 2]
    layer = grid.n_vertices // (last - first)
    whole = layers_of(grid, bounds[-1])
    slab = Slab(layers_of(grid, last - first), begin, end, first, last, layer, bounds[-1])
    return given, Layers(whole, slab, bounds, (*(1,) * before, end - begin, *given.shape[1:]))


def _whole_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the number of layers of an image, and the number of axes of length 1 before them."""
    before = next((i for i, n in enumerate(shape[:-1]) if n != 1), max(len(shape) - 1, 0))
    if not 1 <= len(shape) <= 3 or 0 in shape:
        expected = "an array of shape (nz, ny, nx), (ny, nx) or (nx,)"
        raise InputError("values", expected, Words(f"shape {shape}"))
    return shape[before], before


def _range_read(bounds: tuple[int, ...], rank: int) -> tuple[int, int]:
    begin, end = bounds[rank : rank + 2]
    return max(begin - LAYERS_BEFORE, 0), min(end + LAYERS_AFTER, bounds[-1])


def checked_bounds(bounds: tuple[int, ...], size: int, n_layers: int) -> None:
    """Raise InputError unless each piece has a layer."""
    if len(bounds) - 1 < size:
        raise InputError(
            "values",
            f"an image of at least {size} layers, one for each of {size} pieces",
            Words(f"{n_layers} layers"),
            "Use fewer ranks or devices, or transpose the image.",
        )


def _with_halo(exchange: Exchange, own: Array, layers: Any) -> tuple[Array, tuple[int, ...]]:
    """Return the values of the layers that a piece reads, and the bounds of all pieces."""
    begin, end = _checked_layers(layers, own)
    every = exchange.gather((begin, end))
    bounds = (*(begin for begin, _ in every), every[-1][1])
    follows = all(end == next for (_, end), next in zip(every, bounds[1:], strict=True))
    if bounds[0] != 0 or not follows:
        raise InputError("layers", "consecutive runs from 0 on, in the order of the ranks", every)
    host = to_host(own)
    sent = []
    for rank in range(exchange.size):
        first, last = _range_read(bounds, rank)
        wanted = slice(max(first - begin, 0), max(last - begin, 0))
        sent.append(host[wanted if rank != exchange.rank else slice(0)].reshape(-1))
    halo = [theirs.reshape(-1, *own.shape[1:]) for theirs in exchange.send(sent)]
    halo[exchange.rank] = host
    return np.concatenate(halo), bounds


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
        first, *rest = error.where[1:-1].split(", ")
        error.where = f"[{', '.join([str(int(first) + layers.slab.first), *rest])}]"
        error.args = (error.render(),)
    return error
