"""Options in ParaView's panel depend on the dimension of the input."""

from __future__ import annotations

from pathlib import Path

import pytest

from paraview_app.window import APPLY, PANEL, Click, from_menu, paraview_window

pytestmark = [pytest.mark.paraview, pytest.mark.long]

OF_VOLUMES = ("SaddleConnectors", "KeepSkippedSaddles", "Ascending2Separatrices")
SCRIPT = """
from paraview.simple import *
image = XMLImageDataReader(FileName=["{file}"])
image.UpdatePipeline()
Render(GetActiveViewOrCreate("RenderView"))
"""


@pytest.mark.parametrize(("sample", "is_volume"), [("terrain", False), ("two_centers", True)])
def test_options_of_volumes_are_hidden_for_surfaces(
    environment: dict[str, str], sample_data: Path, tmp_path: Path, sample: str, is_volume: bool
) -> None:
    shown = dict.fromkeys(OF_VOLUMES, is_volume) | {"Graph": True}
    checks: list[Click] = [
        (f"{PANEL}/{name}", "check", f"visible={str(is_shown).lower()}")
        for name, is_shown in shown.items()
    ]
    script = SCRIPT.format(file=sample_data / f"{sample}.vti")
    clicks = [*from_menu("MorseSmaleComplex"), *checks, APPLY, *checks]
    with paraview_window(environment, tmp_path, script, clicks) as window:
        window.wait_until_played()
