"""Alpha complexes equal their definition, including all ties."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.alpha import alpha_complex, kinds

TABLES = ("vertices", "edges", "triangles", "tets")
COLUMNS = ("simplices", "alpha_value", "is_gabriel", "kind")


def found_by_engine(points: Any, radii: Any, alpha: int, **options: Any) -> dict[tuple, tuple]:
    """Simplices on the grid of step 1: (value, is Gabriel, kind)."""
    centers = np.array(points, float).reshape(-1, 3)
    complex = sx.alpha_complex(centers, np.array(radii, float), alpha, resolution=1, **options)
    return simplices_of(complex)


def simplices_of(complex: sx.AlphaComplex) -> dict[tuple, tuple]:
    """All simplices: (value, is Gabriel, kind)."""
    return {
        tuple(simplex): (value, gabriel, kind)
        for name in TABLES
        for simplex, value, gabriel, kind in zip(
            *(getattr(getattr(complex, name), column).tolist() for column in COLUMNS), strict=True
        )
    }


def same_tables(a: sx.AlphaComplex, b: sx.AlphaComplex) -> bool:
    tables = all(
        np.array_equal(*(sx.to_host(getattr(getattr(c, name), column)) for c in (a, b)))
        for name in TABLES
        for column in COLUMNS
    )
    return tables and all(
        np.array_equal(*(sx.to_host(c.facets(d)) for c in (a, b))) for d in (1, 2, 3)
    )


def crowds(seed: int, count: int) -> Iterator[tuple[list, list, int]]:
    """A few balls in a tiny box, on lines and planes too: ties, hidden balls, equal centers."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, box = int(rng.integers(0, 9)), int(rng.integers(1, 7))
        points = rng.integers(0, box + 1, (n, 3))
        points[:, rng.integers(1, 4) :] = 0
        radii = rng.integers(1, 6, n) if rng.random() < 0.5 else np.full(n, rng.integers(1, 5))
        yield [tuple(p) for p in points.tolist()], radii.tolist(), int(rng.integers(-10, 30))


def check(points: list, radii: list, alpha: int, **options: Any) -> None:
    agree(found_by_engine(points, radii, alpha, **options), alpha_complex(points, radii, alpha))


def agree(found: dict[tuple, tuple], expected: dict[tuple, tuple]) -> None:
    """Assert that the engine found the simplices of the oracle."""
    assert set(found) == set(expected)
    kind = kinds(set(expected))
    for simplex, (value, is_gabriel) in expected.items():
        assert found[simplex][0] == pytest.approx(float(value), rel=1e-12, abs=1e-9)
        assert found[simplex][1:] == (is_gabriel, kind[simplex])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("optimized", [True, False])
def test_the_complex_is_that_of_the_definition(device, seed, optimized):
    for points, radii, alpha in crowds(100 + seed + 10 * optimized, 150):
        options = {"edge_optimization": optimized, "alpha_optimization": optimized}
        check(points, radii, alpha, device=device, **options)


@pytest.mark.parametrize("step", [100, 1000, 3000])
def test_signs_are_exact_where_doubles_are_inconclusive(device, step):
    rng = np.random.default_rng(step)
    for points, radii, alpha in crowds(step, 120):
        if max(radii, default=0) ** 2 + alpha > 44:  # beyond the range of exact signs at 3,000
            continue
        shaken = np.array(points, int).reshape(-1, 3) * step
        shaken += rng.integers(-1, 2, shaken.shape)
        large = [r * step + int(rng.integers(-1, 2)) for r in radii]
        nearly = alpha * step**2 + int(rng.integers(-2, 3))
        check([tuple(p) for p in shaken.tolist()], large, nearly, device=device)


def test_integers_do_decide_signs_on_a_lattice(device):
    lattice = np.stack(np.meshgrid(*[np.arange(5.0)] * 3), -1).reshape(-1, 3)
    complex = sx.alpha_complex(lattice, 1.0, 3.0, resolution=1, device=device)
    assert complex.counts[3] == 6 * 4**3
    assert complex.euler_characteristic == 1
    assert complex.statistics["exact_clip_signs"] > 1000


def test_values_above_an_integer_number_of_steps_remain_above_it(device):
    # The circumcircle of this triangle is larger than 10^8 by 1 / (4 G), far below the last bit.
    points = [(0, 0, 0), (12000, 16000, 0), (12000, 0, 1)]
    for alpha in (10**8 - 1, 10**8 - 2):
        check(points, [1, 1, 1], alpha, device=device)
    complex = sx.alpha_complex(np.array(points, float), 1.0, 10**8 + 1, resolution=1, device=device)
    value = complex.triangles.alpha_value[0]
    assert value > 10**8 - 1
    assert complex.at(10**8 - 1).counts[2] == 0


def test_thresholding_is_computing_at_the_smaller_alpha(device):
    rng = np.random.default_rng(7)
    centers, radii = rng.uniform(0, 12, (300, 3)).round(3), rng.uniform(1, 2, 300).round(3)
    largest = sx.alpha_complex(centers, radii, [0.5, 4.0, -1.0], device=device)
    assert largest.alpha == 4.0
    for alpha in (4.0, 2.5, 0.0, -1.0, -2.0, -5.0):
        own = sx.alpha_complex(centers, radii, alpha, device=device)
        assert same_tables(largest.at(alpha), own)
        assert largest.at(2.5 if alpha < 2.5 else 4.0).at(alpha).counts == own.counts
        assert np.array_equal(largest.at(alpha).hidden, own.hidden)
        assert largest.at(alpha).alpha == alpha


def test_faces_exist_no_later_than_their_cofaces(device):
    rng = np.random.default_rng(3)
    complex = sx.alpha_complex(
        rng.uniform(0, 10, (400, 3)), rng.uniform(0.5, 1.5, 400), 1.0, device=device
    )
    tables = [getattr(complex, name) for name in TABLES]
    simplices = [sx.to_host(table.simplices) for table in tables]
    values = [sx.to_host(table.alpha_value) for table in tables]
    for d in (1, 2, 3):
        rows = sx.to_host(complex.facets(d))
        for k in range(d + 1):
            opposite = np.delete(simplices[d], k, axis=1)
            assert np.array_equal(simplices[d - 1][rows[:, k]], opposite)
            assert (values[d - 1][rows[:, k]] <= values[d]).all()
    for own, value in zip(simplices, values, strict=True):
        order = np.lexsort(own.T[::-1])
        assert np.array_equal(order, np.arange(len(own)))
        assert (np.diff(own, axis=1) > 0).all()
        assert (value <= 1.0).all()


def test_a_far_ball_does_not_blow_up_the_grid(device):
    centers = np.array([[0, 0, 0], [1, 0, 0], [499_000, 0, -499_000], [0, 1, 0.0]])
    complex = sx.alpha_complex(centers, 1.0, device=device)
    assert complex.counts == (4, 3, 1, 0)
    assert complex.euler_characteristic == 2


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_balls(device, n):
    complex = sx.alpha_complex(np.arange(3.0 * n).reshape(n, 3), np.full(n, 3.0), device=device)
    assert complex.counts == ((0, 0, 0, 0), (1, 0, 0, 0), (2, 1, 0, 0))[n]
    assert complex.n_balls == n
    assert complex.hidden.size == 0
    assert complex.at(-100).counts == (0, 0, 0, 0)


def test_hidden_balls_are_listed_and_those_that_vanish_are_not(device):
    centers = np.array([[0, 0, 0], [0.5, 0, 0], [0, 0, 0], [9, 0, 0.0]])
    complex = sx.alpha_complex(centers, [3.0, 1.0, 3.0, 1.0], device=device)
    assert complex.hidden.tolist() == [1, 2]
    assert complex.at(-2.0).hidden.tolist() == [2]
    assert complex.at(-2.0).vertices.simplices.ravel().tolist() == [0]
    assert sx.alpha_complex(centers, [3.0, 1.0, 3.0, 1.0], -2.0, device=device).hidden.tolist() == [
        2
    ]


def test_one_alpha_as_an_array_without_axes_is_one_alpha():
    assert sx.alpha_complex(np.zeros((1, 3)), 1.0, np.array(1.4)).alpha == 1.4


def test_a_probe_is_added_to_the_radii_and_alpha_to_their_squares(device):
    centers = np.array([[0, 0, 0], [5, 0, 0.0]])
    assert sx.alpha_complex(centers, 1.5, probe=1.0, device=device).counts == (2, 1, 0, 0)
    assert sx.alpha_complex(centers, 1.5, 3.9, device=device).counts == (2, 0, 0, 0)
    assert sx.alpha_complex(centers, 1.5, 4.0, device=device).counts == (2, 1, 0, 0)


def test_results_are_on_the_device_of_the_input_and_read_only():
    complex = sx.alpha_complex(np.zeros((1, 3)), 1.0)
    assert not complex.vertices.simplices.flags.writeable
    assert complex.vertices.simplices.dtype == np.int32
    assert complex.vertices.alpha_value.tolist() == [-1.0]
    assert set(complex.timings) >= {
        "grid",
        "neighbors",
        "edges",
        "candidates",
        "clip",
        "compaction",
    }
