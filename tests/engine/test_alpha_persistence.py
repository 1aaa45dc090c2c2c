"""The diagram of an alpha filtration equals the textbook's reduction, and GUDHI's."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.reduction import pairs_of


def cloud(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Balls in a cube, some on a lattice."""
    random = np.random.default_rng([13, seed])
    centers = random.uniform(0, 2.5 * n ** (1 / 3), (n, 3))
    return centers.round(0 if seed % 3 == 0 else 3), random.uniform(0.8, 1.6, n).round(3)


def cells_of(complex: Any) -> tuple[np.ndarray, list[list[int]], np.ndarray]:
    """Values, boundaries and dimensions of all cells, vertices first."""
    tables = (complex.vertices, complex.edges, complex.triangles, complex.tets)
    first = np.cumsum([0, *complex.counts])
    boundaries: list[list[int]] = [[] for _ in range(complex.counts[0])]
    for d in (1, 2, 3):
        boundaries += (sx.to_host(complex.facets(d)) + first[d - 1]).tolist()
    values = np.concatenate([sx.to_host(table.alpha_value) for table in tables])
    return values, boundaries, np.repeat(np.arange(4), complex.counts)


def assert_topology_is_the_textbooks(complex: sx.AlphaComplex, given: str) -> None:
    """Pairs, ends, Betti numbers and voids follow from reducing the boundary matrix."""
    values, boundaries, dimension = cells_of(complex)
    order = np.lexsort((np.arange(len(values)), dimension, values))
    place = np.argsort(order)
    pairs, essential = pairs_of({i: place[boundaries[c]].tolist() for i, c in enumerate(order)})
    expected = {(int(order[b]), int(order[d])) for b, d in pairs}
    expected |= {(int(order[b]), -1) for b in essential}
    diagram = complex.persistence_diagram(zero_persistence=True)
    names = ("birth_cell", "death_cell", "birth_row", "death_row", "birth", "death", "dimension")
    found = {name: sx.to_host(getattr(diagram, name)) for name in names}
    ends = zip(found["birth_cell"].tolist(), found["death_cell"].tolist(), strict=True)
    assert set(ends) == expected, given
    assert np.array_equal(found["birth"], values[found["birth_row"]])
    assert np.array_equal(found["dimension"], dimension[found["birth_row"]])
    ended = found["death_row"] >= 0
    assert np.array_equal(found["death"][ended], values[found["death_row"][ended]])
    assert np.isinf(found["death"][~ended]).all()
    alive = Counter(dimension[order[essential]].tolist())
    assert tuple(complex.betti) == (alive[0], alive[1], alive[2]), given
    assert len(complex.voids()) == alive[2], given


def test_pairs_equal_those_of_the_textbook():
    for seed in range(12):
        complex = sx.alpha_complex(*cloud(seed, 25), 1.0 if seed % 2 else 50.0)
        assert_topology_is_the_textbooks(complex, f"cloud {seed}")


def test_diagram_equals_gudhis_up_to_the_largest_alpha():
    gudhi = pytest.importorskip("gudhi")
    centers, radii = cloud(1, 60)
    complex = sx.alpha_complex(centers, radii, 2.0)
    tree = gudhi.AlphaComplex(points=centers, weights=radii**2).create_simplex_tree()
    tree.compute_persistence(homology_coeff_field=2, min_persistence=0)
    for dimension in range(3):
        pairs = tree.persistence_intervals_in_dimension(dimension)
        pairs = pairs[(pairs[:, 0] <= 2.0) & (pairs[:, 1] - pairs[:, 0] > 1e-9)]
        pairs[pairs[:, 1] > 2.0, 1] = np.inf
        ours = complex.persistence_diagram().of_dimension(dimension)
        mine = ours[ours[:, 1] - ours[:, 0] > 1e-9]
        assert sorted(map(tuple, mine.round(6))) == sorted(map(tuple, pairs.round(6)))


def test_classes_alive_are_the_betti_numbers_of_every_smaller_alpha():
    complex = sx.alpha_complex(*cloud(2, 120), 2.0)
    diagram = complex.persistence_diagram()
    for alpha in (-1.0, 0.0, 0.7, 2.0):
        alive = (diagram.birth <= alpha) & (alpha < diagram.death)
        counts = np.bincount(diagram.dimension[alive], minlength=3)
        assert tuple(counts.tolist()) == complex.at(alpha).betti


def test_pairs_of_zero_persistence_are_omitted_by_default():
    complex = sx.alpha_complex(*cloud(4, 80), 1.0)
    few, all_pairs = (
        complex.persistence_diagram(),
        complex.persistence_diagram(zero_persistence=True),
    )
    assert len(few) < len(all_pairs)
    assert len(few) == len(all_pairs.nonzero())
    sizes = zip(few.dimension.tolist(), few.birth.tolist(), strict=True)
    assert list(sizes) == sorted(zip(few.dimension.tolist(), few.birth.tolist(), strict=True))


def test_an_empty_complex_has_an_empty_diagram():
    assert len(sx.alpha_complex([[0, 0, 0]], 1.0, -2.0).persistence_diagram()) == 0
    one = sx.alpha_complex([[0, 0, 0]], 1.0).persistence_diagram()
    assert (one.birth.tolist(), one.death.tolist()) == ([-1.0], [np.inf])


def test_diagrams_have_the_same_bits_on_every_device_and_with_any_number_of_threads(device):
    random = np.random.default_rng(8)
    points = {
        "uniform": random.uniform(0, 1, (6_000, 3)),
        "lattice": np.stack(np.meshgrid(*[np.arange(12.0)] * 3), axis=-1).reshape(-1, 3),
        "plane": random.uniform(0, 1, (500, 3)) * [1, 1, 0],
    }
    for given, some in points.items():
        expected, *others = (
            sx.alpha_complex(some, 0.0, np.inf, resolution=None, device=where, threads=threads)
            for where, threads in (("cpu", 1), ("cpu", 3), (device, 2))
        )
        assert expected.counts[0] == len(some)
        pairs = expected.persistence_diagram(zero_persistence=True)
        # Every cell but one vertex creates a class or ends one.
        assert 2 * len(pairs) == sum(expected.counts) + 1
        for other in others:
            found = other.persistence_diagram(zero_persistence=True)
            for name in ("dimension", "birth", "death", "persistence", "birth_cell", "death_cell"):
                column = sx.to_host(getattr(found, name))
                assert column.tobytes() == getattr(pairs, name).tobytes(), (given, name)


def test_betti_curves_count_the_classes_that_are_alive(device):
    complex = sx.alpha_complex(*cloud(2, 60), 4.0, device=device)
    pairs = complex.persistence_diagram()
    for d in range(3):
        levels, counts = map(sx.to_host, pairs.betti_curve(d))
        birth, death = sx.to_host(pairs.of_dimension(d)).T
        assert counts.tolist() == [((birth <= x) & (x < death)).sum() for x in levels]
        assert (np.diff(levels) > 0).all()
        assert counts[-1] == complex.betti[d]
    assert [len(part) for part in pairs.betti_curve(3)] == [0, 0]


# === cycles


def is_in_span(basis: dict[int, int], chain: int) -> bool:
    """Whether chains over Z/2, sets of bits, add up to this one; the basis is by highest bit."""
    while chain and (top := chain.bit_length()) in basis:
        chain ^= basis[top]
    if chain:
        basis.setdefault(-1, chain)  # what is left
    return not chain


def assert_cycles_are_those_of_the_pairs(complex: sx.AlphaComplex, given: str) -> None:
    """Each cycle is born with its pair, and a boundary from the death on, but not before."""
    values, boundaries, dimension = cells_of(complex)
    place = np.argsort(np.lexsort((np.arange(len(values)), dimension, values)))
    pairs = complex.persistence_diagram(zero_persistence=True)
    pairs = pairs.where(np.flatnonzero(sx.to_host(~pairs.is_essential))[::-1].copy())
    cycles = complex.representatives(pairs)
    births, deaths = sx.to_host(pairs.birth_row).tolist(), sx.to_host(pairs.death_row).tolist()
    cycle_of = {death: sx.to_host(cycles[i]).tolist() for i, death in enumerate(deaths)}
    for birth, death in zip(births, deaths, strict=True):
        cells = cycle_of[death]
        assert max(cells, key=place.__getitem__) == birth, given
        assert cells == sorted(set(cells))
        if dimension[birth]:
            sides = Counter(side for cell in cells for side in boundaries[cell])
            assert not any(number % 2 for number in sides.values()), given
    basis: dict[int, int] = {}
    for cell in np.argsort(place).tolist():
        chain = 0
        for side in boundaries[cell]:
            chain ^= 1 << side
        if cell in cycle_of and dimension[cell] > 1:  # components end with an older one
            cycle = sum(1 << row for row in cycle_of[cell])
            assert not is_in_span(basis, cycle), given
            basis.pop(-1)
        if not is_in_span(basis, chain):
            left = basis.pop(-1)
            basis[left.bit_length()] = left
        if cell in cycle_of and dimension[cell] > 1:
            assert is_in_span(basis, cycle), given


def test_cycles_are_filled_at_the_death_and_not_before(device):
    for seed in range(8):
        complex = sx.alpha_complex(*cloud(seed, 25), 50.0 if seed % 2 else np.inf, device=device)
        assert_cycles_are_those_of_the_pairs(complex, f"cloud {seed}")
    random = np.random.default_rng(17)
    centers = random.uniform(0, 6, (12, 3)).round(3)
    periodic = sx.alpha_complex(centers, 0.5, np.inf, box=[6.0, 7.0, 8.0], device=device)
    assert_cycles_are_those_of_the_pairs(periodic, "box")


def test_cycles_of_many_points_are_closed(device):
    points = np.random.default_rng(18).uniform(0, 1, (4000, 3))
    complex = sx.alpha_complex(points, 0.0, np.inf, resolution=None, device=device)
    pairs = complex.persistence_diagram()
    pairs = pairs.where(sx.to_host((pairs.dimension > 0) & ~pairs.is_essential))
    cycles, first = complex.representatives(pairs), np.cumsum([0, *complex.counts])
    offsets, rows = sx.to_host(cycles.offsets), sx.to_host(cycles.items)
    assert np.array_equal(np.maximum.reduceat(rows, offsets[:-1]) >= first[1], np.ones(len(pairs)))
    cycle = np.repeat(np.arange(len(pairs)), np.diff(offsets))
    for d in (1, 2):
        chosen = (rows >= first[d]) & (rows < first[d + 1])
        sides = sx.to_host(complex.facets(d))[rows[chosen] - first[d]]
        keys = cycle[chosen][:, None] * first[-1] + sides
        assert (np.unique(keys, return_counts=True)[1] % 2 == 0).all()


def test_cycles_of_other_pairs_are_rejected():
    complex = sx.alpha_complex(*cloud(1, 25), 50.0)
    pairs = complex.persistence_diagram()
    with pytest.raises(sx.InputError, match=r"pairs with a death; got pairs\[0\] = none"):
        complex.representatives(pairs)
    with pytest.raises(sx.InputError, match="pairs must be a PersistenceDiagram; got 'all'"):
        complex.representatives("all")
    finite = pairs.where(~pairs.is_essential)
    with pytest.raises(sx.InputError, match="pairs must be pairs of this complex"):
        complex.at(1.0).representatives(finite)
    assert len(complex.representatives(finite.where(np.zeros(len(finite), bool)))) == 0
