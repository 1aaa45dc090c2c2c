"""Commands that a signal stops in the middle: its status, and no half-written file."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("vtkmodules")

from shell.command import files_in, noise

# The command as it is, but for a word on stdout at a call of its progress, and a rest there.
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
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143}
COMMANDS = {
    "image": ("morse-smale", "field.npy"),
    "diagram": ("persistence-diagram", "field.npy"),
    "barcodes": ("rips", "points.csv"),
    "atoms": ("alpha", "atoms.xyz"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    np.save(tmp_path / "field.npy", noise(12, 12, 12))
    points = np.random.default_rng(1).random((60, 3))
    np.savetxt(tmp_path / "points.csv", points, delimiter=",", header="x,y,z", comments="")
    rows = "".join(f"C {x} {y} {z}\n" for x, y, z in (6 * points).tolist())
    (tmp_path / "atoms.xyz").write_text(f"60\n\n{rows}")
    return tmp_path


@pytest.mark.parametrize("sign", SIGNALS)
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("image", 5),
        *(
            pytest.param(name, call, marks=pytest.mark.long)
            for name in COMMANDS
            for call in (1, 3, 9)
        ),
    ],
)
def test_a_signal_in_the_middle_of_a_command_leaves_no_file(
    name: str, call: int, sign: signal.Signals, folder: Path
) -> None:
    before = files_in(folder)
    process = subprocess.Popen(
        [sys.executable, "-c", PAUSED.format(call=call), *COMMANDS[name], f"out-{name}.npz"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line == "working\n", (line, process.stderr and process.stderr.read())
    process.send_signal(sign)
    _, told = process.communicate(timeout=60)
    assert process.returncode == SIGNALS[sign], told
    assert "Traceback" not in told
    assert files_in(folder) == before
