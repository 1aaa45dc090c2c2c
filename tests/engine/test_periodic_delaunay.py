"""Periodic triangulations equal those of GUDHI for 27 copies and of CGAL; spheres are empty."""

import hashlib
from itertools import combinations, product

import numpy as np
import pytest

import separatrix as sx
from engine.test_delaunay import simplices_of_gudhi
from separatrix.alpha import periodic

SHIFTS = np.array(list(product((-1, 0, 1), repeat=3)))


def determinants(rows: np.ndarray) -> np.ndarray:
    """Determinants of small integer matrices (..., k, k), exact in 64 bits."""
    if rows.shape[-1] == 1:
        return rows[..., 0, 0]
    minors = (np.delete(rows[..., 1:, :], k, axis=-1) for k in range(rows.shape[-1]))
    signed = ((-1) ** k * rows[..., 0, k] * determinants(m) for k, m in enumerate(minors))
    return np.sum(list(signed), axis=0)


def cloud(kind: str, n: int = 150) -> tuple[np.ndarray, tuple[float, float, float]]:
    random = np.random.default_rng(n)
    if kind == "lattice":
        return np.array(list(product(range(5), range(4), range(6))), float), (5.0, 4.0, 6.0)
    points = random.uniform(0, 1, (n, 3))
    if kind == "clusters":
        points = points[: n // 4].repeat(4, axis=0) + random.normal(0, 0.1, (n, 3))
        return points, (1.0, 1.25, 0.75)
    return points, (1.0, 1.0, 1.0)


def as_set(tets: np.ndarray) -> set[tuple[int, ...]]:
    return set(map(tuple, tets.tolist()))


@pytest.mark.parametrize(
    ("kind", "spread"),
    [
        *(("lattice", 0.0), ("uniform", 0.02), ("clusters", 0.02), ("lattice", 0.02)),
        *(pytest.param(kind, 0.0, marks=pytest.mark.long) for kind in ("uniform", "clusters")),
    ],
)
def test_tetrahedra_are_those_of_gudhi_for_27_copies(device, kind, spread):
    points, box = cloud(kind, 152)
    n = len(points)
    weights = np.random.default_rng(3).uniform(-spread, spread, n) if spread else None
    found = sx.periodic_delaunay(points, box, weights, resolution=2.0**-40, device=device)
    whole = np.rint((points % box) * 2.0**40) / 2.0**40
    copies = (whole + (SHIFTS * box)[:, None]).reshape(-1, 3)
    sizes = None if weights is None else np.tile(np.rint(weights * 2.0**80) / 2.0**80, 27)
    known = np.array([s for s in simplices_of_gudhi(copies, sizes) if len(s) == 4])
    ids = known % n
    order = np.argsort(ids, axis=1)
    first = np.take_along_axis(known // n, order, axis=1)[:, 0]
    inside = (SHIFTS[first] == 0).all(axis=1)
    assert as_set(found.tetrahedra) == as_set(np.sort(ids[inside], axis=1))
    assert (found.tetrahedra[np.lexsort(found.tetrahedra.T[::-1])] == found.tetrahedra).all()


def test_no_copy_of_a_point_is_within_the_power_sphere_of_a_tetrahedron(device):
    random, side = np.random.default_rng(8), 24
    points, weights = random.integers(-20, 40, (160, 3)), random.integers(-9, 10, 160)
    found = sx.periodic_delaunay(points, [side] * 3, weights, resolution=1.0, device=device)
    tets, shifts, neighbors, hidden = (
        sx.to_host(getattr(found, name)) for name in ("tetrahedra", "shifts", "neighbors", "hidden")
    )
    places = points[tets] + side * shifts
    d = places[:, 1:] - places[:, :1]
    six = determinants(d)
    assert (six != 0).all()
    assert abs(six).sum() == 6 * side**3
    assert not shifts[:, 0].any()
    copies = ((points % side) + side * SHIFTS[:, None]).reshape(-1, 3)
    sizes = np.tile(weights, 27)
    origin = places[:, 0] // side * side  # the box of the first vertex
    power = (d**2).sum(axis=2) - weights[tets[:, 1:]] + weights[tets[:, :1]]
    three = np.concatenate([d, power[:, :, None]], axis=2)
    normals = np.stack(
        [(-1) ** (k + 1) * determinants(np.delete(three, k, axis=2)) for k in range(4)], axis=1
    )
    for t in range(len(tets)):
        q = copies + origin[t] - places[t, 0]
        lifted = (q**2).sum(axis=1) - sizes + weights[tets[t, 0]]
        signs = np.column_stack([q, lifted]) @ normals[t] * np.sign(six[t])
        assert (signs >= 0).all()
        assert (signs == 0).sum() >= 4
    n_edges = len({edge for row in tets.tolist() for edge in combinations(row, 2)})
    assert len(tets) == n_edges - (160 - len(hidden))
    for k in range(4):
        beside = tets[neighbors[:, k]]
        facet = np.delete(tets, k, axis=1)
        assert ((facet[:, :, None] == beside[:, None]).sum(axis=(1, 2)) == 3).all()


def test_tetrahedra_in_a_triclinic_box_are_those_of_gudhi_for_all_copies_around():
    random, steps = np.random.default_rng(11), 2**16
    box = np.array([[1.0, 0, 0], [-1.625, 1.25, 0], [1.375, 0.5, 1.0]])
    points = np.rint(random.random((70, 3)) @ box * steps) / steps
    weights = random.integers(-400, 400, len(points)) / steps
    found = sx.periodic_delaunay(points, box, weights, resolution=1 / steps)
    shifts = np.array(list(product(range(-7, 8), range(-4, 5), range(-2, 3))))
    copies = points + (shifts @ box)[:, None]
    of, ids = np.nonzero((abs(copies - [0.5, 0.75, 0.5]) < [3, 2, 1.5]).all(axis=2))
    known = [s for s in simplices_of_gudhi(copies[of, ids], weights[ids]) if len(s) == 4]

    def named(ids, shifts):
        return tuple(ids), tuple(map(tuple, (shifts - shifts[0]).tolist()))

    expected = set()
    for row in map(np.array, known):
        row = row[np.argsort(ids[row])]
        if not shifts[of[row[0]]].any():
            expected.add(named(ids[row].tolist(), shifts[of[row]]))
    given = zip(found.tetrahedra.tolist(), found.shifts, strict=True)
    assert {named(*row) for row in given} == expected


def test_lengths_and_angles_are_those_of_vectors():
    points = np.random.default_rng(2).random((120, 3)) * 10
    angles = 80.0, 95.0, 107.0
    found = sx.periodic_delaunay(points, (10, 12, 14, *angles), resolution=1e-6)
    # of the International Tables, as gemmi computes them
    vectors = [
        [10.0, 0, 0],
        [-3.50846045667284, 11.475657071556427, 0],
        [-1.2201803984672153, 2.169107966088666, 13.777014568717242],
    ]
    expected = sx.periodic_delaunay(points, vectors, resolution=1e-6)
    assert found.tetrahedra.tolist() == expected.tetrahedra.tolist()
    assert found.shifts.tolist() == expected.shifts.tolist()


def test_tetrahedra_are_in_one_piece_where_points_round_to_a_face_of_the_box():
    points = np.random.default_rng(4).random((150, 3))
    points[:40] = np.where(points[:40] < 0.5, -1e-20, np.nextafter(1.0, 0))
    points[:40, 0] = np.linspace(0, 1, 40, endpoint=False)
    found = sx.periodic_delaunay(points, (1.0, 1.0, 1.0))
    corners = points[found.tetrahedra] + found.shifts
    volume = abs(np.linalg.det(corners[:, 1:] - corners[:, :1])).sum() / 6
    assert volume == pytest.approx(1)


@pytest.mark.parametrize("kind", ["uniform", "lattice", "triclinic lattice"])
def test_translations_do_not_change_the_triangulation_also_with_ties(kind):
    points, box = cloud(kind.removeprefix("triclinic "))
    whole = np.rint(points * 64)
    sides = np.diag(64 * np.array(box))
    if kind == "triclinic lattice":
        sides[[1, 2, 2], [0, 0, 1]] = 128, -64, 192
    expected = sx.periodic_delaunay(whole, sides, resolution=1.0)
    for shift in ([1, 0, 0], [37, -64, 101], [2, -1, 3] @ sides):
        found = sx.periodic_delaunay(whole + shift, sides, resolution=1.0)
        assert found.tetrahedra.tolist() == expected.tetrahedra.tolist()
        assert found.neighbors.tolist() == expected.neighbors.tolist()
        moved = (whole + shift)[found.tetrahedra] + found.shifts @ sides
        same = whole[expected.tetrahedra] + expected.shifts @ sides
        assert ((moved - moved[:, :1]) == (same - same[:, :1])).all()


@pytest.mark.parametrize(
    ("points", "box", "sentence"),
    [
        (
            np.zeros((1, 3)),
            (1, 1, 1),
            "so large that the triangulation is a simplicial complex; got",
        ),
        (np.random.default_rng(1).random((12, 3)), (1, 1, 1), "where two edges join the points"),
        (cloud("uniform")[0], (1, 1, 40), "so large that"),
        (np.eye(3), (1, 0, 1), r"three positive lengths; got box\[1\] = 0\. *$"),
        (np.eye(3), (1, 1, -1, 90, 90, 90), r"before three angles; got box\[2\] = -1\."),
        (np.eye(3), (1, 1, np.nan), r"finite numbers; got box\[2\] = nan"),
        (np.eye(3), (1, 1, 1, 90, 0, 90), r"less than 180 degrees.*; got box\[4\] = 0\."),
        (np.eye(3), (1, 1, 1, 90, 90, 1e-300), "a box with a volume; got"),
        (np.eye(3), (1, 1, 1, 30, 30, 120), "a box with a volume; got .* Each angle must be less"),
        (
            np.eye(3),
            (1, 1, 1, 120, 120, 120),
            "a box with a volume; got .* their sum less than 360",
        ),
        (np.eye(3), np.eye(3)[::-1], r"zeros above the diagonal; got box\[0, 2\] = 1.* along x"),
        (np.eye(3), np.diag([1, 0, 1]), r"a positive diagonal; got box\[1, 1\] = 0\."),
        (np.eye(3), [[1, 0, 0], [0, 1]], "three lengths, three lengths and three angles, or three"),
        (np.eye(3), (1, 1), r"or three vectors; got shape \(2,\)"),
        (np.eye(3), np.ones((2, 6)), r"or three vectors; got shape \(2, 6\)"),
        (np.eye(3), "box", "or three vectors; got 'box'"),
    ],
)
def test_boxes_that_are_invalid_or_too_small_are_rejected(points, box, sentence):
    with pytest.raises(sx.InputError, match=f"^box must be .*{sentence}") as raised:
        sx.periodic_delaunay(points, box)
    assert raised.value.parameter == "box"


def test_no_points_have_no_tetrahedra():
    found = sx.periodic_delaunay(np.empty((0, 3)), (1, 1, 1))
    assert (found.tetrahedra.shape, found.shifts.shape) == ((0, 4), (0, 4, 3))


@pytest.mark.parametrize(
    ("kind", "n_cells", "digest"),
    [
        ("uniform", 6758, "90cba667d7e8a4ce"),
        ("clusters", 2678, "b83aebbc92f17a98"),
        ("lattice", 750, "05369383819722f1"),
        ("centered lattice", 1500, "3358339551d43585"),
    ],
)
def test_tetrahedra_are_those_of_cgals_periodic_triangulation(kind, n_cells, digest):
    """Of its cells by ascending indices, as Periodic_3_Delaunay_triangulation_3 of CGAL 5.5.1."""
    random, side = np.random.default_rng(7), 1.0
    if kind == "uniform":
        points = random.uniform(0, 1, (1000, 3))
    elif kind == "clusters":
        points = random.uniform(0, 1, (100, 3)).repeat(4, axis=0)
        points = (points + random.uniform(-0.1, 0.1, (400, 3))) % 1.0
    else:  # many points on common spheres
        side = 5.0
        points = np.array(list(product(range(5), repeat=3)), float)
        if kind == "centered lattice":
            points = np.concatenate([points, points + 0.5])
    points = np.rint(points * 2.0**40) / 2.0**40 % side
    found = sx.periodic_delaunay(points, (side, side, side), resolution=2.0**-40).tetrahedra
    assert len(found) == n_cells
    rows = found[np.lexsort(found.T[::-1])].astype(np.int32)
    assert hashlib.sha256(rows.tobytes()).hexdigest()[:16] == digest


@pytest.mark.parametrize("margin", [0.1, 0.5, 1.0])
def test_neighbors_beyond_margins_that_are_too_small_are_not_read(device, margin, monkeypatch):
    points, box = cloud("uniform")
    expected = sx.periodic_delaunay(points, box, device=device)
    take = periodic.at

    def take_existing(items, places):  # a GPU would read memory before the first item
        rows = sx.to_host(places)
        assert ((rows >= 0) & (rows < len(items))).all()
        return take(items, places)

    monkeypatch.setattr(periodic, "at", take_existing)
    monkeypatch.setattr(periodic, "MARGIN", margin)
    found = sx.periodic_delaunay(points, box, device=device)
    for name in ("tetrahedra", "neighbors", "shifts"):
        both = (sx.to_host(getattr(each, name)) for each in (found, expected))
        np.testing.assert_array_equal(*both)
