"""One run of an algorithm for the shell: with progress, Ctrl-C that stops cleanly, and a summary.

Files of VTK are made by the filters; .npz, and no output at all, by the engine alone, without VTK.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import separatrix as sx
from separatrix_vtk.shell.read import FileProblem, Volume
from separatrix_vtk.shell.write import write_arrays, write_blocks, write_dataset

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class Algorithm:
    """What a command runs: the filter's name, its ports by option name, and the engine's way."""

    filter: str
    ports: dict[str, tuple[int, str]]  # option -> (port, suffix)
    switches: dict[str, str]  # setting -> the port that it is for
    arrays: Callable[[Any, dict[str, Any]], dict[str, np.ndarray]]  # result, settings -> .npz
    engine: Callable[..., Any]


@dataclass(frozen=True)
class Execution:
    """Where to compute, as the shell has it. memory_limit in MiB, 0 none; threads 0 all."""

    device: str
    threads: int
    memory_limit: int


def run(
    algorithm: Algorithm,
    volume: Volume,
    output: Path | None,
    port: str | None,
    settings: dict[str, Any],
    execution: Execution,
    progress: Progress,
) -> dict[str, Any]:
    """Compute and write; what came out, for the table and for --json."""
    suffix = output.suffix.lower() if output else ".npz"
    if suffix == ".npz":
        return _run_engine(algorithm, volume, output, settings, execution, progress)
    return _run_filter(algorithm, volume, output, port, settings, execution, progress)


def port_for(algorithm: Algorithm, output: Path | None, port: str | None) -> str | None:
    """The port that a one-dataset output takes; None for .vtm and .npz, which take all."""
    if output is None:
        if port is not None:
            raise FileProblem(f"--port {port}: name an output file to write it to")
        return None
    suffix = output.suffix.lower()
    fitting = [name for name, (_, kind) in algorithm.ports.items() if kind == suffix]
    if suffix in (".vtm", ".npz"):
        if port is not None:
            raise FileProblem(f"{output}: --port is for .vtp and .vti; a {suffix} takes all ports")
        return None
    if not fitting:
        kinds = sorted({".vtm", ".npz", *(kind for _, kind in algorithm.ports.values())})
        raise FileProblem(
            f"{output}: cannot write '{suffix or output.name}', only {', '.join(kinds)}"
        )
    if port is None:
        return fitting[0]
    if port not in fitting:
        raise FileProblem(f"--port {port}: for a {suffix} file it is one of {', '.join(fitting)}")
    return port


def _run_engine(
    algorithm: Algorithm,
    volume: Volume,
    output: Path | None,
    settings: dict[str, Any],
    execution: Execution,
    progress: Progress,
) -> dict[str, Any]:
    values, place = volume.for_engine()
    result = algorithm.engine(
        values,
        **place,
        device=None if execution.device == "auto" else execution.device,
        threads=execution.threads or None,
        memory_limit=execution.memory_limit * (1 << 20) or None,
        progress=progress,
    )
    if output is not None:
        write_arrays(output, algorithm.arrays(result, settings))
    return {
        "device": result.device,
        "dimensions": [int(n) for n in result.grid.dimensions],
        "critical_cells": [int(n) for n in result.critical.counts],
        "euler_characteristic": int(result.critical.euler_characteristic),
        "seconds": dict(result.timings),
    }


def _run_filter(
    algorithm: Algorithm,
    volume: Volume,
    output: Path | None,
    port: str | None,
    settings: dict[str, Any],
    execution: Execution,
    progress: Progress,
) -> dict[str, Any]:
    import separatrix_vtk

    filter = getattr(separatrix_vtk, algorithm.filter)(
        device=execution.device,
        number_of_threads=execution.threads,
        device_memory_limit=execution.memory_limit,
        **settings,
    )
    for switch, of_port in algorithm.switches.items():
        if port is not None:  # what is not written is not computed
            setattr(filter, switch, of_port == port and settings.get(switch, True))
    if port is not None and port in algorithm.switches.values():
        wanted = [switch for switch, of_port in algorithm.switches.items() if of_port == port]
        if not any(getattr(filter, switch) for switch in wanted):
            raise FileProblem(f"{output}: would be empty, {port} is switched off")
    if volume.array:
        from separatrix_vtk.base.input_array import POINTS_THEN_CELLS

        filter.SetInputArrayToProcess(0, 0, 0, POINTS_THEN_CELLS, volume.array)
    filter.run(volume.as_image(), progress)
    assert output is not None
    if port is None:
        names = [name for name, _ in filter.OUTPUTS]
        write_blocks(output, [(name, filter.GetOutput(i)) for i, name in enumerate(names)])
    else:
        write_dataset(output, filter.GetOutput(algorithm.ports[port][0]))
    return dict(filter.report)


@contextmanager
def stopping_at_ctrl_c(progress: Progress) -> Iterator[Progress]:
    """A progress callback that stops the work after Ctrl-C; a second one does not wait for it."""
    stopped = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print("separatrix: stopping ...", file=sys.stderr)

    def step(fraction: float, stage: str) -> None:
        if stopped:
            raise sx.Cancelled("stopped by Ctrl-C")
        progress(fraction, stage)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield step
        if stopped:
            raise sx.Cancelled("stopped by Ctrl-C")
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def progress_bar(show: bool) -> Iterator[Progress]:
    """A bar on the terminal, or nothing at all."""
    if not show:
        yield lambda fraction, stage: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = TextColumn("{task.description:<24}"), BarColumn(), TimeElapsedColumn()
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda fraction, stage: bar.update(task, completed=fraction, description=stage)
