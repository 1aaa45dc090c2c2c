"""The V-paths between the saddles of a volume, contracted to a minor of junctions.

Squares or triangles that lead on to one thing only are links of a chain, the others are junctions.
Subhash, Pandey, Natarajan 2020, section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...device.base import Array
from ...errors import InputError


@dataclass(frozen=True)
class Minor:
    """Junctions and what chains from them and from the 2-saddles end in, on the device.

    Terminals are numbered: 0 to ``n_sinks - 1`` the 1-saddles in their order, then the junctions.
    ``starts`` (c2, 4) int32, terminals that the 2-saddles lead to, and ``successors`` (j, 3) int32,
    those that the junctions lead to, one a chain, -1 after the last. ``n_nodes`` squares are on
    V-paths.
    """

    starts: Array
    successors: Array
    n_sinks: int
    n_nodes: int


def check_width(count: int, what: str) -> None:
    """Raise InputError where ids of nodes or terminals would not fit 32 bits."""
    if count >= 2**31:
        raise InputError(
            f"there are {count:,} {what}, ids end at 2^31 - 1; simplify or crop the image"
        )
