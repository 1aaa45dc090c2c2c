"""Persistence diagram of an image: what its sublevel sets hold, when it appears and disappears.

1. The discrete gradient leaves the critical cells.
2. Their arcs make a graph, with the connectors of volumes only where a dimension needs them.
3. The graph's pairs are the diagram's.

Sublevel set at t: the cells whose vertices all have values up to t (V-construction). Robins, Wood,
Sheppard 2011: the diagram of the critical cells is that of the image.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import fields
from numbers import Integral
from typing import Any

import numpy as np

from ..arguments import checked_flag, known_keywords
from ..complexes.cubical.gradient import discrete_gradient
from ..complexes.cubical.grid import NOT_PERIODIC
from ..device import Session, to_host
from ..device.session import Progress
from ..errors import InputError
from ..homology import PersistenceDiagram
from .connectors import Connectors, trace_connectors
from .graph import graph_of
from .model import MorseGradient
from .pairing import pair_critical_cells

GRADIENT_SHARE = 0.3
STAGES = {"connectors": 5.0, "graph": 1.0, "pairs": 4.0}


@known_keywords
def persistence_diagram(
    values: Any,
    *,
    dimensions: int | Iterable[int] | None = None,
    zero_persistence: bool = False,
    spacing: Sequence[float] = (1.0, 1.0, 1.0),
    origin: Sequence[float] = (0.0, 0.0, 0.0),
    direction: Any = None,
    order: str = "index",
    periodic: Sequence[bool] = NOT_PERIODIC,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> PersistenceDiagram:
    """Persistence diagram of the sublevel sets of a scalar field on an image.

    Parameters
    ----------
    values : array, (nz, ny, nx), (ny, nx) or (nx,), any real dtype
        One value a voxel, x fastest.
    dimensions : int or several, optional
        0 pieces, 1 tunnels, 2 voids; all by default. In volumes, dimension 1 costs most. Only an
        image that is periodic along all axes has a class of its own dimension, 3 of a volume.
    zero_persistence : bool
        Keep pairs whose two values are equal.
    spacing, origin, direction, order, periodic, device, threads, memory_limit, progress
        As in :func:`separatrix.discrete_gradient`.

    Returns
    -------
    PersistenceDiagram
        Rows are those of the critical cells that :func:`separatrix.morse_smale` gives for the same
        values and options.

    Raises
    ------
    InputError
        `dimensions` that no class of the image can have, and as
        :func:`separatrix.discrete_gradient`.

    Examples
    --------
    >>> import separatrix as sx
    >>> diagram = sx.persistence_diagram([0.0, 5.0, 1.0])
    >>> list(zip(diagram.birth.tolist(), diagram.death.tolist()))
    [(0.0, inf), (1.0, 5.0)]
    """
    wanted = checked_dimensions(dimensions)
    zero_persistence = checked_flag(zero_persistence, "zero_persistence")
    gradient = discrete_gradient(
        values,
        spacing=spacing,
        origin=origin,
        direction=direction,
        order=order,
        periodic=periodic,
        device=device,
        threads=threads,
        memory_limit=memory_limit,
        progress=_part(progress, 0.0, GRADIENT_SHARE),
    )
    own, n_periodic = gradient.grid.dimension, sum(gradient.grid.periodic)
    highest = own if n_periodic == own else own - 1
    if min(wanted) > highest:
        raise InputError(
            f"dimensions must be at most {highest}: an image of {own} dimensions has classes of "
            f"dimension {own} where it is periodic along all axes alone; got "
            f"{', '.join(map(str, sorted(wanted)))}"
        )
    return pair_gradient(
        gradient, wanted, zero_persistence, _part(progress, GRADIENT_SHARE, 1 - GRADIENT_SHARE)
    )


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


def no_connectors(gradient: MorseGradient) -> Connectors:
    """A table without rows, for graphs of which only extremum pairs are asked."""
    device = gradient.session.device
    return Connectors(
        device.zeros(1, np.int64), device.empty(0, np.int32), device.empty(0, np.uint64)
    )


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
    if not wanted or not all(isinstance(d, Integral) and 0 <= int(d) <= 3 for d in wanted):
        raise InputError(f"dimensions must be whole numbers from 0 to 3 or None, not {given!r}")
    return set(map(int, wanted))


def _part(progress: Progress | None, begin: float, share: float) -> Progress | None:
    """A callback for one part of a call, which hears of fractions of the whole."""
    if progress is None or not callable(progress):
        return progress  # what is not callable is refused where it is used
    return lambda fraction, stage: progress(begin + share * fraction, stage)
