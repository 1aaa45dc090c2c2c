"""Ctrl-C, SIGTERM, and SIGHUP (a closed terminal): when they stop a command.

Reading stops immediately. Computing and writing stop at the next step, or immediately after a
second signal. Renaming of files is not interrupted: the output is then complete, and the command
ends as if there had been no signal. Ignored signals, such as SIGHUP under nohup, stay ignored.
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
    """SIGTERM or SIGHUP was received."""

    def __init__(self, number: int):
        super().__init__()
        self.number = number


class _State:
    """The state of the handler, which only the main thread changes."""

    def __init__(self) -> None:
        self.handled = False
        self.noting = self.held = 0  # nesting depths
        self.received = 0  # the first signal
        self.renaming = self.written = False


_state = _State()


@contextmanager
def signals_handled() -> Iterator[None]:
    """Handle signals as described above during a command; SIGCHLD is not ignored."""
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
        handlers[signal.SIGCHLD] = signal.SIG_DFL  # otherwise exit codes of processes are lost
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _state.handled = False


@contextmanager
def signals_noted() -> Iterator[None]:
    """Let the first signal stop this block only in `stop_if_wanted`."""
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
    if _state.received and not of_command:
        _raise(_state.received)  # the caller continues, and must be notified


@contextmanager
def signals_held() -> Iterator[None]:
    """Let no signal interrupt this block."""
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
    """Let no signal interrupt the renaming of complete files, or count after it."""
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
    """Whether a signal requires a stop."""
    return bool(_is_main() and _state.handled and _state.received and not _state.written)


def stop_if_wanted() -> None:
    """Raise KeyboardInterrupt or Terminated after a signal."""
    if stop_wanted():
        _raise(_state.received)


def _on_signal(number: int, frame: FrameType | None) -> None:
    is_first = not _state.received
    _state.received = _state.received or number
    if _state.held or (is_first and (_state.noting or _state.written)):
        if is_first and not (_state.renaming or _state.written):
            print_line("separatrix: stopping ...")
        return
    _raise(number)


def _raise(number: int) -> None:
    raise KeyboardInterrupt if number == signal.SIGINT else Terminated(number)


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def print_line(line: str) -> None:
    """Print a line on stderr, unless the terminal is closed or the disk is full."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        with suppress(OSError):  # else Python's last flush fails and changes the exit code
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    except RuntimeError:  # a signal arrived while a line was printed
        pass
