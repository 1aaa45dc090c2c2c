"""The command `persistence-diagram`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.errors import InputError
from separatrix.options import Options, PersistenceDiagramOptions, option
from separatrix_vtk.cli.command import Given, command
from separatrix_vtk.cli.fields import INPUT, READS, ImageFileOptions, run_on_field
from separatrix_vtk.cli.json_keys import FIELD, PAIRS
from separatrix_vtk.cli.ports import Port
from separatrix_vtk.io.problems import FileProblem

SWITCHES = tuple(f"compute_dimension_{d}" for d in range(3))
PORTS = {
    "diagram": Port(
        0, (".vtu", ".vtp", ".csv"), "one line per pair from the diagonal to (birth, death)"
    ),
    "curves": Port(1, (".csv",), "a table of the number of pairs by threshold"),
}


class DiagramOptions(Options):
    """Which part of a persistence diagram is computed and written."""

    dimensions: tuple[int, ...] = option(
        default=(), group="Output", summary="Dimensions of the pairs, as 0 or 0,2; by default all."
    )
    curves: bool = option(
        default=False, group="Output", summary="Write the persistence curves, as --port curves."
    )


def read_dimensions(text: str) -> dict[str, Any]:
    """The dimensions in a text such as 0,2."""
    words = [word.strip() for word in text.split(",")]
    if not set(words) <= set("012"):
        raise InputError("dimensions", "one or several of 0, 1 and 2, as 0,2", text)
    return {"dimensions": tuple(map(int, words))}


@command(
    "persistence-diagram",
    PersistenceDiagramOptions,
    DiagramOptions,
    ImageFileOptions,
    input=INPUT,
    output=".vtu, .vtp, .csv, .vtm (both ports), or .npz (NumPy arrays of both ports).",
    ports=PORTS,
    reads={**READS, "dimensions": read_dimensions},
    without=SWITCHES,
    json={**FIELD, **PAIRS},
    see="docs/morse_smale.md",
)
def persistence_diagram(input: Path, output: Path | None, port: str | None, given: Given) -> None:
    """Persistence diagram of an image or mesh: births and deaths of its features.

    Examples:

        separatrix persistence-diagram sample_data/noisy_field.vti diagram.vtu --dimensions 0,2

        separatrix persistence-diagram field.npy curves.csv --curves
    """
    chosen = given.of(DiagramOptions)
    if chosen.curves and port not in (None, "curves"):
        raise FileProblem(f"--curves and --port {port} cannot be combined. Omit one of them.")
    if chosen.dimensions:
        given |= {switch: d in chosen.dimensions for d, switch in enumerate(SWITCHES)}
    port = "curves" if chosen.curves else port
    run_on_field(
        "PersistenceDiagram", PersistenceDiagramOptions, PORTS, (input, output, port), given
    )
