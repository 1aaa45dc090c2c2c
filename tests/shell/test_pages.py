"""What README.md and docs/morse_smale.md show runs as it is written there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from shell.command import separatrix

REPOSITORY = Path(__file__).resolve().parents[2]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
MORSE_SMALE = (REPOSITORY / "docs" / "morse_smale.md").read_text(encoding="utf-8")
SHELL = re.findall(r"^separatrix .*$", README, re.MULTILINE)


def blocks(page: str) -> list[str]:
    """The Python of a page, but for what only pvpython runs."""
    found = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    return [block for block in found if "paraview" not in block]


def test_the_python_of_the_readme_runs_in_a_clone(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("pyvista")
    monkeypatch.chdir(REPOSITORY)
    names: dict[str, Any] = {}
    assert len(blocks(README)) == 6
    for block in blocks(README):
        exec(block, names)
    assert names["values"].shape == (40, 40, 40)
    assert names["outputs"].critical_points.GetNumberOfPoints() > 0
    assert names["protein"].pockets.GetNumberOfCells() > 0


def test_the_python_of_the_morse_smale_page_runs_and_keeps_what_its_comments_say():
    names: dict[str, Any] = {}
    for block in blocks(MORSE_SMALE):
        exec(block, names)
    complex, simple = names["complex"], names["simple"]
    assert simple.persistence == 0.2
    assert sum(simple.critical.counts) < sum(complex.critical.counts)
    assert names["n_left"][0] == len(complex.persistence_pairs)
    assert names["n_left"] == sorted(names["n_left"], reverse=True)
    assert names["n_left"][3] == len(simple.persistence_pairs)  # none is skipped
    assert len(simple.skipped) == 0
    index = simple.critical.index
    assert (index[names["from_saddle"]], index[names["to_saddle"]]) == (1, 2)
    assert set(names["surface"].source.tolist()) == {names["first_2_saddle"]}
    assert (names["smoothed"].points != names["connectors"].points).any()
    assert np.abs(simple.simplified_values() - names["values"]).max() < 0.2
    assert sum(names["by_plateau"]) < 0.8 * sum(names["by_index"])
    assert names["torus"].critical.counts == (1, 3, 3, 1)
    assert int(names["torus"].persistence_pairs.is_essential.sum()) == 8


def test_the_page_tells_every_public_part_of_the_complex():
    for name in ("simplified_values", "skipped", "boundary", "regions", "above", "smooth"):
        assert f"{name}(" in MORSE_SMALE or f".{name}" in MORSE_SMALE
        assert hasattr(sx.MorseSmaleComplex, name) or name in ("above", "smooth")


@pytest.mark.parametrize("line", SHELL)
def test_the_commands_of_the_readme_run_in_a_clone(line: str, tmp_path: Path):
    (tmp_path / "sample_data").symlink_to(REPOSITORY / "sample_data")
    arguments = shlex.split(line, comments=True)[1:]
    done = separatrix(*arguments, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
