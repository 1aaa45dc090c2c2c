"""Work in threads beside the caller's, and in the caller's where the system starts no more."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock, Thread
from typing import Any


def begun(pool: ThreadPoolExecutor, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """As ``pool.submit``; without a thread for it the work is done when this returns."""
    claim, done = Lock(), Future[Any]()
    try:
        pool.submit(_done_once, claim, done, work, arguments)
    except RuntimeError as error:
        if not is_refused(error):
            raise
        _done_once(claim, done, work, arguments)
    return done


def _done_once(
    claim: Lock, done: Future[Any], work: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """Do the work, if nobody has: a pool that was refused a thread has queued it for its others."""
    if not claim.acquire(blocking=False) or not done.set_running_or_notify_cancel():
        return
    try:
        result = work(*arguments)
    except BaseException as error:
        done.set_exception(error)
        del done  # which has the error, which has this frame
    else:
        done.set_result(result)


def is_started(thread: Thread) -> bool:
    """Start a thread; whether the system allowed it."""
    try:
        thread.start()
    except RuntimeError as error:
        if not is_refused(error):
            raise
        return False
    return True


def is_refused(error: RuntimeError) -> bool:
    """Whether it is what Python says where the system starts no more threads."""
    return "can't start new thread" in str(error)
