"""The wheel holds all that is needed, and works where there is no source tree."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import separatrix as sx

REPOSITORY = Path(__file__).resolve().parents[2]


def pip(*arguments: str, directory: Path) -> None:
    """Run pip without the network, as the tests' own Python has it."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as `pip install .` builds it."""
    if importlib.util.find_spec("pip") is None or importlib.util.find_spec("hatchling") is None:
        pytest.skip("pip and hatchling are needed to build a wheel")
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder))
    pip("wheel", *options, str(REPOSITORY), directory=folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside the tree with the wheel's contents."""
    folder = tmp_path_factory.mktemp("installed")
    pip("install", "--no-deps", "--no-index", "--target", str(folder), str(wheel), directory=folder)
    return folder


def run(installed: Path, script: str) -> str:
    """Run a script that finds the installed wheel before the source tree."""
    prelude = f"import sys; sys.path.insert(0, {str(installed)!r})\n"
    environment = {k: v for k, v in os.environ.items() if k != "SEPARATRIX_LIBRARY"}
    done = subprocess.run(
        [sys.executable, "-c", prelude + script],
        cwd=installed,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_is_for_any_python_of_this_platform(wheel):
    name, version, *tag = wheel.stem.split("-", 4)
    assert (name, version) == ("separatrix", sx.__version__)
    assert tag[:2] == ["py3", "none"]
    assert tag[2] != "any"


def test_the_wheel_holds_the_library_the_xml_and_the_plugin_file(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    xml = {f"separatrix_vtk/xml/{path.name}" for path in (REPOSITORY / "xml").glob("*.xml")}
    assert xml
    assert (
        xml
        | {
            "separatrix/_lib/libseparatrix.so",
            "separatrix/kernels/types.h",
            "separatrix_vtk/plugin/SeparatrixPlugin.py",
        }
        <= names
    )
    assert not [name for name in names if name.endswith(".pyc") or "/tests/" in name]


def test_the_wheel_needs_numpy_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        lines = archive.read(metadata).decode().splitlines()
    required = [
        line for line in lines if line.startswith("Requires-Dist:") and "extra ==" not in line
    ]
    assert [line.split()[1].split(">")[0] for line in required] == ["numpy"]


def test_an_installed_wheel_computes(installed):
    script = """
import numpy as np, separatrix as sx
assert sx.__file__.startswith(sys.path[0]), sx.__file__
values = np.array([[0.0, 3.0, 1.0], [4.0, 9.0, 5.0], [2.0, 6.0, 1.5]])
print(*sx.morse_smale(values, device="cpu").critical.counts)
"""
    assert run(installed, script).split() == ["4", "4", "1", "0"]


def test_an_installed_wheel_finds_its_xml_and_its_plugin_file(installed):
    script = """
import separatrix_vtk
assert separatrix_vtk.__file__.startswith(sys.path[0])
print(*separatrix_vtk.xml_files(), sep="\\n")
"""
    found = [Path(line) for line in run(installed, script).splitlines()]
    assert found
    assert all(path.is_file() and installed in path.parents for path in found)


def test_building_a_wheel_leaves_the_trees_own_library_as_it_is(wheel):
    library = REPOSITORY / "engine" / "separatrix" / "_lib" / "libseparatrix.so"
    assert library.stat().st_mtime < wheel.stat().st_mtime
    assert (REPOSITORY / "build" / "wheel" / library.name).read_bytes() != library.read_bytes()
