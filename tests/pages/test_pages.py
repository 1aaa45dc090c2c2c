"""Every block of code of README.md and docs runs unchanged, or states why it is not run."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pages.blocks import BLOCKS, PAGES, REPOSITORY, Block, blocks_in, chosen
from pages.checks import CHECKS
from pages.shell import is_ours, lines_of, needs_a_shell, words_of, wrong_in
from pages.worked_example import PAGE as WORKED_EXAMPLE
from separatrix_vtk.cli import main

CODE = "import sys; from separatrix_vtk.cli import main; sys.exit(main())"
SHIM = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c {shlex.quote(CODE)} "$@"\n'


def names_of(pages: list[Path]) -> list[str]:
    return [str(page.relative_to(REPOSITORY)) for page in pages]


def of_page(what: str, page: str) -> list[Block]:
    return [block for block in chosen(what) if names_of([block.page]) == [page]]


def pages_with(what: str) -> list[str]:
    return [name for name in names_of(PAGES) if of_page(what, name)]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that looks like a clone, to write into; it is the current one."""
    for name in ("sample_data", "xml", "plugins", "engine", "examples"):
        (tmp_path / name).symlink_to(REPOSITORY / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# === the mechanism


def test_blocks_are_found_with_their_languages_marks_and_lines():
    page = REPOSITORY / "made_up.md"
    text = (
        "a\n```python\nx = 1\n```\n\n<!-- not run: opens a window -->\n```sh\nparaview\n```\n"
        "<!-- needs persim -->\n\n```python\nimport persim\n```\n"
        "````text\n```\n````\n  ```\n  make demo\n  ```\n"
        "```python\n# xvfb-run pvpython s.py\n```\n```fortran\n```\n```{toctree}\n```\n"
    )
    found = [
        (block.line, block.what, block.text, block.reported) for block in blocks_in(page, text)
    ]
    assert found == [
        (3, "python", "x = 1\n", ""),
        (8, "not run", "paraview\n", "opens a window"),
        (13, "python", "import persim\n", "persim"),
        (16, "text", "```\n", ""),
        (19, "shell", "make demo\n", ""),
        (22, "pvpython", "# xvfb-run pvpython s.py\n", ""),
        (25, "", "\n", ""),
        (27, "text", "\n", ""),
    ]
    with pytest.raises(AssertionError, match=r"made_up\.md:1: a block without an end"):
        blocks_in(page, "```python\n")


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("make test PARAVIEW=no", ""),
        ("make coffee", "no such target: coffee"),
        ("pip install '.[cli,vtk]'", ""),
        ("pip install '.[cli,tea]'", "no such extra: tea"),
        ("python benchmarks/table.py benchmarks/results/*.jsonl", ""),
        ("python benchmarks/chair.py", "no such script: benchmarks/chair.py"),
        ("python -m examples.demo docs/images --pictures", ""),
        ("python -m examples.demo.nothing", "no module examples.demo.nothing"),
        ("PYTHONPATH=$PWD/engine:$PWD/plugins paraview", ""),
        ("PYTHONPATH=$PWD/motor paraview", "no such path: ['motor']"),
        (".venv/bin/pytest tests/nowhere", "no such path: tests/nowhere"),
    ],
)
def test_commands_that_are_not_run_are_checked(line: str, wrong: str):
    assert wrong_in(line) == wrong


def test_calls_with_variables_and_pipes_go_through_a_shell():
    assert not needs_a_shell("separatrix rips a.csv --dim 2  # a > b")
    for line in ("SEPARATRIX_DEVICE=cpu separatrix devices", "separatrix devices | head -n 1"):
        assert is_ours(line)
        assert needs_a_shell(line)


def test_no_block_is_omitted_silently():
    unknown = [f"{b.place} ({b.language or 'no language'})" for b in BLOCKS if not b.what]
    assert unknown == [], "tests/pages/blocks.py says which languages and marks there are"
    unreasoned = [b.place for b in BLOCKS if b.mark == "not run" and len(b.reported) < 10]
    assert unreasoned == [], "say why"
    lost = [b.place for b in chosen("example") if b.page != WORKED_EXAMPLE]
    assert lost == [], "no test builds this worked example"


def test_every_check_belongs_to_a_page_that_runs():
    assert set(CHECKS) <= set(pages_with("python"))


# === the blocks


@pytest.mark.parametrize("page", pages_with("python"))
def test_the_python_of_a_page_runs_as_it_stands(
    page: str, clone: Path, capsys: pytest.CaptureFixture[str]
):
    names: dict[str, Any] = {"__name__": "page"}
    omitted = []
    for block in of_page("python", page):
        if block.mark == "needs" and importlib.util.find_spec(block.reported) is None:
            omitted.append(f"{block.place} needs {block.reported}, which is not installed")
            continue
        # As many lines above it as on the page, so that a traceback names the page's line.
        text = "\n" * (block.line - 1) + block.text
        exec(compile(text, str(block.page), "exec"), names)
    pictures = [clone / name for name in written(of_page("python", page))]
    assert [path.name for path in pictures if path.stat().st_size < 10_000] == []
    if page in CHECKS:
        CHECKS[page](names, capsys.readouterr().out)
    if omitted:
        pytest.skip("; ".join(omitted) + "; the other blocks ran")


def written(blocks: list[Block]) -> list[str]:
    """The pictures that blocks write into the current folder."""
    return [name for block in blocks for name in re.findall(r'"([\w-]+\.png)"', block.text)]


@pytest.mark.parametrize("page", pages_with("shell"))
def test_the_commands_of_a_page_run_as_they_stand(
    page: str, clone: Path, capsys: pytest.CaptureFixture[str]
):
    for block in of_page("shell", page):
        for line in lines_of(block):
            if words_of(line)[:1] == ["mkdir"]:
                through_the_shell(line, clone)
            elif not is_ours(line):
                assert wrong_in(line) == "", f"{block.place}: {line}"
            elif needs_a_shell(line):
                through_the_shell(line, clone)
            else:
                assert main(words_of(line)[1:]) == 0, f"{block.place}: {line}"
                reported = capsys.readouterr()
                assert reported.err == "", f"{block.place}: {line}"


def through_the_shell(line: str, folder: Path) -> None:
    """Run a line with pipes or redirections; `separatrix` is this tree's."""
    programs = folder / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "separatrix").write_text(SHIM, encoding="utf-8")
    (programs / "separatrix").chmod(0o755)
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=100,
        cwd=folder,
    )
    assert (done.returncode, done.stderr) == (0, ""), line
