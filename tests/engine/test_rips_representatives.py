"""Cycles and cocycles of Rips bars: closed, born with their bars, and gone at the death."""

from __future__ import annotations

import numpy as np
import pytest

import separatrix as sx
from engine.rips_survivors import all_diameters, forest_edges
from engine.test_rips_reduction import reduced
from oracles.rips import boundary_of_chain, bounds, filtered, random_values
from separatrix.device.host import HostDevice
from separatrix.device.session import Session
from separatrix.rips import reduction
from separatrix.rips.filtration import ABSENT
from separatrix.rips.representatives import cocycles, cycles, essential_cycles


def chain(chains, i):
    """The i-th chain as {ascending simplex: coefficient}."""
    part = slice(*chains.offsets[i : i + 2])
    rows = zip(chains.vertices[part].tolist(), chains.coefficients[part].tolist(), strict=True)
    return {tuple(s[::-1]): c for s, c in rows}


def inputs(prime):
    rng = np.random.default_rng(prime)
    for trial in range(10):
        yield random_values(rng, 8, (2, 3, 6, 30)[trial % 4], absent=0.15 * (trial % 2))


@pytest.mark.parametrize("prime", [2, 3, 5])
@pytest.mark.parametrize("sparse", [False, True])
def test_a_cycle_is_closed_born_with_its_bar_and_bounds_from_its_death_on(prime, sparse):
    n_checked = 0
    for values in inputs(prime):
        filtration, found = reduced(values, 2, prime=prime, sparse=sparse)
        for survivors, result in found:
            chosen = np.nonzero(result.death_rank != ABSENT)[0]
            session = Session(values, "cpu")
            z = cycles(session, filtration, survivors, result, chosen, prime=prime)
            births = [tuple(s[::-1]) for s in survivors.vertices[chosen].tolist()]
            cells = filtered(values, survivors.dimension + 1)
            place = {s: i for i, (_, s) in enumerate(cells)}
            for i, birth in enumerate(births):
                cycle = chain(z, i)
                death = tuple(result.death[chosen[i]].tolist()[::-1])
                assert boundary_of_chain(cycle, prime) == {}
                assert max(cycle, key=place.__getitem__) == birth
                assert cycle[birth] == 1
                assert not bounds(cycle, cells[: place[death]], prime)
                assert bounds(cycle, cells[: place[death] + 1], prime)
                n_checked += 1
    assert n_checked > 20


@pytest.mark.parametrize("prime", [2, 3])
def test_an_essential_cycle_is_closed_and_never_bounds(prime):
    n_checked = 0
    for seed in range(30):
        values = random_values(np.random.default_rng(seed), 8, 3, absent=0.4)
        filtration, found = reduced(values, 2, prime=prime)
        forest = np.array([e[::-1] for e in sorted(forest_edges(values))], np.int32).reshape(-1, 2)
        below = [forest, found[0]]
        for (survivors, result), under in zip(found, below, strict=True):
            births = survivors.vertices[result.death_rank == ABSENT]
            z = essential_cycles(Session(values, "cpu"), filtration, births, under, prime=prime)
            cells = filtered(values, survivors.dimension + 1)
            for i, birth in enumerate(births.tolist()):
                cycle = chain(z, i)
                assert boundary_of_chain(cycle, prime) == {}
                assert cycle[tuple(birth[::-1])] == 1
                assert (
                    max(all_diameters(values, z.vertices[slice(*z.offsets[i : i + 2])]))
                    == (all_diameters(values, np.array([birth]))[0])
                )
                assert not bounds(cycle, cells, prime)
                n_checked += 1
    assert n_checked > 10


def coboundary(cochain, simplices, prime):
    """Its values on the simplices, those of zero left out."""
    total = {
        t: sum(c * cochain.get(s, 0) for s, c in boundary_terms(t).items()) % prime
        for t in simplices
    }
    return {t: c for t, c in total.items() if c}


def boundary_terms(t):
    return {t[:i] + t[i + 1 :]: (-1) ** i for i in range(len(t))}


@pytest.mark.parametrize(("prime", "sparse"), [(2, False), (2, True), (3, False), (5, True)])
def test_a_cocycle_is_closed_until_its_death_and_meets_the_cycle_of_its_bar(prime, sparse):
    n_checked = 0
    for values in inputs(prime):
        filtration, found = reduced(values, 2, prime=prime, sparse=sparse, keep_columns=True)
        for survivors, result in found:
            alive = (result.death_rank != ABSENT) & (result.death_rank > survivors.rank)
            chosen = np.nonzero(alive)[0]
            z = cycles(Session(values, "cpu"), filtration, survivors, result, chosen, prime=prime)
            c = cocycles(filtration, result, chosen)
            ends = all_diameters(values, result.death[chosen])
            for i, end in enumerate(ends):
                cocycle, cycle = chain(c, i), chain(z, i)
                cells = [(at, s) for at, s in filtered(values, survivors.dimension + 1) if at < end]
                higher = [s for _, s in cells if len(s) == survivors.dimension + 2]
                assert coboundary(cocycle, higher, prime) == {}
                assert sum(x * cycle.get(s, 0) for s, x in cocycle.items()) % prime != 0
                n_checked += 1
    assert n_checked > 10


def test_chains_that_find_no_room_as_arrays_are_given_back(monkeypatch) -> None:
    ran: list[str] = []
    run = HostDevice.run
    monkeypatch.setattr(
        HostDevice, "run", lambda *given, **more: (ran.append(given[1]), run(*given, **more))[1]
    )

    class NoRoom:
        """NumPy, without memory for the rows of a table of chains."""

        def __getattr__(self, name: str) -> object:
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


@pytest.mark.parametrize("chosen", ["longest", 100])
def test_the_longest_bars_are_of_some_length(chosen) -> None:
    points = np.random.default_rng(7).random((9, 2))
    kept = sx.rips_barcodes(points, max_dimension=2, keep_zero=True, representatives=chosen)
    plain = sx.rips_barcodes(points, max_dimension=2, collapse=False, representatives=chosen)
    assert (kept.death == kept.birth).any()
    assert [part.simplices.tolist() for part in kept.representatives] == [
        part.simplices.tolist() for part in plain.representatives
    ]
