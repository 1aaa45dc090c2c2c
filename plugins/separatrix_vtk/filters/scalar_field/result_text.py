"""The counts of a filter on a field in a few lines of words, for ParaView's panel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from separatrix_vtk.base.computing import counted

KINDS = {  # dimension of the field -> kinds of its critical cells by index
    0: ("minima",),
    1: ("minima", "maxima"),
    2: ("minima", "saddles", "maxima"),
    3: ("minima", "1-saddles", "2-saddles", "maxima"),
}
POINT_KINDS = ("minima", "1-saddles", "2-saddles", "maxima", "degenerate")


def dimension_of(report: Mapping[str, Any]) -> int:
    """The dimension of the image or mesh that a report is about."""
    if "points" not in report:
        return sum(n > 1 for n in report["dimensions"])
    return 3 if "tetrahedra" in report else 2


def lines_of_report(report: Mapping[str, Any]) -> list[str]:
    """Counts by kind and pairs of a run."""
    counts: Iterable[tuple[int, str]]
    if "critical_points" in report:
        counts = zip(report["critical_points"], POINT_KINDS, strict=True)
    elif "critical_cells" in report:
        counts = zip(report["critical_cells"], KINDS[dimension_of(report)], strict=False)
    else:
        counts = ((report[kind], kind) for kind in ("minima", "maxima") if kind in report)
    found = [counted(n, kind) for n, kind in counts]
    lines = [", ".join(found[i : i + 2]) for i in range(0, len(found), 2)]  # panels are narrow
    if report.get("mesh") == "in packets":
        lines.append(f"Mesh in packets, {report['memory_bytes'] / 1e6:,.0f} MB")
    if "persistence" in report:
        lines.append(f"Threshold {report['persistence']:g}")
    if "canceled_pairs" in report:
        skipped = sum(report["skipped_pairs"].values())
        lines.append(f"{counted(report['canceled_pairs'], 'pairs')} canceled, {skipped:,} skipped")
        lines.append(f"{counted(report['omitted_saddles'], 'saddles')} omitted")
    if "pairs" in report:
        pairs = ", ".join("-" if n is None else f"{n:,}" for n in report["pairs"])
        lines.append(f"Pairs by dimension: {pairs}")
    if "largest_change" in report:
        lines.append(f"Largest change {report['largest_change']:g}")
    return lines
