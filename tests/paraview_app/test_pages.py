"""The pvpython scripts of README.md and docs run unchanged and draw the expected pictures."""

from __future__ import annotations

import re

import pytest

from pages.blocks import REPOSITORY, Block, chosen
from pages.worked_example import make_tree

SAYS = {
    "alpha_complex.md": "10046.1 square Angstrom, 34 pockets and voids",
    "paraview.md": "25 critical points",
}
PRINTED = {
    "cosmic_web.py": "[4, 202, 8] components, loops, and voids at this alpha",
    "zeolite.py": "probe 1.4: 16 regions, which repeat in {0} directions",
}
# Their own tests look at more than that the scripts run.
ELSEWHERE = {"block_sparse.md", "molecules.md", "rips.md"}
HERE = [block for block in chosen("pvpython") if block.page.name not in ELSEWHERE]


@pytest.mark.paraview
@pytest.mark.parametrize("block", HERE, ids=[block.place for block in HERE])
def test_the_script_runs_as_it_stands(block: Block, pvpython, tmp_path):
    (tmp_path / "sample_data").symlink_to(REPOSITORY / "sample_data")
    done = pvpython(f"import os; os.chdir({str(tmp_path)!r})\n{block.text}\nreport(done=True)\n")
    assert "Traceback" not in done.text
    assert SAYS.get(block.page.name, "") in done.text
    for name in re.findall(r'"([\w-]+\.png)"', block.text):
        assert (tmp_path / name).stat().st_size > 10_000


@pytest.mark.long
@pytest.mark.paraview
@pytest.mark.parametrize("name", PRINTED)
def test_an_example_draws_its_picture(name, pvpython, tmp_path):
    script = REPOSITORY / "examples" / "paraview" / name
    here = f"import os, sys; os.chdir({str(tmp_path)!r}); sys.argv = ['', 'picture.png']\n"
    done = pvpython(f"{here}{script.read_text(encoding='utf-8')}\nreport(done=True)\n")
    assert PRINTED[name] in done.text
    assert (tmp_path / "picture.png").stat().st_size > 100_000


@pytest.mark.long
@pytest.mark.paraview
def test_the_worked_example_of_a_new_filter_runs_in_pvpython(pvpython, tmp_path):
    tree = tmp_path / "clone"
    tree.mkdir()
    make_tree(tree)
    script = (tree / "paraview_example.py").read_text(encoding="utf-8")
    done = pvpython(
        f"import os; os.chdir({str(tree)!r})\n{script}\nreport(done=True)\n",
        PV_PLUGIN_PATH=str(tree / "xml"),
        PYTHONPATH=f"{tree / 'engine'}:{tree / 'plugins'}",
    )
    assert "range (0.0, 6.0)" in done.text
