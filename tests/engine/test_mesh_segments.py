"""Segments, access by segment and by id, and identical bits."""

import numpy as np
import pytest

import separatrix as sx
from oracles.mesh import RELATIONS, boundary_of, simplices_of
from oracles.meshes import SPECIAL, delaunay, fan, random_cells, split_grid

MESH = delaunay(7, 900)
CLUSTERED = delaunay(8, 900, clusters=5)


def made(mesh, device, **options):
    kind = sx.TetMesh if mesh.cells.shape[1] == 4 else sx.TriangleMesh
    return kind(mesh.points, mesh.cells, device=device, **options)


def octree_leaf_sizes(points: np.ndarray, capacity: int) -> list[int]:
    """Sizes of the leaves of a PR octree over 2^21 cells an axis, by recursion."""
    low, extent = points.min(axis=0), (points.max(axis=0) - points.min(axis=0)).max()
    scale = 2.0**21 / extent if extent else 0.0
    cells = np.minimum(((points - low) * scale).astype(np.int64), 2**21 - 1)

    def leaves(members: np.ndarray, level: int) -> list[int]:
        if len(members) <= capacity:
            return [len(members)]
        if level == 21:
            cuts = range(0, len(members), capacity)
            return [len(members[cut : cut + capacity]) for cut in cuts]
        octant = (cells[members] >> (20 - level)) & 1
        key = octant @ np.array([4, 2, 1])
        return [
            n for k in range(8) if (key == k).any() for n in leaves(members[key == k], level + 1)
        ]

    return leaves(np.arange(len(points)), 0)


@pytest.mark.parametrize("capacity", [1, 7, 100, 2000])
@pytest.mark.parametrize("mesh", [MESH, CLUSTERED, SPECIAL["coincident points"]])
def test_segments_are_the_leaves_of_the_octree(mesh, capacity, device):
    found = np.diff(made(mesh, device, segment_size=capacity).segments.host_starts)
    assert sorted(found) == sorted(octree_leaf_sizes(mesh.points, capacity))
    assert found.max() <= capacity


def test_consecutive_vertices_are_near_each_other(device):
    grid = split_grid((16, 16, 16))
    order = sx.to_host(made(grid, device).simplices.point_of)
    steps = np.linalg.norm(np.diff(grid.points[order], axis=0), axis=1)
    assert steps.mean() < 1.4
    assert steps.max() < 6


def test_shuffled_and_rotated_cells_give_the_same_edges_and_mapped_rows(device):
    rng = np.random.default_rng(9)
    order = rng.permutation(len(MESH.cells))
    one = made(MESH, device)
    other = sx.TetMesh(MESH.points, rng.permuted(MESH.cells[order], axis=1), device=device)
    np.testing.assert_array_equal(sx.to_host(one.edges), sx.to_host(other.edges))
    np.testing.assert_array_equal(sx.to_host(one.triangles), sx.to_host(other.triangles))
    back = np.append(order, -1)
    for name in ("TE", "TF", "TT"):
        rows = sx.to_host(other.relation(name).to_table())
        rows = back[rows] if name == "TT" else rows
        np.testing.assert_array_equal(sx.to_host(one.relation(name).to_table())[order], rows)


def present(row) -> list[int]:
    return sorted(i for i in sx.to_host(row).tolist() if i >= 0)


@pytest.mark.parametrize("mesh", [CLUSTERED, random_cells(11), random_cells(12, n_corners=3)])
def test_rows_by_segment_and_by_id_are_those_of_the_whole(mesh, device):
    found = made(mesh, device, segment_size=20)
    n = len(found.segments)
    ids = np.random.default_rng(1).integers(0, 10**6, 50)
    for name in RELATIONS if found.dimension == 3 else [r for r in RELATIONS if "T" not in r]:
        relation = found.relation(name)
        whole = relation.to_csr()
        seen = []
        for begin, end in [(k, k + 1) for k in range(min(n, 4))] + [(min(n, 4), n)]:
            rows = relation.segment(begin, end)
            seen += sx.to_host(rows.ids).tolist()
            for i in range(0, len(rows), 7):
                assert present(rows[i]) == present(whole[int(rows.ids[i])])
        assert sorted(seen) == list(range(len(relation)))
        chosen = ids % len(relation)
        rows = relation[chosen]
        assert [present(rows[i]) for i in range(50)] == [present(whole[int(k)]) for k in chosen]
        assert present(relation[int(chosen[0])]) == present(whole[int(chosen[0])])


def test_segments_of_the_caller_are_contiguous(device):
    labels = np.random.default_rng(2).integers(0, 6, len(MESH.points)) * 10 - 20
    found = made(MESH, device, segments=labels)
    values, dense = np.unique(labels, return_inverse=True)
    assert len(found.segments) == len(values)
    np.testing.assert_array_equal(sx.to_host(found.segment_of_points()), dense)
    points = sx.to_host(found.relation("VT").segment(2).ids)
    assert sorted(points) == np.flatnonzero(labels == values[2]).tolist()
    one, other = (sx.to_host(m.relation("VT").to_csr().items) for m in (found, made(MESH, device)))
    np.testing.assert_array_equal(one, other)


def test_cells_are_owned_by_one_segment_and_external_to_the_others_they_touch(device):
    found = made(MESH, device, segment_size=60)
    of_points, of_cells = (
        sx.to_host(found.segment_of_points()),
        sx.to_host(found.segment_of_cells()),
    )
    touched = of_points[MESH.cells]
    np.testing.assert_array_equal(of_cells, touched.min(axis=1))
    for k in range(len(found.segments)):
        outside = np.flatnonzero((touched == k).any(axis=1) & (of_cells != k))
        np.testing.assert_array_equal(sx.to_host(found.external_cells(k)), outside)


@pytest.mark.parametrize("mesh", [*SPECIAL.values(), random_cells(5), random_cells(6, n_corners=3)])
def test_the_boundary_is_that_of_facets_in_one_cell(mesh, device):
    found = made(mesh, device)
    vertex_of = sx.to_host(found.simplices.vertex_of)
    cells = [tuple(sorted(row)) for row in vertex_of[mesh.cells].tolist()]
    for d in range(found.dimension):
        outer = boundary_of(cells, len(mesh.points), d)
        simplices = simplices_of(cells, len(mesh.points), d + 1)
        flags = sx.to_host(found.boundary.is_on_boundary(d)).tolist()
        assert flags == [simplex in outer for simplex in simplices]
    outer = boundary_of(cells, len(mesh.points), found.dimension - 1)
    flags = sx.to_host(found.is_on_boundary(found.dimension)).tolist()
    assert flags == [any(set(facet) <= set(cell) for facet in outer) for cell in cells]


def test_unusual_but_valid_cells_are_counted(device):
    counted = {name: made(SPECIAL[name], device) for name in SPECIAL}
    assert counted["disjoint"].n_components == 2
    assert counted["two sharing a vertex"].n_components == 1
    assert counted["unused points"].n_unused == 12 - 5
    assert counted["coincident points"].n_coincident == 5
    assert counted["coincident points"].n_flat == 2
    assert counted["disjoint"].n_flat == 0
    assert len(counted["three on a face"].crowded_triangles) == 1
    assert counted["hollow sphere"].euler_characteristic == 0
    assert counted["unused points"].euler_characteristic == 1
    assert counted["nothing"].counts == (0, 0, 0, 0)


def test_a_segment_may_be_larger_than_any_mesh(device):
    mesh = delaunay(1, 50)
    for kind in ("octree", "runs"):
        made = sx.TetMesh(*mesh, segment_size=2**70, segments=kind, device=device)
        assert len(made.segments) == 1


@pytest.mark.parametrize("seed", range(30))
def test_the_boundary_is_the_same_before_and_after_tetrahedra_of_triangles_are_computed(
    seed, device
):
    mesh = fan(150) if seed == 0 else random_cells(seed)
    one, other = (sx.TetMesh(*mesh, device=device) for _ in range(2))
    other.relation("FT").to_csr()
    for d in range(4):
        first, second = one.is_on_boundary(d), other.is_on_boundary(d)
        np.testing.assert_array_equal(sx.to_host(first), sx.to_host(second))
