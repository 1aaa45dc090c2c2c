"""The relations between the points, edges, triangles, and tetrahedra of a mesh.

(id) is vtkIdType, (i8) signed char, (i32) int, (i64) a 64-bit integer, (d) double. Points and cells
have the ids of the input; ids of edges and of the triangles of tetrahedra are their positions on
ports 1 and 2.

port 0  Mesh           the input with
    point   NumberOfNeighbors, NumberOfTriangles, NumberOfTetrahedra (i32)  for tetrahedra
            IsOnBoundary (i8)      1 on the boundary, which consists of the facets of single cells
            SegmentId (i32)        the segment of the point
    cell    NumberOfFaceNeighbors (i32)  tetrahedra that share a triangle with it; of a triangle
                                   NumberOfEdgeNeighbors, triangles that share an edge
            Neighbors (i32, 4)     if enabled: the tetrahedron across each face, -1 for none
            IsOnBoundary (i8)      1 if one of its facets is on the boundary
            SegmentId (i32)        the segment of its first vertex in mesh order
port 1  Edges          if enabled, lines between the points of the mesh
    cell    EdgeId (id), NumberOfTriangles, NumberOfTetrahedra (i32), IsOnBoundary (i8)
port 2  Triangles      if enabled, polygons
    cell    TriangleId (id), NumberOfTetrahedra or NumberOfEdgeNeighbors (i32), IsOnBoundary (i8)
port 3  Boundary       triangles with normals outward (lines of a triangle mesh), and their points
    point   vtkOriginalPointIds (id), and the input's arrays;  cell  vtkOriginalCellIds (id)
port 4  Relations      a table with one row per selected relation: Relation, Rows, Items,
                       ShortestRow, LongestRow, Bytes (i64)
    field   XY_Offsets (i64), XY_Items (i32)  row i of the relation XY is
                                   XY_Items[XY_Offsets[i]:XY_Offsets[i + 1]], ascending
port 5  Statistics     a table of Quantity (text) and Value (d)
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import separatrix as sx
from separatrix.errors import Words
from separatrix.options import MeshRelationsOptions
from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.base.computing import ComputingFilter, counted
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.filters.mesh.cells import NAMES, MeshCells, mesh_cells, require_cells
from separatrix_vtk.filters.mesh.field import CLASSES
from separatrix_vtk.filters.mesh.relation_outputs import (
    EDGES,
    TRIANGLES,
    VERTICES,
    add_counts,
    add_neighbors,
    add_places,
    statistics_of,
    write_boundary,
    write_relations,
    write_simplices,
    write_statistics,
)

LETTERS = {2: "VEF", 3: "VEFT"}


class MeshRelations(MeshRelationsOptions, ComputingFilter):
    """Relations of a mesh of tetrahedra or triangles, and counts for points and cells.

    Input: vtkUnstructuredGrid or vtkPolyData.

    >>> relations = MeshRelations(relations="VV,FT", compute_edges=True)
    >>> relations.SetInputConnection(source.GetOutputPort())
    >>> relations.Update()
    >>> relations.GetOutput(4).GetFieldData().GetArray("VV_Items")
    """

    INPUT_TYPE = "vtkDataSet"
    OUTPUTS = (
        ("Mesh", "vtkDataSet"),
        ("Edges", "vtkPolyData"),
        ("Triangles", "vtkPolyData"),
        ("Boundary", "vtkPolyData"),
        ("Relations", "vtkTable"),
        ("Statistics", "vtkTable"),
    )

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        require_cells(inputs[0], self.tetrahedralize)
        cells = mesh_cells(inputs[0], self.tetrahedralize)
        for text in cells.warnings:
            self.warn(text)
        names = relation_names(self.relations, cells.dimension)
        mesh = self._mesh(cells)
        begun = time.perf_counter()
        output, edges, triangles, boundary, relations, statistics = outputs
        output.ShallowCopy(cells.dataset)
        add_places(output, mesh)
        if self.compute_counts:
            self.step(0.4, "counts")
            add_counts(output.GetPointData(), mesh, VERTICES)
            add_counts(output.GetCellData(), mesh, mesh.dimension, active=False)
        if self.compute_neighbors and not add_neighbors(output, mesh):
            self.warn(
                "Neighbors were omitted, because they are defined only if no three tetrahedra "
                "share a face."
            )
        if self.compute_edges:
            self.step(0.5, "edges")
            write_simplices(edges, mesh, cells.dataset, EDGES)
        if self.compute_triangles:
            self.step(0.6, "triangles")
            write_simplices(triangles, mesh, cells.dataset, TRIANGLES)
        if self.compute_boundary:
            self.step(0.7, "boundary")
            write_boundary(boundary, mesh, cells.dataset, cells.corners)
        of_relations = {}
        if names:
            self.step(0.8, "relations")
            of_relations = write_relations(relations, mesh, names)
        self.step(0.9, "statistics")
        numbers = statistics_of(mesh, lambda: self.step(0.95, "statistics"))
        write_statistics(statistics, numbers)
        seconds = {**mesh.session.timings, **of_relations, "relations": time.perf_counter() - begun}
        self._report = {
            "device": mesh.session.place,
            "points": len(cells.points),
            NAMES[cells.dimension]: len(cells.corners),
            "relations": names,
            "statistics": numbers,
            "seconds": {name: float(value) for name, value in seconds.items()},
        }

    def result_lines(self, report: Mapping[str, Any]) -> list[str]:
        name = next(name for name in NAMES.values() if name in report)
        return [counted(report["points"], "points"), counted(report[name], name)]

    def _mesh(self, cells: MeshCells) -> Any:
        segments: Any = None if self.segmentation == "octree" else self.segmentation
        if self.segmentation == "array":
            chosen = self.input_array(cells.dataset)
            segments = from_vtk(chosen.array)
            if len(segments) != len(cells.points) or segments.dtype.kind not in "iu":
                raise FilterError(
                    *("segments", f"an integer for each of the {len(cells.points):,} points"),
                    Words(f"{segments.dtype} of {len(segments):,} values ('{chosen.name}')"),
                )
        return getattr(sx, CLASSES[cells.dimension])(
            cells.points,
            cells.corners,
            segment_size=self.segment_size,
            segments=segments,
            on_duplicates=self.on_duplicates,
            **self.engine_options(0.0, 0.35),
        )


def relation_names(given: tuple[str, ...], dimension: int) -> list[str]:
    """The distinct names of relations in capitals. Raises FilterError for other words."""
    letters = LETTERS[dimension]
    names = list(dict.fromkeys(name.upper() for name in given))
    for name in names:
        if len(name) != 2 or not set(name) <= set(letters):
            known = " ".join(a + b for a in letters for b in letters)
            raise FilterError("relations", f"some of {known} for {NAMES[dimension]}", name)
    return names
