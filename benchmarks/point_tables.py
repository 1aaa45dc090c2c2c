"""Tables of the results of points: sums, neighbors, alpha complexes, and barcodes."""

from __future__ import annotations

from typing import Any

from table_cells import Case, headed, milliseconds, who


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
            f"{case['device_bytes'] / 1e6:,.0f}" if "device_bytes" in case else "",
        ]
        for case in cases
    ]
    titles = ["result", "points", "number", "who", "ms", "CPU ms", "device MB"]
    return headed(titles, rows)


def frames(cases: list[Case]) -> list[str]:
    """Frames of a trajectory per second."""
    rows = [
        [case["molecule"], f"{case['atoms']:,}", f"{case['frames']:,}"]
        + ["periodic box" if case.get("is_periodic") else "", who(case)]
        + [f"{case['per_second']:,.0f}"]
        for case in cases
        if "per_second" in case
    ]
    return (
        headed(["molecule", "atoms", "frames", "in a", "who", "frames per second"], rows)
        if rows
        else []
    )


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


def loops_or_barcodes(cases: list[Case]) -> list[str]:
    return (loops if cases[0]["max_dimension"] == 1 else barcodes)(cases)
