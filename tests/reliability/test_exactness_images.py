"""Morse-Smale complexes of images under stress: ties, limits of dtypes, adversarial orders.

What is invariant. Everything but values depends on the order of (value, index) alone, so any
strictly increasing map of the values changes no other bit. A symmetry of the box moves indices and
with them how ties are broken: without ties it moves every cell and pair along, with ties it leaves
the pairs of nonzero persistence.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.cubical import CubicalGrid
from oracles.everything import assert_same_bits
from oracles.lower_star import lower_star_gradient
from oracles.peers import gudhi_intervals
from oracles.plateau_order import plateau_order
from reliability.hard_inputs import hard_fields, orders
from reliability.whole_results import of_image

SHAPES: list[tuple[int, ...]] = [(13,), (5, 6), (3, 4, 3), (1, 7, 4), (2, 3, 6)]
VALUES = ("value", "birth", "death", "persistence", "position", "points")


def ranks(values: Any, order: list[int] | None = None) -> np.ndarray:
    """The place of each voxel in the order of (value, index), or in another: no ties."""
    rank = np.empty(values.size, np.int64)
    given = np.argsort(values, axis=None, kind="stable") if order is None else order
    rank[given] = np.arange(values.size)
    return rank.reshape(values.shape)


def exact_difference(death: Any, birth: Any) -> float:
    """The difference of two numbers of any dtype, rounded once to a finite float64."""
    a, b = (x.item() if x.dtype.kind in "biu" else Fraction(float(x)) for x in (death, birth))
    largest = float(np.finfo(np.float64).max)
    return largest if a - b > largest else float(a - b)


def bars(diagram: sx.PersistenceDiagram) -> Counter[tuple[int, float, float]]:
    columns = (diagram.dimension, diagram.birth, diagram.death)
    return Counter(zip(*(sx.to_host(c).tolist() for c in columns), strict=True))


def without_values(arrays: dict[str, Any]) -> dict[str, Any]:
    """What must not change when the values are mapped by an increasing function."""
    return {k: v for k, v in arrays.items() if not k.endswith(VALUES) and "simpl" not in k}


def test_gradients_of_hard_fields_are_the_oracles(device: str) -> None:
    for name, values in hard_fields(SHAPES):
        expected = lower_star_gradient(CubicalGrid(values))
        found = sx.discrete_gradient(values, device=device)
        assert sx.to_host(found.codes()).ravel().tolist() == expected.codes(), name
        owners = sx.to_host(found.critical.vertex)
        assert sx.to_host(found.critical.value).tobytes() == values.ravel()[owners].tobytes()


def test_pairs_of_hard_fields_are_those_of_ranks_by_gudhi(device: str) -> None:
    for name, values in hard_fields(SHAPES, seed=1):
        found = sx.persistence_diagram(values, zero_persistence=True, device=device)
        owner = sx.to_host(sx.morse_smale(values, device=device).critical.vertex)
        birth, death = owner[sx.to_host(found.birth_row)], sx.to_host(found.death_row)
        rank, flat = ranks(values).ravel(), values.ravel()
        pairs = Counter(
            (int(k), int(rank[b]), None if d < 0 else int(rank[owner[d]]))
            for k, b, d in zip(sx.to_host(found.dimension), birth, death, strict=True)
            if d < 0 or owner[d] != b
        )
        assert pairs == Counter(gudhi_intervals(values)), name
        for length, b, d in zip(sx.to_host(found.persistence), birth, death, strict=True):
            expected = np.inf if d < 0 else exact_difference(flat[owner[d]], flat[b])
            assert length == expected, name


def test_everything_but_values_depends_on_the_order_of_the_values_alone(device: str) -> None:
    for name, values in list(hard_fields(SHAPES, seed=2))[::2]:
        found = without_values(of_image(values, device=device))
        rank = without_values(of_image(ranks(values), device="cpu"))
        assert_same_bits(found, rank)
        assert found["morse_smale"].shape == values.shape, name


@pytest.mark.parametrize("shape", SHAPES)
def test_scaling_by_a_power_of_two_scales_values_and_changes_nothing_else(
    device: str, shape: tuple[int, ...]
) -> None:
    random = np.random.default_rng(5)
    for levels in (2, 5, 1000):
        values = random.integers(-levels, levels, shape).astype(float)
        plain = of_image(values, 1.5, device="cpu")
        for power in (
            -1060,
            -100,
            100,
            1000,
        ):  # the first among denormals, where sums are exact too
            scale = 2.0**power
            found = of_image(values * scale, 1.5 * scale, device=device)
            for column in found:
                if column.endswith(("value", "birth", "death", "persistence", "simplified values")):
                    plain_column = plain[column] * scale
                    np.testing.assert_array_equal(found[column], plain_column, column)
                else:
                    assert found[column].tobytes() == plain[column].tobytes(), column


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int16", "float64"])
def test_a_shift_of_whole_numbers_to_the_limits_changes_values_alone(
    device: str, dtype: str
) -> None:
    random = np.random.default_rng(6)
    limits = np.iinfo(dtype) if dtype != "float64" else np.iinfo(np.int32)
    for shape in SHAPES:
        small = random.integers(0, 30, shape).astype(dtype)
        plain = of_image(small, 7.0, device="cpu")
        for lowest in (limits.min, limits.max - 30):
            shifted = (small.astype(object) + lowest).astype(dtype)
            found = of_image(shifted, 7.0, device=device)
            for column in found:
                if column.endswith(("value", "simplified values")):
                    wanted = (plain[column].astype(object) + lowest).astype(dtype)
                    np.testing.assert_array_equal(found[column], wanted, column)
                elif not column.endswith(("birth", "death")):
                    assert found[column].tobytes() == plain[column].tobytes(), column
            born = found["critical.value"][found["pairs.birth_row"]]
            np.testing.assert_array_equal(found["pairs.birth"], born.astype(float))


def test_symmetries_of_the_box_move_every_cell_along_where_there_are_no_ties(device: str) -> None:
    opposite = np.array([0, 2, 1, 4, 3, 6, 5, 7], np.uint8)
    for seed, shape in enumerate([(3, 4, 5), (2, 5, 4), (4, 4, 4)]):
        for order in orders(int(np.prod(shape)), seed).values():
            values = order.reshape(shape)
            straight = sx.to_host(sx.discrete_gradient(values, device="cpu").codes())
            pairs = bars(sx.persistence_diagram(values, device="cpu"))
            for axis in range(3):
                flipped = np.flip(values, axis)
                found = np.flip(
                    sx.to_host(sx.discrete_gradient(flipped, device=device).codes()), axis
                )
                along = np.isin(found, [5 - 2 * axis, 6 - 2 * axis])  # codes 1, 2 lie along x
                np.testing.assert_array_equal(np.where(along, opposite[found], found), straight)
                assert bars(sx.persistence_diagram(flipped, device=device)) == pairs


def test_symmetries_of_the_box_keep_the_pairs_of_nonzero_persistence(device: str) -> None:
    for name, values in list(hard_fields([(4, 3, 3), (2, 4, 4), (3, 1, 6)], seed=3))[::3]:
        expected = bars(sx.persistence_diagram(values, device="cpu"))
        for other in (values.T, np.flip(values), np.flip(values, 1).transpose(1, 2, 0)):
            assert bars(sx.persistence_diagram(other, device=device)) == expected, name


def test_negated_values_on_a_torus_have_the_dual_diagram(device: str) -> None:
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
            assert bars(found) == expected


def test_the_plateau_order_of_hard_fields_is_the_oracles(device: str) -> None:
    for name, values in list(hard_fields(SHAPES, seed=4))[::2]:
        found = sx.discrete_gradient(values, order="plateau", device=device)
        rank = ranks(values, plateau_order(values))
        expected = sx.discrete_gradient(rank, device="cpu")
        np.testing.assert_array_equal(sx.to_host(found.codes()), sx.to_host(expected.codes()), name)
