"""What the complexes of images and of meshes give under different names."""

from __future__ import annotations

from typing import Any

import separatrix as sx


def top_cell_labels(complex: Any, progress: Any = None) -> Any:
    """The maximum that each top cell ascends to: a voxel, a tetrahedron or a triangle."""
    labels = complex.cell_labels if is_of_mesh(complex) else complex.top_cell_labels
    return labels(progress=progress)


def is_of_mesh(complex: Any) -> bool:
    """Whether a complex is that of a mesh."""
    return isinstance(complex, sx.MeshMorseSmaleComplex)
