"""What do the kept results say? Markdown tables made from JSON lines.

python benchmarks/table.py benchmarks/results/*.jsonl
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Case = dict[str, Any]


def row(cells: list[Any]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def headed(titles: list[str], rows: list[list[Any]]) -> list[str]:
    return [row(titles), row(["---"] * len(titles)), *map(row, rows)]


def milliseconds(seconds: float | None) -> str:
    if seconds is None:
        return ""
    value = seconds * 1e3
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def who(case: Case) -> str:
    threads = case.get("threads")
    plural = "s" if threads and threads > 1 else ""
    return case["machine"] + (f", {threads} thread{plural}" if threads else "")


def size(case: Case) -> str:
    return "x".join(map(str, case["dimensions"])) + f" {case['dtype']}"


def whole_runs(cases: list[Case]) -> list[str]:
    """Gradient, critical cells, extremum arcs and segmentations, a row a case."""
    titles = ["field", "size", "device", "gradient ms", "10^6 vertices/s", "all ms"]
    titles += [
        "critical cells",
        "all, with transfers ms",
        "bytes a voxel",
        "Cubical Ripser, pairs ms",
    ]
    rows = []
    for case in cases:
        n = 1
        for length in case["dimensions"]:
            n *= length
        gradient = case["stages"]["gradient"]
        rows.append(
            [
                case["field"],
                size(case),
                who(case),
                milliseconds(gradient),
                f"{n / gradient / 1e6:,.0f}",
                milliseconds(case.get("device_seconds", case.get("seconds", 0))),
                f"{sum(case['counts']):,}",
                milliseconds(case.get("with_pinned_transfers_seconds")),
                case.get("bytes_a_voxel") or "",
                milliseconds(case["peer"]["seconds"] if case.get("peer") else None),
            ]
        )
    return headed(titles, rows)


def stages(cases: list[Case]) -> list[str]:
    """Milliseconds by stage beside the floor, for the GPU cases."""
    gpu = [case for case in cases if case["device"] != "cpu"]
    names = list(gpu[0]["stages"]) if gpu else []
    rows = []
    for case in gpu:
        cells = []
        for name in names:
            floor = case["floor_seconds"].get(name)
            beside = f" (floor {milliseconds(floor)})" if floor else ""
            cells.append(milliseconds(case["stages"][name]) + beside)
        rows.append([case["field"], "x".join(map(str, case["dimensions"])), *cells])
    return headed(["field", "size", *names], rows) if gpu else []


def whole_complexes(cases: list[Case]) -> list[str]:
    """Arcs, diagram, hierarchy and slider, a row a case, peers beside the diagram."""
    steps = ["arcs", "diagram", "hierarchy", "slider step"]
    peers = sorted({peer for case in cases for peer in case["peers"]})
    titles = ["field", "size", "device", "critical cells", "arcs"]
    titles += [f"{step} ms" for step in steps] + [f"{peer}, diagram ms" for peer in peers]
    rows = [
        [
            case["field"],
            size(case),
            who(case),
            f"{sum(case['counts']):,}",
            f"{case['arcs']:,}",
            *(milliseconds(case["seconds"].get(step)) for step in steps),
            *(milliseconds(case["peers"].get(peer)) for peer in peers),
        ]
        for case in cases
    ]
    return headed(titles, rows)


def reductions(cases: list[Case]) -> list[str]:
    """Wall and CPU milliseconds of each case of benchmarks/reductions.py."""
    rows = [
        [
            case["case"],
            case.get("peer", ""),
            who(case),
            milliseconds(case["seconds"]),
            milliseconds(case["cpu_seconds"]) if case["device"] in ("cpu", "peer") else "",
            milliseconds(case.get("pattern_seconds")),
            f"{case['pairs'] / case['seconds'] / 1e9:,.1f}" if case.get("pairs") else "",
        ]
        for case in cases
    ]
    titles = ["case", "peer", "device", "ms", "CPU ms", "pattern alone ms", "10^9 pairs/s"]
    return headed(titles, rows)


def neighbours(cases: list[Case]) -> list[str]:
    """Milliseconds of benchmarks/neighbours.py: by the wall on a GPU, of all threads on the CPU."""
    found = [(case, case.get("seconds") or case["cpu_seconds"]) for case in cases]
    names = list(dict.fromkeys(name for _, seconds in found for name in seconds))
    rows = [
        [f"{case['n']:,}", who(case), *(milliseconds(seconds.get(name)) for name in names)]
        for case, seconds in found
    ]
    return headed(["points", "device", *(f"{name} ms" for name in names)], rows)


def tables(cases: list[Case]) -> list[list[str]]:
    """The tables that suit the lines of one file."""
    if "case" in cases[0]:
        return [reductions(cases)]
    if "k" in cases[0]:
        return [neighbours(cases)]
    if "peers" in cases[0]:
        return [whole_complexes(cases)]
    return [whole_runs(cases), stages(cases)]


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("usage: python benchmarks/table.py RESULTS.jsonl ...")
    for path in map(Path, sys.argv[1:]):
        cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        print(f"### {path.stem}\n")
        for table in tables(cases):
            print("\n".join(table), end="\n\n")


if __name__ == "__main__":
    main()
