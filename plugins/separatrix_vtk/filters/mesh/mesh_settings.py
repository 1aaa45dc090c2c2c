"""What a user can set of any filter that takes meshes."""

from __future__ import annotations

from typing import Any

from separatrix_vtk.base.filter import Filter
from separatrix_vtk.base.settings import ChoiceSetting, Setting
from separatrix_vtk.filters.mesh.cells import can_be_cut


class MeshSettings(Filter):
    """How a mesh is read."""

    tetrahedralize = Setting(
        False,
        "cut cells that are no tetrahedra or triangles into such, by VTK (meshes only)",
        name="Tetrahedralize",
    )
    on_duplicates = ChoiceSetting(
        "error",
        "drop",
        documentation="what to do with cells that are there twice or have a point twice: refuse "
        "the mesh, or leave them out (meshes only)",
        name="OnDuplicates",
    )

    def tetrahedralize_points(self, dataset: Any) -> bool:
        """Whether a dataset that is no mesh is to be cut into one: a structured grid."""
        return self.tetrahedralize and can_be_cut(dataset)
