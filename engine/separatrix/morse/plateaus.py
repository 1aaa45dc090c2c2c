"""The plateau-aware order of vertices: by (value, 2 low - high, index).

A plateau is a set of vertices of one value joined along the axes of an image or the edges of a
mesh. `low` counts steps from where it has a lower neighbor, from its smallest index if it has none;
`high` from where it has a higher one, 0 if it has none (Garbrecht, Martz 1997; Barnes, Lehman,
Mulla 2014). The gradient then crosses plateaus in straight ways down instead of along the index,
and most critical cells of quantized data, which are artifacts of the index, do not come about. Only
ties are broken otherwise: every pair of nonzero persistence stays.

The distances are found by each kind of complex. A level is one number per vertex that is compared
like (value, 2 low - high). Vertices with equal levels compare by index, like all others, so nothing
is sorted where 64 bits hold the levels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Session
from ..device.base import Array

FAR = 2**31 - 1
"""The distance where no source leads to: kernels/morse/plateau.h."""


def levels_of(session: Session, values: Array, low: Array, high: Array) -> Array | None:
    """Levels (n,) in uint32 where they fit, else uint64; None where no distance differs.

    `values` (n,) as kernels compare them; `low` and `high` (n,) int32, `low` is written to.
    """
    xp, n, highest = session.device.xp, values.size, int(high.max())
    distinct = 2 * int(low.max()) + highest + 1
    if distinct == 1:
        return None
    lowest, span = _range(xp, values)
    if span * distinct > 2**64:
        values = _dense_ranks(xp, values)
        lowest, span = _range(xp, values)
    if span * distinct <= 2**32:
        levels = low.view(np.uint32)  # item by item: each reads its distances before it writes
        kernel = "refine_words"
    else:
        levels = session.device.empty(n, np.uint64)
        kernel = "refine_wides"
    session.launch(kernel, n, values, lowest, low, high, distinct, highest, levels)
    return levels


def _range(xp: Any, values: Array) -> tuple[Array, int]:
    """A value (1,) that no other is below, and how many different ones there may be from it on."""
    if values.dtype.kind == "f":
        return xp.full(1, -xp.inf, values.dtype), 2 ** (8 * values.dtype.itemsize)
    lowest = values.min().reshape(1)
    return lowest, int(values.max()) - int(lowest[0]) + 1


def _dense_ranks(xp: Any, values: Array) -> Array:
    """Ranks (n,) int32 of values, equal ones equal."""
    order = xp.argsort(values)
    ordered = values[order]
    rises = xp.zeros(values.size, np.int32)
    rises[1:] = ordered[1:] != ordered[:-1]
    ranks = xp.empty(values.size, np.int32)
    ranks[order] = xp.cumsum(rises, dtype=np.int32)
    return ranks
