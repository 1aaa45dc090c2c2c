"""Cycles and cocycles of Rips bars are closed, and exist from birth to death of their bars."""

import numpy as np
import pytest

import separatrix as sx
from oracles.rips import (
    Simplex,
    boundary,
    boundary_of_chain,
    bounds,
    diameter,
    filtered,
    random_values,
)
from separatrix.device.host import HostDevice
from separatrix.rips import distances, ranks, reduction
from separatrix.rips.bar_table import Representative


def chain_of(found: Representative) -> dict[Simplex, int]:
    """{ascending simplex: coefficient} of a chain."""
    rows = zip(found.simplices.tolist(), found.coefficients.tolist(), strict=True)
    return {tuple(simplex): coefficient for simplex, coefficient in rows}


@pytest.mark.parametrize("prime", [2, 3, 5])
@pytest.mark.parametrize("rows", [False, True], ids=["matrix", "rows of neighbors"])
def test_chains_are_closed_and_exist_from_birth_to_death_of_their_bar(prime, rows, monkeypatch):
    if rows:
        monkeypatch.setattr(ranks, "SMALL", 0)
        monkeypatch.setattr(ranks, "DENSE", 2.0)
    rng = np.random.default_rng(prime)
    n_finite = n_essential = 0
    for trial in range(20):
        values = random_values(rng, 8, (2, 3, 6, 30)[trial % 4], absent=(0, 0.15, 0.4)[trial % 3])
        bars = sx.rips_barcodes(
            distances=values,
            max_dimension=2,
            threshold=1000,
            field=prime,
            collapse=False,
            relabel=False,
            representatives=lambda bars: np.flatnonzero(bars.dimension > 0),
            cocycles=True,
            device="cpu",
        )
        born = [tuple(s) for table in bars.birth_simplex for s in table.tolist()]
        died = [tuple(s) for table in bars.death_simplex for s in table.tolist()]
        cocycle_of = {c.bar: chain_of(c) for c in bars.cocycles}
        for representative in bars.representatives:
            bar, d, cycle = representative.bar, representative.dimension, chain_of(representative)
            cells = filtered(values, d + 1)
            place = {s: i for i, (_, s) in enumerate(cells)}
            assert boundary_of_chain(cycle, prime) == {}
            assert max(diameter(values, s) for s in cycle) == bars.birth[bar]
            assert cycle[born[bar]] == 1
            if bars.is_essential[bar]:
                assert not bounds(cycle, cells, prime)
                n_essential += 1
            else:
                assert max(cycle, key=place.__getitem__) == born[bar]
                assert not bounds(cycle, cells[: place[died[bar]]], prime)
                assert bounds(cycle, cells[: place[died[bar]] + 1], prime)
                n_finite += 1
            cocycle = cocycle_of[bar]
            alive = [t for at, t in cells if at < bars.death[bar] and len(t) == d + 2]
            for t in alive:
                assert sum(c * cocycle.get(s, 0) for s, c in boundary(t).items()) % prime == 0
            assert sum(c * cycle.get(s, 0) for s, c in cocycle.items()) % prime != 0
    assert n_finite > 10
    assert n_essential > 2


@pytest.mark.parametrize("prime", [2, 5])
@pytest.mark.parametrize("form", ["matrix", "points", "lattice"])
def test_cycles_of_a_graph_whose_edges_are_not_listed_are_the_same(prime, form, monkeypatch):
    monkeypatch.setattr(distances, "UNLISTED", 2)
    rng = np.random.default_rng(prime)
    for trial in range(6):
        n, levels = int(rng.integers(8, 50)), (5, 100)[trial % 2]
        given = {
            "matrix": {"distances": random_values(rng, n, levels)},
            "points": {"points": rng.random((n, 3))},
            "lattice": {"points": rng.integers(0, 6, (n, 2)).astype(float)},
        }[form]
        options = {"field": prime, "representatives": lambda bars: bars.dimension == 1}
        found = sx.rips_barcodes(**given, **options, device="cpu")
        listed = sx.rips_barcodes(**given, **options, method="cohomology", device="cpu")
        cycles = [[chain_of(cycle) for cycle in of.representatives] for of in (found, listed)]
        assert cycles[0] == cycles[1]


def test_cycles_of_long_bars_of_many_points_need_little_memory(monkeypatch):
    monkeypatch.setattr(distances, "_require_matrix", None)
    monkeypatch.setattr(distances, "sparse_distances", None)
    rng = np.random.default_rng(24)
    angle, radius = 2 * np.pi * rng.random(6000), 1 + 0.1 * rng.random(6000)
    points = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    bars = sx.rips_barcodes(points, device="cpu", representatives=1)
    cycle = next(one for one in bars.representatives if one.dimension == 1)
    ends, times = np.unique(cycle.simplices, return_counts=True)
    assert not (times % 2).any()
    lengths = np.linalg.norm(np.diff(points[cycle.simplices], axis=1)[:, 0], axis=1)
    assert lengths.max() == pytest.approx(bars.birth[cycle.bar])
    assert bars.persistence[cycle.bar] > 1
    assert len(ends) < 1000


def test_chains_are_released_if_their_arrays_cannot_be_allocated(monkeypatch):
    ran = []
    run = HostDevice.run
    monkeypatch.setattr(
        HostDevice, "run", lambda *given, **more: (ran.append(given[1]), run(*given, **more))[1]
    )

    class NoRoom:
        """NumPy, without memory for the rows of a table of chains."""

        def __getattr__(self, name):
            if name == "empty":
                raise MemoryError("no room")
            return getattr(np, name)

    points = np.random.default_rng(3).random((40, 3))
    with monkeypatch.context() as patch:
        patch.setattr(reduction, "np", NoRoom())
        with pytest.raises(MemoryError, match="no room"):
            sx.rips_barcodes(points, device="cpu", representatives="longest")
    assert ran[-2:] == ["count_kept_chains", "drop_kept_chains"]
    assert sx.rips_barcodes(points, device="cpu", representatives="longest").representatives


@pytest.mark.parametrize("wanted", ["longest", 100])
def test_the_longest_bars_are_of_some_length(wanted):
    points = np.random.default_rng(7).random((9, 2))
    kept = sx.rips_barcodes(points, max_dimension=2, keep_zero=True, representatives=wanted)
    plain = sx.rips_barcodes(points, max_dimension=2, collapse=False, representatives=wanted)
    assert (kept.death == kept.birth).any()
    assert [part.simplices.tolist() for part in kept.representatives] == [
        part.simplices.tolist() for part in plain.representatives
    ]
