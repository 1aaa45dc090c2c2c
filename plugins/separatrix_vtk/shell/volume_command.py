"""What the commands on volumes and meshes have in common: read, compute, write, tell."""

from __future__ import annotations

import sys
from typing import Any

from separatrix_vtk.shell.ends import plain_errors
from separatrix_vtk.shell.options import ByteOrder, layout_of, vector_of
from separatrix_vtk.shell.read import read_volume
from separatrix_vtk.shell.run import (
    Algorithm,
    Execution,
    check_dimension,
    port_for,
    progress_bar,
    run,
    stopping_at_ctrl_c,
)
from separatrix_vtk.shell.summary import print_json, print_summary
from separatrix_vtk.shell.write import check_writable


def command(
    algorithm: Algorithm,
    files: dict[str, Any],
    layout: tuple[str | None, str | None, ByteOrder],
    spacing: str | None,
    origin: str | None,
    settings: dict[str, Any],
    execution: Execution,
    json: bool,
    quiet: bool,
) -> None:
    """Run an algorithm on the volume or mesh of a file, and write and tell what came out."""
    with plain_errors():
        output = files["output"]
        wished = algorithm.wished(settings)
        port = port_for(algorithm, output, files["port"], wished)
        if output is not None:
            check_writable(output, files["input"])
        volume = read_volume(
            files["input"],
            array=files["array"],
            layout=layout_of(*layout),
            spacing=vector_of("--spacing", spacing),
            origin=vector_of("--origin", origin),
        )
        check_dimension(volume, port, wished)
        with (
            progress_bar(sys.stderr.isatty() and not quiet) as bar,
            stopping_at_ctrl_c(bar) as progress,
        ):
            report = run(algorithm, volume, output, port, settings, execution, progress)
        summary = {
            "input": str(files["input"]),
            "output": None if output is None else str(output),
            **report,
        }
        if json:
            print_json(summary)
        elif not quiet:
            print_summary(summary)
            sys.stdout.flush()  # what goes wrong with it is told here
