"""Stars of all points of a regular triangulation: rounds of offers until they agree.

1. Each star starts with three far points and is offered the nearest ones.
2. Stars that disagree about a cell offer each other points; see kernels/alpha/agreeing_stars.h.
3. If all agree, the hull must be connected. Otherwise, hull facets are offered points beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..device import Array, Session, to_host
from ..kernels import NONE
from ..kernels.source import constant
from ..primitives import exclusive_scan, row_of_items, without_repeats
from ..spatial.nearest import nearest_points
from ..spatial.points import Points

N_NEAREST = 32
CAPACITY = 64  # triangles per star at first; a link of v points has 2 v - 4
SLOT_BYTES = 12 + 8 * constant("PLANE_SIZE")


@dataclass
class Stars:
    """Stars of n points `sites` (n, 4) float64, whole numbers, at distinct positions."""

    session: Session
    sites: Array
    is_small: bool
    begin: Array = field(init=False)
    capacity: Array = field(init=False)
    size: Array = field(init=False)
    hider: Array = field(init=False)
    links: Array = field(init=False)
    planes: Array = field(init=False)

    def __post_init__(self) -> None:
        n, device = len(self.sites), self.session.device
        self.begin = CAPACITY * device.xp.arange(n, dtype=np.int64)
        self.capacity = device.xp.full(n, CAPACITY, np.int32)
        self.size, self.hider = device.empty(n, np.int32), device.empty(n, np.int32)
        self._n_used = CAPACITY * n
        self._allocate(self._n_used + self._n_used // 4)

    @property
    def arrays(self) -> tuple[object, ...]:
        """All arrays in the order of the kernels' parameters."""
        known = (self.begin, self.capacity, self.size, self.hider, self.links, self.planes)
        return self.sites, self.is_small, *known

    def insert(self, targets: Array, offsets: Array, offered: Array) -> Array:
        """Offer a CSR of points to stars; return a mask (n,) uint8 of changes."""
        changed = self.session.device.zeros(len(self.sites), np.uint8)
        after, ends = offsets[:-1].copy(), offsets[1:].copy()
        while len(targets):
            self.session.launch(
                "insert_into_stars", len(targets), *self.arrays, targets, offered, after, ends,
                changed,
            )  # fmt: skip
            is_full = after < ends
            targets, after, ends = targets[is_full], after[is_full], ends[is_full]
            self._enlarge(targets)
        return changed

    def _enlarge(self, targets: Array) -> None:
        """Move stars to slabs of twice their size."""
        if not len(targets):
            return
        xp, n_before = self.session.device.xp, self._n_used
        capacity = 2 * self.capacity[targets]
        ends = n_before + xp.cumsum(capacity, dtype=np.int64)
        self._n_used = int(ends[-1])
        if self._n_used > len(self.links):
            links, planes = self.links, self.planes
            self._allocate(self._n_used + self._n_used // 2)
            self.links[:n_before], self.planes[:n_before] = links[:n_before], planes[:n_before]
        begin = ends - capacity
        self.session.launch(
            "move_stars", len(targets), self.begin[targets], begin, self.size, targets,
            self.links, self.planes,
        )  # fmt: skip
        self.begin[targets], self.capacity[targets] = begin, capacity

    def _allocate(self, n_slots: int) -> None:
        empty, advice = self.session.device.empty, "use fewer points"
        self.session.memory.require(SLOT_BYTES * n_slots, "the stars of all points", advice)
        self.links = empty((n_slots, 3), np.int32)
        self.planes = empty((n_slots, constant("PLANE_SIZE")), np.float64)

    def offers(self, kernel: str, targets: Array, *more: Array | int) -> tuple[Array, Array, Array]:
        """Run a kernel that offers points; return targets, offsets, and points, all distinct."""
        xp, n, room = self.session.device.xp, len(self.sites), 64 * len(targets)
        while True:
            length = self.session.device.zeros(1, np.int64)
            pairs = self.session.device.empty(room, np.int64)
            known = (*self.arrays, targets, n, room, length, pairs)
            self.session.launch(kernel, len(targets), *known, *more)
            if int(length[0]) <= room:
                break
            room = int(length[0])
        pairs = without_repeats(pairs[: int(length[0])])
        target = pairs // n
        first = xp.flatnonzero(xp.concatenate([target[:1] >= 0, target[1:] != target[:-1]]))
        offsets = xp.concatenate([first, xp.full(1, len(pairs), np.int64)])
        return target[first].astype(np.int32), offsets, (pairs % n).astype(np.int32)


def agreeing_stars(session: Session, sites: Array, is_small: bool, four: Array) -> Stars:
    """Return stars that agree; `four` (4,) int32 are affinely independent points."""
    device, xp, n = session.device, session.device.xp, len(sites)
    stars = Stars(session, sites, is_small)
    points = xp.ascontiguousarray(sites[:, :3])
    low, high = (to_host(ends) for ends in (points.min(axis=0), points.max(axis=0)))
    around = Points(points, points, low, high)
    k = min(N_NEAREST, n - 1)
    nearest = nearest_points(session, around, around, k, False)[1].astype(np.int32).ravel()
    with session.stage("stars"):
        session.launch("start_stars", n, *stars.arrays, four)
        everyone = xp.arange(n, dtype=np.int32)
        stars.insert(everyone, k * xp.arange(n + 1, dtype=np.int64), nearest)
    with session.stage("agreement"):
        targets = everyone
        while True:
            disagrees = device.empty(len(targets), np.uint8)
            offers = stars.offers("compare_stars", targets, disagrees)
            unsettled = targets[disagrees.view(bool)]
            if not len(offers[0]):
                if len(targets) < n:  # none is trusted without a last look
                    targets = everyone
                    continue
                offers = _offers_beyond(stars)
                if not len(offers[0]):
                    return stars
            changed = stars.insert(*offers)
            changed[unsettled] = 1
            targets = xp.flatnonzero(changed).astype(np.int32)


def _offers_beyond(stars: Stars) -> tuple[Array, Array, Array]:
    """Offer hull facets the points beyond them, unless the hull is connected."""
    session, xp = stars.session, stars.session.device.xp
    offsets = exclusive_scan(xp.where(stars.hider == NONE, stars.size, 0))
    row = row_of_items(offsets).astype(np.int32)
    slots = xp.arange(len(row), dtype=np.int64) + (stars.begin - offsets[:-1])[row]
    is_hull = stars.links[slots, 2] == NONE
    row, slots = row[is_hull], slots[is_hull]
    pairs = np.ascontiguousarray(to_host(xp.stack([row, stars.links[slots, 0]], axis=1)))
    name = np.empty(len(stars.size), np.int32)
    session.host.run("name_sets", pairs, len(pairs), name, len(name))
    tips = xp.unique(row)
    if len(np.unique(name[to_host(tips)])) == 1:
        none = xp.empty(0, np.int32)
        return none, none, none
    return stars.offers("look_beyond_hull", tips, tips, len(tips))
