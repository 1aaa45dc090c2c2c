"""Barcodes for the command `rips`: printed as Ripser prints them, and written to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.io.problems import FileProblem, unwritable
from separatrix_vtk.io.rips_files import RipsFile
from separatrix_vtk.io.writers import write_arrays, write_blocks, write_dataset
from separatrix_vtk.shell.summary import summary_of

PORTS = {  # name -> number of the filter's port, and its files, the default port of each first
    "barcode": (0, (".vtp",)),
    "representatives": (2, (".vtp",)),
    "diagram": (1, (".vtu", ".vtp")),
    "bars": (3, (".csv",)),
    "betti-curves": (4, (".csv",)),
    "statistics": (5, (".csv",)),
}
OF_ALL = (".vtm", ".npz")


def print_bars(bars: Any, described: str, dim: int, digits: int) -> None:
    """Bars as Ripser prints them, with what was left out."""
    print(described)
    if np.isfinite(bars.threshold):
        is_radius = bars.threshold == bars.enclosing_radius
        print(f"threshold: {bars.threshold:.{digits}g}{' (enclosing radius)' * is_radius}")
    for d in range(dim + 1):
        print(f"persistence intervals in dim {d}:")
        for birth, death in bars.of_dimension(d).tolist():
            end = f"{death:.{digits}g}" if np.isfinite(death) else " "
            print(f" [{birth:.{digits}g},{end})")


def port_for(output: Path | None, port: str | None) -> str:
    """The port that a file takes; "all" for .vtm and .npz."""
    if port is not None and port not in PORTS:
        raise FileProblem(f"--port {port}: it is one of {', '.join(PORTS)}")
    if output is None:
        if port is not None:
            raise FileProblem(f"--port {port}: name an output file to write it to")
        return "all"
    suffix = output.suffix.lower()
    if suffix in OF_ALL:
        if port is not None:
            raise FileProblem(f"{output}: --port {port} is for a file of one dataset")
        return "all"
    fitting = [name for name, (_, suffixes) in PORTS.items() if suffix in suffixes]
    if not fitting:
        known = sorted({s for _, suffixes in PORTS.values() for s in suffixes} | set(OF_ALL))
        raise unwritable(output, known)
    if port is not None and port not in fitting:
        raise FileProblem(f"--port {port}: for a {suffix} file it is one of {', '.join(fitting)}")
    return port or fitting[0]


def write(output: Path, port: str, bars: Any, file: RipsFile, dim: int) -> None:
    """A file of one port or of all."""
    if output.suffix.lower() == ".npz":
        write_arrays(output, _arrays(bars, dim))
        return
    datasets = _datasets(bars, file)
    if port == "all":
        write_blocks(output, datasets)
    else:
        write_dataset(output, datasets[PORTS[port][0]][1])


def _datasets(bars: Any, file: RipsFile) -> list[tuple[str, Any]]:
    """The six outputs of the filter RipsBarcodes, by name."""
    import vtkmodules.vtkCommonDataModel as vtk  # noqa: N813

    from separatrix_vtk.filters.points.rips_barcodes import OUTPUTS, write_outputs
    from separatrix_vtk.filters.points.rips_input import RipsInput, in_space

    points, distances = file.given.get("points"), file.given.get("distances")
    positions = None if points is None else in_space(points)
    made = [getattr(vtk, kind)() for _, kind in OUTPUTS]
    write_outputs(made, bars, np.arange(len(bars)), RipsInput(points, distances, positions))
    return [(name, dataset) for (name, _), dataset in zip(OUTPUTS, made, strict=True)]


def _arrays(bars: Any, dim: int) -> dict[str, np.ndarray]:
    """What an .npz holds: the bars, and by dimension the simplices that begin and end them."""
    names = ("dimension", "birth", "death", "birth_edge", "death_edge")
    arrays = {name: getattr(bars, name) for name in names}
    for d in range(dim + 1):
        for end in ("birth", "death"):
            arrays[f"{end}_simplex_{d}"] = bars.simplices(end, d)
    for cycle in bars.representatives:
        arrays[f"cycle_{cycle.bar}"] = cycle.simplices
        arrays[f"coefficients_{cycle.bar}"] = cycle.coefficients
    return arrays


def summary_of_bars(
    input: Path,
    output: Path | None,
    port: str,
    device: str,
    bars: Any,
    dim: int,
    seconds: float,
) -> dict[str, Any]:
    """What --json prints."""
    counted = [
        {key: _plain(value) for key, value in of_dimension.items()}
        for of_dimension in bars.statistics["dimensions"]
    ]
    report = {
        "device": device,
        "n_points": bars.n_points,
        "threshold": _finite(bars.threshold),
        "enclosing_radius": _finite(bars.enclosing_radius),
        "edges": int(bars.statistics["edges"]),
        "collapsed_edges": int(bars.statistics["collapsed"]),
        "forecast": {key: _whole(value) for key, value in bars.statistics["forecast"].items()},
        "bars": [len(bars.of_dimension(d)) for d in range(dim + 1)],
        "essential_bars": [int(np.isinf(bars.of_dimension(d)[:, 1]).sum()) for d in range(dim + 1)],
        "statistics": counted,
        "seconds": {stage: float(taken) for stage, taken in bars.timings.items()},
    }
    return summary_of(input, output, None if port == "all" else port, report, seconds)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _whole(value: Any) -> Any:
    """A whole number as such; those of a forecast may be larger than a float tells apart."""
    value = _plain(value)
    return int(value) if isinstance(value, float) and abs(value) < 2**53 else value


def _finite(value: float) -> float | None:
    """A number for JSON, which has no inf."""
    return float(value) if np.isfinite(value) else None
