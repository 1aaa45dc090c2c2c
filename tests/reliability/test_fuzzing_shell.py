"""Random command lines, made of the options that the commands declare."""

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("vtkmodules")
pytest.importorskip("typer")

import typer

from reliability.spoiled_files import CORPUS, ON_ONE_THREAD, Shell, complaint

LONG_SEEDS = 25
LINES_PER_SEED = 30
VALUES = (
    "0", "1", "2", "3", "-1", "7", "0.5", "1.4", "1e-30", "1e30", "1e308", "1e999", "nan", "inf",
    "-inf", "-0", "1_0", "0x10", "\u0663", "9" * 30, "1,1,1", "4,4,4", "2x2x2", "0,1,0,1,0,1", "",
    "all", "maxima", "x", "z", "index", "plateau", "drop", "gaussian", "wendland", "cpu",
    "cuda:77", "auto", "VV", "VV,FT", "TT,", "%", "5%", "200%", "relative",
    "points", "csv", "sparse", "bars", "..", "/", "/dev/null", "no such file", "out.vtp", "--", "-",
    "-k", "--json=1", "--json", "\x1b", "\udcff", "\u20ac", "a b", "'", "$(id)", "C=1.7",
    "hetatm,model=all", "model=99999999999",
    "radius", "rips", "uint8", "O", "i4,i4", "S5", "float16", "diagram", "complex", "A" * 5000,
)  # fmt: skip
INPUTS = (
    "ascii.vti", "raw.nrrd", "ascii.vtu", "ascii.vtp", "text.ply", "points.csv", "models.pdb",
    "four.pqr", "square.distance_matrix", "volume.npy", "points.npy", "nothing.vti", "", ".",
    "raw_5x4x3_float32.raw",
)  # fmt: skip
OUTPUTS = ("out.npz", "out.vtp", "out.vtu", "out.vti", "out.vtm", "out.csv", "out", "no/out.vtp")
LEFT_OUT = {"--launcher", "--venv", "--check", "--force"}  # affect other programs and files


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    shell = Shell(tmp_path_factory.mktemp("lines"), **ON_ONE_THREAD)
    for name in INPUTS:
        if (CORPUS / name).is_file():
            shutil.copy(CORPUS / name, shell.folder)
    yield shell
    shell.close()


def commands() -> dict[str, list[tuple[str, bool]]]:
    """Command -> its options, and whether each takes a value."""
    from separatrix_vtk.cli.parser import app

    group = typer.main.get_command(app)
    return {
        name: [
            (option, not getattr(parameter, "is_flag", False))
            for parameter in command.params
            for option in (*parameter.opts, *parameter.secondary_opts)
            if option.startswith("-") and option not in LEFT_OUT
        ]
        for name, command in group.commands.items()
    }


def line_of(random: Random, known: dict[str, list[tuple[str, bool]]]) -> list[str]:
    """A command with random options and values, and sometimes with superfluous words."""
    command = random.choice([*known, *known, "morse-smale", "nonsense"])
    words = [command]
    if random.random() < 0.9:
        words.append(random.choice(INPUTS))
    if random.random() < 0.7:
        words.append(random.choice(OUTPUTS))
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        options = known.get(command) or known["rips"]
        option, takes = random.choice(options)
        words.append(option)
        if takes != (random.random() < 0.05):
            words.append(random.choice(VALUES[:8] if random.random() < 0.4 else VALUES))
    if random.random() < 0.1:
        words.insert(random.randrange(len(words) + 1), random.choice(VALUES))
    return words


def test_every_command_and_option_is_tried():
    known = commands()
    assert {"morse-smale", "rips", "alpha", "cite", "devices"} <= set(known)
    random, tried = Random(0), set[str]()
    for _ in range(LONG_SEEDS * LINES_PER_SEED * 10):
        tried |= set(line_of(random, known))
    assert {option for options in known.values() for option, _ in options} <= tried


@pytest.mark.parametrize(
    ("seed", "n"),
    [
        (1, 60),
        *(pytest.param(s, LINES_PER_SEED, marks=pytest.mark.long) for s in range(2, LONG_SEEDS)),
    ],
)
def test_random_arguments_give_a_result_or_a_one_line_error(shell, seed, n):
    random, known = Random(f"lines {seed}"), commands()
    for _ in range(n):
        words = line_of(random, known)
        before = {path: path.read_bytes() for path in shell.folder.iterdir()}
        ended = shell.run(*words)
        made = {path.name for path in shell.folder.iterdir()} - {path.name for path in before}
        wrong = wrong_with(ended, words, made)
        for path, content in before.items():
            assert path.read_bytes() == content, ("changed", path, words)
        for name in made:
            path = shell.folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        assert not wrong, (words, wrong)


def wrong_with(ended: dict[str, Any], words: list[str], made: set[str]) -> str:
    """The error in the result of a command line, or ""."""
    is_json = "--json" in words
    if ended["status"] == 3 and "Traceback" not in ended["err"]:  # cuda:77, or a whole universe
        ended = {**ended, "status": 2}
    if is_json and ended["status"] == 2:
        ended = {**ended, "out": ""}
    if ended["status"] == 0 and ended["err"].startswith("separatrix: warning"):
        ended = {**ended, "err": ""}
    output = next((name for name in OUTPUTS if name in words[2:3]), None)
    output = output if words[0] not in ("cite", "devices", "help", "paraview-setup") else None
    return complaint(ended, output if output in made else None, made)


def test_file_names_that_are_not_text_are_read_and_written(shell):
    names = [b"\xff.vti", b"a\nb.vti", b"\x1b[2J.vti", "\u20ac.vti".encode(), b"%s.vti", b"-x.vti"]
    for raw in names:
        name = raw.decode("utf-8", "surrogateescape")
        Path(shell.folder, name).write_bytes((CORPUS / "ascii.vti").read_bytes())
        for output in ("out.npz", "out.vtp"):
            ended = shell.run("critical-points", "--threads", "1", "--", name, output)
            made = {output} if (shell.folder / output).exists() else set()
            assert not complaint(ended, output, made), (raw, ended)
            (shell.folder / output).unlink(missing_ok=True)
        Path(shell.folder, name).unlink()
