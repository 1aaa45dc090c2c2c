"""The command `devices`."""

from __future__ import annotations

from typing import Any

from separatrix_vtk.cli.command import Given, command
from separatrix_vtk.cli.json_keys import WARNINGS
from separatrix_vtk.cli.reporter import reporter

JSON = {
    "devices": "a list of objects: name, usable, reason (why not), description, memory (bytes)",
    **WARNINGS,
}


@command("devices", json=JSON, see="README.md")
def devices(given: Given) -> None:
    """Usable devices, and the reasons why other devices are not usable.

    Examples:

        separatrix devices

        separatrix devices --json
    """
    import separatrix as sx

    reports = sx.devices(probe=True)
    summary = {"devices": [vars(report) for report in reports]}
    reporter.result(summary, lambda: print_devices(reports))


def print_devices(reports: list[Any]) -> None:
    """Print one line per device; if it cannot be used, with the reason."""
    for report in reports:
        memory = f", {report.memory / 2**30:.1f} GiB" if report.memory else ""
        state = f"usable{memory}" if report.usable else f"not usable: {report.reason}"
        about = f" ({report.description})" if report.description else ""
        print(f"{report.name}{about}: {state}")
