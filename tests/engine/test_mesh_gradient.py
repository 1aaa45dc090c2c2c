"""Gradients of meshes equal the lower-star oracle, simplex by simplex, whatever the mesh order."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.mesh_gradient import SimplicialComplex, critical_vector
from oracles.mesh_gradient import mesh_gradient as gradient_oracle
from oracles.meshes import SPECIAL, delaunay, fan, random_cells, split_grid, tetgen_ball
from separatrix.complexes.simplicial.field import load_field
from separatrix.complexes.simplicial.gradient import SimplicialGradient
from separatrix.complexes.simplicial.incidence import Incidence
from separatrix.complexes.simplicial.lower_star import fill_lower_stars, pair_lower_stars
from separatrix.complexes.simplicial.segments import equal_runs
from separatrix.complexes.simplicial.simplices import Simplices, build_simplices
from separatrix.device import Session
from separatrix.relations.boundary import Boundary


def simplices_of(cells: Any, n: int, device: str, order: Any = None) -> Simplices:
    """The simplices of a mesh whose vertices are stored in the given order of the n points."""
    cells = np.asarray(cells, np.int32)
    session = Session(cells, device)
    order = np.arange(n) if order is None else order
    found, _ = build_simplices(
        session, session.upload(np.asarray(order, np.int32)), session.upload(cells)
    )
    return found


def gradient_of(
    cells: Any, values: Any, device: str, order: Any = None, points: Any = None
) -> SimplicialGradient:
    simplices = simplices_of(cells, len(values), device, order)
    return stored_gradient(simplices, values, points)


def stored_gradient(simplices: Simplices, values: Any, points: Any = None) -> SimplicialGradient:
    """The gradient of a mesh whose simplices are given, not ordered along a curve."""
    session = simplices.session
    incidence = Incidence(simplices, equal_runs(session, len(values), 100))
    mesh: Any = SimpleNamespace(
        session=session,
        dimension=simplices.dimension,
        incidence=incidence,
        boundary=Boundary(incidence),
        float_points=session.upload(np.zeros((len(values), 3)) if points is None else points),
    )
    with session.call(None, {}):
        field = load_field(session, simplices, values)
        stars = fill_lower_stars(session, simplices, field.rank)
        codes = pair_lower_stars(session, simplices, field.rank, *stars)
        return SimplicialGradient(mesh, field, codes)


def critical_ids_of(gradient: SimplicialGradient, index: int) -> list[int]:
    """Ids of the critical simplices of one index, as users name them."""
    return sx.to_host(gradient.critical.cell_id)[gradient.critical.rows(index)].tolist()


def assert_gradient_is_the_oracles(
    cells: Any, values: Any, device: str, order: Any = None
) -> SimplicialGradient:
    mesh = SimplicialComplex(cells, values)
    expected = gradient_oracle(mesh)
    gradient = gradient_of(cells, values, device, order)
    point_of = sx.to_host(gradient.simplices.point_of)
    place = np.argsort(point_of)
    used = set(np.unique(cells).tolist())
    tuples = [point_of[:, None], *(point_of[t] for t in tuples_of(gradient.simplices))]
    for codes, of_dimension in zip(gradient.codes(), tuples, strict=True):
        for code, simplex in zip(sx.to_host(codes), of_dimension.tolist(), strict=True):
            wanted = (
                6 if not used.issuperset(simplex) else expected.code(tuple(sorted(simplex)), place)
            )
            assert code == wanted, (simplex, np.asarray(cells).tolist(), values)
    counts = [sum(len(s) == d + 1 for s in expected.critical) for d in range(4)]
    assert list(gradient.counts) == counts
    assert gradient.euler_characteristic == mesh.euler_characteristic
    return gradient


def tuples_of(simplices: Simplices) -> list[Any]:
    """Mesh vertices of edges, triangles and tetrahedra."""
    tuples = [simplices.edges, simplices.triangles, simplices.tets]
    return [sx.to_host(t) for t in tuples[: simplices.dimension]]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("size", [3, 4])
def test_codes_equal_the_oracle_on_random_simplices(device: str, size: int, seed: int) -> None:
    random = np.random.default_rng([seed, size])
    for k in range(40):
        mesh = random_cells(1000 * seed + k, size)
        n = len(mesh.points)
        values = random.integers(0, random.integers(1, 2 * n), n)
        assert_gradient_is_the_oracles(mesh.cells, values, device, random.permutation(n))


@pytest.mark.parametrize("name", SPECIAL)
def test_codes_equal_the_oracle_on_meshes_with_an_oddity(device: str, name: str) -> None:
    mesh, random = SPECIAL[name], np.random.default_rng(0)
    if len(mesh.cells) == 0:
        gradient = sx.TetMesh(*mesh, device=device).discrete_gradient(np.zeros(len(mesh.points)))
        assert gradient.counts == (0, 0, 0, 0)
        assert (sx.to_host(gradient.codes()[0]) == 6).all()
        return
    for _ in range(8):
        n = len(mesh.points)
        values = random.integers(0, n, n)
        assert_gradient_is_the_oracles(mesh.cells, values, device, random.permutation(n))


@pytest.mark.parametrize("seed", range(3))
def test_codes_equal_the_oracle_on_a_grid_cut_in_six(device: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    cells, n = split_grid((4, 5, 4)).cells, 80
    for values in (random.random(n), random.integers(0, 4, n), np.zeros(n), np.arange(n)[::-1]):
        assert_gradient_is_the_oracles(cells, values, device, random.permutation(n))


@pytest.mark.parametrize("n", [15, 32, 33, 63, 64, 65, 200])
def test_codes_equal_the_oracle_on_hubs_of_any_size(device: str, n: int) -> None:
    random = np.random.default_rng(n)
    for center in (0, 1, 10):  # below, amid, above its neighbors
        values = random.integers(0, 9, n + 2).astype(float)
        values[0] = center if center != 1 else 4.5
        assert_gradient_is_the_oracles(fan(n).cells, values, device, random.permutation(n + 2))


def test_codes_equal_the_oracle_on_dense_stars_of_many_thousand_simplices(device: str) -> None:
    # Every pair of 24 points and the top one spans tetrahedra: far beyond any bits.
    random = np.random.default_rng(5)
    every = np.array(list(combinations(range(26), 4)), np.int32)
    cells = every[random.random(len(every)) < 0.15]
    for _ in range(2):
        assert_gradient_is_the_oracles(cells, random.permutation(26), device)


@pytest.mark.parametrize("seed", range(4))
def test_the_partner_above_is_the_simplex_whose_code_names_the_facet(
    device: str, seed: int
) -> None:
    random = np.random.default_rng(seed)
    for size in (3, 4):
        mesh = random_cells(seed, size)
        n = len(mesh.points)
        gradient = gradient_of(mesh.cells, random.random(n), device, random.permutation(n))
        tuples = [np.arange(n)[:, None], *tuples_of(gradient.simplices)]
        for d in range(size - 1):
            up, codes = sx.to_host(gradient.up(d)), sx.to_host(gradient.codes()[d])
            assert ((up >= 0) == (codes == 4)).all()
            above = sx.to_host(gradient.codes()[d + 1])
            assert np.sort(up[up >= 0]).tolist() == np.flatnonzero(above < 4).tolist()
            for facet, cofacet in enumerate(up):
                if cofacet >= 0:
                    corners = tuples[d + 1][cofacet].tolist()[: d + 2]
                    lacking = d + 1 - above[cofacet]
                    kept = [v for k, v in enumerate(corners) if k != lacking]
                    assert kept == tuples[d][facet].tolist()[: d + 1]


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, np.float64, bool])
def test_a_gradient_does_not_depend_on_the_dtype_or_on_the_order_of_points_and_cells(
    device: str, dtype: Any
) -> None:
    random = np.random.default_rng(2)
    cells, n = split_grid((3, 4, 4)).cells, 48
    values = random.integers(0, 2 if dtype is bool else 20, n).astype(dtype)
    first = gradient_of(cells, values, device)
    moved = gradient_of(random.permutation(cells), values, device, random.permutation(n))
    assert first.counts == moved.counts
    assert critical_ids_of(first, 0) == critical_ids_of(moved, 0)
    expected = gradient_oracle(SimplicialComplex(cells, values))
    assert critical_ids_of(first, 0) == [s[0] for s in expected.critical if len(s) == 1]
    tops = {tuple(sorted(cells[t].tolist())) for t in critical_ids_of(first, 3)}
    assert tops == {s for s in expected.critical if len(s) == 4}


def test_every_vertex_owns_as_many_critical_simplices_as_its_lower_link_says(device: str) -> None:
    random = np.random.default_rng(9)
    cells, n = split_grid((5, 5, 4)).cells, 100
    values = random.random(n)
    mesh = SimplicialComplex(cells, values)
    gradient = gradient_of(cells, values, device)
    tuples = [np.arange(n)[:, None], *tuples_of(gradient.simplices)]
    counts = np.zeros((n, 4), int)
    for d in range(4):
        for simplex in tuples[d][sx.to_host(gradient.critical_of(d))]:
            counts[max(simplex, key=lambda v: values[v]), d] += 1
    assert counts.tolist() == [list(critical_vector(mesh, v)) for v in range(n)]


@pytest.mark.parametrize("size", [3, 4])
def test_arrows_lead_from_barycenter_to_barycenter_of_the_pairs(device: str, size: int) -> None:
    random = np.random.default_rng(size)
    points, cells = random_cells(size, size)
    values, order = random.permutation(len(points)), random.permutation(len(points))
    arrows = gradient_of(cells, values, device, order, points).arrows()
    expected = gradient_oracle(SimplicialComplex(cells, values)).partner
    pairs = sorted((a, b) for a, b in expected.items() if len(a) < len(b))
    tails, heads = (np.array([points[list(p[k])].mean(axis=0) for p in pairs]) for k in (0, 1))
    found = np.hstack([sx.to_host(arrows.tail), sx.to_host(arrows.vector)])
    wanted = np.hstack([tails, heads - tails])
    dimensions = sx.to_host(arrows.tail_dimension)
    assert dimensions.tolist() == sorted(len(a) - 1 for a, _ in pairs)
    np.testing.assert_allclose(found[np.lexsort(found.T)], wanted[np.lexsort(wanted.T)], atol=1e-12)
    starts = sx.to_host(arrows.tail_cell_id)[dimensions == 0].tolist()
    assert sorted(starts) == [a[0] for a, _ in pairs if len(a) == 1]
    ends = sx.to_host(arrows.head_cell_id)[dimensions == size - 2].tolist()
    tops = sorted(tuple(sorted(cells[end].tolist())) for end in ends)
    assert tops == sorted(b for _, b in pairs if len(b) == size)


def test_minus_zero_equals_zero_and_denormals_differ(device: str) -> None:
    cells = [[0, 1, 2, 3]]
    same = gradient_of(cells, np.array([0.0, -0.0, 0.0, -0.0]), device)
    assert critical_ids_of(same, 0) == [0]
    tiny = gradient_of(cells, np.array([5e-324, 0.0, 1e-323, 1.0]), device)
    assert critical_ids_of(tiny, 0) == [1]


def test_the_result_does_not_depend_on_the_number_of_threads() -> None:
    random = np.random.default_rng(1)
    cells, n = split_grid((12, 12, 12)).cells, 12**3
    values, order = random.random(n), random.permutation(n)
    given = np.asarray(cells, np.int32)
    found = []
    for threads in (1, 2, 5):
        session = Session(given, "cpu", threads)
        simplices, _ = build_simplices(session, order.astype(np.int32), given)
        found.append(stored_gradient(simplices, values))
    for gradient in found[1:]:
        for mine, theirs in zip(gradient.codes(), found[0].codes(), strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.gpu
def test_the_gpu_gives_the_bits_of_the_cpu(cuda: str) -> None:
    random = np.random.default_rng(4)
    cells, n = split_grid((30, 31, 29)).cells, 30 * 31 * 29
    for values in (random.random(n), random.integers(0, 30, n), np.arange(n)):
        order = random.permutation(n)
        there, here = (gradient_of(cells, values, d, order) for d in (cuda, "cpu"))
        for mine, theirs in zip(there.codes(), here.codes(), strict=True):
            np.testing.assert_array_equal(sx.to_host(mine), theirs)
        for d in range(3):
            np.testing.assert_array_equal(sx.to_host(there.up(d)), here.up(d))


def test_huge_stars_are_paired_on_the_cpu_for_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(6)
    cells, values = fan(300).cells, random.permutation(302).astype(float)
    values[:2] = 1000, 200.5  # no ties, which NumPy as a GPU would not sort stably
    expected = gradient_of(cells, values, "cpu")
    simplices = simplices_of(cells, 302, "cpu")
    monkeypatch.setattr(simplices.session.device, "is_cuda", True)  # which then launches as ever
    for size in (400, 1):
        monkeypatch.setattr("separatrix.complexes.simplicial.lower_star.HUGE_STAR", size)
        gradient = stored_gradient(simplices, values)
        for mine, theirs in zip(gradient.codes(), expected.codes(), strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_a_graded_mesh_of_tetgen_obeys_euler_and_the_vectors_add_up_to_the_gradient(
    device: str,
) -> None:
    pytest.importorskip("tetgen")
    ball = tetgen_ball()
    mesh = sx.TetMesh(*ball, device=device)
    values = np.sin(7 * ball.points).sum(axis=1)
    gradient, points = mesh.discrete_gradient(values), mesh.critical_points(values)
    assert gradient.euler_characteristic == points.euler_characteristic == 1
    assert points.totals == gradient.counts
    assert gradient.counts == sx.TetMesh(*ball, segments="runs").discrete_gradient(values).counts


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_mesh_gives_the_gradient_of_its_simplices_whatever_its_segments(
    device: str, dimension: int
) -> None:
    random = np.random.default_rng(dimension)
    points, cells = delaunay(dimension, 40, dimension)
    values = random.integers(0, 9, 40)
    kind = sx.TetMesh if dimension == 3 else sx.TriangleMesh
    expected = gradient_oracle(SimplicialComplex(cells, values))
    for segments in ("octree", "runs", random.integers(0, 4, 40)):
        mesh = kind(points, cells, segments=segments, segment_size=9, device=device)
        gradient = mesh.discrete_gradient(values)
        assert list(gradient.counts)[: dimension + 1] == [
            sum(len(s) == d + 1 for s in expected.critical) for d in range(dimension + 1)
        ]
        assert gradient.euler_characteristic == mesh.euler_characteristic == 1
        arrows = gradient.arrows()
        assert len(sx.to_host(arrows.tail)) == len(expected.partner) // 2
        assert mesh.critical_points(values).totals == gradient.counts


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (np.zeros(3), r"values must hold one number a point, in an array of shape \(4,\), got"),
        (np.zeros((4, 1)), r"got shape \(4, 1\)"),
        (np.array([0, 1, np.nan, np.inf]), r"values\[2\] is nan \(2 such points\)"),
        (np.zeros(4, complex), "values must be real numbers"),
    ],
)
def test_values_that_are_not_one_finite_number_a_point_are_refused(
    device: str, values: Any, text: str
) -> None:
    mesh = sx.TetMesh(np.eye(4, 3), [[0, 1, 2, 3]], device=device)
    for ask in (mesh.discrete_gradient, mesh.critical_points):
        with pytest.raises(sx.InputError, match=text):
            ask(values)


def test_dimensions_that_a_mesh_has_not_are_refused(device: str) -> None:
    gradient = gradient_of([[0, 1, 2, 3]], np.arange(4), device)
    with pytest.raises(sx.InputError, match="index must be an integer from 0 to 3; got 4"):
        gradient.critical.rows(4)
    with pytest.raises(sx.InputError, match="dimension must be an integer from 0 to 2; got 3"):
        gradient.up(3)


def test_a_progress_callback_may_stop_the_gradient(device: str) -> None:
    mesh = sx.TetMesh(np.eye(4, 3), [[0, 1, 2, 3]], device=device)
    heard: list[str] = []
    mesh.discrete_gradient(np.arange(4), progress=lambda _, stage: heard.append(stage))
    assert list(dict.fromkeys(heard)) == ["order", "stars", "gradient"]

    def stop(part: float, stage: str) -> None:
        raise sx.Cancelled

    with pytest.raises(sx.Cancelled):
        mesh.critical_points(np.arange(4), progress=stop)
