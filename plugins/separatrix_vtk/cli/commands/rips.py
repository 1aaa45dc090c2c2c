"""The command `rips`: Vietoris-Rips barcodes, printed as Ripser prints them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

from separatrix.errors import InputError
from separatrix.options import Options, RipsBarcodesOptions, option
from separatrix_vtk.cli.command import Argument, Command, Given
from separatrix_vtk.cli.ports import Port
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.cli.runner import Run, make_filter
from separatrix_vtk.io.errors import FileError

DRAWN = "number_of_representatives"
PORTS = {
    "barcode": Port(0, (".vtp",), "one line per bar"),
    "representatives": Port(2, (".vtp",), "cycles through the points", fills={DRAWN: 10}),
    "diagram": Port(1, (".vtu", ".vtp"), "the persistence diagram"),
    "bars": Port(3, (".csv",), "a table of bars"),
    "betti-curves": Port(4, (".csv",), "a table of Betti numbers by scale"),
    "statistics": Port(5, (".csv",), "a table of counts and times by dimension"),
}
JSON = {
    "points": "number of points",
    "threshold": "the longest edge, or null if there is no limit",
    "enclosing_radius": "no bar changes beyond it; null if it is unknown",
    "edges": "number of edges up to the threshold, or of those listed from 6,000 points on",
    "collapsed_edges": "number of edges removed by the edge collapse",
    "forecast": "estimated number of simplices and memory",
    "bars": "number of bars by dimension",
    "essential_bars": "number of bars without an end, by dimension",
    "statistics": "simplices, columns and more by dimension",
}


class DistanceFileOptions(Options):
    """Files of points and distances."""

    format: Literal[
        "auto", "point-cloud", "distance", "lower-distance", "upper-distance", "sparse", "dipha",
        "binary", "npy", "csv",
    ] = option(
        default="auto", group="Input", summary="Format of the input; auto derives it from its name."
    )  # fmt: skip
    points: bool = option(
        default=False, group="Input", summary="Read a .npy or .csv file as points."
    )
    distances: bool = option(
        default=False, group="Input", summary="Read a .npy or .csv file as distances."
    )
    sparse: bool = option(
        default=False,
        group="Input",
        summary="No effect, for calls of Ripser++: sparse computations are chosen automatically.",
    )
    ratio: float = option(
        default=1.0,
        at_least=1,
        group="Printing",
        summary="Print finite bars only if their death exceeds this times their birth.",
    )
    digits: int = option(
        default=6, at_least=1, at_most=17, group="Printing", summary="Digits to print; 17 for all."
    )


@Command(
    "rips",
    (RipsBarcodesOptions, DistanceFileOptions),
    input=Argument(
        "Points or distances in the format that --format names, also compressed (.gz), or the "
        "points of a .vtp, .vtu or molecule file. With --format, - is standard input."
    ),
    output=".vtp (barcode), .vtu (diagram), .csv (bars), .vtm (all ports), or .npz (NumPy arrays "
    "of all ports).",
    ports=PORTS,
    without=("distance_matrix", "weights"),
    json=JSON,
    see="docs/rips.md",
)
def rips(input: Path, output: Path | None, port: str | None, given: Given) -> None:
    """Vietoris-Rips barcodes of points or distances: components, loops, voids.

    Prints what Ripser prints: bars [birth,death) by dimension, on the scale of the distances.

    Examples:
        separatrix rips sample_data/torus.csv --max-dimension 2
        separatrix rips sample_data/noisy_sphere.csv bars.csv --max-dimension 2 --quiet
        separatrix rips sample_data/linked_circles.csv loops.vtp --port representatives
    """
    from separatrix_vtk.filters.points.rips_input import RipsInput, in_space
    from separatrix_vtk.io.rips_files import read_rips

    run = Run(PORTS, input, output, port, given)
    files = given.of(DistanceFileOptions)
    if files.points and files.distances:
        raise FileError("--points and --distances cannot be combined. Omit one of them.")
    is_drawn = output is not None and run.port in ("representatives", None)
    if DRAWN in given and not is_drawn:
        raise FileError(
            f"{reporter.spell(DRAWN)} requires a .vtm or .npz file, or a .vtp file with --port "
            "representatives."
        )
    contains = "points" if files.points else "distances" if files.distances else ""
    found, warning = read_rips(input, files.format, contains, given.pop("columns", ()))
    if warning:
        reporter.warning(warning)
    points = found.get("points")
    source = RipsInput(
        points,
        found.get("distances"),
        None if points is None else in_space(points),
        sparse=found.get("sparse"),
        needs_cycles=output is not None and run.port is None,
    )
    if run.port == "representatives" and source.positions is None:
        raise FileError(f"{input}: distances do not contain positions. Write a .npz file instead.")
    filter = make_filter("RipsBarcodes", given if is_drawn else {**given, DRAWN: 0})
    with run.timed() as progress:
        try:
            outputs = filter.run_on(source, progress)
        except InputError as error:
            error.rename(dict.fromkeys(found, "input"))  # not the flags --points and --distances
            raise
        run.write(filter, outputs)
    hidden = ("ForecastSimplices", "ForecastBytes")
    report = {name: value for name, value in filter.report.items() if name not in hidden}
    report["statistics"] = report.pop("dimensions")
    report["forecast"] = {  # integers, unless they are too large to be exact
        name: int(number) if abs(number) < 2**53 else number
        for name, number in report["forecast"].items()
    }
    reporter.result(
        run.summary(report), lambda: print_bars(outputs[3], described(found), report, files)
    )


def described(given: dict[str, Any]) -> str:
    """The points or distances, in Ripser's words."""
    if "points" in given:
        n, k = given["points"].shape
        return f"point cloud with {n} points in dimension {k}"
    if "distances" in given:
        return f"distance matrix with {len(given['distances'])} points"
    i, j, _ = given["sparse"]
    n = int(max(i.max(initial=-1), j.max(initial=-1))) + 1
    return f"sparse distance matrix with {n} points and {len(i)}/{n * (n - 1) // 2} entries"


def print_bars(
    table: Any, described: str, report: dict[str, Any], files: DistanceFileOptions
) -> None:
    """Print bars as Ripser does."""
    from separatrix_vtk.cli.arrays import arrays_of

    digits, threshold = files.digits, report["Threshold"]
    print(described)
    if math.isfinite(threshold):
        is_radius = threshold == report["EnclosingRadius"]
        print(f"threshold: {threshold:.{digits}g}{' (enclosing radius)' * is_radius}")
    bars = arrays_of({"": table})
    is_printed = bars["Death"] > bars["Birth"] * files.ratio
    for d in range(len(report["bars"])):
        print(f"persistence intervals in dim {d}:")
        of_dimension = is_printed & (bars["Dimension"] == d)
        ends = (bars[name][of_dimension].tolist() for name in ("Birth", "Death"))
        for birth, death in zip(*ends, strict=True):
            end = f"{death:.{digits}g}" if math.isfinite(death) else " "
            print(f" [{birth:.{digits}g},{end})")
