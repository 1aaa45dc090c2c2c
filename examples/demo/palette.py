"""Colors and sizes in the pictures, besides those of `separatrix.plotting.palette`."""

from __future__ import annotations

import numpy as np

from separatrix.plotting.palette import (
    BLUE,
    GREEN,
    PALE,
    VERMILION,
    Category,
    categories_of,
    tint,
)

POINT_SIZE = 0.012  # radius of a critical point, in diagonals of the image's bounds


def separatrix_categories(dimension: int) -> list[Category]:
    """Values of `SeparatrixType` of lines, for an image of 2 or 3 dimensions."""
    connectors = {} if dimension < 3 else {"connector of saddles": tint(GREEN, 0.2)}
    down, up = tint(BLUE, PALE), tint(VERMILION, PALE)
    return categories_of(descending_to_a_minimum=down, **connectors, ascending_to_a_maximum=up)


def pair_categories() -> list[Category]:
    """Values of `PairType` of the persistence diagram of a volume."""
    return categories_of(minimum_and_saddle=BLUE, two_saddles=GREEN, saddle_and_maximum=VERMILION)


def point_radius(bounds: tuple[float, ...]) -> float:
    """Radius of a critical point in an image of these bounds (xmin, xmax, ymin, ...); never 0."""
    low, high = np.asarray(bounds[0::2], dtype=float), np.asarray(bounds[1::2], dtype=float)
    diagonal = float(np.linalg.norm(np.maximum(high - low, 0.0)))
    return POINT_SIZE * diagonal if diagonal > 0.0 else 0.5
