"""The fixture by which a test of reliability says what it has tried."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reliability.ledger import Ledger, part_of

LEDGER = Ledger()
PASSED = pytest.StashKey[bool]()


@pytest.fixture
def tried(request: pytest.FixtureRequest) -> Iterator[Callable[..., None]]:
    """tried(what, count=1, device="cpu"): so many trials of a kind; they count if the test passes.

    The part of the table is that of the module's name, see ledger.PARTS.
    """
    counts: Counter[tuple[str, str]] = Counter()

    def note(what: str, count: int = 1, device: str = "cpu") -> None:
        counts[what, device] += count

    yield note
    if request.node.stash.get(PASSED, False):
        for (what, device), count in counts.items():
            LEDGER.add(part_of(request.module.__name__), what, count, device)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[Any]:
    """Keep whether the test itself passed, for `tried`."""
    report = yield
    if report.when == "call":
        item.stash[PASSED] = report.passed
    return report


def pytest_sessionfinish() -> None:
    """Keep the run's ledger where that is asked for."""
    if path := os.environ.get("SEPARATRIX_LEDGER"):
        LEDGER.write(Path(path))
