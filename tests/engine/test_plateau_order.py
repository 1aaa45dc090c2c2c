"""The plateau-aware order equals the oracle's, changes ties only, and is the same everywhere."""

from __future__ import annotations

import lzma
import tracemalloc
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from oracles.cubical import CubicalGrid
from oracles.everything import assert_same_bits, everything
from oracles.fields import Field, noise_fields
from oracles.lower_star import lower_star_gradient
from oracles.plateau_order import plateau_order
from separatrix.complexes.cubical.field import order_bytes
from separatrix.complexes.cubical.memory import GRADIENT_BYTES

NONE = (False, False, False)
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
DTYPES += ["float16", "float32", "float64", "longdouble"]


def order_of(values: Field, device: str, periodic: Sequence[bool] = NONE) -> list[int]:
    """Linear indices of the vertices as the engine compares them, lowest first."""
    found = sx.morse_smale(values, order="plateau", periodic=periodic, device=device)
    levels = sx.to_host(found.gradient.field.values)
    return np.argsort(levels, kind="stable").tolist()


def assert_gradient_is_the_oracles(
    values: Field, device: str, periodic: Sequence[bool] = NONE
) -> None:
    rank = np.empty(values.size, np.int64)
    rank[plateau_order(values, periodic)] = np.arange(values.size)
    expected = lower_star_gradient(CubicalGrid(rank.reshape(values.shape), periodic))
    gradient = sx.discrete_gradient(values, order="plateau", periodic=periodic, device=device)
    assert sx.to_host(gradient.codes()).ravel().tolist() == expected.codes(), f"{values!r}"
    owners = [expected.grid.point(expected.grid.owner(c)) for c in expected.critical]
    critical = gradient.critical
    assert sx.to_host(critical.vertex).tolist() == owners
    assert sx.to_host(critical.value).tolist() == values.ravel()[owners].tolist()
    assert critical.value.dtype == values.dtype


def test_the_order_equals_the_oracles_on_noise(device: str) -> None:
    for values in noise_fields(400, seed=221):
        assert order_of(values, device) == plateau_order(values), f"{values!r}"


def test_codes_and_critical_cells_are_those_of_the_oracles_ranks(device: str) -> None:
    for values in noise_fields(200, seed=222):
        assert_gradient_is_the_oracles(values, device)


def test_plateaus_go_on_across_periods(device: str) -> None:
    random = np.random.default_rng(223)
    for _ in range(100):
        periodic = random.integers(0, 2, 3).astype(bool).tolist()
        values = random.integers(0, 3, random.integers(3, 6, 3), dtype=np.int8)
        assert order_of(values, device, periodic) == plateau_order(values, periodic)
        assert_gradient_is_the_oracles(values, device, periodic)


def walls(shape: tuple[int, ...], seed: int) -> Field:
    """A plateau with random walls: ways through it wind through many tiles and back."""
    random = np.random.default_rng(seed)
    values = (random.random(shape) < 0.35).astype(np.uint8)
    values[random.random(shape) < 0.002] = 2
    return values


def snake(rows: int, length: int) -> Field:
    """One plateau that runs to and fro between walls, with its only way out at the far end."""
    values = np.zeros((rows, length), np.uint8)
    values[1::2] = 9
    values[1::4, -1] = values[3::4, 0] = 0
    values[-1, -1 if rows % 4 == 1 else 0] = 0
    return values + 1


LARGER = [(5, 9, 70), (3, 20, 40), (40, 2, 33), (33, 70), (90, 9), (500,)]


@pytest.mark.parametrize("shape", LARGER)
@pytest.mark.parametrize("periodic", [NONE, (True, True, True)])
def test_the_order_equals_the_oracles_through_many_tiles(
    device: str, shape: tuple[int, ...], periodic: Sequence[bool]
) -> None:
    wraps = [p and n > 2 for p, n in zip(periodic, shape[::-1], strict=False)]
    random = np.random.default_rng(224)
    smooth = np.prod([np.cos(np.linspace(0, 5, n)) for n in shape[:1]], axis=0).reshape(
        -1, *[1] * (len(shape) - 1)
    )
    steps = np.broadcast_to(np.round(3 * smooth), shape).astype(np.int16)
    for values in (walls(shape, 225), steps, random.integers(0, 2, shape), np.zeros(shape)):
        assert order_of(values, device, wraps) == plateau_order(values, wraps)


@pytest.mark.parametrize("values", [snake(21, 40), snake(33, 9).T.copy(), snake(9, 130)])
def test_a_way_of_hundreds_of_steps_is_measured_to_its_end(device: str, values: Field) -> None:
    assert order_of(values, device) == plateau_order(values)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_ordered_alike(device: str, dtype: str) -> None:
    random = np.random.default_rng(226)
    values = random.integers(0, 2 if dtype == "bool" else 4, (6, 7, 8)).astype(dtype)
    kind = np.dtype(dtype).kind
    if kind == "i" or kind == "f":
        values = values - np.dtype(dtype).type(2)
    if kind == "f":
        values[values == 0] = random.choice(np.array([0.0, -0.0], dtype), (values == 0).sum())
    assert order_of(values, device) == plateau_order(values)
    assert_gradient_is_the_oracles(values, device)


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_values_that_leave_no_bit_for_distances_are_ordered_too(device: str, dtype: str) -> None:
    limits = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    pool = np.array([limits.min, limits.max, 0, 1, 5], dtype)
    if np.dtype(dtype).kind == "f":
        pool = np.append(pool, [limits.tiny / 4, -limits.tiny / 4]).astype(dtype)
    for seed in range(20):
        values = np.random.default_rng(seed).choice(pool, (5, 6, 7))
        assert order_of(values, device) == plateau_order(values)
    assert_gradient_is_the_oracles(values, device)


def test_without_ties_every_result_is_that_of_the_index_order(device: str) -> None:
    random = np.random.default_rng(227)
    for values in (random.permutation(7 * 8 * 9).reshape(7, 8, 9), random.random((20, 30))):
        by_index = everything(values, device=device)
        assert_same_bits(by_index, everything(values, device=device, order="plateau"))
        assert_same_bits(by_index, everything(values, device=device, order="index"))


def test_ties_that_do_not_touch_are_left_to_the_index(device: str) -> None:
    board = np.indices((6, 7, 8)).sum(axis=0) % 2 * 100 + np.indices((6, 7, 8))[0] * 2
    by_index = everything(board, device=device)
    assert_same_bits(by_index, everything(board, device=device, order="plateau"))


def test_labels_lines_and_surfaces_are_those_of_the_ranks(device: str) -> None:
    for values in noise_fields(60, seed=228):
        rank = np.empty(values.size, np.int64)
        rank[plateau_order(values)] = np.arange(values.size)
        expected = everything(rank.reshape(values.shape), device=device)
        found = everything(values, device=device, order="plateau")
        for arrays in (expected, found):
            del arrays["critical.value"]
        assert_same_bits(expected, found)


@pytest.mark.parametrize("periodic", [NONE, (True, False, True)])
def test_all_but_pairs_of_persistence_zero_stays(device: str, periodic: Sequence[bool]) -> None:
    # Births and deaths of nonzero persistence need their critical cells; what is beside them
    # cancels at each value.
    gudhi = pytest.importorskip("gudhi")
    values = np.random.default_rng(229).integers(0, 6, (9, 10, 11))
    peer = gudhi.PeriodicCubicalComplex(
        vertices=values.astype(float), periodic_dimensions=list(periodic[::-1])
    )
    needed: Counter[tuple[int, int]] = Counter()
    for dimension, (birth, death) in peer.persistence(2, 0):
        needed[dimension, int(birth)] += 1
        if np.isfinite(death):
            needed[dimension + 1, int(death)] += 1
    critical = sx.discrete_gradient(
        values, order="plateau", periodic=periodic, device=device
    ).critical
    cells = zip(
        sx.to_host(critical.index).tolist(), sx.to_host(critical.value).tolist(), strict=True
    )
    found = Counter(cells)
    assert all(found[event] >= n for event, n in needed.items())
    for level in range(6):
        extra = [found[k, level] - needed[k, level] for k in range(4)]
        assert extra[0] - extra[1] + extra[2] - extra[3] == 0


def test_quantized_fields_keep_far_fewer_critical_cells(device: str) -> None:
    z, y, x = np.mgrid[0:6:40j, 0:6:40j, 0:6:40j]
    smooth = np.round(8 * np.sin(x) * np.cos(y) * np.sin(z + 1)).astype(np.int8)
    binary = np.random.default_rng(230).integers(0, 2, (40, 40, 40), dtype=np.uint8)
    for values, factor in ((smooth, 10), (binary, 1.3)):
        index, plateau = (
            sx.discrete_gradient(values, order=order, device=device).critical
            for order in ("index", "plateau")
        )
        assert len(index) > factor * len(plateau)
        assert plateau.euler_characteristic == 1


@pytest.mark.parametrize(("name", "factor"), [("fuel", 2), ("neghip", 6), ("hydrogen_atom", 100)])
def test_8_bit_volumes_lose_their_plateau_artifacts(
    device: str, shared_volumes: Path, name: str, factor: int
) -> None:
    path = next(shared_volumes.glob(f"{name}_*_uint8.raw.xz"))
    n = int(path.name.removeprefix(name + "_").split("x")[0])
    values = np.frombuffer(lzma.decompress(path.read_bytes()), np.uint8).reshape(n, n, n)
    index, plateau = (
        sx.discrete_gradient(values, order=order, device=device).critical
        for order in ("index", "plateau")
    )
    assert len(index) > factor * len(plateau)
    assert plateau.euler_characteristic == 1


def test_a_very_long_flat_line_takes_no_round_a_tile(device: str) -> None:
    values = np.zeros(200_000, np.uint8)
    values[-1] = 1
    found = sx.discrete_gradient(values, order="plateau", device=device)
    assert found.critical.counts == (1, 0, 0, 0)


@pytest.mark.parametrize("order", ["value", "", None, 3, ["plateau"]])
def test_an_unknown_order_is_refused(order: object) -> None:
    with pytest.raises(sx.InputError, match="order must be 'index' or 'plateau'; got"):
        sx.morse_smale(np.zeros((3, 3)), order=order, device="cpu")  # type: ignore[arg-type]


def test_progress_rises_through_the_order_and_may_stop_it(device: str) -> None:
    heard: list[tuple[float, str]] = []
    values = walls((20, 40, 40), 232)
    sx.morse_smale(values, order="plateau", device=device, progress=lambda *a: heard.append(a))
    fractions, stages = zip(*heard, strict=True)
    assert list(fractions) == sorted(fractions)
    assert list(dict.fromkeys(stages)) == ["upload", "order", "gradient", "critical cells"]

    def stop(fraction: float, stage: str) -> None:
        if stage == "order" and fraction > 0.1:
            raise sx.Cancelled

    with pytest.raises(sx.Cancelled):
        sx.morse_smale(values, order="plateau", device=device, progress=stop)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_the_order_takes_no_more_memory_than_it_says(dtype: str) -> None:
    values = np.random.default_rng(233).integers(0, 9, (64, 64, 64)).astype(dtype)
    sx.discrete_gradient(values[:4], order="plateau", device="cpu")  # what is loaded once
    peak, kept = order_bytes("plateau", dtype)
    tracemalloc.start()
    try:
        gradient = sx.discrete_gradient(values, order="plateau", device="cpu")
        measured = tracemalloc.get_traced_memory()[1] / values.size
    finally:
        tracemalloc.stop()
    assert measured <= max(peak, kept + GRADIENT_BYTES) + 50 * len(gradient.critical) / values.size
    assert measured > 5
