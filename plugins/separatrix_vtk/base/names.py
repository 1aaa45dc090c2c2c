"""How VTK, ParaView, and messages spell the options: one rule each, and one table of exceptions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from separatrix.errors import Spelling
from separatrix.options import Option, Options, options_of

# TTK's names, and abbreviations. All other names are those of Python in CamelCase.
VTK_NAMES: Mapping[str, str] = {
    "collapse": "EdgeCollapse",
    "compute_morse_smale_segmentation": "ComputeFinalSegmentation",
    "dtm_neighbors": "DTMNeighbors",
    "memory_limit": "DeviceMemoryLimit",
    "names": "ComputeNames",
    "persistence": "PersistenceThreshold",
    "probe": "ProbeRadius",
    "relative": "ThresholdMode",
    "threads": "NumberOfThreads",
}


def vtk_name(name: str) -> str:
    """Return the name of an option in VTK, as in SetPersistenceThreshold."""
    return VTK_NAMES.get(name) or "".join(part.capitalize() for part in name.split("_"))


def paraview_name(option: Option) -> str:
    """Return the name of a property, in state files and paraview.simple: the title as one word."""
    return re.sub(r"\W", "", option.title)


def in_panel(owner: type[Options]) -> Spelling:
    """Return a spelling of the options of a filter as its panel titles them."""
    options = options_of(owner)

    def spell(name: str, value: str = "") -> str:
        option = options.get(name)
        if option is None:
            return f"{name}={value}" if value else name
        if option.labels and value:
            values = map(repr, option.choices or (False, True))
            value = dict(zip(values, option.labels, strict=True)).get(value, value)
        value = {"True": "on", "False": "off"}.get(value, value)
        return f"{option.title} to {value}" if value else option.title

    return spell
