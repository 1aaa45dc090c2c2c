"""Short loops in the classes of a barcode's 1-cycles, over Z/2.

At a distance t, the values of a class on the cocycles of all bars that are alive identify it. They
form a word with one bit per bar (annotation: Busaryev et al., "Annotating simplices with a homology
basis and its applications", 2012). Dijkstra's algorithm on pairs of a point and a word finds the
loop through a point with a given word, edges shorter than t, and the smallest sum of squared
lengths, which favors many short edges. The loop is homologous to the cycle in the complex at t.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import as_array, to_host
from ..errors import InputError, Words
from .bar_table import BarTable, Representative
from .distances import check_values

MOST_BITS = 6  # bars alive at the distance of a loop
MOST_POINTS = 10_000  # the tables of all pairs take 17 bytes per pair, in addition to distances
LATER = 0.02  # of a bar
MOST_STEPS = 100_000  # of all searches for one loop, which take several seconds
CLOSER = 1.0 - 1e-12  # a shorter edge is in the complex, regardless of rounding
SAME = 1e-9  # relative difference that is permitted for distances computed elsewhere


def checked_part(part: Any) -> float:
    """Return the fraction of a bar as a float. Raises InputError."""
    if not isinstance(part, (int, float, np.number)) or not 0 < part < 1:
        raise InputError("part", "a number between 0 and 1", part)
    return float(part)


def checked_cycle(bars: BarTable, bar: int) -> Representative:
    """Return the cycle of a bar that has short loops. Raises InputError for other bars."""
    if bars.prime != 2:
        raise InputError("field", "2 for short loops", bars.prime)
    if bars.statistics["collapsed"]:
        raise InputError(
            "Short loops require a barcode without an edge collapse. Set {collapse=False}."
        )
    found = [cycle for cycle in bars.representatives if cycle.bar == bar]
    if not found:
        raise InputError(
            f"Bar {bar} has no representative. Compute the barcode with {{representatives}}."
        )
    if found[0].dimension != 1:
        raise InputError("bar", "a bar of dimension 1", Words(f"dimension {found[0].dimension}"))
    return found[0]


def checked_distances(bars: BarTable, distances: Any) -> np.ndarray:
    """Return the matrix (n, n) as float64. Raises InputError if the births do not match it."""
    n = bars.n_points
    require_few(n)
    array = to_host(as_array(distances, "distances"))
    if array.shape != (n, n) or array.dtype.kind not in "fiu":
        got = Words(f"dtype {array.dtype} and shape {array.shape}")
        raise InputError("distances", f"a matrix ({n}, {n}) of real numbers", got)
    matrix = array.astype(np.float64, copy=False)
    check_values(matrix.ravel(), "distances", lambda k: f"[{k // n}, {k % n}]")
    rows = np.flatnonzero(bars.dimension == 1)
    i, j = bars.birth_edge[rows].T
    differ = np.flatnonzero(~np.isclose(matrix[i, j], bars.birth[rows], rtol=SAME, atol=0.0))
    if differ.size:
        k = differ[0]
        birth = f"{bars.birth[rows[k]]:g}, the birth of bar {rows[k]},"
        raise InputError(
            *("distances", f"the distances of the barcode ({birth} for this pair)"),
            matrix[i[k], j[k]],
            "Distances of a barcode with {weights} or {epsilon} are not supported.",
            where=f"[{i[k]}, {j[k]}]",
        )
    return matrix


def require_few(n: int) -> None:
    """Raise InputError if the tables of all pairs of points would be too large."""
    if n > MOST_POINTS:
        raise InputError(
            f"The number of points is {n:,}; the maximum for short loops is {MOST_POINTS:,}, "
            f"because tables of all pairs take {17 * n * n:,} bytes."
        )


def bars_alive(bars: BarTable, until: float) -> np.ndarray:
    """Return the rows (k,) int64 of the 1-dimensional bars that are alive at a distance."""
    is_alive = (bars.dimension == 1) & (bars.birth < until) & (bars.death >= until)
    return np.flatnonzero(is_alive)


def end_of_bar(bars: BarTable, bar: int) -> float:
    """Return the death of a bar; of essential bars the threshold or else the last endpoint."""
    death = float(bars.death[bar])
    if np.isfinite(death):
        return death
    ends = np.concatenate([bars.birth, bars.death])
    last = float(ends[np.isfinite(ends)].max())
    return bars.threshold if np.isfinite(bars.threshold) else last


def distance_of_loop(bars: BarTable, bar: int, part: float) -> float:
    """Return the distance at this fraction of a bar, or a later one with few enough bars alive."""
    birth = float(bars.birth[bar])
    length = end_of_bar(bars, bar) - birth
    for later in np.arange(part, 1.0, LATER).tolist():
        if len(bars_alive(bars, birth + later * length)) <= MOST_BITS:
            return birth + later * length
    return birth + part * length


def bars_needed(bars: BarTable, rows: np.ndarray, part: float) -> np.ndarray:
    """Return the rows, and those whose cocycles identify the classes of their loops."""
    needed = [rows]
    for bar in rows[bars.dimension[rows] == 1].tolist():
        alive = bars_alive(bars, distance_of_loop(bars, bar, part))
        needed += [alive] if len(alive) <= MOST_BITS else []
    return np.unique(np.concatenate(needed)).astype(np.int64)


def short_loop(
    bars: BarTable, bar: int, edges: np.ndarray, distances: np.ndarray, until: float
) -> list[int]:
    """Return a closed loop of points that is homologous to the cycle of edges (m, 2) at `until`.

    Returns [] if too many bars are alive there or no loop was found. Raises InputError if a
    cocycle of these bars is missing.
    """
    alive = bars_alive(bars, until)
    cocycles = {c.bar: c.simplices for c in bars.cocycles}
    if len(alive) > MOST_BITS or bar not in alive:
        return []
    missing = sorted(set(alive.tolist()) - set(cocycles))
    if missing:
        raise InputError(
            f"A short loop of bar {bar} requires a cocycle of bar {missing[0]} ({len(missing)} "
            "missing cocycles). Compute the barcode with {cocycles=True} and "
            "{representatives=lambda bars: bars.for_short_loops(rows)}."
        )
    n = len(distances)
    near = distances < CLOSER * until
    weight = np.where(near, (np.where(near, distances, 0.0) / until) ** 2, np.inf)
    word = np.zeros((n, n), np.uint8)
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
    """Return a small vertex cover of the edges of a symmetric matrix, chosen greedily."""
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
    """Return the shortest loop of a word through a point, if shorter than `below`, and the steps.

    Dijkstra's algorithm; the state of a point and a word is the number word * n + point.
    """
    n = len(weight)
    points = np.arange(n)
    length = np.full(n_words * n, np.inf)
    open_length = length.copy()  # inf for settled states
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
        reached = (state // n ^ word[point].astype(np.int64)) * n + points
        through = length[state] + weight[point]
        shorter = through < length[reached]
        at = reached[shorter]
        length[at] = open_length[at] = through[shorter]
        before[at] = state
    return below, [], most_steps
