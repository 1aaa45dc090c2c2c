"""Morse-Smale complexes of meshes equal slow walks on tuples of points, and each other."""

from functools import cache

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import (
    assert_complex_is_the_oracles,
    complex_of,
    rows_of,
    walked,
)
from oracles.mesh_fields import Case, delaunay, mesh_fields


@cache
def cases() -> list[Case]:
    return list(mesh_fields(seed=41, n_random=90, n_points=26))


def test_every_part_of_a_complex_is_the_oracles(device):
    for _, points, cells, values in cases():
        found = complex_of(points, cells, values, device=device)
        assert_complex_is_the_oracles(found, points, cells, values, walked(cells, values)[1])


def test_surfaces_of_chosen_saddles_are_those_of_all():
    random = np.random.default_rng(43)
    points, cells = delaunay(random, 60, 3, 1.0)
    found = complex_of(points, cells, random.random(60), device="cpu")
    for kind, index in (("descending", 2), ("ascending", 1)):
        every, rows = found.separatrices(2, kind), found.critical.rows(index)
        some = found.separatrices(2, kind, sources=[rows.stop - 1, rows.start])
        chosen = (every.source == rows.start) | (every.source == rows.stop - 1)
        assert some.polygon_cell_id.tolist() == every.polygon_cell_id[chosen].tolist()
        with pytest.raises(sx.InputError, match=f"rows of {index}-saddles in critical"):
            found.separatrices(2, kind, sources=[rows.stop])


def test_shuffled_cells_and_corners_give_the_same_complex():
    random = np.random.default_rng(45)
    points, cells = delaunay(random, 80, 3, 0.9)
    values = random.integers(0, 9, 80)
    shuffled = random.permutation(len(cells))
    one = complex_of(points, cells, values, device="cpu")
    other = complex_of(points, random.permuted(cells[shuffled], axis=1), values, device="cpu")
    assert sorted(rows_of(one, cells)) == sorted(rows_of(other, cells[shuffled]))
    labels = one.segmentation("descending").tolist()
    assert labels == other.segmentation("descending").tolist()


def test_a_mesh_that_is_not_a_manifold_is_rejected_by_name(device):
    points = np.random.default_rng(46).random((6, 3))
    fan = np.array([(0, 1, 4, 2), (5, 0, 4, 1), (3, 1, 0, 4)])
    with pytest.raises(sx.InputError, match="triangle of points 0, 1, 4 has three or more"):
        complex_of(points, fan, np.arange(6.0), device=device)
    book = np.array([(0, 1, 2), (1, 0, 3), (4, 1, 0)])
    with pytest.raises(sx.InputError, match="edge of points 0, 1 has three or more"):
        complex_of(points, book, np.arange(6.0), device=device)


def test_a_point_of_no_cell_has_no_region():
    points = np.random.default_rng(47).random((5, 3))
    found = complex_of(points, np.array([(0, 1, 2, 3)]), np.arange(5.0), device="cpu")
    assert repr(found) == "<MorseSmaleComplex of 1 cells on cpu: counts (1, 0, 0, 0)>"
    assert sx.to_host(found.segmentation("morse_smale")).tolist() == [0, 0, 0, 0, -1]
