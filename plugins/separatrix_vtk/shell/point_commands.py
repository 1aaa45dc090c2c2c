"""The commands on point sets: `density` and `neighbors`."""

from __future__ import annotations

import re
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from separatrix_vtk.shell.ends import plain_errors
from separatrix_vtk.shell.options import Atoms, Device, Json, MemoryLimit, Quiet, Threads
from separatrix_vtk.shell.point_files import read_points
from separatrix_vtk.shell.read import FileProblem
from separatrix_vtk.shell.run import Execution, progress_bar, stopping_at_ctrl_c
from separatrix_vtk.shell.summary import print_json, print_rows
from separatrix_vtk.shell.write import check_writable, write_arrays, write_dataset


class Kernel(str, Enum):
    """The shape of a density's kernel."""

    gaussian = "gaussian"
    wendland = "wendland"


class Kind(str, Enum):
    """Which critical points count."""

    all = "all"
    minima = "minima"
    saddles_1 = "1-saddles"
    saddles_2 = "2-saddles"
    maxima = "maxima"


Points = Annotated[
    Path,
    typer.Argument(
        help="Points: .vtp, .vtu, .csv (columns x, y, z), .npy (n, 3), or a molecule: .pdb, .cif, "
        ".pqr, .xyz, .crd, each also .gz."
    ),
]


def density(
    input: Points,
    output: Annotated[
        Path | None, typer.Argument(help=".vti or .npz (NumPy arrays). Default: only a summary.")
    ] = None,
    sigma: Annotated[
        float,
        typer.Option(min=0, help="Width of the kernel; 0: median distance to the nearest point."),
    ] = 0.0,
    spacing: Annotated[
        float, typer.Option(min=0, help="Distance of the image's points; 0: sigma / 2.")
    ] = 0.0,
    dimensions: Annotated[
        str | None, typer.Option(help="Points of the image, NX,NY,NZ or NXxNYxNZ, or NX,NY.")
    ] = None,
    kernel: Annotated[Kernel, typer.Option(help="Shape of the kernel.")] = Kernel.gaussian,
    cutoff: Annotated[float, typer.Option(min=0, help="Where kernels end; 0: 4 sigma.")] = 0.0,
    weights: Annotated[
        str | None, typer.Option("--weights", "-w", help="Array of weights; default: 1 each.")
    ] = None,
    bounds: Annotated[
        str | None, typer.Option(help="XMIN,XMAX,YMIN,YMAX,ZMIN,ZMAX of the image.")
    ] = None,
    padding: Annotated[
        float | None, typer.Option(min=0, help="Room round the points; default: the cutoff.")
    ] = None,
    gradient: Annotated[bool, typer.Option("--gradient", help="The gradient too.")] = False,
    flat: Annotated[
        bool | None,
        typer.Option(
            "--flat/--no-flat",
            help="Points of a plane: one layer, weight per area. Default: if the file has no z.",
        ),
    ] = None,
    normalize: Annotated[bool, typer.Option(help="Kernels integrate to the weights.")] = True,
    double: Annotated[bool, typer.Option("--double", help="Double precision.")] = False,
    atoms: Atoms = "",
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Density of points on an image: of a molecule's atoms, for example.

    Lengths are in the unit of the points, Angstrom for molecules. Arrays of these for --weights:
    atom_type (the atomic number), occupancy, b_factor, radius, charge (.pqr).

    Examples:

        separatrix density 1crn.pdb density.vti --sigma 1.2 --spacing 0.5 --weights atom_type

        separatrix morse-smale density.vti complex.vtm --persistence 2%
    """
    with plain_errors():
        settings: dict[str, Any] = {
            "sigma": sigma,
            "spacing": spacing,
            "kernel": kernel.value,
            "cutoff": cutoff,
            "padding": -1.0 if padding is None else padding,
            "compute_gradient": gradient,
            "normalize": normalize,
            "double_precision": double,
        }
        if dimensions is not None:
            settings["dimensions"] = (*_sizes_of(dimensions), 1)[:3]
        if bounds is not None:
            settings |= {"use_bounds": True, "bounds": _bounds_of(bounds)}
        _check_output(input, output, (".vti", ".npz"))
        points, is_flat = read_points(input, atoms)
        filter = _made("PointDensity", settings, Execution(device, threads, memory_limit))
        filter.flat = is_flat if flat is None else flat
        if dimensions is not None and not filter.flat and len(_sizes_of(dimensions)) == 2:
            raise FileProblem(
                f"--dimensions {dimensions}: two numbers are for points of a plane, {input} has a "
                "z; give three, or --flat"
            )
        if weights is not None:
            filter.SetInputArrayToProcess(0, 0, 0, 0, weights)
        image = _run(filter, points, quiet)
        if output is not None:
            _write(output, image, _arrays_of_image)
        report = dict(filter.report)
        size = " x ".join(str(n) for n in report["dimensions"])
        rows = [
            ("points", f"{report['NumberOfPoints']} of {input}"),
            ("device", report["device"]),
            ("image", f"{size}, spacing {report['spacing'][0]:g}"),
            ("sigma", f"{report['Sigma']:g}, cutoff {report['Cutoff']:g}"),
            ("sum of weights", f"{report['SumOfWeights']:g}, in the image {report['Mass']:g}"),
        ]
        _tell(input, output, report, rows, json, quiet)


def neighbors(
    input: Points,
    output: Annotated[
        Path | None, typer.Argument(help=".vtp, .vtu, .csv or .npz. Default: only a summary.")
    ] = None,
    k: Annotated[int, typer.Option("-k", "--neighbors", min=1, help="How many nearest.")] = 8,
    radius: Annotated[
        float, typer.Option(min=0, help="Count the others within this distance too; 0: don't.")
    ] = 0.0,
    include_self: Annotated[
        bool, typer.Option(help="A point is the first of its own k in DistanceToMeasure.")
    ] = True,
    all_neighbors: Annotated[
        bool, typer.Option("--all-neighbors", help="Distances and ids of all k.")
    ] = False,
    critical_points: Annotated[
        Path | None, typer.Option(help="File of points of which the nearest is looked up.")
    ] = None,
    kind: Annotated[Kind, typer.Option(help="Which of the critical points count.")] = Kind.all,
    flat: Annotated[
        bool | None,
        typer.Option(
            "--flat/--no-flat", help="LocalDensity per area. Default: if the file has no z."
        ),
    ] = None,
    atoms: Atoms = "",
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Distances of points to their nearest others, local density, nearest critical points.

    Examples:

        separatrix neighbors 1crn.pdb atoms.vtp -k 12 --radius 4.5

        separatrix neighbors points.csv near.csv --critical-points maxima.vtp --kind maxima
    """
    with plain_errors():
        if kind != Kind.all and critical_points is None:
            raise FileProblem(
                f"--kind {kind.value} is for --critical-points FILE, which is not given"
            )
        settings = {
            "number_of_neighbors": k,
            "radius": radius,
            "include_self": include_self,
            "all_neighbors": all_neighbors,
            "critical_kind": kind.value,
        }
        _check_output(input, output, (".vtp", ".vtu", ".csv", ".npz"))
        points, is_flat = read_points(input, atoms)
        filter = _made("NeighborStatistics", settings, Execution(device, threads, memory_limit))
        filter.flat = is_flat if flat is None else flat
        if critical_points is not None:
            filter.SetInputDataObject(1, read_points(critical_points)[0])
        found = _run(filter, points, quiet)
        if output is not None:
            _write(output, _as_kind(output, found), _arrays_of_points)
        report = dict(filter.report)
        rows = [
            ("points", f"{report['n_points']} of {input}"),
            ("device", report["device"]),
            ("nearest other point", f"{report['median_distance_to_nearest']:g} away (median)"),
            ("at most", f"{report['largest_distance_to_nearest']:g}"),
        ]
        _tell(input, output, report, rows, json, quiet)


# === texts of options


def _sizes_of(text: str) -> tuple[int, ...]:
    try:
        sizes = [int(part) for part in re.split("[,xX]", text)]
        if len(sizes) not in (2, 3) or min(sizes) < 1:
            raise ValueError
    except ValueError:
        raise FileProblem(
            f"--dimensions {text}: two or three whole numbers from 1 up, as 64,64,64 or 512x512"
        ) from None
    return tuple(sizes)


def _bounds_of(text: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(part) for part in text.split(","))
        if len(numbers) != 6:
            raise ValueError
    except ValueError:
        raise FileProblem(
            f"--bounds {text}: six numbers separated by commas, as 0,1,0,1,0,1"
        ) from None
    return numbers


# === one run


def _check_output(input: Path, output: Path | None, suffixes: tuple[str, ...]) -> None:
    if output is None:
        return
    if output.suffix.lower() not in suffixes:
        kind = output.suffix or output.name
        raise FileProblem(f"{output}: cannot write '{kind}', only {', '.join(suffixes)}")
    check_writable(output, input)


def _made(name: str, settings: dict[str, Any], execution: Execution) -> Any:
    import separatrix_vtk

    return getattr(separatrix_vtk, name)(
        device=execution.device,
        number_of_threads=execution.threads,
        device_memory_limit=execution.memory_limit,
        **settings,
    )


def _run(filter: Any, points: Any, quiet: bool) -> Any:
    with (
        progress_bar(sys.stderr.isatty() and not quiet) as bar,
        stopping_at_ctrl_c(bar) as progress,
    ):
        return filter.run(points, progress)[0]


def _as_kind(output: Path, points: Any) -> Any:
    """The points as the kind of dataset that the file is for."""
    if output.suffix.lower() == ".vtu":
        if not points.IsA("vtkUnstructuredGrid"):
            raise FileProblem(f"{output}: .vtu is for the points of a .vtu file; name a .vtp")
        return points
    if points.IsA("vtkPolyData"):
        return points
    from vtkmodules.vtkCommonDataModel import vtkPolyData

    from separatrix_vtk.base.arrays import fill_polydata, from_vtk

    made = vtkPolyData()
    fill_polydata(made, from_vtk(points.GetPoints().GetData()), vertices=True)
    made.GetPointData().ShallowCopy(points.GetPointData())
    return made


def _write(output: Path, dataset: Any, arrays_of: Any) -> None:
    if output.suffix.lower() == ".npz":
        write_arrays(output, arrays_of(dataset))
    else:
        write_dataset(output, dataset)


def _arrays_of_image(image: Any) -> dict[str, np.ndarray]:
    from separatrix_vtk.base.arrays import from_vtk

    shape, data = image.GetDimensions()[::-1], image.GetPointData()
    arrays = {"density": from_vtk(data.GetArray("Density")).reshape(shape)}
    if data.HasArray("DensityGradient"):
        slopes = from_vtk(data.GetArray("DensityGradient"))
        arrays["gradient"] = slopes.reshape(*shape, 3)
    return {
        **arrays,
        "spacing": np.array(image.GetSpacing()),
        "origin": np.array(image.GetOrigin()),
    }


def _arrays_of_points(points: Any) -> dict[str, np.ndarray]:
    from separatrix_vtk.base.arrays import from_vtk, names_of

    data = points.GetPointData()
    numbers = {name: data.GetArray(name) for name in names_of(data)}
    arrays = {name: from_vtk(array) for name, array in numbers.items() if array is not None}
    return {"points": from_vtk(points.GetPoints().GetData()), **arrays}


def _tell(
    input: Path,
    output: Path | None,
    report: dict[str, Any],
    rows: list[tuple[str, Any]],
    json: bool,
    quiet: bool,
) -> None:
    files = {"input": str(input), "output": None if output is None else str(output)}
    if json:
        print_json({**files, **report})
    elif not quiet:
        rows.append(("computed in", f"{sum(report['seconds'].values()):.2f} s"))
        if output is not None:
            rows.append(("written", str(output)))
        print_rows(rows)
        sys.stdout.flush()  # what goes wrong with it is told here
