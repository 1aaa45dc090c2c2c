"""Complexes of meshes in the words of the oracle: simplices as tuples of the user's points."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np

import separatrix as sx
from oracles import mesh_complex as oracle
from oracles.connectors import connector_cells
from oracles.mesh_gradient import MeshGradient, Simplex, SimplicialComplex, mesh_gradient

Mesh = sx.TetMesh | sx.TriangleMesh


def mesh_of(points: Any, cells: Any, **options: Any) -> Mesh:
    kind = sx.TetMesh if cells.shape[1] == 4 else sx.TriangleMesh
    return kind(points, cells, **options)


def complex_of(points: Any, cells: Any, values: Any, **options: Any) -> sx.MorseSmaleComplex:
    return mesh_of(points, cells, **options).morse_smale(values)


def walked(cells: Any, values: Any) -> tuple[SimplicialComplex, MeshGradient]:
    mesh = SimplicialComplex(cells, np.asarray(values))
    return mesh, mesh_gradient(mesh)


class Names:
    """Which points a simplex of the engine's has."""

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
    found: sx.MorseSmaleComplex, cells: Any, mesh: SimplicialComplex, gradient: MeshGradient
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
    assert all(n == 1 for n in inner.values())  # what is no branch lies on one line, once
