"""What do the kept results say? Markdown tables made from JSON lines.

python benchmarks/table.py benchmarks/results/*.jsonl
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def row(cells: list[Any]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def milliseconds(seconds: float) -> str:
    value = seconds * 1e3
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def who(case: dict[str, Any]) -> str:
    threads = case.get("threads")
    plural = "s" if threads and threads > 1 else ""
    return case["machine"] + (f", {threads} thread{plural}" if threads else "")


def table(cases: list[dict[str, Any]]) -> list[str]:
    """Whole runs and the gradient alone, a row a case."""
    titles = [
        "field",
        "size",
        "device",
        "gradient ms",
        "10^6 vertices/s",
        "all ms",
        "critical cells",
    ]
    titles += ["all, with transfers ms", "bytes a voxel", "Cubical Ripser, pairs ms"]
    lines = [row(titles), row(["---"] * len(titles))]
    for case in cases:
        n = 1
        for length in case["dimensions"]:
            n *= length
        gradient = case["stages"]["gradient"]
        transfers = case.get("with_pinned_transfers_seconds")
        lines.append(
            row(
                [
                    case["field"],
                    "x".join(map(str, case["dimensions"])) + f" {case['dtype']}",
                    who(case),
                    milliseconds(gradient),
                    f"{n / gradient / 1e6:,.0f}",
                    milliseconds(case.get("device_seconds", case.get("seconds", 0))),
                    f"{sum(case['counts']):,}",
                    milliseconds(transfers) if transfers else "",
                    case.get("bytes_a_voxel") or "",
                    milliseconds(case["peer"]["seconds"]) if case.get("peer") else "",
                ]
            )
        )
    return lines


def stages(cases: list[dict[str, Any]]) -> list[str]:
    """Milliseconds by stage beside the floor, for the GPU cases."""
    gpu = [case for case in cases if case["device"] != "cpu"]
    if not gpu:
        return []
    names = list(gpu[0]["stages"])
    lines = [row(["field", "size", *names]), row(["---"] * (len(names) + 2))]
    for case in gpu:
        cells = []
        for name in names:
            floor = case["floor_seconds"].get(name)
            beside = f" (floor {milliseconds(floor)})" if floor else ""
            cells.append(milliseconds(case["stages"][name]) + beside)
        lines.append(row([case["field"], "x".join(map(str, case["dimensions"])), *cells]))
    return lines


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: python benchmarks/table.py RESULTS.jsonl ...")
    for path in map(Path, sys.argv[1:]):
        cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        print(f"### {path.stem}\n")
        print("\n".join(table(cases)), end="\n\n")
        print("\n".join(stages(cases)), end="\n\n")


if __name__ == "__main__":
    main()
