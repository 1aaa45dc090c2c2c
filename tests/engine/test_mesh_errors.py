"""Invalid meshes are rejected, or their invalid cells are dropped on request."""

import numpy as np
import pytest

import separatrix as sx
from oracles.meshes import delaunay

POINTS = np.random.default_rng(0).random((6, 3))
CELLS = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]])


def refused(text: str, points=POINTS, cells=CELLS, **options) -> None:
    with pytest.raises(sx.InputError, match=text):
        sx.TetMesh(points, cells, device="cpu", **options)


def test_cells_that_are_not_tetrahedra_are_rejected():
    refused(r"cells must be an array \(n, 4\).*got shape \(3, 3\)", cells=CELLS[:, :3])
    refused("cells must be integers.*float64", cells=CELLS * 1.0)
    with pytest.raises(sx.InputError, match=r"cells must be an array \(n, 3\)"):
        sx.TriangleMesh(POINTS, CELLS, device="cpu")


def test_points_must_be_finite_and_of_three_coordinates():
    bad = POINTS.copy()
    bad[4, 1] = np.nan
    refused(r"points must be finite.*points\[4\]", points=bad)
    refused(r"points must be an array \(n, 3\); got shape \(6, 2\)", points=POINTS[:, :2])


def with_bad_cells() -> np.ndarray:
    return np.concatenate([CELLS, [[0, 1, 2, 9], [3, 2, 1, 0], [0, 0, 1, 2], [-1, 0, 1, 2]]])


def test_a_cell_of_points_out_of_range_is_named(device):
    refused(
        r"from 0 to 5; got cells\[3\] = \(0, 1, 2, 9\) \(2 invalid values\)", cells=with_bad_cells()
    )
    with pytest.raises(sx.InputError, match=r"cells\[0\] = \(0, 1, 2, -1\) \(1 invalid value\)"):
        sx.TetMesh(POINTS, [[0, 1, 2, -1]], device=device)


def test_a_cell_with_a_point_twice_is_named(device):
    with pytest.raises(sx.InputError, match=r"distinct points; .*cells\[2\] = \(0, 4, 1, 4\) \(1"):
        sx.TetMesh(POINTS, [*CELLS[:2], [0, 4, 1, 4]], device=device)


def test_a_cell_that_is_there_twice_is_named(device):
    cells = np.concatenate([CELLS, CELLS[1:, ::-1]])
    with pytest.raises(sx.InputError, match=r"cells\[3\] = \(4, 3, 2, 1\) \(2 invalid values\)"):
        sx.TetMesh(POINTS, cells, device=device)


def test_invalid_cells_are_dropped_on_request_except_the_first_of_equal_ones(device):
    cells = np.concatenate([with_bad_cells(), CELLS])
    mesh = sx.TetMesh(POINTS, cells, device=device, on_duplicates="drop")
    good = sx.TetMesh(POINTS, CELLS, device=device)
    assert mesh.n_dropped == 7
    assert mesh.counts == good.counts
    for name in ("VT", "ET", "FT", "VV"):
        one, other = mesh.relation(name).to_csr(), good.relation(name).to_csr()
        assert (one.items == other.items).all()
        assert (one.offsets == other.offsets).all()
    for name in ("TV", "TE", "TF", "TT"):
        table = sx.to_host(mesh.relation(name).to_table())
        np.testing.assert_array_equal(table[:3], sx.to_host(good.relation(name).to_table()))
        assert (table[3:] == -1).all()
        assert len(mesh.relation(name)[5]) in (4, 6)
    assert sx.to_host(mesh.is_on_boundary(3)).tolist() == [True] * 3 + [False] * 7
    assert sx.to_host(mesh.segment_of_cells()).tolist() == [0] * 3 + [-1] * 7


def test_options_out_of_range_are_rejected():
    refused("segment_size must be a positive integer; got 0", segment_size=0)
    refused("segment_size must be", segment_size=2.5)
    refused("on_duplicates must be 'error' or 'drop'; got 'keep'.", on_duplicates="keep")
    refused("segments must be 'octree', 'runs'", segments="leaves")
    refused(r"one number for each of the 6 points; got shape \(5,\)", segments=np.zeros(5, int))
    refused("segments must be integers; got dtype float64", segments=np.zeros(6))


def test_missing_relations_and_ids_are_rejected():
    mesh = sx.TetMesh(POINTS, CELLS, device="cpu")
    with pytest.raises(sx.InputError, match=r"name must be one of VV, VE, .*; got 'VX'"):
        mesh.relation("VX")
    with pytest.raises(sx.InputError, match="ids must be one of user, mesh"):
        mesh.relation("VV", ids="global")
    with pytest.raises(sx.InputError, match="a relation without tetrahedra for a triangle mesh"):
        sx.TriangleMesh(POINTS, CELLS[:, :3], device="cpu").relation("VT")
    with pytest.raises(
        sx.InputError, match=r"ids must be integers from 0 to 5; got 6 \(2 invalid values\)"
    ):
        mesh.relation("VT")[[0, 6, 7]]
    for ids, got in (([0.5], "dtype float64"), (slice(2), "an object of type slice"), ("a", "'a'")):
        with pytest.raises(sx.InputError, match=f"an array .*integers; got {got}"):
            mesh.relation("VT")[ids]
    with pytest.raises(sx.InputError, match="k must be an integer from 0 to 0; got 1"):
        mesh.relation("VT").segment(1)
    with pytest.raises(sx.InputError, match="rows of VT of this mesh differ in length"):
        mesh.relation("VT").to_table()
    for dimension in (4, -1, 1.0, "0"):
        with pytest.raises(sx.InputError, match="dimension must be an integer from 0 to 3; got"):
            mesh.is_on_boundary(dimension)
    for k in (1, -1, 0.0):
        with pytest.raises(sx.InputError, match=f"k must be .* 0 to 0; got {k}"):
            mesh.external_cells(k)


def test_a_face_of_three_tetrahedra_has_lists_in_place_of_tables():
    cells = [[0, 1, 2, 3], [4, 1, 2, 3], [5, 1, 2, 3]]
    mesh = sx.TetMesh(POINTS, cells, device="cpu")
    assert [row.tolist() for row in mesh.relation("TT")] == [[1, 2], [0, 2], [0, 1]]
    with pytest.raises(sx.InputError, match="rows of FT of this mesh differ in length"):
        mesh.relation("FT").to_table()


def test_input_arrays_are_not_changed_and_results_are_read_only():
    points, cells = POINTS.copy(), CELLS.copy()
    rows = sx.TetMesh(points, cells, device="cpu").relation("VT").to_csr()
    np.testing.assert_array_equal(points, POINTS)
    np.testing.assert_array_equal(cells, CELLS)
    with pytest.raises(ValueError, match="read-only"):
        rows.items[0] = 1


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_later_changes_to_the_given_arrays_do_not_change_results(dtype, device):
    points, cells = delaunay(7, 200)
    points, values = points.astype(dtype), np.random.default_rng(0).random(200)
    expected = sx.TetMesh(points.copy(), cells, device=device).morse_smale(values.copy())
    found = sx.TetMesh(points, cells, device=device).morse_smale(values)
    lines = expected.separatrices(1, "saddle").points
    points[:], cells[:], values[:] = 0, 0, 0
    assert (found.critical.position == expected.critical.position).all()
    assert (found.separatrices(1, "saddle").points == lines).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_mesh_does_not_change_with_the_given_points(device, dtype):
    given, cells = delaunay(4, 12)
    given = given.astype(dtype)
    mesh, first = sx.TetMesh(given, cells, device=device), given.copy()
    given[:] = 0
    np.testing.assert_array_equal(sx.to_host(mesh.points), first, strict=True)
    assert mesh.n_coincident == 0
    if device == "cpu":
        with pytest.raises(ValueError, match="read-only"):
            mesh.points[0] = 1
