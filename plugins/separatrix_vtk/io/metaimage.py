"""Is a MetaImage file (.mhd, .mha) whole? VTK 9.2 reads a truncated one without a word."""

from __future__ import annotations

import math
from pathlib import Path

from separatrix_vtk.io.data_files import WrongDataFile, beside

HEADER_BYTES = 1 << 16  # far more than any header has
BYTES_OF = {
    **dict.fromkeys(("MET_CHAR", "MET_UCHAR"), 1),
    **dict.fromkeys(("MET_SHORT", "MET_USHORT"), 2),
    **dict.fromkeys(("MET_INT", "MET_UINT", "MET_LONG", "MET_ULONG", "MET_FLOAT"), 4),
    **dict.fromkeys(("MET_LONG_LONG", "MET_ULONG_LONG", "MET_DOUBLE"), 8),
}


def what_is_missing(path: Path) -> str:
    """A sentence about data that are not there, or "" where nothing is found missing.

    Lists of files are left to the reader, and so are compressed data of untold size.
    """
    with path.open("rb") as file:
        content = file.read(HEADER_BYTES)
    fields: dict[str, str] = {}
    position = 0
    while "ElementDataFile" not in fields and position < len(content):
        end = content.find(b"\n", position)
        end = len(content) if end < 0 else end
        name, _, value = content[position:end].decode("latin-1").partition("=")
        fields[name.strip()] = value.strip()
        position = end + 1
    data_file = fields.get("ElementDataFile", "")
    size = BYTES_OF.get(fields.get("ElementType", ""))
    if not data_file:
        return "its header has no ElementDataFile"
    if data_file.startswith("LIST") or "%" in data_file or size is None:
        return ""
    found = path.stat().st_size - position
    if data_file.upper() != "LOCAL":
        try:
            found = beside(path, data_file).stat().st_size
        except WrongDataFile as error:
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
    return f"it has {found} bytes of data where its header needs {expected}"
