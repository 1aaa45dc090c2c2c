"""What the complexes of images and of meshes give under different names, or with different ids."""

from __future__ import annotations

import dataclasses
from typing import Any

import separatrix as sx

DIMENSIONS = 4  # 0 to 3: ids are told apart by them


def smoothed(complex: Any, lines: Any, iterations: int) -> Any:
    """Lines smoothed; junctions are cells, which on a mesh have an id and a dimension."""
    if not is_of_mesh(complex):
        return sx.smooth(lines, iterations)
    cell = DIMENSIONS * lines.cell_id + lines.cell_dimension
    moved = sx.smooth(dataclasses.replace(lines, cell_id=cell), iterations)
    return dataclasses.replace(moved, cell_id=lines.cell_id)


def top_cell_labels(complex: Any, progress: Any = None) -> Any:
    """The maximum that each top cell ascends to: a voxel, a tetrahedron or a triangle."""
    labels = complex.cell_labels if is_of_mesh(complex) else complex.top_cell_labels
    return labels(progress=progress)


def is_of_mesh(complex: Any) -> bool:
    """Whether a complex is that of a mesh."""
    return isinstance(complex, sx.MeshMorseSmaleComplex)
