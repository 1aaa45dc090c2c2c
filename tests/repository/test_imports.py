"""Modules that are loaded, and when, in a fresh interpreter."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import separatrix as sx

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCE_ROOTS = (REPOSITORY / "engine", REPOSITORY / "plugins")


def run(script: str) -> None:
    """Run a script in an interpreter of its own that sees the source roots."""
    path = os.pathsep.join(map(str, SOURCE_ROOTS))
    environment = {**os.environ, "PYTHONPATH": path, "SEPARATRIX_DEVICE": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


PRELUDE = """
import sys

def loaded():
    return {name.partition(".")[0] for name in sys.modules}

def block(*names):
    class Blocker:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in names:
                raise ModuleNotFoundError(f"{name} is blocked", name=name)
    sys.meta_path.insert(0, Blocker())

STRANGERS = {"cupy", "paraview", "pyvista", "scipy", "vtk", "vtkmodules"}
"""


def test_the_engine_computes_without_vtk_and_cupy():
    run("""
block(*STRANGERS)
import numpy as np
import separatrix as sx
complex = sx.morse_smale(np.arange(27.0).reshape(3, 3, 3))
assert complex.critical.counts == (1, 0, 0, 0), complex.critical.counts
assert complex.device == "cpu"
assert not loaded() & STRANGERS
""")


def test_an_import_loads_nothing_before_a_name_is_used():
    run("""
import separatrix as sx
ours = {name for name in sys.modules if name.partition(".")[0] == "separatrix"}
assert ours == {"separatrix"}, ours
assert "numpy" not in sys.modules
assert len(sys.modules) < 150, len(sys.modules)
assert {"morse_smale", "rips_barcodes", "__version__"} <= set(dir(sx))
sx.InputError
assert "numpy" not in sys.modules
""")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'separatrix' has no attribute 'morse_smal'"):
        _ = sx.morse_smal


def test_the_filters_package_loads_nothing_before_it_is_used():
    run("""
import separatrix_vtk
unwanted = STRANGERS | {"separatrix", "numpy", "typer"}
assert not loaded() & unwanted, loaded() & unwanted
""")


def test_a_filter_loads_vtk_and_neither_paraview_nor_cupy():
    run("""
import separatrix_vtk
separatrix_vtk.MorseSmaleComplex()
assert "vtkmodules" in loaded()
assert not loaded() & {"cupy", "paraview", "pyvista", "typer", "vtk"}
""")


def test_the_names_of_filters_are_listed_without_vtk():
    run("""
block("vtk", "vtkmodules")
import separatrix_vtk
assert "MorseSmaleComplex" in dir(separatrix_vtk)
try:
    separatrix_vtk.MorseSmaleComplex
except ImportError as error:
    assert "vtk" in str(error)
else:
    raise AssertionError("VTK was found")
""")
