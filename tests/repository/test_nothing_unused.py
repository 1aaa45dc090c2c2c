"""Every function, class, and constant of the packages is used."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDERS = (".ci", "benchmarks", "docs", "engine", "examples", "plugins", "sample_data", "tests")
BUILT = {"__pycache__", "_lib", "scratch"}
READ = {".py", ".pyi", ".md", ".xml", ".toml"}
SPECIAL = re.compile(r"__\w+__")
VTK_AND_BUILD = re.compile(r"[A-Z][a-z]+[A-Za-z]*|PLUGIN_NAME")
"""Members that VTK or the build calls by their names: methods in CamelCase."""


def defined_in(tree: ast.AST, inside_class: bool = False) -> Iterator[str]:
    """Undecorated functions, classes, and constants of a module and its classes."""
    for node in ast.iter_child_nodes(tree):
        names: list[str] = []
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [] if any(map(is_registration, node.decorator_list)) else [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        yield from (
            name
            for name in names
            if not SPECIAL.fullmatch(name) and not (inside_class and VTK_AND_BUILD.fullmatch(name))
        )
        if isinstance(node, ast.ClassDef):
            yield from defined_in(node, True)


def is_registration(decorator: ast.expr) -> bool:
    """Whether a decorator registers a function, such as `@app.command()`."""
    return isinstance(decorator, ast.Call) and isinstance(decorator.func, ast.Attribute)


def test_every_definition_is_used():
    paths = [
        path
        for folder in FOLDERS
        for path in (REPOSITORY / folder).rglob("*")
        if path.suffix in READ and not BUILT & set(path.parts)
    ]
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    named = Counter(word for text in texts.values() for word in re.findall(r"\w+", text))
    unused = [
        f"{path.relative_to(REPOSITORY)}: {name}"
        for path, text in texts.items()
        if path.suffix == ".py" and is_of_a_package(path)
        for name in defined_in(ast.parse(text))
        if named[name] == 1
    ]
    assert unused == []


def is_of_a_package(path: Path) -> bool:
    """Whether a file belongs to the engine or the filters."""
    return path.relative_to(REPOSITORY).parts[0] in {"engine", "plugins"}
