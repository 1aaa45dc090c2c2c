"""The ledger of what was tried: a JSON line a kind of trial, written by the suites themselves.

A test says what it has tried through the fixture `tried`; only what a passing test has tried
counts. With SEPARATRIX_LEDGER=FILE the lines of a run are appended to FILE, where several
processes may write; `tests/reliability/table.py` makes docs/reliability.md of the kept files.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from separatrix import __version__

# What the files of this folder are called, test_PART_*.py, and the title of each in the table.
PARTS = {
    "memory_safety": "Memory safety",
    "fuzzing": "Fuzzing",
    "exhaustion": "Exhaustion and lost devices",
    "canceling": "Canceling and aborting",
    "concurrency": "Concurrency",
    "long_use": "Long use",
    "exactness": "Exactness under stress",
    "security": "Security",
}


def part_of(module: str) -> str:
    """The part that a test module belongs to, by its name: test_long_use_filters is of long_use."""
    stem = module.rpartition(".")[2]
    for part in PARTS:
        if stem.startswith(f"test_{part}"):
            return part
    raise ValueError(f"{stem} belongs to no part; it must begin with test_ and one of {[*PARTS]}")


@dataclass
class Ledger:
    """Counts of what passing tests have tried, by part, what it was, and device."""

    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    def add(self, part: str, what: str, count: int, device: str = "cpu") -> None:
        """Count `count` more trials of one kind."""
        if part not in PARTS:
            raise ValueError(f"no part {part!r}; parts: {', '.join(PARTS)}")
        self.counts[part, what, device] += count

    def write(self, path: Path) -> None:
        """Append a JSON line a kind of trial to a file, in one write."""
        on = {"date": date.today().isoformat(), "version": __version__}
        lines = [
            json.dumps({"part": part, "what": what, "device": device, "tried": count, **on})
            for (part, what, device), count in sorted(self.counts.items())
        ]
        if not lines:
            return
        text = "".join(f"{line}\n" for line in lines).encode()
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(file, text)
        finally:
            os.close(file)
