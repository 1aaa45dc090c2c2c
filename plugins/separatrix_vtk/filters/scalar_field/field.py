"""The scalar field of an image or a mesh, as the filters and their writers use it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from separatrix import InputError
from separatrix_vtk.base.arrays import from_vtk, range_between
from separatrix_vtk.base.input_array import CELLS, InputArray


class Field:
    """Base class of `ImageField` and `MeshField`.

    Cells have the engine's ids; on a mesh, ids are unique for each dimension. The arrays (n,) of
    ids and of dimensions that methods take are in host memory.
    """

    identity: Hashable  # unique, because VTK's modification times are
    dimension: int  # of the top cells, which is the index of maxima
    size: dict[str, Any]  # of the image or mesh, for the report

    order: Any = "index"  # as the engine takes it: an array has the shape of the values

    def __init__(self, source: InputArray, values: np.ndarray) -> None:
        self.source, self.values = source, values  # of any shape, in the memory of `source`
        self.of_cells = source.association == CELLS

    def order_by(self, order: str, ranks: InputArray | None) -> None:
        """Order equal values as "index" or "plateau" does, or by ranks."""
        self.order = order
        if ranks is not None:
            self.order = from_vtk(ranks.array).reshape(self.values.shape)
        self.identity = (self.identity, order, ranks and ranks.array.GetMTime())

    @property
    def compared(self) -> np.ndarray:
        """Numbers that order the points, before their index: given ranks (n,), otherwise values."""
        return (self.values if isinstance(self.order, str) else self.order).reshape(-1)

    @property
    def value_range(self) -> float:
        """Difference of the highest and the lowest value."""
        return range_between(self.values.reshape(-1), *self.extreme_points.tolist())

    @property
    def extreme_values(self) -> tuple[float, float]:
        """The lowest and the highest value, by the same order."""
        low, high = map(float, self.values.reshape(-1)[self.extreme_points])
        return low, high

    @property
    def extreme_points(self) -> np.ndarray:
        """The lowest and the highest point, in the same order: (2,)."""
        raise NotImplementedError

    def attributes_of(self, dataset: Any) -> Any:
        """The point or cell data to which labels of this field belong."""
        return dataset.GetCellData() if self.of_cells else dataset.GetPointData()

    def of_cells_of_input(self, labels: np.ndarray) -> np.ndarray:
        """The labels of those top cells that are cells of the input: (n,)."""
        return labels.reshape(-1)

    # === the engine

    def use(self, result: Any) -> None:
        """Reuse the domain of a cached complex."""

    def engine_arguments(self, options: dict[str, Any]) -> dict[str, Any]:
        """Keywords of the engine: the domain, and `options` of a long call."""
        raise NotImplementedError

    def compute(self, function: Callable[..., Any], **options: Any) -> Any:
        """The result of a function of the engine for this field."""
        try:
            return function(self.values, order=self.order, **self.engine_arguments(options))
        except InputError as error:
            error.rename({"order": "order_array"})
            raise

    # === cells

    def highest_points(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Highest point of each cell, in the order by `compared` and index: (n,) int64."""
        raise NotImplementedError

    def values_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Value of the highest point of each cell: (n,) of the type of the field."""
        return np.asarray(self.values.reshape(-1)[self.highest_points(cell_id, dimension)])

    def positions_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Center of each cell: (n, 3) float64."""
        raise NotImplementedError

    def nearest_copies(self, positions: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Positions (n, 3), moved by whole periods of the domain to be the nearest to `others`."""
        return positions

    def cells_of_points(self, points: np.ndarray) -> np.ndarray:
        """Ids of points as cells: (k,) int64."""
        raise NotImplementedError
