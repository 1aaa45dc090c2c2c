"""Sentences in the shell name options, not settings of ParaView's panels or of Python."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from separatrix_vtk.shell import main
from separatrix_vtk.shell.words import in_the_words_of_the_shell

FOREIGN = re.compile(
    r"\bset [A-Z]|Largest Alpha|Radius Source|\b[Ff]ilter\b|Calculator|Extract Subset|Pass Arrays"
    r"|switch \w+ o(?:n|ff)|\w=[\w'\"]|numpy\."
    r"|\b[a-z]+_(?:limit|dimension|neighbors|size|threshold)\b|0x[0-9a-f]{4}"
)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("max_dimension must be 0 to 9, got 12", "--max-dimension must be 0 to 9, got 12"),
        ("over work_limit=1; raise work_limit", "over --work-limit 1; raise --work-limit"),
        ("Choose one with radius_array. Or set radius_source='constant' and constant_radius.",
         "Choose one with --radii. Or specify --constant-radius."),
        ("vtkOBJReader (0x55d0c8f0): no groups", "no groups"),
        ("the array 'memory' has work", "the array 'memory' has work"),
        ("path/max_dimension.npy: is empty", "path/max_dimension.npy: is empty"),
        ("lower the number of neighbors", "lower -k"),
        ("field must be a prime number, not 4", "--field must be a prime number, not 4"),
        ("a.vti: field must be here", "a.vti: field must be here"),
        ("raise memory_limit, or use device='cpu'", "raise --memory-limit, or use --device cpu"),
        ("Set Model to another one, or to -1 to use all.",  # of a .vtp, without --atoms
         "Use the molecule's own file, with --atoms model=N or model=all."),
        ("give on_duplicates='drop'", "give --on-duplicates drop"),
    ],
)  # fmt: skip
def test_settings_become_options(said: str, shown: str):
    assert in_the_words_of_the_shell(said) == shown


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    points = np.random.default_rng(2).random((12, 3))
    np.save(tmp_path / "points.npy", points)
    np.save(tmp_path / "field.npy", points)
    (tmp_path / "names.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "plane.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "quad.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    (tmp_path / "twice.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 3\n")
    np.save(tmp_path / "nan.npy", np.full((3, 3, 3), np.nan))
    (tmp_path / "hetatm.pdb").write_text(
        "HETATM    1  C   LIG A   1       1.000   2.000   3.000  1.00  0.00           C\n"
    )
    (tmp_path / "tiny.csv").write_text(
        "x,y,z,radius\n0,0,0,1e-3\n1,0,0,1e-3\n0,1,0,1e-3\n0,0,1,1e-3\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


LINES = {
    "alpha points.npy": "Choose one with --radii. Or specify --constant-radius.",
    "alpha points.npy --constant-radius 0.1 --work-limit 1": "--work-limit",
    "alpha points.npy --constant-radius 0.1 --pockets --largest-alpha -1": "--largest-alpha",
    "rips points.npy --max-dimension 20": "--max-dimension",
    "rips points.npy --max-dimension 2 --work-limit 5": "raise --work-limit",
    "rips points.npy --dtm 50": "--dtm must be",
    "rips points.npy --dtm 5 --epsilon 0.1": "--dtm cannot be combined with --epsilon or",
    "rips points.npy --dtm 5 --collapse": "--dtm cannot be combined with --epsilon or",
    "rips points.npy --field 4": "--field must be a prime number up to 65,521; got 4.",
    "rips points.npy --epsilon 1e-320": "--epsilon must be 0 or a finite number",
    "rips points.npy --max-dimension 3 --work-limit 9": "Lower --max-dimension or --threshold,",
    "relations twice.obj": "give --on-duplicates drop",
    "critical-points twice.obj --array z": "give --on-duplicates drop",
    "critical-points nan.npy": "give them a value first",
    "alpha points.npy --constant-radius 9 --work-limit 1": "Choose a smaller --alpha or --probe",
    "alpha hetatm.pdb": "Include at least one of these with --atoms.",
    "neighbors points.npy -k 40": "lower -k",
    "density names.csv": "(columns: a, b): rename them\n",
    "density points.npy --flat": "leave --flat out",
    "critical-points plane.obj": "--array x, y or z",
    "critical-points quad.obj --array z": "--tetrahedralize",
    "morse-smale plane.obj --array z --order plateau": "leave --order out",
    "morse-smale plane.obj --array w": "there is no point or cell array called 'w'; point arr",
    "density points.npy --weights w": "there is no array of the points called 'w'",
    "alpha points.npy --radii r": "The point array 'r' was not found",
}


@pytest.mark.parametrize("line", LINES)
def test_what_a_filter_says_is_in_the_words_of_the_shell(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(line.split()) == 2
    said = capsys.readouterr().err
    assert LINES[line] in said
    assert said.count("\n") == 1
    assert not FOREIGN.search(said), said


def test_warnings_have_no_addresses_and_name_options(
    folder: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["alpha", "tiny.csv", "--resolution", "1e-3"]) in (0, 2)
    said = capsys.readouterr().err
    assert "--resolution" in said
    assert not FOREIGN.search(said), said
