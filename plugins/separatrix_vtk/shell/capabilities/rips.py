"""The command `rips`: Vietoris-Rips barcodes, printed as Ripser prints them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from separatrix_vtk.io.problems import FileProblem
from separatrix_vtk.shell.capabilities.json_keys import RUN, WARNINGS
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import Execution, Telling, choice, port_option, real, whole

FORMATS = (
    "auto", "point-cloud", "distance", "lower-distance", "upper-distance", "sparse", "dipha",
    "binary", "npy", "csv",
)  # fmt: skip
PORTS = {
    "barcode": "a line a bar, to look at",
    "representatives": "cycles through the points",
    "diagram": "the persistence diagram",
    "bars": "a table of bars",
    "betti-curves": "a table of Betti numbers by scale",
    "statistics": "a table of numbers and times by dimension",
}
MOST_DIMENSION, MOST_POINTS = 64, 1 << 31
JSON = {
    **RUN,
    "points": "number of points",
    "threshold": "the longest edge; null: none",
    "enclosing_radius": "beyond which nothing changes; null where it is not known",
    "edges": "edges up to the threshold",
    "collapsed_edges": "edges taken away by the edge collapse",
    "forecast": "simplices and memory that were expected",
    "bars": "number of bars by dimension",
    "essential_bars": "those without an end, by dimension",
    "statistics": "simplices, columns and more by dimension",
    **WARNINGS,
}


@capability(ports=PORTS, json=JSON, see="docs/rips.md")
def rips(
    input: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="Points or distances, as --format says; text may be compressed (.gz). Of .vtp, "
            ".vtu and files of molecules the points are taken.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUTPUT",
            help=".vtp (barcode), .vtu (diagram), .csv (bars), .vtm (all), or .npz (NumPy arrays). "
            "Default: only print the bars.",
        ),
    ] = None,
    dim: Annotated[
        int,
        whole(
            "--max-dimension",
            "--dim",
            low=0,
            high=MOST_DIMENSION,
            help="Highest dimension: 1 loops, 2 voids.",
        ),
    ] = 1,
    threshold: Annotated[
        float | None,
        real(
            "--threshold",
            low=0,
            infinite=True,
            help="Longest edge; default: the enclosing radius. 0 is 0 here, not that default as in "
            "ParaView.",
        ),
    ] = None,
    format: Annotated[
        str, choice("--format", words=FORMATS, help="Default: auto, by the name of the file.")
    ] = "auto",
    points: Annotated[
        bool, typer.Option("--points", help="A .npy or .csv file holds points.")
    ] = False,
    distances: Annotated[
        bool, typer.Option("--distances", help="A .npy or .csv file holds distances.")
    ] = False,
    field: Annotated[
        int, whole("--field", metavar="P", low=2, high=65521, help="Prime of coefficients Z/P.")
    ] = 2,
    representatives: Annotated[
        int | None,
        whole(
            "--representatives",
            low=0,
            high=MOST_POINTS,
            help="Cycles of so many longest bars a dimension (.vtp, .vtm); default: 10.",
        ),
    ] = None,
    port: Annotated[str | None, port_option(PORTS)] = None,
    collapse: Annotated[
        bool | None,
        typer.Option("--collapse/--no-collapse", help="Edge collapse; default: where it pays."),
    ] = None,
    epsilon: Annotated[
        float, real("--epsilon", low=0, help="Relative error that bars may have; 0: none.")
    ] = 0.0,
    dtm: Annotated[
        int,
        whole(
            "--dtm",
            metavar="K",
            low=0,
            high=MOST_POINTS,
            help="Births by the distance to K nearest points; 0: don't.",
        ),
    ] = 0,
    work_limit: Annotated[
        float, real("--work-limit", low=1, help="Work beyond which to refuse: simplices.")
    ] = 1e13,
    digits: Annotated[int, whole("--digits", low=1, high=17, help="Digits printed; 17: all.")] = 6,
    *,
    execution: Execution,
    telling: Telling,
) -> None:
    """Vietoris-Rips barcodes of points or distances: components, loops, voids.

    Prints what Ripser prints: bars [birth,death) by dimension, on the scale of the distances.

    Examples:

        separatrix rips sample_data/torus.csv --max-dimension 2

        separatrix rips sample_data/noisy_sphere.csv bars.csv --max-dimension 2 --quiet

        separatrix rips sample_data/linked_circles.csv loops.vtp --port representatives
    """
    import time

    import separatrix as sx
    from separatrix_vtk.base.report import device_of
    from separatrix_vtk.io.rips_files import AS_DISTANCES, AS_POINTS, read_rips
    from separatrix_vtk.io.writers import check_writable
    from separatrix_vtk.shell.ends import tell_warning, warnings_told
    from separatrix_vtk.shell.rips_run import port_for, print_bars, summary_of_bars, write

    chosen = port_for(output, port)
    if output is not None:
        check_writable(output, input)
    if points and distances:
        raise FileProblem("--points and --distances exclude each other; leave one out")
    draws = chosen in ("representatives", "all") and output is not None
    if representatives is not None and not draws:
        raise FileProblem(
            "--representatives is for a .vtm file, or a .vtp with --port representatives"
        )
    file = read_rips(input, format, AS_POINTS if points else AS_DISTANCES if distances else "")
    if file.warning:
        tell_warning(file.warning)
    if chosen == "representatives" and "points" not in file.given:
        raise FileProblem(
            f"{output}: distances have no positions to draw cycles at; write .npz instead"
        )
    begun = time.perf_counter()
    with telling.progress() as progress, warnings_told(sx.LongRunWarning, "; Ctrl-C stops it"):
        bars = sx.rips_barcodes(
            **file.given,
            max_dimension=dim,
            threshold=threshold,
            field=field,
            collapse="auto" if collapse is None else collapse,
            epsilon=epsilon,
            weights="dtm" if dtm else None,
            dtm_neighbors=dtm or None,
            representatives=(10 if representatives is None else representatives) if draws else None,
            work_limit=work_limit,
            progress=progress,
            **execution.of_engine,
        )
    if output is not None:
        write(output, chosen, bars, file, dim)
    seconds = time.perf_counter() - begun
    telling.tell(
        summary_of_bars(input, output, chosen, device_of(execution.of_engine), bars, dim, seconds),
        lambda: print_bars(bars, file.described, dim, digits),
    )
