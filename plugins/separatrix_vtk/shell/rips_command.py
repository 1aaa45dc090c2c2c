"""The command `rips`: Vietoris-Rips barcodes, printed as Ripser prints them."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import separatrix as sx
from separatrix_vtk.shell.ends import plain_errors
from separatrix_vtk.shell.options import Device, Json, MemoryLimit, Quiet, Threads
from separatrix_vtk.shell.read import FileProblem
from separatrix_vtk.shell.rips_files import (
    AS_DISTANCES,
    AS_POINTS,
    READERS,
    RipsFile,
    read_rips,
)
from separatrix_vtk.shell.run import progress_bar, stopping_at_ctrl_c
from separatrix_vtk.shell.summary import print_json
from separatrix_vtk.shell.write import check_writable, write_arrays, write_blocks, write_dataset

PORTS = {  # name -> number of the filter's port, and its files, the default port of each first
    "barcode": (0, (".vtp",)),
    "representatives": (2, (".vtp",)),
    "diagram": (1, (".vtu", ".vtp")),
    "bars": (3, (".csv",)),
    "betti-curves": (4, (".csv",)),
    "statistics": (5, (".csv",)),
}
OF_ALL = (".vtm", ".npz")


def rips(
    input: Annotated[
        Path,
        typer.Argument(help="Points or distances; text may be compressed (.gz). See --format."),
    ],
    output: Annotated[
        Path | None,
        typer.Argument(help=".vtp (barcode), .vtu (diagram), .csv (bars), .vtm (all), .npz."),
    ] = None,
    dim: Annotated[
        int, typer.Option("--dim", min=0, help="Highest dimension: 1 loops, 2 voids.")
    ] = 1,
    threshold: Annotated[
        float | None,
        typer.Option(min=0, help="Longest edge; default: the enclosing radius."),
    ] = None,
    format: Annotated[
        str, typer.Option(help=f"{', '.join(READERS)}. Default: auto, by the name of the file.")
    ] = "auto",
    points: Annotated[
        bool, typer.Option("--points", help="A .npy or .csv file holds points.")
    ] = False,
    distances: Annotated[
        bool, typer.Option("--distances", help="A .npy or .csv file holds distances.")
    ] = False,
    field: Annotated[int, typer.Option(help="Prime p of the coefficients Z/p.")] = 2,
    representatives: Annotated[
        int | None,
        typer.Option(min=0, help="Cycles of so many longest bars a dimension (.vtp, .vtm)."),
    ] = None,
    port: Annotated[
        str | None,
        typer.Option("--port", "-p", help=f"What a file holds: {', '.join(PORTS)}."),
    ] = None,
    collapse: Annotated[
        bool | None, typer.Option(help="Edge collapse; default: where it pays.")
    ] = None,
    epsilon: Annotated[
        float, typer.Option(min=0, help="Relative error that bars may have; 0: none.")
    ] = 0.0,
    dtm: Annotated[
        int, typer.Option(min=0, help="Births by the distance to K nearest points; 0: don't.")
    ] = 0,
    work_limit: Annotated[
        float, typer.Option(min=1, help="Refuse what may have more simplices to look at.")
    ] = 1e13,
    digits: Annotated[int, typer.Option(min=1, max=17, help="Digits printed; 17: all.")] = 6,
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Vietoris-Rips barcodes of points or distances: components, loops, voids.

    Prints what Ripser prints: bars [birth,death) by dimension, on the scale of the distances.

    Examples:

        separatrix rips dragon.point_cloud --dim 2

        separatrix rips celegans.distance_matrix bars.csv --dim 3 --quiet

        separatrix rips torus.csv loops.vtp --port representatives
    """
    with plain_errors():
        chosen = _port_for(output, port)
        if output is not None:
            check_writable(output, input)
        if points and distances:
            raise FileProblem("--points and --distances exclude each other; leave one out")
        if representatives is not None and (
            output is None or chosen not in ("representatives", "all")
        ):
            raise FileProblem(
                "--representatives is for a .vtm file, or a .vtp with --port representatives"
            )
        means = AS_POINTS if points else AS_DISTANCES if distances else ""
        file = read_rips(input, format, means)
        if file.warning:
            print(f"separatrix: warning: {file.warning}", file=sys.stderr)
        if chosen == "representatives" and "points" not in file.given:
            raise FileProblem(
                f"{output}: distances have no positions to draw cycles at; write .npz instead"
            )
        draws = chosen in ("representatives", "all") and output is not None
        begun = time.perf_counter()
        with (
            progress_bar(sys.stderr.isatty() and not quiet) as bar,
            stopping_at_ctrl_c(bar) as progress,
        ):
            bars = sx.rips_barcodes(
                **file.given,
                max_dimension=dim,
                threshold=threshold,
                field=field,
                collapse="auto" if collapse is None else collapse,
                epsilon=epsilon,
                weights="dtm" if dtm else None,
                dtm_neighbours=dtm or None,
                representatives=(10 if representatives is None else representatives)
                if draws
                else None,
                device=None if device == "auto" else device,
                threads=threads or None,
                memory_limit=memory_limit * (1 << 20) or None,
                work_limit=work_limit,
                progress=progress,
            )
        seconds = time.perf_counter() - begun
        if output is not None:
            _write(output, chosen, bars, file, dim)
        if json:
            print_json(_summary(input, output, bars, dim, seconds))
        elif not quiet:
            print_bars(bars, file.described, dim, digits)
            sys.stdout.flush()  # what goes wrong with it is told here


def print_bars(bars: Any, described: str, dim: int, digits: int) -> None:
    """Bars as Ripser prints them, with what was left out."""
    print(described)
    if np.isfinite(bars.threshold):
        is_radius = bars.threshold == bars.enclosing_radius
        print(f"threshold: {bars.threshold:.{digits}g}{' (enclosing radius)' * is_radius}")
    for d in range(dim + 1):
        print(f"persistence intervals in dim {d}:")
        for birth, death in bars.of_dimension(d).tolist():
            end = f"{death:.{digits}g}" if np.isfinite(death) else " "
            print(f" [{birth:.{digits}g},{end})")


def _port_for(output: Path | None, port: str | None) -> str:
    """The port that a file takes; "all" for .vtm and .npz."""
    if port is not None and port not in PORTS:
        raise FileProblem(f"--port {port}: it is one of {', '.join(PORTS)}")
    if output is None:
        if port is not None:
            raise FileProblem(f"--port {port}: name an output file to write it to")
        return "all"
    suffix = output.suffix.lower()
    if suffix in OF_ALL:
        if port is not None:
            raise FileProblem(f"{output}: --port {port} is for a file of one dataset")
        return "all"
    fitting = [name for name, (_, suffixes) in PORTS.items() if suffix in suffixes]
    if not fitting:
        known = sorted({s for _, suffixes in PORTS.values() for s in suffixes} | set(OF_ALL))
        raise FileProblem(
            f"{output}: cannot write '{suffix or output.name}', only {', '.join(known)}"
        )
    if port is not None and port not in fitting:
        raise FileProblem(f"--port {port}: for a {suffix} file it is one of {', '.join(fitting)}")
    return port or fitting[0]


def _write(output: Path, port: str, bars: Any, file: RipsFile, dim: int) -> None:
    if output.suffix.lower() == ".npz":
        write_arrays(output, _arrays(bars, dim))
        return
    datasets = _datasets(bars, file)
    if port == "all":
        write_blocks(output, datasets)
    else:
        write_dataset(output, datasets[PORTS[port][0]][1])


def _datasets(bars: Any, file: RipsFile) -> list[tuple[str, Any]]:
    """The six outputs of the filter RipsBarcodes, by name."""
    import vtkmodules.vtkCommonDataModel as vtk  # noqa: N813

    from separatrix_vtk.rips.rips_barcodes import OUTPUTS, write_outputs
    from separatrix_vtk.rips.rips_input import RipsInput, in_space

    points, distances = file.given.get("points"), file.given.get("distances")
    positions = None if points is None else in_space(points)
    made = [getattr(vtk, kind)() for _, kind in OUTPUTS]
    write_outputs(made, bars, np.arange(len(bars)), RipsInput(points, distances, positions))
    return [(name, dataset) for (name, _), dataset in zip(OUTPUTS, made, strict=True)]


def _arrays(bars: Any, dim: int) -> dict[str, np.ndarray]:
    """What an .npz holds: the bars, and by dimension the simplices that begin and end them."""
    names = ("dimension", "birth", "death", "birth_edge", "death_edge")
    arrays = {name: getattr(bars, name) for name in names}
    for d in range(dim + 1):
        for end in ("birth", "death"):
            arrays[f"{end}_simplex_{d}"] = bars.simplices(end, d)
    for cycle in bars.representatives:
        arrays[f"cycle_{cycle.bar}"] = cycle.simplices
        arrays[f"coefficients_{cycle.bar}"] = cycle.coefficients
    return arrays


def _summary(
    input: Path, output: Path | None, bars: Any, dim: int, seconds: float
) -> dict[str, Any]:
    counted = [
        {key: _plain(value) for key, value in of_dimension.items()}
        for of_dimension in bars.statistics["dimensions"]
    ]
    return {
        "input": str(input),
        "output": None if output is None else str(output),
        "n_points": bars.n_points,
        "threshold": _finite(bars.threshold),
        "enclosing_radius": _finite(bars.enclosing_radius),
        "edges": int(bars.statistics["edges"]),
        "collapsed_edges": int(bars.statistics["collapsed"]),
        "forecast": {key: _plain(value) for key, value in bars.statistics["forecast"].items()},
        "bars": [len(bars.of_dimension(d)) for d in range(dim + 1)],
        "essential_bars": [int(np.isinf(bars.of_dimension(d)[:, 1]).sum()) for d in range(dim + 1)],
        "statistics": counted,
        "seconds": {stage: float(taken) for stage, taken in bars.timings.items()},
        "seconds_in_all": seconds,
    }


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _finite(value: float) -> float | None:
    """A number for JSON, which has no inf."""
    return float(value) if np.isfinite(value) else None
