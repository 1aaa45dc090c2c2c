"""`separatrix paraview-setup` with the ParaView of this machine, in a fresh home folder.

tests/repository/test_wheel.py has the same with an installed wheel beside a `vtk` wheel.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from paraview_app.conftest import need

REPOSITORY = Path(__file__).resolve().parents[2]
RUN = "import sys; from separatrix_vtk.cli import main; sys.exit(main())"
SCRIPT = """
from paraview.simple import *
image = Wavelet(WholeExtent=[0, 5, 0, 5, 0, 5])
points = SeparatrixCriticalPoints(Input=image)
points.UpdatePipeline()
print("POINTS", points.GetDataInformation().GetNumberOfPoints())
import numpy
print("NUMPY", numpy.__file__)
"""
MOLECULE = """
atoms = SeparatrixMoleculeReader(FileName=sys.argv[1])
atoms.UpdatePipeline()
own = PythonCalculator(Input=image, Expression="RTData + 1", ArrayName="more")
own.UpdatePipeline()
print("ATOMS", atoms.GetDataInformation().GetNumberOfPoints(), own.PointData.GetArray("more").Name)
"""
Setup = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = [pytest.mark.paraview, pytest.mark.long]


@pytest.fixture
def setup(environment, tmp_path) -> Setup:
    """Run the command without a display, in a shell without settings of Separatrix."""
    need("pvpython")
    path = os.pathsep.join(str(REPOSITORY / name) for name in ("engine", "plugins"))

    def run(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
        known = {
            name: value
            for name, value in environment.items()
            if name not in ("DISPLAY", "PYTHONPATH", "PV_PLUGIN_PATH")
        }
        code = f"import sys; sys.path[:0] = {path.split(os.pathsep)!r}; {RUN}"
        return subprocess.run(
            [sys.executable, "-c", code, "paraview-setup", *map(str, arguments)],
            cwd=tmp_path,
            env={**known, **variables},
            capture_output=True,
            text=True,
            timeout=200,
        )

    return run


def test_it_checks_the_filters_and_writes_a_launcher_that_starts_them(setup, environment, tmp_path):
    done = setup("--check", "--json", "--launcher", "start")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["paraviews"]
    assert found["version"] >= "5.11"
    assert found["problem"] == found["packages_linked"] == ""
    assert found["vtk_wheel_crashes"] is True
    assert found["devices"][0]["usable"] is True
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    fresh = {name: environment[name] for name in ("PATH", "HOME", "DISPLAY")}
    # A second VTK on the path would end ParaView; the launcher leaves it out.
    vtk = tmp_path / "with_vtk"
    (vtk / "vtkmodules").mkdir(parents=True)
    (vtk / "vtkmodules" / "__init__.py").write_text("import os; os.abort()")
    run = subprocess.run(
        [str(tmp_path / "start"), "pvpython", str(script)],
        env={**fresh, "PYTHONPATH": str(vtk)}, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert (run.returncode, "POINTS 11" in run.stdout) == (0, True), run.stdout + run.stderr


def test_the_launcher_brings_gemmi_and_no_package_that_paraview_has(
    setup, environment, sample_data, tmp_path
):
    pytest.importorskip("gemmi")
    for options in ((), ("--venv", sys.prefix)):  # which has another NumPy and VTK
        done = setup("--launcher", "start", *options)
        if "cannot be linked" in done.stderr or "contains Python" in done.stderr:
            pytest.skip("gemmi is of another Python than ParaView's")
        assert (done.returncode, done.stderr) == (0, "")
        script = tmp_path / "script.py"
        script.write_text("import sys\n" + SCRIPT + MOLECULE)
        run = subprocess.run(
            [str(tmp_path / "start"), "pvpython", str(script), str(sample_data / "1crn.pdb")],
            env={name: environment[name] for name in ("PATH", "HOME", "DISPLAY")},
            capture_output=True, text=True, timeout=200,
        )  # fmt: skip
        assert "ATOMS 327 more" in run.stdout, run.stdout + run.stderr
        (numpy,) = (line for line in run.stdout.splitlines() if line.startswith("NUMPY"))
        assert sys.prefix not in numpy


def test_a_check_opens_a_file_of_each_kind(setup, monkeypatch, tmp_path):
    """Without gemmi, it says which files cannot be read."""
    blocked = tmp_path / "blocked"
    (blocked / "gemmi").mkdir(parents=True)
    (blocked / "gemmi" / "__init__.py").write_text("raise ImportError('gemmi is not there')")
    done = setup("--check", PYTHONPATH=str(blocked))
    assert done.returncode == 0, done.stderr
    if "no NVIDIA driver" in done.stdout:
        assert done.stdout.endswith("no GPU can be used, so the CPU was\n")
    assert ".pdb files cannot be read: " in done.stderr
    assert ".cif files cannot be read: " in done.stderr


def test_the_variables_that_it_prints_are_enough(setup, environment, tmp_path):
    done = setup("--print")
    assert done.returncode == 0, done.stderr
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    fresh = {name: environment[name] for name in ("PATH", "HOME", "DISPLAY")}
    run = subprocess.run(
        ["sh", "-c", f"{done.stdout}\npvpython script.py"],
        cwd=tmp_path, env=fresh, capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert (run.returncode, "POINTS 11" in run.stdout) == (0, True), run.stdout + run.stderr


def test_a_failed_check_reports_the_reason_in_one_sentence(setup):
    done = setup("--check", SEPARATRIX_LIBRARY="/nowhere/libseparatrix.so")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1, done.stderr
    assert "The compiled kernels were not found in /nowhere" in done.stderr
