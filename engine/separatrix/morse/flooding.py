"""The simplified field: other minima than chosen ones filled, other maxima cut off.

The order of the vertices is flooded from the chosen minima upward, then from the chosen maxima and
the boundary downward, alternately until there are no other extrema: kernels/morse/flood.h. Basins
are raised to the saddle at which they drain, hills lowered likewise. If the extrema are those of a
level, each value moves by less than the level.

The order has exactly the chosen minima and maxima. What is proved of pairs: the first flood leaves
dimension 0 as it is between chosen minima, a flood downward the highest dimension between chosen
maxima. The effect of each on the other dimension is not guaranteed: a filled basin may contain the
saddle at which a cavity closes, which then closes later, and a maximum that is cut off may lie on
the ridge between two components, which then join earlier. Measured: no difference in any volume
tested; of 60 images of white noise, 24x24, 0, 1, 5, 35, 34 differ in dimension 0 at 0.05, 0.1, 0.2,
0.35, 0.5 of the range. Edelsbrunner, Morozov, Pascucci 2006 and Bauer, Lange, Wardetzky 2012, for
surfaces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device import Session, to_host
from ..device.base import Array
from ..kernels import source
from ..repr_mixin import ReprMixin
from .field import ScalarField
from .gradient import DiscreteGradient

VERTEX_BYTES = 40  # on the host: vertices and their order twice, sources, ranks, roles, and values
DEVICE_BYTES = 24  # keys, and what sorts them


@dataclass(frozen=True, eq=False, repr=False)
class SimplifiedField(ReprMixin):
    """A scalar field without some of its extrema, on n vertices.

    Attributes
    ----------
    values : in the shape and the dtype of the field
    order : int32, in the shape of the field
        Rank of each vertex, 0 for the lowest one: a permutation in which `values` never fall. It
        orders the flat places of the values, as ``order=`` of the functions that analyze fields.
    """

    values: Array
    order: Array

    def _summary(self) -> str:
        return f"{self.values.size:,} values"


def simplified_field(
    gradient: DiscreteGradient, field: ScalarField, minima: Array, maxima: Array
) -> SimplifiedField:
    """The field with these minima and maxima only: vertices (m,) that are extrema of it.

    A component of the domain without one of them keeps its lowest vertex as a minimum; one without
    a boundary, its highest as a maximum. O(n log n).
    """
    session, n = gradient.session, field.plain.size
    session.memory.require_host(VERTEX_BYTES * n, "a simplified field")
    session.memory.require(DEVICE_BYTES * n, "the order of a simplified field")
    with session.stage("vertices"):
        vertices = to_host(vertices_in_order(session, field.values)).astype(np.int32)
        role = gradient.vertex_roles()
        for chosen, name in ((minima, "KEPT_MINIMUM"), (maxima, "KEPT_MAXIMUM")):
            role[to_host(chosen)] |= source.constant(name)
    with session.stage("flooded"):
        taken_from, order = np.empty(n, np.int32), np.empty(n, np.int32)
        session.host.run(*gradient.flood_task(), role, vertices, taken_from, n)
        order[vertices] = np.arange(n, dtype=np.int32)
        values = field.in_callers_dtype(field.plain[session.upload(taken_from)])
        order = order if session.result.on_host else session.upload(order)
        return SimplifiedField(
            *(session.result(array.reshape(field.shape)) for array in (values, order))
        )


def vertices_in_order(session: Session, values: Array) -> Array:
    """Vertices (n,) from the lowest to the highest, by (value, index), on the device."""
    keys = session.device.empty(values.size, np.uint64)
    session.launch("key_point_values", values.size, values, keys)
    if values.dtype.itemsize <= 4:
        keys.sort()
        return keys & np.uint64(0xFFFFFFFF)
    return session.device.xp.argsort(keys, kind="stable")
