"""Output ports of a filter that a file contains, and settings that compute only these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.io.errors import FileError, unwritable

ALL_PORTS = (".vtm", ".npz")  # suffixes of files that contain all ports
OFF = {bool: False, str: "none"}  # by the type of a value that turns an option on


@dataclass(frozen=True)
class Port:
    """An output port of a filter.

    suffixes: of files that contain only this port. fills: the options that compute it, each with
    the value that does. adds: options that add to it if they are given. asked_by: options that
    select this port if --port is not given. is_drawn: whether --picture shows this port.
    """

    number: int
    suffixes: tuple[str, ...]
    about: str
    fills: Mapping[str, Any] = field(default_factory=dict)
    adds: tuple[str, ...] = ()
    asked_by: tuple[str, ...] = ()
    is_drawn: bool = False


Ports = Mapping[str, Port]


def choose_port(
    ports: Ports, output: Path | None, port: str | None, given: Mapping[str, Any]
) -> str | None:
    """The port that the output contains; None for all ports, and without an output.

    Without --port, it is the first requested port that fits the file, or the first one that does.
    """
    if port is not None and port not in ports:
        raise FileError(f"--port must be one of {', '.join(ports)}; got {port!r}.")
    asked = asked_ports(ports, given)
    if output is None:
        unmet = [] if given.get("picture") else list(asked)
        for option in [f"--port {port}"] if port is not None else unmet:
            raise FileError(f"{option} requires an output file.")
        return None
    suffix = output.suffix.lower()
    fitting = [name for name, one in ports.items() if suffix in one.suffixes]
    if suffix in ALL_PORTS and not fitting:
        if port is not None:
            raise FileError(
                f"--port and {suffix} files cannot be combined, because {output.name} contains all "
                "ports."
            )
        return None
    if not fitting:
        known = {suffix for one in ports.values() for suffix in one.suffixes}
        raise unwritable(output, sorted({*ALL_PORTS, *known}))
    if port is None:
        port = next((wish for wish in asked.values() if wish in fitting), fitting[0])
    if port not in fitting:
        raise FileError(
            f"--port must be one of {', '.join(fitting)} for a {suffix} file; got {port!r}."
        )
    for option, wish in asked.items():
        if wish != port and option not in map(reporter.spell, ports[port].adds):
            own = ", ".join(ports[wish].suffixes)
            raise FileError(
                f"{output} contains only {port}, but {option} applies to {wish}. Write it to a "
                f"separate file ({own}), or all ports to a .vtm or .npz file."
            )
    off = [name for name in ports[port].fills if given.get(name) in OFF.values()]
    if off and len(off) == len(ports[port].fills):
        raise FileError(f"{output} would be empty, because {port} is disabled.")
    return port


def asked_ports(ports: Ports, given: Mapping[str, Any]) -> dict[str, str]:
    """The options that were given and ask for a port, each with that port."""
    return {
        reporter.spell(option): name
        for name, one in ports.items()
        for option in one.asked_by
        if given.get(option) not in (None, False, 0, "none")
    }


def settings_for(
    ports: Ports,
    output: Path | None,
    port: str | None,
    given: Mapping[str, Any],
    in_summary: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The settings that were given, with options off that only ports that are not written need.

    in_summary: options that matter to the summary, which is printed without an output too.
    """
    settings = dict(given)
    if output is not None and port is None:
        return settings
    own = ports[port] if port is not None else Port(0, (), "", adds=in_summary)
    fills, kept = dict(own.fills), set(own.adds)
    if given.get("picture"):
        kept |= set(given)
        for one in ports.values():
            fills |= one.fills if one.is_drawn else {}
    for one in ports.values():
        for name, value in {**dict.fromkeys(one.adds, True), **one.fills}.items():
            if name in fills:
                settings.setdefault(name, fills[name])
            elif name not in kept:
                settings[name] = OFF[type(value)]
    return settings
