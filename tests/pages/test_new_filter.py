"""The worked example of docs/contributing/new_filter.md, from the kernel to VTK.

Each block goes into the file that it names, in a copy of the tree, which is then built and used as
the page says. tests/paraview_app/test_pages.py has its last step.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pages.worked_example import BLOCKS, make_tree, run

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository with the worked example in it, its library built."""
    tree = tmp_path_factory.mktemp("clone")
    make_tree(tree)
    return tree


def test_each_block_names_its_file():
    assert [block.place for block in BLOCKS if not block.reported] == []
    suffixes = {Path(block.reported).suffix for block in BLOCKS}
    assert suffixes == {".h", ".cpp", ".py", ".pyi", ".xml"}


def test_the_worked_example_passes_its_own_tests(tree: Path):
    kernels = ("tests/engine/test_kernels_compile.py", "-k", "lower_neighbors and sm_75")
    assert "9 passed" in run(tree, "-m", "pytest", "-q", "tests/engine/test_lower_neighbors.py")
    assert re.search(r"\d+ passed", run(tree, "-m", "pytest", "-q", *kernels))


def test_the_worked_example_passes_lint_and_type_checks(tree: Path):
    run(tree, "-m", "pytest", "-q", "tests/repository/test_layers.py")


def test_the_worked_example_runs_in_vtk(tree: Path):
    assert run(tree, "example.py") == "range (0.0, 6.0)\nminima 115.0\n"
