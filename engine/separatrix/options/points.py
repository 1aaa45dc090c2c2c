"""Options of point densities and neighbor statistics."""

from __future__ import annotations

from typing import Literal

from .option import option
from .shared import ExecutionOptions


class PointDensityOptions(ExecutionOptions, group="Output"):
    """Options of the density of points, in the order of its panel."""

    weights: str | None = option(
        default=None,
        array_of="points",
        none_title="No weights",
        group="Points",
        summary="Point array of weights of any sign, such as masses or charges.",
        details="By default, each point has the weight 1.",
    )
    kernel: Literal["gaussian", "wendland"] = option(
        default="gaussian",
        group="Points",
        summary="Shape of the kernel around each point.",
        details=(
            "Gaussian: exp(-d^2 / (2 sigma^2)) minus its value at the cutoff. Wendland: the "
            "polynomial (1 - q)^4 (4 q + 1) of q = distance / cutoff, which is twice "
            "differentiable and ends at the cutoff."
        ),
    )
    sigma: float | None = option(
        default=None,
        above=0,
        none_number=0,
        unit="length",
        of_extent=0.1,
        group="Points",
        summary=(
            "Width of the kernel, the standard deviation of the Gaussian, in the unit of the "
            "points; by default the median distance to the nearest point."
        ),
        details="About 1 Angstrom shows the atom groups of a molecule, and 2 its residues.",
    )
    cutoff: float | None = option(
        default=None,
        above=0,
        none_number=0,
        unit="length",
        of_extent=0.4,
        advanced=True,
        group="Points",
        summary="Distance at which the kernel ends, in the unit of the points; by default 4 sigma.",
        details="The computation time is proportional to its cube.",
    )
    normalize: bool = option(
        default=True,
        advanced=True,
        group="Points",
        summary="Scale the kernels so that each integrates to the weight of its point.",
        details=(
            "If this option is off, the value of a kernel at its point is the weight (Gaussian: "
            "minus the value at the cutoff)."
        ),
    )
    spacing: float | None = option(
        default=None,
        above=0,
        none_number=0,
        unit="length",
        of_extent=0.1,
        summary=(
            "Distance between the points of the image, in the unit of the input points; by default "
            "half of sigma, or as {dimensions} determines."
        ),
        details="Half of sigma or less resolves the kernels.",
    )
    dimensions: tuple[int, int, int] | None = option(
        default=None,
        at_least=0,
        none_number=0,
        summary=(
            "Number of points of the image along x, y, and z; by default the spacing determines it."
        ),
        details="If both are given, the image is centered on the points.",
    )
    padding: float | None = option(
        default=None,
        at_least=0,
        none_number=-1,
        usual=(-1, None),
        advanced=True,
        needs=("use_bounds", False),
        summary=(
            "Distance between the points and the faces of the image, in the unit of the points; "
            "by default the cutoff, so that no kernel is clipped."
        ),
    )
    use_bounds: bool = option(
        default=False,
        advanced=True,
        summary="Sample the image within {bounds} instead of around the points.",
        details="Points outside contribute the part of their kernels that is inside.",
    )
    bounds: tuple[float, float, float, float, float, float] = option(
        default=(0.0, 1.0, 0.0, 1.0, 0.0, 1.0),
        advanced=True,
        needs=("use_bounds", True),
        summary=(
            "Bounds of the image: xmin, xmax, ymin, ymax, zmin, zmax, in the unit of the points."
        ),
        details=(
            "They are used if {use_bounds} is on. With a given spacing, the image may exceed the "
            "upper bounds by up to one step."
        ),
    )
    flat: bool = option(
        default=False,
        summary=(
            "Compute the density of points in a plane z = constant: an image of one layer, with "
            "the weight per area."
        ),
        details=(
            "If this option is off, the image is a volume around the plane. In ParaView, use "
            "the Slice representation, because a Volume of one layer is empty."
        ),
    )
    compute_gradient: bool = option(
        default=False,
        title="Gradient",
        summary="Add the gradient of the density, the array DensityGradient.",
        details="It has three components and is exact, not computed by finite differences.",
    )
    double_precision: bool = option(
        default=False,
        advanced=True,
        summary="Sum and store in double precision, which takes more time and twice the memory.",
        details="Single precision is accurate to about 7 digits.",
    )


class NeighborStatisticsOptions(ExecutionOptions, group="Output"):
    """Options of the neighbor statistics, in the order of their panel."""

    critical_kind: Literal["all", "minima", "1-saddles", "2-saddles", "maxima"] = option(
        default="all",
        group="Points",
        summary="Kind of critical points to measure the distance to, by their array CriticalType.",
        details=(
            "All accepts any points, with or without that array. In 2D, the saddles are 1-saddles."
        ),
    )
    number_of_neighbors: int = option(
        default=8,
        at_least=1,
        usual=(1, 64),
        summary=(
            "Number k of nearest other points for DistanceToKthNearest, DistanceToMeasure, and "
            "LocalDensity."
        ),
        details="It must be smaller than the number of points.",
    )
    include_self: bool = option(
        default=True,
        advanced=True,
        summary=(
            "Count each point as the first of its own k neighbors, at distance 0, in "
            "DistanceToMeasure."
        ),
        details=(
            "This is the usual definition of the distance to a measure. The other arrays never "
            "count the point itself."
        ),
    )
    radius: float | None = option(
        default=None,
        at_least=0,
        none_number=0,
        unit="length",
        of_extent=0.5,
        summary=(
            "Add the array NeighborsWithinRadius, the number of other points up to this distance, "
            "in the unit of the points; by default it is omitted."
        ),
    )
    all_neighbors: bool = option(
        default=False,
        advanced=True,
        summary=(
            "Add the arrays NearestDistances and NearestIds, with one component for each of the k "
            "neighbors, the nearest first."
        ),
    )
    flat: bool = option(
        default=False,
        advanced=True,
        summary=(
            "Compute LocalDensity per area, for points on a plane or a surface, instead of per "
            "volume."
        ),
        details="The other arrays do not depend on it.",
    )
