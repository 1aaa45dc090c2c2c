"""The notebooks run from the first cell to the last, and show what they keep."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from pages.notebooks import FOLDER, NOTEBOOKS, executed

MOST_BYTES = 100_000  # of a notebook with its outputs


def outputs_of(notebook: Any) -> list[Any]:
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [output for cell in cells for output in cell["outputs"]]


def pixels_of(text: list[str]) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode("".join(text)))).convert("RGB"), int)


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_keeps(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(FOLDER)
    monkeypatch.setenv("SEPARATRIX_DEVICE", "cpu")
    kept = json.loads(path.read_text(encoding="utf-8"))
    found = executed(kept)
    assert len(outputs_of(kept)) == len(outputs_of(found)) > 0
    for before, now in zip(outputs_of(kept), outputs_of(found), strict=True):
        pictures = [one.get("data", {}).pop("image/png", None) for one in (before, now)]
        assert before == now
        if pictures[0] is not None:  # drivers draw edges a little differently
            difference = np.abs(pixels_of(pictures[0]) - pixels_of(pictures[1])).max(axis=2)
            assert (difference > 60).mean() < 0.02


def test_there_is_a_small_notebook_for_each_kind_of_data():
    sizes = {path.stem: path.stat().st_size for path in NOTEBOOKS}
    assert sizes.keys() == {"molecule", "points", "volume"}
    assert max(sizes.values()) < MOST_BYTES
    for path in NOTEBOOKS:
        outputs = outputs_of(json.loads(path.read_text(encoding="utf-8")))
        assert {"image/png", "text/html"} <= {
            form for one in outputs for form in one.get("data", ())
        }
