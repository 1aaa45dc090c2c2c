"""Rules for the tree as a whole: small files, telling names, a docstring on everything public."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDERS = (
    ".ci", "benchmarks", "docs", "engine", "examples", "plugins", "sample_data", "tests", "xml",
)  # fmt: skip
MADE_HERE = {"__pycache__", "_lib", "scratch"}
PACKAGES = ("separatrix", "separatrix_vtk")
SOURCE_SUFFIXES = {".py", ".h", ".cpp", ".cu", ".xml"}


def files() -> list[Path]:
    """Every file of the tree that is not made by building or running."""
    found = [path for path in REPOSITORY.iterdir() if path.is_file()]
    for folder in FOLDERS:
        found += [path for path in (REPOSITORY / folder).rglob("*") if path.is_file()]
    return [
        path for path in sorted(found) if not MADE_HERE & set(path.relative_to(REPOSITORY).parts)
    ]


def relative(paths: list[Path]) -> list[str]:
    """Paths as one reads them in a message."""
    return [str(path.relative_to(REPOSITORY)) for path in paths]


def test_no_file_is_larger_than_a_megabyte():
    assert relative([path for path in files() if path.stat().st_size > 1_000_000]) == []


def test_no_file_is_named_after_nothing():
    nothing = {"utils", "util", "helpers", "helper", "misc", "common"}
    assert relative([path for path in files() if path.stem.lower() in nothing]) == []


def test_a_source_file_can_be_read_in_one_sitting():
    texts = {p: p.read_text(encoding="utf-8") for p in files() if p.suffix in SOURCE_SUFFIXES}
    written = [path for path, text in texts.items() if "\nWritten by `make generated`" not in text]
    assert relative([path for path in written if len(texts[path].splitlines()) > 400]) == []


def test_plugin_folders_hold_nothing_that_paraview_would_load_by_mistake():
    assert [path.name for path in (REPOSITORY / "plugins").glob("*.*")] == ["SeparatrixPlugin.py"]
    assert {path.suffix for path in (REPOSITORY / "xml").iterdir()} == {".xml"}


def test_contributors_find_every_folder_on_the_map():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    sources = [path.parent for path in files() if path.suffix in SOURCE_SUFFIXES]
    packages = {
        path.relative_to(REPOSITORY).parts[:depth][-1]
        for top, depth in (("engine/separatrix", 3), ("plugins/separatrix_vtk", 3), ("tests", 2))
        for path in sources
        if path.is_relative_to(REPOSITORY / top) and path != REPOSITORY / top
    }
    named = set(re.findall(r"(\w+)/", text))
    assert {folder for folder in FOLDERS if folder != ".ci"} | packages <= named


def test_contributors_find_every_target_of_make():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE)
    assert len(targets) > 8
    assert set(targets) - {"help"} <= set(re.findall(r"\bmake ([a-z-]+)", text))


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_bench_measures_and_does_not_write_the_tables_of_kept_results():
    told = subprocess.run(
        ["make", "--dry-run", "bench"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    scripts = set(re.findall(r"benchmarks/(\w+)\.py", told.stdout))
    assert {"morse_smale", "rips", "mesh_machine"} <= scripts
    assert not {"against_peers", "table"} & scripts


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_and_everything_public_in_it_has_a_docstring(package: str):
    silent = []
    for module in modules_of(package):
        silent += [] if module.__doc__ else [module.__name__]
        silent += [f"{module.__name__}.{name}" for name in undocumented(module, module.__name__)]
    assert not silent, "\n".join(silent)


def modules_of(package: str) -> Iterator[ModuleType]:
    """A package and every module below it, imported; not `__main__`, which would run."""
    top = importlib.import_module(package)
    yield top
    for found in pkgutil.walk_packages(top.__path__, f"{package}."):
        if not found.name.endswith(".__main__"):
            yield importlib.import_module(found.name)


def undocumented(owner: ModuleType | type, module: str) -> Iterator[str]:
    """Public functions, classes and methods of a module that have no docstring, nor inherit one.

    Methods in CamelCase are VTK's: it dictates what they do, and the filter's table of settings
    documents ours.
    """
    for name, member in vars(owner).items():
        is_vtk_method = isinstance(owner, type) and name[0].isupper()
        has_text = inspect.isroutine(member) or isinstance(
            member, type | property | cached_property
        )
        if name.startswith("_") or is_vtk_method or not has_text:
            continue
        if getattr(member, "__module__", module) != module:
            continue  # imported from elsewhere
        if not inspect.getdoc(getattr(owner, name)):
            yield name if isinstance(owner, ModuleType) else f"{owner.__name__}.{name}"
        if isinstance(member, type) and isinstance(owner, ModuleType):
            yield from undocumented(member, module)
