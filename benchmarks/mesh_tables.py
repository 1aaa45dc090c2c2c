"""Tables of the results of meshes: memory, segments, consumers, and real meshes."""

from __future__ import annotations

from typing import Any

from table_cells import Case, headed, who

Table = tuple[list[str], list[list[Any]]]  # titles, rows
MEGA = 1e6
BYTES_PER_ITEM = 4


def memory(cases: list[Case]) -> Table:
    """Memory above the process before each step, and seconds, of benchmarks/mesh_memory.py."""
    names = list(dict.fromkeys(name for case in cases for name in case["steps"]))
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for case in cases:
        is_first = case["machine"].startswith("NVIDIA") and case.get("cold", True)
        machine = case["machine"] + ", first calls" * is_first
        at = (machine, case["tets"], case["memory_limit"])
        for name, step in case["steps"].items():
            found.setdefault(at, {}).setdefault(name, step)
    rows = []
    for (machine, tets, limit), steps in found.items():
        on_gpu = any(step["gpu_bytes"] for step in steps.values())
        bound = f"{limit / MEGA:,.0f} MB" if limit else "none"
        rows.append([f"{tets:,}", machine, bound, *(_of_step(steps.get(s), on_gpu) for s in names)])
    return ["tetrahedra", "machine", "limit", *names], rows


def _of_step(step: dict[str, Any] | None, on_gpu: bool) -> str:
    if step is None:
        return ""
    if on_gpu:
        return f"{step['seconds']:.2f} s, {step['gpu_bytes'] / 1e9:.1f} GB"
    return f"{step['host_bytes'] / MEGA:.0f} MB, {step['cpu_seconds']:.2f} s"


def segments(cases: list[Case]) -> Table:
    """Times of relations by the size of segments, of benchmarks/mesh_segments.py."""
    names = list(cases[0]["relations"])
    kinds = list(cases[0]["relations"][names[0]])[1:]
    rows = []
    for case in cases:
        for kind in kinds:
            times = [case["relations"][name][kind] for name in names]
            unit = "us" if kind.startswith("segment") else "ms"
            shown = [round(t if unit == "us" else 1e3 * t) for t in times]
            rows.append([case["machine"], case["segment_size"], case["segments"],
                         case["segments_of_a_cell"], f"{kind}, {unit}", *shown])  # fmt: skip
    titles = [f"{name}, {cases[0]['relations'][name]['bytes'] / MEGA:.0f} MB" for name in names]
    columns = ["machine", "points of a segment", "segments", "segments of a cell", "time"]
    return [*columns, *titles], rows


def batches(cases: list[Case]) -> Table:
    """Times of streams by the size of batches and threads, of benchmarks/mesh_segments.py."""
    ahead = list(cases[0]["seconds_ahead"])
    rows = [
        [
            *(case["machine"], f"{case['tets']:,}", case["relation"]),
            *(f"{case['batch_bytes'] / 1024:,.0f}", f"{case['batches']:,}"),
            *(f"{1e3 * case['seconds_ahead'][n]:.2f}" for n in ahead),
        ]
        for case in cases
    ]
    titles = ["machine", "tetrahedra", "relation", "KiB of a batch", "batches"]
    return [*titles, *(f"{n} thread{'s' * (n != '1')} ahead, ms" for n in ahead)], rows


def consumers(cases: list[Case]) -> Table:
    """Waiting and computing of consumers, of benchmarks/mesh_consumers.py."""
    rows = [
        [
            *(case["machine"], f"{case['tets']:,}", case["kind"], case["consumers"]),
            *(case["seconds"], case["cpu_seconds"], *case["waiting"].values(), case["computing"]),
            ", ".join(map(str, case["queue"])),
        ]
        for case in cases
    ]
    titles = ["machine", "tetrahedra", "consumer", "consumers", "s", "CPU s"]
    waits = ["waiting for the stream s", "waiting for consumers s", "computing in all s"]
    return [*titles, *waits, "batches in use: mean, median, deviation"], rows


def real(cases: list[Case]) -> Table:
    """Counts, checks, and CPU seconds of benchmarks/real_meshes.py."""
    steps = ["critical points", "gradient", "arcs", "diagram"]
    rows = [
        [
            *(case["mesh_of"], f"{case['counts'][3]:,}", f"{case['grading']:.0f}"),
            *(
                ", ".join(map(str, case["betti"])),
                ", ".join(k for k, v in case["checks"].items() if v),
            ),
            *(
                f"{case['cpu_seconds'][s]:.2f}, {case['cpu_seconds_in_packets'][s]:.2f}"
                for s in steps
            ),
        ]
        for case in cases
    ]
    titles = ["mesh", "tetrahedra", "longest to shortest edge", "Betti numbers", "agrees with"]
    return [*titles, *(f"{s}, whole and packets, CPU s" for s in steps)], rows


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
    lines = headed(["tetrahedra", "who", *(f"{name} ms" for name in names)], rows)
    return lines + ["", *relations(cases[-1])] if "items" in cases[-1] else lines


def relations(case: Case) -> list[str]:
    """Time, bytes, and rows a second of each relation, of benchmarks/mesh_relations.py."""
    rows = []
    for name, n_items in case["items"].items():
        seconds = case["milliseconds"][name] / 1e3
        n_rows = case["counts"]["VEFT".index(name[0])]
        n_bytes = BYTES_PER_ITEM * n_items
        rate = f"{n_rows / seconds / 1e9:.1f}"
        rows.append([name, f"{1e3 * seconds:.2f}", f"{n_bytes / MEGA:,.0f}", f"{n_rows:,}", rate])
    title = f"relation, {case['counts'][3]:,} tetrahedra"
    return headed([title, "ms", "MB of items", "rows", "1e9 rows a second"], rows)


def results(cases: list[Case]) -> list[str]:
    """The table of the script that wrote the cases."""
    makers = {
        "memory_limit": memory,
        "segments": segments,
        "seconds_ahead": batches,
        "consumers": consumers,
    }
    make = next((make for key, make in makers.items() if key in cases[0]), real)
    return headed(*make(cases))
