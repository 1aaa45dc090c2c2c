"""Random small images with many ties: values from few integers, also with axes of length 1.

There are two sources: strategies for hypothesis, whose failures shrink to a simple image, but which
draws mostly small, simple ones; and seeded noise, as large as the oracles can process.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

Field = np.ndarray[Any, np.dtype[Any]]
Periods = tuple[bool, bool, bool]  # whether the axes x, y, z are periodic

OPEN: Periods = (False, False, False)
TORUS: Periods = (True, True, True)
EVERY_MIX: list[Periods] = [(bool(k & 1), bool(k & 2), bool(k & 4)) for k in range(1, 8)]


def read_raw(path: Path) -> Field:
    """Values (nz, ny, nx) of a compressed volume whose name contains its size and dtype."""
    found = re.search(r"_(\d+)x(\d+)x(\d+)_(\w+)\.raw", path.name)
    assert found is not None
    shape = tuple(int(n) for n in found.groups()[2::-1])
    return np.frombuffer(lzma.decompress(path.read_bytes()), found[4]).reshape(shape)


def many(examples: int) -> settings:
    """Settings for `examples` cases, which the profile in conftest.py selects or reduces."""
    profiles = settings.default.max_examples
    return settings(
        max_examples=profiles if profiles < 100 else max(examples, profiles),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def shapes(axes: int, longest: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of `axes` axes, each 1 to `longest` points long."""
    return st.tuples(*[st.integers(1, longest)] * axes)


def small_fields(axes: int, longest: int) -> st.SearchStrategy[Field]:
    """int8 images with values 0 to at most 8."""
    return st.tuples(shapes(axes, longest), st.integers(1, 8)).flatmap(
        lambda pick: arrays(np.int8, pick[0], elements=st.integers(0, pick[1]))
    )


def any_small_fields() -> st.SearchStrategy[Field]:
    """Images of one, two, and three axes, some of length 1."""
    return st.one_of(small_fields(1, 9), small_fields(2, 6), small_fields(3, 4))


LONGEST = {1: 16, 2: 9, 3: 5}
LEVELS = (2, 3, 4, 6, 12, 100)


def noise_fields(count: int, seed: int, axes: tuple[int, ...] = (1, 2, 3, 3, 3)) -> Iterator[Field]:
    """`count` images of int8 white noise; the same ones for the same seed."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        n_axes = int(random.choice(axes))
        shape = tuple(random.integers(1, LONGEST[n_axes] + 1, n_axes))
        yield random.integers(0, random.choice(LEVELS), shape, dtype=np.int8)


def periodic_noise(count: int, seed: int) -> Iterator[tuple[Field, Periods]]:
    """Small images of few values and which of their axes are periodic, at least one."""
    random = np.random.default_rng(seed)
    for k in range(count):
        px, py, pz = EVERY_MIX[k % 7]
        shape = tuple(
            int(random.integers(3, 7)) if wraps else int(random.integers(1, 5))
            for wraps in (pz, py, px)
        )
        levels = int(random.choice((2, 3, 5, 20, 1000)))
        yield random.integers(0, levels, shape, dtype=np.int16), (px, py, pz)


def rough_and_smooth(shape: tuple[int, ...], seed: int, noise: float = 0.05) -> list[Field]:
    """Noise, a smooth field of long V-paths with a little noise, and three values."""
    random = np.random.default_rng(seed)
    axes = np.meshgrid(*[np.linspace(0, 6, n) for n in shape], indexing="ij")
    smooth = np.prod([np.cos(axis) for axis in axes], axis=0)
    rough = random.random(shape)
    return [rough, smooth + noise * rough, random.integers(0, 3, shape)]


def any_order(values: Field, random: np.random.Generator) -> Field:
    """Ranks in the shape of the values that order equal ones at random."""
    ranks = np.empty(values.size, np.int64)
    ranks[np.lexsort((random.random(values.size), values.ravel()))] = np.arange(values.size)
    return ranks.reshape(values.shape)
