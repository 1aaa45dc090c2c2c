"""The filter on the relations of a mesh as a function: a mesh in, its outputs out."""

from __future__ import annotations

from typing import Any, NamedTuple

from separatrix_vtk.base.call import call, vtk_dataset, with_settings_of
from separatrix_vtk.base.input_array import POINTS
from separatrix_vtk.filters.mesh.mesh_relations import MeshRelations


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
    mesh : vtkUnstructuredGrid, vtkPolyData, blocks of these, or a PyVista dataset
    segments : name of a point array of whole numbers, the segment of each point; by default an
        octree cuts the mesh
    **options : the settings below; `relations` may be a list of names

    Returns
    -------
    MeshRelationsOutputs : mesh, edges, triangles, boundary (polydata), relations and statistics
        (tables)

    Examples
    --------
    >>> import pyvista
    >>> found = mesh_relations(pyvista.Icosahedron(), relations=["VV", "EF"], compute_edges=True)
    >>> found.edges.n_lines
    30
    >>> len(found.relations.field_data["VV_Items"])  # each edge from both its ends
    60
    """
    dataset = vtk_dataset(
        mesh, "a mesh of VTK was expected", "arrays without VTK: separatrix.TetMesh"
    )
    filter = MeshRelations()
    if isinstance(options.get("relations"), (list, tuple)):
        options["relations"] = ",".join(map(str, options["relations"]))
    if segments is not None:
        filter.segmentation = "array"
        filter.SetInputArrayToProcess(0, 0, 0, POINTS, segments)
    return MeshRelationsOutputs(*call("mesh_relations", filter, dataset, options))
