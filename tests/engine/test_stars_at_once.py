"""The search in five launches, for few balls on a GPU, equals that of the CPU, bit for bit."""

import numpy as np
import pytest

import separatrix as sx
from engine.test_alpha_complex import same_tables
from separatrix.alpha import stars, stars_at_once

pytestmark = pytest.mark.gpu
RANDOM = np.random.default_rng(24)
CLOUD = (RANDOM.uniform(0, 14, (900, 3)), RANDOM.uniform(0.5, 2.0, 900))
LATTICE = (np.stack(np.meshgrid(*[np.arange(6.0)] * 3), -1).reshape(-1, 3), np.full(216, 0.9))
CASES = {
    "at alpha 0": (*CLOUD, {}),
    "balls that vanish": (*CLOUD, {"alpha": -1.5}),
    "long rows": (*CLOUD, {"alpha": 4.0, "probe": 1.4}),
    "without optimizations": (*CLOUD, {"edge_optimization": False, "alpha_optimization": False}),
    "ties, in integers": (*LATTICE, {"alpha": 0.5}),
    "one ball": (np.zeros((1, 3)), np.ones(1), {}),
    "balls apart": (np.eye(3) * 9.0, np.ones(3), {}),
    "balls at one place": (np.zeros((3, 3)), np.ones(3), {}),
}


def assert_equals_cpu(name, cuda):
    centers, radii, options = CASES[name]
    here = sx.alpha_complex(centers, radii, device="cpu", **options)
    there = sx.alpha_complex(centers, radii, device=cuda, **options)
    assert same_tables(here, there)
    assert there.statistics == here.statistics


@pytest.mark.parametrize("name", CASES)
def test_five_launches_find_what_the_cpu_finds(name, cuda):
    assert_equals_cpu(name, cuda)


@pytest.mark.parametrize("name", ["at alpha 0", "long rows", "ties, in integers"])
def test_a_launch_with_too_little_room_is_repeated(name, cuda, monkeypatch):
    monkeypatch.setattr(stars_at_once, "MOST_CANDIDATES", 5)
    assert_equals_cpu(name, cuda)


@pytest.mark.parametrize("most", ["MOST_BALLS", "MOST_SLOTS"])
@pytest.mark.parametrize("name", CASES)
def test_the_form_for_many_balls_finds_the_same(name, most, cuda, monkeypatch):
    monkeypatch.setattr(stars, most, 0)
    assert_equals_cpu(name, cuda)
