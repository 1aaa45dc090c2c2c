"""Critical cells and pairs against persistence by GUDHI (cubical, values on the vertices).

Lower-star pairing is perfect within each lower star: every critical cell begins or ends one pair of
two vertices, or is essential, and GUDHI's pairs are those of the ranks of the vertices.
"""

import numpy as np
import pytest

import separatrix as sx
from oracles.fields import EVERY_MIX, OPEN, Field, Periods, noise_fields
from oracles.peers import assert_pairs_are_gudhis


def assert_complex_is_gudhis(values: Field, device: str, periodic: Periods = OPEN) -> None:
    found = sx.morse_smale(values, periodic=periodic, device=device)
    assert_pairs_are_gudhis(values, found, repr(values), periodic if any(periodic) else ())
    pairs = found.persistence_pairs
    rows = np.concatenate([sx.to_host(pairs.birth_row), sx.to_host(pairs.death_row)])
    assert np.sort(rows[rows >= 0]).tolist() == list(range(len(found.critical)))


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
        "line of ties": random.integers(0, 9, 300),
        "constant": np.zeros((4, 5, 6)),
        "constant picture": np.zeros((9, 8)),
        "point": np.array([[[7]]]),
    }


@pytest.mark.parametrize("name", list(larger_fields()))
def test_pairs_of_larger_fields_are_gudhis(device, name):
    assert_complex_is_gudhis(larger_fields()[name], device)


@pytest.mark.parametrize("periodic", EVERY_MIX)
def test_pairs_of_periodic_images_are_gudhis(device, periodic):
    random = np.random.default_rng(215)
    for values in (random.random((8, 9, 10)), random.integers(0, 4, (8, 9, 10))):
        assert_complex_is_gudhis(values, device, periodic)


def test_pairs_of_small_fields_are_gudhis(device):
    for values in noise_fields(400, seed=112):
        assert_complex_is_gudhis(values, device)
