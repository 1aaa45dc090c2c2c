"""Persistence of images by GUDHI (V-construction: values on the vertices), on ranks."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import separatrix as sx

LARGEST = float(np.finfo(np.float64).max)
Interval = tuple[int, int, int | None]


def ranks(values: Any) -> np.ndarray[Any, Any]:
    """The place of each voxel in the order of (value, index)."""
    rank = np.empty(values.size, np.int64)
    rank[np.argsort(values, axis=None, kind="stable")] = np.arange(values.size)
    return rank


def exact(number: Any) -> Any:
    """A number of any dtype as Python's."""
    return number.item() if number.dtype.kind in "biu" else Fraction(float(number))


def gudhi_intervals(values: Any, periodic: Any) -> list[Interval]:
    """(dimension, birth rank, death rank or None) of the rank image; ranks break ties by index."""
    gudhi = pytest.importorskip("gudhi")

    rank = ranks(values).astype(float)
    # GUDHI does not take axes of length 1. `periodic` is by x, y, z.
    shape = [n for n in values.shape if n > 1] or [1]
    axes = [*periodic][::-1] or [False] * len(shape)
    complex_ = gudhi.PeriodicCubicalComplex(vertices=rank.reshape(shape), periodic_dimensions=axes)
    pairs = complex_.persistence(homology_coeff_field=2, min_persistence=0)
    return [(k, int(b), None if np.isinf(d) else int(d)) for k, (b, d) in pairs]


def assert_pairs_are_gudhis(
    values: Any, found: sx.MorseSmaleComplex, name: str, periodic: Any = ()
) -> None:
    """Pairs by the ranks of their ends, and persistence as a difference that is rounded once."""
    pairs, owner = found.persistence_pairs, sx.to_host(found.critical.vertex)
    rank, flat = ranks(values), values.ravel()
    birth, death = owner[sx.to_host(pairs.birth_row)], sx.to_host(pairs.death_row)
    named = Counter(
        (int(k), int(rank[b]), None if d < 0 else int(rank[owner[d]]))
        for k, b, d in zip(sx.to_host(pairs.dimension), birth, death, strict=True)
        if d < 0 or owner[d] != b
    )
    assert named == Counter(gudhi_intervals(values, periodic)), name
    for length, b, d in zip(sx.to_host(pairs.persistence), birth, death, strict=True):
        expected = np.inf if d < 0 else min(exact(flat[owner[d]]) - exact(flat[b]), LARGEST)
        assert length == float(expected), name
    assert np.array_equal(sx.to_host(pairs.birth), flat[birth].astype(float)), name
