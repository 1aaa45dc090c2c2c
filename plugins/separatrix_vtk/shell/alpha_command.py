"""The command `alpha`: alpha complexes of molecules and other balls."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from separatrix_vtk.shell.ends import plain_errors
from separatrix_vtk.shell.options import (
    Atoms,
    Device,
    Json,
    MemoryLimit,
    Quiet,
    Threads,
    output_argument,
    port_option,
)
from separatrix_vtk.shell.point_files import read_points
from separatrix_vtk.shell.read import FileProblem
from separatrix_vtk.shell.run import Algorithm, Port, port_for, progress_bar, stopping_at_ctrl_c
from separatrix_vtk.shell.summary import print_json, print_rows
from separatrix_vtk.shell.write import check_writable, write_arrays, write_blocks, write_dataset

POCKETS, DIAGRAM = "pockets", "diagram"
COUNTED = {
    "vertices": "NumberOfVertices",
    "edges": "NumberOfEdges",
    "triangles": "NumberOfTriangles",
    "tetrahedra": "NumberOfTetrahedra",
    "Euler characteristic": "EulerCharacteristic",
    "pieces": "Betti0",
    "tunnels": "Betti1",
    "voids": "Betti2",
    "hidden atoms": "NumberOfHiddenAtoms",
    "pockets and voids": "NumberOfPockets",
}
MEASURED = {
    "volume": "TotalVolume",
    "area": "TotalArea",
    "volume of voids": "VoidVolume",
    "area of voids": "VoidArea",
    "volume of pockets": "PocketVolume",
}


def arrays_of(filter: Any, settings: dict[str, Any]) -> dict[str, np.ndarray]:
    """What an .npz holds: tables of simplices, the boundary, and what was measured by atom."""
    from separatrix_vtk.base.arrays import from_vtk

    complex, boundary, _, _, atoms, _ = (filter.GetOutput(port) for port in range(6))
    points, cells = complex.GetPointData(), complex.GetCellData()
    arrays = {
        "centers": from_vtk(complex.GetPoints().GetData()),
        "radii": from_vtk(points.GetArray("BallRadius")),
        "atom_id": from_vtk(points.GetArray("AtomId")),
    }
    items = from_vtk(complex.GetCells().GetConnectivityArray())
    dimension = from_vtk(cells.GetArray("CellDimension"))
    begin = first = 0
    for d, name in enumerate(("vertices", "edges", "triangles", "tets")):
        count = int((dimension == d).sum())
        end = begin + count * (d + 1)
        arrays[name] = items[begin:end].reshape(count, d + 1)
        for array, column in (("AlphaValue", "alpha_value"), ("Kind", "kind")):
            values = from_vtk(cells.GetArray(array))
            arrays[f"{name}_{column}"] = values[first : first + count]
        begin, first = end, first + count
    if boundary.GetNumberOfCells():
        used = from_vtk(boundary.GetPointData().GetArray("AtomId"))
        row_of = np.full(int(arrays["atom_id"].max()) + 1, -1)
        row_of[arrays["atom_id"]] = np.arange(len(arrays["atom_id"]))
        corners = from_vtk(boundary.GetPolys().GetConnectivityArray())
        arrays["boundary"] = row_of[used][corners].reshape(-1, 3)
        arrays["boundary_void"] = from_vtk(boundary.GetCellData().GetArray("VoidId"))
    for name in ("Volume", "Area", "VoidId", "PocketId"):
        if atoms.GetPointData().HasArray(name):
            arrays[f"atom_{name.lower()}"] = from_vtk(atoms.GetPointData().GetArray(name))
    return arrays


def _needs_vtk(*_: Any, **__: Any) -> tuple[Any, dict[str, Any]]:
    raise NotImplementedError("alpha runs by the filter alone")


ALPHA = Algorithm(
    filter="AlphaComplex",
    ports={
        "complex": Port(0, (".vtu",)),
        "atoms": Port(4, (".vtp", ".csv")),
        "boundary": Port(1, (".vtp",)),
        "voids": Port(2, (".vtp",)),
        POCKETS: Port(3, (".vtp",)),
        DIAGRAM: Port(5, (".vtu", ".csv")),
    },
    switches={},
    needs={},
    arrays=arrays_of,
    engine=_needs_vtk,
    wishes={
        "--pockets": ("compute_pockets", POCKETS),
        "--diagram": ("compute_diagram", DIAGRAM),
    },
)


def alpha(
    input: Annotated[
        Path,
        typer.Argument(
            help="Atoms or other balls: .pdb, .cif, .pqr, .vtp, .csv (x, y, z, radius)."
        ),
    ],
    output: Annotated[
        Path | None, output_argument(".vtm (all), .vtu (complex), .vtp, .csv (atoms)")
    ] = None,
    alpha: Annotated[
        list[str] | None,
        typer.Option(
            "--alpha", "-a", metavar="A ...", help="Growth of squared radii, a squared length."
        ),
    ] = None,
    probe: Annotated[
        float, typer.Option(min=0, help="Growth of radii, a length: 1.4 for water.")
    ] = 0.0,
    port: Annotated[str | None, port_option(ALPHA)] = None,
    measures: Annotated[
        bool, typer.Option("--measures", "-m", help="Volume and area, of voids too.")
    ] = False,
    pockets: Annotated[bool, typer.Option("--pockets", help="Pockets and their mouths.")] = False,
    diagram: Annotated[
        bool, typer.Option("--diagram", help="Persistence up to the largest alpha.")
    ] = False,
    largest_alpha: Annotated[
        float, typer.Option(help="Up to which alpha pockets and diagram see; 0: chosen.")
    ] = 0.0,
    radius: Annotated[
        float | None, typer.Option(min=0, help="One radius for all. Default: by array or element.")
    ] = None,
    radii: Annotated[str | None, typer.Option(help="Name of an array of radii.")] = None,
    atoms: Atoms = "",
    resolution: Annotated[
        float, typer.Option(min=0, help="Step of the grid that positions are rounded to.")
    ] = 1e-3,
    work_limit: Annotated[
        float, typer.Option(min=1, help="Tests beyond which to refuse, or to fall back.")
    ] = 1e11,
    gudhi: Annotated[
        bool, typer.Option("--gudhi", help="Beyond the limit have GUDHI triangulate all.")
    ] = False,
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Alpha complex of a molecule: its cells, boundary, voids, pockets, volume and area.

    Lengths are in the unit of the points, Angstrom for molecules. Of several alphas each has a
    column of the summary; a file holds the complex of the largest, whose AlphaValue tells the
    others.

    Examples:

        separatrix alpha 1crn.pdb --alpha 0 1.4 --probe 1.4 --measures

        separatrix alpha 1u71.pdb pockets.vtp --probe 1.4 --pockets

        separatrix alpha 1crn.pdb atoms.csv --probe 1.4
    """
    with plain_errors():
        alphas = _alphas_of(alpha or ["0"])
        settings: dict[str, Any] = {
            "probe_radius": probe,
            "largest_alpha": largest_alpha,
            "compute_pockets": pockets,
            "compute_diagram": diagram,
            "resolution": resolution,
            "work_limit": work_limit,
            "fallback": "gudhi" if gudhi else "refuse",
        }
        port = port_for(ALPHA, output, port, ALPHA.wished(settings) if output else {})
        settings["compute_pockets"] |= port == POCKETS
        settings["compute_diagram"] |= port == DIAGRAM
        settings["compute_measures"] = measures or output is not None
        if output is not None:
            check_writable(output, input)
        if radius is not None and radii is not None:
            raise FileProblem("--radius and --radii ask for two things; leave one out")
        points, _ = read_points(input, atoms)
        filter = _made(settings, radius, radii, (device, threads, memory_limit))
        reports = _run(filter, points, alphas, output, port, quiet)
        _tell(input, output, port, alphas, reports, measures, json, quiet, _not_taken(points))


def with_lists(arguments: Sequence[str]) -> list[str]:
    """The arguments with the numbers behind --alpha as one: `--alpha 0 1.4` is `--alpha=0,1.4`."""
    joined: list[str] = []
    is_open = False
    for argument in arguments:
        if is_open and _is_number(argument):
            is_first = not joined[-1].startswith("--alpha=")
            joined[-1] = f"--alpha={argument}" if is_first else f"{joined[-1]},{argument}"
            continue
        is_open = arguments[0] == "alpha" and argument in ("--alpha", "-a")
        joined.append(argument)
    return joined


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _alphas_of(texts: list[str]) -> list[float]:
    words = [word for text in texts for word in text.replace(",", " ").split()]
    numbers = [float(word) for word in words if _is_number(word)]
    if not words or len(numbers) < len(words) or not all(map(math.isfinite, numbers)):
        raise FileProblem(
            f"--alpha {' '.join(texts)}: one or several squared lengths, as --alpha 0 1.4"
        )
    return list(dict.fromkeys(numbers))


def _made(
    settings: dict[str, Any],
    radius: float | None,
    radii: str | None,
    execution: tuple[str, int, int],
) -> Any:
    from separatrix_vtk import AlphaComplex

    device, threads, memory_limit = execution
    filter = AlphaComplex(
        device=device,
        number_of_threads=threads,
        device_memory_limit=memory_limit,
        **settings,
    )
    if radius is not None:
        filter.radius_source, filter.constant_radius = "constant", radius
    if radii is not None:
        filter.radius_source = "array"
        filter.SetInputArrayToProcess(0, 0, 0, 0, radii)
    return filter


def _run(
    filter: Any,
    points: Any,
    alphas: list[float],
    output: Path | None,
    port: str | None,
    quiet: bool,
) -> dict[float, dict[str, Any]]:
    """The reports by alpha. The largest comes first: the others are thresholds of it."""
    reports: dict[float, dict[str, Any]] = {}
    with (
        progress_bar(sys.stderr.isatty() and not quiet) as bar,
        stopping_at_ctrl_c(bar) as progress,
    ):
        for value in sorted(alphas, reverse=True):
            filter.alpha = value
            filter.run(points, progress)
            if output is not None and not reports:
                _write(filter, output, port)
            reports[value] = dict(filter.report)
    return reports


def _write(filter: Any, output: Path, port: str | None) -> None:
    names = [name for name, _ in filter.OUTPUTS]
    if output.suffix.lower() == ".npz":
        write_arrays(output, arrays_of(filter, {}))
    elif port is None:
        write_blocks(output, [(name, filter.GetOutput(i)) for i, name in enumerate(names)])
    else:
        write_dataset(output, filter.GetOutput(ALPHA.ports[port].number))


def _not_taken(points: Any) -> list[tuple[str, Any]]:
    """What of a molecule's file is not among the atoms, as rows of the summary."""

    def number(name: str) -> int:
        array = points.GetFieldData().GetArray(name)
        return int(array.GetTuple1(0)) if array else 0

    rows: list[tuple[str, Any]] = []
    if number("AtomsLeftOut"):
        others = "atoms: HETATM, water, alternate locations or what --atoms says"
        rows.append(("left out", f"{number('AtomsLeftOut')} {others}"))
    if number("NumberOfModels") > 1 and number("Model") >= 0:
        n_models = number("NumberOfModels")
        rows.append(("model", f"{number('Model')}, one of {n_models}; --atoms model=N for another"))
    return rows


def _tell(
    input: Path,
    output: Path | None,
    port: str | None,
    alphas: list[float],
    reports: dict[float, dict[str, Any]],
    measures: bool,
    json: bool,
    quiet: bool,
    not_taken: list[tuple[str, Any]],
) -> None:
    told = [reports[value] for value in alphas]
    seconds = sum(sum(report["seconds"].values()) for report in told)
    if json:
        columns = [{k: v for k, v in r.items() if k not in ("device", "seconds")} for r in told]
        print_json(
            {
                "input": str(input),
                "output": None if output is None else str(output),
                "port": port,
                "device": told[0]["device"],
                "complexes": columns,
                "seconds": seconds,
            }
        )
        return
    if quiet:
        return
    table = {"alpha": [f"{value:g}" for value in alphas]}
    for name, key in COUNTED.items():
        if key in told[0]:
            table[name] = [f"{report[key]}" for report in told]
    for name, key in MEASURED.items() if measures else ():
        if key in told[0]:
            table[name] = [f"{report[key]:.3f}" for report in told]
    width = max(len(cell) for cells in table.values() for cell in cells)
    rows: list[tuple[str, Any]] = [
        ("atoms", f"{told[0]['NumberOfAtoms']} of {input}"),
        *not_taken,
        ("device", told[0]["device"]),
        ("probe", f"{told[0]['ProbeRadius']:g}"),
        *((name, "  ".join(cell.rjust(width) for cell in cells)) for name, cells in table.items()),
        ("computed in", f"{seconds:.2f} s"),
    ]
    if output is not None:
        rows.append(("written", f"{output} ({port})" if port else str(output)))
    print_rows(rows)
    sys.stdout.flush()  # what goes wrong with it is told here
