"""Regular triangulations equal those of integers and of GUDHI, and pass their own check."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.rejections import assert_rejected
from oracles.alpha import regular_simplices
from separatrix.alpha import agreeing_stars, delaunay

RANDOM = np.random.default_rng(19)


def on_sphere(n: int) -> np.ndarray:
    """Points of a sphere, as exactly as float64 has them."""
    points = RANDOM.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def lattice(n: int) -> np.ndarray:
    return np.stack(np.meshgrid(*[np.arange(float(n))] * 3), -1).reshape(-1, 3)


def skew_lines(n: int) -> np.ndarray:
    x, zero = np.arange(float(n)), np.zeros(n)
    return np.concatenate(
        [np.stack([x, zero, zero], 1), np.stack([zero + 0.5, x - n / 2, zero + 7], 1)]
    )


def moment_curve(n: int) -> np.ndarray:
    x = np.arange(1.0, n + 1)
    return np.stack([x, x**2, x**3], 1)


def skin_of_a_cube(n: int) -> np.ndarray:
    points = RANDOM.uniform(0, 1, (n, 3))
    points[np.arange(n), RANDOM.integers(0, 3, n)] = RANDOM.integers(0, 2, n)
    return points


def nested_clusters(n: int) -> np.ndarray:
    parts = [RANDOM.normal(size=(n, 3)) * 10.0**-k + 3 * RANDOM.normal(size=3) for k in range(5)]
    return np.concatenate(parts)


ADVERSARIAL = {
    "lattice": lattice(7),
    "skew lines": skew_lines(40),
    "moment curve": moment_curve(30),
    "sphere": on_sphere(80),
    "sphere with its center": np.concatenate([on_sphere(80), np.zeros((1, 3))]),
    "skin of a cube": skin_of_a_cube(300),
    "nested clusters": nested_clusters(80),
    "one far point": np.concatenate([RANDOM.uniform(0, 1, (200, 3)), np.full((1, 3), 1e9)]),
    "two far clusters": np.concatenate([RANDOM.uniform(k, k + 1, (60, 3)) for k in (0, 1e6)]),
    "float32": RANDOM.uniform(0, 1, (300, 3)).astype(np.float32),
    "long mantissas": RANDOM.normal(size=(300, 3)) * 10.0 ** RANDOM.integers(-9, 1, (300, 1)),
}


def as_set(simplices: np.ndarray) -> set[tuple[int, ...]]:
    return set(map(tuple, np.sort(simplices, axis=1).tolist()))


def simplices_of_gudhi(points: np.ndarray, weights: Any = None) -> set[tuple[int, ...]]:
    gudhi = pytest.importorskip("gudhi")
    complex = gudhi.AlphaComplex(points=points, weights=weights, precision="exact")
    # The iterator does not keep the tree. Its values are not used, and exact ones are slow.
    tree = complex.create_simplex_tree(default_filtration_value=True)
    return {tuple(sorted(simplex)) for simplex, _ in tree.get_simplices()}


def same(a: sx.Delaunay, b: sx.Delaunay) -> bool:
    names = ("tetrahedra", "neighbors", "hull", "hidden")
    return all(
        np.array_equal(*(sx.to_host(getattr(found, name)) for found in (a, b))) for name in names
    )


@pytest.mark.parametrize("seed", range(60))
def test_a_few_points_equal_all_subsets_tried_in_integers(device, seed):
    random = np.random.default_rng(seed)
    n, most = int(random.integers(0, 12)), int(random.integers(1, 5))
    points = random.integers(0, most + 1, (n, 3))  # with duplicates
    weights = random.integers(-6, 7, n) if seed % 2 else None
    if seed % 6 == 4:
        points[:, 2] = 1  # in a plane
    if seed % 6 == 5:
        points = points[:, :1] * [1, 2, -3]  # on a line
    found = sx.delaunay(points, weights, device=device)
    expected = regular_simplices(points, weights, found.dimension + 1)
    assert found.tetrahedra.tolist() == [list(simplex) for simplex in expected]
    assert set(found.hidden.tolist()) == set(range(n)) - {v for s in expected for v in s}
    assert found.verify()


@pytest.mark.parametrize("n", range(5))
def test_up_to_four_points_are_one_simplex(n):
    found = sx.delaunay(np.eye(4, 3)[:n])
    assert found.tetrahedra.tolist() == ([list(range(n))] if n else [])
    assert found.neighbors.tolist() == ([[-1] * n] if n else [])
    assert found.verify()


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_points_pass_the_check_and_equal_gudhis(device, name):
    points = ADVERSARIAL[name]
    found = sx.delaunay(points, device=device)
    assert found.verify()
    assert as_set(found.tetrahedra) == {s for s in simplices_of_gudhi(points) if len(s) == 4}


@pytest.mark.parametrize("spread", [0.001, 0.05, 1.0])
def test_weighted_points_equal_gudhis(device, spread):
    points, weights = RANDOM.uniform(0, 1, (400, 3)), RANDOM.uniform(-spread, spread, 400)
    found = sx.delaunay(points, weights, device=device)
    expected = simplices_of_gudhi(points, weights)
    assert as_set(found.tetrahedra) == {s for s in expected if len(s) == 4}
    assert set(found.hidden.tolist()) == set(range(400)) - {s[0] for s in expected if len(s) == 1}
    assert found.verify()


def test_skew_lines_have_quadratically_many_tetrahedra():
    assert len(sx.delaunay(skew_lines(40)).tetrahedra) == 39**2


def test_all_points_but_four_are_hidden():
    points = np.concatenate([100 * (2 * np.eye(4, 3) - 0.5), RANDOM.uniform(0, 1, (300, 3))])
    found = sx.delaunay(points, np.where(np.arange(304) < 4, 0, -1e9))
    assert found.tetrahedra.tolist() == [[0, 1, 2, 3]]
    assert found.hidden.tolist() == list(range(4, 304))
    assert found.verify()


def test_the_result_depends_on_neither_order_nor_threads_nor_device(device):
    points, weights = lattice(6)[RANDOM.permutation(216)], RANDOM.integers(0, 2, 216)
    found = sx.delaunay(points, weights, threads=1)
    assert same(found, sx.delaunay(points, weights, threads=3))
    assert same(found, sx.delaunay(points, weights, device=device))
    order = RANDOM.permutation(216)
    again = sx.delaunay(points[order], weights[order], device=device)
    assert as_set(order[sx.to_host(again.tetrahedra)]) == as_set(found.tetrahedra)


@pytest.mark.parametrize(
    ("n_nearest", "most", "room"), [(1, 1, 1), (6, 10, 100), (200, 64, 1 << 20), (32, 1000, 100)]
)
def test_the_result_does_not_depend_on_the_first_offers_or_the_room_of_stars(
    device, monkeypatch, n_nearest, most, room
):
    points = np.concatenate([RANDOM.uniform(0, 1, (150, 3)), skin_of_a_cube(60), on_sphere(60)])
    expected = sx.delaunay(points, device=device)
    monkeypatch.setattr(agreeing_stars, "N_NEAREST", n_nearest)
    monkeypatch.setattr(agreeing_stars, "OFFERS_AT_FIRST", most)
    monkeypatch.setattr(agreeing_stars, "TRIANGLES_PER_STAR", min(room, 40))
    monkeypatch.setattr(agreeing_stars, "MOST_SLOW", room)
    found = sx.delaunay(points, device=device)
    for name in ("tetrahedra", "neighbors", "hull", "hidden"):
        one, other = (sx.to_host(getattr(part, name)) for part in (found, expected))
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_no_star_disagrees_after_the_last_round_which_compares_few(device, monkeypatch, name):
    def compared(session, sites, is_small, four):
        stars = agreeing_stars.agreeing_stars(session, sites, is_small, four)
        everyone = session.device.numbers(len(sites), np.int32)
        disagrees = session.device.empty(len(sites), np.uint8)
        offers = stars.offers("compare_by_team", everyone, 1, disagrees)
        assert not sx.to_host(disagrees).any()
        assert len(offers[0]) == 0
        return stars

    monkeypatch.setattr(delaunay, "agreeing_stars", compared)
    sx.delaunay(ADVERSARIAL[name], device=device)


@pytest.mark.parametrize(
    "points",
    [
        skin_of_a_cube(4000),
        nested_clusters(1000),
        np.concatenate([on_sphere(1000), np.zeros((1, 3))]),
        np.concatenate([RANDOM.uniform(0, 1, (8000, 3)), np.full((1, 3), 1e9)]),
    ],
    ids=["skin of a cube", "nested clusters", "hub", "one far point"],
)
def test_adversarial_points_beyond_the_reach_of_oracles_pass_the_check(points):
    found = sx.delaunay(points)
    assert found.verify()
    assert len(found.tetrahedra) > len(points)


def test_of_points_at_one_position_the_heaviest_then_the_first_is_kept():
    corners = np.eye(4, 3)
    points = np.concatenate([corners, corners, corners])
    assert sx.delaunay(points).tetrahedra.tolist() == [[0, 1, 2, 3]]
    weights = np.repeat([0.0, 2.0, 2.0], 4)
    assert sx.delaunay(points, weights).tetrahedra.tolist() == [[4, 5, 6, 7]]


def test_neighbors_share_all_vertices_but_one_and_the_hull_is_the_rest():
    found = sx.delaunay(RANDOM.uniform(0, 1, (200, 3)))
    open_facets = set()
    for row, (cell, across) in enumerate(zip(found.tetrahedra, found.neighbors, strict=True)):
        for k, other in enumerate(across.tolist()):
            facet = set(np.delete(cell, k).tolist())
            if other < 0:
                open_facets.add(tuple(sorted(facet)))
            else:
                assert facet <= set(found.tetrahedra[other].tolist())
                assert row in found.neighbors[other]
    assert open_facets == as_set(found.hull)


def test_normals_of_the_hull_point_outwards():
    points = RANDOM.uniform(-1, 1, (100, 3))
    a, b, c = points[sx.delaunay(points).hull].transpose(1, 0, 2)
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), a) > 0).all()


def test_a_resolution_rounds_coordinates_and_weights():
    points, weights = RANDOM.uniform(0, 1, (200, 3)), RANDOM.uniform(0, 0.1, 200)
    rounded = np.rint(points / 0.125), np.rint(weights / 0.125**2)
    assert same(sx.delaunay(points, weights, resolution=0.125), sx.delaunay(*rounded))


def test_the_check_detects_other_cells_and_missing_points():
    found = sx.delaunay(RANDOM.uniform(0, 1, (60, 3)), RANDOM.uniform(-0.05, 0.05, 60))
    assert len(found.hidden)
    for row in range(0, len(found.tetrahedra), 10):
        cells = found._cells.copy()
        cells[row, 0] = int(found.hidden[0])
        assert not replace(found, _cells=cells).verify()
        neighbors = found._neighbors.copy()
        neighbors[row, :2] = neighbors[row, 1::-1]
        assert not replace(found, _neighbors=neighbors).verify()
    lighter = found._sites.copy()
    lighter[found.hidden[0], 3] *= -1e3
    assert not replace(found, _sites=lighter).verify()


def test_every_simplex_of_an_alpha_complex_is_a_face():
    centers, radii = RANDOM.uniform(0, 8, (200, 3)).round(3), RANDOM.uniform(1, 2, 200).round(2)
    complex = sx.alpha_complex(centers, radii, 3.0)
    tetrahedra = sx.delaunay(centers, radii**2, resolution=1e-3).tetrahedra.tolist()
    faces = {face for cell in tetrahedra for d in (2, 3, 4) for face in combinations(cell, d)}
    for table in (complex.edges, complex.triangles, complex.tets):
        assert as_set(table.simplices) <= faces


@pytest.mark.parametrize(
    ("points", "options", "named"),
    [
        (np.zeros((3, 2)), {}, "points"),
        ([[0, 0, 0], [0, 0, np.nan]], {}, "points[1]"),
        (np.eye(3), {"weights": [1, 2]}, "weights"),
        (np.eye(3), {"weights": [1, np.inf, 0]}, "weights[1]"),
        (np.eye(3) * [1, 1, 1e-40], {}, "points"),
        (np.eye(3), {"resolution": 0}, "resolution"),
        (np.eye(3), {"resolution": 1e-20}, "resolution"),
    ],
)
def test_invalid_input_is_rejected(points, options, named):
    assert_rejected(named, sx.delaunay, points, **options)
