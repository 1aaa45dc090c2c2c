"""Stars of all points of a regular triangulation: rounds of offers until they agree.

1. Each star starts with three far points and is offered the nearest ones.
2. Stars that disagree about a cell offer each other points; see kernels/alpha/agreeing_stars.h.
3. If all agree, the hull must be connected. Otherwise, hull facets are offered points beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..device import Array, Session, to_host
from ..kernels.source import constant
from ..primitives import (
    at,
    changes,
    compact,
    exclusive_scan,
    is_within,
    put,
    row_of_items,
    shifted,
    without_repeats,
)
from ..spatial.nearest import nearest_points
from ..spatial.points import bounded_points

N_NEAREST = 32
CAPACITY = 48  # triangles per star at first; a link of v points has 2 v - 4
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
        self.begin = device.numbers(n, np.int64, 0, CAPACITY)
        self.capacity = device.numbers(n, np.int32, CAPACITY, 0)
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
        device = self.session.device
        changed = device.zeros(len(self.sites), np.uint8)
        after, ends = offsets[:-1].copy(), offsets[1:].copy()
        while len(targets):
            self.session.launch(
                "insert_into_stars", len(targets), *self.arrays, targets, offered, after, ends,
                changed,
            )  # fmt: skip
            is_left = device.empty(len(targets), np.uint8)
            self.session.launch("flag_left", len(targets), after, ends, is_left)
            left = compact(is_left)
            targets, after, ends = at(targets, left), at(after, left), at(ends, left)
            self._enlarge(targets)
        return changed

    def _enlarge(self, targets: Array) -> None:
        """Move stars to slabs of twice their size."""
        if not len(targets):
            return
        n_before = self._n_used
        capacity = shifted(at(self.capacity, targets), factor=2, dtype=np.int32)
        begin = shifted(exclusive_scan(capacity), n_before)
        self._n_used = int(begin[-1])
        if self._n_used > len(self.links):
            links, planes = self.links, self.planes
            self._allocate(self._n_used + self._n_used // 2)
            self.links[:n_before], self.planes[:n_before] = links[:n_before], planes[:n_before]
        self.session.launch(
            "move_stars", len(targets), at(self.begin, targets), begin, self.size, targets,
            self.links, self.planes,
        )  # fmt: skip
        put(self.begin, targets, begin[:-1])
        put(self.capacity, targets, capacity)

    def _allocate(self, n_slots: int) -> None:
        empty, advice = self.session.device.empty, "use fewer points"
        self.session.memory.require(SLOT_BYTES * n_slots, "the stars of all points", advice)
        self.links = empty((n_slots, 3), np.int32)
        self.planes = empty((n_slots, constant("PLANE_SIZE")), np.float64)

    def offers(self, kernel: str, targets: Array, *more: Array | int) -> tuple[Array, Array, Array]:
        """Run a kernel that offers points; return targets, offsets, and points, all distinct."""
        device, n, room = self.session.device, len(self.sites), 64 * len(targets)
        while True:
            length, pairs = device.zeros(1, np.int64), device.empty(room, np.int64)
            known = (*self.arrays, targets, n, room, length, pairs)
            self.session.launch(kernel, len(targets), *known, *more)
            if int(length[0]) <= room:
                break
            room = int(length[0])
        pairs = without_repeats(pairs[: int(length[0])])
        target, offered = device.empty(len(pairs), np.int32), device.empty(len(pairs), np.int32)
        self.session.launch("part_offers", len(pairs), pairs, n, target, offered)
        first = compact(changes(target))
        offsets = device.joined([first, device.numbers(1, np.int64, len(pairs))])
        return at(target, first), offsets, offered


def agreeing_stars(session: Session, sites: Array, is_small: bool, four: Array) -> Stars:
    """Return stars that agree; `four` (4,) int32 are affinely independent points."""
    device, n = session.device, len(sites)
    stars = Stars(session, sites, is_small)
    points = device.empty((n, 3), np.float64)
    session.launch("copy_positions", n, sites, points)
    around = bounded_points(session, points, "points")
    k = min(N_NEAREST, n - 1)
    nearest = shifted(nearest_points(session, around, around, k, False)[1].ravel(), dtype=np.int32)
    with session.stage("stars"):
        session.launch("start_stars", n, *stars.arrays, four)
        everyone = device.numbers(n, np.int32)
        stars.insert(everyone, device.numbers(n + 1, np.int64, 0, k), nearest)
    with session.stage("agreement"):
        targets = everyone
        while True:
            disagrees = device.empty(len(targets), np.uint8)
            offers = stars.offers("compare_stars", targets, disagrees)
            unsettled = at(targets, compact(disagrees))
            if not len(offers[0]):
                if len(targets) < n:  # none is trusted without a last look
                    targets = everyone
                    continue
                offers = _offers_beyond(stars)
                if not len(offers[0]):
                    return stars
            changed = stars.insert(*offers)
            put(changed, unsettled, 1)
            targets = shifted(compact(changed), dtype=np.int32)


def _offers_beyond(stars: Stars) -> tuple[Array, Array, Array]:
    """Offer hull facets the points beyond them, unless the hull is connected."""
    session, device = stars.session, stars.session.device
    size = device.copied(stars.size)
    put(size, compact(is_within(stars.hider, 0)), 0)
    offsets = exclusive_scan(size)
    row = row_of_items(offsets)
    slots, is_hull = device.empty(len(row), np.int64), device.empty(len(row), np.uint8)
    model = (row, offsets, stars.begin, stars.links, slots, is_hull)
    session.launch("find_hull_slots", len(row), *model)
    hull = compact(is_hull)
    corners = at(stars.links.reshape(-1), shifted(at(slots, hull), factor=3))
    pairs = np.stack([to_host(at(row, hull)), to_host(corners)], axis=1).astype(np.int32)
    name = np.empty(len(stars.size), np.int32)
    session.host.run("name_sets", pairs, len(pairs), name, len(name))
    tips = np.unique(pairs[:, 0])
    if len(np.unique(name[tips])) == 1:
        none = device.empty(0, np.int32)
        return none, none, none
    tips = session.upload(tips)
    return stars.offers("look_beyond_hull", tips, tips, len(tips))
