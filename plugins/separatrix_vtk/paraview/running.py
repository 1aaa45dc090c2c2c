"""Run a script by a ParaView's pvpython and read the one line of JSON that it answers with."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 120  # a first start from a network's disk takes tens of seconds
ANSWER = "SEPARATRIX "
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Answer:
    """The answer of a script, or in `problem` the reason why there is none, and its output."""

    facts: dict[str, Any]
    problem: str
    text: str


def ask(
    pvpython: Path,
    script: str,
    arguments: Sequence[object],
    environment: Mapping[str, str],
    *,
    screen: bool = False,
    seconds: float = SECONDS,
) -> Answer:
    """Run a script of this folder. `screen`: on a virtual one if there is none to draw on."""
    command = [str(pvpython), str(HERE / script), *map(str, arguments)]
    if screen and not environment.get("DISPLAY") and not environment.get("WAYLAND_DISPLAY"):
        xvfb = shutil.which("xvfb-run", path=environment.get("PATH", os.defpath))
        command = [xvfb, "-a", *command] if xvfb else command
    status, text = run(command, environment, seconds)
    lines = [line[len(ANSWER) :] for line in text.splitlines() if line.startswith(ANSWER)]
    if lines:
        try:
            return Answer(dict(json.loads(lines[-1])), "", text)
        except ValueError:
            pass
    return Answer({}, f"{pvpython} {how_it_ended(status, text, seconds)}", text)


def version_of(pvpython: Path, environment: Mapping[str, str], seconds: float = SECONDS) -> str:
    """The version that ParaView reports, such as "5.11.0"; empty if it reports none."""
    status, text = run([str(pvpython), "--version"], environment, seconds)
    found = re.search(r"version\s+(\d+\.\d+\S*)", text) if status == 0 else None
    return found[1] if found else ""


def run(
    command: Sequence[str], environment: Mapping[str, str], seconds: float
) -> tuple[int | None, str]:
    """Exit status (None: too slow or not to be started) and everything printed."""
    with tempfile.TemporaryFile() as log:
        try:
            process = subprocess.Popen(
                command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            return None, f"cannot be started: {error.strerror}"
        status: int | None = None
        try:
            status = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            pass
        finally:  # after Ctrl-C too: with all that it has started
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        log.seek(0)
        return status, log.read().decode(errors="replace")


def how_it_ended(status: int | None, text: str, seconds: float) -> str:
    """The end of a program that did not answer, in words."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = f": {lines[-1][:300]}" if lines else ""
    if status is None:
        started = not text.startswith("cannot be")
        return f"did not answer in {seconds:g} s{last}" if started else lines[0]
    # A shell that runs the program adds 128 to the number of a signal.
    number = -status if status < 0 else status - 128
    if number > 0 and number in set(signal.Signals):
        return f"crashed ({signal.Signals(number).name}){last}"
    return f"ended with status {status}{last}"
