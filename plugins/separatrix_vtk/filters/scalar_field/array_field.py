"""Values on a grid in space as the field that the engine is asked through, without VTK."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import separatrix as sx


@dataclass(frozen=True)
class ArrayField:
    """values (nz, ny, nx), (ny, nx) or (nx,); spacing, origin (3,), direction (3, 3)."""

    values: np.ndarray
    spacing: tuple[float, ...]
    origin: tuple[float, ...]
    direction: np.ndarray

    @property
    def grid(self) -> sx.Grid:
        """The engine's grid of this field."""
        n_x, n_y, n_z = (*reversed(self.values.shape), 1, 1)[:3]
        x, y, z = self.spacing
        a, b, c = self.origin
        direction = tuple(np.ravel(self.direction).tolist())
        return sx.Grid((n_x, n_y, n_z), (x, y, z), (a, b, c), direction)

    @property
    def dimension(self) -> int:
        """How many axes are longer than one point."""
        return int(self.grid.dimension)

    @property
    def size(self) -> dict[str, Any]:
        """How large the image is, for the report."""
        return {"dimensions": tuple(int(n) for n in self.grid.dimensions)}

    def engine_arguments(self) -> dict[str, Any]:
        """Where the field lies in space, as the engine's keywords."""
        return {"spacing": self.spacing, "origin": self.origin, "direction": self.direction}

    def discrete_gradient(self, **options: Any) -> Any:
        """The engine's gradient."""
        return sx.discrete_gradient(self.values, **self.engine_arguments(), **options)

    def morse_smale(self, **options: Any) -> Any:
        """The raw complex."""
        return sx.morse_smale(self.values, **self.engine_arguments(), **options)

    def persistence_diagram(self, **options: Any) -> Any:
        """All pairs."""
        return sx.persistence_diagram(self.values, **self.engine_arguments(), **options)

    def positions_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Center of each cell: (n, 3) float64."""
        return np.asarray(self.grid.positions(cell_id))
