"""What docs/paraview.md says."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from separatrix_vtk.paraview import palette

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "paraview.md").read_text(encoding="utf-8")


def test_every_property_of_the_xml_is_in_the_tables():
    tables = (REPOSITORY / "docs" / "options.md").read_text(encoding="utf-8")
    for path in (REPOSITORY / "xml").glob("*.xml"):
        for proxy in ElementTree.parse(path).getroot().iter("SourceProxy"):
            assert f"**{proxy.attrib['label']}**" in PAGE
            for element in proxy:
                is_told = element.attrib.get("information_only") == "1"
                if element.tag.endswith("VectorProperty") and not is_told:
                    label = element.attrib.get("label", element.attrib["name"])
                    assert re.search(rf"\| {re.escape(label)}\b", tables), label


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
