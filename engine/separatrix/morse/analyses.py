"""Complexes, persistence diagrams, and simplified fields from the gradient of an image or a mesh.

The diagram of the critical cells is that of the field's lower-star filtration (Robins, Wood,
Sheppard 2011). Saddle connectors are traced only if the requested dimensions depend on them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..device import Progress, as_array, checked_rows, to_host
from ..errors import InputError, Words, wrong_shape
from ..homology import PersistenceDiagram
from .combinatorial import checked_level
from .complex import MorseSmaleComplex
from .connectors.table import no_connectors, trace_connectors
from .field import range_of_values
from .flooding import SimplifiedField, extrema_from, simplified_field
from .gradient import DiscreteGradient, DomainGradient
from .graph import graph_of
from .pairing import diagram_of_graph

GRADIENT_SHARE = 0.4  # of the time of a diagram, or of a simplified complex
STAGES = {"connectors": 5.0, "graph": 1.0, "pairs": 4.0}
SIMPLIFICATION_STAGES = {"pairs": 1.0, "vertices": 1.0, "flooded": 3.0}


def complex_of(
    make_gradient: Callable[..., DomainGradient],
    persistence: float,
    relative: bool,
    rematch_saddles: bool,
    progress: Progress | None,
) -> MorseSmaleComplex:
    """Return the complex at a threshold; `progress` includes the computation of the gradient."""
    options = checked_level(persistence, relative, rematch_saddles)
    if not options.persistence:
        return MorseSmaleComplex(DiscreteGradient(make_gradient(progress=progress)))
    gradient = make_gradient(progress=part_of(progress, 0.0, GRADIENT_SHARE))
    raw = MorseSmaleComplex(DiscreteGradient(gradient))
    return raw.simplify(**options.changed_options, progress=part_of(progress, GRADIENT_SHARE, 1.0))


def diagram_of(
    make_gradient: Callable[..., DomainGradient],
    dimensions: Any,
    zero_persistence: bool,
    progress: Progress | None,
) -> PersistenceDiagram:
    """Return the diagram; `progress` includes the computation of the gradient."""
    wanted = checked_dimensions(dimensions)
    zero_persistence = checked_flag(zero_persistence, "zero_persistence")
    gradient = make_gradient(progress=part_of(progress, 0.0, GRADIENT_SHARE))
    domain = gradient.domain
    highest = domain.dimension - (not domain._has_own_class)
    if min(wanted) > highest:
        raise InputError(
            "dimensions",
            f"at most {highest} for {domain._kind_text}",
            Words(", ".join(map(str, sorted(wanted)))),
            "Only an image that is periodic along all axes, or a closed mesh, has a class of its "
            "own dimension.",
        )
    session = gradient.session
    with session.call(part_of(progress, GRADIENT_SHARE, 1.0), STAGES):
        connectors = no_connectors(gradient)
        if gradient.needs_connectors(wanted):
            with session.stage("connectors"):
                connectors = trace_connectors(gradient)
        with session.stage("graph"):
            needs_maxima = bool(wanted & {1, domain.dimension - 1, domain.dimension})
            graph = graph_of(gradient, connectors, with_maxima=needs_maxima, only_for_pairs=True)
        with session.stage("pairs"), graph.local_session(session).device.current():
            return diagram_of_graph(gradient, graph, wanted, zero_persistence)


def simplification_of(
    make_gradient: Callable[..., DomainGradient],
    persistence: float,
    relative: bool,
    chosen: tuple[Any, Any],
    progress: Progress | None,
) -> SimplifiedField:
    """Return the field with only the `chosen` minima and maxima above a threshold; None: all."""
    level = checked_level(persistence, relative, False).persistence
    given = {
        name: None if vertices is None else as_array(vertices, name)
        for name, vertices in zip(("minima", "maxima"), chosen, strict=True)
    }
    gradient = make_gradient(progress=part_of(progress, 0.0, GRADIENT_SHARE))
    field, session = gradient.field_again(), gradient.session
    with session.call(part_of(progress, GRADIENT_SHARE, 1.0), SIMPLIFICATION_STAGES):
        if relative and level:
            level *= range_of_values(session, field, gradient.used_vertices)
        with session.stage("pairs"):
            kept = extrema_from(gradient, level)
        both = []
        for (name, vertices), found in zip(given.items(), kept, strict=True):
            if vertices is not None:
                if vertices.ndim != 1:
                    raise wrong_shape(name, "a list of vertices", vertices)
                rows = to_host(checked_rows(vertices, name, field.plain.size))
                found = np.intersect1d(found, rows)
            both.append(found)
        return simplified_field(gradient, field, *both)


def part_of(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Return a callback for one part of a call that reports fractions of the whole."""
    if progress is None or not callable(progress):
        return progress  # rejected where it is used
    return lambda fraction, stage: progress(begin + (end - begin) * fraction, stage)


def checked_dimensions(given: Any) -> set[int]:
    """Return the requested dimensions. Raises InputError."""
    if given is None:
        return {0, 1, 2, 3}
    several = [given] if isinstance(given, Integral) else given
    several = several.reshape(-1) if isinstance(several, np.ndarray) else several
    wanted = list(itertools.islice(several, 100)) if isinstance(several, Iterable) else []
    whole = [d for d in wanted if isinstance(d, Integral) and not isinstance(d, bool)]
    if not wanted or len(whole) < len(wanted) or not all(0 <= int(d) <= 3 for d in whole):
        raise InputError("dimensions", "integers from 0 to 3, or None", given)
    return set(map(int, wanted))
