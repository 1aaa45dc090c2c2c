"""The command `neighbors`."""

from __future__ import annotations

from pathlib import Path

from separatrix.options import NeighborStatisticsOptions, Options, option, options_of
from separatrix_vtk.cli.command import Given, command
from separatrix_vtk.cli.json_keys import RUN, WARNINGS
from separatrix_vtk.cli.points import INPUT, AtomOptions, as_dataset_of, report
from separatrix_vtk.cli.ports import Port
from separatrix_vtk.cli.runner import Run, make_filter
from separatrix_vtk.io.problems import FileProblem

PORTS = {"points": Port(0, (".vtp", ".vtu", ".csv", ".npz"), "the points")}
JSON = {
    **RUN,
    "points": "number of points",
    "median_distance_to_nearest": "median distance to the nearest other point",
    "largest_distance_to_nearest": "largest distance to the nearest other point",
    **WARNINGS,
}


class CriticalFileOptions(Options):
    """The file of critical points."""

    critical_points_file: str = option(
        default="",
        group="Input",
        summary="File of points; the nearest one is found for each point.",
    )


@command(
    "neighbors",
    NeighborStatisticsOptions,
    CriticalFileOptions,
    AtomOptions,
    input=INPUT,
    output=".vtp, .vtu, .csv or .npz (NumPy arrays).",
    json=JSON,
    see="docs/block_sparse.md",
)
def neighbors(input: Path, output: Path | None, given: Given) -> None:
    """Distances between neighboring points, local density, and nearest critical points.

    Examples:

        separatrix neighbors sample_data/1crn.pdb atoms.vtp -k 12 --radius 4.5

        separatrix density sample_data/1crn.pdb density.vti --sigma 1.1

        separatrix critical-points density.vti top.vtp

        separatrix neighbors sample_data/1crn.pdb n.csv --critical-points-file top.vtp --kind maxima
    """
    from separatrix_vtk.filters.points.point_set import point_set_of
    from separatrix_vtk.io.point_files import not_taken, read_points

    near = given.of(CriticalFileOptions).critical_points_file
    if given.get("critical_kind", "all") != "all" and not near:
        raise FileProblem("--kind requires --critical-points-file.")
    run = Run.begin(PORTS, input, output, None, given)
    points, is_flat = read_points(input, given.of(AtomOptions).atoms)
    n_others = point_set_of(points).n_points - 1
    if not n_others:
        raise FileProblem(f"{input} contains a single point, which has no neighbors.")
    usual = options_of(NeighborStatisticsOptions)["number_of_neighbors"].default
    given.setdefault("number_of_neighbors", min(usual, n_others))
    given.setdefault("flat", is_flat)
    filter = make_filter("NeighborStatistics", given.settings(NeighborStatisticsOptions))
    if near:
        filter.SetInputDataObject(1, read_points(Path(near))[0])
    with run.timed() as progress:
        outputs = filter.run(points, progress)
        run.write(filter, [as_dataset_of(output, outputs[0])])
    found = dict(filter.report)
    rows = [
        ("points", f"{found['n_points']} of {input}"),
        *not_taken(points),
        ("device", found["device"]),
        ("nearest other point", f"{found['median_distance_to_nearest']:g} away (median)"),
        ("at most", f"{found['largest_distance_to_nearest']:g}"),
    ]
    report(run, found, rows)
