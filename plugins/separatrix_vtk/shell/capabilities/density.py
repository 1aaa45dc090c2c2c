"""The command `density`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix_vtk.io.problems import FileProblem
from separatrix_vtk.shell.capabilities.json_keys import RUN, WARNINGS
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import (
    Atoms,
    Execution,
    Points,
    Telling,
    array_option,
    choice,
    real,
    sizes_of,
    sizes_option,
)

KERNELS = ("gaussian", "wendland")
JSON = {
    **RUN,
    "dimensions": "points of the image along x, y and z",
    "spacing": "distance of its points along x, y and z",
    "origin": "position of its first point",
    "sigma": "width of the kernel",
    "cutoff": "where kernels end",
    "points": "points that were summed",
    "sum_of_weights": "sum of their weights",
    "mass": "integral of the image",
    "expected_pairs": "pairs of points and voxels that were expected to be summed",
    **WARNINGS,
}


@capability(json=JSON, see="docs/block_sparse.md, docs/molecules.md")
def density(
    input: Points,
    output: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUTPUT", help=".vti or .npz (NumPy arrays). Default: only the summary."
        ),
    ] = None,
    sigma: Annotated[
        float,
        real(
            "--sigma",
            low=0,
            help="Width of the kernel, a length; 0: median distance to the nearest point.",
        ),
    ] = 0.0,
    spacing: Annotated[
        float, real("--spacing", low=0, help="Distance of the image's points; 0: sigma / 2.")
    ] = 0.0,
    dims: Annotated[
        str | None,
        sizes_option("--dims", "--dimensions", help="Points of the image"),
    ] = None,
    kernel: Annotated[
        str, choice("--kernel", words=KERNELS, help="Shape of the kernel.")
    ] = "gaussian",
    cutoff: Annotated[
        float, real("--cutoff", low=0, help="Where kernels end, a length; 0: 4 sigma.")
    ] = 0.0,
    weights: Annotated[
        str | None, array_option("--weights", "-w", help="Array of weights; default: 1 each.")
    ] = None,
    bounds: Annotated[
        str | None,
        typer.Option(
            "--bounds",
            metavar="X0,X1,Y0,Y1,Z0,Z1",
            help="Where the image begins and ends along x, y and z. Default: round the points.",
        ),
    ] = None,
    padding: Annotated[
        float | None,
        real("--padding", low=0, help="Room round the points, a length; default: the cutoff."),
    ] = None,
    gradient: Annotated[bool, typer.Option("--gradient", help="The gradient too.")] = False,
    flat: Annotated[
        bool | None,
        typer.Option(
            "--flat/--no-flat",
            help="Points of a plane: one layer, weight per area. Default: if the file has no z.",
        ),
    ] = None,
    normalize: Annotated[
        bool, typer.Option("--normalize/--no-normalize", help="Kernels integrate to the weights.")
    ] = True,
    double: Annotated[bool, typer.Option("--double", help="Double precision.")] = False,
    atoms: Atoms = "",
    *,
    execution: Execution,
    telling: Telling,
) -> None:
    """Density of points on an image: of a molecule's atoms, for example.

    Lengths are in the unit of the points, Angstrom for molecules. Arrays of these for --weights:
    atom_type (the atomic number), occupancy, b_factor, radius, charge (.pqr).

    Examples:

        separatrix density sample_data/1crn.pdb density.vti --sigma 1.2 --weights atom_type

        separatrix morse-smale density.vti complex.vtm --persistence 2%
    """
    import time

    from separatrix_vtk import PointDensity
    from separatrix_vtk.io.molecule_files import not_taken
    from separatrix_vtk.io.point_files import read_points
    from separatrix_vtk.shell.ends import tell_warnings_of
    from separatrix_vtk.shell.point_run import arrays_of_image, check_output, tell, write

    settings: dict[str, Any] = {
        "sigma": sigma or None,
        "spacing": spacing or None,
        "kernel": kernel,
        "cutoff": cutoff or None,
        "padding": padding,
        "compute_gradient": gradient,
        "normalize": normalize,
        "double_precision": double,
    }
    if dims is not None:
        settings["dimensions"] = (*sizes_of(dims), 1)[:3]
    if bounds is not None:
        settings |= {"use_bounds": True, "bounds": _bounds_of(bounds)}
    check_output(input, output, (".vti", ".npz"))
    points, is_flat = read_points(input, atoms)
    filter = PointDensity(**execution.of_filter, **settings)
    filter.flat = is_flat if flat is None else flat
    if dims is not None and not filter.flat and len(sizes_of(dims)) == 2:
        raise FileProblem(
            f"--dims {dims}: two numbers are for points of a plane, {input} has a z; give three, "
            "or --flat"
        )
    if weights is not None:
        filter.SetInputArrayToProcess(0, 0, 0, 0, weights)
    tell_warnings_of(filter)
    begun = time.perf_counter()
    with telling.progress() as progress:
        image = filter.run(points, progress)[0]
    if output is not None:
        write(output, image, arrays_of_image)
    seconds, report = time.perf_counter() - begun, dict(filter.report)
    size = " x ".join(str(n) for n in report["dimensions"])
    rows = [
        ("points", f"{report['NumberOfPoints']} of {input}"),
        *not_taken(points),
        ("device", report["device"]),
        ("image", f"{size}, spacing {report['spacing'][0]:g}"),
        ("sigma", f"{report['Sigma']:g}, cutoff {report['Cutoff']:g}"),
        ("sum of weights", f"{report['SumOfWeights']:g}, in the image {report['Mass']:g}"),
    ]
    tell(input, output, report, seconds, rows, telling)


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
