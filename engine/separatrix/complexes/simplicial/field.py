"""Values at the points of a mesh, which are validated here, and their order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...device import Session
from ...device.arrays import as_array, may_share_memory
from ...device.base import Array
from ...errors import InputError, Words
from ...morse.field import ScalarField, check_finite, comparable
from .simplices import Simplices


@dataclass(frozen=True)
class MeshField(ScalarField):
    """A value per point, in the user's order. ``rank`` (V,) int32, by mesh vertex, is the place of
    each in that order.
    """

    rank: Array = field(kw_only=True)


def load_field(
    session: Session,
    simplices: Simplices,
    given: Any,
    refine: Callable[[Array], Array | None] | None = None,
) -> MeshField:
    """Put one finite value per point on the device and rank the vertices. O(V log V).

    `refine` returns levels that are compared instead of the values, or None for equal order.
    """
    array = as_array(given, "values")
    n = simplices.n_vertices
    if array.shape != (n,):
        expected = f"an array of shape ({n},), one number per point"
        raise InputError("values", expected, Words(f"shape {array.shape}"))
    native, levels = comparable(array)
    values = session.upload(native)
    if may_share_memory(values, array):
        values = values.copy()  # the caller may modify the given ones
    if values.dtype.kind == "f":
        check_finite(session, values, array.shape)
    refined = None if refine is None else refine(values)
    plain, compared = (None, values) if refined is None else (values, refined)
    rank = rank_vertices(session, simplices, compared)
    dtype = np.dtype(array.dtype).newbyteorder("=")
    return MeshField(compared, (n,), dtype, levels, False, plain, rank=rank)


def rank_vertices(session: Session, simplices: Simplices, values: Array) -> Array:
    """Return the rank (V,) int32 of each mesh vertex by (value, user's point id)."""
    device, n = session.device, values.size
    keys, rank = device.empty(n, np.uint64), device.empty(n, np.int32)
    session.launch("key_point_values", n, values, keys)
    if values.dtype.itemsize <= 4:
        keys.sort()
        session.launch("rank_by_keys", n, keys, simplices.vertex_of, rank)
        return rank
    argsort = session.device.launch_form(host=_stable_argsort, gpu=session.device.xp.argsort)
    points = argsort(keys)
    session.launch("rank_by_points", n, points, simplices.vertex_of, rank)
    return rank


def _stable_argsort(keys: Array) -> Array:
    """Points (n,) int64 in the order of (key, point); CuPy's sort is stable by itself."""
    points = np.argsort(keys)  # several times as fast as the stable one, which ties need
    ordered = keys[points]
    if (ordered[1:] == ordered[:-1]).any():
        points = np.argsort(keys, kind="stable")
    return points
