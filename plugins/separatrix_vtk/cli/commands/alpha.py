"""The command `alpha`: alpha complexes of molecules and other balls."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from separatrix.errors import InputError
from separatrix.options import AlphaComplexOptions
from separatrix_vtk.cli.command import Argument, Command, Given, shell_name
from separatrix_vtk.cli.commands.points import AtomOptions
from separatrix_vtk.cli.ports import Port, settings_for
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.cli.runner import Run, make_filter
from separatrix_vtk.cli.summary import Rows, key_of, print_rows, rows_of_run
from separatrix_vtk.io.errors import FileError

POCKETS, DIAGRAM, MEASURES = "compute_pockets", "compute_diagram", "compute_measures"
PORTS = {
    "complex": Port(
        0, (".vtu",), "vertices, edges, triangles and tetrahedra with their alphas", adds=(POCKETS,)
    ),
    "atoms": Port(
        4,
        (".vtp", ".csv"),
        "the balls with volume, area, voids, pockets and protrusions",
        adds=(POCKETS,),
    ),
    "boundary": Port(1, (".vtp",), "the boundary as a surface, by void"),
    "voids": Port(2, (".vtp",), "closed surfaces of the voids, with volume and area"),
    "pockets": Port(
        3,
        (".vtp",),
        "surfaces of the pockets and their mouths",
        fills={POCKETS: True},
        asked_by=(POCKETS,),
    ),
    "diagram": Port(
        5,
        (".vtu", ".csv"),
        "the persistence diagram",
        fills={DIAGRAM: True},
        asked_by=(DIAGRAM,),
    ),
    "barcode": Port(6, (".vtu", ".csv"), "the barcode", fills={DIAGRAM: True}),
}
COUNTED = {
    "vertices": "NumberOfVertices",
    "edges": "NumberOfEdges",
    "triangles": "NumberOfTriangles",
    "tetrahedra": "NumberOfTetrahedra",
    "Euler characteristic": "EulerCharacteristic",
    "components": "Betti0",
    "loops": "Betti1",
    "voids": "Betti2",
    "hidden atoms": "NumberOfHiddenAtoms",
    "pockets and voids": "NumberOfPockets",
    "protrusions": "NumberOfProtrusions",
}
MEASURED = {
    "volume": "TotalVolume",
    "area": "TotalArea",
    "volume of voids": "VoidVolume",
    "area of voids": "VoidArea",
    "volume of pockets": "PocketVolume",
}
SOURCES = {  # option -> the option that it implies, and its value
    "constant_radius": ("radius_source", "constant"),
    "radius_array": ("radius_source", "array"),
    "weight_array": ("radius_source", "weights"),
    "box": ("box_source", "custom"),
}
JSON = {
    "seconds": "time by stage of the computation, of all alphas together",
    "complexes": "one object per alpha, in the order given: alpha, probe_radius, tetrahedra, "
    "betti_0, total_volume, ...",
}


def read_alphas(text: str) -> dict[str, Any]:
    """The alphas in a text such as 0,1.4; the filter gets the largest of them."""
    try:
        numbers = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        numbers = []
    if not numbers or not all(map(math.isfinite, numbers)):
        raise InputError("alpha", "one or several squared lengths, such as --alpha 0 1.4", text)
    return {"alpha": max(numbers), "alphas": list(dict.fromkeys(numbers))}


def read_box(text: str) -> dict[str, Any]:
    """The box in a text such as 40,18,22 or 40,18,22,90,90,120, which is then custom."""
    try:
        numbers = tuple(map(float, text.split(",")))
    except ValueError:
        numbers = ()
    lengths, angles = numbers[:3], numbers[3:] or (90.0, 90.0, 90.0)
    is_box = len(lengths) == len(angles) == 3 and all(0 < n < math.inf for n in numbers)
    if not is_box or max(angles) >= 180:
        expected = "three positive lengths, or three lengths and three angles below 180"
        raise InputError("box", expected, text)
    return {"box": (*lengths, *angles)}


@Command(
    "alpha",
    (AlphaComplexOptions, AtomOptions),
    input=Argument(
        "Atoms or other balls: .pdb, .cif, .pqr, .xyz or .crd, each also .gz; .vtp, .vtu, .npy of "
        "shape (n, 3), or .csv (x, y, z, radius)."
    ),
    output=".vtm (all ports), .vtu (complex), .vtp, .csv (atoms), or .npz (NumPy arrays of all "
    "ports).",
    ports=PORTS,
    reads={"alpha": read_alphas, "box": read_box},
    without=("model", "use_hetatm"),
    json=JSON,
    see="docs/alpha_complex.md, docs/molecules.md",
)
def alpha(input: Path, output: Path | None, port: str | None, given: Given) -> None:
    """Alpha complex of a molecule: its cells, boundary, voids, pockets, volume and area.

    Lengths are in the unit of the points, Angstrom for molecules. The summary has one column per
    alpha; a file contains the complex of the largest alpha; threshold AlphaValue for the others.
    Without an output, --measures prints volume and area. --box sets a periodic box, whose angles
    are 90 degrees if it is three lengths: --box 40,18,22.

    Examples:
        separatrix alpha sample_data/1crn.pdb --alpha 0 1.4 --probe 1.4 --measures
        separatrix alpha sample_data/1u71.pdb pockets.vtp --probe 1.4 --pockets
        separatrix alpha sample_data/1u71.pdb atoms.csv --probe 1.4 --pockets
    """
    from separatrix_vtk.io.molecules.words import reader_settings
    from separatrix_vtk.io.point_files import omitted_rows, read_points

    asked = given if output is not None else {"picture": given.get("picture", "")}
    run = Run(PORTS, input, output, port, asked)
    atoms = given.of(AtomOptions).atoms
    settings = settings_of(run, given)
    if reader_settings(atoms).get("model") == -1:
        settings["model"] = -1  # otherwise the filter would take the first model too
    points, _ = read_points(input, atoms, given.get("columns", ()))
    filter = make_filter("AlphaComplex", settings)
    alphas = given.get("alphas", [filter.alpha])
    reports = compute(run, filter, points, alphas)
    has_measures = bool(given.get(MEASURES))
    show(run, [reports[value] for value in alphas], has_measures, omitted_rows(points))


def settings_of(run: Run, given: Given) -> dict[str, Any]:
    """The settings of the filter: the options of SOURCES choose their sources."""
    sizes = [name for name, (of, _) in SOURCES.items() if of == "radius_source" and name in given]
    if len(sizes) > 1:
        names = " and ".join(map(shell_name, sizes[:2]))
        raise FileError(f"{names} cannot be combined. Omit one of them.")
    for option, (source, value) in SOURCES.items():
        if option in given:
            given.setdefault(source, value)
    settings = settings_for(PORTS, run.output, run.port, given, in_summary=(POCKETS, DIAGRAM))
    return {MEASURES: run.output is not None, **settings}


def compute(run: Run, filter: Any, points: Any, alphas: list[float]) -> dict[float, dict[str, Any]]:
    """The reports by alpha; the complex of the largest alpha is written.

    It is computed first, since the others are thresholds of it, and written last, so that a
    computation that is stopped writes nothing.
    """
    reports: dict[float, dict[str, Any]] = {}
    largest: list[Any] = []
    with run.timed() as progress:
        for value in sorted(alphas, reverse=True):
            filter.alpha = value
            outputs = filter.run(points, progress)
            if not reports and (run.output or run.picture):
                largest = [output.NewInstance() for output in outputs]
                for copy, output in zip(largest, outputs, strict=True):
                    copy.ShallowCopy(output)  # the next run empties the outputs
            reports[value] = dict(filter.report)
        run.write(filter, largest)
    return reports


def show(run: Run, reports: list[dict[str, Any]], has_measures: bool, omitted: Rows) -> None:
    """Print the summary, with one column per alpha."""
    seconds: dict[str, float] = {}
    for report in reports:
        for stage, taken in report["seconds"].items():
            seconds[stage] = seconds.get(stage, 0.0) + taken
    columns = [
        {key_of(name): value for name, value in report.items() if name not in ("device", "seconds")}
        for report in reports
    ]
    first = reports[0]
    summary = run.summary({"device": first["device"], "complexes": columns, "seconds": seconds})
    names = {**COUNTED, **(MEASURED if has_measures else {})}
    table = {"alpha": [f"{report['Alpha']:g}" for report in reports]}
    for name, key in names.items():
        if key in first:
            digits = ".3f" if name in MEASURED else ""
            table[name] = [f"{report[key]:{digits}}" for report in reports]
    width = max(len(cell) for cells in table.values() for cell in cells)
    rows = [
        ("atoms", f"{first['NumberOfAtoms']} of {run.input}"),
        *omitted,
        ("device", first["device"]),
        ("probe", f"{first['ProbeRadius']:g}"),
        *((name, "  ".join(cell.rjust(width) for cell in cells)) for name, cells in table.items()),
        *rows_of_run(summary),
    ]
    reporter.result(summary, lambda: print_rows(rows))
