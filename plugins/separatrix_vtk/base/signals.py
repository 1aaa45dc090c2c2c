"""Ctrl-C, SIGTERM and SIGHUP (a terminal that was closed): when they stop a command.

While a file is read, at once; while it computes or writes, at its next step, and a second signal
does not wait for that. Never while files are renamed: after that the output is written, and the
command ends as if no signal had come. Signals that are ignored, as SIGHUP is under nohup, stay so.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Terminated(KeyboardInterrupt):
    """SIGTERM or SIGHUP came."""

    def __init__(self, number: int):
        super().__init__()
        self.number = number


class _State:
    """What the handler looks at. Signals are the main thread's: no other one changes it."""

    def __init__(self) -> None:
        self.handled = False
        self.noting = self.held = 0  # how many times over
        self.came = 0  # the first signal that was noted
        self.renaming = self.written = False


_state = _State()


@contextmanager
def signals_handled() -> Iterator[None]:
    """Handle them as this module says until the end of a command; SIGCHLD is not ignored."""
    global _state
    if not _is_main() or _state.handled:
        yield
        return
    _state = _State()
    _state.handled = True
    handlers: dict[int, Any] = {
        number: _on_signal
        for number in STOPPING
        if signal.getsignal(number) not in (signal.SIG_IGN, None)
    }
    if hasattr(signal, "SIGCHLD") and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        handlers[signal.SIGCHLD] = signal.SIG_DFL  # else nobody learns how a process has ended
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _state.handled = False


@contextmanager
def signals_noted() -> Iterator[None]:
    """Let `stop_if_wanted` say when the first signal stops what is done here."""
    if not _is_main():
        yield
        return
    of_command = _state.handled
    with signals_handled():
        _state.noting += 1
        try:
            yield
        finally:
            _state.noting -= 1
    if _state.came and not of_command:
        _raise(_state.came)  # whoever called goes on after this, and is to hear of it


@contextmanager
def signals_held() -> Iterator[None]:
    """Let no signal interrupt what is done here."""
    if not _is_main():
        yield
        return
    with signals_noted():
        _state.held += 1
        try:
            yield
        finally:
            _state.held -= 1


@contextmanager
def last_step() -> Iterator[None]:
    """The renaming of what is whole: no signal comes into it, and none counts once it is done."""
    if not _is_main():
        yield
        return
    stop_if_wanted()
    with signals_held():
        _state.renaming = True
        try:
            yield
            _state.written = True
        finally:
            _state.renaming = False


def stop_wanted() -> bool:
    """Whether a signal has come that counts."""
    return bool(_is_main() and _state.handled and _state.came and not _state.written)


def stop_if_wanted() -> None:
    """Raise KeyboardInterrupt, or Terminated, if a signal has come."""
    if stop_wanted():
        _raise(_state.came)


def _on_signal(number: int, frame: FrameType | None) -> None:
    is_first = not _state.came
    _state.came = _state.came or number
    if _state.held or (is_first and (_state.noting or _state.written)):
        if is_first and not (_state.renaming or _state.written):
            say("separatrix: stopping ...")
        return
    _raise(number)


def _raise(number: int) -> None:
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def say(line: str) -> None:
    """A line on stderr, if anybody is there: a closed terminal and a full disk take none."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        with suppress(OSError):  # else Python's last flush fails again, and changes the status
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    except RuntimeError:  # a signal came while a line was printed
        pass
