"""Options of Delaunay triangulations."""

from __future__ import annotations

from .option import option
from .shared import ExecutionOptions


class DelaunayOptions(ExecutionOptions, first=True, group="Points"):
    """Options of the Delaunay triangulation, in the order of its panel."""

    weights: str | None = option(
        default=None,
        array_of="points",
        none_title="No weights",
        summary="Point array of weights, which are squared lengths of any sign.",
        details="They make the triangulation regular: a ball of radius r has the weight r^2. By "
        "default, all weights are 0, which gives the Delaunay triangulation.",
    )
    resolution: float | None = option(
        default=None,
        above=0,
        none_number=0,
        unit="length",
        advanced=True,
        summary="Length of a grid to which coordinates are rounded; weights are rounded to "
        "multiples of its square. By default nothing is rounded.",
        details="It is required only if coordinates have extremely different magnitudes.",
    )
    neighbors: bool = option(
        default=False,
        group="Output",
        summary="Add the cell array Neighbors: the tetrahedron opposite to each corner, in the "
        "order of the corners, or -1 on the hull.",
    )
    max_tetrahedra: int | None = option(
        default=None,
        at_least=1,
        none_number=0,
        usual=(0, None),
        group="Output",
        summary="Maximum number of tetrahedra; by default there is no limit.",
        details="If there are more, an error states their number, and the outputs are empty. "
        "Each point usually has 7 tetrahedra, but n points can have up to n^2 / 2.",
    )
