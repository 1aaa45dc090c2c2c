"""Stars of all points of a regular triangulation: rounds of offers until they agree.

1. Each star starts with three far points and is offered the nearest ones.
2. Stars that disagree about a cell offer each other points; see kernels/alpha/agreeing_stars.h. The
   limit of the offers that a star takes in a round doubles, so the rounds end as without a limit.
3. If all agree, the hull must be connected. Otherwise, hull facets are offered points beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..device import Array, CudaDevice, Session, to_host
from ..kernels import NONE
from ..kernels.source import constant
from ..primitives import (
    at,
    changes,
    compact,
    distinct_pairs,
    exclusive_scan,
    put,
    row_of_items,
    shifted,
)
from ..spatial.nearest import nearest_points
from ..spatial.points import bounded_points

ADVICE = "use fewer points"
N_NEAREST = 32
OFFERS_AT_FIRST = 64  # that a star takes; the points that all stars begin with would get thousands
UNIT = constant("UNIT")
MOST_SLOW = 1 << 22  # triangles in slow memory at a time
TRIANGLES_PER_STAR = 40  # on average, at first; a link of v points has 2 v - 4
OFFERS_PER_STAR = 24  # on average; more are counted first, and then listed
FEW_OFFERS = 1 << 16
BYTES_PER_TRIANGLE = {"link": 12, "room": 8 * constant("PLANE_SIZE") + 4 * constant("CORNER_ROWS")}


@dataclass
class Stars:
    """Stars of n points `sites` (n, 4) float64, whole numbers, at distinct positions.

    `four` (4,) int32 are affinely independent points.
    """

    session: Session
    sites: Array
    is_small: bool
    four: Array
    heads: Array = field(init=False)
    links: Array = field(init=False)
    n_used: Array = field(init=False)

    def __post_init__(self) -> None:
        n, device = len(self.sites), self.session.device
        self.heads = device.zeros((n, 4), np.int32)
        put(self.heads.reshape(-1), device.numbers(n, np.int64, 3, 4), NONE)
        self.n_used = device.zeros(1, np.int64)
        self._allocate(TRIANGLES_PER_STAR * n // UNIT + 4)

    @property
    def arrays(self) -> tuple[object, ...]:
        """All arrays in the order of the kernels' parameters."""
        return self.sites, self.is_small, self.heads, self.links

    def insert(self, targets: Array, offsets: Array, offered: Array, most: int) -> Array:
        """Offer the first points of each row of a CSR to stars; return changes (n,) uint8."""
        session, device = self.session, self.session.device
        changed = device.zeros(len(self.sites), np.uint8)
        after, ends = (device.empty(len(targets), np.int64) for _ in range(2))
        session.launch("limit_offers", len(targets), offsets, most, after, ends)
        turn = 0
        while len(targets):
            n_units = len(self.links) // UNIT
            self._insert(turn, targets, offered, after, ends, changed)
            is_left = device.empty(len(targets), np.uint8)
            session.launch("flag_left", len(targets), after, ends, is_left)
            left = compact(is_left)
            if not len(left):
                return changed
            targets, after, ends = at(targets, left), at(after, left), at(ends, left)
            turn += 1
            if int(self.n_used[0]) > n_units:  # some of those left found the arena full
                self._allocate(n_units + n_units // 2)
                self.n_used[0] = n_units
                turn = max(turn - 1, 0)
        return changed

    def _insert(self, turn: int, targets: Array, offered: Array, *state: Array) -> None:
        """Insert offers as far as the rooms of a turn suffice, in parts if they are many."""
        session, device = self.session, self.session.device
        rooms = device.empty(len(targets), np.int64)
        session.launch("choose_rooms", len(targets), self.heads, targets, turn, rooms)
        rooms = exclusive_scan(rooms)
        n_slow = int(rooms[-1])
        step = len(targets) * MOST_SLOW // max(n_slow, MOST_SLOW) or 1
        *ends, changed = state
        for begin in range(0, len(targets), step):
            part = slice(begin, begin + step)
            offsets = rooms[begin : begin + step + 1]
            if step < len(targets):
                n_slow = int(offsets[-1]) - int(offsets[0])
            n_bytes = BYTES_PER_TRIANGLE["room"] * n_slow
            session.memory.require(n_bytes, "stars with many neighbors", ADVICE)
            launch_teams(
                session, "insert_by_team", len(targets[part]), *self.arrays,
                len(self.links) // UNIT, self.n_used, self.four, targets[part], offered,
                *(each[part] for each in ends), offsets,
                device.empty(n_slow * constant("PLANE_SIZE"), np.float64),
                device.empty(n_slow * constant("CORNER_ROWS"), np.int32), changed,
            )  # fmt: skip

    def _allocate(self, n_units: int) -> None:
        before = self.__dict__.get("links")
        n_bytes = BYTES_PER_TRIANGLE["link"] * UNIT * n_units
        self.session.memory.require(n_bytes, "the stars of all points", ADVICE)
        self.links = self.session.device.empty((UNIT * n_units, 3), np.int32)
        if before is not None:
            self.links[: len(before)] = before

    def offers(self, kernel: str, targets: Array, *more: Array | int) -> tuple[Array, Array, Array]:
        """Run a kernel that offers points; return targets, offsets, and points, all distinct."""
        device, n = self.session.device, len(self.sites)
        room = OFFERS_PER_STAR * len(targets) + FEW_OFFERS
        while True:
            length, pairs = device.zeros(1, np.int64), device.empty(room, np.int64)
            known = (*self.arrays, targets, n, room, length, pairs)
            launch = launch_teams if kernel == "compare_by_team" else Session.launch
            launch(self.session, kernel, len(targets), *known, *more)
            n_pairs = int(length[0])
            if n_pairs <= room:
                break
            del known, pairs
            room = n_pairs
        del known
        pairs = distinct_pairs(self.session, pairs[:n_pairs], n, n)
        target, offered = device.empty(len(pairs), np.int32), device.empty(len(pairs), np.int32)
        self.session.launch("part_offers", len(pairs), pairs, n, target, offered)
        first = compact(changes(target))
        offsets = device.joined([first, device.numbers(1, np.int64, len(pairs))])
        return at(target, first), offsets, offered


def launch_teams(session: Session, kernel: str, n_items: int, *arguments: Any) -> None:
    """Launch a kernel of working_star.h, on a GPU with a warp per item."""
    if isinstance(session.device, CudaDevice):
        n_blocks = -(-n_items // constant("STAR_TEAMS"))
        session.device.launch_blocks(kernel, n_blocks, n_items, *arguments)
    else:
        session.launch(kernel, n_items, n_items, *arguments)


def agreeing_stars(session: Session, sites: Array, is_small: bool, four: Array) -> Stars:
    """Return stars that agree; `four` (4,) int32 are affinely independent points."""
    device, n = session.device, len(sites)
    stars = _stars_of_nearest(session, sites, is_small, four)
    with session.stage("agreement"):
        targets, is_first, most = device.numbers(n, np.int32), True, OFFERS_AT_FIRST
        while True:
            disagrees = device.empty(len(targets), np.uint8)
            offers = stars.offers("compare_by_team", targets, not is_first, disagrees)
            is_first = False
            if not len(offers[0]):  # none of these disagrees, so no star does
                offers = _offers_beyond(stars)
                if not len(offers[0]):
                    return stars
            changed = stars.insert(*offers, most)
            most = min(2 * most, n)
            put(changed, at(targets, compact(disagrees)), 1)
            targets = shifted(compact(changed), dtype=np.int32)


def _stars_of_nearest(session: Session, sites: Array, is_small: bool, four: Array) -> Stars:
    """Return stars that were offered the nearest points."""
    device, n = session.device, len(sites)
    points = device.empty((n, 3), np.float64)
    session.launch("copy_positions", n, sites, points)
    around = bounded_points(session, points, "points")
    k = min(N_NEAREST, n - 1)
    nearest = shifted(nearest_points(session, around, around, k, False)[1].ravel(), dtype=np.int32)
    with session.stage("stars"):
        stars = Stars(session, sites, is_small, four)
        everyone = device.numbers(n, np.int32)
        stars.insert(everyone, device.numbers(n + 1, np.int64, 0, k), nearest, k)
        return stars


def _offers_beyond(stars: Stars) -> tuple[Array, Array, Array]:
    """Offer hull facets the points beyond them, unless the hull is connected."""
    session, n = stars.session, len(stars.sites)
    everyone = session.device.numbers(n, np.int32)
    tips, offsets, others = stars.offers("list_hull_edges", everyone)
    pairs = np.stack([to_host(at(tips, row_of_items(offsets))), to_host(others)], axis=1)
    corners, rows = np.unique(pairs, return_inverse=True)
    rows, name = rows.reshape(-1, 2).astype(np.int32), np.empty(len(corners), np.int32)
    session.host.run("name_sets", rows, len(rows), name, len(name))
    if not name.any():  # all are in the set of the first
        none = session.device.empty(0, np.int32)
        return none, none, none
    return stars.offers("look_beyond_hull", tips, tips, len(tips))
