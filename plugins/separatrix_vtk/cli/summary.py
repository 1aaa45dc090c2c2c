"""Summaries of commands: a short table for people, one line of JSON for programs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

LONGEST = 2000  # characters of a message; a word from a damaged file can have any length
Rows = Sequence[tuple[str, Any]]


def key_of(name: str) -> str:
    """A name as a key of JSON: NumberOfHiddenAtoms is hidden_atoms, Betti0 betti_0."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z0-9])", "_", name.removeprefix("NumberOf").removeprefix("n_"))
    return words.replace(" ", "_").lower()


def print_json(summary: Mapping[str, Any]) -> None:
    """One line, to be read by a program."""
    print(json.dumps(plain(summary), allow_nan=False))


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers that are not finite are null, arrays are lists."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_summary(summary: Mapping[str, Any]) -> None:
    """Print critical cells, the effect of simplification, pairs, device, time and files."""
    from separatrix_vtk.filters.scalar_field.result_text import KINDS, POINT_KINDS, dimension_of

    size = size_of(summary)
    rows = [("input", f"{summary['input']}, {size}"), ("device", summary["device"])]
    if "critical_points" in summary:
        rows += zip(POINT_KINDS, summary["critical_points"], strict=True)
        rows.append(("Euler characteristic", summary["euler_characteristic"]))
    elif "critical_cells" in summary:
        rows += zip(KINDS[dimension_of(summary)], summary["critical_cells"], strict=False)
        rows.append(("Euler characteristic", summary["euler_characteristic"]))
    if summary.get("persistence"):
        rows.append(("persistence threshold", f"{summary['persistence']:g}"))
    if "largest_change" in summary:
        rows += [(f"{kind} left", summary[kind]) for kind in ("minima", "maxima")]
        rows.append(("largest change", f"{summary['largest_change']:g}"))
    elif summary.get("persistence"):
        rows.append(("pairs canceled", summary["canceled_pairs"]))
        skipped = {reason: n for reason, n in summary["skipped_pairs"].items() if n}
        reasons = ", ".join(f"{n} {reason.replace('_', ' ')}" for reason, n in skipped.items())
        text = f"{sum(skipped.values())}" + (f" ({reasons})" if skipped else "")
        rows.append(("pairs skipped", text))
        rows.append(("saddles omitted", summary["omitted_saddles"]))
    left = " left" if summary.get("persistence") else ""
    rows += [
        (f"pairs of dimension {d}{left}", n)
        for d, n in enumerate(summary.get("pairs", ()))
        if n is not None
    ]
    if "suggested_persistence" in summary:
        suggested = summary["suggested_persistence"]
        text = f"{suggested:g}" if suggested else "none: the persistence curve has no clear gap"
        rows.append(("suggested threshold", text))
    if summary.get("zero_persistence_points"):
        text = f"{summary['zero_persistence_points']} critical points of zero persistence"
        rows.append(("artifacts of equal values", text))
    print_rows([*rows, *rows_of_run(summary)])


def rows_of_run(summary: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The last rows of a table: time, and what was written."""
    rows = [("computed in", f"{summary['seconds_in_all']:.2f} s")]
    if summary["output"]:
        port = f" ({summary['port']})" if summary["port"] else ""
        rows.append(("written", f"{summary['output']}{port}"))
    return rows


def size_of(summary: Mapping[str, Any]) -> str:
    """The size of an image or mesh, as text."""
    if "points" not in summary:
        return " x ".join(map(str, summary["dimensions"]))
    cells = "tetrahedra" if "tetrahedra" in summary else "triangles"
    return f"{summary['points']:,} points, {summary[cells]:,} {cells}"


def print_rows(rows: Rows) -> None:
    """A table of names and values."""
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {printable(str(value))}")


def printable(message: str) -> str:
    """A message in one line, without characters that a terminal interprets.

    Names and words from files may contain escape sequences or half a character.
    """
    if len(message) > LONGEST:
        message = f"{message[: LONGEST - 500]} [...] {message[-400:]}"
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in message
    )
