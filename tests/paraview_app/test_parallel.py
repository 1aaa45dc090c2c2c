"""Several processes of a batch run: the results are those of one, never those of a piece."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from filters.meshes import boxes, grid_of
from separatrix_vtk import io

pytestmark = [pytest.mark.paraview, pytest.mark.long]

SCRIPT = Path(__file__).with_name("parallel_run.py")
SIDE = 40, 40, 41  # of atomic_orbital.vti


def write_inputs(folder: Path) -> None:
    io.write(folder / "mesh.vtu", grid_of(*boxes(5)))
    atoms = np.random.default_rng(8).uniform(0, 14, (150, 3))
    lines = [f"{'CNO'[i % 3]} {x:.4f} {y:.4f} {z:.4f}\n" for i, (x, y, z) in enumerate(atoms)]
    (folder / "atoms.xyz").write_text(f"{len(atoms)}\n\n{''.join(lines)}", encoding="utf-8")


@pytest.mark.parametrize("n", [2, 3])
def test_several_processes_give_the_results_of_one(together, tmp_path, sample_data, n):
    write_inputs(tmp_path)
    text, code = together(n, SCRIPT, sample_data, tmp_path)
    assert code == 0, text
    files = [tmp_path / f"{rank}.json" for rank in range(n)]
    seen: list[dict[str, Any]] = [json.loads(path.read_text()) for path in files]
    first, others = seen[0], seen[1:]
    assert [one["rank"] for one in seen] == list(range(n))
    assert "run different steps" not in text

    # The image: the reader gives parts, labels come back in the same parts, nothing counts twice.
    assert all(one["points read"] < np.prod(SIDE) for one in seen)
    assert [one["labels"] for one in seen] == [one["points read"] for one in seen]
    assert all(one["same labels"] for one in seen)
    assert first["same critical points"]
    assert [one["critical points"] for one in others] == [0] * (n - 1)
    assert first["volume"] == pytest.approx(first["whole volume"])
    assert "were gathered on process 0" in text

    # Every process gets an error as one sentence, and no process waits forever.
    assert all("point array 'nothing' was not found" in one["error"] for one in seen)
    assert text.count("ERROR") == 1
    assert all(one["left over"] == 0 and one["error later"] == "" for one in seen)
    assert first["critical points later"] == first["critical points"]

    # An abort of one process is one of all, also of what comes after it; then all run again.
    assert all(one["aborted"] == [0, 0] and one["abort errors"] == ["", ""] for one in seen)
    assert first["critical points after abort"] == first["critical points"]

    for mode in (0, 1):  # the mesh, without ghost cells and with them
        assert first[f"error in mode {mode}"] == ""
        assert first[f"mesh in mode {mode}"] == first["whole mesh"]
        assert all(one[f"mesh in mode {mode}"] == [] for one in others)

    # Points that are spread over the processes.
    assert sum(one["atoms"] for one in seen) == 150
    assert max(one["atoms"] for one in seen) < 150
    assert all(one["errors"] == [""] * 3 for one in seen)
    assert all(one["same density"] for one in seen)
    assert first["alpha"] == pytest.approx(first["whole alpha"])
    assert first["rips"] == first["whole rips"]
    assert [one["elsewhere"] for one in others] == [0] * (n - 1)

    # Blocks keep their names everywhere; a filter after a filter sees the whole again.
    assert all(one["blocks"] == ["left", "right"] and one["block error"] == "" for one in seen)
    assert first["of blocks"] == [first["critical points"]] * 2
    assert all(one["chain error"] == "" for one in seen)
    assert sum(one["chain"] for one in seen) == first["whole chain"] > first["chain"] > 0
