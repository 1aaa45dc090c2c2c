"""Ends of commands: exit codes, JSON errors, quiet mode, signals, closed pipes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from separatrix_vtk.cli import main
from separatrix_vtk.cli.exit_codes import EXIT_CODES
from separatrix_vtk.cli.help import page_of_all
from separatrix_vtk.cli.summary import plain
from shell.command import RUN, files_in, noise


def failing(error: BaseException) -> Any:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    return fail


WAYS = {
    "device": (sx.DeviceUnavailable("cuda:0 cannot be used: it is away"), 3),
    "device memory": (sx.DeviceMemoryError("a volume needs 9 bytes; raise {memory_limit}"), 3),
    "memory": (MemoryError(), 3),
    "kernels": (sx.KernelError("the library is broken"), 3),
    "full disk": (OSError(28, "No space left on device"), 3),
    "wrong file": (PermissionError(13, "Permission denied", "field.npy"), 2),
    "input": (sx.InputError("values must be real"), 2),
    "ctrl-c": (KeyboardInterrupt(), 130),
    "canceled": (sx.Canceled("stopped"), 130),
    "reader gone": (BrokenPipeError(32, "Broken pipe"), 141),
    "fault": (ZeroDivisionError("division by zero"), 1),
    "plain value": (ValueError("not for users"), 1),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_exit_code_depends_on_the_kind_of_error(way, folder, monkeypatch, capsys):
    error, status = WAYS[way]
    monkeypatch.setattr(sx, "discrete_gradient", failing(error))
    assert main(["critical-points", "field.npy"]) == status
    assert status in EXIT_CODES
    said = capsys.readouterr()
    assert said.out == ""
    assert ("Traceback" in said.err) == (status == 1)
    assert said.err.count("separatrix: ") == (status != 141)
    assert ("--memory-limit" in said.err) == (way == "device memory")
    assert main(["critical-points", "field.npy", "--json"]) == status
    said = capsys.readouterr()
    if status != 141:
        reported = json.loads(said.out)
        assert reported["exit_code"] == status
        assert said.err.endswith(f"separatrix: {reported['error']}\n")


def test_every_exit_code_is_on_the_first_page():
    for code, meaning in EXIT_CODES.items():
        assert f"\n  {code} " in page_of_all()
        assert " ".join(meaning.split()[:3]) in page_of_all()


@pytest.mark.parametrize(
    "line",
    [
        "morse-smale field.npy --threads -3 --json",
        "morse-smale nothing.npy --json",
        "morse-smale field.npy --devise x --json",
        "morse-small --json",
        "morse-smale --json",
        "rips field.npy out.stl --json --quiet",
    ],
)
def test_json_of_an_error_is_one_object(line, folder, capsys):
    assert main(line.split()) == 2
    said = capsys.readouterr()
    assert said.out.count("\n") == 1
    reported = json.loads(said.out)
    assert reported.keys() == {"error", "exit_code"}
    assert said.err == f"separatrix: {reported['error']}\n"


def test_json_after_two_hyphens_is_not_an_option(folder, capsys):
    assert main(["critical-points", "--", "--json"]) == 2
    assert capsys.readouterr().out == ""


def test_numbers_without_a_form_in_json_are_null():
    given = {"a": np.float64("inf"), "b": [np.nan, 1.5], "c": np.arange(2), 3: (True, None)}
    assert plain(given) == {"a": None, "b": [None, 1.5], "c": [0, 1], "3": [True, None]}


def start(folder: Path, code: str, *arguments: str, **how: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        **{"stdout": subprocess.PIPE, **how},
    )


# The command with a word on stdout at a call of its progress, and a pause.
PAUSED = """
import sys, time
from contextlib import contextmanager
from separatrix_vtk.cli import main, reporter
left = [{call}]
@contextmanager
def pausing(wanted):
    def step(fraction, stage):
        left[0] -= 1
        if left[0] == 0:
            print("working", flush=True)
            time.sleep(1)
    yield step
reporter.progress_bar = pausing
sys.exit(main(sys.argv[1:]))
"""
COMMANDS = {
    "morse-smale": "field.npy",
    "persistence-diagram": "field.npy",
    "rips": "points.csv",
    "alpha": "atoms.xyz",
}


@pytest.mark.parametrize(
    ("command", "call", "output"),
    [
        ("morse-smale", 5, "out.vtm"),
        ("morse-smale", 5, "out.npz"),
        *(
            pytest.param(command, call, "out.npz", marks=pytest.mark.long)
            for command in COMMANDS
            for call in (1, 3, 9)
        ),
    ],
)
@pytest.mark.parametrize(
    ("sign", "status", "word"),
    [(signal.SIGINT, 130, "stopped"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_stops_the_command_without_leaving_a_file(
    folder, sign, status, word, command, call, output
):
    np.save(folder / "field.npy", noise(12, 12, 12))
    points = noise(60, 3) / 100
    np.savetxt(folder / "points.csv", points, delimiter=",", header="x,y,z", comments="")
    rows = "".join(f"C {x} {y} {z}\n" for x, y, z in (6 * points).tolist())
    (folder / "atoms.xyz").write_text(f"60\n\n{rows}")
    before = files_in(folder)
    process = start(folder, PAUSED.format(call=call), command, COMMANDS[command], output, "--json")
    assert process.stdout is not None
    assert process.stdout.readline() == "working\n"
    started = time.monotonic()
    process.send_signal(sign)
    out, reported = process.communicate(timeout=60)
    assert process.returncode == status
    assert time.monotonic() - started < 5
    assert json.loads(out) == {"error": word, "exit_code": status}
    assert reported.splitlines()[-2:] == ["separatrix: stopping ...", f"separatrix: {word}"]
    assert "Traceback" not in reported
    assert files_in(folder) == before


def test_a_closed_pipe_ends_the_command_without_a_message(folder):
    read_end, write_end = os.pipe()
    os.close(read_end)
    process = start(folder, RUN, "critical-points", "field.npy", stdout=write_end)
    os.close(write_end)
    _, reported = process.communicate(timeout=60)
    assert (process.returncode, reported) == (141, "")


def test_quiet_does_not_hide_errors(folder, capsys):
    assert main(["critical-points", "field.npy", "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main(["critical-points", "field.npy", "-q", "-a", "x"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("separatrix: field.npy: .npy files contain one array")


def test_the_command_runs_in_a_thread_without_signals(folder):
    from threading import Thread

    statuses = []
    thread = Thread(target=lambda: statuses.append(main(["critical-points", "field.npy", "-q"])))
    thread.start()
    thread.join(60)
    assert statuses == [0]
