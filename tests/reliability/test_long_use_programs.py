"""A session of ParaView that makes and deletes filters, and many runs of the shell command."""

import json
import os
import re
from pathlib import Path

import pytest

from paraview_app import conftest as session
from paraview_app.conftest import environment, pvpython, screen  # noqa: F401
from shell.command import files_in, separatrix

pytestmark = [pytest.mark.alone, pytest.mark.long]
SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
CYCLES = {
    "SeparatrixMorseSmaleComplex": ("image", "PersistenceThreshold", [0.0, 0.1]),
    "SeparatrixCriticalPoints": ("image", "Device", ["CPU", "Auto"]),
    "SeparatrixDiscreteGradient": ("image", "Stride", [3, 4]),
    "SeparatrixPersistenceDiagram": ("image", "Device", ["CPU", "Auto"]),
    "SeparatrixMeshRelations": ("mesh", "SegmentSize", [20, 50]),
    "SeparatrixAlphaComplex": ("points", "ProbeRadius", [0.0, 0.01]),
    "SeparatrixAlphaTimeSeries": ("points", "ProbeRadius", [0.0, 0.01]),
    "SeparatrixRipsBarcodes": ("points", "MaxDimension", [1, 0]),
    "SeparatrixNeighborStatistics": ("points", "NumberOfNeighbors", [3, 4]),
    "SeparatrixPointDensity": ("points", "Sigma", [0.1, 0.2]),
    "SeparatrixMoleculeReader": ("", "Water", [0, 1]),
    "Elevation": ("points", "LowPoint", [[0, 0, 0], [0, 0, 1]]),
}
"""Each filter of the suite and one of ParaView: its input, and a property with two values."""
PARAVIEWS = "Elevation"
LONGEST = 1000.0  # seconds; on a slow machine there are fewer cycles
OWN = [name for name in CYCLES if name.startswith("Separatrix")]
SESSION = r"""
import ctypes, gc, os, time
from paraview.simple import *
import paraview
paraview.simple._DisableFirstRenderCameraReset()
samples, n, warm, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
cycles = json.loads(sys.argv[5])
atoms = os.path.expanduser("~/atoms.xyz")  # which needs no gemmi
with open(atoms, "w") as file:
    file.write("40\n\n" + "".join(f"C {i} {i % 7} {i % 5}\n" for i in range(40)))
def malloc_bytes():
    gc.collect()
    class Info(ctypes.Structure):
        _fields_ = [(str(i), ctypes.c_size_t) for i in range(10)]
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = Info
    info = library.mallinfo2()
    return getattr(info, "7") + getattr(info, "4")
inputs = {
    "image": XMLImageDataReader(FileName=[samples + "/two_centers.vti"]),
    "mesh": XMLUnstructuredGridReader(FileName=[samples + "/ring.vtu"]),
    "points": PointSource(NumberOfPoints=12, Radius=1.0),
}
for source in inputs.values():
    source.UpdatePipeline()
view = CreateView("RenderView")
view.ViewSize = [60, 60]
def cycle(name, kind, setting, values):
    if kind:
        made = globals()[name](Input=inputs[kind])
    else:
        made = globals()[name](FileName=atoms)
    if name.startswith("SeparatrixAlpha"):
        made.RadiusSource, made.ConstantRadius = "Constant", 0.5
    for value in values:
        setattr(made, setting, value)
        made.UpdatePipeline()
    if name != "SeparatrixAlphaTimeSeries":
        shown = Show(OutputPort(made, 0), view)
        Render(view)
        Delete(shown)
    Delete(made)
grown, counts = {}, {}
for name, (kind, setting, values) in cycles.items():
    for i in range(warm):
        cycle(name, kind, setting, values)
    before, end = malloc_bytes(), time.monotonic() + seconds / len(cycles)
    counts[name] = 0
    while counts[name] < n and (time.monotonic() < end or not counts[name]):
        cycle(name, kind, setting, values)
        counts[name] += 1
    grown[name] = (malloc_bytes() - before) / counts[name]
report(grown=grown, counts=counts, files=len(os.listdir("/proc/self/fd")))
"""


@pytest.mark.paraview
def test_a_session_that_creates_changes_and_deletes_filters_does_not_leak(pvpython, monkeypatch):  # noqa: F811
    monkeypatch.setattr(session, "SECONDS", 1500)
    done = pvpython(SESSION, SAMPLES, 100, 5, LONGEST, json.dumps(CYCLES))
    said = [line for line in done.text.splitlines() if re.search("error|traceback", line.lower())]
    assert said == [], done.text
    grown, counts = done.report["grown"], done.report["counts"]
    # A filter that was shown leaves about 10 kB; outputs that are not freed leave over 400 kB.
    most = max(grown[PARAVIEWS], 0) + 80_000
    assert {name: grown[name] for name in OWN if grown[name] > most} == {}, (grown, counts)
    assert done.report["files"] < 100


def test_runs_of_the_command_leave_no_files(tmp_path):
    """The folder of temporary files is empty after valid and invalid runs."""
    temporary, out = tmp_path / "temporary", tmp_path / "out"
    temporary.mkdir()
    out.mkdir()
    image = SAMPLES / "two_centers.vti"
    ways = [
        (True, ("critical-points", image, out / "c.vtp")),
        (False, ("critical-points", image, out / "no" / "folder.vtp")),
        (False, ("rips", SAMPLES / "missing.csv", out / "r.csv")),
        (True, ("persistence-diagram", image, out / "d.vtu")),
        (True, ("density", SAMPLES / "1crn.pdb", out / "e.vti", "--sigma", "2")),
    ]
    for i in range(50):
        is_good, words = ways[i % len(ways)]
        done = separatrix(*words, folder=tmp_path, TMPDIR=str(temporary))
        assert (done.returncode == 0) == is_good, done
        assert files_in(temporary) == []
        assert os.listdir(temporary) == []
    assert files_in(out) == ["c.vtp", "d.vtu", "e.vti"]
