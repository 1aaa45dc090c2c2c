"""The part of an image that one of several processes computes, and tables that they share.

All methods that take an exchange must be called by all processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import separatrix as sx
from separatrix.axes import repeated_axes
from separatrix.pieces.exchange import Exchange
from separatrix_vtk.base.arrays import NONE, from_vtk, range_between, to_vtk
from separatrix_vtk.base.extents import Extent, lengths, place_in, shape_of
from separatrix_vtk.base.input_array import InputArray
from separatrix_vtk.base.slabs import HIDDEN, Part
from separatrix_vtk.filters.scalar_field.image import (
    ImageField,
    Masks,
    check_periods,
    finite_range,
    frame_of,
    repeats_first,
)


class Layers:
    """The values of a slab, which the engine slices as it would slice those of the whole image."""

    def __init__(self, values: np.ndarray, first: int, shape: tuple[int, ...]) -> None:
        self._values, self._first = values, first  # that layer of the image is the first one
        self.shape, self.dtype, self.ndim = shape, values.dtype, values.ndim

    def with_values(self, values: np.ndarray) -> Layers:
        """Other values of the same layers."""
        return Layers(values, self._first, self.shape)

    def __getitem__(self, place: Any) -> np.ndarray:
        *before, layers = place if isinstance(place, tuple) else (place,)
        begin, end = layers.start - self._first, layers.stop - self._first
        found = self._values[(slice(None),) * len(before) + (slice(begin, end),)]
        assert begin >= 0
        assert found.shape[len(before)] == end - begin
        return np.asarray(found[tuple(before)])


class PartField(ImageField):
    """A field on the whole image, of which one process has the values of its slab.

    Its ids and positions are those of the whole.
    """

    def __init__(
        self, part: Part, source: InputArray, exchange: Exchange, periodic: str, nan: str
    ) -> None:
        slab = part.slab
        counts, spacing, origin, direction = frame_of(part.image, slab.whole)
        check_periods(periodic, counts)
        values = from_vtk(source.array).reshape(shape_of(slab.read))
        marks = part.image.GetPointData().GetArray(HIDDEN)
        mask = None if marks is None else (from_vtk(marks) == 0).reshape(values.shape)
        masks = Masks(mask, nan=nan)
        super().__init__(source, values, spacing, origin, direction, periodic, masks)
        place = (self.spacing, self.origin, tuple(self.direction.flat), self.periodic)
        self.grid = sx.Grid(tuple(counts.tolist()), *place)
        self.dimension = int(self.grid.dimension)
        self.size = {"dimensions": lengths(slab.whole)}
        self.layers = Layers(values, max(slab.begin - 1, 0), lengths(slab.whole)[::-1])
        self._place = place_in(slab.read, slab.own)  # of its own points
        self._own = values[self._place]
        self._slab = slab
        self._first_point = int(np.prod(lengths(slab.whole)[: slab.axis])) * slab.begin
        self._exchange = exchange
        self._ends: tuple[Any, ...] = ()
        self.find_values: Callable[[np.ndarray], np.ndarray]
        self._known: tuple[np.ndarray, np.ndarray] = (np.empty(0, int), np.empty(0, int))

    def compute(self, function: Any, **options: Any) -> Any:
        """The result of a function of the engine for this slab."""
        place = self.engine_arguments({"order": self.order, **options})
        del place["cell_mask"]
        beside = [name for name in ("mask", "order") if isinstance(place[name], np.ndarray)]
        if not self.periodic[self._slab.axis]:
            for name in beside:
                place[name] = self.layers.with_values(place[name])
            return self._checked(function, self.layers, place)
        shape = (-1, *self._own.shape[3 - self._slab.axis :])  # the engine sends layers around
        place["layers"] = (self._slab.begin, self._slab.end)
        for name in beside:
            place[name] = place[name][self._place].reshape(shape)
        return self._checked(function, self._own.reshape(shape), place)

    def _checked(self, function: Any, values: Any, place: dict[str, Any]) -> Any:
        try:
            return function(values, self._exchange, **place)
        except sx.InputError as error:
            error.rename({"order": "order_array"})
            raise

    @property
    def own_mask(self) -> np.ndarray:
        """Which of its own points are not hidden: (n,) bool, (0,) if no process hides any."""
        mask = self.masks.mask
        return np.empty(0, bool) if mask is None else mask[self._place].reshape(-1)

    def of_whole(
        self, values: np.ndarray, mask: np.ndarray, ranks: np.ndarray | None, whole: Extent
    ) -> ImageField:
        """The field of the whole image: values (n,), mask, and ranks, if any, of all its points."""
        array = self.source.array
        made = to_vtk(values, self.source.name, array.GetDataType())
        shaped = values.reshape(shape_of(whole))
        source = replace(self.source, array=made)
        place = (np.array(self.spacing), np.array(self.origin), self.direction)
        periodic = "".join(name for name, wraps in zip("xyz", self.periodic, strict=True) if wraps)
        masks = Masks(mask.reshape(shaped.shape) if mask.size else None, nan=self.masks.nan)
        found = ImageField(source, shaped, *place, periodic, masks)
        if ranks is not None:
            found.order = ranks.reshape(shaped.shape)
        return found

    @property
    def warnings(self) -> list[str]:
        """Those of the whole image."""
        if not any(self.periodic):
            return []
        ends = [self._own.take(0, 2 - self._slab.axis), self._own.take(-1, 2 - self._slab.axis)]
        firsts, lasts = zip(*self._exchange.gather(ends), strict=True)
        found, own_axes = [], repeated_axes(self._own, self.periodic)
        for axis, wraps in enumerate(self.periodic):
            are_equal = "xyz"[axis] in own_axes
            if axis == self._slab.axis:
                are_equal = np.array_equal(firsts[0], lasts[-1])
            if wraps and all(self._exchange.gather(are_equal)):
                found.append(repeats_first("xyz"[axis]))
        return found

    def values_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Value of the highest point of each cell, which another process may have."""
        return self.find_values(cell_id)

    def find_ends(self) -> None:
        """Find the lowest and the highest point of the whole image."""
        flat, own = self._own.reshape(-1), None
        stays = self.own_mask if self.masks.mask is not None else np.ones(flat.shape, bool)
        if self.masks.nan == "mask" and flat.dtype.kind == "f":
            stays = stays & ~np.isnan(flat)
        points = np.flatnonzero(stays)
        numbers = self.compared.reshape(self.values.shape)[self._place].reshape(-1)
        compared = numbers[points]
        if compared.size:
            ends = points[[compared.argmin(), compared.size - 1 - compared[::-1].argmax()]]
            own = numbers[ends], flat[ends], ends + self._first_point
        every = [one for one in self._exchange.gather(own) if one is not None]
        lows, highs = zip(*(numbers for numbers, _, _ in every), strict=True)
        low, last = int(np.argmin(lows)), len(highs) - 1
        high = last - int(np.argmax(highs[::-1]))
        (_, (least, _), (first, _)), (_, (_, most), (_, end)) = every[low], every[high]
        self._ends = least, most, first, end

    @property
    def value_range(self) -> float:
        ends = np.array(self._ends[:2], self.values.dtype)
        if ends.dtype.kind in "iu" and ends.dtype.itemsize == 8:
            return range_between(ends, 0, 1)
        return finite_range(*ends.tolist())

    @property
    def extreme_values(self) -> tuple[float, float]:
        return float(self._ends[0]), float(self._ends[1])

    @property
    def extreme_points(self) -> np.ndarray:
        return np.array(self._ends[2:])

    def know_vertices(self, piece: Any, pairs: Any) -> None:
        """Find the points of the critical cells of pairs, which `highest_points` returns."""
        ends = ((pairs.birth_row, pairs.birth_cell), (pairs.death_row, pairs.death_cell))
        rows, cell_id = (np.concatenate(column) for column in zip(*ends, strict=True))
        rows, cell_id = rows[rows != NONE], cell_id[rows != NONE]
        critical = sx.to_host(piece.critical.vertex)
        vertices = Rows(self._exchange, piece).fetch(rows, [critical])[0]
        extremes = self.extreme_points
        cell_id = np.concatenate([cell_id, self.cells_of_points(extremes)])
        cell_id, places = np.unique(cell_id, return_index=True)
        self._known = cell_id, np.concatenate([vertices, extremes])[places]

    def highest_points(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        known, vertices = self._known
        return np.asarray(vertices[np.searchsorted(known, cell_id)])


class Rows:
    """Which process has which rows of the table of critical cells."""

    def __init__(self, exchange: Exchange, piece: Any) -> None:
        self._exchange, self._own = exchange, np.asarray(piece.rows)
        counts = np.array(exchange.gather(tuple(piece.critical.counts)))  # by process and index
        self._begins = np.cumsum(counts.T.reshape(-1)) - counts.T.reshape(-1)

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Places among the process's own rows, NONE for others."""
        found = np.searchsorted(self._own, rows)
        is_own = np.append(self._own, NONE)[found] == rows
        return np.where(is_own, found, NONE)

    def fetch(self, rows: np.ndarray, columns: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Those rows of columns of the table, of which each process has its own rows."""
        order, cuts = self._by_owner(rows)
        asked = [self.places(theirs) for theirs in self._exchange.send(np.split(rows[order], cuts))]
        found = []
        for column in columns:
            parts = self._exchange.send([column[places].reshape(-1) for places in asked])
            fetched = np.concatenate(parts).reshape(-1, *column.shape[1:])
            made = np.empty_like(fetched)
            made[order] = fetched
            found.append(made)
        return found

    def deliver(self, rows: np.ndarray, columns: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Send rows (n,) with columns (n,) to their owners: places there, and the columns."""
        order, cuts = self._by_owner(rows)
        sent = (np.split(column[order], cuts) for column in (rows, *columns))
        found = [np.concatenate(self._exchange.send(parts)) for parts in sent]
        return [self.places(found[0]), *found[1:]]

    def _by_owner(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        owner = (np.searchsorted(self._begins, rows, side="right") - 1) % self._exchange.size
        order = np.argsort(owner, kind="stable")
        return order, np.searchsorted(owner[order], np.arange(1, self._exchange.size))


def pairs_on_first(exchange: Exchange, pairs: Any) -> Any:
    """The pairs of all processes on the first, without their cells; an empty table on others."""
    finite = pairs.death_row != NONE
    columns = (pairs.dimension, pairs.birth, pairs.death, pairs.persistence, finite)
    rest = range(exchange.size - 1)
    sent = ([column, *(column[:0] for _ in rest)] for column in columns)
    dimension, birth, death, persistence, finite = (
        np.concatenate(exchange.send(parts)) for parts in sent
    )
    first, last = np.zeros(len(finite), np.int64), np.where(finite, 0, NONE)
    return sx.PersistenceDiagram(dimension, birth, death, persistence, first, last, first, last)
