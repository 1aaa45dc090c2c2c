"""What a command prints: a short table for people, one line of JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

KINDS = {  # dimension of the image -> kinds of its critical cells by index
    0: ("minima",),
    1: ("minima", "maxima"),
    2: ("minima", "saddles", "maxima"),
    3: ("minima", "1-saddles", "2-saddles", "maxima"),
}


def print_json(summary: Mapping[str, Any]) -> None:
    """One line, to be read by a program."""
    print(json.dumps(summary))


def print_summary(summary: Mapping[str, Any]) -> None:
    """Critical cells, what simplification did, pairs, seconds by stage, device, files."""
    dimensions = summary["dimensions"]
    dimension = sum(n > 1 for n in dimensions)
    rows = [
        ("input", f"{summary['input']}, {' x '.join(map(str, dimensions))}"),
        ("device", summary["device"]),
    ]
    if "critical_cells" in summary:
        rows += zip(KINDS[dimension], summary["critical_cells"], strict=False)
        rows.append(("Euler characteristic", summary["euler_characteristic"]))
    if summary.get("persistence"):
        rows.append(("persistence threshold", f"{summary['persistence']:g}"))
        rows.append(("pairs cancelled", summary["cancelled_pairs"]))
        skipped = {reason: n for reason, n in summary["skipped_pairs"].items() if n}
        reasons = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in skipped.items())
        told = f"{sum(skipped.values())}" + (f" ({reasons})" if skipped else "")
        rows.append(("pairs skipped", told))
    rows += [(f"pairs of dimension {d}", n) for d, n in enumerate(summary.get("pairs", ()))]
    if summary.get("zero_persistence_points"):
        told = f"{summary['zero_persistence_points']} critical points of no persistence"
        rows.append(("artefacts of equal values", told))
    rows += [
        *((f"{stage}, s", f"{seconds:.4f}") for stage, seconds in summary["seconds"].items()),
        ("all stages, s", f"{sum(summary['seconds'].values()):.4f}"),
    ]
    if summary["output"]:
        port = f" ({summary['port']})" if summary.get("port") else ""
        rows.append(("written", f"{summary['output']}{port}"))
    print_rows(rows)


def print_rows(rows: list[tuple[str, Any]]) -> None:
    """A table of names and values."""
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")


def print_devices(reports: list[Any]) -> None:
    """A line a device; where one cannot be used, why."""
    for report in reports:
        memory = f", {report.memory / 2**30:.1f} GiB" if report.memory else ""
        state = f"usable{memory}" if report.usable else f"not usable: {report.reason}"
        about = f" ({report.description})" if report.description else ""
        print(f"{report.name}{about}: {state}")
