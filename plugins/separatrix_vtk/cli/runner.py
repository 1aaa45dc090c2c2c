"""One run: read the input, run the filter that ParaView runs, write and print its outputs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from separatrix.options import options_of
from separatrix_vtk.cli.ports import Ports, choose_port, settings_for
from separatrix_vtk.cli.reporter import Step, reporter
from separatrix_vtk.cli.summary import summary_of
from separatrix_vtk.io.problems import check_writable


@dataclass
class Run:
    """A run of a filter. `port` is None where the output contains all ports, and without one."""

    ports: Ports
    input: Path
    output: Path | None
    port: str | None
    seconds: float = 0.0

    @classmethod
    def begin(
        cls,
        ports: Ports,
        input: Path,
        output: Path | None,
        port: str | None,
        given: Mapping[str, Any],
    ) -> Run:
        """A run whose output can be written, as far as that is known before the work."""
        port = choose_port(ports, output, port, given)
        if output is not None:
            check_writable(output, input)
        return cls(ports, input, output, port)

    def settings(
        self, given: Mapping[str, Any], in_summary: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """The settings that compute what is written and printed."""
        return settings_for(self.ports, self.output, self.port, given, in_summary)

    def execute(self, filter: Any, dataset: Any) -> list[Any]:
        """Run a filter on a dataset and write its outputs."""
        with self.timed() as progress:
            outputs: list[Any] = filter.run(dataset, progress)
            self.write(filter, outputs)
        return outputs

    @contextmanager
    def timed(self) -> Iterator[Step]:
        """Measure the time of the work; yields its progress callback."""
        begun = time.perf_counter()
        with reporter.progress() as progress:
            yield progress
        self.seconds = time.perf_counter() - begun

    def write(self, filter: Any, outputs: list[Any]) -> None:
        """Write the port that was chosen, or all ports."""
        if self.output is None:
            return
        from separatrix_vtk.cli.arrays import arrays_of
        from separatrix_vtk.io.writers import write_arrays, write_blocks, write_dataset

        suffix = self.output.suffix.lower()
        if self.port is None:
            if suffix == ".vtm":
                names = [name for name, _ in filter.OUTPUTS]
                write_blocks(self.output, list(zip(names, outputs, strict=True)))
            else:
                named = {name: outputs[one.number] for name, one in self.ports.items()}
                write_arrays(self.output, arrays_of(named if len(named) > 1 else {"": outputs[0]}))
            return
        dataset = outputs[self.ports[self.port].number]
        if suffix == ".npz":
            write_arrays(self.output, arrays_of({"": dataset}))
        else:
            write_dataset(self.output, dataset)

    def summary(self, report: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON object of the run."""
        return summary_of(self.input, self.output, self.port, report, self.seconds)


def make_filter(name: str, given: Mapping[str, Any]) -> Any:
    """A filter with those of the given values that are its options; its warnings are printed."""
    import separatrix_vtk

    made = getattr(separatrix_vtk, name)
    filter = made(**{option: given[option] for option in options_of(made) if option in given})
    reporter.watch(filter)
    return filter
