"""Formulas of points in a periodic box, where each y is the image nearest to x.

They are for all pairs, and for the pairs of a pattern. With only a radius, reductions usually copy
the points near faces of the box instead (spatial/periodic.py), which needs no other formula.
"""

from __future__ import annotations

import math

import numpy as np

from .bound_formula import BoundFormula, bind_formula
from .tree import (
    PARAMETER,
    Node,
    X,
    Y,
    call,
    choose,
    constant,
    dot,
    entries,
    in_order,
    substituted,
    variable,
)

LENGTHS = "boxsize, 1 / boxsize, and radius^2"  # no name in a formula


def of_nearest_images(
    chosen: BoundFormula, box: np.ndarray, radius: float | None, adds: bool
) -> tuple[BoundFormula, BoundFormula | None]:
    """Return the formula of the images nearest to x, and that of the pairs within the radius.

    Pairs beyond it are 0 if the reduction `adds` values, and NaN otherwise.
    """
    d, n_p = chosen.n_dimensions, len(chosen.p)
    periodic = np.where(np.isfinite(box), box, 0.0)
    inverse = np.divide(1, periodic, out=np.zeros(d), where=periodic > 0)
    p = (*chosen.p, *periodic.tolist(), *inverse.tolist(), 0.0 if radius is None else radius**2)
    layout = {**chosen.layout, LENGTHS: ("p", n_p)}
    x, y, lengths = (
        variable("x", X, d),
        variable("y", Y, d),
        variable(LENGTHS, PARAMETER, 2 * d + 1),
    )
    between = x - y
    shift = call("round", between * entries(lengths, d, d)) * entries(lengths, 0, d)
    apart = between - shift  # not x - (y + shift), which is rounded once more
    moved = {}
    for node in in_order(chosen.tree):
        if _is_difference(node):
            moved[node] = apart if node.children[0].name == "x" else -apart
        elif node.op == "variable" and node.name == "y":
            moved[node] = y + shift
    tree, near = substituted(chosen.tree, moved), None
    if radius is not None:
        is_near = dot(apart, apart) <= entries(lengths, 2 * d)
        skipped = constant(math.inf) - math.inf  # NaN, which counts only in sums
        tree = choose(is_near, tree, constant(0.0) if adds else skipped)
        near = bind_formula(is_near, "d2 <= radius ** 2", p, layout, d, 1 - chosen.is_swapped)
    found = bind_formula(tree, chosen.expression, p, layout, d, 1 - chosen.is_swapped)
    return found, near


def reads_places(root: Node) -> bool:
    """Return whether a tree reads x or y, apart from their difference."""
    read = {c.name for n in in_order(root) if not _is_difference(n) for c in n.children}
    return bool({root.name, *read} & {"x", "y"})


def _is_difference(node: Node) -> bool:
    return node.op == "-" and {child.name for child in node.children} == {"x", "y"}
