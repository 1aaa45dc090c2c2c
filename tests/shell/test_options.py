"""All commands alike: what is shared is the same, what is shown works, all is documented."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from separatrix_vtk.io import rips_files
from separatrix_vtk.shell import algorithms, alpha_run, main, relation_files, rips_run
from separatrix_vtk.shell.capabilities import (
    alpha,
    discrete_gradient,
    morse_smale,
    persistence_diagram,
    relations,
    rips,
)
from separatrix_vtk.shell.commands import app
from separatrix_vtk.shell.manual import markdown, names_of_commands, page_of, read_page
from separatrix_vtk.shell.option_texts import main_name
from shell.command import noise

REPOSITORY = Path(__file__).resolve().parents[2]
COMMANDS = names_of_commands()
PARAMETERS = {
    name: [p for p in command.params if "--help" not in p.opts]
    for name, command in typer.main.get_command(app).commands.items()
}
OF_PARAVIEW = {"paraview-setup"}  # runs on ParaViews, which its own tests bring
TWICE = {"--spacing"}  # of volumes read it has three numbers, of images made one
OLD = {  # second names of options that had another one before, or that other programs have
    "density": {"--dims": "--dimensions"},
    "neighbors": {"--critical-points-file": "--critical-points"},
    "rips": {"--max-dimension": "--dim"},
}
HEAD, TAIL = ["input", "output", "port", "device"], ["seconds", "seconds_in_all", "warnings"]
SPECIFIC = re.compile(r"[.:]( .*)?$")  # what of an option's help is of the command: words, units


def options(name: str) -> list[Any]:
    return [p for p in PARAMETERS[name] if p.param_type_name == "option"]


def test_an_option_of_a_name_is_the_same_option_everywhere():
    """Its letter, its help and its default; and a letter is always the same option."""
    meanings: dict[str, set[tuple[Any, ...]]] = defaultdict(set)
    letters: dict[str, set[str]] = defaultdict(set)
    for name in COMMANDS:
        for option in options(name):
            long = main_name(option.opts)
            letters.update({s: letters[s] | {long} for s in option.opts if not s.startswith("--")})
            if long not in TWICE:
                letter = tuple(s for s in option.opts if not s.startswith("--"))
                help = re.sub(r" \(\..*", "", SPECIFIC.sub("", option.help))
                meanings[long].add((letter, tuple(option.secondary_opts), help))
    assert {long: told for long, told in meanings.items() if len(told) > 1} == {}
    assert {letter: longs for letter, longs in letters.items() if len(longs) > 1} == {}


def test_an_option_has_one_name_and_older_ones_are_shown_behind_it():
    for name in COMMANDS:
        second = {}
        for option in options(name):
            main, *others = (opt for opt in option.opts if opt.startswith("--"))
            assert main_name(option.opts) == main
            second.update(dict.fromkeys([main], *others) if others else {})
        assert second == OLD.get(name, {})
        examples = " ".join(read_page(name).examples).split()
        assert not set(second.values()) & set(examples)
    assert "  --max-dimension, --dim N" in page_of("rips")


def test_an_older_name_does_what_the_new_one_does(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(folder)
    values = {
        "density sample_data/torus.csv": "9x8x7",
        "neighbors sample_data/torus.csv": "sample_data/linked_circles.csv",
        "rips sample_data/torus.csv --threshold 0.5": "2",
    }
    for line, value in values.items():
        told = []
        for option in next((new, old) for new, old in OLD[line.split()[0]].items()):
            assert main([*line.split(), option, value, "--json"]) == 0, capsys.readouterr().err
            told.append(json.loads(capsys.readouterr().out))
            for key in ("seconds", "seconds_in_all"):
                told[-1].pop(key)
        assert told[0] == told[1]
    assert main(["rips", "sample_data/torus.csv", "--dim", "99"]) == 2
    assert "--max-dimension must be a whole number" in capsys.readouterr().err
    assert main(["density", "sample_data/torus.csv", "--dimension", "4"]) == 2
    assert "there is no option --dimension; did you mean --dims?" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["{}", "help {}", "cite {}", "{} --help"])
@pytest.mark.parametrize(
    ("word", "rest"),
    [("foo", "there are morse-smale, "), ("rip", "did you mean rips?"), ("ms", "did you mean mor")],
)
def test_a_command_that_there_is_not_is_told_in_one_way(
    line: str, word: str, rest: str, capsys: pytest.CaptureFixture[str]
):
    assert main(line.format(word).split()) == 2
    assert capsys.readouterr().err.startswith(f"separatrix: there is no command '{word}'; {rest}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_prints_json_and_can_be_quiet(name: str):
    names = {opt for option in options(name) for opt in option.opts}
    assert {"--json", "--quiet", "-q"} <= names
    if "--device" in names:
        assert {"-d", "-t", "--threads", "--memory-limit"} <= names


@pytest.mark.parametrize("name", COMMANDS)
def test_everything_of_a_command_is_on_its_page(name: str):
    page, text = read_page(name), page_of(name)
    assert page.summary.endswith(".")
    assert page.examples
    assert page.manual.json
    assert (REPOSITORY / page.manual.see.split(",")[0]).is_file()
    for parameter in PARAMETERS[name]:
        assert parameter.help, parameter.name
        assert parameter.help.endswith("."), parameter.help
        for opt in (*parameter.opts, *parameter.secondary_opts):
            assert parameter.param_type_name == "argument" or opt in text
    for title in ("Usage:", "Examples:", "Exit status:", "JSON (--json):", "See also:"):
        assert title in text
    assert not re.search(r"[\x1b│╭]", text)


def test_the_page_of_the_docs_is_made_from_the_commands():
    page = (REPOSITORY / "docs" / "shell.md").read_text(encoding="utf-8")
    assert page == markdown(), "python -m separatrix_vtk.shell.manual > docs/shell.md"


def test_ports_and_formats_are_those_that_there_are():
    pages = {
        morse_smale: algorithms.MORSE_SMALE.ports,
        persistence_diagram: algorithms.PERSISTENCE_DIAGRAM.ports,
        discrete_gradient: algorithms.DISCRETE_GRADIENT.ports,
        alpha: alpha_run.ALPHA.ports,
        relations: relation_files.PORTS,
        rips: rips_run.PORTS,
    }
    for module, ports in pages.items():
        assert list(module.PORTS) == list(ports)
    assert ("auto", *rips_files.READERS) == rips.FORMATS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    (folder / "sample_data").symlink_to(REPOSITORY / "sample_data")
    np.save(folder / "field.npy", noise(5, 6, 7))
    edge = np.linspace(0, 9, 64)
    values = np.sin(edge)[:, None, None] + np.cos(edge)[:, None] + np.sin(0.5 * edge)
    (folder / "fuel.raw").write_bytes((values * 40 + 120).astype(np.uint8).tobytes())
    return folder


def check_form(told: dict[str, Any]) -> None:
    """What every run tells, in one order, and keys in small letters."""
    assert [*told][:4] == HEAD
    assert [*told][-3:] == TAIL
    assert told["port"] in (None, *read_page_of_port(told))
    assert 0 < max(told["seconds"].values()) <= told["seconds_in_all"]
    inner = [told, *told.get("complexes", [])]
    inner += [told["statistics"]] if isinstance(told.get("statistics"), dict) else []
    for key in (key for each in inner for key in each):
        assert re.fullmatch(r"[a-z][a-z0-9_]*", key), key


def read_page_of_port(told: dict[str, Any]) -> list[str]:
    """The ports of a command that wrote a file of one dataset."""
    is_one = told["output"] and Path(told["output"]).suffix not in (".vtm", ".npz")
    return sorted({port for name in COMMANDS for port in read_page(name).manual.ports if is_one})


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in OF_PARAVIEW])
def test_the_examples_of_a_page_run_and_print_the_keys_that_it_names(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(folder)
    seen: set[str] = set()
    for line in read_page(name).examples:
        others = ("--json", "--quiet", "--bibtex")  # of which --json takes the place
        arguments = [word for word in shlex.split(line)[1:] if word not in others]
        assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
        told = json.loads(capsys.readouterr().out)
        if arguments[0] == name:
            seen |= told.keys()
            if "device" in told:
                check_form(told)
        if told.get("output"):
            assert (folder / told["output"]).is_file()
    documented = read_page(name).manual.json.keys()
    assert seen <= documented
    assert documented - seen <= {"points", "tetrahedra", "triangles", "critical_points"}


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ("", "Usage: separatrix COMMAND"),
        ("--help", "Usage: separatrix COMMAND"),
        ("help", "Usage: separatrix COMMAND"),
        ("rips --help", "Usage: separatrix rips INPUT"),
        ("rips torus.csv -h", "Usage: separatrix rips INPUT"),
        ("help rips", "Usage: separatrix rips INPUT"),
        ("help help", "Usage: separatrix help [COMMAND]"),
        ("help --help", "Usage: separatrix help [COMMAND]"),
    ],
)
def test_help_is_asked_for_in_many_ways(line: str, first: str, capsys: pytest.CaptureFixture[str]):
    assert main(line.split()) == 0
    said = capsys.readouterr()
    assert said.out.startswith(first)
    assert said.err == ""
    assert max(map(len, said.out.splitlines())) <= 100


def test_help_loads_neither_the_engine_nor_vtk_nor_what_reads_arguments():
    code = "import sys; from separatrix_vtk.shell import main; main(['rips', '--help']); "
    code += "print([m for m in ('separatrix', 'vtkmodules', 'rich', 'scipy') if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.splitlines()[-1] == "[]"


def test_a_command_without_a_page_of_its_own_has_what_its_docstring_says():
    page = read_page("devices")
    assert page.about == []
    assert page.synopsis == "separatrix devices [OPTIONS]"
    assert read_page("rips").synopsis == "separatrix rips INPUT [OUTPUT] [OPTIONS]"
