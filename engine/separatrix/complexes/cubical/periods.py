"""The warning about a periodic image whose last layer repeats the first, one voxel too many."""

from __future__ import annotations

from typing import Any

from ...axes import ComparedAxes, repeated_axes
from ...device import Array
from ...device.scratch import Source
from ...errors import warn_caller
from .grid import Grid


def warn_of_repeats(values: Array | Source, grid: Grid, periodic: Any) -> None:
    """Warn about periodic axes with repeated layers; values of files are not read for this."""
    if isinstance(values, Source) or isinstance(periodic, ComparedAxes) or not any(grid.periodic):
        return
    for name in repeated_axes(values, grid.periodic):
        cut = ", ".join([":"] * (values.ndim - 1 - "xyz".index(name)) + [":-1"])
        warn_caller(
            f"The first and the last voxels along {name} have equal values. If the last repeat the "
            f"first, one period later, omit them: values[{cut}].",
            UserWarning,
        )
