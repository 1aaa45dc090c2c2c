"""What the filters ask of a field, be it on an image or on a mesh.

Cells are named by the engine's ids; on a mesh by id and dimension. The arrays that a question is
asked with, (n,) ids and (n,) dimensions, are in host memory.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

import numpy as np

from separatrix_vtk.base.input_array import InputArray


class Field(Protocol):
    """A scalar field and where it lives; see :class:`.image.ImageField`."""

    @property
    def values(self) -> np.ndarray:
        """One value a point, in the memory of `source`."""

    @property
    def source(self) -> InputArray:
        """The array."""

    @property
    def of_cells(self) -> bool:
        """Whether the array is cell data."""

    @property
    def identity(self) -> Hashable:
        """What tells this field from every other."""

    @property
    def value_range(self) -> float:
        """Highest value less lowest."""

    @property
    def dimension(self) -> int:
        """Dimension of the top cells, the index of maxima."""

    @property
    def size(self) -> dict[str, Any]:
        """How large it is, for the report."""

    @property
    def extreme_points(self) -> np.ndarray:
        """The lowest and the highest point: (2,)."""

    def attributes_of(self, dataset: Any) -> Any:
        """The point or cell data in which a label of this field has its place."""

    def use(self, result: Any) -> None:
        """Take over what a complex that was kept knows of the field."""

    def discrete_gradient(self, **options: Any) -> Any:
        """The engine's gradient."""

    def morse_smale(self, **options: Any) -> Any:
        """The raw complex."""

    def persistence_diagram(self, **options: Any) -> Any:
        """All pairs."""

    def highest_points(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Highest point of each cell: (n,) int64."""

    def values_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Value of the highest point of each cell: (n,)."""

    def positions_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Center of each cell: (n, 3) float64."""

    def cells_of_points(self, points: np.ndarray) -> np.ndarray:
        """Ids of points as cells: (k,) int64."""
