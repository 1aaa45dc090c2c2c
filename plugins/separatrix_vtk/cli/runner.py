"""One run: read the input, run the filter that ParaView runs, write and print its outputs."""

from __future__ import annotations

import sys
import tempfile
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
from separatrix_vtk.io.errors import check_writable

STANDARD_OUTPUT = Path("-")


@dataclass
class Run:
    """A run of a filter. `port` is None where the output contains all ports, and without one.

    The output - is standard output: a .csv file of the port if it can be one, and otherwise its
    first kind of file; the summary is then printed on stderr.

    Raises FileError if the output cannot be written, as far as that is known before the work.
    """

    ports: Ports
    input: Path
    output: Path | None
    port: str | None
    given: Mapping[str, Any]
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.named = self.output
        if self.output == STANDARD_OUTPUT:
            first = next(iter(self.ports))
            chosen = self.ports.get(self.port or first, self.ports[first])
            suffix = ".csv" if ".csv" in chosen.suffixes else chosen.suffixes[0]
            self.folder = tempfile.TemporaryDirectory()
            self.output = Path(self.folder.name, f"output{suffix}")
            reporter.uses_stdout = False
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
        from separatrix_vtk.io.writers import suffix_of, write_arrays, write_blocks, write_dataset

        datasets = {name: outputs[one.number] for name, one in self.ports.items()}
        written = datasets if self.port is None else {self.port: datasets[self.port]}
        suffix = self.output.suffix.lower()
        if self.named == STANDARD_OUTPUT and suffix != ".csv":  # a mesh or an image
            self.output = self.output.with_suffix(suffix_of(*written.values()))
        if suffix == ".vtm":
            names = [name for name, _ in filter.OUTPUTS]
            write_blocks(self.output, list(zip(names, outputs, strict=True)))
        elif suffix == ".npz":
            prefixes = written if len(written) > 1 else [""]
            named = zip(prefixes, written.values(), strict=True)
            write_arrays(self.output, arrays_of(dict(named)))
        else:
            write_dataset(self.output, *written.values())
        if self.named == STANDARD_OUTPUT:
            sys.stdout.flush()
            sys.stdout.buffer.write(self.output.read_bytes())
            sys.stdout.buffer.flush()
            self.folder.cleanup()

    def summary(self, report: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON object of the run, from the report of a filter: of one form for all commands."""
        found = {key_of(name): value for name, value in report.items()}
        device, seconds = found.pop("device"), found.pop("seconds")
        return {
            "input": str(self.input),
            "output": None if self.named is None else str(self.named),
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
