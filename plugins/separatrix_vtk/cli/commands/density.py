"""The command `density`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.errors import InputError
from separatrix.options import PointDensityOptions
from separatrix_vtk.cli.command import Given, command
from separatrix_vtk.cli.fields import read_sizes
from separatrix_vtk.cli.json_keys import RUN, WARNINGS
from separatrix_vtk.cli.points import INPUT, AtomOptions, report
from separatrix_vtk.cli.ports import Port
from separatrix_vtk.cli.runner import Run, make_filter

PORTS = {"density": Port(0, (".vti", ".npz"), "the image")}
JSON = {
    **RUN,
    "dimensions": "points of the image along x, y and z",
    "spacing": "distance between its points along x, y and z",
    "origin": "position of its first point",
    "sigma": "width of the kernel",
    "cutoff": "radius of the kernel",
    "points": "number of points",
    "sum_of_weights": "sum of their weights",
    "mass": "integral of the image",
    "expected_pairs": "estimated number of pairs of a point and a voxel",
    **WARNINGS,
}


def read_dimensions(text: str) -> dict[str, Any]:
    """The numbers of points in a text; of two numbers, for points in a plane, the third is 1."""
    sizes = read_sizes(text, "dimensions")["dimensions"]
    return {"dimensions": (*sizes, 1)[:3], "plane": sizes if len(sizes) == 2 else ()}


@command(
    "density",
    PointDensityOptions,
    AtomOptions,
    input=INPUT,
    output=".vti or .npz (NumPy arrays).",
    reads={"dimensions": read_dimensions},
    without=("use_bounds",),
    json=JSON,
    see="docs/block_sparse.md, docs/molecules.md",
)
def density(input: Path, output: Path | None, given: Given) -> None:
    """Density of points on an image, for example of the atoms of a molecule.

    Lengths are in the unit of the points, Angstrom for molecules. The arrays of a molecule for
    --weights are atom_type (the atomic number), occupancy, b_factor, radius, and charge (.pqr).
    Two numbers of --dimensions are for points in a plane. The image contains all points unless
    --bounds is given.

    Examples:

        separatrix density sample_data/1crn.pdb density.vti --sigma 1.2 --weights atom_type

        separatrix morse-smale density.vti complex.vtm --persistence 2%
    """
    from separatrix_vtk.io.point_files import not_taken, read_points

    run = Run.begin(PORTS, input, output, None, given)
    points, is_flat = read_points(input, given.of(AtomOptions).atoms)
    given.setdefault("flat", is_flat)
    if len(plane := given.get("plane", ())) and not given["flat"]:
        text = ",".join(map(str, plane))
        remedy = "Two numbers are for points in a plane, see {flat}."
        raise InputError("dimensions", "three positive integers", text, remedy)
    if "bounds" in given:
        given["use_bounds"] = True
    filter = make_filter("PointDensity", given.settings(PointDensityOptions))
    run.execute(filter, points)
    found = dict(filter.report)
    size = " x ".join(str(n) for n in found["dimensions"])
    rows = [
        ("points", f"{found['NumberOfPoints']} of {input}"),
        *not_taken(points),
        ("device", found["device"]),
        ("image", f"{size}, spacing {found['spacing'][0]:g}"),
        ("sigma", f"{found['Sigma']:g}, cutoff {found['Cutoff']:g}"),
        ("sum of weights", f"{found['SumOfWeights']:g}, in the image {found['Mass']:g}"),
    ]
    report(run, found, rows)
