"""Lines and surfaces of a complex at any level, where the caller wants them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import to_host
from ...device.arrays import as_array
from ...device.base import Array
from ...errors import InputError
from ...morse.model import MorseGradient
from .cache import ImageParts
from .connector_lines import draw_connectors
from .separatrices import Separatrices, draw
from .surfaces import SeparatrixSurfaces, trace_surfaces


def draw_extremum_lines(parts: ImageParts, kind: str) -> Separatrices:
    """Lines between saddles and extrema, kept."""
    arcs = parts.arcs(kind)
    return parts.once(f"{kind} lines", lambda: draw(parts.gradient, arcs, kind))


def draw_connector_lines(parts: ImageParts) -> Separatrices:
    """Lines between 1-saddles and 2-saddles, kept."""
    connectors = parts.connectors()

    return parts.once("saddle lines", lambda: draw_connectors(parts.gradient, connectors))


def draw_surfaces(parts: ImageParts, kind: str, sources: Any) -> SeparatrixSurfaces:
    """Surfaces of one kind: all of them, which are kept, or those of some saddles."""
    name = f"{kind} surfaces"
    if sources is not None:
        rows = checked_sources(parts.gradient, sources, 2 if kind == "descending" else 1)
        parts.reverse_saddle_paths()
        with parts.session.stage(name) as done:
            return trace_surfaces(parts.gradient, kind, done, rows)
    parts.reverse_saddle_paths()
    return parts.cached_with_progress(name, lambda done: trace_surfaces(parts.gradient, kind, done))


def checked_sources(gradient: MorseGradient, sources: Any, index: int) -> Array:
    """Rows of saddles of an index, ascending, each once, on the device. Raises InputError."""
    given = to_host(as_array(sources, "sources")).ravel()
    rows = gradient.rows(index)
    given = given if given.size else np.empty(0, np.int64)
    if given.dtype.kind not in "iu":
        raise InputError(
            f"sources must be rows of critical cells, whole numbers, not of dtype {given.dtype}"
        )
    outside = (given < rows.start) | (given >= rows.stop)
    if outside.any():
        which = f"{rows.start} to {rows.stop - 1}" if rows.stop > rows.start else "none"
        raise InputError(
            f"sources must be rows of {index}-saddles in critical ({which}), not "
            f"{int(given[np.argmax(outside)])} ({int(outside.sum()):,} such rows)"
        )
    return gradient.session.upload(np.unique(given).astype(np.int64))
