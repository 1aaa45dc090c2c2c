"""Cancellation of saddle pairs in rounds on a GPU: kernels/morse/saddle_rounds.h."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..device import Array, CudaDevice, Session, to_host
from ..errors import DeviceMemoryError
from ..kernels import source
from ..primitives import at, compact, is_within, put, shifted, sort_by_key
from .model import PairValues, RoundsModel, SaddleLog

CHECKPOINT_GROWTH = 1.25  # as in kernels/morse/saddle_log.h
FIRST_TIME = 1
LANES = 32
LAUNCH_ROUNDS = 64  # so that a caller can cancel; on an H200, a round takes up to 5 ms


@dataclass(frozen=True)
class Rooms:
    """Numbers of items that searches have room for.

    A window that needs more is halved, and logs and heights grow. If a search needs more than a
    huge room, there is no result.
    """

    window: int = 1 << 16  # candidates
    versions: int = 1 << 25  # cells that they write
    reads: int = 1 << 26  # places that they read
    turned: int = 1 << 25  # squares of the log
    tries: int = 1 << 20
    heights: int = 1 << 22  # slots of changed heights, a power of two
    small: int = 512  # slots of a set of cells in a search, a power of two from 128 to 512
    large: int = 1 << 14
    huge: int = 1 << 18
    n_huge: int = 32

    @staticmethod
    def of(n_pairs: int, n_places: int) -> Rooms:
        """Return those of a number of pairs in a volume."""
        most = Rooms()
        return replace(
            most,
            window=min(most.window, n_pairs),
            versions=min(most.versions, 24 * n_pairs + (1 << 16)),
            reads=min(most.reads, 64 * n_pairs + (1 << 18)),
            turned=4 * n_pairs + (1 << 10),
            tries=n_pairs // 4 + most.window,
            heights=_power_of_two(8 * n_pairs),
            huge=min(most.huge, max(2 * most.large, _power_of_two(n_places // 4))),
        )


class Blocks(NamedTuple):
    """Blocks that are resident at once."""

    n: int
    threads: int
    n_bytes: int  # of shared memory


def blocks_on(device: CudaDevice, kernel: str) -> Blocks:
    """Return the largest blocks whose shared memory the GPU has; none if it lacks the least.

    The warps of a block search together in the memory of all of them.
    """
    most = source.constant("ROUND_THREADS")
    for threads in (most, most // 2, most // 4):
        n_bytes = threads // LANES * source.constant("ROUND_WARP_BYTES")
        n_bytes += 4 * source.constant("N_SHARED")
        if n := device.resident_blocks(kernel, threads, n_bytes):
            return Blocks(n, threads, n_bytes)
    return Blocks(0, 0, 0)


def _power_of_two(n: int) -> int:
    return 1 << max(n - 1, 1).bit_length()


def segment_ends(persistence: np.ndarray) -> np.ndarray:
    """Return the numbers of pairs (s,) int64 before each checkpoint and before the end."""
    ends, n = [], persistence.size
    begin = int(np.searchsorted(persistence, 0.0, side="right"))
    while begin < n:
        ends.append(begin)
        least = CHECKPOINT_GROWTH * float(persistence[begin])
        begin = max(begin + 1, int(np.searchsorted(persistence, least)))
    return np.array([end for end in (*ends, n) if end], np.int64)


class _Rounds:
    """Arrays of the kernel on one device. Raises DeviceMemoryError."""

    def __init__(
        self,
        session: Session,
        model: RoundsModel,
        values: PairValues,
        rooms: Rooms,
        blocks: Blocks,
    ):
        self.session, self.model, self.rooms, self.blocks = session, model, rooms, blocks
        device, n = session.device, model.upper.size
        n_warps = blocks.n * blocks.threads // LANES
        attempts = max(rooms.window, n_warps)
        self.numbers = {k: i for i, k in enumerate(source.enumerators("RoundsState"))}
        self.ends = session.upload(segment_ends(to_host(values.persistence)))
        joins_others = values.upper is not None
        self.n_added = _power_of_two(2 * n) if joins_others else 0
        pools = [4 * rooms.versions, rooms.reads, 12 * rooms.window, 14 * attempts]
        pools += [2 * rooms.window, 2 * rooms.window, 2 * n, n]
        of_slots = [4 * slots + slots // 8 + 2 * slots for slots in (rooms.large, rooms.huge)]
        n_room_words = n_warps * source.constant("WARP_READS")
        n_room_words += blocks.n * of_slots[0] + rooms.n_huge * of_slots[1]
        n_words = sum(pools) + n_room_words + len(model.places) + 9 * n
        n_words += 2 * self.n_added + (28 * n if joins_others else 0)
        n_words += 2 * (rooms.heights + rooms.turned) + 3 * rooms.tries
        session.memory.require(4 * n_words, "canceling saddles")
        self.written = device.zeros(len(model.places), np.uint32)
        self.pools = [device.empty(size, np.uint32) for size in pools]
        by_pair = (device.unset(n, np.uint32) for _ in range(3))
        self.time_of, self.n_turns_of, self.lower_of = by_pair
        self.last = device.unset(n, np.uint8)
        self.kept = device.unset((3 * n if joins_others else n, 5), np.uint32)
        self.values = (values.persistence, values.upper, values.lower)
        n_joined = n if joins_others else 0
        if not joins_others:
            self.values = (values.persistence,) + (device.empty(0, np.float64),) * 2
        self.joins = (
            device.unset(self.n_added, np.uint64),
            device.zeros(n_joined, np.uint32),
            device.empty(n_joined, np.uint32),
            device.empty(6 * n_joined, np.uint64),
        )
        self.rooms_memory = device.unset(n_room_words, np.uint32)
        self.n_arrived = device.barrier()
        self.heights = device.unset(rooms.heights, np.uint64)
        self.turned = device.empty(rooms.turned, np.uint64)
        self.tries = device.empty(3 * rooms.tries, np.uint32)

    def run(self) -> np.ndarray | None:
        """Cancel all pairs; return the last state, or None if a search found no room."""
        session, state = self.session, np.zeros(len(self.numbers), np.int64)
        window, status, emptied_at = self.rooms.window, "NEEDS_POOL", FIRST_TIME
        statuses = source.enumerators("RoundsStatus")
        self.set(state, CLOCK=FIRST_TIME, N_CANDIDATES=0, SPAN=self.ends.size)
        while True:
            rooms = self.rooms
            self.set(state, WINDOW=window, VERSIONS=rooms.versions, READS=rooms.reads)
            self.set(state, TURNED=rooms.turned, TRIES=rooms.tries, HEIGHTS=rooms.heights)
            self.set(state, SMALL_ROOM_SLOTS=rooms.small, LARGE_ROOM_SLOTS=rooms.large)
            self.set(state, HUGE_ROOM_SLOTS=rooms.huge, HUGE_ROOMS=rooms.n_huge)
            self.set(state, ADDED_SLOTS=self.n_added)
            self.set(state, STATUS=statuses.index(status))
            shared = session.device.copied(session.upload(state))
            self.launch(shared)
            state = to_host(shared)
            session.raise_if_canceled()
            status = statuses[int(state[self.numbers["STATUS"]])]
            if status == "FINISHED":
                return state
            if status == "TOO_LARGE":
                return None
            if status == "RUNNING":
                continue
            if status == "NEEDS_POOL":
                final = int(state[self.numbers["CLOCK"]] + state[self.numbers["LOW"]])
                if final == emptied_at and window == 1:
                    return None
                if final - emptied_at < window:
                    window = max(1, window // 2)
                emptied_at = final
            elif status == "NEEDS_LOG":
                self.grow_log()
            else:
                self.grow_heights(state)
            first = self.numbers["USED_VERSIONS"]
            state[first : self.numbers["EPOCH"]] = 0
            state[self.numbers["EPOCH"]] += 1
            places = self.model.places
            session.launch("forget_versions", len(places), places)

    def set(self, state: np.ndarray, **values: int) -> None:
        for name, value in values.items():
            state[self.numbers[name]] = value

    def launch(self, state: Array) -> None:
        model, device = self.model, self.session.device
        pairs = (model.upper.size, model.upper, model.lower, self.ends, self.ends.size)
        arguments = (
            *(model.grid, model.places, model.ids, self.heights, *pairs, self.written),
            *(*self.pools, self.time_of, self.n_turns_of, self.lower_of, self.last, self.kept),
            *(self.turned, self.tries, *self.values, *self.joins),
            *(self.rooms_memory, self.n_arrived),
            *(LAUNCH_ROUNDS, state),
        )
        if isinstance(device, CudaDevice):
            n, threads, n_bytes = self.blocks
            device.launch_blocks(
                *(model.kernel, n, *arguments),
                cooperative=True,
                threads=threads,
                shared_bytes=n_bytes,
            )
        else:
            device.launch(model.kernel, 1, *arguments)

    def grow_log(self) -> None:
        device, rooms = self.session.device, self.rooms
        self.rooms = replace(rooms, turned=2 * rooms.turned, tries=2 * rooms.tries)
        self.turned = device.joined([self.turned, device.empty(rooms.turned, np.uint64)])
        self.tries = device.joined([self.tries, device.empty(3 * rooms.tries, np.uint32)])

    def grow_heights(self, state: np.ndarray) -> None:
        needed = state[self.numbers["N_CHANGED_HEIGHTS"]] + state[self.numbers["PENDING_HEIGHTS"]]
        slots = max(2 * self.rooms.heights, _power_of_two(4 * int(needed)))
        larger = self.session.device.unset(slots, np.uint64)
        moved = (self.heights, larger, slots - 1)
        self.session.launch("move_heights", self.heights.size, *moved)
        self.heights, self.rooms = larger, replace(self.rooms, heights=slots)


def cancel_in_rounds(
    session: Session,
    model: RoundsModel,
    values: PairValues,
    rooms: Rooms | None = None,
) -> SaddleLog | None:
    """Return the log of n pairs, or None if a search or the device has no room for it.

    Saddles are joined to those of other pairs if their values are given.
    """
    n = model.upper.size
    rooms = rooms or Rooms.of(n, len(model.places))
    device = session.device
    blocks = Blocks(1, LANES, 0)
    if isinstance(device, CudaDevice):
        blocks = blocks_on(device, model.kernel)
        if not blocks.n:
            return None
    try:
        rounds = _Rounds(session, model, values, rooms, blocks)
        state = rounds.run()
    except DeviceMemoryError:
        return None
    if state is None:
        return None
    canceled = shifted(compact(is_within(rounds.time_of, 0, 2**32 - 2)), dtype=np.int32)
    times, pairs = sort_by_key(session, at(rounds.time_of, canceled), canceled)
    event_of = device.unset(n, np.uint32)
    put(event_of, pairs, device.numbers(pairs.size, np.uint32, 1))
    turned = rounds.turned[: int(state[rounds.numbers["N_TURNED"]])]
    session.launch("number_turned", turned.size, event_of, turned)
    n_tries = int(state[rounds.numbers["N_TRIES"]])
    tried, after, found = to_host(rounds.tries[: 3 * n_tries]).reshape(-1, 3).T
    order = np.argsort(after)
    events = np.searchsorted(to_host(times), after[order]).astype(np.uint32)
    return SaddleLog(
        upper=pairs,
        lower=at(rounds.lower_of, pairs).view(np.int32),
        n_turns=at(rounds.n_turns_of, pairs).view(np.int32),
        turned=turned,
        tried=tried[order].astype(np.int32),
        tried_after=events,
        found=found[order].astype(np.uint8),
    )
