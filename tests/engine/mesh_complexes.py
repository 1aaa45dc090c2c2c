"""Complexes of meshes in the words of the oracle: simplices as tuples of the user's points."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np

import separatrix as sx
from oracles import mesh_complex as oracle
from oracles.connectors import connector_cells
from oracles.mesh_gradient import (
    REGULAR,
    MeshGradient,
    Simplex,
    SimplicialComplex,
    critical_vector,
    mesh_gradient,
    point_type,
)
from oracles.surfaces import reached
from oracles.walks import ascending_path, descending_path

Mesh = sx.TetMesh | sx.TriangleMesh


def mesh_of(points: Any, cells: Any, **options: Any) -> Mesh:
    kind = sx.TetMesh if cells.shape[1] == 4 else sx.TriangleMesh
    return kind(points, cells, **options)


def complex_of(points: Any, cells: Any, values: Any, **options: Any) -> sx.MorseSmaleComplex:
    return mesh_of(points, cells, **options).morse_smale(values)


def walked(cells: Any, values: Any) -> tuple[SimplicialComplex, MeshGradient]:
    mesh = SimplicialComplex(cells, np.asarray(values))
    return mesh, mesh_gradient(mesh)


def assert_points_are_the_oracles(made: Mesh, cells: Any, values: Any) -> None:
    """Types by the pieces of links, vectors by the Betti numbers of lower links."""
    expected = SimplicialComplex(cells, values)
    found = made.critical_points(values)
    boundary, used = expected.boundary_points(), [v for (v,) in expected.simplices[0]]
    types, vectors = [REGULAR] * len(values), np.zeros((len(values), 4), int)
    for v in used:
        types[v], vectors[v] = point_type(expected, v, boundary), critical_vector(expected, v)
    assert sx.to_host(found.types).tolist() == types
    points = [v for v in used if types[v] != REGULAR or vectors[v].any()]
    assert sx.to_host(found.point).tolist() == points
    assert sx.to_host(found.vector).tolist() == vectors[points].tolist()
    assert sx.to_host(found.type).tolist() == [types[v] for v in points]
    assert sx.to_host(found.value).tolist() == values[points].tolist()
    assert found.counts == tuple(sum(types[v] == t for v in points) for t in range(5))
    assert found.totals == tuple(vectors.sum(axis=0))
    assert found.euler_characteristic == expected.euler_characteristic


class Names:
    """Points of a simplex of the engine."""

    def __init__(self, mesh: Mesh, cells: Any):
        tables = [None, mesh.edges, mesh.triangles]
        self.of_dimension: list[list[Simplex]] = [[(v,) for v in range(len(mesh.points))]]
        for table in tables[1 : mesh.dimension]:
            rows = sx.to_host(table).tolist()
            self.of_dimension.append([tuple(sorted(row)) for row in rows])
        self.of_dimension.append([tuple(sorted(row)) for row in cells.tolist()])

    def __call__(self, dimensions: Any, ids: Any) -> list[Simplex]:
        pairs = zip(sx.to_host(dimensions).tolist(), sx.to_host(ids).tolist(), strict=True)
        return [self.of_dimension[d][i] for d, i in pairs]


def rows_of(found: sx.MorseSmaleComplex | sx.DiscreteGradient, cells: Any) -> list[Simplex]:
    return Names(found.domain, cells)(found.critical.index, found.critical.cell_id)


def pieces(offsets: Any, items: list[Any]) -> list[list[Any]]:
    ends = sx.to_host(offsets).tolist()
    return [items[a:b] for a, b in pairwise(ends)]


def assert_codes_are_the_gradients(
    mesh: Mesh, found: sx.DiscreteGradient, cells: Any, expected: MeshGradient
) -> None:
    """Each simplex has the code of its pair; a point of no cell has code 6."""
    names, simplices = Names(mesh, cells), mesh.simplices
    place = sx.to_host(simplices.vertex_of).tolist()
    for dimension, codes in enumerate(found.codes()):
        ids = {0: simplices.point_of, mesh.dimension: simplices.cell_of}.get(dimension)
        ids = np.arange(codes.size) if ids is None else sx.to_host(ids)
        simplex_of = names([dimension] * codes.size, ids)
        for simplex, code in zip(simplex_of, sx.to_host(codes).tolist(), strict=True):
            is_used = simplex in expected.partner or simplex in expected.critical
            assert code == (expected.code(simplex, place) if is_used else 6), simplex


def assert_networks_are_the_oracles(
    found: sx.MorseSmaleComplex, cells: Any, gradient: MeshGradient
) -> None:
    names, rows = Names(found.domain, cells), rows_of(found, cells)
    lines = found.separatrices(1, "saddle")
    paths = pieces(lines.offsets, names(lines.cell_dimension, lines.cell_id))
    ends = [
        (rows[p], rows[q])
        for q, p in zip(sx.to_host(lines.source), sx.to_host(lines.destination), strict=True)
    ]
    drawn: dict[Any, set[Simplex]] = {}
    inner: Counter[Any] = Counter()
    for arc, path in zip(ends, paths, strict=True):
        assert all(oracle.edges_joining(path))
        drawn.setdefault(arc, set()).update(path)
        inner.update((arc, s) for s in path[1:-1])
    assert drawn == connector_cells(gradient)
    assert all(n == 1 for n in inner.values())  # inner points of lines lie on one line, once


def assert_complex_is_the_oracles(
    found: sx.MorseSmaleComplex, points: Any, cells: Any, values: Any, gradient: MeshGradient
) -> None:
    """Codes, critical simplices, arcs, labels, lines, connectors and surfaces of a gradient."""
    which = f"{cells!r} {values!r}"
    assert_codes_are_the_gradients(found.domain, found.gradient, cells, gradient)
    assert_critical_simplices(found, cells, values, gradient, which)
    assert_places(found, points, cells, gradient.grid)
    assert_labels(found, cells, gradient, which)
    assert_lines(found, cells, gradient)
    if gradient.grid.dimension == 3:
        assert_networks_are_the_oracles(found, cells, gradient)
        for kind in ("descending", "ascending"):
            assert_surfaces(found, cells, gradient, kind)


def assert_critical_simplices(
    found: sx.MorseSmaleComplex, cells: Any, values: Any, gradient: MeshGradient, which: str
) -> None:
    mesh, rows, critical = gradient.grid, rows_of(found, cells), found.critical
    assert sorted(rows) == sorted(gradient.critical), which
    owners = [mesh.owner(s) for s in rows]
    assert sx.to_host(critical.vertex).tolist() == owners
    assert sx.to_host(critical.value).tobytes() == values[owners].tobytes(), which
    assert critical.euler_characteristic == mesh.euler_characteristic
    keys = list(zip(sx.to_host(critical.index), sx.to_host(critical.cell_id), strict=True))
    assert keys == sorted(keys)
    arcs = found.trace_arcs(method="frontier")
    columns = [sx.to_host(a).tolist() for a in (arcs.upper, arcs.lower, arcs.multiplicity)]
    engine = {(rows[p], rows[q]): n for p, q, n in zip(*columns, strict=True)}
    assert engine == oracle.arcs(mesh, gradient), which


def assert_places(
    found: sx.MorseSmaleComplex, points: Any, cells: Any, mesh: SimplicialComplex
) -> None:
    """Positions are barycenters, and the boundary is that of the mesh."""
    rim = {f for f in mesh.simplices[-2] if len(mesh.cofacets(f)) == 1}
    on_rim = {s for s in mesh.cells() if any(set(s) <= set(f) for f in rim)}
    on_rim |= {t for t in mesh.simplices[-1] if any(set(f) <= set(t) for f in rim)}
    space = np.zeros((len(points), 3))
    space[:, : points.shape[1]] = points
    rows = rows_of(found, cells)
    position = sx.to_host(found.critical.position)
    assert sx.to_host(found.critical.on_boundary).tolist() == [s in on_rim for s in rows]
    for simplex, center in zip(rows, position, strict=True):
        np.testing.assert_allclose(center, space[list(simplex)].mean(axis=0))


def assert_labels(
    found: sx.MorseSmaleComplex, cells: Any, gradient: MeshGradient, which: str
) -> None:
    """Labels of points and top simplices are the ends of walks; -1 at points of no cell."""
    mesh, rows = gradient.grid, rows_of(found, cells)
    used = [v for (v,) in mesh.simplices[0]]
    minima = [s for s in rows if len(s) == 1]
    maxima = [s for s in rows if len(s) == mesh.dimension + 1]

    def number(end: Any) -> int:
        return oracle.OUTSIDE if end == oracle.OUTSIDE else maxima.index(end)

    kinds = ("descending", "ascending", "morse_smale")
    down, up, both = (sx.to_host(found.segmentation(kind)).tolist() for kind in kinds)
    expected = {
        v: (
            minima.index(oracle.minimum_of(gradient, v)),
            number(oracle.maximum_of(mesh, gradient, v)),
        )
        for v in used
    }
    assert {v: (down[v], up[v]) for v in used} == expected, which
    pairs = sorted(set(expected.values()))
    assert [both[v] for v in used] == [pairs.index(expected[v]) for v in used], which
    unused = set(range(len(down))) - set(used)
    assert {labels[v] for labels in (down, up, both) for v in unused} <= {-1}
    sizes = {s: down.count(k) for k, s in enumerate(minima)}
    sizes |= {s: up.count(k) for k, s in enumerate(maxima)}
    assert sx.to_host(found.manifold_sizes()).tolist() == [sizes.get(s, 0) for s in rows], which
    tops = [tuple(sorted(cell)) for cell in cells.tolist()]
    ends = [number(oracle.end_of_ascent(mesh, gradient, top)) for top in tops]
    assert sx.to_host(found.cell_labels()).tolist() == ends


def assert_lines(found: sx.MorseSmaleComplex, cells: Any, gradient: MeshGradient) -> None:
    """Lines to extrema are the walks from each saddle on both sides."""
    mesh = gradient.grid
    names, rows, d = Names(found.domain, cells), rows_of(found, cells), mesh.dimension
    for kind, index in (("descending", 1), ("ascending", d - 1)):
        lines = found.separatrices(1, kind)
        paths = pieces(lines.offsets, names(lines.cell_dimension, lines.cell_id))
        path_from = descending_path if kind == "descending" else ascending_path
        expected = []
        for saddle in (s for s in rows if len(s) == index + 1):
            sides = mesh.facets(saddle) if kind == "descending" else mesh.cofacets(saddle)
            expected += [[saddle, *path_from(gradient, side)] for side in sides]
            expected += [[saddle]] * (2 - len(sides))
        assert sorted(paths) == sorted(expected)
        assert [rows[s] for s in sx.to_host(lines.source)] == [path[0] for path in paths]
        outside = oracle.OUTSIDE
        ends = [rows[e] if e >= 0 else outside for e in sx.to_host(lines.destination)]
        extremum = 1 if kind == "descending" else d + 1
        assert ends == [p[-1] if len(p[-1]) == extremum else outside for p in paths]
        assert sx.to_host(lines.points).shape == (sum(map(len, paths)), 3)


def assert_surfaces(
    found: sx.MorseSmaleComplex, cells: Any, gradient: MeshGradient, kind: str
) -> None:
    """Surfaces hold what V-paths reach, in polygons that go round."""
    mesh, rows, names = gradient.grid, rows_of(found, cells), Names(found.domain, cells)
    surfaces = found.separatrices(2, kind)
    dimension = 2 if kind == "descending" else 1
    shapes = names([dimension] * len(surfaces.source), surfaces.polygon_cell_id)
    drawn: dict[Simplex, set[Simplex]] = {}
    for source, shape in zip(sx.to_host(surfaces.source).tolist(), shapes, strict=True):
        drawn.setdefault(rows[source], set()).add(shape)
    saddles = oracle.of_index(gradient, dimension)
    neighbors = mesh.cofacets if kind == "ascending" else mesh.facets
    assert drawn == {s: reached(gradient, s, neighbors) for s in saddles}
    corners = names(surfaces.cell_dimension, surfaces.cell_id)
    polygons = pieces(surfaces.offsets, [corners[c] for c in sx.to_host(surfaces.corners)])
    for shape, polygon in zip(shapes, polygons, strict=True):
        if kind == "descending":
            assert sorted(polygon) == [(v,) for v in shape]
        else:
            assert_it_goes_round(mesh, shape, polygon)


def assert_it_goes_round(mesh: SimplicialComplex, edge: Simplex, polygon: list[Simplex]) -> None:
    """Tetrahedra follow each other across triangles; at the boundary the fan ends in the edge."""
    tets, rim = oracle.round_edge(mesh, edge)
    ring = [s for s in polygon if len(s) == 4]
    assert len(set(ring)) == len(ring) > 0
    is_closed = len(ring) == len(polygon)
    steps = zip(ring, ring[1:] + ring[:1] if is_closed else ring[1:], strict=False)
    assert all(len(set(a) & set(b)) >= 3 and set(edge) <= set(a) & set(b) for a, b in steps)
    if is_closed:
        assert set(ring) <= tets
    else:
        first, *_, last, middle = polygon
        assert middle == edge
        assert {first, last} <= rim
        assert set(first) <= set(ring[0])
        assert set(last) <= set(ring[-1])
    if len(rim) <= 2 and (is_closed == (not rim)):
        assert set(ring) == tets  # an edge that is not pinched
