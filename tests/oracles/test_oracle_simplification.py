"""The simplification oracle on cases worked out by hand."""

from __future__ import annotations

import numpy as np

from oracles.cubical import CubicalGrid, cell_dimension
from oracles.fields import noise_fields
from oracles.lower_star import Gradient, image_gradient, lower_star_gradient
from oracles.simplification import (
    cancellations,
    copy_of,
    count_paths,
    elder_pairs,
    reverse,
)
from oracles.walks import maximum_labels, minimum_labels


def gradient_of(values: object) -> Gradient:
    return lower_star_gradient(CubicalGrid(np.asarray(values)))


def test_the_younger_of_two_minima_dies_at_the_peak_between_them() -> None:
    # v0 e0 v1 e1 v2 of values 0 5 1: e1 is critical, v2 the younger minimum.
    gradient = gradient_of([0, 5, 1])
    assert elder_pairs(gradient, "minimum") == [((3, 0, 0), (4, 0, 0))]
    assert elder_pairs(gradient, "maximum") == []
    pair = cancellations(gradient, np.array([0, 5, 1]))[0]
    assert (pair.persistence, pair.kind) == (4, 0)


def test_reversing_a_path_sends_the_basin_over_the_saddle() -> None:
    # 0 5 3 1: minimum v3 is reached by e1 (between 5 and 3), v2, e2, v3.
    gradient = gradient_of([0, 5, 3, 1])
    assert minimum_labels(gradient) == [0, 0, 1, 1]
    pairs = cancellations(gradient, np.array([0, 5, 3, 1]))
    reverse(gradient, pairs[0].upper, pairs[0].lower)
    assert minimum_labels(gradient) == [0, 0, 0, 0]
    assert gradient.critical == [(0, 0, 0)]
    assert maximum_labels(gradient) == [-1] * 4
    assert gradient.partner[(6, 0, 0)] == (5, 0, 0)
    assert gradient.partner[(4, 0, 0)] == (3, 0, 0)
    assert gradient.partner[(2, 0, 0)] == (1, 0, 0)


def test_a_peak_in_a_picture_dies_outside() -> None:
    values = np.zeros((5, 5), int)
    values[2, 2] = 4
    gradient = gradient_of(values)
    pairs = [p for p in cancellations(gradient, values) if p.persistence]
    assert [(p.persistence, p.kind) for p in pairs] == [(4, 1)]
    assert cell_dimension(pairs[0].upper) == 2


def test_every_extremum_pair_has_one_path_when_its_turn_comes() -> None:
    for values in noise_fields(60, 301):
        gradient = image_gradient(values)
        now = copy_of(gradient)
        for pair in cancellations(gradient, values):
            n_paths = count_paths(now, pair.upper, pair.lower)
            is_saddle_pair = 0 < pair.kind < gradient.grid.dimension - 1
            assert n_paths == 1 or is_saddle_pair
            if n_paths == 1:
                reverse(now, pair.upper, pair.lower)
        euler = sum((-1) ** cell_dimension(c) for c in now.critical)
        assert euler == 1
