"""Cancellation of pairs one by one: on a dict of arcs, and on the gradient itself.

`cancel_on_graph` follows the hierarchy's rules: pairs by (persistence, dimension, inner first),
skipped saddle pairs tried again when an event gives them their first V-path, too dense ones at
checkpoints. `reverse` turns the V-path between two critical cells round, as Forman 1998 does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from oracles.cubical import Cell, cell_dimension
from oracles.lower_star import Gradient
from oracles.walks import ascending_path, descending_path

FIRST_CHECKPOINT = 1024


@dataclass(frozen=True)
class Pair:
    """A finite pair of k-th cells of index `dimension` and `dimension` + 1."""

    dimension: int
    birth: int
    death: int
    persistence: float


@dataclass
class Run:
    """The arcs between saddles as they stand, and what happened: (pair, level) per event."""

    arcs: dict[tuple[int, int], int]
    events: list[tuple[Pair, float]] = field(default_factory=list)
    skipped: set[Pair] = field(default_factory=set)


def cancel_on_graph(
    pairs: list[Pair], arcs: dict[tuple[int, int], int], dimension: int, max_fill: int
) -> Iterator[Run]:
    """Go through pairs in order; yields the run after each event, and once more at the end."""
    run = Run(dict(arcs))
    dense: list[int] = []
    checkpoint, last_level = FIRST_CHECKPOINT, 0.0

    def attempt(i: int) -> list[int]:
        """Pairs that the cancellation of pair i makes possible."""
        pair = pairs[i]
        q, p = pair.birth, pair.death
        of_saddles = dimension == 3 and pair.dimension == 1
        up = {a for a, b in run.arcs if b == q and a != p} if of_saddles else set()
        low = {b for a, b in run.arcs if a == p and b != q} if of_saddles else set()
        if of_saddles and run.arcs.get((p, q), 0) != 1:
            run.skipped.add(pair)
            return []
        if len(up) * len(low) > max_fill:
            run.skipped.add(pair)
            dense.append(i)
            return []
        run.skipped.discard(pair)
        new = {}
        for a in up:
            for b in low:
                new[a, b] = run.arcs[a, q] * run.arcs[p, b]
        appeared = [arc for arc, n in new.items() if arc not in run.arcs and n == 1]
        for arc, n in new.items():
            run.arcs[arc] = run.arcs.get(arc, 0) + n
        gone_upper = {p} if of_saddles else {q} if dimension == 3 and pair.dimension == 2 else set()
        gone_lower = {q} if of_saddles else {p} if dimension == 3 and pair.dimension == 0 else set()
        run.arcs = {
            (a, b): n
            for (a, b), n in run.arcs.items()
            if a not in gone_upper and b not in gone_lower
        }
        run.events.append((pair, max(last_level, pair.persistence)))
        return sorted(pairs.index(s) for s in run.skipped if (s.death, s.birth) in appeared)

    def attempt_all(waiting: list[int]) -> Iterator[Run]:
        nonlocal last_level
        while waiting:
            n_before = len(run.events)
            waiting = sorted({*waiting[1:], *attempt(waiting[0])})
            if len(run.events) > n_before:
                last_level = run.events[-1][1]
                yield run

    for i in range(len(pairs)):
        if i == checkpoint:
            again, dense = sorted(dense), []
            for j in again:
                yield from attempt_all([j])
            checkpoint += checkpoint // 4
        yield from attempt_all([i])
    again, dense = sorted(dense), []
    for j in again:
        yield from attempt_all([j])
    yield run


def v_paths(gradient: Gradient, square: Cell, edge: Cell) -> list[list[Cell]]:
    """All V-paths from a critical square down to a critical edge: square, edge, ..., edge."""
    found = []
    for facet in gradient.grid.facets(square):
        onward = gradient.partner.get(facet)
        if facet == edge:
            found.append([square, facet])
        elif onward and onward != square and cell_dimension(onward) == 2:
            found += [[square, facet, *path] for path in v_paths(gradient, onward, edge)]
    return found


def paths_between(gradient: Gradient, low: Cell, high: Cell) -> list[list[Cell]]:
    """All V-paths between two critical cells of neighboring index, as they are to be paired."""
    grid = gradient.grid
    if cell_dimension(low) == 0:
        paths = [[high, *descending_path(gradient, v)] for v in grid.facets(high)]
        return [path for path in paths if path[-1] == low]
    if cell_dimension(high) == grid.dimension:
        paths = [[low, *ascending_path(gradient, t)] for t in grid.cofacets(low)]
        return [path for path in paths if path[-1] == high]
    return v_paths(gradient, high, low)


def reverse(gradient: Gradient, path: list[Cell]) -> None:
    """Pair the cells of a V-path two by two from its end on; both ends are critical no more."""
    for one, other in zip(path[::2], path[1::2], strict=True):
        gradient.partner[one], gradient.partner[other] = other, one
    gradient.critical = [c for c in gradient.critical if c not in (path[0], path[-1])]
