"""What do the stored results show? Markdown tables from JSON lines.

python benchmarks/table.py                  # of all of benchmarks/results
python benchmarks/table.py RESULTS.jsonl ...
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mesh_tables

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
    """Gradient, critical cells, extremum arcs, and segmentations, one row per case."""
    titles = ["field", "size", "device", "gradient ms", "10^6 vertices/s", "all ms"]
    titles += [
        "critical cells",
        "all, with transfers ms",
        "bytes per voxel",
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
                case.get("bytes_per_voxel") or "",
                milliseconds(case["peer"]["seconds"] if case.get("peer") else None),
            ]
        )
    return headed(titles, rows)


def stages(cases: list[Case]) -> list[str]:
    """Milliseconds by stage, and the floor, for the GPU cases."""
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
    """Arcs, diagram, hierarchy, and slider, one row per case, with the diagrams of the peers."""
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
            who(case) + (f", {case['math']} math" if case.get("math") else ""),
            milliseconds(case["seconds"]),
            milliseconds(case["cpu_seconds"]) if case["device"] in ("cpu", "peer") else "",
            milliseconds(case.get("pattern_seconds")),
            f"{case['pairs'] / case['seconds'] / 1e9:,.1f}" if case.get("pairs") else "",
        ]
        for case in cases
    ]
    titles = ["case", "peer", "device", "ms", "CPU ms", "only the pattern ms", "10^9 pairs/s"]
    return headed(titles, rows)


def first_calls(cases: list[Case]) -> list[str]:
    """Seconds of the first call in a process, and the kernels that it compiled."""
    rows = [
        [case["call"], case["code"], case["machine"], f"{case['seconds']:.2f}", case["kernels"]]
        for case in cases
    ]
    return headed(["first call", "code", "device", "s", "kernels compiled"], rows)


def neighbors(cases: list[Case]) -> list[str]:
    """Milliseconds of benchmarks/neighbors.py: wall time on a GPU, CPU time of all threads."""
    found = [(case, case.get("seconds") or case["cpu_seconds"]) for case in cases]
    names = list(dict.fromkeys(name for _, seconds in found for name in seconds))
    rows = [
        [f"{case['n']:,}", who(case), *(milliseconds(seconds.get(name)) for name in names)]
        for case, seconds in found
    ]
    return headed(["points", "device", *(f"{name} ms" for name in names)], rows)


def alpha_complexes(cases: list[Case]) -> list[str]:
    """Host to host, device to device, without optimizations, and the floor, one row per case."""
    titles = ["molecule", "atoms", "alpha", "probe", "who", "ms", "device to device ms", "floor ms"]
    titles += ["edges, triangles, tetrahedra", "candidate triangles", "in doubt"]
    titles += ["without edge optimization ms", "without alpha optimization ms"]
    rows = []
    for case in (case for case in cases if "alpha" in case):
        counted = case.get("statistics", {})
        numbers = [f"{n:,}" for n in case["counts"][1:]] if "counts" in case else []
        candidates = (counted.get(key) for key in ("candidate_triangles", "undecided_triangles"))
        rows.append(
            [
                *(
                    case["molecule"],
                    f"{case['atoms']:,}",
                    f"{case['alpha']:g}",
                    f"{case['probe']:g}",
                ),
                *(case.get("peer") or who(case), milliseconds(case["seconds"])),
                *(milliseconds(case.get(key)) for key in ("device_seconds", "floor_seconds")),
                " ".join(numbers),
                *("" if n is None else f"{n:,}" for n in candidates),
                *(
                    milliseconds(case.get(f"without_{name}_optimization"))
                    for name in ("edge", "alpha")
                ),
            ]
        )
    return headed(titles, rows)


def triangulations(cases: list[Case]) -> list[str]:
    """Triangulations, persistence, and pockets of points, one row per case."""
    rows = [
        [
            *(case["case"], case["input"], f"{case['n']:,}", case.get("peer") or who(case)),
            *(milliseconds(case[name]) for name in ("seconds", "cpu_seconds")),
        ]
        for case in cases
    ]
    return headed(["result", "points", "number", "who", "ms", "CPU ms"], rows)


def frames(cases: list[Case]) -> list[str]:
    """Frames of a trajectory per second."""
    rows = [
        [case["molecule"], f"{case['atoms']:,}", f"{case['frames']:,}", who(case)]
        + [f"{case['per_second']:,.0f}"]
        for case in cases
        if "per_second" in case
    ]
    return headed(["molecule", "atoms", "frames", "who", "frames per second"], rows) if rows else []


def barcodes(cases: list[Case]) -> list[str]:
    """Milliseconds of a whole call, remaining columns by stage, and the peers."""
    peers = sorted({peer for case in cases for peer in case["peers"]})
    titles = ["set", "points", "up to dimension", "who", "ms", "device MB"]
    titles += ["columns, in no apparent pair, reduced, in the highest dimension"]
    titles += [f"{peer} ms" for peer in peers]
    rows = []
    for case in cases:
        top = case["statistics"]["dimensions"][-1]
        left = [top.get(key) for key in ("columns", "survivors", "reduced")]
        rows.append(
            [
                *(case["set"], case["points"], case["max_dimension"], who(case)),
                *(milliseconds(case["seconds"]), f"{case.get('device_bytes', 0) / 1e6:,.0f}"),
                ", ".join(f"{n:,}" for n in left if n is not None),
                *(_of_peer(case["peers"].get(peer)) for peer in peers),
            ]
        )
    return headed(titles, rows)


def loops(cases: list[Case]) -> list[str]:
    """Milliseconds of a whole call up to dimension 1 (CPU time on the CPU), and of the peers."""
    peers = sorted({peer for case in cases for peer in case["peers"]})
    is_cpu = cases[0]["device"] == "cpu"
    titles = ["set", "points", "given as", "bars in dimension 1", "CPU ms" if is_cpu else "ms"]
    titles += [f"{peer} ms" for peer in peers]
    rows = []
    for case in cases:
        given = "points" if case["from_points"] else "matrix"
        own = [case["set"], case["points"], given, f"{case['bars']['1']:,}"]
        times = [milliseconds(case["cpu_seconds" if is_cpu else "seconds"])]
        for peer in peers:
            found = case["peers"].get(peer)
            limit = found.get("stopped_after") if found else None
            stopped = f"> {limit * 1000:,}" if limit else "stopped" if found else "not run"
            times.append(milliseconds(found["cpu_seconds"]) if limit is None and found else stopped)
        rows.append([*own, *times])
    return headed(titles, rows)


def published_counts(cases: list[Case]) -> list[str]:
    """Return the percentages of apparent pairs, and the simplices beyond the enclosing radius."""
    titles = ["set", "points", "% in dimensions 1 and 2", "shortcut pairs, % of columns"]
    titles += ["simplices beyond", "as published"]
    rows = [
        [
            *(case["set"], case["points"], ", ".join(map(str, case["percent_of_bound"]))),
            ", ".join(map(str, case["percent_shortcut"])),
            *(f"{case['beyond']:,}", "yes" if case["equal"] else "no"),
        ]
        for case in cases
    ]
    return headed(titles, rows)


def _of_peer(found: dict[str, Any] | None) -> str:
    return milliseconds(found["seconds"]) if found and "seconds" in found else "stopped"


def meshes(cases: list[Case]) -> list[str]:
    """Milliseconds of each step of benchmarks/mesh_relations.py and mesh_analyses.py."""
    names = list(dict.fromkeys(name for case in cases for name in case["milliseconds"]))
    rows = []
    for case in cases:
        n_tets = case["tets"] if "tets" in case else case["counts"][3]
        own = case.get("peer") or who(case)
        rows.append(
            [f"{n_tets:,}", own, *(f"{case['milliseconds'].get(name, ''):}" for name in names)]
        )
    return headed(["tetrahedra", "who", *(f"{name} ms" for name in names)], rows)


def pieces_of_one_process(cases: list[Case]) -> list[str]:
    """Seconds of a complex in pieces one after the other, or on several devices."""
    name = "seconds" if "seconds" in cases[0] else "cpu_s"
    titles = ["voxels", "pieces", "devices", "threads", f"all {name}", *cases[0][name]]
    rows = [
        [
            *(f"{case['size']}^3", case["pieces"], case["device"].partition(" in slabs")[0]),
            *(case["threads"], case[f"all_{name}"], *case[name].values()),
        ]
        for case in cases
    ]
    return headed([title.replace("_", " ") for title in titles], [[*map(str, row)] for row in rows])


def pieces(cases: list[Case]) -> list[str]:
    """CPU seconds of the slowest piece, and of its stages, by the number of pieces."""
    slowest = [max(case["cpu_s"], key=lambda seconds: sum(seconds.values())) for case in cases]
    rows = [
        [
            *(f"{case['size']}^3", case["pieces"], case["slowest_cpu_s"]),
            f"{case['slowest_cpu_s'] / cases[0]['slowest_cpu_s']:.2f}",
            *seconds.values(),
        ]
        for case, seconds in zip(cases, slowest, strict=True)
    ]
    titles = ["voxels", "pieces", "slowest, CPU s", "share of one piece", *slowest[0]]
    return headed(titles, [[str(cell) for cell in row] for row in rows])


def streamed(cases: list[Case]) -> list[str]:
    """Seconds of the steps of volumes that pass through one device in slabs."""
    steps = list(dict.fromkeys(case["step"] for case in cases))
    runs: dict[tuple[object, ...], list[Case]] = {}
    for case in cases:
        key = (tuple(case["shape"]), case["pieces"], case["memory_limit"], case["machine"])
        runs.setdefault(key, []).append(case)
    rows = []
    for (shape, number, limit, machine), mine in runs.items():
        seconds = {case["step"]: str(case["seconds"]) for case in mine}
        rows.append(
            [
                " x ".join(map(str, reversed(shape))),
                str(number or ""),
                f"{limit / 2**30:g}" if limit else "",
                machine,
                *(seconds.get(step, "") for step in steps),
                str(max(case["device_bytes_per_voxel"] for case in mine)),
                str(max(case["host_peak_gib"] for case in mine)),
            ]
        )
    titles = ["voxels", "pieces", "limit, GiB", "device", *(f"{step}, s" for step in steps)]
    return headed([*titles, "most bytes per voxel on it", "most on the host, GiB"], rows)


def processes(cases: list[Case]) -> list[str]:
    """CPU seconds and memory of the processes of pvbatch, relative to a single process."""
    alone = {case["size"]: case for case in cases if case["processes"] == 1}
    rows = []
    for case in cases:
        row = [f"{case['size']}^3", str(case["processes"])]
        for name in ("slowest_cpu_s", "most_peak_mib"):
            row += [str(case[name]), f"{case[name] / alone[case['size']][name]:.2f}"]
        rows.append(row)
    titles = ["voxels", "processes", "slowest, CPU s", "share of one process"]
    return headed([*titles, "most memory of one, MiB", "share of one process"], rows)


def diagrams(cases: list[Case]) -> list[str]:
    """Persistence diagrams, with the stages of the complex."""
    names = ["gradient", "critical cells", "connectors", "graph", "pairs"]
    rows = [
        [
            case["diagram_of"],
            who(case),
            milliseconds(case["seconds"]),
            *(milliseconds(case["stages"].get(name)) for name in names),
        ]
        for case in cases
    ]
    return headed(["field", "device", "diagram ms", *names], rows)


def hierarchies(cases: list[Case]) -> list[str]:
    """Hierarchies, wall and process seconds."""
    names = ["arcs", "hierarchy", "  cancel_saddles", "another level"]
    rows = [
        [
            case["field"],
            f"{who(case)}" + (" of its host" if case["device"] == "cuda" else ""),
            *(" / ".join(f"{value:.3f}" for value in case["seconds"][name]) for name in names),
            f"{sum(case['counts']):,}",
            f"{sum(case['counts_at_level']):,}",
            case["bytes_per_voxel"],
        ]
        for case in cases
    ]
    titles = [
        "field",
        "device",
        *(f"{name.strip().replace('_', ' ')}, s / CPU s" for name in names),
    ]
    return headed([*titles, "critical cells", "remaining at the level", "bytes per voxel"], rows)


def simplified_fields(cases: list[Case]) -> list[str]:
    """1-saddles at a level with and without simplification of the field, and process seconds."""
    counts = ("counts_at_level", "counts_if_simplified_first")
    rows = [
        [
            case["field"],
            f"{case['level']:g}",
            *(f"{case[name][1]:,}" for name in counts),
            f"{case['pairs_above_that_changed']:,} of {case['pairs_above']:,}",
            *(f"{cpu:.2f}" for _, cpu in case["seconds"].values()),
        ]
        for case in cases
    ]
    titles = ["field", "level", "1-saddles remaining", "if simplified first", "changed pairs above"]
    return headed([*titles, *(f"{name}, CPU s" for name in cases[0]["seconds"])], rows)


def window_steps(cases: list[Case]) -> list[str]:
    """Each *Apply* in ParaView's window, with the stages of ParaView."""
    parts = ("filter", "update", "picture", "in_all", "main_thread")
    columns = ("threshold", "critical_points", "line_points")
    rows = [[f"{case[name]:,}" for name in columns] + [case[s] for s in parts] for case in cases]
    titles = [name.replace("_", " ") for name in columns]
    titles += [f"{stage.replace('_', ' ')} s" for stage in parts]
    return [f"{cases[0]['volume']}, {cases[0]['machine']}", "", *headed(titles, rows)]


def loops_or_barcodes(cases: list[Case]) -> list[str]:
    return (loops if cases[0]["max_dimension"] == 1 else barcodes)(cases)


def mesh_results(cases: list[Case]) -> list[str]:
    kinds = {"memory_limit": "memory", "segments": "segments", "consumers": "consumers"}
    kind = next((kind for key, kind in kinds.items() if key in cases[0]), "real")
    return headed(*getattr(mesh_tables, kind)(cases))


# By a key that only the lines of one kind of file have. The first one that matches counts.
TABLES: dict[str, tuple[Callable[[list[Case]], list[str]], ...]] = {
    "diagram_of": (diagrams,),
    "counts_if_simplified_first": (simplified_fields,),
    "counts_at_level": (hierarchies,),
    "segment_size": (mesh_results,),
    "mesh_of": (mesh_results,),
    "consumers": (mesh_results,),
    "main_thread": (window_steps,),
    "molecule": (alpha_complexes, frames),
    "input": (triangulations,),
    "percent_of_bound": (published_counts,),
    "set": (loops_or_barcodes,),
    "milliseconds": (meshes,),
    "case": (reductions,),
    "step": (streamed,),
    "in_turn": (pieces_of_one_process,),
    "pieces": (pieces,),
    "processes": (processes,),
    "call": (first_calls,),
    "k": (neighbors,),
    "peers": (whole_complexes,),
    "stages": (whole_runs, stages),
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
