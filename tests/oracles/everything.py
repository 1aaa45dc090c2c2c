"""All results of the engine for one image, by name, to compare them bit for bit."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

import separatrix as sx

SEGMENTATIONS = ("descending", "ascending", "morse_smale")
CRITICAL_COLUMNS = ("cell_id", "index", "value", "vertex", "position", "on_boundary")
LINE_COLUMNS = (
    "points", "cell_id", "cell_dimension", "offsets", "source", "destination", "separatrix",
)  # fmt: skip
SURFACE_COLUMNS = (
    "points",
    "cell_id",
    "cell_dimension",
    "offsets",
    "corners",
    "source",
    "polygon_cell_id",
)


def everything(values: Any, **options: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Name -> NumPy array, for every array of discrete_gradient and morse_smale."""
    arrays = everything_of(sx.morse_smale(values, **options))
    arrays["codes"] = sx.to_host(sx.discrete_gradient(values, **options).codes())
    return arrays


def everything_of(found: sx.MorseSmaleComplex) -> dict[str, np.ndarray[Any, Any]]:
    """Name -> NumPy array, for critical cells, labels, lines and surfaces of a complex."""
    arrays: dict[str, Any] = {"codes": found.gradient.codes()}
    arrays |= {f"critical.{c}": getattr(found.critical, c) for c in CRITICAL_COLUMNS}
    arrays |= {kind: found.segmentation(kind) for kind in SEGMENTATIONS}
    arrays["top cells"] = found.cell_labels()
    arrays["sizes"] = found.manifold_sizes()
    for kind in ("descending", "ascending"):
        lines = found.separatrices(1, kind)
        arrays |= {f"{kind} lines.{c}": getattr(lines, c) for c in LINE_COLUMNS}
        if found.domain.dimension == 3:
            surfaces = found.separatrices(2, kind)
            arrays |= {f"{kind} surfaces.{c}": getattr(surfaces, c) for c in SURFACE_COLUMNS}
    return {name: sx.to_host(array) for name, array in arrays.items()}


def quadrilaterals_of(surfaces: Any) -> np.ndarray[Any, Any]:
    """Corners (f, 4) of the polygons of an image, which all have four."""
    assert (np.diff(sx.to_host(surfaces.offsets)) == 4).all()
    return sx.to_host(surfaces.corners).reshape(-1, 4)


def assert_same_bits(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Assert that every array of both has the same dtype, shape, and bytes."""
    assert one.keys() == other.keys()
    for name, array in one.items():
        assert array.dtype == other[name].dtype, name
        assert array.shape == other[name].shape, name
        if array.tobytes() != other[name].tobytes():
            np.testing.assert_array_equal(array, other[name], name)
            raise AssertionError(f"{name}: equal numbers with different bits")


def bars_of(diagram: sx.PersistenceDiagram) -> Counter[tuple[int, float, float]]:
    """(dimension, birth, death) of each pair."""
    columns = (diagram.dimension, diagram.birth, diagram.death)
    return Counter(zip(*(sx.to_host(c).tolist() for c in columns), strict=True))
