"""The oracles of reduction and of graphs, on cases computed by hand."""

import numpy as np

from oracles.connectors import connections
from oracles.graphs import boundaries, graph_of_gradient, graph_of_torus
from oracles.lower_star import image_gradient
from oracles.reduction import pairs_of, pivots


def test_a_triangle_kills_two_points_and_its_own_hole():
    cells = {0: [], 1: [], 2: [], 3: [0, 1], 4: [1, 2], 5: [0, 2], 6: [3, 4, 5]}
    assert pairs_of(cells) == ([(1, 3), (2, 4), (5, 6)], [0])


def test_a_doubled_row_is_zero_mod_2_and_not_mod_3():
    assert pivots([{0: 2}]) == [None]
    assert pivots([{0: 2}], 3) == [0]
    assert pivots([{0: 1, 1: 1}, {0: 1, 1: 2}], 3) == [1, 0]
    assert pivots([{0: 1, 1: 1}, {0: 2, 1: 2}], 3) == [1, None]


def test_a_shell_with_a_pit_has_exactly_one_void():
    values = np.arange(27).reshape(3, 3, 3)
    values[1, 1, 1] = 27
    gradient = image_gradient(values)
    assert connections(gradient) == {}
    graph = graph_of_gradient(gradient, values)
    assert graph.counts == (1, 0, 1, 1)
    assert boundaries(graph) == {0: [], 1: [], 2: [1]}
    assert graph.connectors.offsets.tolist() == [0, 0]


def test_a_ring_in_a_volume_is_closed_by_a_saddle_that_a_square_fills():
    values = np.array([[[0, 5, 1], [6, 9, 7], [2, 8, 3]]] * 2)
    gradient = image_gradient(values)
    graph = graph_of_gradient(gradient, values)
    assert graph.counts == (4, 4, 1, 0)
    assert sum(connections(gradient).values()) >= 1
    pairs, essential = pairs_of(boundaries(graph))
    assert essential == [0]
    assert len(pairs) == 4


def test_the_cells_of_a_torus_have_its_betti_numbers():
    for shape, betti in (((1, 1, 3), 2), ((1, 3, 3), 4), ((3, 3, 3), 8)):
        graph = graph_of_torus(np.zeros(shape, int))
        assert len(pairs_of(boundaries(graph))[1]) == betti
        assert sum((-1) ** i * c for i, c in enumerate(graph.counts)) == 0
