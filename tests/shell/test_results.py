"""Files and printed output of the commands equal the results of the engine."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from shell.command import files_in, noise, read, rows_in, separatrix

VALUES = noise(5, 6, 7)


def test_rewriting_a_vtm_file_preserves_other_files_in_its_folder(folder):
    (folder / "out").mkdir()
    (folder / "out" / "notes.txt").write_text("mine")
    for _ in range(2):
        assert separatrix("morse-smale", "field.npy", "out.vtm", folder=folder).returncode == 0
    (folder / "out" / "out_9.vtp").write_text("left by a result with more pieces")
    (folder / "out" / "out_9.txt").write_text("mine")
    assert separatrix("morse-smale", "field.npy", "out.vtm", folder=folder).returncode == 0
    assert "out/out_9.vtp" not in files_in(folder)
    assert "out/out_9.txt" in files_in(folder)
    assert (folder / "out" / "notes.txt").read_text() == "mine"
    assert read(folder / "out.vtm").GetBlock(0).GetNumberOfPoints()


def test_outputs_that_are_not_written_are_not_computed(folder):
    done = separatrix(
        "morse-smale", "field.npy", "out.vtp", "--port", "critical-points", "--json", folder=folder
    )
    seconds = set(json.loads(done.stdout)["seconds"])
    assert not [stage for stage in seconds if "labels" in stage or "lines" in stage]
    assert {"gradient", "pairs"} <= seconds
    alone = ("--port", "critical-points", "--no-pairs", "--json")
    done = separatrix("morse-smale", "field.npy", "out.vtp", *alone, folder=folder)
    assert set(json.loads(done.stdout)["seconds"]) == {"upload", "gradient", "critical cells"}
    done = separatrix(
        "morse-smale", "field.npy", "o.vtm", "--no-segmentation", "--json", folder=folder
    )
    assert "descending labels" not in (seconds := json.loads(done.stdout)["seconds"])
    assert "descending lines" in seconds
    seconds = json.loads(separatrix("morse-smale", "field.npy", "--json", folder=folder).stdout)
    assert {"connectors", "pairs"} <= set(seconds["seconds"])


def test_the_table_contains_counts_time_and_device(folder):
    done = separatrix("morse-smale", "field.npy", "--device", "cpu", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    rows = rows_in(done.stdout)
    counts = sx.morse_smale(VALUES).critical.counts
    for name, count in zip(("minima", "1-saddles", "2-saddles", "maxima"), counts, strict=True):
        assert rows[name] == str(count)
    assert rows["Euler characteristic"] == "1"
    assert rows["device"] == "cpu"
    assert rows["input"] == "field.npy, 7 x 6 x 5"
    assert float(rows["computed in"].removesuffix(" s")) >= 0
    assert "gradient" not in done.stdout
    assert "written" not in rows


def test_a_slice_has_minima_saddles_and_maxima(folder):
    np.save(folder / "slice.npy", noise(6, 7))
    done = separatrix("critical-points", "slice.npy", folder=folder)
    assert [line.split()[0] for line in done.stdout.splitlines()[2:5]] == [
        "minima", "saddles", "maxima",
    ]  # fmt: skip


def test_devices_are_listed_with_the_reason_why_they_are_unavailable(folder):
    done = separatrix("devices", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    reports = json.loads(separatrix("devices", "--json", folder=folder).stdout)["devices"]
    assert reports[0]["name"] == "cpu"
    assert reports[0]["usable"]
    for report in reports:
        assert report["name"] in done.stdout
        assert report["usable"] or report["reason"] in done.stdout


@pytest.mark.parametrize("how", ["separatrix", "python -m"])
def test_the_path_of_the_plugin_file_is_printed(folder, how):
    import subprocess

    if how == "separatrix":
        done = separatrix("--plugin-path", folder=folder)
    else:
        done = subprocess.run(
            [sys.executable, "-m", "separatrix_vtk", "--plugin-path"],
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0
    assert done.stdout.endswith("SeparatrixPlugin.py\n")
    assert Path(done.stdout.strip()).is_file()


def test_a_progress_bar_is_shown_on_a_terminal_only(folder):
    pty = pytest.importorskip("pty")
    code = "from separatrix_vtk.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
    arguments = [sys.executable, "-c", code, "morse-smale", str(folder / "field.npy")]
    shown = []

    def keep(terminal):
        shown.append(os.read(terminal, 4096))
        return shown[-1]

    status = pty.spawn(arguments, keep, lambda _: b"")
    assert os.waitstatus_to_exitcode(status) == 0
    on_terminal = b"".join(shown)
    assert b"\x1b[" in on_terminal  # the bar's control sequences
    assert b"remaining" in on_terminal
    assert b"Euler characteristic  1" in on_terminal
    assert "\x1b" not in separatrix("morse-smale", "field.npy", folder=folder).stderr


@pytest.mark.parametrize(
    ("arguments", "port"),
    [
        ("r.csv --regions descending", "regions"),
        ("s.vtp --surfaces", "separatrices-2"),
        ("l.vtp --smooth 2", "separatrices-1"),
        ("n.vti --simplified-field --persistence 5%", "segmentation"),
    ],
)
def test_an_option_selects_the_port_that_it_applies_to(folder, arguments, port):
    done = separatrix("morse-smale", "field.npy", *arguments.split(), "--json", folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["port"] == port


@pytest.mark.parametrize("output", [[], ["c.npz"], ["c.vtp"]])
def test_an_array_that_looks_like_colors_issues_one_warning(folder, output):
    np.save(folder / "colors.npy", np.arange(270, dtype=np.uint8).reshape(9, 10, 3))
    done = separatrix("critical-points", "colors.npy", *output, "--json", folder=folder)
    assert done.stderr.count("\n") == 1
    assert "colors.npy: integers of shape (9, 10, 3) look like an image with 3 colors" in (
        done.stderr
    )
    assert len(json.loads(done.stdout)["warnings"]) == 1


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((9, 10, 5), np.uint16), ((8, 10, 3), np.uint16), ((9, 30), np.uint16), ((9, 10, 3), "f4")],
)
def test_other_arrays_do_not_look_like_colors(folder, shape, dtype):
    np.save(folder / "a.npy", np.arange(np.prod(shape)).reshape(shape).astype(dtype))
    assert separatrix("critical-points", "a.npy", folder=folder).stderr == ""
