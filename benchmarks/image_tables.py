"""Tables of the results of images: complexes, pieces, hierarchies, and steps of a threshold."""

from __future__ import annotations

from table_cells import Case, headed, milliseconds, size, who


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
    parts = ("filter", "update", "picture", "in_all", "main_thread", "wall")
    columns = ("threshold", "critical_points", "line_points")
    rows = [[f"{case[name]:,}" for name in columns] + [case[s] for s in parts] for case in cases]
    titles = [name.replace("_", " ") for name in columns]
    titles += [f"{stage.replace('_', ' ')} s" for stage in parts]
    return [f"{cases[0]['volume']}, {cases[0]['machine']}", "", *headed(titles, rows)]
