"""Thousands of small random inputs full of ties and extremes, each against an oracle; minutes.

What stands in the other files once for each kind of degeneracy is drawn here at random: palettes,
orders, shapes, subsets of lattices and spheres, thresholds that are distances or next to one.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import mesh_of, rows_of, walked
from engine.rips_sets import distances_of
from engine.test_alpha_complex import check
from engine.test_alpha_persistence import cells_of
from oracles import mesh_complex as mesh_oracle
from oracles import rips as rips_oracle
from oracles.cubical import CubicalGrid
from oracles.lower_star import lower_star_gradient
from oracles.mesh_fields import delaunay
from oracles.peers import gudhi_intervals
from oracles.point_sets import nearest_lists, neighbor_lists, squared_distances
from oracles.reduction import pairs_of
from reliability.hard_inputs import (
    body_centered,
    face_centered,
    icosahedron,
    lattice,
    numbers,
    on_circle,
    on_sphere,
    orders,
    scaled_points,
)
from reliability.test_exactness_images import ranks
from reliability.test_exactness_rips import NUMBERS, assert_stands_for_its_bar, barcode

pytestmark = pytest.mark.long


SEEDS = range(4)
PALETTES = list(numbers().values())
POOLS = [
    lattice(3), face_centered(4), body_centered(4), on_sphere(9), on_sphere(14), on_sphere(26),
    on_circle(), icosahedron(), lattice(2) * [1, 1, 0], np.arange(6)[:, None] * [1, 2, 3],
]  # fmt: skip


def drawn_field(random: Any) -> np.ndarray:
    """An image of up to 120 voxels of one palette or of a few whole numbers."""
    longest = {1: 40, 2: 10, 3: 5}
    n_axes = int(random.choice([1, 2, 3, 3]))
    shape = tuple(random.integers(1, longest[n_axes] + 1, n_axes))
    palette = PALETTES[random.integers(len(PALETTES))]
    if random.random() < 0.3:
        palette = np.arange(random.integers(1, 60), dtype=np.int16)
    return random.choice(palette, shape)


def exact(number: Any) -> Any:
    """A number of any dtype as Python's."""
    return number.item() if number.dtype.kind in "biu" else Fraction(float(number))


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_images_have_the_gradients_and_pairs_of_the_oracles(device: str, seed: int) -> None:
    random = np.random.default_rng([1, seed])
    for _ in range(1500):
        values = drawn_field(random)
        expected = lower_star_gradient(CubicalGrid(values))
        found = sx.morse_smale(values, device=device)
        codes = sx.to_host(found.gradient.codes()).ravel().tolist()
        assert codes == expected.codes(), f"{values!r}"
        pairs, owner = found.persistence_pairs, sx.to_host(found.critical.vertex)
        rank, death_row = ranks(values).ravel(), sx.to_host(pairs.death_row)
        birth = owner[sx.to_host(pairs.birth_row)]
        named = Counter(
            (int(k), int(rank[b]), None if d < 0 else int(rank[owner[d]]))
            for k, b, d in zip(sx.to_host(pairs.dimension), birth, death_row, strict=True)
            if d < 0 or owner[d] != b
        )
        assert named == Counter(gudhi_intervals(values)), f"{values!r}"


@pytest.mark.parametrize("shape", [(20_000,), (120, 150), (22, 24, 26)])
def test_large_images_in_adversarial_orders_have_gudhis_pairs(
    device: str, shape: tuple[int, ...]
) -> None:
    n = int(np.prod(shape))
    for name, order in orders(n).items():
        for step in (1, n // 9):  # all different, and nine plateaus
            values = (order // step).reshape(shape)
            found = sx.persistence_diagram(values, zero_persistence=True, device=device)
            owner = sx.to_host(sx.morse_smale(values, device=device).critical.vertex)
            birth, death = owner[sx.to_host(found.birth_row)], sx.to_host(found.death_row)
            rank = ranks(values).ravel()
            named = Counter(
                (int(k), int(rank[b]), None if d < 0 else int(rank[owner[d]]))
                for k, b, d in zip(sx.to_host(found.dimension), birth, death, strict=True)
                if d < 0 or owner[d] != b
            )
            assert named == Counter(gudhi_intervals(values)), name


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_images_simplify_to_the_pairs_of_the_level(device: str, seed: int) -> None:
    random = np.random.default_rng([2, seed])
    for _ in range(300):
        values = drawn_field(random)
        raw = sx.morse_smale(values, device=device)
        pairs, d = raw.persistence_pairs, raw.domain.dimension
        of, length = (sx.to_host(column) for column in (pairs.dimension, pairs.persistence))
        levels = np.unique(length[np.isfinite(length) & (length > 0)])
        for level in levels[:: max(len(levels) // 4, 1)].tolist():
            simple = raw.simplify(level)
            kept = length >= level
            assert simple.critical.counts[0] == np.count_nonzero(kept & (of == 0)), f"{values!r}"
            ends = kept & (of == d - 1) & np.isfinite(length)
            if d > 1:
                assert simple.critical.counts[d] == np.count_nonzero(ends), f"{values!r}"
            for a, b in zip(sx.to_host(simple.simplified_values()).flat, values.flat, strict=True):
                assert abs(exact(a) - exact(b)) < Fraction(level), f"{values!r}"


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_meshes_have_the_critical_simplices_arcs_and_pairs_of_the_oracle(
    device: str, seed: int
) -> None:
    random = np.random.default_rng([3, seed])
    for k in range(150):
        dimension = 2 + k % 2
        n = int(random.integers(dimension + 2, 18))
        points, cells = delaunay(random, n, dimension, float(random.choice([1.0, 0.7])))
        values = random.choice(PALETTES[random.integers(len(PALETTES))], n)
        placed = np.resize(list(scaled_points().values())[k % 9], (n, 3)) if k % 3 else points
        mesh, gradient = walked(cells, values)
        found = mesh_of(placed, cells, device=device).morse_smale(values)
        rows = rows_of(found, cells)
        assert sorted(rows) == sorted(gradient.critical), f"{cells!r} {values!r}"
        columns = (found.arcs.upper, found.arcs.lower, found.arcs.multiplicity)
        arcs = zip(*(sx.to_host(a).tolist() for a in columns), strict=True)
        assert {(rows[p], rows[q]): m for p, q, m in arcs} == mesh_oracle.arcs(mesh, gradient)
        pairs = found.persistence_pairs
        columns = (pairs.dimension, pairs.birth_row, pairs.death_row)
        ends = [
            (k, mesh.owner(rows[b]), mesh.owner(rows[d]) if d >= 0 else -1)
            for k, b, d in zip(*(sx.to_host(c).tolist() for c in columns), strict=True)
        ]
        named = {(k, b, d) for k, b, d in ends if b != d}
        assert named == mesh_oracle.persistence_pairs(mesh), f"{cells!r} {values!r}"


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_balls_have_the_complex_diagram_and_voids_of_the_definition(
    device: str, seed: int
) -> None:
    random, count = np.random.default_rng([4, seed]), 0
    while count < 500:
        pool = POOLS[random.integers(len(POOLS))]
        n = int(random.integers(1, 10))
        points = pool[random.choice(len(pool), n, replace=n > len(pool) or random.random() < 0.2)]
        radii = (
            random.integers(1, 4, n) if random.random() < 0.4 else np.full(n, random.integers(1, 4))
        )
        near = int(random.choice(squared_distances(points, points).ravel()))
        alpha = near // int(random.integers(1, 5)) + int(random.integers(-1, 2))
        alpha -= int(radii[0]) ** 2 * int(random.random() < 0.7)
        step = int(random.choice([1, 1, 7, 100]))
        if (max(radii) ** 2 + alpha) * step**2 > 19_000**2:
            continue
        points, radii, alpha = points * step, radii * step, alpha * step**2
        check([tuple(p) for p in points.tolist()], radii.tolist(), alpha, device=device)
        found = sx.alpha_complex(points.astype(float), radii, alpha, resolution=1, device=device)
        assert_topology_is_the_textbooks(found, f"{points!r} {radii!r} {alpha}")
        count += 1


def assert_topology_is_the_textbooks(found: sx.AlphaComplex, given: str) -> None:
    values, boundaries, dimension = cells_of(found)
    order = np.lexsort((np.arange(len(values)), dimension, values))
    place = np.argsort(order)
    pairs, essential = pairs_of({i: place[boundaries[c]].tolist() for i, c in enumerate(order)})
    expected = {(int(order[b]), int(order[d])) for b, d in pairs}
    expected |= {(int(order[b]), -1) for b in essential}
    diagram = found.persistence_diagram(zero_persistence=True)
    ends = zip(diagram.birth_cell.tolist(), diagram.death_cell.tolist(), strict=True)
    assert set(ends) == expected, given
    alive = Counter(dimension[order[essential]].tolist())
    assert tuple(found.betti) == (alive[0], alive[1], alive[2]), given
    assert len(found.voids()) == alive[2], given


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_distances_have_the_bars_of_the_whole_boundary_matrix(device: str, seed: int) -> None:
    random = np.random.default_rng([5, seed])
    palettes = [*NUMBERS.values(), list(range(1, 30)), [1.0, 2.0, 3.0]]
    for _ in range(1500):
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
        options: dict[str, Any] = {"relabel": bool(random.random() < 0.5)}
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
        expected = rips_oracle.bars_of(
            filtration, top, prime=prime, threshold=threshold, births=births
        )
        assert barcode(found) == rips_oracle.barcode(expected), f"{values!r} {threshold} {options}"


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_points_have_cycles_that_stand_for_their_bars(device: str, seed: int) -> None:
    random = np.random.default_rng([6, seed])
    for _ in range(120):
        pool = POOLS[random.integers(len(POOLS))]
        n = int(random.integers(3, 9))
        points = pool[random.choice(len(pool), n, replace=n > len(pool))].astype(float)
        prime = int(random.choice([2, 3]))
        bars = sx.rips_barcodes(
            points, max_dimension=2, field=prime, collapse=bool(random.random() < 0.5),
            representatives=lambda bars: np.arange(len(bars)), device=device,
        )  # fmt: skip
        for cycle in bars.representatives:
            assert_stands_for_its_bar(distances_of(points), bars, cycle, prime, f"{points!r}")


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_points_have_the_neighbors_of_all_pairs(device: str, seed: int) -> None:
    random = np.random.default_rng([7, seed])
    extremes = list(scaled_points().values())
    for k in range(400):
        pool = POOLS[random.integers(len(POOLS))] * 2.0 ** random.integers(-300, 300)
        pool = extremes[k % len(extremes)] if k % 2 else pool
        x = pool[random.integers(0, len(pool), random.integers(1, 60))]
        x = x[:, : random.integers(1, 4)] * random.choice([-1, 1])
        y = x if random.random() < 0.5 else x[::-1] + 0.0
        d2 = squared_distances(x, y)
        radius = float(np.sqrt(random.choice(d2.ravel())))
        radius = float(random.choice([radius, np.nextafter(radius, 0.0), 1.5 * radius, 0.0]))
        found = sx.neighbors(x, y, radius=radius, device=device)
        items, offsets = sx.to_host(found.items), sx.to_host(found.offsets)
        assert [row.tolist() for row in np.split(items, offsets[1:-1])] == (
            neighbor_lists(x, y, radius)
        ), f"{x!r} {radius!r}"
        near = nearest_lists(x, y, 4)
        got = sx.nearest(x, y, k=4, device=device)
        assert sx.to_host(got[0]).tobytes() == near[0].tobytes(), f"{x!r}"
        assert np.array_equal(sx.to_host(got[1]), near[1]), f"{x!r}"
