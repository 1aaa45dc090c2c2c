"""Persistence diagram of a field: births and deaths in its sublevel sets.

1. The discrete gradient leaves the critical cells.
2. Their arcs make a graph, with the connectors of volumes only where a dimension needs them.
3. The graph's pairs are the diagram's.

Sublevel set at t: the cells whose vertices all have values up to t (V-construction, lower-star
filtration). Robins, Wood, Sheppard 2011: the diagram of the critical cells is that of the field.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import fields
from numbers import Integral
from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..device import Session, to_host
from ..device.session import Progress
from ..errors import InputError, Words
from ..homology import PersistenceDiagram
from .connectors.table import no_connectors, trace_connectors
from .gradient import DiscreteGradient
from .graph import graph_of
from .level import part_of
from .model import MorseGradient
from .pairing import pair_critical_cells

GRADIENT_SHARE = 0.4
STAGES = {"connectors": 5.0, "graph": 1.0, "pairs": 4.0}


def diagram_of(
    make_gradient: Callable[[Progress | None], DiscreteGradient],
    dimensions: Any,
    zero_persistence: bool,
    progress: Progress | None,
) -> PersistenceDiagram:
    """The diagram of a gradient, which is made while a part of `progress` runs.

    Raises InputError for dimensions that no class of the domain can have.
    """
    wanted = checked_dimensions(dimensions)
    zero_persistence = checked_flag(zero_persistence, "zero_persistence")
    gradient = make_gradient(part_of(progress, 0.0, GRADIENT_SHARE))
    domain = gradient.domain
    highest = domain.dimension - (not domain.has_own_class)
    if min(wanted) > highest:
        raise InputError(
            "dimensions",
            f"at most {highest} for {domain.kind_text}",
            Words(", ".join(map(str, sorted(wanted)))),
            "Only an image that is periodic along all axes, or a closed mesh, has a class of its "
            "own dimension.",
        )
    then = part_of(progress, GRADIENT_SHARE, 1.0)
    return pair_gradient(gradient, wanted, zero_persistence, then)


def pair_gradient(
    gradient: MorseGradient,
    dimensions: set[int],
    zero_persistence: bool,
    progress: Progress | None = None,
) -> PersistenceDiagram:
    """The diagram of a gradient's critical cells in the given dimensions."""
    session = gradient.session
    with session.call(progress, STAGES):
        connectors = no_connectors(gradient)
        if gradient.needs_connectors(dimensions):
            with session.stage("connectors"):
                connectors = trace_connectors(gradient)
        with session.stage("graph"):
            needs_maxima = bool(dimensions & {1, gradient.dimension - 1, gradient.dimension})
            graph = graph_of(gradient, connectors, with_maxima=needs_maxima)
        with session.stage("pairs"):
            pairs = pair_critical_cells(graph, dimensions, session.host)
            diagram = pairs.diagram(to_host(gradient.cell_ids))
            return in_callers_place(session, diagram if zero_persistence else diagram.nonzero())


def in_callers_place(session: Session, diagram: PersistenceDiagram) -> PersistenceDiagram:
    """A diagram of host arrays where the caller wants results."""
    arrays = {field.name: getattr(diagram, field.name) for field in fields(diagram)}
    if not session.result.on_host:
        arrays = {name: session.upload(array) for name, array in arrays.items()}
    return PersistenceDiagram(**{name: session.result(array) for name, array in arrays.items()})


def checked_dimensions(given: Any) -> set[int]:
    """The dimensions asked for. Raises InputError."""
    if given is None:
        return {0, 1, 2, 3}
    several = [given] if isinstance(given, Integral) else given
    several = several.reshape(-1) if isinstance(several, np.ndarray) else several
    wanted = list(itertools.islice(several, 100)) if isinstance(several, Iterable) else []
    whole = [d for d in wanted if isinstance(d, Integral) and not isinstance(d, bool)]
    if not wanted or len(whole) < len(wanted) or not all(0 <= int(d) <= 3 for d in whole):
        raise InputError("dimensions", "integers from 0 to 3, or None", given)
    return set(map(int, wanted))
