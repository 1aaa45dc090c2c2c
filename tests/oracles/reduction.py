"""Persistence by the textbook's column reduction over Z/p; columns are dicts row -> coefficient."""

from __future__ import annotations

Column = dict[int, int]


def pivots(columns: list[Column], prime: int = 2) -> list[int | None]:
    """The greatest row left of each column after reduction from left to right, None for zero."""
    reduced: dict[int, Column] = {}  # by pivot
    found = []
    for given in columns:
        column = {row: c % prime for row, c in given.items() if c % prime}
        while column and max(column) in reduced:
            other = reduced[max(column)]
            factor = -column[max(column)] * pow(other[max(column)], -1, prime)
            for row, c in other.items():
                column[row] = (column.get(row, 0) + factor * c) % prime
            column = {row: c for row, c in column.items() if c}
        if column:
            reduced[max(column)] = column
        found.append(max(column, default=None))
    return found


def pairs_of(boundaries: dict[int, list[int]]) -> tuple[list[tuple[int, int]], list[int]]:
    """(birth, death) pairs and essential cells of cells 0, 1, ... with odd boundaries mod 2."""
    deaths = pivots([dict.fromkeys(boundaries[cell], 1) for cell in range(len(boundaries))])
    pairs = [(birth, death) for death, birth in enumerate(deaths) if birth is not None]
    paired = {cell for pair in pairs for cell in pair}
    return sorted(pairs), [cell for cell in boundaries if cell not in paired]
