"""The oracle of relations on meshes that one can draw."""

from __future__ import annotations

import numpy as np

from oracles.mesh import boundary_of, relation_of, simplices_of
from oracles.meshes import SPECIAL, split_grid

TWO = [(0, 1, 2, 3), (1, 2, 3, 4)]  # share the triangle 123


def test_the_simplices_of_two_tetrahedra_are_counted():
    assert [len(simplices_of(TWO, 5, size)) for size in (1, 2, 3, 4)] == [5, 9, 7, 2]


def test_relations_of_two_tetrahedra_are_those_one_sees():
    assert relation_of(TWO, 5, "TT") == [[1], [0]]
    assert relation_of(TWO, 5, "VV")[0] == [1, 2, 3]
    assert relation_of(TWO, 5, "VV")[1] == [
        0,
        2,
        3,
        4,
    ]
    assert relation_of(TWO, 5, "VT") == [[0], [0, 1], [0, 1], [0, 1], [1]]
    triangle = simplices_of(TWO, 5, 3).index((1, 2, 3))
    assert relation_of(TWO, 5, "FT")[triangle] == [0, 1]
    assert relation_of(TWO, 5, "TV") == [[0, 1, 2, 3], [1, 2, 3, 4]]
    assert len(relation_of(TWO, 5, "FF")[triangle]) == 6


def test_two_that_share_a_vertex_share_nothing_else():
    cells = [tuple(row) for row in SPECIAL["two sharing a vertex"].cells.tolist()]
    assert relation_of(cells, 7, "TT") == [[], []]
    assert relation_of(cells, 7, "VT")[3] == [0, 1]
    assert len(relation_of(cells, 7, "EE")[0]) == 4


def test_the_boundary_of_two_tetrahedra_lacks_the_triangle_between_them():
    assert len(boundary_of(TWO, 5, 2)) == 6
    assert (1, 2, 3) not in boundary_of(TWO, 5, 2)


def test_a_split_grid_has_six_tetrahedra_a_voxel_and_fills_it():
    mesh = split_grid((3, 4, 5))
    assert len(mesh.cells) == 6 * 2 * 3 * 4
    corners = mesh.points[mesh.cells]
    volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
    assert np.isclose(np.abs(volumes).sum(), 24)
    assert np.isclose(np.abs(volumes), 1 / 6).all()
