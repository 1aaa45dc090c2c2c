"""plugins/SeparatrixPlugin.py, the one file to choose in ParaView 5.12 and newer.

ParaView 5.11 with Python 3.11 cannot load any .py plugin until `inspect.getargspec` is there again;
the scripts here put it back, as the documentation says.
"""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import separatrix_vtk

REPOSITORY = Path(__file__).resolve().parents[2]
PLUGIN = REPOSITORY / "plugins" / "SeparatrixPlugin.py"

SCRIPT = """
import inspect
if not hasattr(inspect, "getargspec"):
    inspect.getargspec = inspect.getfullargspec
from paraview.simple import *
from paraview import servermanager
LoadPlugin(sys.argv[1], ns=globals())
image = XMLImageDataReader(FileName=[sys.argv[2]])
image.UpdatePipeline()
points = []
for make in (SeparatrixMorseSmaleComplex, SeparatrixCriticalPoints, SeparatrixDiscreteGradient,
             SeparatrixPersistenceDiagram):
    output = make(image)
    output.UpdatePipeline()
    points.append(output.GetDataInformation().GetNumberOfPoints())
manager = servermanager.vtkSMProxyManager.GetProxyManager().GetPluginManager()
plugins = manager.GetLocalInformation()
versions = {
    plugins.GetPluginName(i): plugins.GetPluginVersion(i)
    for i in range(plugins.GetNumberOfPlugins()) if plugins.GetPluginLoaded(i)
}
import separatrix_vtk
found = GetParaViewVersion()
report(points=points, version=versions.get("Separatrix"), package=separatrix_vtk.__file__,
       paraview=[found.major, found.minor])
"""


def test_it_passes_exactly_the_xml_files():
    names = runpy.run_path(str(PLUGIN))
    texts = [v._pvsm_proxy_xml for v in names.values() if hasattr(v, "_pvsm_proxy_xml")]
    assert texts == [path.read_text(encoding="utf-8") for path in separatrix_vtk.xml_files()]
    assert names["paraview_plugin_name"] == "Separatrix"


def test_the_folder_contains_no_other_plugin():
    # ParaView loads every .py, .xml and .so of a folder of PV_PLUGIN_PATH.
    found = {path.name for path in PLUGIN.parent.iterdir() if path.name != "__pycache__"}
    assert found == {"SeparatrixPlugin.py", "separatrix_vtk"}


@pytest.mark.paraview
@pytest.mark.parametrize("is_link", [True, pytest.param(False, marks=pytest.mark.long)])
def test_it_or_a_link_to_it_finds_its_packages(pvpython, sample_data, tmp_path, is_link):
    file = PLUGIN
    if is_link:
        file = tmp_path / PLUGIN.name
        file.symlink_to(PLUGIN)
    path = sample_data / "two_centers.vti"
    found = pvpython(SCRIPT, file, path, PYTHONPATH=None, PV_PLUGIN_PATH=None).report
    assert found["points"][:2] == [15, 15]
    # ParaView 6 takes the version from the configuration file of a compiled plugin.
    assert found["version"] == ("0.1.0" if found["paraview"] < [6] else "")
    assert Path(found["package"]).parents[1] == PLUGIN.parent


def test_it_adds_only_the_required_packages_and_a_folder_without_code_does_not_hide_them(tmp_path):
    site, here = tmp_path / "site-packages", tmp_path / "here"
    for name in ("separatrix", "separatrix_vtk", "numpy"):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").write_text("def xml_files(): return []\n")
    (here / "separatrix").mkdir(parents=True)  # a clone of the repository, say
    (here / "separatrix_vtk").mkdir()
    plugin = site / "separatrix_vtk" / "plugin" / PLUGIN.name
    plugin.parent.mkdir()
    shutil.copy(PLUGIN, plugin)
    script = f"""
import runpy, sys, importlib.util
before = list(sys.path)
runpy.run_path({str(plugin)!r})
runpy.run_path({str(plugin)!r})
import separatrix, separatrix_vtk
print(separatrix.__file__, separatrix_vtk.__file__)
assert importlib.util.find_spec("numpy") is None
assert sys.path == before
assert len([found for found in sys.meta_path if "_Finder" in str(found)]) == 1
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], cwd=here, env={}, capture_output=True, text=True
    )
    assert done.stdout.split() == [
        str(site / name / "__init__.py") for name in ("separatrix", "separatrix_vtk")
    ], done.stderr


def test_an_incomplete_copy_reports_what_is_missing(tmp_path, monkeypatch):
    copy = tmp_path / PLUGIN.name
    shutil.copy(PLUGIN, copy)
    monkeypatch.setattr(
        sys, "path", [p for p in sys.path if not Path(p, "separatrix_vtk").exists()]
    )
    for name in [name for name in sys.modules if name.partition(".")[0] == "separatrix_vtk"]:
        monkeypatch.delitem(sys.modules, name)
    ours = [found for found in sys.meta_path if getattr(found, "__name__", "") == "_Finder"]
    monkeypatch.setattr(sys, "meta_path", [found for found in sys.meta_path if found not in ours])
    with pytest.raises(RuntimeError, match="Leave this file in its folder"):
        runpy.run_path(str(copy))
