"""Views of diagrams draw a result of any range immediately."""

from __future__ import annotations

from pathlib import Path

import pytest

XML = Path(__file__).resolve().parents[2] / "xml"
SECONDS = 20  # it took 40 with thousands of labels, and takes half a second


@pytest.mark.parametrize("view", ["SeparatrixDiagramView", "SeparatrixBarcodeView"])
def test_a_wide_range_is_drawn_before_the_camera_is_reset(pvpython, sample_data, view: str) -> None:
    script = """
import time
from paraview.simple import *
image = XMLImageDataReader(FileName=[sys.argv[1]])
image.UpdatePipeline()
for path in sys.argv[3:]:
    LoadPlugin(path, ns=globals())
view = CreateView(sys.argv[2])
pairs = SeparatrixPersistenceDiagram(image)
Show(pairs, view)
begin = time.monotonic()
Render(view)
seconds = time.monotonic() - begin
ResetCamera(view)
Render(view)
report(seconds=seconds, scale=view.CameraParallelScale)
"""
    plugins = [str(XML / f"{name}.xml") for name in ("persistence_diagram", "rips_barcodes")]
    found = pvpython(script, sample_data / "terrain.vti", view, *plugins, PV_PLUGIN_PATH=None)
    assert found.report["seconds"] < SECONDS
    assert found.report["scale"] == pytest.approx(1484, rel=0.1)
