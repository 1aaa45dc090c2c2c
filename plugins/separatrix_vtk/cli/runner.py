"""One run: read the input, run the filter that ParaView runs, write and print its outputs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from separatrix.options import options_of
from separatrix_vtk.cli.ports import Ports, choose_port
from separatrix_vtk.cli.reporter import Step, reporter
from separatrix_vtk.cli.summary import key_of
from separatrix_vtk.io.problems import check_writable


@dataclass
class Run:
    """A run of a filter. `port` is None where the output contains all ports, and without one.

    Raises FileProblem if the output cannot be written, as far as that is known before the work.
    """

    ports: Ports
    input: Path
    output: Path | None
    port: str | None
    given: Mapping[str, Any]
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.port = choose_port(self.ports, self.output, self.port, self.given)
        if self.output is not None:
            check_writable(self.output, self.input)
        if self.picture is not None:
            from separatrix_vtk.pictures import check_picture

            check_picture(self.picture)

    @property
    def picture(self) -> Path | None:
        """File of the picture, which --picture names."""
        return Path(self.given["picture"]) if self.given.get("picture") else None

    def execute(self, filter: Any, dataset: Any) -> list[Any]:
        with self.timed() as progress:
            outputs: list[Any] = filter.run(dataset, progress)
            self.write(filter, outputs, dataset)
        return outputs

    @contextmanager
    def timed(self) -> Iterator[Step]:
        """Measure the time of the work; yields its progress callback."""
        begun = time.perf_counter()
        with reporter.progress() as progress:
            yield progress
        self.seconds = time.perf_counter() - begun

    def write(self, filter: Any, outputs: list[Any], dataset: Any = None) -> None:
        """Draw the picture, of the outputs and of the input, and write the chosen or all ports."""
        if self.picture is not None:
            from separatrix_vtk.pictures import write_picture

            write_picture(self.picture, filter, dataset, outputs)
        if self.output is None:
            return
        from separatrix_vtk.cli.arrays import arrays_of
        from separatrix_vtk.io.writers import write_arrays, write_blocks, write_dataset

        datasets = {name: outputs[one.number] for name, one in self.ports.items()}
        written = datasets if self.port is None else {self.port: datasets[self.port]}
        suffix = self.output.suffix.lower()
        if suffix == ".vtm":
            names = [name for name, _ in filter.OUTPUTS]
            write_blocks(self.output, list(zip(names, outputs, strict=True)))
        elif suffix == ".npz":
            prefixes = written if len(written) > 1 else [""]
            named = zip(prefixes, written.values(), strict=True)
            write_arrays(self.output, arrays_of(dict(named)))
        else:
            write_dataset(self.output, *written.values())

    def summary(self, report: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON object of the run, from the report of a filter: of one form for all commands."""
        found = {key_of(name): value for name, value in report.items()}
        device, seconds = found.pop("device"), found.pop("seconds")
        return {
            "input": str(self.input),
            "output": None if self.output is None else str(self.output),
            "port": None if self.output is None else self.port,
            "device": device,
            **found,
            "seconds": seconds,
            "seconds_in_all": self.seconds,
        }


def make_filter(name: str, given: Mapping[str, Any]) -> Any:
    """A filter with those of the given values that are its options; its warnings are printed."""
    import separatrix_vtk

    made = getattr(separatrix_vtk, name)
    filter = made(**{option: given[option] for option in options_of(made) if option in given})
    reporter.watch(filter)
    return filter
