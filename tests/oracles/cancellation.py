"""Cancellation of pairs one by one on the gradient itself, by exhaustion and without any pruning.

`cancel_in_order` is the hierarchy's definition: pairs by (persistence, dimension, inner first);
those with an extremum are always canceled, those of saddles if exactly one V-path joins them when
their turn comes. Whenever the saddle pairs' persistence has grown by a quarter, and at their end,
skipped ones are tried again until a pass changes nothing; then, if saddles are rematched, those
left over are joined to others. `reverse` turns a V-path round, as Forman 1998 does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from oracles.connectors import v_paths
from oracles.cubical import Cell, cell_dimension
from oracles.lower_star import Gradient
from oracles.walks import ascending_path, descending_path

GROWTH = 1.25
JOIN_REACH = 512


@dataclass(frozen=True)
class Pair:
    """A finite pair of two critical cells of index `dimension` and `dimension` + 1."""

    dimension: int
    birth: Cell
    death: Cell
    persistence: float
    birth_value: float
    death_value: float


@dataclass
class Run:
    """The events (birth, death, level), and the last outcome of skipped pairs."""

    gradient: Gradient
    events: list[tuple[Cell, Cell, float]] = field(default_factory=list)
    found: dict[Pair, str] = field(default_factory=dict)
    gone: set[Cell] = field(default_factory=set)


def cancel_in_order(gradient: Gradient, pairs: list[Pair], is_volume: bool, rematch: bool) -> Run:
    """Cancel pairs, given in their order, on a gradient, which is changed."""
    run = Run(gradient)
    of_saddles = [is_volume and pair.dimension == 1 for pair in pairs]
    had_turn: list[Pair] = []
    following = 0.0
    # Actions after each pair of saddles, which extrema do not affect.
    after: dict[Pair, list[tuple[Cell, Cell]]] = {}
    for pair in (p for p, both in zip(pairs, of_saddles, strict=True) if both):
        if pair.persistence > 0 and pair.persistence >= following:
            if had_turn:
                after[had_turn[-1]] += checkpoint(run, had_turn, rematch)
            following = GROWTH * pair.persistence
        had_turn.append(pair)
        after[pair] = attempt(run, pair)
    if had_turn:
        after[had_turn[-1]] += checkpoint(run, had_turn, rematch)
    for pair, both in zip(pairs, of_saddles, strict=True):
        if not both:
            [path] = paths_between(gradient, pair.birth, pair.death)
            reverse(gradient, path)
        went = after[pair] if both else [(pair.birth, pair.death)]
        run.events += [(low, high, pair.persistence) for low, high in went]
    return run


def attempt(run: Run, pair: Pair) -> list[tuple[Cell, Cell]]:
    """Cancel a pair of saddles if exactly one V-path joins it; returns the outcome."""
    n_paths = reached(run.gradient, pair.death)[pair.birth]
    if n_paths != 1:
        run.found[pair] = "several" if n_paths else "absent"
        return []
    return join(run, pair.birth, pair.death)


def join(run: Run, low: Cell, high: Cell) -> list[tuple[Cell, Cell]]:
    """Cancel two saddles that exactly one V-path joins."""
    [path] = paths_between(run.gradient, low, high)
    reverse(run.gradient, path)
    run.gone |= {low, high}
    return [(low, high)]


def checkpoint(run: Run, had_turn: list[Pair], rematch: bool) -> list[tuple[Cell, Cell]]:
    """Retry skipped pairs, and join saddles to others."""
    went: list[tuple[Cell, Cell]] = []
    changed = [(had_turn[0].birth, had_turn[0].death)]
    while changed:
        changed = []
        for pair in had_turn:
            if not {pair.birth, pair.death} & run.gone:
                changed += attempt(run, pair)
        went += changed
    while rematch:
        joined = join_nearest(run, had_turn)
        went += joined
        rematch = bool(joined)
    return went


def join_nearest(run: Run, had_turn: list[Pair]) -> list[tuple[Cell, Cell]]:
    """One round: pair each remaining 2-saddle with the nearest remaining 1-saddle."""
    place = {p.birth: k for k, p in enumerate(had_turn) if p.birth not in run.gone}
    wanted = []
    for k, pair in enumerate(had_turn):
        if pair.death not in run.gone:
            ends = reached(run.gradient, pair.death, JOIN_REACH)
            near = [place[low] for low, n in ends.items() if n == 1 and low in place]
            apart = sorted((abs(pair.death_value - had_turn[j].birth_value), j) for j in near)
            wanted += [(d, k, j) for d, j in apart[:1] if d <= had_turn[-1].persistence]
    joined = []
    for _, k, j in sorted(wanted):
        low, high = had_turn[j].birth, had_turn[k].death
        if not {low, high} & run.gone and reached(run.gradient, high)[low] == 1:
            joined += join(run, low, high)
    return joined


def reached(gradient: Gradient, square: Cell, limit: float = float("inf")) -> Counter[Cell]:
    """Number of V-paths to each critical edge, within the first squares, breadth first."""
    squares = {square: None}
    waiting = [square]
    below: dict[Cell, list[Cell]] = {}
    for at in waiting:
        below[at] = []
        for edge in gradient.grid.facets(at):
            onward = gradient.partner.get(edge)
            if onward is None:
                below[at].append(edge)
            elif onward != at and cell_dimension(onward) == 2:
                if onward not in squares and len(squares) < limit:
                    squares[onward] = None
                    waiting.append(onward)
                if onward in squares:
                    below[at].append(onward)
    above = Counter(to for ends in below.values() for to in ends)
    n_paths, ready = Counter({square: 1}), [square]
    for at in ready:
        for to in below.get(at, []):
            n_paths[to] += n_paths[at]
            above[to] -= 1
            if not above[to] and to in below:
                ready.append(to)
    return Counter({c: n for c, n in n_paths.items() if cell_dimension(c) == 1})


def paths_between(gradient: Any, low: Any, high: Any) -> list[list[Any]]:
    """All V-paths between two critical cells of neighboring index, as they are to be paired."""
    grid = gradient.grid
    if grid.dimension_of(low) == 0:
        paths = [[high, *descending_path(gradient, v)] for v in grid.facets(high)]
        return [path for path in paths if path[-1] == low]
    if grid.dimension_of(high) == grid.dimension:
        paths = [[low, *ascending_path(gradient, t)] for t in grid.cofacets(low)]
        return [path for path in paths if path[-1] == high]
    return [path for path in v_paths(gradient, high) if path[-1] == low]


def reverse(gradient: Any, path: list[Any]) -> None:
    """Pair the cells of a V-path two by two from its end on; both ends are no longer critical."""
    for one, other in zip(path[::2], path[1::2], strict=True):
        gradient.partner[one], gradient.partner[other] = other, one
    gradient.critical = [c for c in gradient.critical if c not in (path[0], path[-1])]


def at_level_of(found: Any, gradient: Any, cells: list[Any]) -> Any:
    """The raw gradient after the cancellations of a complex of the engine, one by one.

    `cells` are the critical cells in the rows of the raw complex.
    """
    expected = replace(gradient, partner=dict(gradient.partner), critical=list(gradient.critical))
    hierarchy, n_events = found._hierarchy(), found._labels.event
    rows = zip(hierarchy.birth_row[:n_events], hierarchy.death_row[:n_events], strict=True)
    for birth, death in rows:
        [path] = paths_between(expected, cells[birth], cells[death])  # exactly one V-path
        reverse(expected, path)
    return expected
