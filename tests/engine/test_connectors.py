"""Connections between saddles equal V-paths walked one by one, by either method, on any device."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.connectors import multiplicities, paths_from
from oracles.cubical import CubicalGrid
from oracles.fields import Field, many, noise_fields, small_fields
from oracles.lower_star import lower_star_gradient
from separatrix.complexes.cubical.connector_minor import contract, mark_squares
from separatrix.morse.connectors.minor import Minor
from separatrix.morse.connectors.paths import MULTIPLICITY_LIMIT, count_paths
from separatrix.morse.connectors.table import METHODS, Connectors, trace_connectors

Pairs = dict[tuple[int, int], int]


def table_of(offsets: Any, lower: Any, paths: Any) -> Pairs:
    """(k-th 2-saddle, k-th 1-saddle) -> number of V-paths; rows are seen to ascend."""
    offsets, lower, paths = (sx.to_host(array) for array in (offsets, lower, paths))
    upper = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    ends = list(zip(upper.tolist(), lower.tolist(), strict=True))
    assert ends == sorted(set(ends))
    return dict(zip(ends, paths.tolist(), strict=True))


def pairs_of(connectors: Connectors) -> Pairs:
    return table_of(connectors.offsets, connectors.lower, connectors.multiplicity)


def assert_connections_are_the_oracles(values: Field, device: str) -> None:
    flat = min(values.shape) == 1
    expected = {} if flat else multiplicities(lower_star_gradient(CubicalGrid(values)))
    gradient = sx.discrete_gradient(values, device=device)
    for method in METHODS:
        assert pairs_of(trace_connectors(gradient, method)) == expected, f"{method} of {values!r}"


@many(200)
@given(small_fields(3, 4))
def test_connections_equal_the_oracles_on_drawn_fields(device: str, values: Field) -> None:
    assert_connections_are_the_oracles(values, device)


def test_connections_equal_the_oracles_on_noise(device: str) -> None:
    for values in noise_fields(600, seed=151, axes=(3,)):
        assert_connections_are_the_oracles(values, device)


def rough_and_smooth(shape: tuple[int, ...], seed: int) -> list[Field]:
    random = np.random.default_rng(seed)
    axes = np.meshgrid(*[np.linspace(0, 6, n) for n in shape], indexing="ij")
    smooth = np.prod([np.cos(axis) for axis in axes], axis=0)
    noise = random.random(shape)
    return [noise, smooth + 0.05 * noise, random.integers(0, 3, shape)]


@pytest.mark.parametrize("shape", [(11, 10, 12), (2, 3, 50), (20, 20, 2), (18, 18, 18)])
def test_connections_equal_the_oracles_on_larger_fields(
    device: str, shape: tuple[int, ...]
) -> None:
    for values in rough_and_smooth(shape, 152):
        expected = paths_from(lower_star_gradient(CubicalGrid(values)))
        found = trace_connectors(sx.discrete_gradient(values, device=device))
        assert pairs_of(found) == expected


@pytest.mark.parametrize("max_small_reach", [0, 3, 12])
def test_2_saddles_of_a_large_reach_are_counted_alike(device: str, max_small_reach: int) -> None:
    for values in rough_and_smooth((20, 22, 24), 153):
        gradient = sx.discrete_gradient(values, device=device)
        minor = contract(gradient)
        expected = table_of(*count_paths(gradient.session, minor))
        found = count_paths(gradient.session, minor, max_small_reach=max_small_reach)
        assert table_of(*found) == expected


@pytest.mark.parametrize("capacity", [1, 7])
def test_marks_are_the_same_when_the_queue_overflows(
    device: str, capacity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for values in rough_and_smooth((20, 22, 24), 154):
        gradient = sx.discrete_gradient(values, device=device)
        expected = sx.to_host(mark_squares(gradient))
        for name in ("MAX_STEPS", "MAX_TURNS"):
            monkeypatch.setattr(f"separatrix.morse.connectors.marking.{name}", 2)
        np.testing.assert_array_equal(sx.to_host(mark_squares(gradient, capacity)), expected)
        monkeypatch.undo()


def ladder(device: str, doublings: int, tail: int) -> tuple[sx.DiscreteGradient, Minor]:
    """A minor with 2^doublings paths to sink 0, `tail` more of them by chains of their own, and
    as many to sink 1 but one more. Any gradient lends its device.
    """
    gradient = sx.discrete_gradient(np.zeros((2, 2, 2)), device=device)
    n_sinks = 2
    successors = np.full((doublings + 2, 3), -1, np.int32)
    for j in range(doublings):  # both chains of a junction end in the next
        successors[j, :2] = n_sinks + j + 1
    successors[doublings] = [n_sinks + doublings + 1, -1, -1]
    successors[doublings + 1] = [0, 1, -1]
    starts = np.full((1, 4), -1, np.int32)
    starts[0, : 2 + tail] = [n_sinks, 1] + [0] * tail
    xp = gradient.session.device.xp
    return gradient, Minor(xp.asarray(starts), xp.asarray(successors), n_sinks, 0)


@pytest.mark.parametrize("max_small_reach", [0, None])
@pytest.mark.parametrize("doublings", [3, 20, 61, 62, 63, 80, 200])
@pytest.mark.parametrize("tail", [0, 1, 2])
def test_numbers_of_paths_saturate_and_keep_their_parity(
    device: str, doublings: int, tail: int, max_small_reach: int | None
) -> None:
    gradient, minor = ladder(device, doublings, tail)
    with gradient.session.call(None, {}):
        found = count_paths(gradient.session, minor, max_small_reach=max_small_reach)
    exact = {(0, 0): 2**doublings + tail, (0, 1): 2**doublings + 1}
    expected = {
        ends: n if n < MULTIPLICITY_LIMIT else MULTIPLICITY_LIMIT + n % 2
        for ends, n in exact.items()
    }
    assert table_of(*found) == expected


def test_the_matrix_method_refuses_numbers_that_float64_does_not_hold(device: str) -> None:
    from separatrix.morse.connectors.matrix import multiply_paths

    gradient, minor = ladder(device, 52, 0)
    assert table_of(*multiply_paths(gradient.session, minor)) == {(0, 0): 2**52, (0, 1): 2**52 + 1}
    gradient, minor = ladder(device, 53, 1)
    with pytest.raises(sx.InputError, match=r"exact up to 2\^53.*use method='frontier'"):
        multiply_paths(gradient.session, minor)


def test_the_matrix_method_says_how_to_get_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    import_ = builtins.__import__

    def without_scipy(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] == "scipy":
            raise ModuleNotFoundError("No module named 'scipy'")
        return import_(name, *rest, **named)

    gradient = sx.discrete_gradient(np.random.default_rng(0).random((4, 4, 4)), device="cpu")
    monkeypatch.setattr(builtins, "__import__", without_scipy)
    with pytest.raises(sx.InputError, match="pip install scipy, or use method='frontier'"):
        trace_connectors(gradient, "matrix")


def test_a_method_that_does_not_exist_is_refused() -> None:
    gradient = sx.discrete_gradient(np.zeros((2, 2, 2)), device="cpu")
    with pytest.raises(sx.InputError, match="method must be one of frontier, matrix, not 'best'"):
        trace_connectors(gradient, "best")


@pytest.mark.parametrize("shape", [(1,), (7,), (6, 7), (1, 6, 7), (6, 1, 7), (6, 7, 1), (1, 1, 1)])
@pytest.mark.parametrize("method", METHODS)
def test_what_is_no_volume_has_no_connections(
    device: str, shape: tuple[int, ...], method: str
) -> None:
    values = np.random.default_rng(155).random(shape)
    found = trace_connectors(sx.discrete_gradient(values, device=device), method)
    assert sx.to_host(found.offsets).tolist() == [0]
    assert pairs_of(found) == {}


@pytest.mark.parametrize("method", METHODS)
def test_a_volume_without_saddles_has_no_connections(device: str, method: str) -> None:
    values = np.arange(60.0).reshape(3, 4, 5)
    found = trace_connectors(sx.discrete_gradient(values, device=device), method)
    assert sx.to_host(found.offsets).tolist() == [0]
    assert pairs_of(found) == {}


def test_the_tables_have_the_promised_dtypes(device: str) -> None:
    values = np.random.default_rng(156).random((6, 6, 6))
    for method in METHODS:
        found = trace_connectors(sx.discrete_gradient(values, device=device), method)
        dtypes = [found.offsets.dtype, found.lower.dtype, found.multiplicity.dtype]
        assert dtypes == [np.int64, np.int32, np.uint64]


def tables(values: Field, method: str, **options: Any) -> list[bytes]:
    found = trace_connectors(sx.discrete_gradient(values, **options), method)
    return [sx.to_host(a).tobytes() for a in (found.offsets, found.lower, found.multiplicity)]


@pytest.mark.parametrize("threads", [2, 5])
def test_any_number_of_threads_gives_the_same_connections(threads: int) -> None:
    for values in rough_and_smooth((30, 32, 34), 157):
        one = tables(values, "frontier", device="cpu", threads=1)
        assert tables(values, "frontier", device="cpu", threads=threads) == one


@pytest.mark.gpu
@pytest.mark.parametrize("method", METHODS)
def test_both_devices_give_the_same_connections(cuda: str, method: str) -> None:
    for values in rough_and_smooth((60, 62, 64), 158):
        expected = tables(values, "frontier", device="cpu")
        assert tables(values, method, device=cuda) == expected
