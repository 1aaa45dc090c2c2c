"""Alpha complexes in periodic boxes: copies around, column reduction, measures, and channels."""

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.test_alpha_complex import same_tables
from oracles.reduction import pivots

AROUND = np.array(list(product((-1, 0, 1), repeat=3)))
TRICLINIC = np.array([[8.0, 0, 0], [-2.5, 7.5, 0], [1.75, 3.0, 8.25]])


def balls_in(box: Any, n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Balls at multiples of 2^-10, some of which are outside the box."""
    random = np.random.default_rng([seed, n])
    places = random.uniform(-0.3, 1.2, (n, 3)) @ np.asarray(box)
    return np.rint(places * 1024) / 1024, np.rint(random.uniform(0.2, 0.9, n) * 1024) / 1024


def named(rows: np.ndarray, shifts: np.ndarray) -> list[tuple]:
    """Simplices by their balls and relative shifts."""
    shifts = shifts - shifts[:, :1]
    return [
        (*row, *shift)
        for row, shift in zip(rows.tolist(), shifts.reshape(len(rows), -1).tolist(), strict=True)
    ]


def tables_of(complex: sx.AlphaComplex) -> tuple[Any, ...]:
    return complex.vertices, complex.edges, complex.triangles, complex.tets


@pytest.mark.parametrize("box", [np.diag([8.0, 9.0, 10.0]), TRICLINIC])
def test_simplices_and_values_are_those_of_copies_around(device, box):
    n = 110
    centers, radii = balls_in(box, n)
    options = {"resolution": 2.0**-10, "device": device}
    complex = sx.alpha_complex(centers, radii, np.inf, box=box, **options)
    moved = np.floor(centers @ np.linalg.inv(box) + 1e-12)  # copies of all balls around the box
    copies = (centers - moved @ box + (AROUND @ box)[:, None]).reshape(-1, 3)
    whole = sx.alpha_complex(copies, np.tile(radii, 27), np.inf, **options)
    tables = zip(tables_of(complex), tables_of(whole), strict=True)
    for dimension, (table, known) in enumerate(tables):
        rows, value, gabriel = (
            sx.to_host(array) for array in (known.simplices, known.alpha_value, known.is_gabriel)
        )
        order = np.argsort(rows % n, axis=1)
        rows = np.take_along_axis(rows, order, axis=1)
        inside = (AROUND[rows[:, 0] // n] == 0).all(axis=1)
        rows, value, gabriel = rows[inside], value[inside], gabriel[inside]
        shifts = AROUND[rows // n] - moved[rows % n]
        values = zip(value, gabriel, strict=True)
        expected = dict(zip(named(rows % n, shifts.astype(int)), values, strict=True))
        own = named(sx.to_host(table.simplices), sx.to_host(complex.shifts(dimension)))
        found = zip(sx.to_host(table.alpha_value), sx.to_host(table.is_gabriel), strict=True)
        assert dict(zip(own, found, strict=True)) == expected


def test_values_are_those_of_gudhi():
    gudhi = pytest.importorskip("gudhi")
    box = np.diag([8.0, 8.0, 8.0])
    centers, radii = balls_in(box, 90, 2)
    complex = sx.alpha_complex(centers, radii, np.inf, box=box, resolution=2.0**-10)
    inside = centers - np.floor(centers / 8.0) * 8.0
    copies = (inside + (AROUND @ box)[:, None]).reshape(-1, 3)
    tree = gudhi.AlphaComplex(
        points=copies, weights=np.tile(radii**2, 27), precision="exact"
    ).create_simplex_tree()
    known = [[] for _ in range(4)]
    for simplex, value in tree.get_filtration():
        first = min(simplex, key=lambda vertex: vertex % 90)
        if first // 90 == 13:  # in the box itself
            known[len(simplex) - 1].append((*sorted(vertex % 90 for vertex in simplex), value))
    for dimension, table in enumerate(tables_of(complex)):
        found = np.column_stack([table.simplices, table.alpha_value])
        expected = np.array(sorted(known[dimension]))
        assert np.array_equal(found[:, :-1], expected[:, :-1])
        np.testing.assert_allclose(found[:, -1], expected[:, -1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("box", [np.diag([8.0, 9.0, 10.0]), TRICLINIC])
def test_persistence_equals_column_reduction(box):
    complex = sx.alpha_complex(*balls_in(box, 140, 3), np.inf, box=box)
    cells = [
        (value, dimension, tuple(row))
        for dimension, table in enumerate(tables_of(complex))
        for value, row in zip(table.alpha_value, table.simplices.tolist(), strict=True)
    ]
    cells.sort()
    at = {cell: place for place, (_, _, cell) in enumerate(cells)}
    columns = [
        {at[face]: 1 for face in combinations(cell, dimension)} if dimension else {}
        for _, dimension, cell in cells
    ]
    lows = pivots(columns)
    deaths = {low: column for column, low in enumerate(lows) if low is not None}
    expected = sorted(
        (dimension, value, cells[deaths[place]][0] if place in deaths else np.inf)
        for place, (value, dimension, _) in enumerate(cells)
        if lows[place] is None
    )
    found = complex.persistence_diagram(zero_persistence=True)
    assert sorted(zip(found.dimension, found.birth, found.death, strict=True)) == expected
    alive = found.dimension[np.isinf(found.death)]
    assert np.bincount(alive).tolist() == [1, 3, 3, 1] == list(complex.betti)
    assert complex.euler_characteristic == 0
    for alpha in np.quantile(complex.tets.alpha_value, [0.02, 0.2, 0.5, 0.9]):
        part = complex.at(float(alpha))
        b = part.betti
        assert b[0] - b[1] + b[2] - b[3] == part.euler_characteristic
        is_alive = [birth <= part.alpha < death for _, birth, death in expected]
        dimensions = np.array([d for d, _, _ in expected])[is_alive]
        assert np.bincount(dimensions, minlength=4).tolist() == list(b)


@pytest.mark.parametrize("box", [np.diag([8.0, 9.0, 10.0]), TRICLINIC])
@pytest.mark.parametrize("alpha", [-0.05, 0.0, 0.6])
def test_the_union_and_its_pockets_fill_the_box(device, box, alpha):
    complex = sx.alpha_complex(*balls_in(box, 150, 4), alpha, box=box, device=device)
    pockets = complex.pockets()
    filled = complex.volume() + float(pockets.volume.sum())
    assert filled == pytest.approx(float(np.prod(np.diagonal(box))), rel=1e-12)
    assert complex.area() == pytest.approx(float(pockets.area.sum()), rel=1e-9)
    assert not sx.to_host(pockets.n_mouths).any()
    assert pockets.largest_alpha == np.inf


def test_measures_are_those_of_the_balls_between_copies(device):
    box = np.diag([8.0, 9.0, 10.0])
    centers, radii = balls_in(box, 120, 4)
    inside = sx.alpha_complex(centers, radii, 0.3, box=box, device=device).per_ball()
    copies = (centers + (AROUND @ box)[:, None]).reshape(-1, 3)
    whole = sx.alpha_complex(copies, np.tile(radii, 27), 0.3, device=device).per_ball()
    middle = slice(13 * 120, 14 * 120)
    # far copies do not matter, because all balls are within one box of the middle
    chosen = ((centers > 0) & (centers < box.diagonal())).all(axis=1)
    for name in ("volume", "area"):
        own, known = (sx.to_host(getattr(part, name)) for part in (inside, whole))
        np.testing.assert_allclose(own[chosen], known[middle][chosen], rtol=1e-12, atol=1e-12)


def test_other_vectors_of_the_same_lattice_and_moved_balls_change_nothing():
    centers, radii = balls_in(TRICLINIC, 100, 6)
    other = TRICLINIC.copy()
    other[2] += other[1] - 2 * other[0]
    random = np.random.default_rng(6)
    moved = centers + random.integers(-2, 3, centers.shape) @ TRICLINIC
    one = sx.alpha_complex(centers, radii, 0.4, box=TRICLINIC, resolution=2.0**-10)
    two = sx.alpha_complex(moved, radii, 0.4, box=other, resolution=2.0**-10)
    for name in ("vertices", "edges", "triangles", "tets"):
        for array, same in zip(*(vars(getattr(c, name)).values() for c in (one, two)), strict=True):
            assert array.tobytes() == same.tobytes()
    assert one.per_ball().volume.tobytes() == two.per_ball().volume.tobytes()


@pytest.mark.parametrize(
    ("axes", "betti"), [("xyz", (1, 0, 0)), ("xy", (1, 1, 0)), ("x", (1, 2, 1))]
)
def test_channels_repeat_along_the_axes_without_walls(axes, betti):
    """Balls fill a slab, a bar, or a small cube of the box; the complement repeats around it."""
    side, extent = 6, [2 if axis in axes else 6 for axis in "xyz"]
    grid = np.stack(np.meshgrid(*[np.arange(n) for n in extent], indexing="ij"), -1)
    complex = sx.alpha_complex(grid.reshape(-1, 3).astype(float), 0.9, box=[side] * 3)
    assert complex.betti[:3] == betti
    assert complex.pockets().periodicity.tolist() == [{1: 2, 2: 3, 3: 3}[len(axes)]]


def test_cavities_and_tunnels_are_distinguished():
    grid = np.stack(np.meshgrid(*[np.arange(12)] * 3, indexing="ij"), -1).reshape(-1, 3)
    is_tunnel = (abs(grid[:, :2] - 2) < 2).all(axis=1)
    is_cavity = (abs(grid - 8) < 2).all(axis=1)
    walls = grid[~is_tunnel & ~is_cavity].astype(float)
    pockets = sx.alpha_complex(walls, 0.9, box=[12.0] * 3).pockets()
    assert pockets.periodicity.tolist() == [1, 0]
    assert pockets.volume[0] == pytest.approx(12 / 3 * pockets.volume[1], rel=0.5)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("box", [np.diag([8.0, 9.0, 10.0]), TRICLINIC])
def test_few_balls_in_a_box_are_a_complex_of_cells_that_meet_their_copies(device, n, box):
    complex = sx.alpha_complex(*balls_in(box, n, 8), np.inf, box=box, device=device)
    assert not complex.is_simplicial
    assert complex.betti == (1, 3, 3, 1)
    vertices, edges, _, tets = complex.counts
    assert tets == edges - vertices
    values = [sx.to_host(table.alpha_value) for table in tables_of(complex)]
    faces = [sx.to_host(complex.facets(dimension)) for dimension in (1, 2, 3)]
    cells = sorted((value, d, row) for d in range(4) for row, value in enumerate(values[d]))
    at = {(d, row): place for place, (_, d, row) in enumerate(cells)}
    columns = []
    for _, d, row in cells:
        boundary = [at[d - 1, face] for face in faces[d - 1][row].tolist()] if d else []
        columns.append({face: boundary.count(face) for face in boundary})
    lows = pivots(columns)
    ends = {low: cells[column][0] for column, low in enumerate(lows) if low is not None}
    expected = sorted(
        (d, value, ends.get(place, np.inf))
        for place, (value, d, _) in enumerate(cells)
        if lows[place] is None
    )
    found = complex.persistence_diagram(zero_persistence=True)
    columns = (sx.to_host(getattr(found, name)) for name in ("dimension", "birth", "death"))
    assert sorted(zip(*columns, strict=True)) == expected
    for alpha in (0.0, 4.0, 9.0):
        part = complex.at(alpha)
        filled = part.volume() + float(part.pockets().volume.sum())
        assert filled == pytest.approx(float(np.prod(np.diagonal(box))), rel=1e-11)


def test_a_crystal_of_one_ball_per_cell_is_the_lattice():
    one = sx.alpha_complex([[0.5, 0.5, 0.5]], 0.5, np.inf, box=(1, 1, 1))
    assert one.counts == (1, 7, 12, 6)
    assert one.at(0.0).volume() == pytest.approx(np.pi / 6)
    grid = np.stack(np.meshgrid(*[np.arange(4)] * 3), -1).reshape(-1, 3) + 0.5
    many = sx.alpha_complex(grid, 0.5, np.inf, box=(4, 4, 4))
    assert many.is_simplicial
    assert many.counts == tuple(64 * count for count in one.counts)
    assert np.unique(many.tets.alpha_value).tolist() == np.unique(one.tets.alpha_value).tolist()
    for alpha in (0.0, 0.2, 0.3):
        assert many.at(alpha).volume() == pytest.approx(64 * one.at(alpha).volume(), rel=1e-12)


def test_a_box_requires_the_complete_triangulation_and_fits_the_grid():
    centers, radii = balls_in(np.diag([8.0, 8.0, 8.0]), 130, 7)
    with pytest.raises(sx.InputError, match='method must be "auto" or "complete" in a periodic'):
        sx.alpha_complex(centers, radii, box=[8] * 3, method="local")
    with pytest.raises(sx.InputError, match="box must be 1 to 250,000,000 steps"):
        sx.alpha_complex(centers, radii, box=[1e9, 8, 8])


def test_frames_of_a_box_are_those_of_single_calls():
    centers, radii = balls_in(np.diag([8.0, 8.0, 8.0]), 130, 7)
    frames = centers + np.array([0.0, 0.25, 7.5])[:, None, None]
    for places, frame in zip(frames, sx.alpha_complexes(frames, radii, box=[8] * 3), strict=True):
        alone = sx.alpha_complex(places, radii, box=[8] * 3)
        assert frame.counts == alone.counts
        assert frame.volume() == alone.volume() == pytest.approx(frame.volume())
        assert np.array_equal(frame.shifts(2), alone.shifts(2))


def test_frames_of_few_balls_need_more_copies_than_the_first(device):
    rng = np.random.default_rng(5)
    for n, box in ((1, [3.0, 4.0, 5.0]), (2, [9.0, 1.0, 2.0]), (7, [6.0, 6.0, 6.0])):
        frames, radii = rng.uniform(0, 9, (5, n, 3)).round(3), rng.uniform(0.5, 1, n).round(3)
        found = sx.alpha_complexes(frames, radii, 0.5, box=box, device=device)
        for places, frame in zip(frames, found, strict=True):
            alone = sx.alpha_complex(places, radii, 0.5, box=box, device=device)
            assert same_tables(frame, alone)
            whole = sx.alpha_complex(places, radii, np.inf, box=box, device=device)
            assert len(frame.pockets()) == len(whole.at(0.5).pockets())


def test_frames_in_boxes_have_the_tables_of_their_copies_and_of_all_alphas(device):
    centers, radii = balls_in(TRICLINIC, 90, 8)
    frames = centers + np.random.default_rng(8).normal(0, 0.2, (4, *centers.shape))
    for alpha in (0.2, np.inf):
        found = sx.alpha_complexes(frames, radii, alpha, box=TRICLINIC, device=device)
        for places, frame in zip(frames, found, strict=True):
            alone = sx.alpha_complex(places, radii, alpha, box=TRICLINIC, device=device)
            assert same_tables(frame, alone)
            for d in range(4):
                assert np.array_equal(*(sx.to_host(c.shifts(d)) for c in (frame, alone)))
            for smaller in (c.at(0.1) for c in (frame, alone)):
                assert smaller.counts == alone.at(0.1).counts
            assert np.array_equal(*(sx.to_host(c.hidden) for c in (frame, alone)))


def test_equal_frames_of_a_lattice_have_equal_complexes(device):
    lattice = np.array(list(product(range(4), range(4), range(4))), float)
    frames = np.repeat(lattice[None], 9, axis=0)
    alone = sx.alpha_complex(lattice, 0.6, 0.3, box=[4.0] * 3, device=device)
    for frame in sx.alpha_complexes(frames, 0.6, 0.3, box=[4.0] * 3, device=device):
        assert same_tables(frame, alone)


def test_each_frame_may_have_a_box_of_its_own():
    centers, radii = balls_in(np.diag([8.0, 8.0, 8.0]), 130, 7)
    frames = centers + np.array([0.0, 0.25, 7.5])[:, None, None]
    cells = np.array([[8, 8, 8, 90, 90, 90], [8, 8, 8.25, 90, 90, 80], [9, 8, 8, 70, 90, 90.0]])
    vectors = np.array([np.diag([8.0, 8.0, 8.0]), TRICLINIC, np.diag([9.0, 8.0, 8.0])])
    for boxes in (cells, vectors, vectors.tolist()):
        for places, box, frame in zip(
            frames, boxes, sx.alpha_complexes(frames, radii, box=boxes), strict=True
        ):
            alone = sx.alpha_complex(places, radii, box=box)
            assert (frame.counts, frame.volume()) == (alone.counts, alone.volume())
            assert np.array_equal(frame.box, alone.box)
    with pytest.raises(sx.InputError, match=r"box must be one box, or an array of shape \(3, 6\)"):
        sx.alpha_complexes(frames, radii, box=cells[:2])
    for box, got in (
        (cells * 0, r"three positive lengths, before three angles; got box\[0, 0\] = 0.0"),
        (cells * [[1] * 6, [1] * 6, [1, 1, 1, 1, 2, 1]], r"got box\[2, 4\] = 180.0"),
        (cells * [[1] * 6, [1, 1, 1, 1, 1.99, 1], [1] * 6], r"got box\[1\] = \[8.0, 8.0, 8.25, 90"),
        (vectors - [np.zeros((3, 3)), np.eye(3) * 9, np.eye(3)], r"got box\[1, 0, 0\] = -1.0"),
        ([cells[0], cells[1], [8, 8, 8, 90, 90, "a"]], r"finite numbers; got box\[2, 5\] = 'a'"),
    ):
        with pytest.raises(sx.InputError, match=got):
            sx.alpha_complexes(frames, radii, box=box)


def test_a_cell_of_vtk_is_a_box():
    centers, radii = balls_in(np.diag([8.0, 8.0, 8.0]), 130, 7)
    cell = [8, 8, 8.25, 90, 90, 80.0]
    expected = sx.alpha_complex(centers, radii, box=cell)
    assert sx.alpha_complex(centers, radii, box=np.array([cell])).counts == expected.counts
    for frame in sx.alpha_complexes([centers, centers], radii, box=[cell]):
        assert np.array_equal(frame.box, expected.box)
    delaunay = sx.periodic_delaunay(centers, cell)
    assert np.array_equal(sx.periodic_delaunay(centers, [cell]).tetrahedra, delaunay.tetrahedra)
    with pytest.raises(sx.InputError, match=r"got box\[0, 5\] = 200.0"):
        sx.alpha_complex(centers, radii, box=[[8, 8, 8, 90, 90, 200.0]])


def test_no_balls_in_a_box_are_an_empty_complex():
    complex = sx.alpha_complex(np.empty((0, 3)), 1.0, box=[8] * 3)
    assert (complex.counts, complex.betti, len(complex.pockets())) == ((0,) * 4, (0,) * 4, 0)
