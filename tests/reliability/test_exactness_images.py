"""Morse-Smale complexes of images under stress: ties, limits of dtypes, adversarial orders.

Results other than values depend only on the order of (value, index), so a strictly increasing map
of the values changes no other bit. Long runs use random images instead of the hard ones.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.cubical import CubicalGrid
from oracles.everything import assert_same_bits
from oracles.lower_star import lower_star_gradient
from oracles.peers import assert_pairs_are_gudhis, exact
from oracles.plateau_order import plateau_order
from reliability.hard_inputs import SOURCES, hard_fields, numbers, orders
from reliability.whole_results import of_image

SHAPES: list[tuple[int, ...]] = [(13,), (5, 6), (3, 4, 3), (1, 7, 4), (2, 3, 6)]
VALUES = ("value", "birth", "death", "persistence", "position", "points", "simplified.values")


def fields(source: int | str, n: int, seed: int = 0) -> Iterator[tuple[str, np.ndarray]]:
    """The hard fields, or n random ones of up to 120 voxels, from one palette or integers."""
    if source == "hard":
        yield from hard_fields(SHAPES, seed)
        return
    random, palettes = np.random.default_rng([seed, source]), list(numbers().values())
    for _ in range(n):
        n_axes = int(random.choice([1, 2, 3, 3]))
        shape = tuple(random.integers(1, {1: 40, 2: 10, 3: 5}[n_axes] + 1, n_axes))
        palette = palettes[random.integers(len(palettes))]
        if random.random() < 0.3:
            palette = np.arange(random.integers(1, 60), dtype=np.int16)
        values = random.choice(palette, shape)
        yield repr(values), values


def ranks(values: Any, order: list[int] | None = None) -> np.ndarray:
    """The rank of each voxel in the order of (value, index) or another one, without ties."""
    rank = np.empty(values.size, np.int64)
    given = np.argsort(values, axis=None, kind="stable") if order is None else order
    rank[given] = np.arange(values.size)
    return rank.reshape(values.shape)


@pytest.mark.parametrize("source", SOURCES)
def test_gradients_and_pairs_equal_those_of_the_oracle_and_gudhi(device, source):
    for name, values in fields(source, 1500, 1):
        found = sx.morse_smale(values, device=device)
        expected = lower_star_gradient(CubicalGrid(values))
        assert sx.to_host(found.gradient.codes()).ravel().tolist() == expected.codes(), name
        owners = sx.to_host(found.critical.vertex)
        assert sx.to_host(found.critical.value).tobytes() == values.ravel()[owners].tobytes()
        assert_pairs_are_gudhis(values, found, name)


@pytest.mark.long
@pytest.mark.parametrize("shape", [(20_000,), (120, 150), (22, 24, 26)])
def test_large_images_in_adversarial_orders_have_the_pairs_of_gudhi(device, shape):
    n = int(np.prod(shape))
    for name, order in orders(n).items():
        for step in (1, n // 9):  # all different, and nine plateaus
            values = (order // step).reshape(shape)
            assert_pairs_are_gudhis(values, sx.morse_smale(values, device=device), name)


@pytest.mark.parametrize("source", SOURCES)
def test_a_simplified_complex_has_the_pairs_of_its_level(device, source):
    for name, values in list(fields(source, 300, 2))[:: 5 if source == "hard" else 1]:
        raw = sx.morse_smale(values, device=device)
        pairs, d = raw.persistence_pairs, raw.domain.dimension
        of, length = (sx.to_host(column) for column in (pairs.dimension, pairs.persistence))
        levels = np.unique(length[np.isfinite(length) & (length > 0)])
        for level in levels[:: max(len(levels) // 4, 1)].tolist():
            simple = raw.simplify(level)
            kept = length >= level
            assert simple.critical.counts[0] == np.count_nonzero(kept & (of == 0)), name
            ends = kept & (of == d - 1) & np.isfinite(length)
            if d > 1:
                assert simple.critical.counts[d] == np.count_nonzero(ends), name
            for a, b in zip(
                sx.to_host(simple.simplified_field().values).flat, values.flat, strict=True
            ):
                assert abs(exact(a) - exact(b)) < Fraction(level), name


def test_all_results_except_values_depend_only_on_the_order_of_the_values(device):
    for name, values in list(hard_fields(SHAPES, seed=2))[::6]:
        both = of_image(values, device=device), of_image(ranks(values), device="cpu")
        found, rank = (
            {k: v for k, v in one.items() if not k.endswith(VALUES) and k[:7] != "regions"}
            for one in both
        )
        assert_same_bits(found, rank)
        assert found["morse_smale"].shape == values.shape, name


def test_negated_values_on_a_torus_have_the_dual_diagram(device):
    # Cells by their highest vertex on the one side, by their lowest on the other: the engine's
    # diagram of f, and that of -f on the dual cells, whose voxels are top cells.
    gudhi = pytest.importorskip("gudhi")
    for seed, shape in enumerate([(7,), (5, 4), (4, 3, 3)]):
        n, random = len(shape), np.random.default_rng(seed)
        for levels in (1, 2, 4, 1000):
            values = random.integers(0, levels, shape).astype(float)
            found = sx.persistence_diagram(values, periodic=(True,) * n, device=device)
            dual = gudhi.PeriodicCubicalComplex(
                top_dimensional_cells=-values, periodic_dimensions=[True] * n
            ).persistence(homology_coeff_field=2, min_persistence=0)
            expected = Counter(
                (n - k, -b, np.inf) if np.isinf(d) else (n - 1 - k, -d, -b)
                for k, (b, d) in dual
                if d > b
            )
            columns = (found.dimension, found.birth, found.death)
            assert Counter(zip(*(sx.to_host(c).tolist() for c in columns), strict=True)) == expected


def test_the_plateau_order_of_hard_fields_equals_that_of_the_oracle(device):
    for name, values in list(hard_fields(SHAPES, seed=4))[::2]:
        found = sx.discrete_gradient(values, order="plateau", device=device)
        rank = ranks(values, plateau_order(values))
        expected = sx.discrete_gradient(rank, device="cpu")
        np.testing.assert_array_equal(sx.to_host(found.codes()), sx.to_host(expected.codes()), name)
