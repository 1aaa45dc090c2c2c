"""A signal during writing leaves the old file or the complete new one."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from separatrix_vtk.base.signals import last_step, signals_noted, stop_if_wanted, stop_wanted
from separatrix_vtk.cli import main
from separatrix_vtk.io import tables
from separatrix_vtk.io import writers as write
from shell.command import files_in, noise
from shell.test_ends import start

STATUS = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129}
# The command with one signal, which is sent when a function is called.
SIGNALED = """
import os, signal, sys
import numpy as np
signal.signal(signal.SIGHUP, signal.{hangup})
def kill(count=[0]):
    count[0] += 1
    print("call", count[0], flush=True)
    if count[0] == 1:
        os.kill(os.getpid(), signal.{name})
real_write, real_replace = np.lib.format.write_array, os.replace
def writing(*arguments, **options):
    real_write(*arguments, **options)
    {writing}
def renaming(*arguments):
    {renaming}
    real_replace(*arguments)
np.lib.format.write_array, os.replace = writing, renaming
from separatrix_vtk.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def folder(folder):
    (folder / "out.npz").write_text("old")
    return folder


def signaled(
    folder: Path,
    name: str,
    *,
    hangup: str = "SIG_DFL",
    writing: str = "pass",
    renaming: str = "pass",
) -> tuple[int, list[str], list[str]]:
    """Status and lines of a command that gets a signal at the first call of a function."""
    code = SIGNALED.format(name=name, hangup=hangup, writing=writing, renaming=renaming)
    process = start(folder, code, "critical-points", "field.npy", "out.npz", "--json")
    out, reported = process.communicate(timeout=60)
    assert files_in(folder) == ["field.npy", "out.npz"]
    assert not [path for path in folder.iterdir() if path.is_dir()]
    return process.returncode, out.splitlines(), reported.splitlines()


@pytest.mark.parametrize("name", STATUS)
def test_a_signal_during_writing_keeps_the_old_file(folder, name):
    status, printed, reported = signaled(folder, name, writing="kill()")
    word = "stopped" if name == "SIGINT" else "terminated"
    assert status == STATUS[name]
    assert printed[0] == "call 1", "the next array was begun"
    assert json.loads(printed[1]) == {"error": word, "exit_code": status}
    assert reported == ["separatrix: stopping ...", f"separatrix: {word}"]
    assert (folder / "out.npz").read_text() == "old"


@pytest.mark.parametrize("name", STATUS)
def test_a_signal_during_renaming_is_ignored(folder, name):
    status, printed, reported = signaled(folder, name, renaming="kill()")
    assert (status, reported) == (0, [])
    assert json.loads(printed[1])["output"] == "out.npz"
    with np.load(folder / "out.npz") as arrays:
        assert len(arrays.files) > 1


def test_an_ignored_hangup_remains_ignored(folder):
    status, _, reported = signaled(folder, "SIGHUP", hangup="SIG_IGN", writing="kill()")
    assert (status, reported) == (0, [])
    assert (folder / "out.npz").read_bytes()[:2] == b"PK"


def test_the_exit_code_does_not_change_if_the_terminal_is_closed(folder):
    code = SIGNALED.format(name="SIGHUP", hangup="SIG_DFL", writing="kill()", renaming="pass")
    with open("/dev/full", "w") as full:
        process = subprocess.Popen(
            [sys.executable, "-c", code, "critical-points", "field.npy", "out.npz"],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=full,
        )
        assert process.wait(60) == 129
    assert files_in(folder) == ["field.npy", "out.npz"]


def interrupting(when: int) -> Callable[..., None]:
    """A function that sends Ctrl-C at one of its calls."""
    calls = iter(range(1, 10**6))

    def interrupt(*_: Any) -> None:
        if next(calls) == when:
            os.kill(os.getpid(), signal.SIGINT)

    return interrupt


def test_ctrl_c_stops_vtk_while_it_writes_an_array(tmp_path):
    pytest.importorskip("vtkmodules")
    from vtkmodules.vtkCommonDataModel import vtkImageData
    from vtkmodules.vtkIOXML import vtkXMLImageDataWriter

    from separatrix_vtk.base.arrays import to_vtk

    image, values = vtkImageData(), np.random.default_rng(3).random(110**3)
    image.SetDimensions(110, 110, 110)
    image.GetPointData().AddArray(to_vtk(values, "values"))
    writer = vtkXMLImageDataWriter()
    writer.SetInputData(image)
    (tmp_path / "out.vti").write_text("old")
    sizes = []

    def measure(*_):
        (file,) = (path for path in tmp_path.rglob("out.vti") if path.parent != tmp_path)
        sizes.append(file.stat().st_size)

    writer.AddObserver("ProgressEvent", interrupting(3), 1.0)
    writer.AddObserver("ProgressEvent", measure)
    with pytest.raises(KeyboardInterrupt):
        write.write_picture(tmp_path / "out.vti", writer)
    assert 0 < len(sizes) < 50
    assert sizes[-1] < values.nbytes / 2
    assert (tmp_path / "out.vti").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.vti"]


def test_ctrl_c_stops_the_writing_of_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROWS", 2)

    def write_after_a_signal():
        with signals_noted():
            os.kill(os.getpid(), signal.SIGINT)
            tables.write_columns(tmp_path / "rows.csv", {"a": np.arange(5)})

    with pytest.raises(KeyboardInterrupt):
        write_after_a_signal()
    assert (tmp_path / "rows.csv").read_text().split() == ["a"]
    tables.write_columns(tmp_path / "rows.csv", {"a": np.arange(5)})
    assert (tmp_path / "rows.csv").read_text().split() == ["a", "0", "1", "2", "3", "4"]


def test_a_second_signal_does_not_wait():
    noted = []

    def interrupt_twice():
        with signals_noted():
            os.kill(os.getpid(), signal.SIGTERM)
            noted.append(stop_wanted())
            os.kill(os.getpid(), signal.SIGINT)
            noted.append(False)

    with pytest.raises(KeyboardInterrupt):
        interrupt_twice()
    assert noted == [True]
    assert not stop_wanted()


def test_a_signal_during_renaming_is_handled_afterwards():
    came_to = []

    def rename():
        with signals_noted():
            with last_step():
                os.kill(os.getpid(), signal.SIGINT)
                os.kill(os.getpid(), signal.SIGTERM)
                came_to.append("the end of the renaming")
            stop_if_wanted()
            came_to.append("the end of the writing")

    with pytest.raises(KeyboardInterrupt):
        rename()
    assert len(came_to) == 2


def test_an_interrupted_run_of_several_alphas_writes_no_file(folder, monkeypatch, capsys):
    pytest.importorskip("vtkmodules")
    from separatrix_vtk import AlphaComplex

    np.savetxt(folder / "points.csv", noise(20, 3) / 10, delimiter=",", header="x,y,z", comments="")
    command = ["alpha", "points.csv", "--constant-radius", "1", "-q"]
    assert main([*command, "out.npz", "--alpha", "5"]) == 0
    assert main([*command, "both.npz", "--alpha", "0", "5"]) == 0
    with np.load("out.npz") as one, np.load("both.npz") as both:
        assert one.files == both.files
        assert all(np.array_equal(one[name], both[name]) for name in one.files)
    (folder / "out.npz").write_text("old")
    real, n_runs = AlphaComplex.run, iter(range(9))

    def running(self, *arguments):
        if next(n_runs) == 1:
            raise KeyboardInterrupt
        return real(self, *arguments)

    monkeypatch.setattr(AlphaComplex, "run", running)
    assert main([*command, "out.npz", "--alpha", "0", "5"]) == 130
    assert capsys.readouterr().err == "separatrix: stopped\n"
    assert (folder / "out.npz").read_text() == "old"
