"""Long columns that are continued in waves have the pairs of the reduction on the CPU."""

import numpy as np
import pytest

import separatrix as sx
from engine.rips_sets import GENERATED, distances_of, noisy_sphere
from reliability.whole_results import digest
from separatrix.rips import forecast, reduction, survivors, waves


def with_matrix(session, rows, n_vertices, bits, prime):
    """Like `may_postpone`, also on the CPU, where the kernel has a form for tests."""
    return rows is not None and rows.matrix is not None and prime == 2


def compared(
    monkeypatch, device: str, distances: np.ndarray, d: int, **constants: int
) -> list[int]:
    """Compare all results with those of the CPU; return the numbers of postponed columns."""
    options = {"max_dimension": d, "method": "cohomology", "collapse": False}
    expected = sx.rips_barcodes(distances=distances, device="cpu", **options)
    with monkeypatch.context() as changed:
        changed.setattr(reduction, "may_postpone", with_matrix)
        changed.setattr(forecast.Forecast, "suits_host", lambda self, threads: False)
        for name, value in constants.items():
            changed.setattr(waves, name, value)
        changed.setattr(reduction, "POSTPONED_FROM", constants.get("POSTPONED_FROM", 1))
        found = sx.rips_barcodes(distances=distances, device=device, **options)
    assert digest(found) == digest(expected)
    return [counts.get("postponed", 0) for counts in found.statistics["dimensions"][1:]]


@pytest.mark.parametrize("short", [True, False], ids=["16 bits", "32 bits"])
def test_postponed_columns_of_tied_distances_have_the_same_pairs(device, short, monkeypatch):
    if not short:
        monkeypatch.setattr(survivors, "MOST_SHORT", 0)
    rng, n_postponed = np.random.default_rng(7), np.zeros(3, int)
    for kinds in (3, 20, 10**6) * 4:
        n, d = int(rng.integers(10, 40)), int(rng.integers(1, 4))
        upper = np.triu(rng.integers(1, kinds + 1, (n, n)), 1).astype(float)
        # Small tables and chains, which run full, and short ranges of ranks.
        slots, terms = 1 << int(rng.integers(8, 10)), 1 << int(rng.integers(2, 8))
        constants = {"SLOTS": slots, "MOST_SLOTS": 1 << 12, "TERMS": terms, "MORE_SLOTS": 2}
        constants |= {"FIRST_RANGE": int(rng.integers(1, 40)), "POSTPONED_FROM": 1}
        n_postponed[:d] += compared(monkeypatch, device, upper + upper.T, d, **constants)
    assert (n_postponed > 100).all()


@pytest.mark.parametrize("name", ["torus", "projective plane", "cross-polytope", "duplicates"])
def test_postponed_columns_of_shapes_have_the_same_pairs(device, name, monkeypatch):
    distances, d = GENERATED[name]
    compared(monkeypatch, device, distances, d, SLOTS=1 << 14, FIRST_RANGE=8)


def test_the_column_of_the_void_of_a_sphere_is_postponed(device, monkeypatch):
    distances = distances_of(noisy_sphere(120))
    counted = compared(monkeypatch, device, distances, 2, POSTPONED_FROM=400, SLOTS=1 << 16)
    assert counted[1] == 1


def test_a_last_column_may_be_postponed_early(device, monkeypatch):
    distances = distances_of(noisy_sphere(150))
    counted = compared(monkeypatch, device, distances, 2, POSTPONED_FROM=1 << 40, SLOTS=1 << 16)
    assert counted[1] <= 2  # it depends on the order of the threads


def test_the_steps_of_waves_count_in_the_work_limit(device, monkeypatch):
    def reduce_postponed(*arguments):
        *known, count_steps = arguments
        waves.reduce_postponed(*known, lambda n: count_steps(n * 10**13))

    monkeypatch.setattr(reduction, "reduce_postponed", reduce_postponed)
    with pytest.raises(sx.InputError, match=r"number of steps is .* raise work_limit"):
        compared(monkeypatch, device, distances_of(noisy_sphere(60)), 2, SLOTS=1 << 14)


def test_a_column_without_room_is_reduced_on_the_cpu(device, monkeypatch):
    distances = distances_of(noisy_sphere(60))
    constants = {"SLOTS": 1 << 8, "MOST_SLOTS": 1 << 8, "MORE_SLOTS": 2, "FIRST_RANGE": 1}
    assert compared(monkeypatch, device, distances, 2, **constants)[1] > 0
