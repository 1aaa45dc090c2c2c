"""The samples of the source repository, and what can go wrong with a user's own file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import separatrix as sx
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.io.errors import FileError

SAMPLE_FOLDER = Path(__file__).resolve().parents[2] / "sample_data"
OF_MESHES: dict[str, Any] = {  # else too much to see
    "persistence": 0.05,
    "relative": True,
}
USER_ERRORS = (
    FileError, FilterError, sx.InputError, sx.DeviceUnavailable, sx.DeviceMemoryError
)  # fmt: skip
