"""Bars of dimension 1 over Z/2 by annotations in plain Python: for a few dozen points.

Triangles come in their total order. The value of an edge is the set of living classes on which it
is not zero; every edge that merges nothing begins a class. Where the values of a triangle's edges
do not cancel, the youngest class of their sum ends, and the sum is added to every value with it.
"""

from __future__ import annotations

from math import inf

import numpy as np

from .rips import Bar, Simplex, filtered


def bars_by_annotations(values: np.ndarray, threshold: float = inf) -> list[Bar]:
    """The bars of dimension 1 with positive length, and their simplices, sorted."""
    cells = [cell for cell in filtered(values, 2, threshold) if len(cell[1]) > 1]
    age = {simplex: i for i, (_, simplex) in enumerate(cells)}
    diameter = {simplex: at for at, simplex in cells}
    component = list(range(len(values)))
    value: dict[Simplex, set[Simplex]] = {}
    died: dict[Simplex, Simplex] = {}
    for _, simplex in cells:
        if len(simplex) == 2:
            u, v = (component[w] for w in simplex)
            value[simplex] = {simplex} if u == v else set()
            component = [u if label == v else label for label in component]
            continue
        a, b, c = simplex
        boundary = value[a, b] ^ value[a, c] ^ value[b, c]
        if boundary:
            youngest = max(boundary, key=age.__getitem__)
            died[youngest] = simplex
            for edge, classes in value.items():
                if youngest in classes:
                    value[edge] = classes ^ boundary
    born = [e for e in value if e in died or any(e in classes for classes in value.values())]
    bars = [
        Bar(1, diameter[e], diameter[died[e]] if e in died else inf, e, died.get(e)) for e in born
    ]
    return sorted((bar for bar in bars if bar.death > bar.birth), key=lambda bar: bar.born)
