"""Gradients and critical points of meshes equal their oracles, for any order of the mesh."""

import pickle
from collections.abc import Iterator
from itertools import combinations
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import (
    assert_codes_are_the_gradients,
    assert_points_are_the_oracles,
    mesh_of,
    rows_of,
)
from oracles.mesh_gradient import (
    REGULAR,
    SimplicialComplex,
    mesh_gradient,
)
from oracles.meshes import SPECIAL, Mesh, delaunay, fan, random_cells, split_grid, tetgen_ball
from separatrix.complexes.simplicial import resident, simplicial_mesh, slabs
from separatrix.device import CudaDevice, HostDevice
from separatrix.device.memory import MemoryBudget


def shuffled(mesh: Mesh, random: Any, device: str) -> Any:
    """The mesh with its points in a random order inside, which segments of the caller make."""
    n = len(mesh.points)
    return mesh_of(*mesh, segments=random.integers(0, n, n), device=device)


def assert_gradient_is_the_oracles(made: Any, mesh: Mesh, values: Any) -> None:
    expected = SimplicialComplex(mesh.cells, values)
    pairing = mesh_gradient(expected)
    found = made.discrete_gradient(values)
    assert_codes_are_the_gradients(made, found, mesh.cells, pairing)
    assert sorted(rows_of(found, mesh.cells)) == sorted(pairing.critical)
    counts = [sum(len(s) == d + 1 for s in pairing.critical) for d in range(4)]
    assert list(found.counts) == counts
    assert found.euler_characteristic == expected.euler_characteristic


def assert_both_are_the_oracles(mesh: Mesh, values: Any, random: Any, device: str) -> None:
    made = shuffled(mesh, random, device)
    assert_gradient_is_the_oracles(made, mesh, values)
    assert_points_are_the_oracles(made, mesh.cells, values)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [3, 4])
def test_random_cells_have_the_gradient_and_points_of_the_oracles(device, size, seed):
    # Faces of three cells and more, and links that are neither spheres nor discs.
    random = np.random.default_rng([seed, size])
    for k in range(40):
        mesh = random_cells(1000 * seed + k, size)
        n = len(mesh.points)
        values = random.integers(0, random.integers(1, 2 * n), n)
        assert_both_are_the_oracles(mesh, values, random, device)


@pytest.mark.parametrize("name", SPECIAL)
def test_irregular_meshes_have_the_gradient_and_points_of_the_oracles(device, name):
    mesh, random = SPECIAL[name], np.random.default_rng(0)
    n = len(mesh.points)
    for _ in range(8 if len(mesh.cells) else 0):
        assert_both_are_the_oracles(mesh, random.integers(0, n, n), random, device)


@pytest.mark.parametrize("name", ["no cells", "nothing"])
def test_a_mesh_without_cells_has_neither_gradient_nor_points(device, name):
    mesh = sx.TetMesh(*SPECIAL[name], device=device)
    n = len(SPECIAL[name].points)
    gradient, points = mesh.discrete_gradient(np.zeros(n)), mesh.critical_points(np.zeros(n))
    assert gradient.counts == (0, 0, 0, 0)
    assert (sx.to_host(gradient.codes()[0]) == 6).all()
    assert (len(points), points.counts, points.totals) == (0, (0,) * 5, (0,) * 4)
    assert sx.to_host(points.types).tolist() == [REGULAR] * n


@pytest.mark.parametrize("seed", range(2))
def test_a_grid_cut_in_six_has_the_gradient_and_points_of_the_oracles(device, seed):
    random = np.random.default_rng(seed)
    mesh, n = split_grid((4, 5, 4)), 80
    for values in (random.random(n), random.integers(0, 4, n), np.zeros(n), np.arange(n)[::-1]):
        assert_both_are_the_oracles(mesh, values, random, device)


@pytest.mark.parametrize("n", [3, 15, 32, 33, 63, 64, 65, 200])
def test_hubs_of_any_size_have_the_gradient_and_points_of_the_oracles(device, n):
    random = np.random.default_rng(n)
    for center in (-1, 4.5, 10):  # below, amid, above its neighbors
        values = random.integers(0, 9, n + 2).astype(float)
        values[0] = center
        assert_both_are_the_oracles(fan(n), values, random, device)


def test_dense_stars_of_many_thousand_simplices_have_the_gradient_of_the_oracle(device):
    # Every pair of 24 points and the top one spans tetrahedra: far beyond any bits.
    random = np.random.default_rng(5)
    every = np.array(list(combinations(range(26), 4)))
    mesh = Mesh(random.random((26, 3)), every[random.random(len(every)) < 0.15])
    values = random.permutation(26)
    assert_gradient_is_the_oracles(shuffled(mesh, random, device), mesh, values)


def test_huge_stars_are_paired_on_the_cpu_for_a_gpu(monkeypatch):
    random = np.random.default_rng(6)
    mesh, values = mesh_of(*fan(300), device="cpu"), random.permutation(302).astype(float)
    values[:2] = 1000, 200.5  # no ties, which NumPy as a GPU would not sort stably
    expected = mesh.discrete_gradient(values).codes()
    monkeypatch.setattr(mesh.session.device, "is_cuda", True)  # which then launches as ever
    for size in (400, 1):
        monkeypatch.setattr("separatrix.complexes.simplicial.lower_star.HUGE_STAR", size)
        for mine, theirs in zip(mesh.discrete_gradient(values).codes(), expected, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def assert_same_bits(found: Any, expected: Any) -> None:
    one, other = sx.to_host(found), sx.to_host(expected)
    assert one.dtype == other.dtype
    assert one.shape == other.shape
    assert one.tobytes() == other.tobytes()


def in_packets(mesh: Mesh, device: str) -> Iterator[Any]:
    """The mesh with packets of segments of several sizes, some of cells on the device."""
    for size in (1, 4, 100):
        yield mesh_of(*mesh, device=device, segment_size=size, memory_limit=1)
    for size, in_pinned_memory in ((4, False), (100, False), (9, True)):
        yield resident_mesh(mesh, device, size, in_pinned_memory)


def resident_mesh(mesh: Mesh, device: str, size: int, in_pinned_memory: bool = False) -> Any:
    """A mesh on the host, with cells on the device in addition, or in memory that it reads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simplicial_mesh, "PER_CELL", 1 << 60)  # too many for a whole mesh
        patch.setattr(MemoryBudget, "overflows", lambda _, needed: needed >= 1 << 60)
        patch.setattr(slabs, "ROWS_AT_ONCE", 7)
        if in_pinned_memory:
            patch.setattr(resident, "bytes_of_resident", lambda *_: 1 << 60)
            patch.setattr(MemoryBudget, "room", lambda _: 0)  # cells are sorted in many pieces
            for kind in (HostDevice, CudaDevice):
                patch.setattr(kind, "is_pinned", lambda *_: True)
        made = mesh_of(*mesh, device=device, segment_size=size)
    if len(mesh.cells):
        assert made.simplices.resident is not None
        made.session.memory.limit = made.session.memory.held + (1 << 16)
    return made


def meshes_named(name: str) -> Iterator[tuple[Mesh, Any]]:
    """Meshes with values full of ties."""
    for seed in range(12) if name.startswith("random") else (0,):
        mesh = SPECIAL.get(name) or random_cells(seed, 3 if "triangles" in name else 4)
        yield mesh, np.random.default_rng(seed).integers(0, 9, len(mesh.points))


# A triangle in three tetrahedra, pinched points and edges, voids, and points without cells.
@pytest.mark.parametrize("name", ["random", "random triangles", *SPECIAL])
def test_critical_points_in_packets_have_the_bits_of_the_whole_mesh(device, name):
    for mesh, values in meshes_named(name):
        expected = mesh_of(*mesh, device=device).critical_points(values)
        for made in in_packets(mesh, device):
            found = made.critical_points(values)
            assert found.counts == expected.counts
            assert not (len(mesh.cells) and made.simplices.has_triangles)
            for column in (*expected._COLUMNS, "types"):
                assert_same_bits(getattr(found, column), getattr(expected, column))


@pytest.mark.parametrize("name", ["random", "random triangles", *SPECIAL])
def test_a_gradient_in_packets_has_the_bits_of_the_whole_mesh(device, name):
    for mesh, values in meshes_named(name):
        expected = mesh_of(*mesh, device=device).discrete_gradient(values)
        for made in in_packets(mesh, device):
            found = made.discrete_gradient(values)
            assert found.counts == expected.counts
            for one, other in zip(found.codes(), expected.codes(), strict=True):
                assert_same_bits(one, other)
            for column in found.critical._COLUMNS:
                assert_same_bits(
                    getattr(found.critical, column), getattr(expected.critical, column)
                )
            for column in ("tail", "tail_cell_id", "head_cell_id"):
                assert_same_bits(*(getattr(of.arrows(), column) for of in (found, expected)))
            if "hub" not in name:
                assert not (len(mesh.cells) and made.simplices.has_triangles)


@pytest.mark.parametrize("corners", [3, 4])
def test_a_complex_in_packets_rejects_the_facet_that_the_whole_mesh_rejects(device, corners):
    random = np.random.default_rng(corners)
    mesh = Mesh(random.random((7, 3)), np.array(list(combinations(range(7), corners))))
    values = np.arange(7)
    with pytest.raises(sx.InputError, match="three or more") as expected:
        _ = mesh_of(*mesh, device=device).morse_smale(values).arcs
    for made in (mesh_of(*mesh, device=device), *in_packets(mesh, device)):
        for analysis in (made.morse_smale, made.persistence_diagram):
            with pytest.raises(sx.InputError) as found:
                analysis(values)
            assert str(found.value) == str(expected.value)
        assert len(made.persistence_diagram(values, dimensions=0)) == 1


@pytest.mark.parametrize("name", ["Delaunay", "grid", "triangles", "hub"])
def test_a_complex_in_packets_has_the_bits_of_the_whole_mesh(device, name):
    mesh = {
        "Delaunay": delaunay(1, 60),
        "grid": split_grid((5, 5, 5), seed=1),
        "triangles": delaunay(3, 80, 2),
        "hub": fan(100),
    }[name]
    values = np.random.default_rng(0).integers(0, 40, len(mesh.points))
    whole = mesh_of(*mesh, device=device)
    for made in in_packets(mesh, device):
        one, other = (of.morse_smale(values) for of in (made, whole))
        for kind in ("ascending", "descending", "morse_smale"):
            assert_same_bits(*(of.segmentation(kind) for of in (one, other)))
        assert_same_bits(
            *(of.persistence_diagram(values, dimensions=0).birth for of in (made, whole))
        )
        for column in ("upper", "lower", "multiplicity"):
            assert_same_bits(*(getattr(of.arcs, column) for of in (one, other)))
        pairs = [of.persistence_diagram(values) for of in (made, whole)]
        for column in pairs[0]._COLUMNS:
            assert_same_bits(*(getattr(of, column) for of in pairs))
        for level in (0, 5):
            found, expected = (of.simplify(level) for of in (one, other))
            for column in ("cell_id", "position", "on_boundary"):
                assert_same_bits(*(getattr(of.critical, column) for of in (found, expected)))
            for kind in ("ascending", "descending", "saddle")[: mesh.cells.shape[1] - 1]:
                lines = [of.separatrices(dimension=1, kind=kind) for of in (found, expected)]
                for column in ("points", "offsets", "cell_id"):
                    assert_same_bits(*(getattr(of, column) for of in lines))
            for kind in ("ascending", "descending")[: 2 * (mesh.cells.shape[1] == 4)]:
                surfaces = [of.separatrices(dimension=2, kind=kind) for of in (found, expected)]
                for column in ("points", "cell_id", "offsets", "corners", "polygon_cell_id"):
                    assert_same_bits(*(getattr(of, column) for of in surfaces))
            for kind in ("ascending", "descending"):
                assert_same_bits(*(of.segmentation(kind) for of in (found, expected)))
        assert made.simplices.has_triangles == (name == "hub")


@pytest.mark.parametrize("name", ["random", "random triangles", *SPECIAL])
def test_the_plateau_order_in_packets_has_the_bits_of_the_whole_mesh(device, name):
    for mesh, values in meshes_named(name):
        values = values // 3  # which has plateaus without a lower neighbor
        given = {"order": "plateau"}
        expected = mesh_of(*mesh, device=device).discrete_gradient(values, **given)
        for made in in_packets(mesh, device):
            found = made.discrete_gradient(values, **given)
            assert not (len(mesh.cells) and made.simplices.has_triangles)
            for one, other in zip(found.codes(), expected.codes(), strict=True):
                assert_same_bits(one, other)


@pytest.mark.parametrize("in_pinned_memory", [False, True])
def test_a_mesh_with_cells_on_the_device_has_the_same_parts(device, in_pinned_memory):
    mesh = split_grid((5, 5, 4), seed=1)
    whole = mesh_of(*mesh, device=device)
    made = resident_mesh(mesh, device, 4, in_pinned_memory)
    pickled = pickle.loads(pickle.dumps(made))
    values = np.random.default_rng(0).random(len(mesh.points))
    for found in (made, pickled):
        assert found.counts == whole.counts
        assert_same_bits(found.points, whole.points)
        for name in ("VV", "VT", "ET", "TT", "FF", "EV"):
            one, other = (of.relation(name).to_csr() for of in (found, whole))
            assert_same_bits(one.items, other.items)
            rows = [sx.to_host(batch[name].items) for batch in found.stream(name)]
            expected = [sx.to_host(batch[name].items) for batch in whole.stream(name)]
            assert_same_bits(np.concatenate(rows), np.concatenate(expected))
        assert_same_bits(found.critical_points(values).types, whole.critical_points(values).types)
    for dtype, corner in ((np.int64, -(2**40)), (np.uint32, 2**31 + 5), (np.uint64, 2**33)):
        wrong = mesh.cells.astype(dtype)
        wrong[3, 1] = corner
        with pytest.raises(sx.InputError, match="indices of points"):
            resident_mesh(Mesh(mesh.points, wrong), device, 100, in_pinned_memory)
    with pytest.raises(sx.InputError, match="distinct"):
        resident_mesh(Mesh(mesh.points, mesh.cells[[0, 1, 1]]), device, 100, in_pinned_memory)


@pytest.mark.alone
@pytest.mark.gpu
@pytest.mark.parametrize("limit", [240_000_000, 140_000_000])  # cells on the GPU, in pinned memory
def test_the_peak_of_a_mesh_that_a_gpu_sorts_stays_below_the_limit(cuda, limit):
    import cupy

    mesh = split_grid((96, 96, 96), seed=1)
    values = np.random.default_rng(1).random(len(mesh.points), np.float32)
    free, stop = [], Event()

    def found() -> tuple[Any, Any]:
        made = mesh_of(*mesh, device=cuda, memory_limit=limit)
        assert made.simplices.resident is not None
        return made.critical_points(values), made.discrete_gradient(values)

    def watch() -> None:
        while not stop.wait(0.001):
            free.append(cupy.cuda.runtime.memGetInfo()[0])

    found()  # kernels take memory too
    sx.release_memory()
    before, thread = cupy.cuda.runtime.memGetInfo()[0], Thread(target=watch)
    thread.start()
    links, gradient = found()
    stop.set()
    thread.join()
    assert 0 < before - min(free) <= limit + (16 << 20)  # the driver deals in pages of 2 MiB
    whole = mesh_of(*mesh, device=cuda)
    assert_same_bits(links.types, whole.critical_points(values).types)
    for one, other in zip(gradient.codes(), whole.discrete_gradient(values).codes(), strict=True):
        assert_same_bits(one, other)


def test_critical_points_in_packets_report_progress_and_can_be_canceled(device):
    mesh = split_grid((7, 7, 7), seed=1)
    made = mesh_of(*mesh, device=device, segment_size=9, memory_limit=1)
    values = np.arange(len(mesh.points))

    def stop(fraction, stage):
        if fraction > 0.5:
            raise sx.Canceled("enough")

    with pytest.raises(sx.Canceled):
        made.critical_points(values, progress=stop)
    assert made.critical_points(values).counts[0] == 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [3, 4])
def test_the_partner_above_is_the_simplex_whose_code_names_the_facet(device, size, seed):
    random = np.random.default_rng(seed)
    mesh = random_cells(seed, size)
    made = shuffled(mesh, random, device)
    gradient = made.discrete_gradient(random.random(len(mesh.points)))
    tables = [made.simplices.corners_of(d, slice(None)) for d in (1, 2, 3)]
    tuples = [np.arange(len(mesh.points))[:, None], *map(sx.to_host, tables)]
    for d in range(size - 1):
        up, codes = sx.to_host(gradient._pairing.up(d)), sx.to_host(gradient.codes()[d])
        assert ((up >= 0) == (codes == 4)).all()
        above = sx.to_host(gradient.codes()[d + 1])
        assert np.sort(up[up >= 0]).tolist() == np.flatnonzero(above < 4).tolist()
        for facet, cofacet in enumerate(up):
            if cofacet >= 0:
                corners = tuples[d + 1][cofacet].tolist()[: d + 2]
                kept = [v for k, v in enumerate(corners) if k != d + 1 - above[cofacet]]
                assert kept == tuples[d][facet].tolist()[: d + 1]


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32, np.float64, bool])
def test_the_dtype_of_values_and_the_order_of_cells_change_no_critical_simplex(device, dtype):
    random = np.random.default_rng(2)
    mesh, n = split_grid((3, 4, 4)), 48
    values = random.integers(0, 2 if dtype is bool else 20, n).astype(dtype)
    expected = sorted(mesh_gradient(SimplicialComplex(mesh.cells, values)).critical)
    for cells in (mesh.cells, random.permutation(mesh.cells)):
        found = shuffled(Mesh(mesh.points, cells), random, device).discrete_gradient(values)
        assert sorted(rows_of(found, cells)) == expected


def test_minus_zero_equals_zero_and_denormals_differ(device):
    mesh = mesh_of(np.eye(4, 3), np.array([[0, 1, 2, 3]]), device=device)
    for values, lowest in (([0.0, -0.0, 0.0, -0.0], 0), ([5e-324, 0.0, 1e-323, 1.0], 1)):
        critical = mesh.discrete_gradient(np.array(values)).critical
        assert sx.to_host(critical.vertex).tolist() == [lowest]


@pytest.mark.parametrize("size", [3, 4])
def test_arrows_lead_from_barycenter_to_barycenter_of_the_pairs(device, size):
    random = np.random.default_rng(size)
    mesh = random_cells(size, size)
    points, cells = mesh
    values = random.permutation(len(points))
    arrows = shuffled(mesh, random, device).discrete_gradient(values).arrows()
    expected = mesh_gradient(SimplicialComplex(cells, values)).partner
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


def test_a_graded_mesh_of_tetgen_obeys_euler_and_the_vectors_add_up_to_the_gradient(device):
    pytest.importorskip("tetgen")
    ball = tetgen_ball()
    mesh = sx.TetMesh(*ball, device=device)
    values = np.sin(7 * ball.points).sum(axis=1)
    gradient, points = mesh.discrete_gradient(values), mesh.critical_points(values)
    assert gradient.euler_characteristic == points.euler_characteristic == 1
    assert points.totals == gradient.counts


# === critical points where links are neither spheres nor discs
def test_a_point_common_to_closed_surfaces_owns_a_void_for_each_lower_one(device):
    spheres = [[k + a for a in range(4) if a != b] for k in (1, 5, 9) for b in range(4)]
    cells = np.array([[0, *face] for face in spheres])
    points, random = np.random.default_rng(0).random((13, 3)), np.random.default_rng(1)
    values = np.arange(13.0)
    values[0] = 6.5  # above the first sphere, below the last, within the second
    found = sx.TetMesh(points, cells, device=device).critical_points(values)
    at = sx.to_host(found.point).tolist().index(0)
    assert sx.to_host(found.vector)[at].tolist() == [0, 1, 0, 1]
    for some in (cells, cells[:-1]):  # the last sphere whole, then a disc
        made, mesh = mesh_of(points, some, device=device), Mesh(points, some)
        for _ in range(10):
            assert_points_are_the_oracles(made, mesh.cells, random.integers(0, 9, 13))


TORUS = [(i, (i + j) % 7, (i + 3) % 7) for i in range(7) for j in (1, 2)]
SPHERE = list(combinations(range(7, 11), 3))
SPHERES_THAT_SHARE_TWO_POINTS = [
    *combinations(range(4), 3),
    *((end, a, b) for end in (0, 1) for a, b in ((4, 5), (5, 6), (4, 6))),
]


@pytest.mark.parametrize(
    "link",
    [TORUS + SPHERE, TORUS[1:] + SPHERE, [*TORUS, (7, 8, 9)], SPHERES_THAT_SHARE_TWO_POINTS],
    ids=["torus and sphere", "torus with a hole", "torus and disc", "spheres pinched together"],
)
def test_links_with_the_counts_of_a_sphere_or_a_disc_have_their_own_vectors(device, link):
    apex = max(map(max, link)) + 1
    mesh = Mesh(
        np.random.default_rng(0).random((apex + 1, 3)), np.array([(*t, apex) for t in link])
    )
    made, random = mesh_of(*mesh, device=device), np.random.default_rng(1)
    for k in range(8):
        values = random.permutation(apex + 1).astype(float)
        values[apex] += apex * (k % 2)  # above all, and somewhere
        assert_points_are_the_oracles(made, mesh.cells, values)


@pytest.mark.parametrize("n_spheres", [1, 2])
def test_links_of_very_many_triangles_are_distinguished(device, n_spheres):
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


def test_a_monotone_field_has_its_lowest_and_highest_point_only(device):
    found = mesh_of(*split_grid((4, 4, 4)), device=device).critical_points(np.arange(64))
    assert sx.to_host(found.point).tolist() == [0, 63]
    assert found.counts == (1, 0, 0, 1, 0)
    assert found.totals == (1, 0, 0, 0)  # a maximum on the boundary owns no tetrahedron
    assert sx.to_host(found.on_boundary).tolist() == [True, True]
    assert sx.to_host(found.pieces).tolist() == [[0, 1], [1, 0]]


# === errors
@pytest.mark.parametrize(
    ("values", "text"),
    [
        (np.zeros(3), r"values must be an array of shape \(4,\), one number per point; got"),
        (np.zeros((4, 1)), r"got shape \(4, 1\)"),
        (np.array([0, 1, np.nan, np.inf]), r"values\[2\] = nan \(2 invalid values\)"),
        (np.zeros(4, complex), "values must be real numbers"),
    ],
)
def test_values_that_are_not_one_finite_number_per_point_are_rejected(device, values, text):
    mesh = sx.TetMesh(np.eye(4, 3), [[0, 1, 2, 3]], device=device)
    for call in (mesh.discrete_gradient, mesh.critical_points):
        with pytest.raises(sx.InputError, match=text):
            call(values)


def test_dimensions_beyond_those_of_the_mesh_are_rejected(device):
    gradient = sx.TetMesh(np.eye(4, 3), [[0, 1, 2, 3]], device=device).discrete_gradient(
        [0, 1, 2, 3]
    )
    with pytest.raises(sx.InputError, match="index must be an integer from 0 to 3; got 4"):
        gradient.critical.rows(4)
