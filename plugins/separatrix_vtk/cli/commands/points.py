"""The commands on points and atoms: `density`, `neighbors`, and `delaunay`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.errors import InputError
from separatrix.options import (
    DelaunayOptions,
    NeighborStatisticsOptions,
    Options,
    PointDensityOptions,
    option,
    options_of,
)
from separatrix_vtk.cli.command import Argument, Command, Given
from separatrix_vtk.cli.fields import read_sizes
from separatrix_vtk.cli.ports import Port, settings_for
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.cli.runner import Run, make_filter
from separatrix_vtk.cli.summary import Rows, print_rows, rows_of_run
from separatrix_vtk.io.errors import FileError
from separatrix_vtk.io.molecules.words import WORDS

INPUT = Argument(
    "Points (.vtp, .vtu, .csv with columns x, y, z, or .npy of shape (n, 3)) or a molecule (.pdb, "
    ".cif, .pqr, .xyz, .crd, also .gz)."
)


class AtomOptions(Options):
    """Files of points and molecules."""

    columns: tuple[str, ...] = option(
        default=(),
        group="Input",
        summary="Columns of a .csv file that contain x, y, and possibly z, by their names or "
        "numbers from 1; by default those named x, y, and z.",
    )

    atoms: str = option(
        default="",
        group="Input",
        summary=f"Atoms to read from a molecule file, separated by commas: {WORDS}. By default, "
        "ATOM records without water.",
    )


def show(run: Run, filter: Any, points: Any, rows: Rows) -> None:
    """Print the summary of a run: rows for people, the report of the filter for programs."""
    from separatrix_vtk.io.point_files import omitted_rows

    summary = run.summary(filter.report)
    first = ("points", f"{summary['points']} of {run.input}")
    device = ("device", summary["device"])
    table = [first, *omitted_rows(points), device, *rows, *rows_of_run(summary)]
    reporter.result(summary, lambda: print_rows(table))


# === density

OF_DENSITY = {"density": Port(0, (".vti", ".npz"), "the image")}
JSON_OF_DENSITY = {
    "dimensions": "points of the image along x, y and z",
    "spacing": "distance between its points along x, y and z",
    "origin": "position of its first point",
    "sigma": "width of the kernel",
    "cutoff": "radius of the kernel",
    "points": "number of points",
    "sum_of_weights": "sum of their weights",
    "mass": "integral of the image",
    "expected_pairs": "estimated number of pairs of a point and a voxel",
}


def read_dimensions(text: str) -> dict[str, Any]:
    """The numbers of points in a text; of two numbers, for points in a plane, the third is 1."""
    sizes = read_sizes(text, "dimensions")["dimensions"]
    return {"dimensions": (*sizes, 1)[:3], "plane": sizes if len(sizes) == 2 else ()}


@Command(
    "density",
    (PointDensityOptions, AtomOptions),
    input=INPUT,
    output=".vti or .npz (NumPy arrays).",
    reads={"dimensions": read_dimensions},
    without=("use_bounds",),
    json=JSON_OF_DENSITY,
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
    from separatrix_vtk.io.point_files import read_points

    run = Run(OF_DENSITY, input, output, None, given)
    points, is_flat = read_points(input, **given.settings(AtomOptions))
    given.setdefault("flat", is_flat)
    if len(plane := given.get("plane", ())) and not given["flat"]:
        text = ",".join(map(str, plane))
        remedy = "Two numbers are for points in a plane, see {flat}."
        raise InputError("dimensions", "three positive integers", text, remedy)
    if "bounds" in given:
        given["use_bounds"] = True
    filter = make_filter("PointDensity", given)
    run.execute(filter, points)
    found = filter.report
    size = " x ".join(str(n) for n in found["dimensions"])
    rows = [
        ("image", f"{size}, spacing {found['spacing'][0]:g}"),
        ("sigma", f"{found['Sigma']:g}, cutoff {found['Cutoff']:g}"),
        ("sum of weights", f"{found['SumOfWeights']:g}, in the image {found['Mass']:g}"),
    ]
    show(run, filter, points, rows)


# === neighbors

OF_NEIGHBORS = {"points": Port(0, (".vtp", ".vtu", ".csv", ".npz"), "the points")}
JSON_OF_NEIGHBORS = {
    "points": "number of points",
    "median_distance_to_nearest": "median distance to the nearest other point",
    "largest_distance_to_nearest": "largest distance to the nearest other point",
}


class CriticalFileOptions(Options):
    """The file of critical points."""

    critical_points_file: str = option(
        default="",
        group="Input",
        summary="File of points; the nearest one is found for each point.",
    )


@Command(
    "neighbors",
    (NeighborStatisticsOptions, CriticalFileOptions, AtomOptions),
    input=INPUT,
    output=".vtp, .vtu, .csv or .npz (NumPy arrays).",
    json=JSON_OF_NEIGHBORS,
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
    from separatrix_vtk.io.point_files import read_points

    near = given.of(CriticalFileOptions).critical_points_file
    if given.get("critical_kind", "all") != "all" and not near:
        raise FileError("--kind requires --critical-points-file.")
    run = Run(OF_NEIGHBORS, input, output, None, given)
    points, is_flat = read_points(input, **given.settings(AtomOptions))
    n_others = point_set_of(points).n_points - 1
    if not n_others:
        raise FileError(f"{input} contains a single point, which has no neighbors.")
    usual = options_of(NeighborStatisticsOptions)["number_of_neighbors"].default
    given.setdefault("number_of_neighbors", min(usual, n_others))
    given.setdefault("flat", is_flat)
    filter = make_filter("NeighborStatistics", given)
    if near:
        filter.SetInputDataObject(1, read_points(Path(near))[0])
    run.execute(filter, points)
    found = filter.report
    rows = [
        ("nearest other point", f"{found['median_distance_to_nearest']:g} away (median)"),
        ("at most", f"{found['largest_distance_to_nearest']:g}"),
    ]
    show(run, filter, points, rows)


# === Delaunay triangulations

OF_DELAUNAY = {
    "tetrahedra": Port(0, (".vtu",), "the tetrahedra", adds=("neighbors",)),
    "hull": Port(1, (".vtp",), "the triangles of the convex hull"),
    "hidden": Port(2, (".csv",), "the points that are not vertices"),
}
JSON_OF_DELAUNAY = {
    "dimension": "dimension of the points: 3, or less in a plane or on a line",
    "points": "number of points",
    "tetrahedra": "number of tetrahedra, in a plane of triangles, on a line of lines",
    "hull_facets": "number of facets of the convex hull",
    "hidden_points": "number of points that are not vertices",
}


@Command(
    "delaunay",
    (DelaunayOptions, AtomOptions),
    input=INPUT,
    output=".vtm (all ports), .vtu (tetrahedra), .vtp (hull), .csv (hidden points), or .npz (NumPy "
    "arrays of all ports).",
    ports=OF_DELAUNAY,
    json=JSON_OF_DELAUNAY,
    see="docs/alpha_complex.md",
)
def delaunay(input: Path, output: Path | None, port: str | None, given: Given) -> None:
    """Delaunay triangulation of points, or regular triangulation of weighted points.

    All signs are exact. Weights are squared lengths of any sign.

    Examples:
        separatrix delaunay sample_data/1crn.pdb atoms.vtu --neighbors
        separatrix delaunay sample_data/linked_circles.csv hull.vtp --max-tetrahedra 100000
    """
    from separatrix_vtk.io.point_files import read_points

    run = Run(OF_DELAUNAY, input, output, port, given)
    points, _ = read_points(input, **given.settings(AtomOptions))
    filter = make_filter("Delaunay", settings_for(OF_DELAUNAY, run.output, run.port, given))
    run.execute(filter, points)
    found = filter.report
    cells = ("vertices", "lines", "triangles", "tetrahedra")[found["Dimension"]]
    rows = [
        (cells, f"{found['NumberOfTetrahedra']}"),
        ("hull facets", f"{found['NumberOfHullFacets']}"),
        ("hidden points", f"{found['NumberOfHiddenPoints']}"),
    ]
    show(run, filter, points, rows)
