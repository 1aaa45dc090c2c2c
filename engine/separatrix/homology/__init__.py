"""Persistent homology of any complex: component merging, column reduction, and diagrams."""

from .diagram import PersistenceDiagram
from .merge_tree import Merges, merge_pairs
from .reduction import reduce_columns

__all__ = ["Merges", "PersistenceDiagram", "merge_pairs", "reduce_columns"]
