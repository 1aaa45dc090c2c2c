"""Cycles as walks along edges of one coefficient."""

from __future__ import annotations

from itertools import pairwise

from separatrix_vtk.filters.points.cycles import walks_of


def test_walks_take_each_edge_once_and_close_over_z2():
    edges = [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [2, 4]]  # a figure of eight
    walks = walks_of(edges, [1] * 6, 2)
    taken = sorted(tuple(sorted(e)) for w, _ in walks for e in pairwise(w))
    assert taken == sorted(map(tuple, edges))
    assert all(walk[0] == walk[-1] and c == 1 for walk, c in walks)


def test_walks_follow_the_sign_of_coefficients():
    # 0 -> 1 -> 2 -> 0 over Z/5, twice: the edge (0, 2) is taken backwards.
    assert walks_of([[0, 1], [0, 2], [1, 2]], [2, 3, 2], 5) == [([0, 1, 2, 0], 2)]
