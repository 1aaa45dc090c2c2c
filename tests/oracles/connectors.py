"""Every V-path down from cells of an image or a mesh, walked one by one.

Leave a cell by each of its facets other than its partner: a critical facet is the end, one paired
with a cell of the first dimension leads there, one paired with a lower cell leads nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

Arc = tuple[Any, Any]  # 2-saddle, 1-saddle


def v_paths(gradient: Any, start: Any) -> Iterator[list[Any]]:
    """All V-paths down from a cell: cell, facet, cell, ..., critical facet."""
    dimension_of = gradient.grid.dimension_of
    for facet in gradient.grid.facets(start):
        onward = gradient.partner.get(facet)
        if onward is None:
            yield [start, facet]
        elif onward != start and dimension_of(onward) == dimension_of(start):
            for path in v_paths(gradient, onward):
                yield [start, facet, *path]


def saddles_of(gradient: Any) -> list[Any]:
    """The critical cells of dimension 2."""
    return [c for c in gradient.critical if gradient.grid.dimension_of(c) == 2]


def connector_cells(gradient: Any) -> dict[Arc, set[Any]]:
    """The cells of all V-paths between two saddles."""
    found: dict[Arc, set[Any]] = {}
    for square in saddles_of(gradient):
        for path in v_paths(gradient, square):
            found.setdefault((square, path[-1]), set()).update(path)
    return found


def connections(gradient: Any) -> dict[Arc, int]:
    """The number of V-paths between two saddles; those from each square are counted once."""

    @cache
    def ends(square: Any) -> Counter[Any]:
        found: Counter[Any] = Counter()
        for edge in gradient.grid.facets(square):
            onward = gradient.partner.get(edge)
            if onward is None:
                found[edge] += 1
            elif onward != square and gradient.grid.dimension_of(onward) == 2:
                found += ends(onward)
        return found

    saddles = saddles_of(gradient)
    return {(square, edge): n for square in saddles for edge, n in ends(square).items()}
