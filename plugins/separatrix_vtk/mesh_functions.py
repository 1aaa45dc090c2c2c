"""The filter on the relations of a mesh as a function: a mesh in, its outputs out."""

from __future__ import annotations

from typing import Any, NamedTuple

from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.filter import Progress
from separatrix_vtk.base.input_array import POINTS
from separatrix_vtk.functions import set_options, with_settings_of, wrapper_for
from separatrix_vtk.mesh.mesh_relations import MeshRelations


class MeshRelationsOutputs(NamedTuple):
    """The outputs of MeshRelations; its documentation names their arrays."""

    mesh: Any
    edges: Any
    triangles: Any
    boundary: Any
    relations: Any
    statistics: Any


@with_settings_of(MeshRelations)
def mesh_relations(mesh: Any, segments: str | None = None, **options: Any) -> MeshRelationsOutputs:
    """Relations of a mesh of tetrahedra or triangles.

    Parameters
    ----------
    mesh : vtkUnstructuredGrid, vtkPolyData, or a PyVista dataset
    segments : name of a point array of whole numbers, the segment of each point; by default an
        octree cuts the mesh
    **options : the settings below, and `progress`; `relations` may be a list of names

    Returns
    -------
    MeshRelationsOutputs : mesh, edges, triangles, boundary (polydata), relations and statistics
        (tables)

    >>> found = mesh_relations(mesh, relations="VV,FT", compute_edges=True)
    >>> found.relations.GetFieldData().GetArray("VV_Items")
    """
    if not hasattr(mesh, "GetPointData"):
        raise FilterError(
            f"a mesh of VTK was expected, {type(mesh).__name__} came "
            "(arrays without VTK: separatrix.TetMesh)"
        )
    filter = MeshRelations()
    if isinstance(options.get("relations"), (list, tuple)):
        options["relations"] = ",".join(map(str, options["relations"]))
    progress: Progress | None = options.pop("progress", None)
    set_options("mesh_relations", filter, options)
    if segments is not None:
        filter.segmentation = "array"
        filter.SetInputArrayToProcess(0, 0, 0, POINTS, segments)
    wrap = wrapper_for(mesh)
    return MeshRelationsOutputs(*(wrap(output) for output in filter.run(mesh, progress)))
