"""Cells and rows of Markdown tables of results."""

from __future__ import annotations

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
