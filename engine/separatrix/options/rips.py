"""Options of Vietoris-Rips barcodes."""

from __future__ import annotations

from typing import Literal

from .declaration import Options
from .option import option
from .shared import ExecutionOptions


class WorkOptions(Options):
    """Work limit."""

    work_limit: float = option(
        default=1e13,
        at_least=1,
        advanced=True,
        group="Execution",
        summary="Maximum estimated number of simplices, and of steps of each reduction.",
        details="If a number is larger, an error reports it and names the options to lower.",
    )


class RipsBarcodesOptions(ExecutionOptions, WorkOptions, group="Points"):
    """Options of Vietoris-Rips barcodes, in the order of their panel."""

    columns: tuple[str, ...] = option(
        default=(),
        only_for="table",
        affects_result=False,
        summary="Columns of a table that contain the coordinates of the points, or the columns of "
        "a distance matrix.",
        details="They are used in the order of the table; by default, x, y, and z. They are "
        "ignored if the input has points.",
    )
    distance_matrix: bool = option(
        default=False,
        only_for="table",
        summary="Interpret the columns as a distance matrix.",
        details="It must be square and symmetric, with 0 on the diagonal. Distances are "
        "non-negative; inf denotes a missing edge. Tables of four or more rows that meet these "
        "conditions are always interpreted as distance matrices.",
    )
    weights: str | None = option(
        default=None,
        array_of="points",
        none_title="No weights",
        advanced=True,
        summary="Point array of birth values, non-negative and on the scale of the distances, for "
        "a weighted filtration.",
        details="By default, all points are born at 0.",
    )
    dtm_neighbors: int | None = option(
        default=None,
        title="DTM Neighbors",
        at_least=1,
        none_number=0,
        usual=(0, None),
        advanced=True,
        summary="Weight the points by twice their distance to the measure defined by this number "
        "of nearest points, including the point itself; by default there are no such weights.",
        details="Isolated points are born late, which reduces the influence of outliers.",
    )
    weight_power: Literal[1, 2, "infinity"] = option(
        default=1,
        advanced=True,
        summary="Exponent of the weighted filtration, which determines how balls grow after their "
        "birth.",
    )
    metric: Literal["euclidean", "cityblock", "chebyshev", "cosine", "correlation"] = option(
        default="euclidean",
        labels=("Euclidean", "City Block", "Chebyshev", "Cosine", "Correlation"),
        advanced=True,
        summary="Metric that defines the distance between two points.",
        details="All metrics except Euclidean require SciPy.",
    )
    threshold: float | None = option(
        default=None,
        at_least=0,
        none_number=0,
        unit="length",
        of_extent=1,
        group="Simplification",
        summary="Ignore edges longer than this length; by default all edges up to the enclosing "
        "radius are used, because longer ones cannot change the bars.",
        details="Bars that are alive at the threshold are reported as essential.",
    )
    epsilon: float = option(
        default=0.0,
        at_least=0,
        usual=(0, 0.9),
        advanced=True,
        group="Simplification",
        summary="Relative error permitted in the bars; 0 computes exact bars, and positive values "
        "build a sparse Rips filtration, which has fewer edges.",
    )
    collapse: Literal["auto", True, False] = option(
        default="auto",
        title="Edge Collapse",
        labels=("Auto", "On", "Off"),
        advanced=True,
        group="Simplification",
        summary="Whether to apply an edge collapse before computing the bars.",
        details="The bars do not change, but their simplices may. Auto decides by the estimated "
        "cost.",
    )
    method: Literal["auto", "cohomology"] = option(
        default="auto",
        advanced=True,
        group="Simplification",
        summary="Algorithm for loops and voids; Auto uses lunes of edges if that is faster.",
        details="Both methods return the same bars, simplices, and cycles. Only cohomology counts "
        "all apparent pairs.",
    )
    min_persistence: float = option(
        default=0.0,
        at_least=0,
        unit="length",
        of_extent=1,
        group="Simplification",
        summary="Omit bars shorter than this from all outputs except the statistics.",
    )
    max_dimension: int = option(
        default=1,
        at_least=0,
        at_most=16,
        usual=(0, 7),
        group="Output",
        summary="Highest dimension of the bars: 0 components, 1 also loops, 2 also voids.",
        details="Each additional dimension may multiply the computation time by the number of "
        "points.",
    )
    field: int = option(
        default=2,
        title="Coefficient Field",
        at_least=2,
        at_most=65521,
        advanced=True,
        group="Output",
        summary="Prime p of the coefficient field Z/p.",
        details="The bars depend on it only in the presence of torsion, as in a projective plane.",
    )
    number_of_representatives: int = option(
        default=10,
        at_least=0,
        usual=(0, 100),
        group="Output",
        summary="Number of the longest bars per dimension for which the output Representatives "
        "contains a cycle.",
    )
    shortening: float = option(
        default=0.3,
        at_least=0,
        at_most=0.99,
        group="Output",
        summary="Pull the loops of the output Representatives taut around their holes, with edges "
        "up to this fraction of the bar; 0 draws each loop as it is born.",
        details="Loops are drawn as they are born with weights, epsilon, or a metric other than "
        "the Euclidean one.",
    )
