"""Work in other threads, or in the caller's if the system cannot start more."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any


def submit(pool: ThreadPoolExecutor, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """Submit work to a pool; without a thread for it, run it before returning."""
    claim, done = Lock(), Future[Any]()
    try:
        pool.submit(_done_once, claim, done, work, arguments)
    except RuntimeError as error:
        if "can't start new thread" not in str(error):
            raise
        _done_once(claim, done, work, arguments)
    return done


def _done_once(
    claim: Lock, done: Future[Any], work: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """Run the work once: a pool that cannot start a thread has still queued it for its others."""
    if not claim.acquire(blocking=False) or not done.set_running_or_notify_cancel():
        return
    try:
        result = work(*arguments)
    except BaseException as error:
        done.set_exception(error)
        del done  # breaks the cycle from the error to this frame
    else:
        done.set_result(result)
