"""Sets of items placed in a lattice: packed shifts, and ranks against walks and linear algebra."""

import numpy as np
import pytest

from separatrix.alpha.boxes import packed, unpacked
from separatrix.device.session import Session


def ranks_by_walks(n: int, pairs: np.ndarray, apart: np.ndarray) -> list[int]:
    """Place the items of each set by a walk; the rank of the differences where it closes."""
    steps = [[] for _ in range(n)]
    for (a, b), by in zip(pairs.tolist(), apart, strict=True):
        steps[a].append((b, by))
        steps[b].append((a, -by))
    rank = [-1] * n
    for start in range(n):
        if rank[start] >= 0:
            continue
        place, waiting, loops = {start: np.zeros(3, int)}, [start], [np.zeros(3, int)]
        while waiting:
            item = waiting.pop()
            for other, by in steps[item]:
                if other in place:
                    loops.append(place[item] + by - place[other])
                else:
                    place[other] = place[item] + by
                    waiting.append(other)
        for item in place:
            rank[item] = int(np.linalg.matrix_rank(np.array(loops)))
    return rank


@pytest.mark.parametrize("seed", range(30))
def test_ranks_are_those_of_loops(seed):
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 40))
    pairs = random.integers(0, n, (int(random.integers(0, 2 * n)), 2)).astype(np.int32)
    home = random.integers(-9, 10, (n, 3))  # at which steps agree, except for some
    apart = home[pairs[:, 1]] - home[pairs[:, 0]]
    axes = np.eye(3, dtype=int)[random.integers(0, 1 + seed % 3, len(pairs))]
    apart += axes * random.choice([0, 0, 0, 1, -2], len(pairs))[:, None]
    found = np.empty(n, np.int8)
    host = Session(np.zeros(1), "cpu").host
    host.run("rank_sets", pairs, packed(apart), len(pairs), found, n)
    assert found.tolist() == ranks_by_walks(n, pairs, apart)


def test_packed_shifts_are_recovered_and_added():
    random = np.random.default_rng(0)
    one, other = random.integers(-500_000, 500_000, (2, 1_000, 3))
    assert np.array_equal(unpacked(packed(one)), one)
    assert np.array_equal(unpacked(packed(one) + packed(other)), one + other)
    assert np.array_equal(unpacked(packed(one) - packed(other)), one - other)
