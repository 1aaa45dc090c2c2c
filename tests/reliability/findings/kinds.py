"""What a finding is."""

from __future__ import annotations

from typing import NamedTuple


class Mended(NamedTuple):
    """A failure that was found, and the test that fails where it is not mended."""

    part: str  # of ledger.PARTS
    what: str
    test: str  # tests/FOLDER/FILE.py::NAME


class Open(NamedTuple):
    """What could not be made safe, and why."""

    part: str
    what: str
    why: str
