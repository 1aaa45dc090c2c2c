"""One run of an algorithm on a field for the shell: what is computed, and what is written.

Files of VTK are made by the filters; .npz, and no output at all, by the engine alone, without VTK.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.io.problems import FileProblem, unwritable
from separatrix_vtk.io.volumes import Volume
from separatrix_vtk.io.writers import write_arrays, write_blocks, write_dataset
from separatrix_vtk.shell.ends import tell_warnings_of
from separatrix_vtk.shell.options import Execution
from separatrix_vtk.shell.progress import Step

SURFACES = "separatrices-2"


@dataclass(frozen=True)
class Port:
    """An output of a filter, and the files of one dataset that it can be written to."""

    number: int
    suffixes: tuple[str, ...]


@dataclass(frozen=True)
class Algorithm:
    """What a command runs: the filter's name, its ports by option name, and the engine's way.

    `switches`: setting -> the ports that it is for; None as its value is "where it is needed".
    `needs`: port -> the option that fills it. `engine`: field, settings, options -> result and
    report. `arrays`: result, field, settings -> what an .npz holds. `wishes`: option -> the
    setting that it makes true and the port that shows it, of what is not done by default.
    """

    filter: str
    ports: dict[str, Port]
    switches: dict[str, tuple[str, ...]]
    needs: dict[str, str]
    arrays: Callable[..., dict[str, np.ndarray]]
    engine: Callable[..., tuple[Any, dict[str, Any]]]
    wishes: dict[str, tuple[str, str]] = field(default_factory=dict)

    def wished(self, settings: dict[str, Any]) -> dict[str, str]:
        """The options that ask for more than the default, and the port of each."""
        return {
            option: port for option, (setting, port) in self.wishes.items() if settings[setting]
        }

    def settings_for(self, port: str | None, settings: dict[str, Any]) -> dict[str, Any]:
        """The settings with every switch on or off: what is not written is not computed."""
        chosen = dict(settings)
        for switch, ports in self.switches.items():
            given = settings[switch]
            if port is None:
                chosen[switch] = bool(given)
            else:
                chosen[switch] = port in ports and given is not False
        if "region_table" in chosen:
            default = "morse_smale" if port == "regions" else "none"
            given = chosen["region_table"] if port in (None, "regions") else None
            chosen["region_table"] = given or default
        return chosen


def run(
    algorithm: Algorithm,
    volume: Volume,
    output: Path | None,
    port: str | None,
    settings: dict[str, Any],
    execution: Execution,
    progress: Step,
) -> dict[str, Any]:
    """Compute and write; what came out, for the table and for --json."""
    suffix = output.suffix.lower() if output else ".npz"
    settings = algorithm.settings_for(port, settings)
    if suffix == ".npz":
        return _run_engine(algorithm, volume, output, settings, execution, progress)
    return _run_filter(algorithm, volume, output, port, settings, execution, progress)


def port_for(
    algorithm: Algorithm, output: Path | None, port: str | None, wished: dict[str, str]
) -> str | None:
    """The port that a one-dataset output takes; None for .vtm and .npz, which take all.

    Without --port it is that of the first wish which such a file can hold, else the first of all.
    """
    if output is None:
        for option in [f"--port {port}"] if port is not None else [*wished]:
            raise FileProblem(f"{option}: name an output file to write it to")
        return None
    suffix = output.suffix.lower()
    fitting = [name for name, kinds in algorithm.ports.items() if suffix in kinds.suffixes]
    if suffix in (".vtm", ".npz"):
        if port is not None:
            raise FileProblem(
                f"{output}: --port {port} is for a file of one dataset; a {suffix} takes all ports"
            )
        return None
    if not fitting:
        known = {suffix for kinds in algorithm.ports.values() for suffix in kinds.suffixes}
        raise unwritable(output, sorted({".vtm", ".npz", *known}))
    if port is None:
        port = next((wish for wish in wished.values() if wish in fitting), fitting[0])
    if port not in algorithm.ports:
        raise FileProblem(f"--port {port}: it is one of {', '.join(algorithm.ports)}")
    if port not in fitting:
        raise FileProblem(f"--port {port}: for a {suffix} file it is one of {', '.join(fitting)}")
    for option, wish in wished.items():
        if wish != port:
            own = ", ".join(algorithm.ports[wish].suffixes)
            raise FileProblem(
                f"{output}: would hold {port} alone, {option} is for {wish}; "
                f"write that to a file of its own ({own}), or all to a .vtm or .npz"
            )
    return port


def check_dimension(volume: Volume, port: str | None, wished: dict[str, str]) -> None:
    """Complain about surfaces of an image that can have none."""
    options = [option for option, wish in wished.items() if wish == SURFACES]
    if (port == SURFACES or options) and volume.n_axes < 3:
        size = volume.dimensions
        what = f"image is {' x '.join(map(str, size))}" if size else "mesh is a surface itself"
        raise FileProblem(
            f"{options[0] if options else f'--port {port}'}: only volumes have surfaces, this "
            f"{what}; leave it out"
        )


def _run_engine(
    algorithm: Algorithm,
    volume: Volume,
    output: Path | None,
    settings: dict[str, Any],
    execution: Execution,
    progress: Step,
) -> dict[str, Any]:
    field = volume.for_engine(settings)
    result, report = algorithm.engine(
        field,
        settings,
        **execution.of_engine,
        progress=progress,
    )
    if output is not None:
        write_arrays(output, algorithm.arrays(result, field, settings))
        if hasattr(result, "timings"):
            report["seconds"] = dict(result.timings)
    return report


def _run_filter(
    algorithm: Algorithm,
    volume: Volume,
    output: Path | None,
    port: str | None,
    settings: dict[str, Any],
    execution: Execution,
    progress: Step,
) -> dict[str, Any]:
    import separatrix_vtk

    own = [switch for switch, ports in algorithm.switches.items() if ports[0] == port]
    if own and not any(settings[switch] for switch in own):
        raise FileProblem(
            f"{output}: would be empty, {port} is switched off; "
            f"ask for it with {algorithm.needs[str(port)]}"
        )
    filter = getattr(separatrix_vtk, algorithm.filter)(
        **execution.of_filter,
        **settings,
    )
    if volume.array:
        from separatrix_vtk.base.input_array import POINTS_THEN_CELLS

        filter.SetInputArrayToProcess(0, 0, 0, POINTS_THEN_CELLS, volume.array)
    tell_warnings_of(filter)
    filter.run(volume.as_image(), progress)
    assert output is not None
    names = [name for name, _ in filter.OUTPUTS]
    if port is None:
        write_blocks(output, [(name, filter.GetOutput(i)) for i, name in enumerate(names)])
    else:
        write_dataset(output, filter.GetOutput(algorithm.ports[port].number))
    return dict(filter.report)
