"""Critical points of meshes: types by the pieces of links, vectors by their Betti numbers."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.test_mesh_gradient import gradient_of, simplices_of
from oracles.mesh_gradient import REGULAR, SimplicialComplex, critical_vector, point_type
from oracles.meshes import SPECIAL, fan, random_cells, split_grid
from separatrix.complexes.simplicial.critical_points import MeshCriticalPoints, critical_points


def points_of(cells: Any, values: Any, device: str, order: Any = None) -> MeshCriticalPoints:
    simplices = simplices_of(cells, len(values), device, order)
    boundary = np.zeros(len(values), bool)
    boundary[list(SimplicialComplex(cells, values).boundary_points())] = True
    by_vertex = simplices.session.upload(boundary[sx.to_host(simplices.point_of)])
    return critical_points(simplices.session, simplices, by_vertex, values)


def assert_points_are_the_oracles(
    cells: Any, values: Any, device: str, order: Any = None, *, is_planar: bool = False
) -> None:
    mesh = SimplicialComplex(cells, values)
    found = points_of(cells, values, device, order)
    boundary = mesh.boundary_points()
    types = [REGULAR] * len(values)
    for (v,) in mesh.simplices[0]:
        types[v] = point_type(mesh, v, boundary)
    assert sx.to_host(found.types).tolist() == types
    vectors = dict(zip(sx.to_host(found.point).tolist(), sx.to_host(found.vector), strict=True))
    for (v,) in mesh.simplices[0]:
        expected = np.array(critical_vector(mesh, v))
        vector = vectors.get(v, np.zeros(4, int))
        assert (v in vectors) == (types[v] != REGULAR or vector.any())
        assert vector[:2].tolist() == expected[:2].tolist()
        assert vector[2] - vector[3] == expected[2] - expected[3]
        if is_planar:
            assert vector.tolist() == expected.tolist()
    listed = sx.to_host(found.type)
    assert found.counts == tuple(int((listed == t).sum()) for t in range(5))
    np.testing.assert_array_equal(sx.to_host(found.value), values[sx.to_host(found.point)])
    assert found.euler_characteristic == mesh.euler_characteristic


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [3, 4])
def test_types_and_vectors_equal_the_oracle_on_random_simplices(
    device: str, size: int, seed: int
) -> None:
    random = np.random.default_rng([seed, size])
    for k in range(30):
        mesh = random_cells(1000 * seed + k, size)
        n = len(mesh.points)
        values = random.integers(0, random.integers(1, 2 * n), n)
        assert_points_are_the_oracles(mesh.cells, values, device, random.permutation(n))


@pytest.mark.parametrize("seed", range(3))
def test_types_and_vectors_equal_the_oracle_on_a_grid_cut_in_six(device: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    cells, n = split_grid((4, 5, 4)).cells, 80
    for values in (random.random(n), random.integers(0, 4, n), np.zeros(n), np.arange(n)[::-1]):
        order = random.permutation(n)
        assert_points_are_the_oracles(cells, values, device, order, is_planar=True)


@pytest.mark.parametrize("n", [3, 20, 300])
def test_types_and_vectors_equal_the_oracle_on_hubs(device: str, n: int) -> None:
    random = np.random.default_rng(n)
    for center in (-1, 4.5, 10):
        values = random.integers(0, 9, n + 2).astype(float)
        values[0] = center
        order = random.permutation(n + 2)
        assert_points_are_the_oracles(fan(n).cells, values, device, order, is_planar=True)


def assert_vectors_are_exact(points: Any, cells: Any, values: Any, device: str) -> None:
    found = sx.TetMesh(points, cells, device=device).critical_points(values)
    mesh, n = SimplicialComplex(cells, values), len(values)
    vectors = np.zeros((n, 4), int)
    vectors[sx.to_host(found.point)] = sx.to_host(found.vector)
    used = [v for (v,) in mesh.simplices[0]]
    assert vectors[used].tolist() == [list(critical_vector(mesh, v)) for v in used]
    assert found.totals == tuple(vectors.sum(axis=0))


@pytest.mark.parametrize("seed", range(4))
def test_vectors_are_exact_where_links_are_no_spheres_or_discs(device: str, seed: int) -> None:
    random = np.random.default_rng([7, seed])
    for k in range(25):  # faces of three tetrahedra and more
        mesh = random_cells(500 * seed + k)
        n = len(mesh.points)
        assert_vectors_are_exact(*mesh, random.integers(0, 2 * n, n), device)


def test_a_point_where_closed_surfaces_meet_owns_a_void_for_each_lower_one(device: str) -> None:
    spheres = [[k + a for a in range(4) if a != b] for k in (1, 5, 9) for b in range(4)]
    cells = np.array([[0, *face] for face in spheres])
    points, random = np.random.default_rng(0).random((13, 3)), np.random.default_rng(1)
    values = np.arange(13.0)
    values[0] = 6.5  # above the first sphere, below the last, within the second
    found = sx.TetMesh(points, cells, device=device).critical_points(values)
    at = sx.to_host(found.point).tolist().index(0)
    assert sx.to_host(found.vector)[at].tolist() == [0, 1, 0, 1]
    for _ in range(20):
        assert_vectors_are_exact(points, cells, random.integers(0, 9, 13), device)
    assert_vectors_are_exact(points, cells[:-1], random.random(13), device)  # and a disc


TORUS = [(i, (i + j) % 7, (i + 3) % 7) for i in range(7) for j in (1, 2)]
SPHERE = list(itertools.combinations(range(7, 11), 3))
SPHERES_THAT_SHARE_TWO_POINTS = [
    *itertools.combinations(range(4), 3),
    *((end, a, b) for end in (0, 1) for a, b in ((4, 5), (5, 6), (4, 6))),
]


@pytest.mark.parametrize(
    "link",
    [TORUS + SPHERE, TORUS[1:] + SPHERE, [*TORUS, (7, 8, 9)], SPHERES_THAT_SHARE_TWO_POINTS],
    ids=["torus and sphere", "torus with a hole", "torus and disc", "spheres pinched together"],
)
def test_links_that_count_as_a_sphere_or_a_disc_and_are_none_own_what_they_should(
    device: str, link: list[tuple[int, ...]]
) -> None:
    apex = max(map(max, link)) + 1
    cells = np.array([(*triangle, apex) for triangle in link])
    points, random = np.random.default_rng(0).random((apex + 1, 3)), np.random.default_rng(1)
    for k in range(8):
        values = random.permutation(apex + 1).astype(float)
        values[apex] += apex * (k % 2)  # above all, and somewhere
        assert_vectors_are_exact(points, cells, values, device)


@pytest.mark.parametrize("n_spheres", [1, 2])
def test_links_of_very_many_triangles_are_told_apart(device: str, n_spheres: int) -> None:
    n, apex = 150, 2 + 150 * n_spheres
    rings = [[2 + s * n + k for k in range(n)] for s in range(n_spheres)]  # with poles 0 and 1
    link = [(pole, r[k - 1], r[k]) for r in rings for pole in (0, 1) for k in range(n)]
    cells = np.array([(*triangle, apex) for triangle in link])
    points = np.random.default_rng(0).random((apex + 1, 3))
    mesh = sx.TetMesh(points, cells, device=device)
    odd = sx.to_host(mesh.simplices.point_of)[sx.to_host(mesh.boundary.odd_vertices)]
    assert sorted(odd.tolist()) == ([] if n_spheres == 1 else [0, 1, apex])
    values = np.arange(apex + 1.0)
    assert mesh.critical_points(values).totals == mesh.discrete_gradient(values).counts


def test_vectors_add_up_to_the_critical_simplices_of_the_gradient(device: str) -> None:
    random = np.random.default_rng(0)
    cells, n = split_grid((9, 8, 9)).cells, 9 * 8 * 9
    for values in (random.random(n), random.integers(0, 5, n)):
        found = points_of(cells, values, device)
        assert found.totals == gradient_of(cells, values, device).counts
        assert found.euler_characteristic == 1
        assert len(found) == len(sx.to_host(found.point))


def test_a_monotone_field_has_its_lowest_and_highest_point_only(device: str) -> None:
    cells, n = split_grid((4, 4, 4)).cells, 64
    found = points_of(cells, np.arange(n), device)
    assert sx.to_host(found.point).tolist() == [0, 63]
    assert found.counts == (1, 0, 0, 1, 0)
    assert found.totals == (1, 0, 0, 0)  # a maximum on the boundary owns no tetrahedron
    assert sx.to_host(found.on_boundary).tolist() == [True, True]
    assert sx.to_host(found.pieces).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("name", SPECIAL)
def test_types_and_vectors_equal_the_oracle_on_meshes_with_an_oddity(
    device: str, name: str
) -> None:
    mesh, random = SPECIAL[name], np.random.default_rng(0)
    n = len(mesh.points)
    if len(mesh.cells) == 0:
        found = sx.TetMesh(*mesh, device=device).critical_points(np.zeros(n))
        assert (len(found), found.counts, found.totals) == (0, (0,) * 5, (0,) * 4)
        assert sx.to_host(found.types).tolist() == [REGULAR] * n
        return
    for _ in range(8):
        values = random.integers(0, n, n)
        assert_points_are_the_oracles(mesh.cells, values, device, random.permutation(n))


@pytest.mark.gpu
def test_the_gpu_gives_the_bits_of_the_cpu(cuda: str) -> None:
    random = np.random.default_rng(4)
    cells, n = split_grid((14, 15, 16)).cells, 14 * 15 * 16
    for values in (random.random(n), random.integers(0, 30, n)):
        order = random.permutation(n)
        there, here = (points_of(cells, values, d, order) for d in (cuda, "cpu"))
        for column in ("point", "type", "value", "vector", "pieces", "on_boundary", "types"):
            np.testing.assert_array_equal(sx.to_host(getattr(there, column)), getattr(here, column))
