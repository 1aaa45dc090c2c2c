"""What the sources import, read from their syntax trees: no source is run for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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
