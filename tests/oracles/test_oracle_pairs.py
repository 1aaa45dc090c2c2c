"""The oracle of reductions on cases that one can do by hand."""

from __future__ import annotations

import numpy as np

from oracles.pairs import FORMULAS, reduced, squared_distances

X = np.array([[0.0, 0.0], [3.0, 4.0]])
Y = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
ALL = np.ones((2, 3), bool)


def test_squared_distances_of_a_rectangle() -> None:
    assert squared_distances(X, Y).tolist() == [[0, 9, 16], [25, 16, 9]]


def test_reductions_of_a_rectangle() -> None:
    d2 = squared_distances(X, Y)
    assert reduced(d2, ALL, "sum").tolist() == [25, 50]
    assert reduced(d2, ALL, "min").tolist() == [0, 9]
    assert reduced(d2, ALL, "argmax").tolist() == [2, 0]
    assert reduced(d2, ALL, "argkmin", k=2).tolist() == [[0, 1], [2, 1]]
    assert reduced(d2, ALL, "count").tolist() == [2, 3]
    assert reduced(d2, ALL, "collect") == [[1, 2], [0, 1, 2]]
    np.testing.assert_allclose(reduced(np.zeros((2, 3)), ALL, "logsumexp"), np.log(3))


def test_a_row_without_pairs() -> None:
    d2, none = squared_distances(X, Y), np.zeros((2, 3), bool)
    assert reduced(d2, none, "max").tolist() == [-np.inf, -np.inf]
    assert reduced(d2, none, "argmin").tolist() == [-1, -1]
    assert reduced(d2, none, "kmin", k=2).tolist() == [[np.inf] * 2] * 2
    assert reduced(d2, none, "logsumexp").tolist() == [-np.inf] * 2


def test_compact_formulas_end_at_their_radius() -> None:
    for name, end in (("wendland", 0.6), ("shifted_gaussian", 0.5)):
        formula, parameters = FORMULAS[name]
        assert formula(np.array([end**2 + 1e-12]), **parameters) == 0
        assert 0 < formula(np.array([(end - 1e-3) ** 2]), **parameters)[0] < 1e-2
