"""The parts of VTK that prepare.py copies suffice for the tests, without a window system."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
import vtkmodules

from gpu_machine.vtk_parts import modules_imported, needed_by, parts

REPOSITORY = Path(__file__).resolve().parents[2]
OF_THE_SYSTEM = {
    "ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6",
    "libpthread.so.0", "librt.so.1", "libstdc++.so.6",
}  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's libraries")
@pytest.mark.skipif(shutil.which("readelf") is None, reason="there is no readelf")
def test_the_libraries_depend_only_on_each_other_and_the_c_library():
    names = modules_imported(REPOSITORY)
    found = parts(Path(vtkmodules.__file__).parents[1], names)
    files = {path.name for path in found}
    assert {"vtkCommonDataModel", "vtkFiltersPython", "vtkIOXML", "vtkRenderingCore"} <= names
    assert names <= {name.partition(".")[0] for name in files}
    needed = {name for path in found if path.suffix == ".so" for name in needed_by(path)}
    assert needed - files <= OF_THE_SYSTEM
