"""Options of the relations of a mesh."""

from __future__ import annotations

from typing import ClassVar, Literal

from .option import option
from .shared import ExecutionOptions, MeshOptions


class MeshRelationsOptions(MeshOptions, ExecutionOptions, group="Output"):
    """Options of the relations of a mesh, in the order of their panel."""

    GROUP_TITLES: ClassVar = {"Field": "Mesh"}

    segments: str | None = option(
        default=None,
        title="Segment Array",
        array_of="any",
        advanced=True,
        needs=("segmentation", "array"),
        group="Mesh",
        summary="Point array of integers with the segment of each point.",
        details="It is used only if {segmentation} is Array.",
    )
    segmentation: Literal["octree", "runs", "array"] = option(
        default="octree",
        advanced=True,
        group="Mesh",
        summary="How to group the points into segments, for which relations are computed together.",
        details="Octree: leaves of an octree. Runs: equal numbers of points along a space-filling "
        "curve. Array: the array {segments}. For Octree and Runs, the ids of edges and triangles "
        "do not depend on the segments.",
    )
    segment_size: int = option(
        default=100,
        at_least=1,
        usual=(1, 1000),
        advanced=True,
        needs=("segmentation", "octree", "runs"),
        group="Mesh",
        summary="Maximum number of points per segment, if {segmentation} is Octree or Runs.",
    )
    compute_counts: bool = option(
        default=True,
        summary='Add the numbers of neighbors, triangles, and tetrahedra of each point to "Mesh", '
        "and the number of neighbors of each cell.",
        details="The arrays are NumberOfNeighbors, NumberOfTriangles, and NumberOfTetrahedra, and "
        "for cells NumberOfFaceNeighbors (of triangles, NumberOfEdgeNeighbors).",
    )
    compute_neighbors: bool = option(
        default=False,
        summary='Add the cell array Neighbors to "Mesh": the tetrahedron across each of the four '
        "faces of a tetrahedron, or -1.",
    )
    compute_edges: bool = option(
        default=False,
        summary='Compute the output "Edges": all edges as lines, with their numbers of triangles '
        "and tetrahedra.",
        details="A mesh has about seven times as many edges as points.",
    )
    compute_triangles: bool = option(
        default=False,
        summary='Compute the output "Triangles": all triangles, with their number of tetrahedra.',
        details="That number is 1 or 2, or larger if the mesh is not a manifold. A mesh has about "
        "twelve times as many triangles as points.",
    )
    compute_boundary: bool = option(
        default=True,
        summary='Compute the output "Boundary": the triangles with a single tetrahedron, oriented '
        "outward, with the point data of the input.",
        details="For a triangle mesh, it consists of the edges with a single triangle.",
    )
    relations: tuple[str, ...] = option(
        default=(),
        separated=True,
        affects_result=False,
        summary='Relations to compute for the output "Relations", separated by commas.',
        details="Each is named by two of the letters V (point), E (edge), F (triangle), and T "
        "(tetrahedron): VT lists the tetrahedra of each point, and VV, EE, FF, and TT list "
        "neighbors. The lists are field data: XY_Items, split into rows at XY_Offsets.",
    )
