"""Complexes of meshes and their levels equal walks on tuples of points, matrices, and GUDHI."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import (
    assert_complex_is_the_oracles,
    complex_of,
    mesh_of,
    rows_of,
    walked,
)
from oracles import mesh_complex as oracle
from oracles.cancellation import at_level_of
from oracles.mesh_fields import Case, delaunay, mesh_fields

Pairs = set[tuple[int, int, int]]


@cache
def cases() -> list[Case]:
    return list(mesh_fields(seed=51, n_random=60, n_points=26))


def owners_of(diagram: sx.PersistenceDiagram, vertex: Any) -> Pairs:
    """(dimension, owner of birth, owner of death or -1), of pairs with two owners."""
    columns = (diagram.dimension, diagram.birth_row, diagram.death_row)
    own = sx.to_host(vertex).tolist()
    rows = zip(*(sx.to_host(column).tolist() for column in columns), strict=True)
    found = {(d, own[b], own[e] if e >= 0 else -1) for d, b, e in rows}
    return {pair for pair in found if pair[1] != pair[2]}


def test_every_part_of_a_complex_is_the_oracles(device):
    for _, points, cells, values in mesh_fields(seed=41, n_random=90, n_points=26):
        found = complex_of(points, cells, values, device=device)
        assert_complex_is_the_oracles(found, points, cells, values, walked(cells, values)[1])


def test_pairs_are_those_of_the_whole_boundary_matrix(device):
    for name, points, cells, values in cases():
        found = complex_of(points, cells, values, device=device)
        pairs = owners_of(found.persistence_pairs, found.critical.vertex)
        assert pairs == oracle.persistence_pairs(walked(cells, values)[0]), name


def gudhi_diagram(cells: Any, values: Any) -> list[tuple[int, float, float]]:
    gudhi = pytest.importorskip("gudhi")
    tree = gudhi.SimplexTree()
    for cell in cells:
        tree.insert(cell, filtration=-np.inf)
    for (vertex,) in [s for s, _ in tree.get_skeleton(0)]:
        tree.assign_filtration([vertex], float(values[vertex]))
    tree.make_filtration_non_decreasing()
    pairs = tree.persistence(homology_coeff_field=2, persistence_dim_max=True)
    return sorted((d, birth, death) for d, (birth, death) in pairs if birth != death)


def test_diagrams_are_gudhis_of_the_lower_star_filtration(device):
    random = np.random.default_rng(52)
    for dimension, kept in ((2, 1.0), (3, 1.0), (3, 0.7)):
        points, cells = delaunay(random, 400, dimension, kept)
        for values in (random.random(400), random.integers(0, 5, 400)):
            diagram = mesh_of(points, cells, device=device).persistence_diagram(values)
            columns = (diagram.dimension, diagram.birth, diagram.death)
            rows = zip(*(sx.to_host(column).tolist() for column in columns), strict=True)
            assert sorted(rows) == gudhi_diagram(cells, values)


def test_a_diagram_of_some_dimensions_is_part_of_the_whole(device):
    random = np.random.default_rng(53)
    points, cells = delaunay(random, 150, 3, 0.7)
    mesh, values = mesh_of(points, cells, device=device), random.random(150)
    whole = mesh.persistence_diagram(values, zero_persistence=True)
    for wanted in (0, 1, 2, (0, 2)):
        some = mesh.persistence_diagram(values, dimensions=wanted, zero_persistence=True)
        chosen = np.isin(sx.to_host(whole.dimension), wanted)
        for column in ("birth_cell", "death_cell", "birth", "death"):
            expected = sx.to_host(getattr(whole, column))[chosen]
            np.testing.assert_array_equal(sx.to_host(getattr(some, column)), expected)
    with pytest.raises(sx.InputError, match="dimensions must be at most 2"):
        mesh_of(points, cells[:, :3][:1]).persistence_diagram(values, dimensions=3)


def test_pieces_are_paired_on_meshes_that_are_not_manifolds(device):
    fan = np.array([(0, 1, 2, 3), (0, 1, 2, 4), (0, 1, 2, 5)])
    points, values = np.random.default_rng(57).random((6, 3)), np.array([5.0, 6, 7, 1, 2, 3])
    mesh = mesh_of(points, fan, device=device)
    diagram = mesh.persistence_diagram(values, dimensions=0)
    pairs = zip(sx.to_host(diagram.birth).tolist(), sx.to_host(diagram.death), strict=True)
    assert sorted(pairs) == [(1.0, np.inf), (2.0, 5.0), (3.0, 5.0)]
    with pytest.raises(sx.InputError, match="triangle of points 0, 1, 2 has three or more"):
        mesh.persistence_diagram(values)
    book = mesh_of(points[:5], np.array([(0, 1, 2), (1, 0, 3), (4, 1, 0)]), device=device)
    with pytest.raises(sx.InputError, match="edge of points 0, 1 has three or more"):
        book.morse_smale(values[:5])


def levels_of(found: sx.MorseSmaleComplex) -> list[float]:
    """Just past every third of the pairs, and past all."""
    finite = sx.to_host(found.persistence_pairs.persistence)
    finite = np.unique(finite[np.isfinite(finite)])
    return [float(np.nextafter(level, np.inf)) for level in finite[::3]] + [np.inf]


def test_every_part_of_a_level_is_that_of_the_reversed_paths(device):
    n_saddle_pairs = 0
    for _, points, cells, values in cases():
        _, raw = walked(cells, values)
        complex_ = complex_of(points, cells, values, device=device)
        for level in levels_of(complex_):
            found = complex_.simplify(level)
            gradient = at_level_of(found, raw, rows_of(found._raw, cells))
            assert_complex_is_the_oracles(found, points, cells, values, gradient)
            n_saddle_pairs += found._hierarchy().saddle_events.size
    assert n_saddle_pairs > 100


def test_results_of_a_level_do_not_depend_on_the_order_of_requests():
    random = np.random.default_rng(58)
    points, cells = delaunay(random, 200, 3, 1.0)
    values = random.random(200)
    one, other = (complex_of(points, cells, values, device="cpu").simplify(0.4) for _ in range(2))
    kinds = ("descending", "ascending", "saddle")
    lines = {kind: one.separatrices(1, kind) for kind in kinds}
    for kind in reversed(kinds):
        again = other.separatrices(1, kind)
        assert again.cell_id.size > 0
        for name in ("cell_id", "offsets", "destination", "points"):
            np.testing.assert_array_equal(getattr(lines[kind], name), getattr(again, name))
    for a, b in zip(one.gradient.codes(), other.gradient.codes(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_pairs_of_a_level_are_those_at_or_above_it():
    random = np.random.default_rng(54)
    for dimension in (2, 3):
        points, cells = delaunay(random, 300, dimension, 1.0)
        whole = complex_of(points, cells, random.random(300), device="cpu")
        for level in (0.05, 0.2, 0.5):
            found = whole.simplify(level)
            kept = whole.persistence_pairs.above(level)
            pairs = found.persistence_pairs.above(level)
            assert sorted(pairs.birth_cell.tolist()) == sorted(kept.birth_cell.tolist())
            assert int(found.is_persistent.sum()) == 2 * len(kept) - int(kept.is_essential.sum())
            left = found.persistence_pairs.persistence < level
            assert int(left.sum()) == int((found.skipped.upper >= 0).sum())


def test_a_relative_level_does_not_see_points_of_no_cell(device):
    _, points, cells, values = cases()[-1]
    outside = np.concatenate([points, [points.max(axis=0) + 1]])
    for beyond in (values.max() + 1000, values.min() - 1000):
        found = complex_of(outside, cells, np.append(values, beyond), device=device)
        expected = complex_of(points, cells, values, device=device)
        levels = [c.simplify(0.3, relative=True).persistence for c in (found, expected)]
        assert levels[0] == levels[1] == 0.3 * float(np.ptp(values[np.unique(cells)]))
    nothing = complex_of(points, cells[:0], values, device=device)
    assert nothing.simplify(0.3, relative=True).persistence == 0.0
