"""docs/troubleshooting.md: every sentence that it explains can really come."""

from __future__ import annotations

import ast
import re

import pytest

from pages.blocks import REPOSITORY

PAGE = (REPOSITORY / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
SENTENCES = re.findall(r"^> (.+)$", PAGE, re.MULTILINE)
SOURCES = [
    *sorted((REPOSITORY / "engine").rglob("*.py")),
    *sorted((REPOSITORY / "plugins").rglob("*.py")),
]


def text_of(node: ast.AST) -> str:
    """A string expression, with ... for what is put in when it runs."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else "..."
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return text_of(node.left) + text_of(node.right)
    return "..."


def told() -> set[str]:
    """Every text of the sources."""
    kinds = (ast.Constant, ast.JoinedStr, ast.BinOp)
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES)
    found = (text_of(node) for tree in trees for node in ast.walk(tree) if isinstance(node, kinds))
    return {re.sub(r"(\.\.\.)+", "...", text) for text in found if len(text) > 8}


@pytest.fixture(scope="module")
def texts() -> str:
    return "\n".join(sorted(told()))


def test_texts_are_put_together_as_python_does_it():
    (line,) = ast.parse("raise E(f'{n} is no ' + f'{kind!r}' 'x')").body
    assert isinstance(line, ast.Raise)
    assert isinstance(line.exc, ast.Call)
    assert text_of(line.exc.args[0]) == "... is no ...x"


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_sentence_is_really_said(sentence: str, texts: str):
    # Where the page has `...` a source may have what is put in, or the words themselves.
    parts = [re.escape(part) for part in sentence.split("...")]
    assert re.search(r"[^\n]*?".join(parts), texts), sentence


def test_each_sentence_is_explained():
    assert len(SENTENCES) == len(set(SENTENCES)) >= 45
    for part in PAGE.split("\n> ")[1:]:
        rest = part.partition("\n")[2].partition("\n## ")[0].strip()
        assert len(rest) > 20, part
