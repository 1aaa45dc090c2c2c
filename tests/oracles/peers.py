"""Persistence of small images by GUDHI (V-construction: values on the vertices), on ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

Interval = tuple[int, int, int | None]


def gudhi_intervals(values: Any, periodic: Any = ()) -> list[Interval]:
    """(dimension, birth rank, death rank or None) of the rank image; ranks break ties by index."""
    gudhi = pytest.importorskip("gudhi")

    order = np.argsort(values, axis=None, kind="stable")
    rank = np.empty(values.size)
    rank[order] = np.arange(values.size)
    # GUDHI does not take axes of length 1. `periodic` is by x, y, z.
    shape = [n for n in values.shape if n > 1] or [1]
    axes = [*periodic][::-1] or [False] * len(shape)
    complex_ = gudhi.PeriodicCubicalComplex(vertices=rank.reshape(shape), periodic_dimensions=axes)
    pairs = complex_.persistence(homology_coeff_field=2, min_persistence=0)
    return [(k, int(b), None if np.isinf(d) else int(d)) for k, (b, d) in pairs]
