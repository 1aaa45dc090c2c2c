"""The palette of all pictures: colors of critical points, separatrices, bars, and regions.

Critical points have four colors from Okabe and Ito's palette ("Color universal design", 2008), cold
to warm by index, which color-blind people can distinguish. Lines have a pale tint of the extremum
that they lead to, connectors are green, surfaces have the color of their saddle, and the hues of
regions differ by the golden angle.

The meaning of `CellDimension` depends on the dimension of the image (maxima have 2 in 2D), which is
therefore a parameter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

Color = tuple[float, float, float]

BLUE: Color = (0.000, 0.447, 0.698)
SKY_BLUE: Color = (0.337, 0.706, 0.914)
ORANGE: Color = (0.902, 0.624, 0.000)
VERMILION: Color = (0.835, 0.369, 0.000)
GREEN: Color = (0.000, 0.620, 0.451)
YELLOW: Color = (0.941, 0.894, 0.259)
PURPLE: Color = (0.800, 0.475, 0.655)
GRAY: Color = (0.600, 0.600, 0.600)

PALE = 0.68  # white in lines to an extremum: paler than saddles of the same hue


class Category(NamedTuple):
    """A value of an array, its meaning, and its color: red, green, and blue in 0..1."""

    value: int
    name: str
    color: Color


def categories_of(first: int = 0, /, **colors: Color) -> list[Category]:
    """Categories of the values from `first` on: their names, with _ for a blank, and colors."""
    named = enumerate(colors.items(), start=first)
    return [Category(value, name.replace("_", " "), color) for value, (name, color) in named]


def critical_categories(dimension: int = 3) -> list[Category]:
    """Values of `CellDimension` of critical points, for an image of 1, 2 or 3 dimensions."""
    saddles = {1: {}, 2: {"saddle": ORANGE}}.get(
        dimension, {"1-saddle": SKY_BLUE, "2-saddle": ORANGE}
    )
    return categories_of(minimum=BLUE, **saddles, maximum=VERMILION)


def critical_type_categories(dimension: int) -> list[Category]:
    """Values of `CriticalType` for a dimension of the image: 3 is a maximum in 1D and 2D, too.

    A saddle of a 2D image has the value 1 and the color of the saddles below maxima.
    """
    *lower, maximum = critical_categories(dimension)
    return [*lower, maximum._replace(value=3)]


def line_categories() -> list[Category]:
    """Values of `DestinationType`: the CriticalType of the point to which a line leads."""
    names = ("to a minimum", "to a 2-saddle", "to a maximum")
    colors = (tint(BLUE, PALE), tint(GREEN, 0.2), tint(VERMILION, PALE))
    return [Category(*one) for one in zip((0, 2, 3), names, colors, strict=True)]


def surface_categories() -> list[Category]:
    """Values of `SeparatrixType` of surfaces."""
    names = {"ascending from a 1-saddle": SKY_BLUE, "descending from a 2-saddle": ORANGE}
    return categories_of(1, **names)


def bar_categories(n_dimensions: int = 3) -> list[Category]:
    """Values of `Dimension` of a barcode's bars; colors as of the pairs of a diagram."""
    names, colors = ("components", "loops", "voids"), (BLUE, GREEN, VERMILION)
    more = (ORANGE, SKY_BLUE, PURPLE, YELLOW)
    return [
        Category(d, names[d] if d < 3 else f"dimension {d}", (*colors, *more)[d % 7])
        for d in range(n_dimensions)
    ]


def tint(color: Color, white: float = 0.45) -> Color:
    """A lighter color, with the fraction `white` of white."""
    red, green, blue = (channel + (1.0 - channel) * white for channel in color)
    return (red, green, blue)


def label_colors(n_labels: int) -> np.ndarray:
    """Colors (n, 3) in 0..1 of the labels 0, 1, ...; consecutive labels differ in hue.

    Of equal chroma and of three lightnesses in OKLab (B. Ottosson 2020, "A perceptual color space
    for image processing"), whose matrices these are.
    """
    label = np.arange(n_labels)
    hue = 0.6 + label * np.pi * (3.0 - np.sqrt(5.0))
    lightness = np.array([0.70, 0.80, 0.60])[label % 3]
    lab = np.stack([lightness, 0.09 * np.cos(hue), 0.09 * np.sin(hue)], axis=1)
    cones = lab @ np.array(
        [
            [1.0, 1.0, 1.0],
            [0.3963377774, -0.1055613458, -0.0894841775],
            [0.2158037573, -0.0638541728, -1.2914855480],
        ]
    )
    linear = cones**3 @ np.array(
        [
            [4.0767416621, -1.2684380046, -0.0041960863],
            [-3.3077115913, 2.6097574011, -0.7034186147],
            [0.2309699292, -0.3413193965, 1.7076147010],
        ]
    )
    linear = np.clip(linear, 0.0, 1.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
