"""What the commands on volumes and meshes have in common: read, compute, write, tell."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from separatrix_vtk.io.volumes import read_volume
from separatrix_vtk.io.writers import check_writable
from separatrix_vtk.shell.options import Execution, FieldSource, MeshCells, Telling
from separatrix_vtk.shell.run import Algorithm, check_dimension, port_for, run
from separatrix_vtk.shell.summary import print_summary, summary_of


def run_on_field(
    algorithm: Algorithm,
    source: FieldSource,
    output: Path | None,
    port: str | None,
    settings: dict[str, Any],
    cells: MeshCells,
    execution: Execution,
    telling: Telling,
) -> None:
    """Run an algorithm on the volume or mesh of a file, and write and tell what came out."""
    settings = {**settings, **cells.of_filter}
    place = source.place
    wished = algorithm.wished(settings)
    port = port_for(algorithm, output, port, wished)
    if output is not None:
        check_writable(output, source.input)
    volume = read_volume(source.input, **place)
    check_dimension(volume, port, wished)
    begun = time.perf_counter()
    with telling.progress() as progress:
        report = run(algorithm, volume, output, port, settings, execution, progress)
    seconds = time.perf_counter() - begun
    shown = port if len(algorithm.ports) > 1 else None
    summary = summary_of(source.input, output, shown, report, seconds)
    telling.tell(summary, lambda: print_summary(summary))
