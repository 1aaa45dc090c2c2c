"""The worked example of docs/contributing/new_filter.md: a copy of the tree with it built in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from pages.blocks import REPOSITORY, blocks_of

PAGE = REPOSITORY / "docs" / "contributing" / "new_filter.md"
BLOCKS = [block for block in blocks_of(PAGE) if block.what == "example"]
COPIED = ("engine", "plugins", "xml", "tests/oracles", "tests/engine", "tests/repository")


def run(tree: Path, *arguments: object) -> str:
    """The output of Python in the copy, which must succeed."""
    paths = os.pathsep.join(str(tree / name) for name in ("engine", "plugins"))
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def make_tree(tree: Path) -> None:
    """Copy the required parts of the repository, write each block to its file, and build."""
    for name in COPIED:
        ignored = shutil.ignore_patterns("__pycache__", "build-*")
        shutil.copytree(REPOSITORY / name, tree / name, ignore=ignored)
    (tree / "docs").mkdir()
    for name in ("pyproject.toml", "CONTRIBUTING.md", "docs/files.md", "tests/conftest.py"):
        shutil.copy(REPOSITORY / name, tree / name)
    (tree / "sample_data").symlink_to(REPOSITORY / "sample_data")
    for block in BLOCKS:
        path = tree / block.reported
        assert path.exists() == (block.mark == "add to"), block.place
        before = path.read_text(encoding="utf-8") + "\n" if block.mark == "add to" else ""
        path.write_text(before + block.text, encoding="utf-8")
    run(tree, "engine/build_kernels.py")
    run(tree, "-m", "separatrix_vtk.generate")
