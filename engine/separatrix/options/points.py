"""Options of point densities and neighbor statistics."""

from __future__ import annotations

from typing import Literal

from .option import option
from .shared import ExecutionOptions


class KernelOptions(ExecutionOptions, first=True, group="Points"):
    """Kernels around points, and periodic boxes."""

    weights: str | None = option(
        default=None,
        array_of="points",
        none_title="No weights",
        summary="Point array of weights of any sign, such as masses or charges.",
        details="By default, each point has the weight 1.",
    )
    kernel: Literal["gaussian", "laplacian", "epanechnikov", "wendland", "cubic_spline"] = option(
        default="gaussian",
        labels=("Gaussian", "Laplacian", "Epanechnikov", "Wendland", "Cubic Spline"),
        summary="Shape of the kernel around each point.",
        details="Gaussian: exp(-d^2 / (2 sigma^2)) minus its value at the cutoff. Laplacian: "
        "exp(-d / sigma) minus its value at the cutoff; it has a cusp at the point. Epanechnikov: "
        "1 - q^2 of q = distance / cutoff. Wendland: the polynomial (1 - q)^4 (4 q + 1), which is "
        "twice differentiable and ends at the cutoff. Cubic spline: the usual kernel of smoothed "
        "particles, whose smoothing length is sigma and which ends at 2 sigma.",
    )
    sigma: float | None = option(
        default=None,
        above=0,
        none_number=0,
        unit="length",
        of_extent=0.1,
        summary="Width of the kernel, the standard deviation of the Gaussian, in the unit of the "
        "points; by default the median distance to the nearest point.",
        details="About 1 Angstrom shows the atom groups of a molecule, and 2 its residues.",
    )
    lengths: str | None = option(
        default=None,
        array_of="points",
        none_title="Sigma for all",
        advanced=True,
        summary="Point array of widths such as smoothing lengths, in place of {sigma}.",
        details="Their kernels end at the automatic cutoff.",
    )
    cutoff: float | None = option(
        default=None,
        above=0,
        none_number=0,
        unit="length",
        of_extent=0.4,
        advanced=True,
        summary="Distance at which the kernel ends, in the unit of the points; by default 4 sigma, "
        "for the Laplacian 8 sigma, and for the cubic spline always 2 sigma.",
        details="The computation time is proportional to its cube.",
    )
    normalize: bool = option(
        default=True,
        advanced=True,
        summary="Scale the kernels so that each integrates to the weight of its point.",
        details="If disabled, the value of a kernel at its point is the weight (Gaussian "
        "and Laplacian: minus the value at the cutoff).",
    )
    boxsize: tuple[float, float, float] | None = option(
        default=None,
        at_least=0,
        none_number=0,
        title="Box Size",
        advanced=True,
        summary="Lengths of a periodic box from 0 along x, y, and z, in the unit of the points; 0 "
        "for an axis that is not periodic, and by default no axis is.",
        details="Points are moved into the box, and their images around it are taken into account.",
    )
    compute_gradient: bool = option(
        default=False,
        summary="Add the gradient of the density as an array of vectors.",
        details="It has three components and is exact, not computed by finite differences.",
    )


class PointDensityOptions(KernelOptions, group="Output"):
    """Options of the density of points, in the order of its panel."""

    spacing: float | None = option(
        default=None,
        above=0,
        none_number=0,
        unit="length",
        of_extent=0.1,
        summary="Distance between the points of the image, in the unit of the input points; by "
        "default half of sigma, or derived from {dimensions}.",
        details="Half of sigma or less resolves the kernels.",
    )
    dimensions: tuple[int, int, int] | None = option(
        default=None,
        at_least=0,
        none_number=0,
        summary="Number of points of the image along x, y, and z; by default the spacing "
        "determines it.",
        details="If both are given, the image is centered on the points.",
    )
    padding: float | None = option(
        default=None,
        at_least=0,
        none_number=-1,
        usual=(-1, None),
        advanced=True,
        needs=("use_bounds", False),
        summary="Distance between the points and the faces of the image, in the unit of the "
        "points; by default the cutoff, so that no kernel is clipped.",
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
        summary="Bounds of the image: xmin, xmax, ymin, ymax, zmin, zmax, in the unit of the "
        "points.",
        details="They are used if {use_bounds} is on. With a given spacing, the image may exceed "
        "the upper bounds by up to one step.",
    )
    flat: bool = option(
        default=False,
        summary="Compute the density of points in a plane z = constant: an image of one layer, "
        "with the weight per area.",
        details="If disabled, the image is a volume around the plane. In ParaView, use "
        "the Slice representation, because a Volume of one layer is empty.",
    )
    double_precision: bool = option(
        default=False,
        advanced=True,
        summary="Sum and store in double precision, which takes more time and twice the memory.",
        details="Single precision is accurate to about 7 digits.",
    )


class NeighborStatisticsOptions(KernelOptions, group="Output"):
    """Options of the neighbor statistics, in the order of their panel."""

    critical_kind: Literal["all", "minima", "1-saddles", "2-saddles", "maxima"] = option(
        default="all",
        group="Points",
        summary="Kind of critical points to measure the distance to, by their array CriticalType.",
        details="All accepts any points, with or without that array. In 2D, the saddles are "
        "1-saddles.",
    )
    number_of_neighbors: int = option(
        default=8,
        at_least=1,
        usual=(1, 64),
        summary="Number k of nearest other points for DistanceToKthNearest, DistanceToMeasure, and "
        "LocalDensity.",
        details="It must be smaller than the number of points.",
    )
    include_self: bool = option(
        default=True,
        advanced=True,
        summary="Count each point as the first of its own k neighbors, at distance 0, in "
        "DistanceToMeasure.",
        details="This is the usual definition of the distance to a measure. The other arrays never "
        "count the point itself.",
    )
    radius: float | None = option(
        default=None,
        at_least=0,
        none_number=0,
        unit="length",
        of_extent=0.5,
        summary="Add the array NeighborsWithinRadius, the number of other points up to this "
        "distance, in the unit of the points; by default it is omitted.",
    )
    all_neighbors: bool = option(
        default=False,
        advanced=True,
        summary="Add the arrays NearestDistances and NearestIds, with one component for each of "
        "the k neighbors, the nearest first.",
    )
    kernel_density: bool = option(
        default=False,
        summary="Add the array KernelDensity, the sum of the kernels of all points at each point, "
        "including its own.",
        details="The options of the kernel have no other effect.",
    )
    flat: bool = option(
        default=False,
        advanced=True,
        summary="Compute LocalDensity and KernelDensity per area, for points on a plane or a "
        "surface, instead of per volume.",
        details="The other arrays do not depend on it.",
    )
