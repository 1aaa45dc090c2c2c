"""An option is two edits: those of docs/contributing/new_filter.md, in a copy of the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pages.blocks import REPOSITORY, blocks_of

pytest.importorskip("vtkmodules")

PAGE = REPOSITORY / "docs" / "contributing" / "new_filter.md"
DECLARATION, USE = (
    block.text for block in blocks_of(PAGE) if "test_new_option.py inserts it" in block.reported
)
OPTIONS = "engine/separatrix/options/morse_smale.py"
FILTER = "plugins/separatrix_vtk/filters/scalar_field/complex_outputs.py"
CHECK = """
import inspect
from separatrix_vtk import MorseSmaleComplex, functions
from separatrix_vtk.accessor import Methods

for function in (functions.morse_smale_complex, Methods.morse_smale_complex):
    assert inspect.signature(function).parameters["connector_limit"].default == 100_000
    assert "Maximum number of saddle connectors to draw." in inspect.getdoc(function)
for name in ("functions", "accessor"):
    assert "connector_limit: int = 100000," in open(f"plugins/separatrix_vtk/{name}.pyi").read()
filter = MorseSmaleComplex(connector_limit=5)
filter.SetConnectorLimit(7)
print(filter.connector_limit)
try:
    filter.connector_limit = -1
except ValueError as error:
    print(error)
"""
WRONG = """
from separatrix_vtk import MorseSmaleComplex, morse_smale_complex
morse_smale_complex(None, connector_limit=5)
morse_smale_complex(None, connector_limit="no")
morse_smale_complex(None, persistence="no")
morse_smale_complex(None, persistance=1.0)
morse_smale_complex(None, order="platau")
MorseSmaleComplex(connector_limit="no")
"""


def edit(path: Path, before: str, after: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, (path, before)
    path.write_text(text.replace(before, after), encoding="utf-8")


def run(tree: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(str(tree / name) for name in ("engine", "plugins"))
    environment = {**os.environ, "PYTHONPATH": paths, "MYPYPATH": paths}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with one more option."""
    tree = tmp_path_factory.mktemp("clone")
    for name in ("engine/separatrix", "plugins", "xml"):
        ignored = shutil.ignore_patterns("__pycache__", "build-*")
        shutil.copytree(REPOSITORY / name, tree / name, ignore=ignored)
    (tree / "docs").mkdir()
    shutil.copy(REPOSITORY / "docs" / "files.md", tree / "docs")
    edit(tree / OPTIONS, "    def check_together", DECLARATION + "\n    def check_together")
    edit(tree / FILTER, "        limit = MOST_CONNECTORS\n", USE)
    done = run(tree, "-m", "separatrix_vtk.generate")
    assert done.returncode == 0, done.stderr
    return tree


def test_functions_the_accessor_and_vtk_have_the_option(tree: Path):
    done = run(tree, "-c", CHECK)
    sentence = "connector_limit must be a non-negative integer; got -1."
    assert done.stdout.splitlines() == ["7", sentence], done.stderr


def test_the_panel_and_the_docs_have_the_option(tree: Path):
    panel = (tree / "xml" / "morse_smale_complex.xml").read_text(encoding="utf-8")
    assert 'command="SetConnectorLimit" number_of_elements="1" default_values="100000"' in panel
    assert '        <Property name="ConnectorLimit"/>' in panel
    table = (tree / "docs" / "options.md").read_text(encoding="utf-8")
    assert "| Connector Limit (advanced) | `connector_limit` | 100,000 |" in table


def test_the_shell_has_the_option(tree: Path, tmp_path: Path):
    image, lines = REPOSITORY / "sample_data" / "noisy_field.vti", tmp_path / "lines.vtp"
    command = ("-m", "separatrix_vtk", "morse-smale")
    page = " ".join(run(tree, *command, "--help").stdout.split())
    assert "--connector-limit N Maximum number of saddle connectors to draw." in page
    assert "[default: 100000]" in page
    port = ("--port", "separatrices-1")
    done = run(tree, *command, image, lines, *port, "--connector-limit", "0")
    assert done.returncode == 0, done.stderr
    assert "saddle connectors were not drawn, because the limit is 0." in done.stderr
    done = run(tree, *command, image, lines, *port, "--connector-limit", "-1")
    assert "--connector-limit must be a non-negative integer; got" in done.stderr
    assert done.returncode == 2


@pytest.mark.long
def test_mypy_recognizes_the_option(tree: Path, tmp_path: Path):
    pytest.importorskip("mypy")
    (tree / "wrong.py").write_text(WRONG, encoding="utf-8")
    cache = ("--cache-dir", str(tmp_path))
    done = run(tree, "-m", "mypy", "--ignore-missing-imports", *cache, "wrong.py")
    wrong = {int(line.split(":")[1]) for line in done.stdout.splitlines() if "wrong.py:" in line}
    assert wrong - {6} == {4, 5, 7, 8}, done.stdout
    assert 6 in wrong
