"""Default color maps of ParaView by array name: the first Apply shows kinds in colors with names.

They are settings of the session, with the lowest priority: nothing is written to the files of the
user, and color maps that the user saved for an array stay in effect.
"""

from __future__ import annotations

import functools
import json
from typing import Any

from separatrix.plotting.palette import (
    BLUE,
    GRAY,
    GREEN,
    ORANGE,
    PURPLE,
    SKY_BLUE,
    VERMILION,
    YELLOW,
    Category,
    Color,
    bar_categories,
    categories_of,
    critical_categories,
    label_colors,
    line_categories,
    tint,
)

PRIORITY = -1.0
MOST_LABELS = 2048  # more make ParaView slow
NEVER = -1  # AutomaticRescaleRangeMode
STEP = 5  # ColorSpace
ELEMENTS = [  # as in Jmol
    Category(number, symbol, (red / 255, green / 255, blue / 255))
    for number, symbol, red, green, blue in (
        (1, "H", 255, 255, 255),
        (6, "C", 144, 144, 144),
        (7, "N", 48, 80, 248),
        (8, "O", 255, 13, 13),
        (9, "F", 144, 224, 80),
        (11, "Na", 171, 92, 242),
        (12, "Mg", 138, 255, 0),
        (15, "P", 255, 128, 0),
        (16, "S", 255, 255, 48),
        (17, "Cl", 31, 240, 31),
        (20, "Ca", 61, 255, 0),
        (26, "Fe", 224, 102, 51),
        (30, "Zn", 125, 128, 176),
    )
]
BARS = [Category(-1, "diagonal", GRAY), *bar_categories()]
CELLS = {"vertex": GRAY, "edge": tint(GRAY), "face": ORANGE, "3-cell": SKY_BLUE}
SADDLES = {"descending line": BLUE, "of a 1-saddle": SKY_BLUE, "of a 2-saddle": ORANGE}
FEATURES = (ORANGE, SKY_BLUE, VERMILION, YELLOW, GREEN, PURPLE, BLUE)  # in turn
NAMES_OF_RANKS = ("longest", "2nd", "3rd", *(f"{n}th" for n in range(4, len(FEATURES) + 1)))
RANKS = categories_of(**dict(zip(NAMES_OF_RANKS, FEATURES, strict=True)))  # others are gray
ARRAYS: dict[str, tuple[str, list[Category]]] = {  # array -> title of the legend, categories
    "CriticalType": (
        "Critical Points",
        [*critical_categories(), *categories_of(4, degenerate=PURPLE, regular=YELLOW)],
    ),
    "DestinationType": ("1-Separatrices", line_categories()),
    "SeparatrixType": ("Separatrices", categories_of(**SADDLES)),
    "PairType": ("Pairs", BARS),
    "Dimension": ("Bars", BARS[1:]),
    "CellDimension": ("Cells", categories_of(**CELLS)),
    "Kind": ("Kinds of Cells", categories_of(singular=ORANGE, regular=SKY_BLUE, interior=BLUE)),
    "BarRank": ("Bars by Length", RANKS),
    "atom_type": ("Elements", ELEMENTS),
}
REGIONS = label_colors(MOST_LABELS).tolist()
LABELS = {  # array -> title of the legend
    "AscendingManifold": "Ascending Manifold",
    "DescendingManifold": "Descending Manifold",
    "MorseSmaleManifold": "Morse-Smale Manifold",
    "MouthId": "Mouth",
    "PocketId": "Pocket",
    "ProtrusionId": "Protrusion",
    "VoidId": "Void",
}


@functools.cache
def add_color_maps() -> bool:
    """Add the color maps to the settings of this process, and return whether it is ParaView's."""
    try:
        from paraview.modules.vtkRemotingServerManager import vtkSMSettings
    except ImportError:
        return False
    vtkSMSettings.GetInstance().AddCollectionFromString(json.dumps(settings()), PRIORITY)
    return True


def settings() -> dict[str, Any]:
    """The color maps in ParaView's format of settings."""
    tables = {
        name: {"Title": title, "PVLookupTable": table_of_categories(categories)}
        for name, (title, categories) in ARRAYS.items()
    }
    features = [FEATURES[i % len(FEATURES)] for i in range(MOST_LABELS)]
    for name, title in LABELS.items():
        colors = REGIONS if name.endswith("Manifold") else features
        tables[name] = {"Title": title, "PVLookupTable": table_of_labels(colors)}
    return {"array_lookup_tables": tables}


def table_of_categories(categories: list[Category]) -> dict[str, Any]:
    """One color and one name per value; other values are gray."""
    return {
        "IndexedLookup": 1,
        "AnnotationsInitialized": 1,  # otherwise ParaView adds the values that it finds
        "AutomaticRescaleRangeMode": NEVER,
        "Annotations": [text for c in categories for text in (str(c.value), c.name)],
        "IndexedColors": [channel for c in categories for channel in c.color],
        "IndexedOpacities": [1.0] * len(categories),
        "NanColor": list(GRAY),
    }


def table_of_labels(colors: list[Color]) -> dict[str, Any]:
    """A color for each label from 0; gray for -1, which is outside, and above the last.

    Not categories: ParaView's legend would list all of them.
    """
    points = [number for i, color in enumerate([GRAY, *colors]) for number in (i - 1.0, *color)]
    return {
        "RGBPoints": points,
        "ColorSpace": STEP,
        "Discretize": 0,
        "ScalarRangeInitialized": 1.0,
        "AutomaticRescaleRangeMode": NEVER,
        "UseAboveRangeColor": 1,
        "AboveRangeColor": list(GRAY),
    }
