"""The place in space of an image whose axes have names and coordinates, as one of xarray."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...axes import begin_and_step, coordinates_of, spatial_axes
from ...errors import InputError, Words
from .grid import ImageOptions


def with_axes_of(values: Any, options: ImageOptions) -> ImageOptions:
    """Return the options with the place that the coordinates give, unless one is specified.

    The array keeps its axes; directions tell which of them is x. Raises InputError.
    """
    usual = ImageOptions()
    if not 1 <= len(values.dims) <= 3 or options[:3] != usual[:3]:
        return options
    axes = spatial_axes(values.dims)[::-1]  # x of the image is the last axis of the array
    axes += [axis for axis in range(3) if axis not in axes]
    spacing, origin, direction = [1.0] * 3, [0.0] * 3, np.zeros((3, 3))
    direction[axes, range(3)] = 1.0
    names = [*values.dims][::-1]
    for i, numbers in enumerate(coordinates_of(values)[::-1]):
        if numbers is None:
            continue
        place = begin_and_step(numbers)
        if place is None:
            steps = abs(np.diff(numbers))
            raise InputError(
                "values",
                f"evenly spaced along {names[i]}",
                Words(f"steps from {steps.min():g} to {steps.max():g}"),
                f"Interpolate them, as with values.interp({names[i]}=...).",
            )
        origin[axes[i]], step = place
        spacing[i] = abs(step)
        direction[:, i] *= np.sign(step)
    place3 = None if np.array_equal(direction, np.eye(3)) else direction
    return options._replace(spacing=tuple(spacing), origin=tuple(origin), direction=place3)
