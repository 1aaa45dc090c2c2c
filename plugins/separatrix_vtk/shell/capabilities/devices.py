"""The command `devices`."""

from __future__ import annotations

from separatrix_vtk.shell.capabilities.json_keys import WARNINGS
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import Telling

JSON = {
    "devices": "a list of objects: name, usable, reason (why not), description, memory (bytes)",
    **WARNINGS,
}


@capability(json=JSON, see="README.md")
def devices(*, telling: Telling) -> None:
    """What can be used for computing, and why not what cannot.

    Examples:

        separatrix devices

        separatrix devices --json
    """
    import separatrix as sx
    from separatrix_vtk.shell.summary import print_devices

    reports = sx.devices(probe=True)
    summary = {"devices": [vars(report) for report in reports]}
    telling.tell(summary, lambda: print_devices(reports))
