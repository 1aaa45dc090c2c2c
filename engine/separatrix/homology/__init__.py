"""Persistent homology of any complex: component merging, column reduction, and diagrams."""

from .diagram import PersistenceDiagram
from .pairing import Merges, merge_in_rounds, merge_pairs, reduce_columns
