"""Separatrix Molecule Reader in ParaView, and docs/molecules.md as it stands."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from oracles.molecule_files import PEPTIDE, Atom, pdb_text, write, xyz_text
from paraview_app.without_display import REPOSITORY, script_for_pvpython

PATHS = os.pathsep.join(str(REPOSITORY / name) for name in ("engine", "plugins"))
ELSEWHERE = [Atom(a.name, a.element, a.x + 9.0, a.y, a.z) for a in PEPTIDE[:4]]


@pytest.fixture
def paths_with_gemmi(tmp_path: Path) -> str:
    """PYTHONPATH with this Python's gemmi, which ParaView's can load if it is the same Python.

    The folder holds nothing else: another NumPy or a second VTK would crash ParaView.
    """
    package = Path(pytest.importorskip("gemmi").__file__).parent
    folder = tmp_path / "gemmi_alone"
    folder.mkdir()
    (folder / "gemmi").symlink_to(package)
    return os.pathsep.join([PATHS, str(folder)])


WITH_GEMMI = """
try:
    import gemmi
except ImportError as error:
    report(version=list(sys.version_info[:2]), missing=str(error))
    sys.exit()
from paraview.simple import *
"""


def found_by(run: Any) -> dict[str, Any]:
    """The report of a script that begins with WITH_GEMMI; skips if gemmi is of another Python."""
    report = run.report
    if "missing" in report:
        assert tuple(report["version"]) != sys.version_info[:2], report["missing"]
        pytest.skip(f"ParaView's Python {report['version']} is not this one, gemmi is for this one")
    return report


@pytest.mark.paraview
def test_molecules_are_read_shown_and_saved_in_paraview(pvpython, paths_with_gemmi, tmp_path):
    trajectory = write(tmp_path / "two.pdb.gz", pdb_text(PEPTIDE, ELSEWHERE))
    script = """
crambin = SeparatrixMoleculeReader(registrationName="crambin", FileName=sys.argv[1])
crambin.UpdatePipeline()
two = OpenDataFile(sys.argv[2])
two.UpdatePipeline()
steps, models, counts = list(two.TimestepValues), [], []
for time in steps:
    UpdatePipeline(time=time, proxy=two)
    models.append(two.PointData["model"].GetRange()[0])
    counts.append(two.GetDataInformation().GetNumberOfPoints())
two.AlternateLocations = "First"
two.Model = 2
two.Radii = "C=1.5"
two.UpdatePipeline()
ranges = list(two.PointData["radius"].GetRange())
density = SeparatrixPointDensity(crambin, Sigma=1.5, Spacing=1.5)
density.Weights = ["POINTS", "atom_type"]
density.UpdatePipeline()
mass = density.GetClientSideObject().report["Mass"]
view = CreateView("RenderView")
shown = Show(crambin, view)
Render(view)
SaveState(sys.argv[3])
arrays = sorted(crambin.PointData.keys())
Delete(view), Delete(density), Delete(crambin)
LoadState(sys.argv[3])
again = FindSource("crambin")
again.UpdatePipeline()
report(kind=type(two).__name__, steps=steps, models=models, counts=counts, ranges=ranges,
       mass=mass, representation=str(shown.Representation), arrays=arrays,
       again=again.GetDataInformation().GetNumberOfPoints())
"""
    run = pvpython(
        WITH_GEMMI + script,
        REPOSITORY / "sample_data" / "1crn.pdb",
        trajectory,
        tmp_path / "session.pvsm",
        PYTHONPATH=paths_with_gemmi,
    )
    found = found_by(run)
    assert found["kind"] == "SeparatrixMoleculeReader"
    assert found["steps"] == found["models"] == [1.0, 2.0]
    assert found["counts"] == [5, 4]
    assert found["ranges"] == [1.5, 1.55]
    assert found["representation"].strip("'") == "Balls"
    assert {"radius", "atom_type", "residue", "chain", "atom_types"} <= set(found["arrays"])
    assert found["mass"] == pytest.approx(2205, rel=1e-4)
    assert found["again"] == 327
    assert "ERROR" not in run.text


@pytest.mark.paraview
def test_without_gemmi_one_message_states_the_command_to_install_it(pvpython, tmp_path):
    frames = write(tmp_path / "two.xyz", xyz_text(PEPTIDE, ELSEWHERE))
    script = """
sys.modules["gemmi"] = None
from paraview.simple import *
reader = SeparatrixMoleculeReader(FileName=sys.argv[1])
view = CreateView("RenderView")
Show(reader, view)
Render(view)
Render(view)
plain = SeparatrixMoleculeReader(FileName=sys.argv[2])
plain.UpdatePipeline()
report(error=reader.GetClientSideObject().last_error, steps=list(plain.TimestepValues),
       n=reader.GetDataInformation().GetNumberOfPoints())
"""
    run = pvpython(script, REPOSITORY / "sample_data" / "1crn.pdb", frames)
    assert re.search(
        r"1crn\.pdb: reading PDB and mmCIF files requires gemmi, which is not installed for this "
        r"Python\. Run `\S*python3?\S* -m pip install .*gemmi` and start again\.$",
        run.report["error"],
    )
    assert run.text.count(run.report["error"]) == 2  # once as a message, once in the report
    assert run.report["n"] == 0
    assert run.report["steps"] == [1.0, 2.0]


@pytest.mark.paraview
def test_the_script_of_the_page_runs_in_pvpython(pvpython, paths_with_gemmi, tmp_path):
    picture = tmp_path / "atoms.png"
    script = WITH_GEMMI + script_for_pvpython("molecules.md", picture) + "report(done=True)\n"
    found = found_by(pvpython(script, PYTHONPATH=paths_with_gemmi))
    assert found["done"]
    assert picture.stat().st_size > 10_000
