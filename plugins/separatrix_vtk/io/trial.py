"""Reading tried in a process that may die: some damaged files crash VTK's readers.

A file of a few MB is read twice: first in a forked process with bounded memory and time, whose end
tells whether the file can be read at all; then here. Larger ones would take too long.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

from separatrix_vtk.base.signals import STOPPING

SMALL = 64 << 20  # bytes of a file that is tried first
MEMORY, TIMES = 1 << 30, 1100  # bytes for the reader, and for each byte of the file: deflate's most
CPU_SECONDS, SECONDS_A_MEBIBYTE = 8, 2
WHOLE = b"\0"  # after what a trial tells that has come to its end
PATIENCE = 120.0  # seconds of waiting, on a disk or a busy machine, until the trial is given up


def trouble_of(path: Path, read: Callable[[], str]) -> str:
    """What is wrong with a file: what `read` says of it, or how its process died; or "".

    read: reads the file and returns a sentence, "" where all is well.
    """
    if not hasattr(os, "fork") or path.stat().st_size > SMALL:
        return ""
    hears, says = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads that others have: the child does not use them
        child = os.fork()
    if child == 0:
        _be_the_trial(path.stat().st_size, read, says)
    os.close(says)
    try:
        if not select.select([hears], [], [], PATIENCE)[0]:
            os.kill(child, signal.SIGKILL)
            return ""
        told = b""
        while part := os.read(hears, 1 << 16):
            told += part
    except BaseException:  # Ctrl-C
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        os.close(hears)
        status = _status_of(child)
    if status == 0 or told.endswith(WHOLE):
        return told.removesuffix(WHOLE).decode("utf-8", "replace")
    if status is None:
        return "damaged: VTK's reader crashes on it."
    died_of = os.waitstatus_to_exitcode(status)
    if died_of in (-signal.SIGXCPU, -signal.SIGKILL):
        return "damaged: VTK's reader does not finish reading it."
    name = signal.Signals(-died_of).name if died_of < 0 else f"status {died_of}"
    return f"damaged: VTK's reader crashes on it ({name})."


def _status_of(child: int) -> int | None:
    """How a process has ended; None where SIGCHLD is ignored, and nobody can know."""
    try:
        return os.waitpid(child, 0)[1]
    except ChildProcessError:
        return None


def _be_the_trial(n_bytes: int, read: Callable[[], str], says: int) -> None:
    """Read, tell, and leave without any of Python's own goodbyes."""
    status = 1
    try:
        for number in STOPPING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        _bound(n_bytes)
        silence = os.open(os.devnull, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(silence, stream)
        os.write(says, read().encode("utf-8", "replace")[:4000] + WHOLE)
        status = 0
    except MemoryError:
        os.write(says, b"damaged: reading it requires more memory than plausible." + WHOLE)
        status = 0
    finally:
        os._exit(status)


def _bound(n_bytes: int) -> None:
    import resource

    seconds = CPU_SECONDS + SECONDS_A_MEBIBYTE * (n_bytes >> 20)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        room = pages * resource.getpagesize() + MEMORY + TIMES * n_bytes
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard == resource.RLIM_INFINITY or room < hard:
            resource.setrlimit(resource.RLIMIT_AS, (room, hard))
