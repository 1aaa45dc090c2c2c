"""What docs/paraview.md says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from separatrix_vtk.paraview import palette

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "paraview.md").read_text(encoding="utf-8")


def test_the_colors_named_are_those_of_the_palette():
    for category in palette.critical_categories(3):
        text = "#" + "".join(f"{round(255 * channel):02X}" for channel in category.color)
        assert text in PAGE, category.name
    lines = {category.name: category for category in palette.separatrix_categories(3)}
    for category in lines.values():
        text = "#" + "".join(f"{round(255 * channel):02X}" for channel in category.color)
        assert text in PAGE, category.name


@pytest.mark.paraview
def test_the_script_runs_as_it_stands(pvpython, tmp_path):
    script = next(s for s in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "Load" in s)
    picture = tmp_path / "complex.png"
    script = script.replace("complex.png", str(picture))
    script = f"import os; os.chdir({str(REPOSITORY)!r})\n{script}\nreport(done=True)\n"
    run = pvpython(script, PV_PLUGIN_PATH=None)
    assert "49 critical points" in run.text
    assert picture.stat().st_size > 10_000
