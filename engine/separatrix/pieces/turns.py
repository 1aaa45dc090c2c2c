"""Pieces of an image in threads of this process, a few at a time on each device.

A piece gives up its turn while it waits for others, so its arrays on the device must be released or
small by then. Only the caller's thread reports progress; if that cancels the call, all pieces end.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, nullcontext
from queue import Empty, SimpleQueue
from threading import Barrier, Event
from typing import Any, TypeVar

from ..device import Device, Lane, Session
from ..device.base import Allocating
from ..errors import Canceled, DeviceMemoryError
from ..morse.streaming import streaming_room
from .exchange import Exchange, ThreadExchange

Result = TypeVar("Result")
Program = Callable[[Exchange, Session], Result]
WAIT_SECONDS = 0.05  # between checks for cancellation


class LaneTurn:
    """A turn on a lane, which `free` contains between turns; `ended` receives an entry at each end.

    All turns of a piece are on one lane, because only that lane reuses the memory of its arrays
    after the work that reads them.
    """

    def __init__(self, free: SimpleQueue[Lane], ended: SimpleQueue[None]) -> None:
        self._free, self._ended = free, ended
        self._lane: Lane | None = None

    def begin(self) -> None:
        self._lane = self._free.get()
        self._lane.__enter__()

    def end(self) -> None:
        lane, self._lane = self._lane, None
        if lane is None:
            return
        try:
            lane.device.synchronize()
        finally:
            lane.__exit__(None, None, None)
            self._free.put(lane)
            self._ended.put(None)


def run_pieces(
    session: Session,
    number: int,
    n_lanes: int,
    program: Program[Result],
    *,
    rounds: int = 1,
    span: tuple[float, float] = (0.0, 1.0),
) -> list[Result]:
    """Run ``program(exchange, session)`` for each piece, and return the results in order.

    Pieces are divided among the devices of ``session.pieces``, on each of which `n_lanes` run at a
    time. `rounds` is one more than the number of exchanges of the program; `span` is its part of
    the current stage. Raises the error of the first piece that has failed.
    """
    assert session.pieces is not None
    devices = session.pieces.devices
    slots: list[Any] = [None] * number
    barrier, canceled, ended = Barrier(number), Event(), SimpleQueue[None]()

    def raise_if_canceled(part: float, stage: str) -> None:
        if canceled.is_set():
            raise Canceled("Another piece was canceled.")

    def run(
        rank: int, device: Device, room: int, lanes: list[SimpleQueue[Lane]], allocating: Allocating
    ) -> Result:
        turn = LaneTurn(lanes[rank % len(lanes)], ended)
        exchange = ThreadExchange(rank, slots, barrier, turn)
        exchange.takes_turns = number > n_lanes * len(devices)
        forked = session.fork(device)
        forked.memory.limit = room // n_lanes
        with device.current(), allocating():
            turn.begin()
            try:
                with (
                    exchange.together(),
                    forked.call(raise_if_canceled, {"piece": 1.0}),
                    forked.stage("piece"),
                ):
                    return program(exchange, forked)
            finally:
                turn.end()

    keeps_cached = session.keeps_cached and n_lanes == 1
    with ExitStack() as stack:
        prepared: list[tuple[Device, int, list[SimpleQueue[Lane]], Allocating]] = []
        for device in devices:
            lanes = [SimpleQueue[Lane]() for _ in range(n_lanes if device.is_cuda else 1)]
            with device.current():
                device.synchronize()  # lanes do not wait for earlier work
                if not keeps_cached:
                    device.free_cached()
                for free in lanes:
                    free.put(Lane(device, apart=not keeps_cached))
            room = streaming_room(session, device)
            if keeps_cached:  # allocating tens of gigabytes anew would take longer than the work
                prepared.append((device, room, lanes, nullcontext))
            else:
                allocating = stack.enter_context(device.within(room))
                prepared.append((device, room, lanes, allocating))
        threads = stack.enter_context(ThreadPoolExecutor(number, "separatrix"))
        running: list[Future[Result]] = []
        try:
            for rank in range(number):
                mine = prepared[rank * len(prepared) // number]
                running.append(threads.submit(run, rank, *mine))
                running[-1].add_done_callback(lambda _: ended.put(None))
            _wait(session, running, ended, number * (rounds + 2), span)
        except BaseException as error:
            canceled.set()
            if len(running) == number:
                raise
            barrier.abort()
            raise DeviceMemoryError(
                f"The system cannot start a thread for each of {number} pieces: {error}. Use fewer "
                "{devices}, or a higher {memory_limit}."
            ) from error
        return [one.result() for one in running]


def _wait(
    session: Session,
    running: list[Future[Any]],
    ended: SimpleQueue[None],
    n_turns: int,
    span: tuple[float, float],
) -> None:
    """Report progress until all pieces are done, each of which adds an entry, too."""
    begin, end = span
    n_ended = 0
    while not ended.empty() or not all(one.done() for one in running):
        try:
            ended.get(timeout=WAIT_SECONDS)
        except Empty:
            session.raise_if_canceled()
            continue
        n_ended += 1
        session.progressed(begin + (end - begin) * min(1.0, n_ended / n_turns))
