"""Short and tight loops are homologous to their cycles, and short ones are the shortest."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from separatrix.rips.short_loops import bars_alive, distance_of_loop
from separatrix.rips.tight_loops import LATE

N = 22


def ring(seed: int) -> tuple[np.ndarray, Any]:
    """Points round two holes, their distances, and bars with cycles and cocycles."""
    random = np.random.default_rng(seed)
    turn = 2 * np.pi * (np.arange(N) + 0.3 * random.random(N)) / N * 2
    points = np.stack([np.cos(turn) + 1.9 * (np.arange(N) >= N // 2), np.sin(turn)], axis=1)
    points += 0.05 * random.standard_normal((N, 2))
    distances = np.sqrt(sum((x[:, None] - x[None]) ** 2 for x in points.T))
    every = lambda bars: np.flatnonzero(bars.dimension == 1)  # noqa: E731
    bars = sx.rips_barcodes(points, representatives=every, cocycles=True, device="cpu")
    return distances, bars


def is_boundary(edges: set[tuple[int, int]], distances: np.ndarray, until: float) -> bool:
    """Whether edges are the boundary of triangles of diameter below `until`, mod 2: elimination."""
    number = {pair: i for i, pair in enumerate(combinations(range(len(distances)), 2))}
    pivots: dict[int, int] = {}

    def reduced(column: int) -> int:
        while column and (low := column.bit_length() - 1) in pivots:
            column ^= pivots[low]
        return column

    for a, b, c in combinations(range(len(distances)), 3):
        if max(distances[a, b], distances[a, c], distances[b, c]) < until:
            column = reduced(sum(1 << number[e] for e in ((a, b), (a, c), (b, c))))
            if column:
                pivots[column.bit_length() - 1] = column
    return reduced(sum(1 << number[e] for e in edges)) == 0


def edges_of(walk: list[int]) -> set[tuple[int, int]]:
    """Edges of a walk that it takes an odd number of times."""
    odd: set[tuple[int, int]] = set()
    for a, b in pairwise(walk):
        odd ^= {(min(a, b), max(a, b))}
    return odd


def least(distances: np.ndarray, words: np.ndarray, wanted: int, until: float) -> float:
    """The least sum of squares of a closed walk of a word through any point: all of them."""
    n, size = len(distances), int(words.max()) + 1
    size = 1 << (size - 1).bit_length()
    best = np.inf
    for source in range(n):
        length = np.full((size, n), np.inf)
        length[0, source] = 0.0
        for _ in range(n * size):
            before = length.copy()
            for a in range(n):
                for b in np.flatnonzero((distances[a] < until) & (np.arange(n) != a)):
                    for word in range(size):
                        through = length[word, a] + distances[a, b] ** 2
                        to = word ^ words[a, b]
                        length[to, b] = min(length[to, b], through)
            if (before == length).all():
                break
        best = min(best, length[wanted, source])
    return best


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("part", [0.05, 0.4, 0.8])
def test_a_short_loop_is_homologous_to_its_cycle_and_a_boundary_at_the_death(seed, part):
    distances, bars = ring(seed)
    n_loops = 0
    for cycle in bars.representatives:
        birth, death = bars.birth[cycle.bar], bars.death[cycle.bar]
        until = distance_of_loop(bars, cycle.bar, part)
        assert birth < until < death
        loop = bars.short_loop(cycle.bar, distances, part).tolist()
        assert loop[0] == loop[-1]
        own = {(a, b) for a, b in cycle.simplices.tolist()}
        assert max(distances[a, b] for a, b in edges_of(loop)) < until
        assert is_boundary(own ^ edges_of(loop), distances, until)
        assert not is_boundary(edges_of(loop), distances, until)
        assert is_boundary(edges_of(loop), distances, death * (1 + 1e-9))
        n_loops += 1
    assert n_loops >= 2


def test_no_loop_of_the_class_is_less():
    distances, bars = ring(4)
    bar = int(bars.longest(1)[1])
    (cycle,) = [c for c in bars.representatives if c.bar == bar]
    until = distance_of_loop(bars, bar, 0.2)
    alive = bars_alive(bars, until).tolist()
    words = np.zeros(distances.shape, np.int64)
    for bit, row in enumerate(alive):
        (cocycle,) = [c for c in bars.cocycles if c.bar == row]
        for a, b in cocycle.simplices.tolist():
            words[a, b] ^= 1 << bit
            words[b, a] ^= 1 << bit
    wanted = 0
    for a, b in cycle.simplices.tolist():
        wanted ^= int(words[a, b])
    loop = bars.short_loop(bar, distances, 0.2)
    found = sum(distances[a, b] ** 2 for a, b in pairwise(loop))
    assert found == pytest.approx(least(distances, words, wanted, until), rel=1e-12)


def test_an_essential_loop_uses_no_edges_beyond_the_threshold():
    turn = 2 * np.pi * np.arange(24) / 24
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    outer = 6.0 + 2.28 * np.stack([np.cos(turn), np.sin(turn)], axis=1)  # born just below 0.6
    points = np.concatenate([circle, outer])
    distances = np.sqrt(sum((x[:, None] - x[None]) ** 2 for x in points.T))
    needed = lambda bars: bars.for_short_loops(bars.longest(3), 0.99)  # noqa: E731
    bars = sx.rips_barcodes(
        points, threshold=0.6, representatives=needed, cocycles=True, device="cpu"
    )
    rows = np.flatnonzero(bars.dimension == 1)
    assert len(rows) == 2
    for bar in rows.tolist():
        assert bars.birth[bar] < distance_of_loop(bars, bar, 0.99) <= 0.6
        loop = bars.short_loop(bar, distances, 0.99)
        assert loop[0] == loop[-1]
        assert distances[loop[:-1], loop[1:]].max() <= 0.6


def test_invalid_arguments_of_short_loops_are_rejected():
    distances, bars = ring(1)
    bar = int(bars.longest(1)[1])
    points = np.random.default_rng(0).random((N, 2))

    def rejected(text, bars=bars, bar=bar, d=distances, part=0.3):
        with pytest.raises(sx.InputError, match=text):
            bars.short_loop(bar, d, part)

    rejected("part must be a number between 0 and 1; got 1.", part=1)
    rejected("part must be a number between 0 and 1; got nan.", part=np.nan)
    rejected(r"a matrix \(22, 22\) of real numbers; got dtype float64 and sh", d=distances[:3])
    rejected(r"a matrix \(22, 22\) of real numbers; got dtype c", d=distances.astype(complex))
    rejected(r"non-negative, with inf for missing edges; got distances\[0, 1\]", d=-distances)
    rejected(r"the distances of the barcode \(.*, the birth of bar [0-9]+,", d=2 * distances)
    rejected("Bar 0 has no representative. Compute the barcode with representatives.", bar=0)
    make = lambda **more: sx.rips_barcodes(points, representatives=3, device="cpu", **more)  # noqa: E731
    rejected("field must be 2 for short loops; got 3.", bars=make(field=3))
    rejected("without an edge collapse. Set collapse=False.", bars=make(collapse=True))
    alone = make(max_dimension=0)
    rejected("a bar of dimension 1; got dimension 0.", bars=alone, bar=alone.representatives[0].bar)
    rejected(
        r"requires a cocycle of bar [0-9]+ \(.* missing cocycles\)\. Compute the barcode with",
        bars=sx.rips_barcodes(distances=distances, representatives="longest", device="cpu"),
    )


def test_distances_of_any_size_have_short_loops():
    distances, bars = ring(2)
    bar = int(bars.longest(1)[1])
    loop = bars.short_loop(bar, distances, 0.3)
    for scale in (2.0**-900, 2.0**900):
        needed = lambda bars: bars.for_short_loops(bars.longest(1))  # noqa: E731
        scaled = sx.rips_barcodes(
            distances=scale * distances, representatives=needed, cocycles=True, device="cpu"
        )
        np.testing.assert_array_equal(scaled.short_loop(bar, scale * distances, 0.3), loop)


def walks_in(edges: np.ndarray) -> list[list[int]]:
    """Closed walks that take each edge of a cycle over Z/2 once."""
    left, walks = {(a, b) for a, b in edges.tolist()}, []
    while left:
        walk = list(left.pop())
        while walk[0] != walk[-1]:
            edge = next(e for e in left if walk[-1] in e)
            left.remove(edge)
            walk.append(sum(edge) - walk[-1])
        walks.append(walk)
    return walks


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("part", [0.05, 0.4, 0.95])
def test_a_tight_loop_is_homologous_to_its_cycle_before_the_death(seed, part):
    distances, bars = ring(seed)
    for cycle in bars.representatives:
        birth, death = bars.birth[cycle.bar], bars.death[cycle.bar]
        walks = walks_in(cycle.simplices)
        own = {(a, b) for a, b in cycle.simplices.tolist()}
        loops = [bars.tight_loop(cycle.bar, w, distances=distances, part=part) for w in walks]
        tight: set[tuple[int, int]] = set()
        for loop in loops:
            tight ^= edges_of(loop.tolist())
        length = lambda edges: sum(distances[a, b] for a, b in edges)  # noqa: E731
        assert 0 < length(tight) <= length(own) * (1 + 1e-12)
        assert max(distances[a, b] for a, b in tight) < birth + part * (death - birth)
        late = birth + max(part, LATE) * (death - birth)
        assert is_boundary(own ^ tight, distances, late)
        assert not is_boundary(tight, distances, late)


def test_tight_loops_of_points_need_no_cocycles_and_unwind_from_other_holes():
    turn = 2 * np.pi * np.random.default_rng(5).random(1500)
    radius = 1 + 0.2 * np.random.default_rng(6).random(1500)
    small = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    points = np.concatenate([small, 0.5 * small + [1.6, 0]])
    bars = sx.rips_barcodes(points, representatives=2, device="cpu")
    for bar, radius in zip(bars.longest(2)[2:].tolist(), (1.0, 0.5), strict=True):
        (cycle,) = [c for c in bars.representatives if c.bar == bar]
        loops = [bars.tight_loop(bar, w, points=points) for w in walks_in(cycle.simplices)]
        (loop,) = [loop for loop in loops if len(loop)]
        length = np.linalg.norm(np.diff(points[loop], axis=0), axis=1).sum()
        assert length == pytest.approx(2 * np.pi * radius, rel=0.05)
        assert bars.tight_loop(bar, [0, 1, 0], points=points).tolist() == []


def test_tight_loops_of_points_are_those_of_their_distances():
    random = np.random.default_rng(8)
    turn, radius = 2 * np.pi * random.random(400), 0.6 + 0.4 * random.random(400)
    points = np.stack(
        [radius * np.cos(turn), radius * np.sin(turn), 0.2 * random.random(400)], axis=1
    )
    distances = np.sqrt(sum((x[:, None] - x[None]) ** 2 for x in points.T))
    bars = sx.rips_barcodes(points, representatives=20, device="cpu")
    for cycle in (c for c in bars.representatives if c.dimension == 1):
        for walk in walks_in(cycle.simplices):
            for part in (0.01, 0.3, 0.9):
                by_points = bars.tight_loop(cycle.bar, walk, points=points, part=part)
                by_distances = bars.tight_loop(cycle.bar, walk, distances=distances, part=part)
                assert by_points.tolist() == by_distances.tolist()


def test_invalid_arguments_of_tight_loops_are_rejected():
    distances, bars = ring(1)
    bar = int(bars.longest(1)[1])
    for text, arguments in (
        ("Exactly one of points and distances must be given", {}),
        (r"points must be real numbers of shape \(22, d\); got", {"points": distances[:3]}),
        ("part must be a number between 0 and 1; got 2", {"distances": distances, "part": 2}),
        ("walk must be points that begin and end with the same one", {"walk": [0, 1, 2]}),
        ("walk must be points from 0 to 21; got 99", {"walk": [99, 1, 99]}),
        ("bar must be a bar of dimension 1; got dimension 0", {"bar": 0, "distances": distances}),
    ):
        given = {"bar": bar, "walk": [0, 1, 2, 0], **arguments}
        given |= {"distances": distances} if "walk" in arguments else {}
        with pytest.raises(sx.InputError, match=text):
            bars.tight_loop(**given)
