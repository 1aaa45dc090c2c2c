"""All commands: options are derived from declarations, examples run, and texts are complete."""

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

from separatrix.options import options_of
from separatrix_vtk.cli import main
from separatrix_vtk.cli.command import shell_name
from separatrix_vtk.cli.commands import COMMANDS
from separatrix_vtk.cli.help import page_of, text_of
from separatrix_vtk.cli.parser import app
from separatrix_vtk.io.rips_files import READERS
from shell.command import noise

REPOSITORY = Path(__file__).resolve().parents[2]
OF_PARAVIEW = {"paraview-setup"}  # runs on ParaViews, which its own tests provide
HEAD, TAIL = ["input", "output", "port", "device"], ["seconds", "seconds_in_all", "warnings"]
PARAMETERS = {
    name: [p for p in command.params if "--help" not in p.opts]
    for name, command in typer.main.get_command(app).commands.items()
}


def test_a_letter_is_the_same_option_in_every_command():
    letters = defaultdict(set)
    for parameters in PARAMETERS.values():
        for option in (p for p in parameters if p.param_type_name == "option"):
            long = next(opt for opt in option.opts if opt.startswith("--"))
            for letter in (opt for opt in option.opts if not opt.startswith("--")):
                letters[letter].add(long)
    assert {letter: longs for letter, longs in letters.items() if len(longs) > 1} == {}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_every_declared_option_can_be_given(command):
    offered = {opt for p in PARAMETERS[command.name] for opt in p.opts}
    assert {shell_name(name) for name in command.options} <= offered
    assert {shell_name(name) for name in command.flags} <= offered
    assert {"--json", "--quiet", "-q"} <= offered
    for flag in command.flags.values():
        assert all(command.declared(name).kind is bool for name in flag.options)


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_ports_name_options_and_outputs_of_the_filter(command):
    declared = {name for d in command.declarations for name in options_of(d)}
    numbers = [port.number for port in command.ports.values()]
    assert len(numbers) == len(set(numbers))
    for port in command.ports.values():
        assert {*port.fills, *port.adds, *port.asked_by} <= declared


def test_the_formats_of_distances_are_those_that_are_read():
    assert COMMANDS["rips"].options["format"].choices == ("auto", *READERS)


@pytest.mark.parametrize("line", ["{}", "help {}", "cite {}", "{} --help"])
@pytest.mark.parametrize(
    ("word", "rest"),
    [("foo", "Commands: morse-smale, "), ("rip", "Did you mean rips?"), ("ms", "Did you mean mor")],
)
def test_an_unknown_command_is_reported_in_one_way(line, word, rest, capsys):
    assert main(line.format(word).split()) == 2
    assert capsys.readouterr().err.startswith(f"separatrix: There is no command '{word}'. {rest}")


@pytest.mark.parametrize("command", COMMANDS.values(), ids=lambda command: command.name)
def test_the_page_of_a_command_is_complete(command):
    text = page_of(command.name)
    summary, _, examples = text_of(command)
    assert summary.endswith(".")
    assert examples
    assert command.json
    assert (REPOSITORY / command.see.split(",")[0]).is_file()
    for parameter in PARAMETERS[command.name]:
        if parameter.param_type_name == "option":
            assert any(opt in text for opt in parameter.opts), parameter.opts
        else:
            assert parameter.metavar in text
    for title in ("Usage:", "Examples:", "Exit codes:", "JSON:", "See also:"):
        assert title in text
    assert not re.search(r"[\x1b│╭{}]", text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    (folder / "sample_data").symlink_to(REPOSITORY / "sample_data")
    np.save(folder / "field.npy", noise(5, 6, 7))
    edge = np.linspace(0, 9, 64)
    values = np.sin(edge)[:, None, None] + np.cos(edge)[:, None] + np.sin(0.5 * edge)
    (folder / "fuel.raw").write_bytes((values * 40 + 120).astype(np.uint8).tobytes())
    return folder


def check_form(reported: dict[str, Any], ports: list[str]) -> None:
    """The keys that every run prints, in one order and lower case."""
    assert [*reported][:4] == HEAD
    assert [*reported][-3:] == TAIL
    is_one = reported["output"] and Path(reported["output"]).suffix != ".vtm"
    assert reported["port"] in (None, *(ports if is_one else []))
    assert 0 < max(reported["seconds"].values()) <= reported["seconds_in_all"]
    inner = [reported, *reported.get("complexes", [])]
    inner += [reported["statistics"]] if isinstance(reported.get("statistics"), dict) else []
    for key in (key for each in inner for key in each):
        assert re.fullmatch(r"[a-z][a-z0-9_]*", key), key


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in OF_PARAVIEW])
def test_the_examples_of_a_page_run_and_print_the_keys_that_it_names(
    name, folder, monkeypatch, capsys
):
    monkeypatch.chdir(folder)
    seen = set()
    for line in text_of(COMMANDS[name])[2]:
        others = ("--json", "--quiet", "--bibtex")  # of which --json takes the place
        arguments = [word for word in shlex.split(line)[1:] if word not in others]
        assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
        reported = json.loads(capsys.readouterr().out)
        if arguments[0] == name:
            seen |= reported.keys()
            if "device" in reported:
                check_form(reported, list(COMMANDS[name].ports) or [reported["port"]])
        if reported.get("output"):
            assert (folder / reported["output"]).is_file()
    documented = COMMANDS[name].json.keys()
    assert seen <= documented
    of_meshes = {"points", "tetrahedra", "triangles", "mesh", "memory_bytes"}
    assert documented - seen <= {*of_meshes, "critical_points"}


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
def test_help_is_printed_in_many_ways(line, first, capsys):
    assert main(line.split()) == 0
    said = capsys.readouterr()
    assert said.out.startswith(first)
    assert said.err == ""
    assert max(map(len, said.out.splitlines())) <= 100


def test_help_loads_neither_vtk_nor_numpy_nor_typer():
    code = "import sys; from separatrix_vtk.cli import main; main(['rips', '--help']); "
    code += "print([m for m in ('vtkmodules', 'numpy', 'rich', 'typer') if m in sys.modules])"
    reported = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert reported.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("rips --max-dimension 2", "max_dimension", 2),
        ("rips --collapse off", "collapse", False),
        ("rips --memory-limit 8", "memory_limit", 8 << 20),
        ("morse-smale --persistence 5%", "persistence", 0.05),
        ("morse-smale --persistence 5%", "relative", True),
        ("morse-smale --persistence 20", "persistence", 20.0),
        ("morse-smale --no-graph", "compute_graph", False),
        ("morse-smale --surfaces", "compute_ascending_separatrices_2", True),
        ("morse-smale --no-segmentation", "compute_morse_smale_segmentation", False),
        ("density --bounds 0,1,0,1,0,2", "bounds", (0.0, 1.0, 0.0, 1.0, 0.0, 2.0)),
        ("density --dimensions 9x8x7", "dimensions", (9, 8, 7)),
        ("density --dimensions 9X8X7", "dimensions", (9, 8, 7)),
        ("density --dimensions 9,8,7", "dimensions", (9, 8, 7)),
        ("alpha --alpha 0,1.4", "alpha", 1.4),
        ("relations --relation VV,FT", "relations", ("VV", "FT")),
        ("persistence-diagram --dimensions 2,0", "dimensions", (2, 0)),
        ("critical-points --spacing 1,0.5,0", "spacing", (1.0, 0.5, 0.0)),
    ],
)
def test_the_text_of_an_option_is_its_value(line, name, value):
    command, option, *texts = line.split()
    parameter = next(p for p in PARAMETERS[command] if option in (*p.opts, *p.secondary_opts))
    text = option in parameter.opts if not texts else texts[0]
    found = COMMANDS[command].read({parameter.name: text})[name]
    assert found == value
    assert type(found) is type(value)
