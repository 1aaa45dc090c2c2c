"""The sixteen relations of meshes against Python's sets, and against each other."""

from itertools import combinations, pairwise
from time import process_time

import numpy as np
import pytest

import separatrix as sx
from oracles.mesh import LETTERS, RELATIONS, relation_of
from oracles.meshes import SPECIAL, Mesh, delaunay, fan, random_cells, split_grid, tetgen_ball
from separatrix.relations import relation

TRIANGLES = [name for name in RELATIONS if "T" not in name]


def mesh_of(mesh: Mesh, device: str, **options) -> sx.TetMesh | sx.TriangleMesh:
    kind = sx.TetMesh if mesh.cells.shape[1] == 4 else sx.TriangleMesh
    return kind(mesh.points, mesh.cells, device=device, **options)


def lists(rows: sx.Rows) -> list[list[int]]:
    items, offsets = sx.to_host(rows.items).tolist(), sx.to_host(rows.offsets).tolist()
    return [items[a:b] for a, b in pairwise(offsets)]


def expected(made, mesh: Mesh, name: str) -> list[list[int]]:
    """The oracle's rows of mesh vertices."""
    vertex_of = sx.to_host(made.simplices.vertex_of)
    cells = [tuple(row) for row in vertex_of[mesh.cells].tolist()]
    return relation_of(cells, len(mesh.points), name)


def in_ids_of_user(made, name: str, rows: list[list[int]]) -> list[list[int]]:
    s = made.simplices
    user = {0: sx.to_host(s.point_of).tolist(), s.dimension: sx.to_host(s.cell_of).tolist()}
    source, target = (user.get(LETTERS.index(letter)) for letter in name)
    if target is not None:
        rows = [sorted(target[i] for i in row) for row in rows]
    if source is not None:
        by_user = {source[i]: row for i, row in enumerate(rows)}
        rows = [by_user[i] for i in range(len(by_user))]
    return rows


def assert_equal_to_the_oracle(mesh: Mesh, device: str, **options) -> None:
    made = mesh_of(mesh, device, **options)
    for name in RELATIONS if mesh.cells.shape[1] == 4 else TRIANGLES:
        rows = expected(made, mesh, name)
        assert lists(made.relation(name, ids="mesh").to_csr()) == rows, name
        found = lists(made.relation(name, ids="user").to_csr())
        assert found == in_ids_of_user(made, name, rows), name


@pytest.mark.parametrize("name", SPECIAL)
def test_every_relation_of_a_special_mesh_equals_that_of_sets(name, device):
    assert_equal_to_the_oracle(SPECIAL[name], device, segment_size=3)


@pytest.mark.parametrize("seed", range(60))
def test_every_relation_of_random_cells_equals_that_of_sets(seed, device):
    for k in range(seed, 240, 60):
        mesh = random_cells(k, most=(40, 40, 90, 15)[k // 60])
        some = np.random.default_rng(k).integers(-2, 5, len(mesh.points))
        options = {"segments": some} if k % 5 == 0 else {"segment_size": 1 + k % 7}
        assert_equal_to_the_oracle(mesh, device, **options)


@pytest.mark.parametrize("seed", range(20))
def test_every_relation_of_random_triangles_equals_that_of_sets(seed, device):
    assert_equal_to_the_oracle(random_cells(seed, n_corners=3), device)


def test_every_relation_of_a_delaunay_mesh_equals_that_of_sets(device):
    assert_equal_to_the_oracle(delaunay(1, 30), device)
    assert_equal_to_the_oracle(delaunay(2, 40, d=2), device)


def test_a_relation_iterates_over_the_rows_of_all_ids(device, monkeypatch):
    monkeypatch.setattr(relation, "ROWS_AT_ONCE", 7)
    for name in ("VT", "TV"):
        rows = mesh_of(delaunay(3, 40), device).relation(name)
        assert [row.tolist() for row in rows] == lists(rows.to_csr())


def test_a_vertex_with_hundreds_of_neighbors_has_the_relations_of_sets(device):
    mesh = fan(150)
    for end in (0.0, 3.0):  # the hub is the lowest vertex of all, or the highest
        mesh.points[0] = end
        made = mesh_of(mesh, device)
        for name in ("VV", "VE", "EF", "ET", "FV", "FT", "TF", "TT"):
            found = lists(made.relation(name, ids="mesh").to_csr())
            assert found == expected(made, mesh, name), name


def test_a_vertex_with_thousands_of_neighbors_preserves_the_sums(device):
    made = mesh_of(fan(5000), device)
    assert made.counts == (5002, 15001, 15000, 5000)
    degrees = np.diff(sx.to_host(made.relation("ET").to_csr().offsets))
    assert degrees.max() == 5000


def seconds_around_a_hub(n_rim: int) -> float:
    made, start = mesh_of(fan(n_rim), "cpu", threads=1), process_time()
    for name in ("VT", "EF", "ET", "FT", "TT"):
        made.relation(name).to_csr()
    return process_time() - start


def test_relations_of_a_hub_take_time_by_its_size_not_by_the_square_of_it():
    small, large = (min(seconds_around_a_hub(n) for _ in range(2)) for n in (5000, 40000))
    assert large < 24 * small + 0.1  # 8 times as many; 64 by the square


REAL = {
    "delaunay": delaunay(3, 3000),
    "clustered": delaunay(4, 3000, clusters=9),
    "split grid": split_grid((9, 12, 10)),
    "jittered grid": split_grid((10, 8, 9), seed=5),
    "plane": delaunay(6, 3000, d=2),
}


def real(name: str) -> Mesh:
    if name == "tetgen":
        pytest.importorskip("tetgen")
        return tetgen_ball()
    return REAL[name]


@pytest.mark.parametrize("name", [*REAL, "tetgen"])
def test_edges_and_triangles_are_numbered_as_the_sorted_distinct_tuples(name, device):
    mesh = real(name)
    s = mesh_of(mesh, device).simplices
    cells = np.sort(sx.to_host(s.vertex_of)[mesh.cells], axis=1)
    for size in (2, 3):
        found = s.corners_of(size - 1, slice(None))
        columns = list(combinations(range(cells.shape[1]), size))
        tuples = np.concatenate([cells[:, list(column)] for column in columns])
        np.testing.assert_array_equal(sx.to_host(found), np.unique(tuples, axis=0))
    np.testing.assert_array_equal(
        sx.to_host(s.tets)[:, : cells.shape[1]], cells[sx.to_host(s.cell_of)]
    )
    assert (np.lexsort(cells.T[::-1]) == sx.to_host(s.cell_of)).all()


@pytest.mark.parametrize("name", [*REAL, "tetgen"])
def test_a_relation_and_its_transpose_agree(name, device):
    made = mesh_of(real(name), device)
    names = RELATIONS if made.dimension == 3 else TRIANGLES
    for xy in names:
        pairs = []
        for way in (xy, xy[::-1]):
            rows = made.relation(way).to_csr()
            offsets, items = sx.to_host(rows.offsets), sx.to_host(rows.items)
            source = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
            ends = (source, items) if way == xy else (items, source)
            pairs.append(np.sort(ends[0].astype(np.int64) << 32 | ends[1]))
            assert (np.diff(pairs[-1]) > 0).all()
            if way == way[::-1]:
                pairs.append(np.sort(items.astype(np.int64) << 32 | source))
        assert all((pair == pairs[0]).all() for pair in pairs[1:]), xy


@pytest.mark.parametrize("name", [*REAL, "tetgen"])
def test_numbers_of_cofaces_have_the_sums_and_links_of_a_manifold(name, device):
    made = mesh_of(real(name), device)
    counts = made.counts
    assert made.euler_characteristic == 1

    def degrees(relation):
        return np.diff(sx.to_host(made.relation(relation).to_csr().offsets))

    n_edges, n_triangles = counts[1:3]
    assert degrees("VV").sum() == degrees("VE").sum() == 2 * n_edges
    assert degrees("VF").sum() == degrees("EF").sum() == 3 * n_triangles
    d = degrees("VE").astype(np.int64)
    assert degrees("EE").sum() == (d * (d - 1)).sum()
    d = degrees("EF").astype(np.int64)
    assert degrees("FF").sum() == (d * (d - 1)).sum()
    on_boundary = [sx.to_host(made.is_on_boundary(k)) for k in range(3)]
    if made.dimension == 2:
        assert (degrees("EF") == np.where(on_boundary[1], 1, 2)).all()
        assert ((degrees("VE") - degrees("VF")) == on_boundary[0]).all()
        return
    n_tets = counts[3]
    assert degrees("VT").sum() == 4 * n_tets
    assert degrees("ET").sum() == 6 * n_tets
    assert degrees("FT").sum() == 4 * n_tets
    assert on_boundary[2].sum() == 2 * n_triangles - 4 * n_tets
    link = degrees("VV") - degrees("VF") + degrees("VT")
    assert (link == np.where(on_boundary[0], 1, 2)).all()
    assert ((degrees("EF") - degrees("ET")) == on_boundary[1]).all()


def test_facets_are_in_canonical_order_and_neighbors_lie_across_them(device):
    made = mesh_of(REAL["clustered"], device)
    s = made.simplices
    tets, triangles, edges = (sx.to_host(s.corners_of(d, slice(None))) for d in (3, 2, 1))
    tf, fe = (sx.to_host(made.relation(n, ids="mesh").to_table()) for n in ("TF", "FE"))
    for k, columns in enumerate(([0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3])):
        np.testing.assert_array_equal(triangles[tf[:, k]], tets[:, columns])
    for k, columns in enumerate(([0, 1], [0, 2], [1, 2])):
        np.testing.assert_array_equal(edges[fe[:, k]], triangles[:, columns])
    tt = sx.to_host(made.relation("TT", ids="mesh").to_table())
    ft = sx.to_host(made.relation("FT", ids="mesh").to_table())
    rows = np.arange(len(tets))[:, None]
    assert ((ft[tf] == rows[..., None]).sum(-1) == 1).all()
    np.testing.assert_array_equal(tt, np.where(ft[tf, 0] == rows, ft[tf, 1], ft[tf, 0]))
