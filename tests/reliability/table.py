"""docs/reliability.md, made of the kept ledgers and the findings.

python tests/reliability/table.py            # writes the page
python tests/reliability/table.py --check    # exit status 1 where the page is not current
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
REPOSITORY = FOLDER.parents[1]
sys.path[:0] = [str(FOLDER.parent), str(REPOSITORY / "engine")]

from reliability.findings import MENDED, OPEN  # noqa: E402
from reliability.ledger import PARTS  # noqa: E402

PAGE = REPOSITORY / "docs" / "reliability.md"
RESULTS = FOLDER / "results"
HEAD = """\
# What was tried to break it

Made by `python tests/reliability/table.py` from the ledgers that the suites write; only what a
passing test has tried counts. `make test-reliability` repeats all of it on the CPU at hand,
`make test-PART` one part, and `make test-PART GPU=yes` the same on a GPU. `make test` runs a fast
subset of every part.
"""


def page() -> str:
    """The whole page."""
    lines = [HEAD, "## Tried", ""]
    kept = ledgers()
    lines += ["| part | tried | on the CPU | on a GPU | repeated by |", "|---|---|--:|--:|---|"]
    for part, title in PARTS.items():
        for what, counts in sorted(kept[part].items()):
            cpu, gpu = (f"{counts[on]:,}" if counts[on] else "" for on in ("cpu", "cuda"))
            lines.append(f"| {title} | {what} | {cpu} | {gpu} | `{repeated_by(part, counts)}` |")
    lines += ["", "## Found and mended", "", "| part | found | now a test |", "|---|---|---|"]
    lines += [f"| {PARTS[f.part]} | {f.what} | `{f.test}` |" for f in in_order(MENDED)]
    lines += ["", "## What could not be made safe", "", "| part | what | why |", "|---|---|---|"]
    lines += [f"| {PARTS[f.part]} | {f.what} | {f.why} |" for f in in_order(OPEN)]
    return "\n".join(lines) + "\n"


def ledgers() -> dict[str, dict[str, Counter[str]]]:
    """Trials by part, kind and device, summed over the kept files."""
    found: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for path in sorted(RESULTS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            device = "cuda" if entry["device"].startswith("cuda") else "cpu"
            found[entry["part"]][entry["what"]][device] += entry["tried"]
    return found


def repeated_by(part: str, counts: Counter[str]) -> str:
    """The command that repeats a kind of trial, from what was tried on which devices."""
    if part != "memory_safety":
        return f"make test-{part.replace('_', '-')}"
    return "make test-sanitizers" if counts["cpu"] else "tests/reliability/compute_sanitizer.py"


def in_order(entries: list) -> list:
    """Findings by part, and as they were found within one."""
    return sorted(entries, key=lambda entry: list(PARTS).index(entry.part))


if __name__ == "__main__":
    if "--check" in sys.argv:
        current = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == page()
        sys.exit(0 if current else f"{PAGE} is not current: python tests/reliability/table.py")
    PAGE.write_text(page(), encoding="utf-8")
