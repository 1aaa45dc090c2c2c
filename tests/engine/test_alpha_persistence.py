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
