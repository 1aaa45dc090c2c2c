"""Simplices of a mesh and all sixteen relations between them, by Python's sets.

A simplex is the ascending tuple of its vertices. Ids are ranks in the sorted list of all tuples
of a dimension. Vertices are 0 .. n - 1, whether a cell uses them or not.
"""

from __future__ import annotations

from itertools import combinations

Simplex = tuple[int, ...]
LETTERS = "VEFT"
RELATIONS = tuple(a + b for a in LETTERS for b in LETTERS)


def simplices_of(cells: list[Simplex], n_vertices: int, size: int) -> list[Simplex]:
    """All distinct faces with `size` vertices, sorted; for size 1 every vertex."""
    if size == 1:
        return [(v,) for v in range(n_vertices)]
    return sorted({face for cell in cells for face in combinations(sorted(cell), size)})


def relation_of(cells: list[Simplex], n_vertices: int, name: str) -> list[list[int]]:
    """By id of the first letter's simplices: ids of the second's, ascending.

    Of one letter: VV share an edge, EE a vertex, FF an edge, TT a triangle.
    """
    sizes = [LETTERS.index(letter) + 1 for letter in name]
    from_simplices, to_simplices = (simplices_of(cells, n_vertices, size) for size in sizes)
    if name == "VV":
        edges = simplices_of(cells, n_vertices, 2)
        return [sorted(a + b - v for a, b in edges if v in (a, b)) for v in range(n_vertices)]
    shared = sizes[0] - 1 if sizes[0] == sizes[1] else min(sizes)
    return [
        [i for i, y in enumerate(to_simplices) if x != y and len(set(x) & set(y)) == shared]
        for x in from_simplices
    ]


def boundary_of(cells: list[Simplex], n_vertices: int, dimension: int) -> set[Simplex]:
    """Faces of `dimension` of the facets that are in exactly one cell."""
    facet_size = len(cells[0]) - 1 if cells else 0
    count: dict[Simplex, int] = {}
    for cell in cells:
        for facet in combinations(sorted(cell), facet_size):
            count[facet] = count.get(facet, 0) + 1
    outer = [facet for facet, n in count.items() if n == 1]
    return {face for facet in outer for face in combinations(facet, dimension + 1)}
