"""Completion of commands, options, choices, devices, and arrays of the input in each shell."""

from pathlib import Path

import pytest

from separatrix_vtk.cli.completion import first_file, names_of_arrays
from shell.command import separatrix

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"


def run(*arguments: str, **environment: str) -> str:
    done = separatrix(*arguments, folder=SAMPLES, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def offered(line: str) -> list[str]:
    """The completions that bash gets after the last blank of a line."""
    words = str(len(line.split(" ")) - 1)
    reported = run(COMP_WORDS=line, COMP_CWORD=words, _SEPARATRIX_COMPLETE="complete_bash")
    return reported.split()


def test_bash_completes_commands_options_choices_and_arrays():
    assert offered("separatrix ri") == ["rips"]
    assert "--format" in offered("separatrix rips torus.csv --fo")
    assert offered("separatrix rips torus.csv --format d") == ["distance", "dipha"]
    assert offered("separatrix morse-smale atomic_orbital.vti --array ") == ["psi"]


def test_zsh_and_fish_have_completion():
    line = "separatrix density 1crn.pdb --weights b"
    zsh = run(_TYPER_COMPLETE_ARGS=line, _SEPARATRIX_COMPLETE="complete_zsh")
    assert "b_factor" in zsh
    fish = run(
        _TYPER_COMPLETE_ARGS="separatrix help al",
        _TYPER_COMPLETE_FISH_ACTION="get-args",
        _SEPARATRIX_COMPLETE="complete_fish",
    )
    assert fish.split() == ["alpha"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_and_installed(shell, tmp_path):
    by_name = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1", "HOME": str(tmp_path)}
    script = run("--show-completion", shell, **by_name)
    assert "_SEPARATRIX_COMPLETE=complete_" + shell in script
    assert "installed" in run("--install-completion", shell, **by_name)
    written = [path.read_text() for path in tmp_path.rglob("*separatrix*") if path.is_file()]
    assert any("_SEPARATRIX_COMPLETE" in text for text in written)


def test_names_of_arrays_are_read_from_the_beginning_of_a_file(tmp_path):
    assert names_of_arrays(SAMPLES / "atomic_orbital.vti") == ["psi"]
    assert names_of_arrays(SAMPLES / "torus.csv")[:3] == ["x", "y", "z"]
    in_ring = names_of_arrays(SAMPLES / "ring.vtu")
    assert in_ring
    assert not {"Points", "connectivity", "offsets", "types"} & set(in_ring)
    (tmp_path / "a.vtk").write_text("# vtk DataFile Version 3.0\nSCALARS height float 1\n")
    assert names_of_arrays(tmp_path / "a.vtk") == ["height", "x", "y", "z"]
    (tmp_path / "a.vti").write_bytes(b"\x1f\x8bnot gzip")
    for name in ("a.vti", "nothing.vti", "a.unknown"):
        assert names_of_arrays(tmp_path / name) == []


def test_the_input_is_the_first_word_that_is_a_file(tmp_path):
    (tmp_path / "b.vti").write_text("")
    words = ["separatrix", "morse-smale", "-d", "cpu", str(tmp_path / "b.vti"), "out.vtm"]
    assert first_file(words) == tmp_path / "b.vti"
    assert first_file(["separatrix"]) is None
