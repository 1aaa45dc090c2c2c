"""Barcodes under stress: ties everywhere, distances at the ends of float64, adversarial orders.

Invariants: the bars depend only on the distances. They do not depend on the numbering of the
points, on rotations and shifts that keep distances exact, or on collapse, relabeling, threads, and
the form of the distances. Births and deaths are 0 or equal a distance bit for bit; a power of two
scales them exactly. Ties between simplices and between cycles are broken by the numbers of the
points. A cycle is born with its bar, and is a boundary when the bar dies.
"""

from collections.abc import Iterator
from decimal import Decimal, localcontext
from itertools import product
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.rips_sets import barcode, distances_of
from oracles import rips as oracle
from reliability.hard_inputs import (
    SOURCES,
    SYMMETRIES,
    body_centered,
    drawn_points,
    face_centered,
    hard_points,
    icosahedron,
    lattice,
    moved,
    on_circle,
    on_sphere,
    orders,
    whole_points,
)
from separatrix.device import Session
from separatrix.rips.distances import Distances
from separatrix.rips.weights import weighted

LEAST, MOST = np.nextafter(0.0, 1.0), float(np.finfo(float).max)
NUMBERS = {
    "all equal": [1.0],
    "two values": [1.0, 2.0],
    "zeros and one": [0.0, 1.0],
    "signed zeros": [0.0, -0.0, 1.0],
    "denormals": [0.0, LEAST, 2 * LEAST, 3 * LEAST],
    "both ends": [LEAST, MOST],
    "neighbors": [1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0)],
    "near the largest": [MOST, np.nextafter(MOST, 0.0)],
    "mixed": [1e-30, 1e30, 1.0, 0.0, MOST],
    "absent edges": [1.0, 2.0, np.inf],
    "none or all": [1e-30, np.inf],
}
"""Numbers from which the distances of a matrix are drawn."""

LARGE = {
    "cubic": lattice(3),
    "face-centered": face_centered(4),
    "body-centered": body_centered(4),
    "icosahedron": icosahedron(),
    "circle": on_circle(),
    "sphere of 9": on_sphere(9),
    "duplicates": np.repeat(lattice(2), 3, axis=0),
    "a line": np.arange(40)[:, None] * [1, 2, -2],
}


def matrices() -> list[tuple[str, np.ndarray]]:
    """Symmetric matrices of 2 to 8 points, of random numbers in adversarial order."""
    found = []
    for k, (name, numbers) in enumerate(NUMBERS.items()):
        random = np.random.default_rng(k)
        for n in (2, 5, 7, 8):
            pairs = n * (n - 1) // 2
            drawn = np.sort(random.choice(numbers, pairs))
            for order_name, order in orders(pairs, k).items():
                values = np.zeros((n, n))
                upper = np.empty(pairs)
                upper[order] = drawn
                values[np.triu_indices(n, 1)] = upper
                found.append((f"{name}, {order_name}, {n}", values + values.T))
    return found


def test_bars_of_hard_matrices_are_those_of_the_whole_boundary_matrix(device):
    for count, (name, values) in enumerate(matrices()):
        prime = (2, 3, 5)[count % 3]
        expected = oracle.barcode(oracle.bars_of(values, 2, prime=prime))
        collapse = (False, True, "auto")[count % 3]
        i, j = np.nonzero(np.triu(np.isfinite(values), 1))
        for given in ({"distances": values}, {"sparse": (i, j, values[i, j], len(values))}):
            found = sx.rips_barcodes(
                max_dimension=2, field=prime, collapse=collapse, device=device, **given
            )
            assert barcode(found) == expected, name
            assert found.n_points == len(values), name
        ends = np.concatenate([found.birth, found.death])
        given = {x.tobytes() for x in np.abs(values).ravel()} | {np.float64(np.inf).tobytes()}
        assert {end.tobytes() for end in ends} <= given | {np.float64(0).tobytes()}, name


@pytest.mark.parametrize(
    ("seed", "n_sets"),
    [(8, 60), (9, 60), *(pytest.param(k, 1500, marks=pytest.mark.long) for k in range(4))],
)
@pytest.mark.parametrize("rows", [False, True], ids=["matrix", "rows of neighbors"])
def test_random_distances_have_the_bars_of_the_whole_boundary_matrix(
    device, rows, seed, n_sets, monkeypatch
):
    if rows:
        monkeypatch.setattr("separatrix.rips.ranks.SMALL", 0)
        monkeypatch.setattr("separatrix.rips.ranks.DENSE", 2.0)
    random = np.random.default_rng([5, seed])
    palettes = [*NUMBERS.values(), list(range(1, 30)), [1.0, 2.0, 3.0]]
    for _ in range(n_sets):
        n = int(random.integers(2, 9))
        i, j = np.triu_indices(n, 1)
        values = np.zeros((n, n))
        values[i, j] = random.choice(palettes[random.integers(len(palettes))], len(i))
        values += values.T
        top, prime = int(random.integers(0, 4)), int(random.choice([2, 3, 5, 65521]))
        threshold = np.inf
        if random.random() < 0.5:
            at = abs(random.choice(values.ravel()))
            with np.errstate(over="ignore"):
                threshold = float(
                    random.choice([at, np.nextafter(at, 0.0), np.nextafter(at, np.inf)])
                )
        options = {"relabel": bool(random.random() < 0.5)}
        births, filtration = None, values
        if random.random() < 0.3:
            births = random.choice(abs(values[np.isfinite(values)]), n)
            options |= {"weights": births, "weight_power": np.inf}
            filtration = np.maximum(np.maximum(values, births), births[:, None])
            np.fill_diagonal(filtration, 0)
        else:
            options["collapse"] = (False, True, "auto")[random.integers(3)]
        is_edge = np.isfinite(values[i, j])
        sparse = (i[is_edge], j[is_edge], values[i, j][is_edge], n)
        form = ({"distances": values}, {"distances": values[i, j]}, {"sparse": sparse})
        found = sx.rips_barcodes(
            max_dimension=top, field=prime, threshold=threshold, device=device,
            **form[random.integers(3)], **options,
        )  # fmt: skip
        expected = oracle.bars_of(filtration, top, prime=prime, threshold=threshold, births=births)
        assert barcode(found) == oracle.barcode(expected), f"{values!r} {threshold} {options}"


def test_bars_of_hard_points_are_those_of_the_whole_boundary_matrix(device):
    for name, points in hard_points().items():
        points = points[:8]
        if len(points) < 2:
            continue
        pairs = sx.sparse_distances(points, np.inf, device="cpu")
        values = np.zeros((len(points),) * 2)
        values[pairs[0], pairs[1]] = values[pairs[1], pairs[0]] = pairs[2]
        expected = oracle.barcode(oracle.bars_of(values, 2))
        for collapse in (False, True):
            found = sx.rips_barcodes(points, max_dimension=2, collapse=collapse, device=device)
            assert barcode(found) == expected, name


@pytest.mark.parametrize("name", LARGE)
def test_bars_do_not_depend_on_order_symmetry_shift_scale_or_form_of_the_points(device, name):
    points = LARGE[name].astype(float)
    expected = barcode(sx.rips_barcodes(points, max_dimension=2, device="cpu"))
    i, j = np.triu_indices(len(points), 1)
    values = distances_of(points)
    same = [{"points": points[order]} for order in orders(len(points)).values()]
    same += [{"points": moved(points, *symmetry)} for symmetry in SYMMETRIES[1::4]]
    same += [{"points": points + shift} for shift in (2.0**40, -(2.0**20))]
    same += [{"points": points, "collapse": c, "relabel": r} for c in (0, 1) for r in (0, 1)]
    same += [{"points": points, "threshold": MOST}, {"points": points.astype(np.float32)}]
    same += [{"distances": values}, {"distances": values[i, j]}, {"sparse": (i, j, values[i, j])}]
    same += [{"sparse": (j[::-1], i[::-1], values[i, j][::-1])}]
    for options in same:
        options = {k: bool(v) if k in ("collapse", "relabel") else v for k, v in options.items()}
        assert barcode(sx.rips_barcodes(max_dimension=2, device=device, **options)) == expected
    for power in (-1000, -400, 400, 1000):
        scaled = sx.rips_barcodes(distances=values * 2.0**power, max_dimension=2, device=device)
        assert barcode(scaled) == [(k, b * 2.0**power, d * 2.0**power) for k, b, d in expected]


def sets_of_points(source: Any) -> Iterator[np.ndarray]:
    """Three to nine points: of the hard sets, or random ones."""
    if source == "hard":
        yield from (points[:9] for points in whole_points().values() if len(points) > 2)
    else:
        random = np.random.default_rng([6, source])
        yield from (drawn_points(random, 3, 9) for _ in range(60))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("prime", [2, 3])
def test_cycles_are_born_with_their_bars_and_bound_at_their_ends(device, prime, source):
    for points in sets_of_points(source):
        for collapse in (False, True):
            bars = sx.rips_barcodes(
                points.astype(float), max_dimension=2, field=prime, collapse=collapse,
                representatives=lambda bars: np.arange(len(bars)), device=device,
            )  # fmt: skip
            assert [c.bar for c in bars.representatives] == list(range(len(bars)))
            for cycle in bars.representatives:
                assert_stands_for_its_bar(distances_of(points), bars, cycle, prime, f"{points!r}")


def assert_stands_for_its_bar(
    values: np.ndarray, bars: sx.Barcodes, cycle: sx.Representative, prime: int, name: str
) -> None:
    simplices = map(tuple, cycle.simplices.tolist())
    chain = dict(zip(simplices, cycle.coefficients.tolist(), strict=True))
    birth, death = bars.birth[cycle.bar], bars.death[cycle.bar]
    assert max(oracle.diameter(values, s) for s in chain) == birth, name
    assert not oracle.boundary_of_chain(chain, prime), name
    if not cycle.dimension:  # a point of the component that joins an older one
        return
    cells = oracle.filtered(values, cycle.dimension + 1)
    before = [cell for cell in cells if cell[0] < death]
    at = [cell for cell in cells if cell[0] <= death]
    assert not oracle.bounds(chain, before, prime), name
    assert np.isinf(death) or oracle.bounds(chain, at, prime), name


def weighted_exactly(values: np.ndarray, weights: np.ndarray, power: int) -> np.ndarray:
    """The birth values of the edges to 60 digits: Anai et al. 2020, section 3, as diameters."""
    times = np.zeros(values.shape)
    with localcontext() as context:
        context.prec = 60
        for i, j in np.argwhere(~np.eye(len(values), dtype=bool)):
            d, w, v = (Decimal(float(x)) for x in (values[i, j], weights[i], weights[j]))
            both, apart, later = w + v, abs(w - v), max(w, v)
            if power == 1:
                time = later if 2 * d <= apart else d + both / 2
            elif 4 * d * d <= both * apart:
                time = later
            else:
                time = ((both**2 + 4 * d * d) * (apart**2 + 4 * d * d)).sqrt() / (4 * d)
            times[i, j] = float(time) if time <= Decimal(MOST) else np.inf
    return times


@pytest.mark.parametrize("power", [1, 2])
def test_weighted_edges_are_born_when_their_balls_touch_for_any_magnitude(device, power):
    random = np.random.default_rng(4)
    scales = [LEAST, 1e-300, 1e-170, 1e-30, 1.0, 1e30, 1e170, 1e300, MOST / 8]
    for scale, other in product(scales, scales):
        values = scale * np.triu(random.integers(0, 4, (6, 6)), 1)
        values += values.T
        weights = other * random.integers(0, 4, 6)
        session = Session(np.zeros(1), device)
        with session.device.current():
            given = Distances(6, session.upload(values))
            found = sx.to_host(weighted(session, given, session.upload(weights), power).matrix)
        expected = weighted_exactly(values, weights, power)
        np.testing.assert_allclose(found, expected, rtol=1e-15, atol=2 * LEAST)
        assert (found >= np.maximum(weights, weights[:, None]))[~np.eye(6, dtype=bool)].all()


@pytest.mark.parametrize("power", [1, 2, np.inf])
def test_zero_weights_change_no_bar(device, power):
    for name, values in matrices()[::5]:
        plain = barcode(sx.rips_barcodes(distances=values, device=device))
        weights = np.zeros(len(values))
        found = sx.rips_barcodes(
            distances=values, weights=weights, weight_power=power, device=device
        )
        assert barcode(found) == plain, name


def test_an_approximation_of_distances_near_the_largest_gives_no_warning(device):
    for name, values in matrices()[::7]:
        for epsilon in (1e-15, 0.5, 1e300):
            found = sx.rips_barcodes(distances=values, epsilon=epsilon, device=device)
            assert found.is_essential.any(), name
