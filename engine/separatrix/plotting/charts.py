"""Diagrams, barcodes, and persistence curves, with Matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import check_one_of
from ..device import Array, to_host
from . import required
from .palette import GRAY, bar_categories

KINDS = ("diagram", "barcode", "curves")
MARGIN = 0.05  # of the values, between the last finite end and the marks of essential bars


def chart_of_bars(axes: Any, kind: str, dimension: Array, birth: Array, death: Array) -> Any:
    """Draw bars (n,) on axes, by default new ones, and return the axes; empty bars are omitted.

    Essential bars, whose death is inf, end in triangles beyond all others.
    """
    check_one_of("kind", kind, KINDS)
    if axes is None:
        axes = required("matplotlib.pyplot").subplots()[1]
    dimension, birth, death = map(to_host, (dimension, birth, death))
    is_finite = np.isfinite(death)
    ends = np.concatenate([birth, death[is_finite]])
    low, high = (float(ends.min()), float(ends.max())) if ends.size else (0.0, 1.0)
    beyond = high + MARGIN * ((high - low) or 1.0)
    shown = np.where(is_finite, death, beyond)
    first = 0  # row of a barcode
    for category in bar_categories(int(dimension.max(initial=-1)) + 1):
        chosen = (dimension == category.value) & (death > birth)
        if not chosen.any():
            continue
        look = {"color": category.color, "label": category.name}
        finite, endless = chosen & is_finite, chosen & ~is_finite
        if kind == "diagram":
            axes.scatter(birth[finite], death[finite], s=16, **look)
            axes.scatter(birth[endless], shown[endless], marker="^", color=category.color)
        elif kind == "barcode":
            rows = first + np.arange(chosen.sum())
            axes.hlines(rows, birth[chosen], shown[chosen], **look)
            ending = rows[endless[chosen]]
            axes.scatter(shown[endless], ending, marker=">", color=category.color, s=16)
            first += len(rows)
        else:
            lengths = np.sort((death - birth)[finite])
            levels, shorter = np.unique(lengths, return_index=True)
            axes.step(levels, chosen.sum() - shorter, where="pre", **look)
    if kind == "diagram":
        axes.plot([low, beyond], [low, beyond], color=GRAY, zorder=0)
        axes.set(xlabel="Birth", ylabel="Death")
    elif kind == "barcode":
        axes.set(xlabel="Birth to death", yticks=[])
    else:
        axes.set(xlabel="Persistence", ylabel="Number that have at least this")
        axes.set(xscale="log", yscale="log")
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    return axes
