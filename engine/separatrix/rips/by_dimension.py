"""Persistent cohomology of a flag filtration, one dimension at a time, with clearing.

Dimension 0: edges without an apparent pair, shortest first, merge components by the elder rule. The
other edges close triangles immediately and merge nothing. Dimension d >= 1: the survivors are
reduced, except those that destroyed a class of dimension d - 1 (clearing: Chen, Kerber 2011).
Nearly all pairs of zero length are apparent and are not stored.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..device import Array, Session, to_host
from ..kernels import NONE
from ..options import RipsBarcodesOptions
from .by_lunes import reduction_by_lunes, voids_by_apexes
from .distances import Distances
from .edge_collapse import collapse_edges
from .filtration import ABSENT, Filtration, Simplices, have_rank
from .forecast import forecast, near_edges
from .order import ordered
from .pairs import Paired, Pairs, about_bars, components, merged
from .ranks import compressed, on_host, ranked
from .reduction import reduce_survivors
from .survivors import RankRows, apparent_deaths, listed, survivors
from .weights import with_births

FEW_SIMPLICES = 1e6  # whose survivors are listed in all dimensions at once
WORTHWHILE = 0.7  # "auto" discards a collapse that keeps more than this fraction of the edges


def stage_names(max_dimension: int) -> dict[str, float]:
    """Return the stages of all dimensions with their estimated shares of the time."""
    named = {}
    for d in range(1, max(max_dimension, 1) + 1):
        named[f"simplices of dimension {d}"] = 4.0**d
        named[f"reduction of dimension {d}"] = 4.0**d
    return named


def by_dimension(
    session: Session,
    found: Distances,
    births: Array | None,
    threshold: float,
    options: RipsBarcodesOptions,
    *,
    relabel: bool,
    keep_zero: bool,
    cocycles: bool,
    has_cycles: bool,
) -> Paired:
    """Return the pairs of all dimensions by cohomology."""
    near = near_edges(session, found.n)
    if not near.device.is_cuda:
        found = found.on_host()
        births = None if births is None else to_host(births)
    with session.stage("ranks"):
        graph = ranked(near, found, threshold)
    vertex_rank = None
    if births is not None:
        graph, vertex_rank = with_births(graph, births)
    n_edges, highest = len(graph.ends), options.max_dimension
    expected = forecast(near, graph, highest)
    collapse = options.collapse
    may_collapse = births is None and not (cocycles or keep_zero)
    if may_collapse and (expected.collapse_pays if collapse == "auto" else collapse):
        with session.stage("collapse"):
            ends, rank = collapse_edges(
                *(near, graph.n, graph.ends, graph.rank), may_give_up=collapse == "auto"
            )
        if collapse != "auto" or len(ends) < WORTHWHILE * n_edges:
            graph = compressed(graph, ends, rank)
            expected = forecast(near, graph, highest)
    announced = expected.require(session, options.work_limit)
    if expected.suits_host(session.host.threads):
        near = session = session.on(session.host)
        graph = graph.on_host()
    filtration, order = ordered(near, graph, vertex_rank, relabel, expected)
    rows = RankRows.of(session, filtration)
    filtration = on_host(filtration)
    may_use_lunes = options.method == "auto" and not cocycles
    pairs, counted = pairs_by_dimension(
        *(session, filtration, rows, highest, options.field, cocycles),
        at_once=expected.simplices <= FEW_SIMPLICES,
        work_limit=options.work_limit,
        announced=announced,
        may_use_lunes=may_use_lunes,
        may_use_apexes=may_use_lunes and not (keep_zero or has_cycles),
    )
    if keep_zero:
        pairs[1:] = [_with_apparent(session, filtration, rows, own) for own in pairs[1:]]
    about = about_bars(graph.threshold, graph.enclosing_radius, n_edges, expected, counted)
    return Paired(filtration, pairs, order, about, lambda length: filtration)


def pairs_by_dimension(
    session: Session,
    filtration: Filtration,
    rows: RankRows,
    max_dimension: int,
    prime: int,
    keep_columns: bool = False,
    work_limit: float = math.inf,
    announced: float = 0.0,
    may_use_lunes: bool = False,
    may_use_apexes: bool = False,
    at_once: bool = False,
) -> tuple[list[Pairs], list[dict[str, Any]]]:
    """Return the pairs and statistics; `filtration` is in host memory, `rows` on the device.

    On the CPU, the survivors of all dimensions may be listed `at_once`.
    """
    pairs: list[Pairs] = []
    statistics: list[dict[str, Any]] = []
    ended, all_found = None, []
    may_use_apexes, at_once = session.device.launch_form(
        host=(may_use_apexes, at_once and max_dimension > 2), gpu=(False, False)
    )
    for d in range(1, max(max_dimension, 1) + 1):
        voids = found = None
        with session.stage(f"simplices of dimension {d}"):
            if d == max_dimension == 2 and may_use_apexes:
                voids = voids_by_apexes(session, filtration, pairs[1], prime)
            if at_once and d == 1:
                all_found = listed(session, rows, range(1, max_dimension + 1))
            if voids is None:
                own = all_found[d - 1] if all_found else None
                found = survivors(session, filtration, d, rows, cleared=ended, found=own)
        if voids is not None:
            with session.stage("reduction of dimension 2"):
                n_cleared = statistics[1]["columns"] - int((pairs[1].death_rank == ABSENT).sum())
                n_columns = voids[1]["simplices"] - n_cleared
                statistics.append({**voids[1], "cleared": n_cleared, "columns": n_columns})
                pairs.append(voids[0])
            break
        assert found is not None
        columns = found.simplices
        if d == 1:
            victim = merged(session, filtration, columns)
            pairs.append(components(filtration, columns, victim))
            left = victim == NONE
            columns = Simplices(columns.vertices[left], columns.rank[left])
            statistics.append({"simplices": filtration.n, "cleared": 0, "columns": filtration.n})
        if d > max_dimension:
            break
        cleared = found.n_deaths + found.number - len(columns)
        with session.stage(f"reduction of dimension {d}"):
            reduced = None
            if d == 1 and may_use_lunes:
                reduced = reduction_by_lunes(session, filtration, columns, prime, work_limit)
            if reduced is None:
                reduced = reduce_survivors(
                    *(session, filtration, columns),
                    prime=prime,
                    keep_columns=keep_columns,
                    work_limit=work_limit,
                    warned=announced,
                    rows=rows,
                )
        statistics.append(
            {
                "simplices": found.n_simplices,
                "cleared": cleared,
                "columns": found.n_simplices - cleared,
                "apparent_pairs": found.n_births,
                "survivors": found.number,
                "reduced": len(columns),
                **reduced.statistics,
            }
        )
        if "emergent" in reduced.statistics:
            statistics[-1]["shortcut_pairs"] = found.n_births + reduced.statistics["emergent"]
        ends = (reduced.death, reduced.death_rank)
        pairs.append(Pairs(d, columns.vertices, columns.rank, *ends, columns, reduced))
        if d < max_dimension:
            ended = reduced.death[reduced.death_rank != ABSENT]
    return pairs, statistics


def _with_apparent(session: Session, filtration: Filtration, rows: RankRows, own: Pairs) -> Pairs:
    """Append the apparent pairs to the other pairs of a dimension."""
    deaths = apparent_deaths(session, filtration, own.dimension + 1, rows)
    vertices, rank = deaths.vertices, deaths.rank
    births = youngest_facets(filtration, vertices, rank)
    return replace(
        own,
        birth=np.concatenate([own.birth, births]),
        birth_rank=np.concatenate([own.birth_rank, rank]),
        death=np.concatenate([own.death, vertices]),
        death_rank=np.concatenate([own.death_rank, rank]),
    )


def youngest_facets(filtration: Filtration, simplices: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Return the youngest facet (m, d) of equal diameter of each simplex (m, d + 1).

    It omits the largest vertex that is not on all of the longest edges.
    """
    m, width = simplices.shape
    on_all = np.ones((m, width), bool)
    for i in range(width):
        for j in range(i + 1, width):
            is_longest = have_rank(filtration, simplices[:, i], simplices[:, j], rank)
            others = np.ones(width, bool)
            others[[i, j]] = False
            on_all &= ~(is_longest[:, None] & others)
    omitted = np.argmin(on_all, axis=1)
    is_kept = np.arange(width) != omitted[:, None]
    return simplices[is_kept].reshape(m, width - 1)
