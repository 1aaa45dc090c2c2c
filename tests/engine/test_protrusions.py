"""Protrusions: knobs and handles on a body of balls, but not what tapers outwards."""

import numpy as np
import pytest

import separatrix as sx

RADIUS = 1.5


def packed(inside, seed: int = 0) -> np.ndarray:
    """Centers of close-packed balls, slightly moved, where `inside` is true of their positions."""
    cells = np.stack(np.meshgrid(*[np.arange(-14, 15)] * 3, indexing="ij"), -1).reshape(-1, 3)
    centers = 1.2 * cells[cells.sum(axis=1) % 2 == 0]
    centers += np.random.default_rng(seed).normal(0, 0.05, centers.shape)
    return centers[inside(centers)].round(3)


def ball(center: tuple[float, float, float], radius: float):
    return lambda points: np.linalg.norm(points - center, axis=1) < radius


BODY = packed(ball((0, 0, 0), 8.0))
KNOB = packed(ball((14, 0, 0), 3.5))
NECK = np.array([[x, 0.05, -0.05] for x in (8.4, 9.4, 10.4)])


def parts(found: sx.Protrusions) -> list[list[int]]:
    offsets, atoms = sx.to_host(found.atom_offsets), sx.to_host(found.atoms)
    return [part.tolist() for part in np.split(atoms, offsets[1:-1])]


@pytest.mark.parametrize("radius", [5.0, 7.0])
def test_a_knob_on_a_neck_is_a_protrusion(radius, device):
    centers = np.vstack([BODY, NECK, KNOB])
    union = sx.alpha_complex(centers, RADIUS, device=device)
    found = union.protrusions(radius)
    largest, *others = parts(found)
    knob = range(len(BODY) + len(NECK), len(centers))
    assert set(knob) <= set(largest) <= set(knob) | {*range(len(BODY), len(BODY) + len(NECK))}
    assert all(len(atoms) < 4 for atoms in others)
    assert found.n_necks[0] == 1
    measures = union.per_ball()
    volume, area = (sx.to_host(values) for values in (measures.volume, measures.area))
    assert float(found.volume[0]) == pytest.approx(volume[largest].sum(), rel=1e-12)
    assert float(found.area[0]) == pytest.approx(area[largest].sum(), rel=1e-12)
    assert union.protrusions(radius) is found


def test_the_body_is_a_piece_without_necks_if_it_is_narrower_than_the_radius():
    centers = np.vstack([BODY, NECK, KNOB])
    found = sx.alpha_complex(centers, RADIUS).protrusions(20.0)
    assert parts(found) == [list(range(len(centers)))]
    assert found.n_necks.tolist() == [0]


def test_gaps_between_balls_make_the_union_narrow_unless_a_probe_closes_them():
    centers = np.vstack([BODY, NECK, KNOB])
    open_gaps = sx.alpha_complex(centers, 1.0).protrusions(5.0)
    assert open_gaps.n_necks.tolist() == [0]
    assert parts(open_gaps) == [list(range(len(centers)))]
    closed = sx.alpha_complex(centers, 1.0, probe=0.5).protrusions(5.0)
    assert (closed.n_necks >= 1).all()
    assert parts(closed)[0] == parts(sx.alpha_complex(centers, 1.5).protrusions(5.0))[0]


def test_what_tapers_outwards_is_not_a_protrusion():
    def cone(points):
        x, y, z = points.T
        return (x > 6.4) & (np.hypot(y, z) < 12.8 - x)  # touches the ball

    body = packed(lambda points: ball((0, 0, 0), 9.0)(points) | cone(points))
    assert body[:, 0].max() > 11
    found = sx.alpha_complex(body, RADIUS).protrusions(6.0)
    assert max(np.diff(found.atom_offsets), default=0) < 4


def test_a_knob_between_two_bodies_has_two_necks():
    mirrored = [28, 0, 0] - np.vstack([BODY, NECK]) * [1, -1, -1]
    centers = np.vstack([BODY, NECK, KNOB, mirrored]).round(3)
    found = sx.alpha_complex(centers, RADIUS).protrusions(6.0)
    assert found.n_necks[0] == 2
    knob = range(len(BODY) + len(NECK), len(BODY) + len(NECK) + len(KNOB))
    assert set(knob) <= set(parts(found)[0])
    assert len(parts(found)[0]) <= len(knob) + 2 * len(NECK)


def test_voids_inside_do_not_matter():
    hollow = BODY[np.linalg.norm(BODY, axis=1) > 3.5]
    assert len(sx.alpha_complex(hollow, RADIUS).voids()) == 1
    found = sx.alpha_complex(np.vstack([hollow, NECK, KNOB]), RADIUS).protrusions(6.0)
    full = sx.alpha_complex(np.vstack([BODY, NECK, KNOB]), RADIUS).protrusions(6.0)
    assert len(parts(found)[0]) == len(parts(full)[0])
    assert found.volume[0] == pytest.approx(full.volume[0], rel=1e-9)


def test_few_balls_and_wrong_radii():
    for n in (1, 2, 3):  # no tetrahedra
        assert len(sx.alpha_complex(np.eye(3)[:n] * 2, 1.2).protrusions(2.0)) == 0
    assert parts(sx.alpha_complex(np.eye(4, 3) * 2, 1.2).protrusions(2.0)) == [[0, 1, 2, 3]]
    for radius in (0.0, -1.0, np.inf, "wide"):
        with pytest.raises(sx.InputError, match="radius must be a positive length"):
            sx.alpha_complex(np.eye(4, 3), 1.0).protrusions(radius)


# === periodic boxes

CELLS = [np.diag([50.0, 44.0, 40.0]), np.array([[50.0, 0, 0], [9.0, 44.0, 0], [-14.0, 7.0, 40.0]])]


@pytest.mark.parametrize("box", CELLS)
def test_a_body_in_a_wide_box_has_its_protrusions_also_across_its_sides(box, device):
    centers = np.vstack([BODY, NECK, KNOB])
    expected = sx.alpha_complex(centers, RADIUS, device=device).protrusions(5.0)
    union = sx.alpha_complex(centers + [60.0, -1.0, 30.0], RADIUS, box=box, device=device)
    found = union.protrusions(5.0)
    assert parts(found)[0] == parts(expected)[0]
    assert found.n_necks[0] == 1
    assert float(found.volume[0]) == pytest.approx(float(expected.volume[0]), rel=1e-9)


def test_protrusions_of_a_plate_are_those_of_copies_around():
    side, shape = 15.0, (10, 10, 13)
    grid = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), -1).reshape(-1, 3) * 1.5
    random = np.random.default_rng(4)
    grid = (grid + random.normal(0, 0.05, grid.shape)).round(3)
    from_axis = np.hypot(*(grid[:, :2] - 6.0).T)
    z = grid[:, 2]
    plate = z < 8
    neck = (z < 12) & (from_axis < 1.2)
    knob = np.linalg.norm(grid - [6.0, 6.0, 13.0], axis=1) < 4.2
    centers = grid[plate | neck | (knob & (z > 10.5))]
    found = sx.alpha_complex(centers, 1.2, box=[side, side, 36.0]).protrusions(4.5)
    n, around = len(centers), [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    copies = np.concatenate([centers + [side * a, side * b, 0] for a, b in around])
    whole = sx.alpha_complex(copies, 1.2).protrusions(4.5)
    middle = [np.array(atoms) % n for atoms in parts(whole) if {a // n for a in atoms} == {4}]
    largest = max(middle, key=len)
    assert parts(found)[0] == largest.tolist()
    assert len(largest) > 60


def test_a_box_without_channels_has_no_protrusions():
    grid = np.stack(np.meshgrid(*[np.arange(6)] * 3, indexing="ij"), -1).reshape(-1, 3)
    for balls in (grid, grid[(grid == 0).any(axis=1)]):
        union = sx.alpha_complex(balls.astype(float), 0.9, box=[6.0] * 3)
        assert len(union.protrusions(2.0)) == 0
