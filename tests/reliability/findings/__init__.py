"""What the suites have found, a module a part: failures mended, and what is open.

Every test named here exists (a test sees to it). Entries stand in the order of their finding.
"""

from reliability.findings import (
    canceling,
    concurrency,
    exactness,
    exhaustion,
    fuzzing,
    long_use,
    memory_safety,
    security,
)
from reliability.findings.kinds import Mended, Open

_PARTS = (
    memory_safety,
    fuzzing,
    exhaustion,
    canceling,
    concurrency,
    long_use,
    exactness,
    security,
)
MENDED: list[Mended] = [found for part in _PARTS for found in part.MENDED]
OPEN: list[Open] = [found for part in _PARTS for found in part.OPEN]
