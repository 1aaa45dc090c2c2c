"""Closed standard streams and an ignored SIGCHLD, as set by some callers."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from separatrix_vtk.io.vtk_files import problem_of
from shell.command import RUN

TERRAIN = Path(__file__).resolve().parents[2] / "sample_data" / "terrain.vti"
ATOMS = "2\n\nC 0 0 0\nC 1 1 1\n"


@pytest.fixture
def folder(folder):
    (folder / "atoms.xyz").write_text(ATOMS)
    (folder / "points.csv").write_text("x,y,z\n0,0,0\n1,0,0\n0,1,0\n0,0,1\n")
    return folder


def closing(redirection: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a shell that closes one of its streams."""
    script = f'exec "$0" -c "{RUN}" "$@" {redirection}'
    return subprocess.run(
        ["sh", "-c", script, sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize(
    "line",
    [
        f"critical-points {TERRAIN}",
        "critical-points field.npy",
        "rips points.csv",
        "alpha atoms.xyz",
    ],
    ids=["vti", "npy", "csv", "xyz"],
)
def test_a_closed_stderr_does_not_change_results(line, folder):
    done = closing("2>&-", folder, *line.split(), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    assert json.loads(done.stdout)["warnings"] == []


def test_an_error_with_a_closed_stderr_is_one_object_on_stdout(folder):
    done = closing("2>&-", folder, "critical-points", "nothing.npy", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["exit_code"] == 2


@pytest.mark.parametrize("redirection", [">&-", "<&- >&- 2>&-"])
def test_a_file_is_written_without_a_stdout(redirection, folder):
    done = closing(redirection, folder, "critical-points", "field.npy", "out.npz")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    with np.load(folder / "out.npz") as arrays:
        assert arrays.files


def test_results_do_not_depend_on_an_ignored_sigchld(folder):
    done = subprocess.run(
        [sys.executable, "-c", RUN, "critical-points", str(TERRAIN), "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=100,
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["input"] == str(TERRAIN)


def test_the_result_of_a_trial_does_not_need_sigchld(folder):
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        assert problem_of([folder / "field.npy"], lambda: "") == ""
        assert problem_of([folder / "field.npy"], lambda: "wrong") == "wrong"
        reported = problem_of([folder / "field.npy"], lambda: os._exit(3))  # type: ignore[func-returns-value, return-value]
        assert reported == "damaged: VTK's reader crashes on it."
    finally:
        signal.signal(signal.SIGCHLD, before)
