"""Lines of shell blocks: those of Separatrix are run, others are checked as far as possible."""

from __future__ import annotations

import importlib.util
import re
import shlex
from pathlib import Path

from pages.blocks import BLOCKS, REPOSITORY, Block

MAKEFILE = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)) | {
    f"{prefix}{word}"
    for name, prefix in re.findall(r"\$\((\w+):%=([a-z-]+)%\)", MAKEFILE)
    for words in re.findall(rf"^{name} := (.*)$", MAKEFILE, re.MULTILINE)
    for word in words.split()
}
EXTRAS = set(
    re.findall(r"^([a-z0-9]+) = \[", (REPOSITORY / "pyproject.toml").read_text(), re.MULTILINE)
)
MADE = {block.reported for block in BLOCKS if block.mark == "file"}


def lines_of(block: Block) -> list[str]:
    """The commands of a block, without comments and prompts, continued lines joined."""
    text = re.sub(r"\\\n\s*", " ", block.text)
    lines = [re.sub(r"^\$ ", "", line).strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def words_of(line: str) -> list[str]:
    """Return the words of a command, without comments and leading assignments of variables."""
    words = shlex.split(line, comments=True)
    while words and re.match(r"[A-Z_]+=", words[0]):
        words.pop(0)
    return words


def is_ours(line: str) -> bool:
    """Whether a line is a plain call of `separatrix` that tests of its own do not run."""
    words = words_of(line)[:2]
    return words[:1] == ["separatrix"] and words[1:] != ["paraview-setup"]


def needs_a_shell(line: str) -> bool:
    """Whether a call of `separatrix` is more than a program and its words."""
    words = set(shlex.split(line, comments=True))
    starts_with_variable = bool(re.match(r"[A-Z_]+=", line))
    return starts_with_variable or "$(" in line or bool(words & {"|", ">", ">>", "<", "&&", ";"})


def wrong_in(line: str) -> str:
    """The error in a command that is not run, or ""."""
    words = words_of(line)
    missing = [path for path in re.findall(r"\$PWD/([\w/.]+)", line) if not there(path)]
    if missing or not words:
        return f"no such path: {missing}" if missing else ""
    program = Path(words[0]).name
    if program == "make":
        targets = [word for word in words[1:] if "=" not in word]
        return wrong_names(targets, TARGETS, "target")
    if re.fullmatch(r"python[\d.]*|pip[\d.]*|pipx", program):
        return wrong_python(program, words[1:])
    if program == "pytest":
        paths = [word for word in words[1:] if word.startswith("tests")]
        return wrong_names([path for path in paths if not there(path)], set(), "path")
    return ""


def wrong_python(program: str, words: list[str]) -> str:
    """The error in a call of Python or pip, or ""."""
    if words[:1] == ["-m"] and words[1:2] not in (["pip"], ["venv"]):
        is_ours = words[1].startswith(("separatrix", "examples"))
        found = is_ours and importlib.util.find_spec(words[1])
        return "" if found else f"no module {words[1]}"
    if words[:1] == ["-m"] or program.startswith("pip"):
        named = [
            e for extras in re.findall(r"\[([\w,]+)\]", " ".join(words)) for e in extras.split(",")
        ]
        return wrong_names(named, EXTRAS, "extra")
    scripts = [word for word in words if word.endswith(".py")]
    return wrong_names([path for path in scripts if not there(path)], set(), "script")


def there(path: str) -> bool:
    """Whether a path exists in the repository or a worked example; it may be a pattern."""
    return path in MADE or any(REPOSITORY.glob(path.rstrip("/")))


def wrong_names(found: list[str], known: set[str], kind: str) -> str:
    """An error about unknown names."""
    wrong = sorted(set(found) - known)
    return f"no such {kind}: {', '.join(wrong)}" if wrong else ""
