"""`separatrix paraview-setup` with fake ParaView installations: search, report, and files.

tests/paraview_app/test_setup.py has the same with a ParaView.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import separatrix
import separatrix_vtk
from separatrix_vtk.cli.app import run_command
from separatrix_vtk.paraview.advice import cupy_wheel, gpu_steps, gpu_verdict, rows_for
from separatrix_vtk.paraview.inspection import Inspection, inspect, numbers
from separatrix_vtk.paraview.packages import as_sh
from separatrix_vtk.paraview.paraviews import ParaView, SetupError, find_paraviews
from separatrix_vtk.paraview.running import ask
from shell.command import separatrix as command
from shell.fake_paraviews import CLEAN, FACTS, TREE, paraview, program


def inspected(place: Path, version: str, body: str | None = None, **facts: Any) -> Inspection:
    tree = paraview(place, version, body, **facts)
    (found,) = find_paraviews(tree)
    return inspect(found, TREE, CLEAN)


# === search


def test_standard_folders_and_path_are_searched_and_each_paraview_is_found_once(tmp_path):
    old, new = (paraview(tmp_path / "opt", version) for version in ("5.12.1", "6.0.1"))
    links = tmp_path / "bin"
    links.mkdir()
    (links / "pvpython").symlink_to(old / "bin" / "pvpython")
    (tmp_path / "opt" / "ParaView-notes").mkdir()
    found = find_paraviews(None, {"PATH": str(links), "HOME": str(tmp_path)}, ("~/opt", "/gone"))
    assert [each.pvpython for each in found] == [links / "pvpython", new / "bin" / "pvpython"]


@pytest.mark.parametrize("below", ["", "bin", "bin/pvpython", "bin/paraview", ".."])
def test_a_paraview_is_given_by_its_folder_its_bin_a_program_or_the_parent_folder(tmp_path, below):
    tree = paraview(tmp_path, "6.0.1")
    (found,) = find_paraviews(Path(os.path.normpath(tree / below)))
    assert found == ParaView(tree / "bin", tree / "bin" / "pvpython")


def test_a_folder_that_is_not_a_paraview_is_reported(tmp_path):
    cases = {
        tmp_path / "gone": "does not exist",
        tmp_path: "contains no ParaView: neither it nor its bin contains pvpython or paraview",
    }
    for path, text in cases.items():
        with pytest.raises(SetupError, match=text):
            find_paraviews(path)
    tree = paraview(tmp_path, "6.0.1")
    for name in ("pvpython", "paraview"):
        (tree / "bin" / name).chmod(0o644)
    with pytest.raises(SetupError, match=r"pvpython is not executable; run chmod \+x"):
        find_paraviews(tree)
    with pytest.raises(SetupError, match="no ParaView was found on PATH or in the usual places"):
        find_paraviews(None, {"PATH": str(tmp_path), "HOME": str(tmp_path)}, ())


# === capabilities


@pytest.mark.parametrize(
    ("version", "venv", "plugins"),
    [("5.12.1", False, ""), ("5.13.3", True, ""), ("6.0.1", True, ""), ("6.1.0-RC1", True, "no")],
)
def test_each_version_is_reported_with_its_capabilities(tmp_path, version, venv, plugins):
    found = inspected(tmp_path, version, plugins=plugins)
    assert (found.version, found.problem) == (version, "")
    assert (found.has_venv_option, found.loads_python_plugins) == (venv, not plugins)
    names = [name for name, _ in rows_for(found, TREE.plugin, "")]
    assert names[0] == f"ParaView {version}"
    assert ("--venv" in names, "or load" in names) == (venv, not plugins)
    assert found.variables == {
        "PYTHONPATH": "/p one/engine:/p one/plugins", "PV_PLUGIN_PATH": "/p one/xml",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("echo 'libvtk.so: cannot open shared object file' >&2; exit 127",
         "ended with status 127: libvtk.so: cannot open shared object file"),
        ("kill -SEGV $$", r"crashed \(SIGSEGV\)"),
        ("sh -c 'kill -ABRT $$'; exit 134", r"crashed \(SIGABRT\)"),
        ("echo 'SEPARATRIX {'", "ended with status 0"),
    ],
)  # fmt: skip
def test_a_broken_paraview_is_reported_with_its_exit_status(tmp_path, body, text):
    found = inspected(tmp_path, "6.0.1", body)
    assert found.facts == {}
    assert re.search(text, found.problem), found.problem
    assert "\n" not in found.problem


def test_a_hanging_paraview_is_stopped_and_a_file_that_is_not_a_program_is_reported(tmp_path):
    slow = program(tmp_path / "slow", "echo waiting; sleep 60")
    answer = ask(slow, "probe.py", [], CLEAN, seconds=0.5)
    assert answer.problem == f"{slow} did not answer in 0.5 s: waiting"
    data = tmp_path / "data"
    data.write_bytes(b"\x7fELF no")
    data.chmod(0o755)
    problem = ask(data, "probe.py", [], CLEAN).problem
    assert problem == f"{data} cannot be started: Exec format error"


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({"python": "3.9.13"}, "its Python is 3.9.13, Separatrix requires 3.10 or newer"),
        ({"numpy": "1.21.5"}, "its NumPy is 1.21.5, Separatrix requires 1.23 or newer"),
        ({"numpy": "!No module named 'numpy'"}, "cannot import numpy: No module named 'numpy'"),
        ({"reads_pythonpath": False}, "its Python does not read PYTHONPATH"),
        ({"packages": "broken"}, "its Python cannot import separatrix: broken"),
    ],
)
def test_an_unusable_paraview_is_reported_with_the_reason(tmp_path, facts, text):
    assert text in inspected(tmp_path, "6.0.1", **facts).problem


def test_an_old_paraview_is_reported_with_the_required_version(tmp_path):
    assert "its ParaView is 5.9.1, Separatrix requires 5.11" in inspected(tmp_path, "5.9.1").problem


def test_a_paraview_without_pvpython_is_reported_with_the_missing_package(tmp_path):
    program(tmp_path / "bin" / "paraview", "")
    (found,) = find_paraviews(tmp_path)
    assert "apt-get install python3-paraview" in inspect(found, TREE, CLEAN).problem


def test_unknown_versions_are_accepted(tmp_path):
    found = inspected(tmp_path, "6.0.1", numpy="?", paraview="?")
    assert (found.version, found.problem) == ("6.0.1", "")


def test_versions_compare_as_numbers():
    assert numbers("5.13.2-RC1") == (5, 13, 2) > (5, 9)
    assert numbers("") == ()


# === virtual environments and CuPy


def venv(folder: Path, version: str) -> Path:
    """A virtual environment with CuPy, NumPy, and VTK."""
    site = folder / "lib" / "python3.12" / "site-packages"
    for name, module in (("cupy-cuda12x", "cupy"), ("numpy", "numpy"), ("vtk", "vtkmodules")):
        (site / module).mkdir(parents=True)
        (site / module / "__init__.py").touch()
        info = site / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "RECORD").write_text(f"{module}/__init__.py,,\n{info.name}/METADATA,,\n")
    (folder / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {version}\n")
    return folder


def test_only_packages_that_paraview_lacks_are_added_from_an_environment(tmp_path):
    here = {**CLEAN, "HOME": str(tmp_path)}
    tree = paraview(tmp_path, "6.0.1", modules=["numpy", "vtkmodules"])
    (found,) = find_paraviews(tree)
    reported = inspect(found, TREE, here, venv(tmp_path / "fits", "3.12.3"))
    *own, folder = reported.variables["PYTHONPATH"].split(":")
    assert own == ["/p one/engine", "/p one/plugins"]
    assert reported.linked == ("cupy-cuda12x",)
    assert sorted(path.name for path in Path(folder).iterdir()) == [
        "cupy", "cupy_cuda12x-1.0.dist-info",
    ]  # fmt: skip
    site = tmp_path / "fits" / "lib" / "python3.12" / "site-packages"
    assert (Path(folder) / "cupy").resolve() == site / "cupy"
    with pytest.raises(
        SetupError, match=r"contains Python 3.10, but this ParaView has 3.12; create one"
    ):
        inspect(found, TREE, here, venv(tmp_path / "other", "3.10.1"))
    with pytest.raises(SetupError, match="is not a virtual environment: it has no pyvenv"):
        inspect(found, TREE, here, tmp_path)


def test_packages_for_another_python_issue_a_warning(tmp_path):
    pytest.importorskip("gemmi")
    found = inspected(tmp_path, "6.0.1", modules=[], python="3.99.1")
    assert found.linked == ()
    (warning,) = found.warnings
    assert warning.startswith("gemmi cannot be linked into ParaView: ")
    assert "this ParaView has 3.99; create one of that version" in warning


@pytest.mark.parametrize(
    ("driver", "wheel"), [(11080, ""), (12040, "cupy-cuda12x"), (13000, "cupy-cuda13x")]
)
def test_the_wheel_of_cupy_follows_the_driver(driver, wheel):
    assert cupy_wheel(driver) == wheel


def about(**facts: Any) -> Inspection:
    found = ParaView(Path("/opt/pv/bin"), Path("/opt/pv/bin/pvpython"))
    return Inspection(found, "6.0.1", {**FACTS, **facts}, "")


def test_cupy_is_explained_for_each_kind_of_paraview(tmp_path):
    assert gpu_verdict(about()).startswith("no NVIDIA driver was found")
    assert gpu_steps(about()) == []
    assert gpu_steps(about(cuda_driver=12040, pip=True)) == [
        '/opt/pv/bin/pvpython -m pip install cupy-cuda12x "numpy==1.26.4"'
    ]
    make, install, use = gpu_steps(about(cuda_driver=13000))
    assert make == "python3.12 -m venv ~/paraview-python"
    assert install == '~/paraview-python/bin/pip install cupy-cuda13x "numpy==1.26.4"'
    assert use == "separatrix paraview-setup /opt/pv/bin --venv ~/paraview-python"
    program(tmp_path / "bin" / "python3.12", "")
    make, *_ = gpu_steps(about(cuda_driver=13000, prefix=str(tmp_path)))
    assert make == f"{tmp_path}/bin/python3.12 -m venv --system-site-packages ~/paraview-python"
    assert "too old for CuPy" in gpu_steps(about(cuda_driver=11080))[0]


def test_packages_for_a_gpu_are_listed_on_a_machine_without_one(printed, tmp_path):
    tree = paraview(tmp_path, "6.0.1")
    status, out, _ = printed(tree, "--cuda")
    assert status == 0
    assert [line.strip() for line in out.splitlines()] == [
        "GPU  no NVIDIA driver was found on this machine, so the CPU is used",
        "python3.12 -m venv ~/paraview-python",
        '~/paraview-python/bin/pip install cupy-cuda12x "numpy==1.26.4"',
        f"separatrix paraview-setup {tree}/bin --venv ~/paraview-python",
    ]


@pytest.mark.parametrize(
    ("gpu", "text"), [("cuda:0", "computed on cuda:0"), ("", "no GPU can be used, so the CPU was")]
)
def test_a_check_reports_the_device(printed, tmp_path, gpu, text):
    tree = paraview(tmp_path, "6.0.1", filters=12, notes=[], gpu=gpu, problem="")
    status, out, _ = printed(tree, "--check")
    assert (status, text in out) == (0, True)
    assert json.loads(printed(tree, "--check", "--json")[1])["gpu"] == (gpu or None)


def test_the_gpu_and_the_reason_why_it_is_unusable_are_reported():
    gpu = {"name": "cuda:0", "usable": True, "reason": "", "description": "H200", "memory": 1}
    good = about(cuda_driver=12040, cupy="13.3.0", devices=[gpu])
    assert gpu_verdict(good) == "CuPy 13.3.0 computes on cuda:0 (H200)"
    assert gpu_steps(good) == []
    bad = {**gpu, "usable": False, "reason": "libnvrtc.so.12 not found"}
    bad_one = about(cuda_driver=12040, cupy="13.3.0", devices=[bad])
    assert gpu_verdict(bad_one) == "CuPy 13.3.0 cannot be used: libnvrtc.so.12 not found"
    assert "libnvrtc.so" in gpu_steps(bad_one)[0]
    broken = about(cuda_driver=12040, cupy="!numpy is too new")
    assert gpu_verdict(broken).startswith("CuPy cannot be imported: numpy is too new")


# === the command


@pytest.fixture
def printed(tmp_path, monkeypatch, capsys):
    """Run `separatrix paraview-setup` in a folder with a fresh home: status, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("PYTHONPATH", raising=False)

    def run(*arguments):
        status = run_command(["paraview-setup", *map(str, arguments)])
        return (status, *capsys.readouterr())

    return run


def test_the_command_reports_prints_and_writes(printed, tmp_path):
    tree = paraview(tmp_path, "6.0.1")
    status, out, err = printed(tree)
    assert (status, err) == (0, "")
    assert out.startswith("ParaView 6.0.1")
    _, out, _ = printed(tree, "--json", "--launcher", "go")
    summary = json.loads(out)
    assert summary["launcher"] == str(tmp_path / "go")
    (one,) = summary["paraviews"]
    assert one["vtk_wheel_crashes"] is True
    assert printed(tree, "--print") == (0, as_sh(one["variables"]), "")
    assert str(separatrix_vtk.xml_directory()) in one["variables"]["PV_PLUGIN_PATH"]
    assert str(Path(separatrix.__file__).parents[1]) in one["variables"]["PYTHONPATH"]


def test_the_first_usable_one_is_selected_and_all_are_listed(printed, tmp_path):
    place = tmp_path / "place"
    paraview(place, "6.1.0", "exit 7")
    good = paraview(place, "6.0.1")
    status, out, err = printed(place, "--launcher", "go")
    assert (status, err) == (0, "")
    assert str(good) in (tmp_path / "go").read_text()
    status, out, _ = printed(place)
    assert status == 0
    assert "cannot be used  " in out
    assert "ended with status 7" in out
    assert out.index("ParaView 6.1.0") < out.index("ParaView 6.0.1")


def test_the_command_reports_errors_in_one_sentence(printed, tmp_path):
    tree = paraview(tmp_path, "6.0.1", python="3.9.2")
    status, out, err = printed(tree, "--launcher", "go")
    assert (status, out, err.count("\n")) == (2, "", 1)
    wanted = f"separatrix: {tree}/bin: its Python is 3.9.2, Separatrix requires 3.10 or newer"
    assert err.startswith(wanted)
    assert not (tmp_path / "go").exists()
    status, _, err = printed(tree, "--print", "--json")
    assert status == 2
    assert err == "separatrix: --print and --json cannot be combined. Omit one of them.\n"


@pytest.mark.parametrize("option", ["--plugin-path", "--version"])
def test_version_and_help_require_no_extra(option, tmp_path):
    done = command(option, folder=tmp_path, without="typer")
    assert (done.returncode, done.stderr) == (0, "")
    reported = {"--plugin-path": separatrix_vtk.plugin_path(), "--version": separatrix.__version__}
    assert done.stdout.split()[-1] == str(reported[option])
