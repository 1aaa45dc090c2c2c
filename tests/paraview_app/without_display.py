"""Python as a user without a display runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PATH = os.pathsep.join(str(REPOSITORY / name) for name in ("engine", "plugins"))


def run(
    *arguments: object, folder: Path = REPOSITORY, patience: float = 100.0
) -> subprocess.CompletedProcess[str]:
    """Run the tests' Python on the sources of this tree; patience: seconds until it is given up."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env={**kept, "PYTHONPATH": PATH},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=patience,
    )
