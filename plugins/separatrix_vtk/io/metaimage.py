"""Checks of MetaImage files (.mhd, .mha): VTK 9.2 reads a truncated file without an error."""

from __future__ import annotations

import math
from pathlib import Path

from separatrix_vtk.io.problems import data_file

HEADER_BYTES = 1 << 16  # far more than any header has
BYTES_OF = {
    **dict.fromkeys(("MET_CHAR", "MET_UCHAR"), 1),
    **dict.fromkeys(("MET_SHORT", "MET_USHORT"), 2),
    **dict.fromkeys(("MET_INT", "MET_UINT", "MET_LONG", "MET_ULONG", "MET_FLOAT"), 4),
    **dict.fromkeys(("MET_LONG_LONG", "MET_ULONG_LONG", "MET_DOUBLE"), 8),
}


def missing_data(path: Path) -> str:
    """A text about missing data, or "" if nothing is found to be missing.

    Lists of files are left to the reader, and so are compressed data of unknown size.
    """
    with path.open("rb") as file:
        content = file.read(HEADER_BYTES)
    fields: dict[str, str] = {}
    position = 0
    while "ElementDataFile" not in fields and position < len(content):
        end = content.find(b"\n", position)
        end = len(content) if end < 0 else end
        key, _, value = content[position:end].decode("latin-1").partition("=")
        fields[key.strip()] = value.strip()
        position = end + 1
    name = fields.get("ElementDataFile", "")
    size = BYTES_OF.get(fields.get("ElementType", ""))
    if not name:
        return "its header has no ElementDataFile"
    if name.startswith("LIST") or "%" in name or size is None:
        return ""
    try:
        is_local = name.upper() == "LOCAL"
        found = path.stat().st_size - position if is_local else data_file(path, name).stat().st_size
    except ValueError as error:
        return str(error)
    try:
        if fields.get("CompressedData", "").lower() == "true":
            expected = int(fields.get("CompressedDataSize", "0"))
        else:
            channels = int(fields.get("ElementNumberOfChannels", "1"))
            n_values = math.prod(int(n) for n in fields.get("DimSize", "0").split())
            expected = n_values * channels * size
    except ValueError:
        return "a size in its header is not a number"
    if found >= expected:
        return ""
    return f"it has {found} bytes of data; expected {expected}"
