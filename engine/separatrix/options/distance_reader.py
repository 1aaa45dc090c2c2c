"""Options of the reader of points and distances."""

from __future__ import annotations

from typing import Literal

from .declaration import Options
from .option import option


class DistanceReaderOptions(Options, group="Points"):
    """Options of the reader of points and distances, in the order of its panel."""

    file_name: str = option(
        default="",
        affects_result=False,
        summary=(
            "File to read, in one of Ripser's formats, such as .point_cloud, .distance_matrix, or "
            ".lower_distance_matrix, also compressed as .gz."
        ),
    )
    format: Literal[
        "auto", "point-cloud", "distance", "lower-distance", "upper-distance", "dipha", "binary",
        "npy", "csv",
    ] = option(
        default="auto",
        labels=("Auto", "Point Cloud", "Distance", "Lower Distance", "Upper Distance", "DIPHA",
                "Binary", "NumPy", "CSV"),
        summary="Format of the file; Auto derives it from the name.",
        details="Only the lower triangle of a distance matrix is used, as in Ripser.",
    )  # fmt: skip
