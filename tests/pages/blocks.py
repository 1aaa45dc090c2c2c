"""Blocks of code in README.md and docs, with the instructions of their comments.

The language of a block, and a comment above it, determine how it is tested:

    ```python                 runs, in one process with the page's other blocks, in their order
    # PYTHONPATH=... pvpython script.py
                              as its first line: runs in a separate pvpython
    ```sh (or none)           each line runs if it calls Separatrix, or is checked (see shell.py)
    ```cpp, ```xml            belongs to a worked example, which a test of its own builds
    ```text, ```json, ...     is not run

    <!-- not run: WHY -->     above a block: it is omitted, for this reason
    <!-- needs NAME -->       above a block: it is omitted where Python has no such module
    <!-- file: PATH -->       above a block: it is a file of a worked example
    <!-- add to: PATH -->     above a block: it comes to the end of that file in the worked example
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [
    REPOSITORY / "README.md",
    *sorted(path for path in REPOSITORY.glob("*.md") if path.name not in ("README.md",)),
    REPOSITORY / "benchmarks" / "README.md",
    REPOSITORY / "sample_data" / "README.md",
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]
SHELL = ("sh", "console", "bash", "")
TEXT = ("text", "csv", "html", "ini", "json", "toml", "yaml")
EXAMPLE = ("cpp", "xml")
FENCE = re.compile(r"^(?P<indent> *)(?P<marks>`{3,})(?P<language>[^`\n]*)$")
MARK = re.compile(r"<!-- (?P<kind>not run|needs|file|add to):? (?P<text>.*?) -->")


@dataclass(frozen=True)
class Block:
    """A block of code: its page, the number of its first line, its language and its mark."""

    page: Path
    line: int
    language: str
    text: str
    mark: str = ""  # "not run", "needs", "file" or "add to", with
    reported: str = ""  # the reason, module or path

    @property
    def place(self) -> str:
        """Its place, for messages."""
        return f"{self.page.relative_to(REPOSITORY)}:{self.line}"

    @property
    def is_pvpython(self) -> bool:
        """Whether it is a script for ParaView's Python."""
        return self.language == "python" and "pvpython" in self.text.partition("\n")[0]

    @property
    def what(self) -> str:
        """Kind of test: python, pvpython, shell, example, text, not run; "" if unknown."""
        if self.mark == "not run":
            return self.mark
        if self.mark in ("file", "add to") or self.language in EXAMPLE:
            return "example"
        if self.is_pvpython:
            return "pvpython"
        kinds = {"python": ("python",), "shell": SHELL, "text": TEXT}
        directive = "text" if self.language.startswith("{") else ""
        return next((kind for kind, names in kinds.items() if self.language in names), directive)


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page, in their order."""
    return blocks_in(page, page.read_text(encoding="utf-8"))


def blocks_in(page: Path, text: str) -> list[Block]:
    """The blocks of the text of `page`."""
    found: list[Block] = []
    lines = text.splitlines()
    opened: tuple[int, re.Match[str]] | None = None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if opened is None:
            opened = (number, fence) if fence else None
            continue
        begin, first = opened
        if not fence or fence["language"] or len(fence["marks"]) < len(first["marks"]):
            continue
        above = next((text for text in reversed(lines[:begin]) if text.strip()), "")
        mark = MARK.search(above)
        kind, reported = (mark["kind"], mark["text"]) if mark else ("", "")
        inner = [row[len(first["indent"]) :] for row in lines[begin + 1 : number]]
        text_of = "\n".join(inner) + "\n"
        found.append(Block(page, begin + 2, first["language"].strip(), text_of, kind, reported))
        opened = None
    assert opened is None, f"{page}:{opened[0] + 1 if opened else 0}: a block without an end"
    return found


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def chosen(what: str) -> list[Block]:
    """The blocks of one kind, of all pages."""
    return [block for block in BLOCKS if block.what == what]
