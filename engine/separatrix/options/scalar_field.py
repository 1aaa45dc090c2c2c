"""Options of diagrams, critical points, gradients, and simplification of scalar fields."""

from __future__ import annotations

from typing import Literal

from ..errors import InputError
from .option import option
from .shared import ARRAY, RELATIVE, ImageExecutionOptions, ScalarFieldOptions, check_level


class PersistenceDiagramOptions(ScalarFieldOptions, ImageExecutionOptions, group="Output"):
    """Options of the persistence diagram, in the order of its panel."""

    array: str | None = ARRAY

    compute_dimension_0: bool = option(
        default=True,
        title="Dimension 0 Pairs",
        summary="Compute the pairs of a minimum and the saddle where its basin meets a deeper one: "
        "components.",
        details="The deepest minimum has no such saddle: its pair ends at the highest value, and "
        "IsFinite is 0.",
    )
    compute_dimension_1: bool = option(
        default=True,
        title="Dimension 1 Pairs",
        summary="Compute the pairs of two saddles (3D): loops; in 2D, the pairs of a saddle and "
        "a maximum.",
        details="In 3D, these pairs take the most time to compute.",
    )
    compute_dimension_2: bool = option(
        default=True,
        title="Dimension 2 Pairs",
        only_for="3D",
        summary="Compute the pairs of a maximum and the 2-saddle where its region meets that of a "
        "higher one: voids (3D only).",
        details="They include the class of dimension 3 of an image that is periodic along all "
        "axes.",
    )
    show_zero_persistence: bool = option(
        default=False,
        title="Zero Persistence Pairs",
        summary="Include pairs of equal values.",
        details="They result from the order of equal values, not from the data; 8-bit images have "
        "very many of them.",
    )
    show_inside_domain: bool = option(
        default=False,
        summary="Draw each pair as a line between its two critical points in the domain, instead "
        "of in the plane of births and deaths.",
        details="To see it in ParaView, activate the view of the input and click the eye icon of "
        "the diagram. In the plane, the array Coordinates contains these positions.",
    )

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The dimensions to compute, as the engine takes them."""
        on = (self.compute_dimension_0, self.compute_dimension_1, self.compute_dimension_2)
        return tuple(dimension for dimension in range(3) if on[dimension])

    def check_together(self) -> None:
        """Raise InputError if no dimension is selected."""
        if not self.dimensions:
            raise InputError(
                "At least one of {compute_dimension_0}, {compute_dimension_1}, and "
                "{compute_dimension_2} must be enabled."
            )


class CriticalPointsOptions(ScalarFieldOptions, ImageExecutionOptions):
    """Options of the critical points, in the order of their panel."""

    array: str | None = ARRAY
    method: Literal["gradient", "link"] = option(
        default="gradient",
        only_for="mesh",
        group="Field",
        summary="Definition of a critical point of a mesh.",
        details="Gradient: a critical simplex of the discrete gradient, as in the Morse-Smale "
        "complex. Link (Banchoff): a point whose lower link or upper link does not have exactly "
        "one component; it may be degenerate. Images always use Gradient.",
    )


class DiscreteGradientOptions(ScalarFieldOptions, ImageExecutionOptions):
    """Options of the discrete gradient, in the order of its panel."""

    array: str | None = ARRAY
    stride: int = option(
        default=1,
        at_least=1,
        usual=(1, 100),
        group="Output",
        summary="Show only the pairs at every n-th voxel along each axis (of a mesh, every n-th "
        "pair); 1 shows all pairs.",
        details="All critical points are shown. Type numbers beyond the range of the slider.",
    )


class TopologicalSimplificationOptions(ScalarFieldOptions, ImageExecutionOptions):
    """Options of the simplification of a field, in the order of its panel."""

    array: str | None = ARRAY
    persistence: float = option(
        default=0.0,
        title="Persistence Threshold",
        at_least=0,
        unit="field",
        group="Simplification",
        summary="Remove minima and maxima whose pairs of values differ by less than this "
        "threshold; 0 removes none.",
        details="Each value changes by less than it. If critical points are given as the second "
        "input, all other minima and maxima are removed as well, regardless of their persistence.",
    )
    relative: bool = RELATIVE

    def check_together(self) -> None:
        """Raise InputError if a relative threshold is larger than 1."""
        check_level(self.persistence, self.relative)
