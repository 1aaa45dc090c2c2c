"""Short loops in the classes of a barcode's 1-cycles, over Z/2.

A class alive at a distance t is told by its values on the cocycles of all bars alive there, a word
of one bit a bar (annotation: Busaryev et al., "Annotating simplices with a homology basis and its
applications", 2012). Dijkstra's search over pairs of a point and a word finds the loop of that word
through a point whose edges, all shorter than t, have the least sum of squares: many short steps
rather than few long ones. It is homologous to the cycle in the complex of t.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MOST_BITS = 6  # bars alive at once
LATER = 0.02  # of a bar
MOST_STEPS = 100_000  # of all searches for one loop: some seconds
CLOSER = 1.0 - 1e-12  # an edge shorter than this is in the complex, however distances are rounded


def bars_alive(bars: Any, until: float) -> np.ndarray:
    """Rows of the 1-dimensional bars that are alive at a distance: (k,) int64."""
    is_alive = (bars.dimension == 1) & (bars.birth < until) & (bars.death >= until)
    return np.flatnonzero(is_alive)


def distance_of_loop(bars: Any, bar: int, part: float, end: float) -> float:
    """The distance that is this part of the way from a bar's birth to its death, or further on
    the first where few enough bars are alive.
    """
    birth = float(bars.birth[bar])
    length = min(float(bars.death[bar]), end) - birth
    for later in np.arange(part, 1.0, LATER).tolist():
        if len(bars_alive(bars, birth + later * length)) <= MOST_BITS:
            return birth + later * length
    return birth + part * length


def bars_needed(bars: Any, rows: np.ndarray, part: float, end: float) -> np.ndarray:
    """The rows, and those whose cocycles tell the classes of the 1-dimensional ones among them."""
    needed = [rows]
    for bar in rows[bars.dimension[rows] == 1].tolist():
        alive = bars_alive(bars, distance_of_loop(bars, bar, part, end))
        needed += [alive] if len(alive) <= MOST_BITS else []
    return np.unique(np.concatenate(needed)).astype(np.int64)


def short_loop(
    bars: Any, bar: int, edges: np.ndarray, distances: np.ndarray, until: float
) -> list[int]:
    """A short loop homologous to the cycle of edges (m, 2) at `until`, its first point again last.

    distances (n, n). The cocycles of all bars alive there are among the barcode's; [] where they
    are too many, or where no loop was found.
    """
    alive = bars_alive(bars, until)
    cocycles = {c.bar: c.simplices for c in bars.cocycles}
    if len(alive) > MOST_BITS or bar not in alive or not set(alive.tolist()) <= set(cocycles):
        return []
    n = len(distances)
    weight = np.where(distances < CLOSER * until, distances**2, np.inf)
    word = np.zeros((n, n), np.int64)
    for bit, row in enumerate(alive.tolist()):
        i, j = cocycles[row].T
        word[i, j] ^= 1 << bit
        word[j, i] ^= 1 << bit
    wanted = int(np.bitwise_xor.reduce(word[edges[:, 0], edges[:, 1]]))
    own = 1 << alive.tolist().index(bar)
    if not wanted & own:
        return []
    crossing = ((word & own) != 0) & np.isfinite(weight)
    best, loop, steps = np.inf, [], MOST_STEPS
    for source in _cover(crossing):
        length, found, taken = _search(weight, word, source, wanted, 1 << len(alive), best, steps)
        steps -= taken
        if found:
            best, loop = length, found
        if steps <= 0:
            break
    return loop


def _cover(crossing: np.ndarray) -> list[int]:
    """Points (n,) that every edge of a symmetric matrix touches one of, greedily few."""
    left, cover = crossing.copy(), []
    while (degree := left.sum(axis=1)).any():
        point = int(degree.argmax())
        cover.append(point)
        left[point] = left[:, point] = False
    return cover


def _search(
    weight: np.ndarray,
    word: np.ndarray,
    source: int,
    wanted: int,
    n_words: int,
    below: float,
    most_steps: int,
) -> tuple[float, list[int], int]:
    """The least loop of a word from a point back to it, if it is less than `below`, and the steps.

    Dijkstra's algorithm; the state of a point and a word is the number word * n + point.
    """
    n = len(weight)
    points = np.arange(n)
    length = np.full(n_words * n, np.inf)
    open_length = length.copy()  # inf again where a state is settled
    before = np.full(n_words * n, -1)
    length[source] = open_length[source] = 0.0
    goal = wanted * n + source
    for step in range(most_steps):
        state = int(open_length.argmin())
        if not open_length[state] < below:
            return below, [], step
        if state == goal:
            loop = [source]
            while before[state] >= 0:
                state = int(before[state])
                loop.append(state % n)
            return float(length[goal]), loop, step
        open_length[state] = np.inf
        point = state % n
        reached = (state // n ^ word[point]) * n + points
        through = length[state] + weight[point]
        shorter = through < length[reached]
        at = reached[shorter]
        length[at] = open_length[at] = through[shorter]
        before[at] = state
    return below, [], most_steps
