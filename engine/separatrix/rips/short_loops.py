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

from ..device import to_host
from ..device.arrays import as_array
from ..errors import InputError
from .bar_table import BarTable, Representative

MOST_BITS = 6  # bars alive at once
MOST_POINTS = 10_000  # a loop takes tables of all pairs: 17 bytes each, and the distances
LATER = 0.02  # of a bar
MOST_STEPS = 100_000  # of all searches for one loop: some seconds
CLOSER = 1.0 - 1e-12  # an edge shorter than this is in the complex, however distances are rounded
SAME = 1e-9  # by how much, relatively, distances computed elsewhere may differ


def checked_part(part: Any) -> float:
    """InputError for what is no part of a bar."""
    if not isinstance(part, (int, float, np.number)) or not 0 < part < 1:
        raise InputError(f"part must be a number between 0 and 1, got {part!r}")
    return float(part)


def checked_cycle(bars: BarTable, bar: int) -> Representative:
    """The cycle of a bar that has short loops; InputError for other bars."""
    if bars.prime != 2:
        raise InputError(f"short loops are found over Z/2, the bars are over Z/{bars.prime}")
    if bars.statistics["collapsed"]:
        raise InputError("short loops need a barcode without an edge collapse; give collapse=False")
    found = [cycle for cycle in bars.representatives if cycle.bar == bar]
    if not found:
        raise InputError(f"bar {bar} has no representative; give representatives= when computing")
    if found[0].dimension != 1:
        raise InputError(f"short loops are of dimension 1, bar {bar} has {found[0].dimension}")
    return found[0]


def checked_distances(bars: BarTable, distances: Any) -> np.ndarray:
    """A matrix (n, n) that the bars can be of, float64: their births are among its entries."""
    n = bars.n_points
    require_few(n)
    array = to_host(as_array(distances, "distances"))
    if array.shape != (n, n) or array.dtype.kind not in "fiu":
        raise InputError(
            f"distances must be the matrix ({n}, {n}) of the points of the bars, got "
            f"{array.dtype} of shape {array.shape}"
        )
    matrix = array.astype(np.float64, copy=False)
    if not (matrix >= 0).all():
        raise InputError("distances must be at least 0, inf for no edge, and none of them NaN")
    rows = np.flatnonzero(bars.dimension == 1)
    i, j = bars.birth_edge[rows].T
    differ = np.flatnonzero(~np.isclose(matrix[i, j], bars.birth[rows], rtol=SAME, atol=0.0))
    if differ.size:
        k = differ[0]
        raise InputError(
            f"distances must be those that the bars are of: bar {rows[k]} is born at "
            f"{bars.birth[rows[k]]:g} by points {i[k]} and {j[k]}, whose distance is "
            f"{matrix[i[k], j[k]]:g}; weights and epsilon change distances"
        )
    return matrix


def require_few(n: int) -> None:
    """InputError where the tables of all pairs of points would be too large."""
    if n > MOST_POINTS:
        raise InputError(
            f"short loops are found among at most {MOST_POINTS:,} points, since they take tables "
            f"of all pairs; {n:,} came, of which these have {17 * n * n:,} bytes"
        )


def bars_alive(bars: BarTable, until: float) -> np.ndarray:
    """Rows of the 1-dimensional bars that are alive at a distance: (k,) int64."""
    is_alive = (bars.dimension == 1) & (bars.birth < until) & (bars.death >= until)
    return np.flatnonzero(is_alive)


def distance_of_loop(bars: BarTable, bar: int, part: float) -> float:
    """The distance that is this part of the way from a bar's birth to its death, or further on
    the first where few enough bars are alive. A bar that nothing ends goes to the threshold, or
    without one to the last end of all bars.
    """
    birth, death = float(bars.birth[bar]), float(bars.death[bar])
    if not np.isfinite(death):
        ends = np.concatenate([bars.birth, bars.death])
        last = float(ends[np.isfinite(ends)].max())
        death = bars.threshold if np.isfinite(bars.threshold) else last
    length = death - birth
    for later in np.arange(part, 1.0, LATER).tolist():
        if len(bars_alive(bars, birth + later * length)) <= MOST_BITS:
            return birth + later * length
    return birth + part * length


def bars_needed(bars: BarTable, rows: np.ndarray, part: float) -> np.ndarray:
    """The rows, and those whose cocycles tell the classes of the 1-dimensional ones among them."""
    needed = [rows]
    for bar in rows[bars.dimension[rows] == 1].tolist():
        alive = bars_alive(bars, distance_of_loop(bars, bar, part))
        needed += [alive] if len(alive) <= MOST_BITS else []
    return np.unique(np.concatenate(needed)).astype(np.int64)


def short_loop(
    bars: BarTable, bar: int, edges: np.ndarray, distances: np.ndarray, until: float
) -> list[int]:
    """A short loop homologous to the cycle of edges (m, 2) at `until`, its first point again last.

    distances (n, n). [] where too many bars are alive there, or where no loop was found.
    InputError where the cocycles of those alive are not among the barcode's.
    """
    alive = bars_alive(bars, until)
    cocycles = {c.bar: c.simplices for c in bars.cocycles}
    if len(alive) > MOST_BITS or bar not in alive:
        return []
    missing = sorted(set(alive.tolist()) - set(cocycles))
    if missing:
        raise InputError(
            f"a short loop of bar {bar} needs a cocycle of bar {missing[0]} too "
            f"({len(missing)} such): compute the bars with cocycles=True and "
            "representatives=lambda bars: bars.for_short_loops(rows)"
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
        reached = (state // n ^ word[point].astype(np.int64)) * n + points
        through = length[state] + weight[point]
        shorter = through < length[reached]
        at = reached[shorter]
        length[at] = open_length[at] = through[shorter]
        before[at] = state
    return below, [], most_steps
