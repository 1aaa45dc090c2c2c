"""Keys sorted and numbered as NumPy does it, in pieces that a user may stop between."""

from __future__ import annotations

import numpy as np
import pytest

import separatrix as sx
from separatrix import primitives
from separatrix.device.session import Session


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(primitives, "AT_ONCE", 100)


@pytest.mark.parametrize("n_keys", [1, 7, 900, 10**6])
@pytest.mark.parametrize("n", [0, 1, 99, 1001])
def test_distinct_keys_and_their_rows_are_those_of_unique(n: int, n_keys: int, device: str) -> None:
    session = Session(np.zeros(1), device)
    keys = np.random.default_rng(n + n_keys).integers(0, n_keys, n)
    found, rows = primitives.distinct(session, session.upload(keys), n_keys)
    expected, places = np.unique(keys, return_inverse=True)
    np.testing.assert_array_equal(sx.to_host(found), expected)
    np.testing.assert_array_equal(sx.to_host(rows), places.reshape(-1))


@pytest.mark.parametrize("bits", [1, 12, 62])
def test_sorted_keys_are_those_of_sort_and_the_given_ones_stay(bits: int, device: str) -> None:
    session = Session(np.zeros(1), device)
    keys = np.random.default_rng(bits).integers(0, 1 << bits, 1001).astype(np.uint64)
    given = session.upload(keys)
    np.testing.assert_array_equal(sx.to_host(primitives.sorted_keys(session, given)), np.sort(keys))
    np.testing.assert_array_equal(sx.to_host(given), keys)


def test_a_user_may_stop_the_numbering_of_keys() -> None:
    def enough(part: float, stage: str) -> None:
        nonlocal n_told
        n_told += 1
        if n_told == 4:
            raise sx.Cancelled

    n_told, session = 0, Session(np.zeros(1), "cpu")
    with (
        pytest.raises(sx.Cancelled),
        session.call(enough, {"keys": 1.0}),
        session.stage("keys"),
    ):
        primitives.distinct(session, np.zeros(1000, np.int64), 3)
    assert n_told == 4
