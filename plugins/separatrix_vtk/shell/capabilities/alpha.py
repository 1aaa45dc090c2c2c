"""The command `alpha`: alpha complexes of molecules and other balls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix_vtk.io.problems import FileProblem
from separatrix_vtk.shell.capabilities.json_keys import RUN, WARNINGS
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import (
    Atoms,
    Execution,
    Telling,
    array_option,
    output_argument,
    port_option,
    real,
)

PORTS = {
    "complex": "vertices, edges, triangles and tetrahedra with filtration values",
    "atoms": "the balls with volume, area, voids and pockets",
    "boundary": "the boundary as a surface, by void",
    "voids": "closed surfaces round the voids, with volume and area",
    "pockets": "surfaces of the pockets and their mouths",
    "diagram": "the persistence diagram",
}
JSON = {
    **RUN,
    "seconds": "time by stage of the computation, of all alphas together",
    "complexes": "an object an alpha, in the order given: alpha, probe_radius, tetrahedra, "
    "betti_0, total_volume, ...",
    **WARNINGS,
}


@capability(ports=PORTS, json=JSON, see="docs/alpha_complex.md, docs/molecules.md")
def alpha(
    input: Annotated[
        Path,
        typer.Argument(
            metavar="INPUT",
            help="Atoms or other balls: .pdb, .cif, .pqr, .xyz or .crd, each also .gz, .vtp, .vtu,"
            " .npy (n, 3), or .csv (x, y, z, radius).",
        ),
    ],
    output: Annotated[
        Path | None, output_argument(".vtm (all), .vtu (complex), .vtp, .csv (atoms)")
    ] = None,
    alpha: Annotated[
        list[str] | None,
        typer.Option(
            "--alpha",
            metavar="A ...",
            help="Growth of squared radii, a squared length; default: 0.",
        ),
    ] = None,
    probe: Annotated[
        float, real("--probe", low=0, help="Growth of radii, a length: 1.4 for water.")
    ] = 0.0,
    port: Annotated[str | None, port_option(PORTS)] = None,
    measures: Annotated[
        bool, typer.Option("--measures", "-m", help="Volume and area, of voids too.")
    ] = False,
    pockets: Annotated[bool, typer.Option("--pockets", help="Pockets and their mouths.")] = False,
    diagram: Annotated[
        bool, typer.Option("--diagram", help="Persistence up to the largest alpha.")
    ] = False,
    largest_alpha: Annotated[
        float,
        real("--largest-alpha", help="Up to which alpha pockets and diagram see; 0: chosen."),
    ] = 0.0,
    radius: Annotated[
        float | None,
        real(
            "--constant-radius",
            low=0,
            above=True,
            help="One radius for all, a length. Default: by array or element.",
        ),
    ] = None,
    radii: Annotated[
        str | None, array_option("--radii", help="Array of radii. Default: by array or element.")
    ] = None,
    atoms: Atoms = "",
    resolution: Annotated[
        float,
        real(
            "--resolution",
            low=0,
            above=True,
            help="Step of the grid that positions are rounded to, a length.",
        ),
    ] = 1e-3,
    work_limit: Annotated[
        float,
        real(
            "--work-limit",
            low=1,
            help="Work beyond which to refuse: tests; with --gudhi to fall back.",
        ),
    ] = 1e11,
    gudhi: Annotated[
        bool, typer.Option("--gudhi", help="Beyond the limit have GUDHI triangulate all.")
    ] = False,
    *,
    execution: Execution,
    telling: Telling,
) -> None:
    """Alpha complex of a molecule: its cells, boundary, voids, pockets, volume and area.

    Lengths are in the unit of the points, Angstrom for molecules. Of several alphas each has a
    column of the summary; a file holds the complex of the largest, whose AlphaValue tells the
    others.

    Examples:

        separatrix alpha sample_data/1crn.pdb --alpha 0 1.4 --probe 1.4 --measures

        separatrix alpha sample_data/1u71.pdb pockets.vtp --probe 1.4 --pockets

        separatrix alpha sample_data/1crn.pdb atoms.csv --probe 1.4 --port atoms
    """
    import time

    from separatrix_vtk.filters.molecules.balls import ALL_MODELS
    from separatrix_vtk.io.molecule_files import not_taken, reader_settings
    from separatrix_vtk.io.point_files import read_points
    from separatrix_vtk.io.writers import check_writable
    from separatrix_vtk.shell.alpha_run import ALPHA, DIAGRAM, POCKETS, made, run, tell
    from separatrix_vtk.shell.run import port_for

    alphas = _alphas_of(alpha or ["0"])
    settings: dict[str, Any] = {
        "probe": probe,
        "largest_alpha": largest_alpha or None,
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
        raise FileProblem("--constant-radius and --radii ask for two things; leave one out")
    if reader_settings(atoms).get("model") == ALL_MODELS:
        settings["model"] = ALL_MODELS  # else the filter, too, would take the first of them
    points, _ = read_points(input, atoms)
    filter = made(settings, radius, radii, execution)
    begun = time.perf_counter()
    reports = run(filter, points, alphas, output, port, telling)
    told = [reports[value] for value in alphas]
    seconds = time.perf_counter() - begun
    tell(input, output, port, told, seconds, measures, not_taken(points), telling)


def with_lists(arguments: Sequence[str]) -> list[str]:
    """The arguments with the numbers behind --alpha as one: `--alpha 0 1.4` is `--alpha=0,1.4`."""
    joined: list[str] = []
    is_open = False
    for argument in arguments:
        if is_open and _is_number(argument):
            is_first = not joined[-1].startswith("--alpha=")
            joined[-1] = f"--alpha={argument}" if is_first else f"{joined[-1]},{argument}"
            continue
        is_open = arguments[0] == "alpha" and argument == "--alpha"
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
