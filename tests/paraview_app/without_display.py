"""Python as a user without a display runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PATH = os.pathsep.join(str(REPOSITORY / name) for name in ("engine", "plugins"))


def script_for_pvpython(page: str, picture: Path) -> str:
    """The script for pvpython on a page of docs/, run in the repository; it draws `picture`."""
    text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
    scripts = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (script,) = [script for script in scripts if "pvpython" in script]
    assert picture.name in script
    return (
        f"import os; os.chdir({str(REPOSITORY)!r})\n{script.replace(picture.name, str(picture))}\n"
    )


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
