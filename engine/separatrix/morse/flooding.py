"""The simplified field: canceled minima filled, canceled maxima cut off.

1. A vertex whose minimum is canceled is raised to the highest saddle between that minimum and the
   one that replaces it: there its component of the sublevel set meets one that stays.
2. Maxima of the raised field with less persistence than the level are cut off likewise.

Each step moves values by less than the level, the first up and the second down, so the result is
within the level of the field in the maximum norm. The effect of step 1 on dimension 0 is exact: the
components of {g <= u} are those of {f <= u} that contain a remaining minimum. So is the effect of
step 2 on the finite pairs of the highest dimension of the raised field, by the same argument for
-f; essential classes of that dimension (periodic images, closed meshes) may begin earlier or later.
A pinch point of a mesh may own several maxima but has one value: there step 2 guarantees only the
bound. The effect of each step on the other dimension is not guaranteed: a filled basin may contain
the saddle at which a cavity closes, which then closes later, and a maximum that is cut off may lie
on the ridge between two components, which then join earlier. Measured: no difference in any volume
tested (16 levels of four real ones, 15 of noise of 48^3, 400 small ones full of ties); of 60 images
of white noise, 24x24, 0, 1, 5, 35, 34 differ in dimension 0 at 0.05, 0.1, 0.2, 0.35, 0.5 of the
range. Edelsbrunner, Morozov, Pascucci 2006 and Bauer, Lange, Wardetzky 2012, for
surfaces.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..device.base import Array
from .cancellation import NEVER
from .connectors.table import no_connectors
from .field import ScalarField, exact_difference
from .gradient import DiscreteGradient
from .graph import ComplexGraph, graph_of
from .hierarchy import ExtremumForest, extremum_forest
from .labels import Labels
from .model import MorseGradient
from .pairing import extremum_ends, pair_critical_cells


def simplified_values(labels: Labels, level: float) -> Array:
    """The field without extrema of pairs below a level, as the caller's values are. O(n)."""
    field, raw, hierarchy = labels.checked_field("a simplified field"), labels.raw, labels.hierarchy
    minima = raw.of_vertices("descending") if hierarchy else None
    with labels.session.stage("raised"):
        values = field.plain.copy()
        if hierarchy:
            forest = hierarchy.forest("minimum")
            model = (raw.gradient, hierarchy.graph, "minimum", forest, labels.event)
            _flood(*model, minima, field, values)
    if level and labels.top >= 2:
        with labels.session.stage("lowered"):
            _cut_maxima(raw.gradient, field, values, level)
    return labels.session.result(field.in_callers_dtype(values).reshape(field.shape))


def _cut_maxima(raw: DiscreteGradient, field: ScalarField, values: Array, level: float) -> None:
    """Apply step 2 to the raised `values`, in place, with their own gradient."""
    session, gradient = raw.session, raw.of_values(values)
    labels = gradient.vertex_labels("ascending")
    graph = graph_of(gradient, no_connectors(gradient))
    d = graph.dimension
    pairs = pair_critical_cells(graph, {d - 1, d}, session.host)
    saddles = np.arange(graph.rank.size)[graph.rows(d - 1)]
    saddles = saddles[pairs.death[saddles] >= 0]
    maxima = pairs.death[saddles]
    is_cut = exact_difference(graph.value[saddles], graph.value[maxima]) < level
    dead = np.full(graph.rank.size, NEVER, np.uint32)
    dead[saddles[is_cut]] = dead[maxima[is_cut]] = 1
    forest = extremum_forest(session.host, pairs, dead, "maximum")
    raised = replace(field, values=values, plain_values=None, is_shared=False)
    _flood(gradient, graph, "maximum", forest, 1, labels, raised, values)


def _flood(
    gradient: MorseGradient,
    graph: ComplexGraph,
    kind: str,
    forest: ExtremumForest,
    event: int,
    labels: Array,
    field: ScalarField,
    values: Array,
) -> None:
    """Raise or lower values to the saddles at which extrema canceled by `event` drain."""
    session = gradient.session
    _, saddle_index, _ = extremum_ends(graph, kind)
    rows = graph.rows(saddle_index)
    sign = 1 if kind == "minimum" else -1
    drain = np.empty(forest.parent.size, np.int32)
    rank = np.ascontiguousarray(graph.rank[rows])
    session.host.run(
        "drain_saddles",
        *(forest.parent, forest.event, forest.saddle, event, rank, sign, drain, drain.size),
    )
    if not (drain >= 0).any():
        return
    is_flooded = session.upload((drain >= 0).astype(np.uint8))
    owners = gradient.owner_vertices[rows][session.upload(np.maximum(drain, 0))]
    level = field.plain[owners]
    session.launch("flood_values", values.size, labels, is_flooded, level, sign, values)
