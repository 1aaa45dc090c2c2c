"""Critical cells against persistence by GUDHI (cubical, values on the vertices), vertex by vertex.

Lower-star pairing is perfect within each lower star, so a vertex owns as many critical cells of
index k as classes of dimension k are born, or of dimension k - 1 die, when the vertex enters.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.fields import EVERY_MIX, OPEN, Field, Periods, noise_fields
from oracles.peers import gudhi_intervals

Events = Counter[tuple[int, int]]  # (index, rank of the vertex)


def ranks(values: Field) -> Field:
    rank = np.empty(values.size, np.int64)
    rank[np.argsort(values, axis=None, kind="stable")] = np.arange(values.size)
    return rank


def events_of_the_engine(values: Field, device: str, periodic: Periods = OPEN) -> Events:
    critical = sx.discrete_gradient(values, periodic=periodic, device=device).critical
    owners = ranks(values)[sx.to_host(critical.vertex)]
    return Counter(zip(sx.to_host(critical.index).tolist(), owners.tolist(), strict=True))


def events_of_gudhi(values: Field, periodic: Any = ()) -> Events:
    events: Events = Counter()
    for dimension, birth, death in gudhi_intervals(values, periodic):
        events[dimension, birth] += 1
        if death is not None:
            events[dimension + 1, death] += 1
    return events


def larger_fields() -> dict[str, Field]:
    random = np.random.default_rng(111)
    z, y, x = np.mgrid[-1:1:30j, -1:1:32j, -1:1:34j]
    return {
        "noise": random.random((24, 25, 26)),
        "plateaus": random.integers(0, 4, (24, 25, 26)),
        "smooth": np.sin(7 * x) * np.cos(6 * y) * np.sin(5 * z) + 0.05 * random.random(x.shape),
        "slice": random.random((1, 120, 130)),
        "upright slice": random.random((120, 1, 130)),
        "picture": random.integers(0, 30, (150, 140)),
        "line": random.random((1, 500, 1)),
    }


@pytest.mark.parametrize("name", list(larger_fields()))
def test_critical_cells_are_gudhis_births_and_deaths_on_larger_fields(
    device: str, name: str
) -> None:
    values = larger_fields()[name]
    assert events_of_the_engine(values, device) == events_of_gudhi(values)


@pytest.mark.parametrize("periodic", EVERY_MIX)
def test_critical_cells_are_gudhis_births_and_deaths_on_periodic_images(
    device: str, periodic: Periods
) -> None:
    random = np.random.default_rng(215)
    for values in (random.random((8, 9, 10)), random.integers(0, 4, (8, 9, 10))):
        assert events_of_the_engine(values, device, periodic) == events_of_gudhi(values, periodic)


def test_critical_cells_are_gudhis_births_and_deaths_on_small_fields(device: str) -> None:
    for values in noise_fields(400, seed=112):
        assert events_of_the_engine(values, device) == events_of_gudhi(values), f"{values!r}"
