"""The command `neighbors`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix_vtk.io.problems import FileProblem
from separatrix_vtk.shell.capabilities.json_keys import RUN, WARNINGS
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import Atoms, Execution, Points, Telling, choice, real, whole

KINDS = ("all", "minima", "1-saddles", "2-saddles", "maxima")
USUAL, MOST_NEIGHBORS = 8, 1 << 20
JSON = {
    **RUN,
    "points": "number of points",
    "median_distance_to_nearest": "median distance to the nearest other point",
    "largest_distance_to_nearest": "largest distance to the nearest other point",
    **WARNINGS,
}


@capability(json=JSON, see="docs/block_sparse.md")
def neighbors(
    input: Points,
    output: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUTPUT", help=".vtp, .vtu, .csv or .npz. Default: only the summary."
        ),
    ] = None,
    k: Annotated[
        int | None,
        whole(
            "--neighbors",
            "-k",
            metavar="K",
            low=1,
            high=MOST_NEIGHBORS,
            help="How many nearest; default: 8, or all others of fewer points.",
        ),
    ] = None,
    radius: Annotated[
        float,
        real("--radius", low=0, help="Count the others within this distance too; 0: don't."),
    ] = 0.0,
    include_self: Annotated[
        bool,
        typer.Option(
            "--include-self/--no-include-self",
            help="A point is the first of its own k in DistanceToMeasure.",
        ),
    ] = True,
    all_neighbors: Annotated[
        bool, typer.Option("--all-neighbors", help="Distances and ids of all k.")
    ] = False,
    near: Annotated[
        Path | None,
        typer.Option(
            "--critical-points-file",
            "--critical-points",
            metavar="FILE",
            help="File of points of which the nearest is looked up.",
        ),
    ] = None,
    kind: Annotated[
        str, choice("--kind", words=KINDS, help="Which of the critical points count.")
    ] = "all",
    flat: Annotated[
        bool | None,
        typer.Option(
            "--flat/--no-flat",
            help="Points of a plane: LocalDensity per area. Default: if the file has no z.",
        ),
    ] = None,
    atoms: Atoms = "",
    *,
    execution: Execution,
    telling: Telling,
) -> None:
    """Distances of points to their nearest others, local density, nearest critical points.

    Examples:

        separatrix neighbors sample_data/1crn.pdb atoms.vtp -k 12 --radius 4.5

        separatrix density sample_data/1crn.pdb density.vti --sigma 1.1

        separatrix critical-points density.vti top.vtp

        separatrix neighbors sample_data/1crn.pdb n.csv --critical-points-file top.vtp --kind maxima
    """
    import time

    from separatrix_vtk import NeighborStatistics
    from separatrix_vtk.filters.points.point_set import point_set_of
    from separatrix_vtk.io.molecule_files import not_taken
    from separatrix_vtk.io.point_files import read_points
    from separatrix_vtk.shell.ends import tell_warnings_of
    from separatrix_vtk.shell.point_run import (
        arrays_of_points,
        as_kind,
        check_output,
        tell,
        write,
    )

    if kind != "all" and near is None:
        raise FileProblem(f"--kind {kind} is for --critical-points-file FILE, which is not given")
    check_output(input, output, (".vtp", ".vtu", ".csv", ".npz"))
    points, is_flat = read_points(input, atoms)
    if not (n_others := point_set_of(points).n_points - 1):
        raise FileProblem(f"{input}: a single point has no neighbors")
    options: dict[str, Any] = {
        "critical_kind": kind,
        "radius": radius or None,
        **execution.of_filter,
    }
    filter = NeighborStatistics(
        number_of_neighbors=min(USUAL, n_others) if k is None else k,
        include_self=include_self,
        all_neighbors=all_neighbors,
        **options,
    )
    filter.flat = is_flat if flat is None else flat
    if near is not None:
        filter.SetInputDataObject(1, read_points(near)[0])
    tell_warnings_of(filter)
    begun = time.perf_counter()
    with telling.progress() as progress:
        found = filter.run(points, progress)[0]
    if output is not None:
        write(output, as_kind(output, found), arrays_of_points)
    seconds, report = time.perf_counter() - begun, dict(filter.report)
    rows = [
        ("points", f"{report['n_points']} of {input}"),
        *not_taken(points),
        ("device", report["device"]),
        ("nearest other point", f"{report['median_distance_to_nearest']:g} away (median)"),
        ("at most", f"{report['largest_distance_to_nearest']:g}"),
    ]
    tell(input, output, report, seconds, rows, telling)
