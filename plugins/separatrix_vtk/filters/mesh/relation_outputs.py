"""Relations of a mesh as VTK datasets.

Counts are computed from relations span by span, so there is never a list of all neighbors.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData, vtkTable

import separatrix as sx
from separatrix_vtk.base.arrays import (
    NONE,
    add,
    add_rows,
    cells_of_one_size,
    fill_polydata,
    from_vtk,
    ids_to_vtk,
    texts_to_vtk,
    to_vtk,
    vtk_points,
)

SPAN = 1 << 16  # vertices whose rows are computed together
VERTICES, EDGES, TRIANGLES = 0, 1, 2
COUNTS = {  # dimensions of the mesh and of the simplices -> array: relation whose rows it counts
    (2, 0): {"NumberOfNeighbors": "VV", "NumberOfTriangles": "VF"},
    (3, 0): {"NumberOfNeighbors": "VV", "NumberOfTriangles": "VF", "NumberOfTetrahedra": "VT"},
    (2, 1): {"NumberOfTriangles": "EF"},
    (3, 1): {"NumberOfTriangles": "EF", "NumberOfTetrahedra": "ET"},
    (2, 2): {"NumberOfEdgeNeighbors": "FF"},
    (3, 2): {"NumberOfTetrahedra": "FT"},
    (3, 3): {"NumberOfFaceNeighbors": "TT"},
}


def spans(relation: Any, n_points: int) -> Iterator[Any]:
    """The rows of a relation, one span of segments after the other."""
    n = relation.n_segments
    step = max(1, n * SPAN // max(n_points, 1))
    for begin in range(0, n, step):
        yield relation.segment(begin, min(begin + step, n))


def lengths_of(mesh: Any, name: str) -> np.ndarray:
    """Number of simplices in each row of a relation: (n,) int32 by id."""
    relation = mesh.relation(name)
    found = np.zeros(len(relation), np.int32)
    for rows in spans(relation, mesh.counts[0]):
        if not len(rows):
            continue
        ids = sx.to_host(rows.ids)
        if rows.offsets is not None:
            found[ids] = np.diff(sx.to_host(rows.offsets))
        else:
            found[ids] = (sx.to_host(rows.table) != NONE).sum(axis=1)
    return found


def flags(values: Any) -> np.ndarray:
    """0 and 1 as signed chars."""
    return sx.to_host(values).astype(np.int8)


def add_counts(attributes: Any, mesh: Any, dimension: int, active: bool = True) -> None:
    """Numbers of neighbors and cofaces of each simplex of a dimension."""
    columns = COUNTS[mesh.dimension, dimension]
    for name, relation in columns.items():
        add(attributes, to_vtk(lengths_of(mesh, relation), name))
    if active:
        attributes.SetActiveScalars(next(iter(columns)))


def add_neighbors(output: Any, mesh: Any) -> bool:
    """Add the tetrahedra across faces, if possible; face k lacks point 3 - k in mesh order."""
    if mesh.dimension == 2 or len(mesh.crowded_triangles):
        return False
    neighbors = np.full((output.GetNumberOfCells(), 4), NONE, np.int32)
    for rows in spans(mesh.relation("TT"), mesh.counts[0]):
        if len(rows):
            neighbors[sx.to_host(rows.ids)] = sx.to_host(rows.table)
    add(output.GetCellData(), to_vtk(neighbors, "Neighbors"))
    return True


def add_places(output: Any, mesh: Any) -> None:
    """Segments and boundary flags of points and cells."""
    add(
        output.GetPointData(),
        to_vtk(flags(mesh.is_on_boundary(0)), "IsOnBoundary"),
        to_vtk(sx.to_host(mesh.segment_of_points()), "SegmentId"),
    )
    add(
        output.GetCellData(),
        to_vtk(flags(mesh.is_on_boundary(mesh.dimension)), "IsOnBoundary"),
        to_vtk(sx.to_host(mesh.segment_of_cells()), "SegmentId"),
    )


def write_simplices(output: vtkPolyData, mesh: Any, dataset: Any, dimension: int) -> None:
    """All edges or triangles between the points of the mesh, in the order of their ids.

    Those of the triangles of a triangle mesh are its cell ids.
    """
    corners = sx.to_host(mesh.edges if dimension == EDGES else mesh.triangles)
    output.SetPoints(dataset.GetPoints())
    output.GetPointData().ShallowCopy(dataset.GetPointData())
    set_cells, name = (
        (output.SetLines, "EdgeId") if dimension == EDGES else (output.SetPolys, "TriangleId")
    )
    set_cells(cells_of_one_size(corners))
    add(output.GetCellData(), ids_to_vtk(np.arange(len(corners)), name))
    add_counts(output.GetCellData(), mesh, dimension)
    add(output.GetCellData(), to_vtk(flags(mesh.is_on_boundary(dimension)), "IsOnBoundary"))


def write_boundary(output: vtkPolyData, mesh: Any, dataset: Any, corners: np.ndarray) -> None:
    """The facets of single cells with normals outward, and the data of their points.

    corners: points (n, d + 1) of the cells of the mesh.
    """
    facet = mesh.dimension - 1
    ids = np.flatnonzero(flags(mesh.is_on_boundary(facet)))
    points = from_vtk(dataset.GetPoints().GetData()).reshape(-1, 3)
    if not len(ids):
        return fill_polydata(output, points[:0])
    shape, above = ("FV", "FT") if facet == 2 else ("EV", "EF")
    facets = sx.to_host(mesh.relation(shape)[ids].table).copy()
    rows = mesh.relation(above)[ids]
    # A row of a table has an item and NONE, any other row its only item.
    cells = sx.to_host(rows.items if rows.width is None else rows.table[:, 0])
    if facet == 2:
        opposite = corners[cells].sum(axis=1) - facets.sum(axis=1)
        a, b, c = (points[facets[:, k]].astype(np.float64) for k in range(3))
        inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), points[opposite] - a) > 0
        facets[inward] = facets[inward][:, [0, 2, 1]]
    used, places = np.unique(facets, return_inverse=True)
    output.SetPoints(vtk_points(points[used]))
    set_cells = output.SetPolys if facet == 2 else output.SetLines
    set_cells(cells_of_one_size(places.reshape(facets.shape)))
    add_rows(output.GetPointData(), dataset.GetPointData(), used)
    add(output.GetPointData(), ids_to_vtk(used, "vtkOriginalPointIds"))
    add(output.GetCellData(), ids_to_vtk(cells, "vtkOriginalCellIds"))


def write_relations(output: vtkTable, mesh: Any, names: list[str]) -> dict[str, float]:
    """One row per relation, with the offsets and items of its rows in the field data.

    Returns the seconds that each took.
    """
    table: dict[str, list[Any]] = {
        "Rows": [], "Items": [], "ShortestRow": [], "LongestRow": [], "Bytes": []
    }  # fmt: skip
    seconds = {}
    for name in names:
        begun = time.perf_counter()
        rows = mesh.relation(name).to_csr()
        offsets, items = sx.to_host(rows.offsets), sx.to_host(rows.items)
        output.GetFieldData().AddArray(to_vtk(offsets, f"{name}_Offsets"))
        output.GetFieldData().AddArray(to_vtk(items, f"{name}_Items"))
        lengths = np.diff(offsets)
        numbers = (
            len(lengths),
            len(items),
            lengths.min(initial=len(items)),
            lengths.max(initial=0),
            offsets.nbytes + items.nbytes,
        )
        seconds[name] = time.perf_counter() - begun
        for column, number in zip(table.values(), numbers, strict=True):
            column.append(int(number))
    output.AddColumn(texts_to_vtk(names, "Relation"))
    for column_name, column in table.items():
        output.AddColumn(to_vtk(np.array(column, np.int64), column_name))
    return seconds


def write_statistics(output: vtkTable, numbers: dict[str, float]) -> None:
    """One row per number."""
    output.AddColumn(texts_to_vtk(numbers, "Quantity"))
    output.AddColumn(to_vtk(np.array(list(numbers.values()), np.float64), "Value"))


def statistics_of(mesh: Any, step: Callable[[], None]) -> dict[str, float]:
    """Statistics of a mesh by name. `step` is called between them."""
    counts = mesh.counts
    numbers: dict[str, float] = {"Points": mesh.simplices.n_vertices}
    for name, count in zip(("Vertices", "Edges", "Triangles", "Tetrahedra"), counts, strict=False):
        numbers[name] = int(count)
    step()
    numbers["Euler characteristic"] = int(mesh.euler_characteristic)
    numbers["Components"] = int(mesh.n_components)
    step()
    facet = mesh.dimension - 1
    for d in range(facet + 1):
        name = ("vertices", "edges", "triangles")[d]
        numbers[f"Boundary {name}"] = int(np.count_nonzero(sx.to_host(mesh.is_on_boundary(d))))
    numbers["Unused points"] = int(mesh.n_unused)
    numbers["Coincident points"] = int(mesh.n_coincident)
    numbers["Omitted cells"] = int(mesh.n_dropped)
    if mesh.dimension == 3:
        numbers["Flat tetrahedra"] = int(mesh.n_flat)
        numbers["Triangles of three or more tetrahedra"] = len(mesh.crowded_triangles)
    step()
    sizes = np.diff(sx.to_host(mesh.segments.starts))
    numbers["Segments"] = len(sizes)
    numbers["Vertices of the largest segment"] = int(sizes.max(initial=0))
    numbers["Mean segments of a cell"] = mean_segments_of_a_cell(mesh)
    v = max(counts[0], 1)
    numbers["Mean neighbors of a vertex"] = 2 * counts[1] / v
    numbers["Mean triangles of a vertex"] = 3 * counts[2] / v
    if mesh.dimension == 3:
        numbers["Mean tetrahedra of a vertex"] = 4 * counts[3] / v
        numbers["Mean tetrahedra of an edge"] = 6 * counts[3] / max(counts[1], 1)
    return numbers


def mean_segments_of_a_cell(mesh: Any) -> float:
    """Mean number of segments that contain a corner of a cell; such a cell is in all of them."""
    corners = sx.to_host(mesh.relation("TV" if mesh.dimension == 3 else "FV").to_table())
    segments = np.sort(sx.to_host(mesh.segment_of_points())[corners], axis=1)
    n_changes = np.count_nonzero(segments[:, 1:] != segments[:, :-1])
    return 1.0 + int(n_changes) / len(corners) if len(corners) else 0.0
