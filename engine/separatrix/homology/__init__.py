"""Persistent homology of anything: merging of pieces, column reduction, diagrams."""

from .diagram import PersistenceDiagram
from .merge_tree import Merges, merge_pairs
from .reduction import reduce_columns

__all__ = ["Merges", "PersistenceDiagram", "merge_pairs", "reduce_columns"]
