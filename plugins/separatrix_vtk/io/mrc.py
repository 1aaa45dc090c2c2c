"""MRC and CCP4 maps (Cheng et al., "MRC2014", J. Struct. Biol. 192, 2015), in the order of axes.

Why not vtkMRCReader: it ignores the order of the axes and the start of CCP4 maps, reads mode 0 as
unsigned, and does not notice a truncated file.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from separatrix_vtk.io.errors import FileError, damaged

HEADER = 1024
TYPES = {0: "i1", 1: "i2", 2: "f4", 6: "u2", 12: "f2"}
Vector = tuple[float, ...]


def read_mrc(path: Path) -> tuple[np.ndarray, Vector, Vector]:
    """The values (nz, ny, nx) of a map, its spacing, and its origin. Raises FileError."""
    with path.open("rb") as file:
        head = file.read(HEADER)
    if len(head) < HEADER:
        raise damaged(f"it has {len(head)} bytes; the header has {HEADER}")
    order = next((e for e in "<>" if np.frombuffer(head, f"{e}i4")[3] in TYPES), "<")
    words = np.frombuffer(head, f"{order}i4").tolist()
    reals = np.frombuffer(head, f"{order}f4").astype(float).tolist()
    sizes, mode, axes, skipped = words[:3], words[3], words[16:19], words[23]
    if mode not in TYPES:
        raise FileError(f"contains MRC mode {mode}; expected one of 0, 1, 2, 6, and 12.")
    axes = axes if sorted(axes) == [1, 2, 3] else [1, 2, 3]  # files of old programs have zeros
    dtype = np.dtype(order + TYPES[mode])
    needed = HEADER + max(skipped, 0) + math.prod(sizes) * dtype.itemsize
    if min(sizes) < 1 or needed > path.stat().st_size:
        raise damaged(f"{path.stat().st_size:,} bytes; its header says {needed:,}")
    stored = np.fromfile(path, dtype, math.prod(sizes), offset=HEADER + max(skipped, 0))
    # Columns, rows, and sections are the axes `axes`; those of the array are sections first.
    values = stored.reshape(sizes[::-1]).transpose([2 - axes.index(axis) for axis in (3, 2, 1)])
    spacing = [
        length / n if n > 0 and 0 < length < math.inf else 1.0
        for length, n in zip(reals[10:13], words[7:10], strict=True)
    ]
    start = [words[4 + axes.index(axis)] for axis in (1, 2, 3)]
    origin = reals[49:52] if head[208:212] == b"MAP " else [0.0] * 3
    if not any(origin):  # CCP4 counts voxels instead
        origin = [n * step for n, step in zip(start, spacing, strict=True)]
    return values.astype(dtype.newbyteorder("=")), tuple(spacing), tuple(origin)
