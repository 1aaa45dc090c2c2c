"""Imports point only downward: the layers of the sources.

From below: kernels, then device and primitives, then the algorithms, then the engine's public face,
then the VTK filters, then ParaView's binding. Nothing imports a layer above its own.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
ENGINE = REPOSITORY / "engine" / "separatrix"
FILTERS = REPOSITORY / "plugins" / "separatrix_vtk"
PLUGIN_FILE = REPOSITORY / "plugins" / "SeparatrixPlugin.py"
KERNELS = ENGINE / "kernels"
HEADERS = sorted(KERNELS.rglob("*.h"))
STANDARD_LIBRARY = set(sys.stdlib_module_names)

PUBLIC_FACE = 4
FLOOR_OF = {
    "errors": 0, "axes": 0,
    "lazy": 0, "arguments": 1, "options": 1, "kernels": 1,
    "device": 2, "primitives": 2, "homology": 2, "plotting": 2, "results": 2, "spatial": 2,
    "morse": 3, "complexes": 3, "pieces": 3, "relations": 3, "alpha": 3, "rips": 3, "sums": 3,
    "analyses": 3, "simplification": 3, "ripser": 3, "ripserplusplus": 3,
    "__init__": PUBLIC_FACE,
}  # fmt: skip
"""Layer of each part of the engine, a module or a package of `separatrix`."""


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Import(NamedTuple):
    """One imported name, with all its dots resolved: `from ..a import b` in x.y.z is `x.a.b`."""

    name: str
    when_imported: bool  # not inside a function, and not for the type checker only
    line: int

    @property
    def top(self) -> str:
        """The top-level package."""
        return self.name.partition(".")[0]


def imports_in(folder: Path, source_root: Path) -> Iterator[tuple[Path, Import]]:
    """Every import of every file in a folder, whose packages start at `source_root`."""
    for path in sorted(folder.rglob("*.py")):
        package = ".".join(path.relative_to(source_root).parent.parts)
        for found in imports_of(path.read_text(encoding="utf-8"), package):
            yield path, found


def imports_of(text: str, package: str) -> list[Import]:
    """Every import in the text of a module of `package`."""
    return list(_imports_below(ast.parse(text), package, when_imported=True))


def _imports_below(node: ast.AST, package: str, when_imported: bool) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for name in node.names:
            yield Import(name.name, when_imported, node.lineno)
    elif isinstance(node, ast.ImportFrom):
        for name in node.names:
            yield Import(f"{_base(node, package)}.{name.name}", when_imported, node.lineno)
    elif isinstance(node, FUNCTIONS) or _is_for_type_checker(node):
        when_imported = False
    for child in ast.iter_child_nodes(node):
        yield from _imports_below(child, package, when_imported)


def _base(node: ast.ImportFrom, package: str) -> str:
    if node.level == 0:
        return node.module or ""
    parents = package.split(".")
    kept = parents[: len(parents) - node.level + 1]
    return ".".join([*kept, node.module] if node.module else kept)


def _is_for_type_checker(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def offenders(folder: Path, is_wrong: Callable[[Path, Import], bool]) -> list[str]:
    """Imports of the sources below a folder that are not allowed."""
    return [
        f"{path.relative_to(REPOSITORY)}:{found.line} imports {found.name}"
        for path, found in imports_in(folder, folder.parent)
        if is_wrong(path, found)
    ]


def part_of(module: str) -> str:
    """Part of the engine that a name belongs to: separatrix.morse.graph.Arcs is of `morse`."""
    return (module + ".__init__").split(".")[1]


def test_imports_are_found_with_relative_names_and_in_functions():
    text = "import a.b\ndef f():\n    from ..c import d\nif TYPE_CHECKING:\n    from . import e\n"
    assert [
        (found.name, found.when_imported) for found in imports_of(text, "separatrix.morse")
    ] == [
        ("a.b", True),
        ("separatrix.c.d", False),
        ("separatrix.morse.e", False),
    ]


def test_every_part_of_the_engine_has_a_layer():
    parts = {path.stem for path in ENGINE.glob("*.py")} | {
        p.parent.name for p in ENGINE.glob("*/*.py")
    }
    assert parts <= set(FLOOR_OF)


def test_no_part_of_the_engine_imports_a_higher_layer():
    def points_upwards(path: Path, found: Import) -> bool:
        own_part = path.relative_to(ENGINE).with_suffix("").parts[0]
        target = FLOOR_OF.get(part_of(found.name), PUBLIC_FACE)
        return found.top == "separatrix" and target > FLOOR_OF[own_part]

    assert offenders(ENGINE, points_upwards) == []


def test_the_imports_of_the_engine_form_no_cycle():
    def is_late(_: Path, found: Import) -> bool:
        return found.top == "separatrix" and not found.when_imported

    assert offenders(ENGINE, is_late) == []


def test_neutral_modules_do_not_import_images_or_meshes():
    neutral = ENGINE / "morse"
    strangers = {"complexes", "relations", "analyses", "simplification"}
    found = [
        f"{path.relative_to(REPOSITORY)}:{one.line} imports {one.name}"
        for path, one in imports_in(neutral, ENGINE.parent)
        if one.top == "separatrix" and part_of(one.name) in strangers
    ]
    assert found == []


def test_the_engine_imports_neither_vtk_nor_paraview():
    strangers = {"vtk", "vtkmodules", "paraview", "pyvista", "separatrix_vtk"}
    assert offenders(ENGINE, lambda _, found: found.top in strangers) == []


def test_importing_the_engine_requires_only_numpy():
    known = STANDARD_LIBRARY | {"numpy", "separatrix"}
    assert offenders(ENGINE, lambda _, found: found.when_imported and found.top not in known) == []


def test_the_filters_import_neither_cuda_nor_paraview():
    assert offenders(FILTERS, lambda _, found: found.top in {"cupy", "cuda"}) == []
    assert (
        offenders(FILTERS, lambda _, found: found.when_imported and found.top == "paraview") == []
    )


def test_the_filters_use_only_public_and_shared_modules_of_the_engine():
    def is_inner(_: Path, found: Import) -> bool:
        shared = {"__init__", "options", "errors", "axes", "plotting", "pieces"}
        inner_parts = set(FLOOR_OF) - shared
        return found.top == "separatrix" and part_of(found.name) in inner_parts

    assert offenders(FILTERS, is_inner) == []


def test_filters_readers_and_writers_import_no_front_end():
    front_ends = {"shell", "cli", "setup", "cite"}

    def is_front_end(path: Path, found: Import) -> bool:
        is_below = path.relative_to(FILTERS).parts[0] in {"base", "io", "filters"}
        return is_below and found.top == "separatrix_vtk" and part_of(found.name) in front_ends

    assert offenders(FILTERS, is_front_end) == []


def test_the_plugin_file_imports_the_filters_and_the_standard_library_only():
    found = {found.top for found in imports_of(PLUGIN_FILE.read_text(encoding="utf-8"), "")}
    assert found - STANDARD_LIBRARY == {"separatrix_vtk"}


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: str(header.relative_to(KERNELS)))
def test_a_kernel_header_includes_only_kernel_headers_and_guarded_host_headers(header: Path):
    depth = 0
    for number, line in enumerate(header.read_text(encoding="utf-8").splitlines(), start=1):
        depth += bool(re.match(r"\s*#\s*if", line)) - bool(re.match(r"\s*#\s*endif", line))
        if included := re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line):
            bracket, name = included.groups()
            is_ours = bracket == '"' and (KERNELS / name).is_file()
            assert is_ours or (bracket == "<" and depth > 0), f"{header.name}:{number} {name}"
