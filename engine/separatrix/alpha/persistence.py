"""Persistence diagram of the alpha filtration, up to the largest alpha of the complex.

Simplices are sorted by (alpha value, dimension, index), which is a filtration; see
homology/filtration.py.
"""

from __future__ import annotations

from dataclasses import fields

from ..homology import PersistenceDiagram
from ..homology.filtration import Cells, Ends, diagram_of, filtered, pair_cells
from .found_complex import FoundComplex
from .voids import in_place


def persistence_of(complex: FoundComplex, zero_persistence: bool = False) -> PersistenceDiagram:
    """Return the diagram; cells are rows of the tables, vertices first, then edges, and so on."""
    session = complex._session
    with session.call(None, {}):
        cells, ends = paired_cells(complex)
        found = diagram_of(session, cells, ends, zero_persistence)
    columns = {field.name: getattr(found, field.name) for field in fields(found)}
    return PersistenceDiagram(**in_place(complex, **columns))


def paired_cells(complex: FoundComplex) -> tuple[list[Cells], list[Ends]]:
    """Return the simplices of each dimension in their order, and their pairs."""
    session, tables = complex._session, complex._tables
    values = (table.alpha_value for table in tables.simplices)
    cells = [filtered(session, *pair) for pair in zip(values, tables.facets, strict=True)]
    return cells, pair_cells(session, cells)
