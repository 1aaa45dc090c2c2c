"""What do the stored results show? Markdown tables from JSON lines.

python benchmarks/table.py                  # of all of benchmarks/results
python benchmarks/table.py RESULTS.jsonl ...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import image_tables
import mesh_tables
import point_tables
from table_cells import Case, headed


def first_calls(cases: list[Case]) -> list[str]:
    """Seconds of the first call in a process, and the kernels that it compiled."""
    rows = [
        [case["call"], case["code"], case["machine"], f"{case['seconds']:.2f}", case["kernels"]]
        for case in cases
    ]
    return headed(["first call", "code", "device", "s", "kernels compiled"], rows)


# By a key that only the lines of one kind of file have. The first one that matches counts.
TABLES: dict[str, tuple[Callable[[list[Case]], list[str]], ...]] = {
    "diagram_of": (image_tables.diagrams,),
    "counts_if_simplified_first": (image_tables.simplified_fields,),
    "counts_at_level": (image_tables.hierarchies,),
    "segment_size": (mesh_tables.results,),
    "seconds_ahead": (mesh_tables.results,),
    "mesh_of": (mesh_tables.results,),
    "consumers": (mesh_tables.results,),
    "main_thread": (image_tables.window_steps,),
    "molecule": (point_tables.alpha_complexes, point_tables.frames),
    "input": (point_tables.triangulations,),
    "percent_of_bound": (point_tables.published_counts,),
    "set": (point_tables.loops_or_barcodes,),
    "milliseconds": (mesh_tables.meshes,),
    "case": (point_tables.reductions,),
    "step": (image_tables.streamed,),
    "in_turn": (image_tables.pieces_of_one_process,),
    "pieces": (image_tables.pieces,),
    "processes": (image_tables.processes,),
    "call": (first_calls,),
    "k": (point_tables.neighbors,),
    "peers": (image_tables.whole_complexes,),
    "stages": (image_tables.whole_runs, image_tables.stages),
}


def tables(cases: list[Case]) -> list[list[str]]:
    """The tables that suit the lines of one file."""
    makers = next(makers for key, makers in TABLES.items() if key in cases[0])
    return [make(cases) for make in makers]


def main() -> None:
    kept = sorted((Path(__file__).parent / "results").glob("*.jsonl"))
    for path in map(Path, sys.argv[1:] or kept):
        cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        print(f"### {path.stem}\n")
        for table in tables(cases):
            print("\n".join(table), end="\n\n")


if __name__ == "__main__":
    main()
